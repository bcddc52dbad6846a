"""Are the files that a fix changed among those that a task's words point to? Asked of a project's own history.

    python benchmarks/localisation.py REPOSITORY… [--commits N] [--window N]

REPOSITORY is a git dir. Of each the last N fixes that change 1 to 3 files of code: the older half, by which weights
may be chosen, and the newer one, which shows what they are worth. Files are those of the tree before a half's first
commit; with --window, before the first of so many at a time, as in use they are never old. Side by side: plain BM25,
BM25 with the words of paths, and what runs are told. Acc@k: all changed files are among the first k; Hit@k: one is. The
queries, of which none was written for it:

    subject   the first line of the message: what somebody would say who knows what is wrong
    message   all of it
    masked    the first line without what the paths of the changed files are made of
    snippet   only the code that the commit adds to tests, as an issue shows how something fails
    failing   no task, only that the tests which the commit adds or changes fail

"definitions" is the share of commits of which a changed definition is among the places that are told.
"""

import argparse
import math
import re
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple, TypeAlias

from bot.app.locating import Locator, make_locator
from bot.core.check import CaseResult, CheckResult, Rung, Verdict
from bot.core.evidence import is_test
from bot.core.retrieval.evidence import Failing, gather
from bot.core.retrieval.hints import find_candidates, locate
from bot.core.retrieval.ranking import rank
from bot.git.contents import GitContents
from bot.git.past import read_past
from bot.git.repository import Repository
from bot.sandbox.process import ProcessExecutor
from bot.tools.mapping.gathering import Gatherer
from bot.tools.mapping.python import scan

FIXES = re.compile(r"\bfix|bug|wrong|incorrect|error|fail", re.IGNORECASE)
TOPS = (1, 3, 5, 10)
KINDS = ("subject", "message", "masked", "snippet", "failing")
GREEN = Verdict(tree="")

Order: TypeAlias = Callable[[str], Sequence[str]]


class Fix(NamedTuple):
    """A commit that mends something."""

    commit: str
    subject: str
    body: str
    files: tuple[str, ...]
    tests: tuple[str, ...]


class Shelf:
    """Keeps in memory what a run keeps in the repository."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}

    def get(self, key: str) -> bytes | None:
        return self.kept.get(key)

    def put(self, key: str, value: bytes) -> None:
        self.kept[key] = value


class Plain:
    """BM25 as it is in the books, over the same files: names and their parts, each a term."""

    WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
    PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
    STOP = frozenset(
        WORD.findall(
            "the a an of to in for and or is are be it this that with on from by not as at when if fix fixes fixed bug"
            " issue closes see self def return import none true false"
        )
    )

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.paths = list(texts)
        self.bodies = [self.terms(text) for text in texts.values()]
        self.names = [self.terms(path.replace("/", " ")) for path in texts]
        self.lengths = [body.total() for body in self.bodies]
        self.average = sum(self.lengths) / max(1, len(self.lengths))
        both = zip(self.bodies, self.names, strict=True)
        self.spread = Counter(term for body, name in both for term in {*body, *name})

    def terms(self, text: str) -> Counter[str]:
        found: Counter[str] = Counter()
        for word in self.WORD.findall(text):
            whole = word.lower()
            found[whole] += whole not in self.STOP and len(whole) > 1
            if "_" in word or not word.islower():
                parts = (part.lower() for part in self.PART.findall(word))
                found.update(part for part in parts if part not in self.STOP and len(part) > 2 and part != whole)
        return +found

    def order(self, text: str, path: float = 0.0) -> list[str]:
        scores: Counter[int] = Counter()
        for term in self.terms(text):
            spread = self.spread[term]
            rarity = math.log(1 + (len(self.paths) - spread + 0.5) / (spread + 0.5)) if spread else 0.0
            for number, body in enumerate(self.bodies):
                times = body.get(term, 0)
                if times:
                    norm = 1.2 * (0.25 + 0.75 * self.lengths[number] / self.average)
                    scores[number] += rarity * times * 2.2 / (times + norm)  # type: ignore[assignment]
                if path and term in self.names[number]:
                    scores[number] += path * rarity  # type: ignore[assignment]
        return [self.paths[number] for number, _ in scores.most_common(max(TOPS))]


@dataclass(frozen=True)
class Ours:
    """What a run would be told."""

    locator: Locator

    def order(self, goal: str, verdict: Verdict = GREEN, code: str = "") -> list[str]:
        evidence = gather(goal, verdict, self.locator.places, self.tests(verdict, code))
        ranked = find_candidates(rank(self.locator.index, evidence.query), evidence.signs)
        return [each.path for each in ranked if not is_test(each.path)][: max(TOPS)]

    def names(self, goal: str, verdict: Verdict = GREEN, code: str = "") -> set[tuple[str, str]]:
        evidence = gather(goal, verdict, self.locator.places, self.tests(verdict, code))
        return {(each.path, each.name) for each in locate(self.locator.index, evidence, self.locator.read)}

    def tests(self, verdict: Verdict, code: str) -> Failing:
        known = self.locator.read_tests(verdict)
        return Failing(known.imports, code or known.code)


def git(root: Path, *args: str) -> str:
    done = subprocess.run(("git", "-C", root, *args), capture_output=True, check=True)
    return done.stdout.decode("utf-8", "replace")


def fixes(root: Path, most: int) -> list[Fix]:
    """List the last fixes, the newest first."""
    shown = ("--no-merges", "--no-renames", "--name-only", "--diff-filter=M", "--format=%x01%H%x02%s%x02%b%x03")
    found: list[Fix] = []
    for entry in git(root, "log", "--max-count=12000", *shown).split("\x01")[1:]:
        head, _, names = entry.partition("\x03")
        commit, subject, body = head.split("\x02", 2)
        paths = [name for name in names.split("\n") if name.endswith(".py")]
        code = tuple(path for path in paths if not is_test(path))
        if 1 <= len(code) <= 3 and len(subject.split()) >= 4 and FIXES.search(subject + body):
            found.append(Fix(commit, subject, body, code, tuple(path for path in paths if is_test(path))))
            if len(found) == most:
                break
    return found


def open_tree(root: Path, base: str) -> tuple[Locator, Plain, str]:
    """Get ready for queries of one tree, and say how long it took."""
    repository = Repository(root, root, root, head=base)
    contents, shelf = GitContents(repository), Shelf()
    files = contents.files(base)
    times = [time.perf_counter()]
    Gatherer(contents, shelf, ProcessExecutor()).gather(files)
    times.append(time.perf_counter())
    found = Gatherer(contents, shelf, ProcessExecutor()).gather(files)
    locator = make_locator(contents, files, found, read_past(repository, base))
    times.append(time.perf_counter())
    code = [blob for blob in files if blob.path.endswith(".py") and not is_test(blob.path)]
    read = contents.read([blob.id for blob in code], 1 << 30)
    texts = {blob.path: (text or b"").decode("utf-8", "replace") for blob, (_, text) in zip(code, read, strict=True)}
    size = sum(map(len, texts.values())) / 1e6
    told = f"{len(found.tags)} source files, {len(texts)} of code ({size:.1f} MB)"
    spent = [later - sooner for sooner, later in pairwise(times)]
    return locator, Plain(texts), f"{told}; read in {spent[0]:.2f} s, ready again in {spent[1]:.2f} s"


def added(root: Path, fix: Fix) -> str:
    """Return the lines that a commit adds to tests."""
    told = git(root, "show", "--format=", "--unified=0", fix.commit, "--", *fix.tests) if fix.tests else ""
    lines = told.splitlines()
    return "\n".join(line[1:] for line in lines if line.startswith("+") and not line.startswith("+++"))


def mask(fix: Fix) -> str:
    parts = {part.lower() for path in fix.files for part in re.findall(r"[A-Za-z]+", path)}
    return re.sub(r"[A-Za-z]+", lambda word: "" if word[0].lower() in parts else word[0], fix.subject)


def failing(root: Path, fix: Fix) -> Verdict:
    """Say that the tests which a commit adds or changes fail."""
    told = git(root, "show", "--format=", "--unified=0", fix.commit, "--", *fix.tests) if fix.tests else ""
    cases: list[CaseResult] = []
    path = ""
    for line in told.splitlines():
        path = line.removeprefix("+++ b/") if line.startswith("+++ b/") else path
        name = re.search(r"def (test\w*)", line) if line.startswith(("@@", "+")) else None
        if name and path:
            cases.append(CaseResult(id=f"{path}::{name[1]}", outcome="failed"))
    return Verdict(tree="", results=(CheckResult(check="pytest", rung=Rung.UNIT, status="failed", cases=tuple(cases)),))


def changed(root: Path, fix: Fix) -> set[tuple[str, str]]:
    """Return the definitions of which a commit changes lines, the innermost ones."""
    found: set[tuple[str, str]] = set()
    for path in fix.files:
        symbols = scan(git(root, "show", f"{fix.commit}^:{path}"))
        for hunk in re.finditer(
            r"^@@ -(\d+)", git(root, "diff", "-U0", f"{fix.commit}^", fix.commit, "--", path), re.MULTILINE
        ):
            around = [each for each in symbols if each.line <= int(hunk[1]) <= each.end]
            found.update((path, max(around, key=lambda each: each.line).name) for _ in around[:1])
    return found


@dataclass
class Tally:
    """How often the changed files came how early."""

    asked: int = 0
    all: Counter[int] = None  # type: ignore[assignment]
    any: Counter[int] = None  # type: ignore[assignment]
    seconds: float = 0.0

    def __post_init__(self) -> None:
        self.all, self.any = Counter(), Counter()

    def add(self, wanted: Iterable[str], order: Callable[[], Sequence[str]]) -> None:
        since = time.perf_counter()
        told = order()
        self.seconds += time.perf_counter() - since
        self.asked += 1
        for top in TOPS:
            self.all[top] += all(path in told[:top] for path in wanted)
            self.any[top] += any(path in told[:top] for path in wanted)

    def text(self) -> str:
        asked = max(1, self.asked)
        shares = ("/".join(f"{100 * count[top] / asked:.1f}" for top in TOPS) for count in (self.all, self.any))
        acc, hit = shares
        return f"Acc@1/3/5/10 {acc:22} Hit {hit:22} {1000 * self.seconds / asked:5.1f} ms"


def queries(root: Path, fix: Fix) -> Iterator[tuple[str, str, Verdict, str]]:
    """Yield kind, text, what the checks said and code of the queries that are made of a fix."""
    code = added(root, fix)
    yield "subject", fix.subject, GREEN, ""
    yield "message", f"{fix.subject}\n\n{fix.body}", GREEN, ""
    yield "masked", mask(fix), GREEN, ""
    if code:
        yield "snippet", f"This does not work\n\n```python\n{code}\n```", GREEN, ""
        yield "failing", "", failing(root, fix), code


class Sums:
    """What was counted, by kind of query and way to order."""

    def __init__(self) -> None:
        self.tallies = {(kind, way): Tally() for kind in KINDS for way in range(3)}
        self.asked: Counter[str] = Counter()
        self.met: Counter[str] = Counter()
        """Commits of which a changed definition was told."""


def measure(root: Path, window: Sequence[Fix], sums: Sums) -> None:
    """Ask for the files of some fixes in the tree before the first of them."""
    locator, plain, told = open_tree(root, git(root, "rev-parse", f"{window[-1].commit}^").strip())
    ours = Ours(locator)
    print(f"   {told}")
    for fix in window:
        wanted = [path for path in fix.files if path in locator.index.numbers]
        definitions = changed(root, fix) if wanted else set()
        for kind, text, verdict, code in queries(root, fix) if wanted else ():
            sums.tallies[kind, 0].add(wanted, lambda: plain.order(text or code))  # noqa: B023 - called at once
            sums.tallies[kind, 1].add(wanted, lambda: plain.order(text or code, 2.0))  # noqa: B023
            sums.tallies[kind, 2].add(wanted, lambda: ours.order(text, verdict, code))  # noqa: B023
            if definitions:
                sums.asked[kind] += 1
                sums.met[kind] += not definitions.isdisjoint(ours.names(text, verdict, code))


def show(kind: str, tallies: Sequence[Tally], definitions: float) -> None:
    for name, tally in zip(("BM25", "BM25 + paths", "ours"), tallies, strict=True):
        head = f"{kind:8} n={tally.asked:<4}" if name == "BM25" else f"{'':15}"
        tail = f"  definitions {definitions:.1f}" if name == "ours" else ""
        print(f"   {head} {name:13} {tally.text()}{tail}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--commits", type=int, default=400)
    parser.add_argument("--window", type=int, default=0)
    given = parser.parse_args()
    for root in map(Path.resolve, given.repositories):
        found = fixes(root, given.commits)
        middle = len(found) // 2
        for half, name in ((found[middle:], "older half (weights)"), (found[:middle], "newer half (held out)")):
            print(f"\n{root.parent.name} {name}: {len(half)} fixes")
            sums, size = Sums(), given.window or len(half)
            for start in range(0, len(half), size):
                measure(root, half[start : start + size], sums)
            for kind in KINDS:
                tallies = [sums.tallies[kind, way] for way in range(3)]
                show(kind, tallies, 100 * sums.met[kind] / max(1, sums.asked[kind]))


if __name__ == "__main__":
    main()
