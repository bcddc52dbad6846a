"""What is proved of real fixes: commits of a project's own history that change its code and its tests together.

    python benchmarks/history.py FOLDER [--only NAME,NAME] [--commits N] [--words REGEX] [--since DATE] [--sha SHA]

FOLDER holds the checkouts that checkouts.py makes. Each commit is held against its parent as `git agent verify` does.
Then the fix is reverted: only the tests of the commit on its parent. Every case of the proof must fail there in a run
of all tests that knows nothing of the proof, and the verdict on that tree must not be good.
"""

import argparse
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from checkouts import Project, git, here, read_projects
from damage import beside
from ours import Ours, finish, open_ours

from bot.core.check import CaseResult, Check, Rung, Verdict
from bot.core.evidence import is_configuration, is_test
from bot.core.proof import Proof
from bot.git.audit import changes
from bot.verify.proof import Prover

FIXES = r"\b(fix|fixe[sd]|fixing|bug|crash|wrong|incorrect|regression|broken)\b"
TESTS = (Rung.UNIT, Rung.INTEGRATION)


@dataclass(frozen=True)
class Row:
    """What became of one commit."""

    project: str
    commit: str
    subject: str
    proof: Proof
    ok: bool
    """Whether the verdict on the commit is good."""
    against: str
    """What speaks against the commit, when it is not."""
    red: tuple[str, ...]
    """Cases that pass with the commit and fail with its fix reverted, by a run of everything."""
    wrong: tuple[str, ...]
    """Cases of the proof that do not fail there."""
    fooled: bool
    """Whether the reverted fix gets a good verdict although a test fails on it."""
    seconds: float
    why: str = ""

    @property
    def provable(self) -> bool:
        return bool(self.proof.green)


def commits(root: Path, words: str, since: str) -> Iterator[tuple[str, str]]:
    """Yield commits that change code and tests together and whose subject says that they mend, newest first."""
    told = git(
        root, "log", "--no-merges", "--no-renames", f"--since={since}", "--name-only", "--format=%x01%H%x02%s%x03"
    )
    for entry in told.split("\x01")[1:]:
        commit, _, rest = entry.partition("\x02")
        subject, _, names = rest.partition("\x03")
        paths = [name for name in names.split("\n") if name.endswith(".py")]
        tests = [path for path in paths if is_test(path)]
        code = [path for path in paths if not is_test(path) and not is_configuration(path) and not beside(path)]
        if tests and code and re.search(words, subject, re.IGNORECASE) and not subject.startswith("[pre-commit.ci]"):
            yield commit, subject


def examine(project: Project, commit: str, subject: str) -> Row:
    """Hold one commit against its parent, then revert its fix."""
    since = time.perf_counter()
    with open_ours(project.root, commit) as whole:
        opened = replace(whole, ladder=replace(whole.ladder, checks=_tests_of(whole)))
        base, tip = opened.tree(f"{commit}^"), opened.tree(commit)
        before = opened.judge(base).verdict
        after = opened.judge(tip, before).verdict
        files = changes(opened.desk.repository, base, tip).files
        proof = finish(Prover(opened.ladder, opened.snapshots).prove(before, after, files)).proof
        tests = tuple(file.path for file in files if is_test(file.path))
        reverted = opened.judge(opened.compose(base, tip, tests), before).verdict
    good = {case.id for case in _cases(after) if case.outcome == "passed"}
    told = {case.id: case for case in _cases(reverted)}
    red = tuple(sorted(name for name in good if name in told and told[name].bad))
    wrong = tuple(name for name in proof.green if name not in told or not told[name].bad)
    gone = tuple(name for name in wrong if name not in told and _unloaded(name, told))
    return Row(
        project=project.name,
        commit=commit,
        subject=subject,
        proof=proof,
        ok=after.ok,
        against="" if after.ok else _blame(after),
        red=red,
        wrong=tuple(name for name in wrong if name not in gone),
        fooled=bool(red) and reverted.ok,
        seconds=time.perf_counter() - since,
        why=_explain(before, after, told),
    )


def _tests_of(opened: Ours) -> tuple[Check, ...]:
    return tuple(check for check in opened.ladder.checks if check.rung in TESTS)


def _cases(verdict: Verdict) -> Iterator[CaseResult]:
    for result in verdict.results:
        yield from result.cases


def _blame(after: Verdict) -> str:
    told = after.comparison
    parts = {"broken": told.broken, "removed": told.removed, "prevented": told.prevented, "unjudged": told.unjudged}
    errored = (f"{result.check}: {result.summary[:120]}" for result in after.results if result.status == "errored")
    return "; ".join((*errored, *(f"{len(names)} {word}: {names[0]}" for word, names in parts.items() if names)))


def _unloaded(name: str, told: Mapping[str, CaseResult]) -> bool:
    """Tell whether the file of a test could not even be read."""
    file = name.partition("::")[0]
    return file in told and told[file].bad


def _explain(before: Verdict, after: Verdict, told: Mapping[str, CaseResult]) -> str:
    """Say what stood in the way of a proof, as far as the runs show it."""
    for title, verdict in (("parent", before), ("commit", after)):
        for result in verdict.results:
            if result.status == "errored":
                return f"no evidence on the {title}: {result.summary[:160]}"
    unloaded = [case for case in told.values() if case.bad and "::" not in case.id]
    if unloaded:
        return f"with the fix reverted {unloaded[0].id} cannot be loaded: {unloaded[0].message.strip()[-160:]}"
    return ""


def show(row: Row) -> None:
    """Print one commit."""
    proof = row.proof
    word = f"{proof.mode} {len(proof.green)}" if row.provable else f"none: {proof.reason[:140]}"
    tail = (
        f"red {len(row.red)}" + (f", NOT RED {row.wrong[:3]}" if row.wrong else "") + (", FOOLED" if row.fooled else "")
    )
    print(f"{row.project:14} {row.commit[:10]} {row.seconds:6.1f} s {'ok ' if row.ok else 'BAD'} {tail:10} {word}")
    print(f"{'':14} {row.subject[:100]}")
    if row.against:
        print(f"{'':14} AGAINST {row.against}")
    if not row.provable and row.why:
        print(f"{'':14} {' '.join(row.why.split())}")
    for red in proof.shown[:1]:
        print(f"{'':14} {red.id[:90]}: {red.error}: {' '.join(red.message.split())[:90]}", flush=True)


def summarise(rows: Sequence[Row]) -> None:
    """Print what all commits come to."""
    provable = [row for row in rows if row.provable]
    print(f"\n{len(rows)} commits, {len(provable)} proved: {dict(Counter(row.proof.mode for row in provable))}")
    print(f"with the fix reverted: {sum(not row.wrong for row in provable)} of {len(provable)} proofs turn red in full")
    print(f"reverted fixes with a failing test that get a good verdict: {sum(row.fooled for row in rows)}")
    missed = [row for row in rows if row.red and not row.provable]
    print(f"commits with a failing test that are not proved: {len(missed)}")
    print(f"commits that get a bad verdict: {sum(not row.ok for row in rows)}")
    for reason, count in Counter(row.proof.reason[:100] for row in rows if not row.provable).most_common():
        print(f"  {count:3} not proved: {reason}")


def main() -> None:
    """Go through every project."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--commits", type=int, default=4, help="for each project")
    parser.add_argument("--words", default=FIXES)
    parser.add_argument("--since", default="2022-01-01")
    parser.add_argument("--sha", default="", help="this one alone")
    options = parser.parse_args()
    rows: list[Row] = []
    for project in here(read_projects(options.folder, tuple(filter(None, options.only.split(","))))):
        found = list(commits(project.root, options.words, options.since))
        chosen = (
            [pair for pair in found if pair[0].startswith(options.sha)] if options.sha else found[: options.commits]
        )
        for commit, subject in chosen:
            rows.append(examine(project, commit, subject))
            show(rows[-1])
    summarise(rows)


if __name__ == "__main__":
    main()
