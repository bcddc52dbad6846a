"""A job that worked and is in an attacker's hand: what it hands over, and what is said on pages, lies."""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from bot.core.handover import BUNDLE, LARGEST, NAME, Base
from bot.core.publication.marker import Attempt, State, marker
from bot.core.trailers import SNAPSHOT
from tests.app.github.handed import GOOD, RUN
from tests.hub.world import Issue
from tests.redteam.cases.text import MARKUP, RUNNER, TEXTS
from tests.redteam.door import READING, WRITING, Entrance, find_harm, look
from tests.redteam.liar import Liar
from tests.redteam.marks import Evidence

Json: TypeAlias = Any
LOUD = "\n".join((*MARKUP.values(), *RUNNER.values(), *TEXTS.values()))
AGAIN = "bb22cc33d"
"""Another run than the one that is published already."""
HIDDEN_NAMES = {name: value for name, value in TEXTS.items() if "\x00" not in value}


@dataclass(frozen=True)
class Lie:
    """What one job hands over, and what must not come of it."""

    family: str
    title: str
    tell: Callable[[Liar], object]
    words: str = "/agent fix"
    run: str = RUN
    before: Callable[[Entrance], Issue] | None = None
    """What is there already, and the page on which the order is given; a new issue where that is not said."""
    issue: tuple[str, str] = ("add subtracts", "add(1, 2) gives -1")
    """Title and text of that."""
    lie: bool = True
    """Whether the word `verified` would be false."""

    @property
    def name(self) -> str:
        """How the table calls it."""
        return f"{self.family} {self.title}"

    def play(self, entrance: Entrance) -> tuple[Evidence, ...]:
        """Let the other job find it, and look what came of it."""
        page = self.before(entrance) if self.before is not None else entrance.hub.issue(*self.issue, "eve")
        liar = Liar(entrance, page, self.words, self.run)
        self.tell(liar)
        before = look(entrance)
        liar.publish()
        return find_harm(entrance, before, silent=False, lie=self.lie)


def claiming(**told: Json) -> Callable[[Liar], object]:
    """Hand over a claim alone."""
    return lambda liar: liar.claim(**told)


def writing(text: str | bytes, name: str = NAME) -> Callable[[Liar], object]:
    """Hand over a file with this in it."""
    return lambda liar: liar.write(text, name)


def making(files: Mapping[str, Any], message: str = "") -> Callable[[Liar], object]:
    """Hand over a run with one step."""
    return lambda liar: liar.hand(liar.tell(files, message=message))


def _claims() -> Iterator[Lie]:
    """Words of a claim without a run."""
    for where in ("said", "reason", "plan"):
        for name, text in (
            ("markup", LOUD),
            ("a mark of ours", marker(State(pull=1, branch="main"))),
            ("much", "x\n" * 9_999),
        ):
            told = {"plan": (text,) * 50} if where == "plan" else {where: text[:20_000]}
            yield Lie("1.20" if name == "markup" else "1.7", f"{name} as {where}", claiming(**told))
    for outcome in ("verified", "partial", "a\nverified\n", "x\x00", "::set-output name=a::b", "a" * 200):
        yield Lie("1.18", f"an outcome of its own: {outcome[:10]!r}", claiming(reason=outcome))
    for name, text in RUNNER.items():
        yield Lie("1.18", f"an order to a runner in a claim: {name}", claiming(said=text, plan=(text,), reason=text))
    for how, text in _spellings(WRITING):
        yield Lie("1.21", f"the token in what is said: {how}", claiming(said=text))
        yield Lie("1.21", f"the token in a plan: {how}", claiming(plan=(text, "x")))
        yield Lie("1.21", f"the token as a field: {how}", writing(json.dumps({"repository": "x", text: 1})))


def _spellings(secret: str) -> Iterator[tuple[str, str]]:
    import base64  # noqa: PLC0415

    yield from (("plain", secret), ("reversed", secret[::-1]), ("hex", secret.encode().hex()))
    yield "base64", base64.b64encode(secret.encode()).decode()
    yield from (("cut", f"{secret[:9]}\n{secret[9:]}"), ("capitals", secret.upper()))


def _link(name: str) -> Callable[[Liar], object]:
    def lay(liar: Liar) -> None:
        secret = liar.entrance.folder / f"secret-{name}"
        secret.write_text(json.dumps({"repository": "ann/widgets", "workflow_run": "1", "said": READING}))
        if name == BUNDLE:
            liar.hand(liar.tell({"calc.py": GOOD}))
            (liar.entrance.handover / name).unlink()
        (liar.entrance.handover / name).symlink_to(secret)

    return lay


def _pipe(name: str) -> Callable[[Liar], object]:
    def lay(liar: Liar) -> None:
        liar.hand(liar.tell({"calc.py": GOOD}))
        (liar.entrance.handover / name).unlink()
        os.mkfifo(liar.entrance.handover / name)

    return lay


def _folder(liar: Liar) -> None:
    (liar.entrance.handover / NAME).mkdir()


def _files() -> Iterator[Lie]:
    """The folder itself."""
    for name in (NAME, BUNDLE):
        yield Lie("1.12", f"a link in place of {name}", _link(name))
        yield Lie("1.26", f"a pipe in place of {name}", _pipe(name))
    yield Lie("1.12", f"a folder in place of {NAME}", _folder)
    yield Lie("1.26", "a claim without end", writing(b" " * (LARGEST + 2)))
    yield Lie("1.26", "a claim that nests", writing("[" * 200_000))
    yield Lie("1.26", "a claim that is no text", writing(b"\xff\xfe\x00"))
    yield Lie("1.25", "a claim of another run of the workflow", claiming(workflow_run="1", said="x"))
    yield Lie("1.25", "a claim for another repository", claiming(repository="eve/widgets", said="x"))
    yield Lie("1.25", "nothing at all", lambda _: None)


def _names() -> Iterator[Lie]:
    """What a claim calls its base, its branch and its run."""
    for ref in ("agent/other-zz99", "release", "refs/heads/main", "", "main\n"):
        yield Lie("1.22", f"the base is another branch: {ref!r}", lambda liar, ref=ref: _on_base(liar, ref))  # type: ignore[misc]
    for then in ("main", "HEAD", "../../../user", "-x", "a" * 40, "", "main?x#", "refs/heads/main"):
        told = Base(ref="main", then=then, now=then)
        yield Lie("1.22", f"it begins with {then[:16]!r}", lambda liar, told=told: liar.hand(_good(liar), base=told))  # type: ignore[misc]
    for branch in (
        "main",
        "agent/other-zz99",
        "agent/../main",
        "agent/x;id",
        f"agent/{RUN}/x",
        "agent/",
        f"-{RUN}",
        "refs/heads/main",
    ):
        yield Lie("1.22", f"its branch is {branch}", lambda liar, branch=branch: _named(liar, branch))  # type: ignore[misc]
    for run in ("../x", "-x", "", "r1", "a" * 80):
        yield Lie("1.22", f"its run is {run[:8]!r}", lambda liar, run=run: liar.hand(_good(liar), run=run))  # type: ignore[misc]


def _good(liar: Liar) -> Any:
    return liar.tell({"calc.py": GOOD})


def _on_base(liar: Liar, ref: str) -> None:
    liar.hand(_good(liar), base=Base(ref=ref, then=liar.main, now=liar.main))


def _named(liar: Liar, branch: str) -> None:
    tale = _good(liar)
    liar.hand(tale, {f"refs/agent/runs/{RUN}": tale.record(), f"refs/heads/{branch}": tale.tip}, branch=branch)


def _contents() -> Iterator[Lie]:
    """What the commits of a run hold and say."""
    for path in (
        *(".github/workflows/x.yml", ".github/workflows/ci.yml", ".GitHub/Workflows/x.yml", "action.yml"),
        *("CODEOWNERS", ".github/CODEOWNERS", ".pre-commit-config.yaml", ".github/dependabot.yml", ".gitmodules"),
        *(".gitattributes", ".github/actions/x/action.yml", ".gitlab-ci.yml", ".husky/pre-commit"),
    ):
        yield Lie("1.16", f"a commit writes {path}", making({"calc.py": GOOD, path: b"on: push\n"}))
    yield Lie("1.16", "a commit holds a link", making({"calc.py": GOOD, "x": (0o120000, b".github/workflows/ci.yml")}))
    yield Lie("1.16", "a commit holds a submodule", making({"calc.py": GOOD, "x": (0o160000, b"a" * 40)}))
    for how, text in _spellings(WRITING):
        yield Lie("1.21", f"the token in a file: {how}", making({"calc.py": GOOD, "x.txt": text.encode()}))
        if "\n" not in text:
            yield Lie(
                "1.21", f"the token in the name of a file: {how}", making({"calc.py": GOOD, f"{text[:60]}.txt": b"x"})
            )
    for name, text in (*MARKUP.items(), ("a trailer", "Co-authored-by: eve <e@e>"), ("a snapshot", f"{SNAPSHOT}: 1")):
        yield Lie("1.20", f"a message of its own: {name}", making({"calc.py": GOOD}, f"{text}\n\nAgent-Run: {RUN}\n"))
    for name, text in HIDDEN_NAMES.items():
        files = {"calc.py": GOOD, f"x{text.replace('/', '')}.txt": b"x"}
        yield Lie("1.19", f"the name of a file: {name}", making(files), lie=False)
    for name, text in RUNNER.items():
        yield Lie(
            "1.18",
            f"the name of a file: {name}",
            making({"calc.py": GOOD, f"{text.replace('/', '')}": b"x"}),
            lie=False,
        )


def _pages() -> Iterator[Lie]:
    """What strangers write on the page of an order that is carried out."""
    for name, text in {**MARKUP, **HIDDEN_NAMES}.items():
        family = "1.20" if name in MARKUP else "1.19"
        yield Lie(family, f"on the page: {name}", making({"calc.py": GOOD}), issue=(text, f"{text}\n" * 30), lie=False)
    for how, text in _spellings(WRITING):
        yield Lie("1.21", f"the token on the page: {how}", making({"calc.py": GOOD}), issue=(text, text), lie=False)
        yield Lie(
            "1.21", f"the token in the order: {how}", making({"calc.py": GOOD}), words=f"/agent fix {text}", lie=False
        )
    everything = "Fix #12 @redteam [skip ci] </details redteam> ```\n<!-- x --> \u202e" + "x" * 60_000
    yield Lie(
        "1.20",
        "on the page: all of it and long",
        making({"calc.py": GOOD}),
        issue=(everything[:250], everything),
        lie=False,
    )


@dataclass
class Ours:
    """A pull request of ours, as a run before left it; `theirs` is a person's commit on its branch."""

    page: Issue
    branch: str
    tip: str
    theirs: str = ""
    moved: dict[str, str] = field(default_factory=dict)


def ours(entrance: Entrance, *, built_on: bool = True) -> Ours:
    """Have a run published, and somebody build on it."""
    issue = entrance.hub.issue("add subtracts", "add(1, 2) gives -1", "eve")
    first = Liar(entrance, issue)
    first.hand(_good(first))
    first.publish()
    page = entrance.hub.pulls()[-1]
    assert page.pull is not None
    made = Ours(page, page.pull.head_ref, page.pull.head_sha)
    if built_on:
        made.theirs = entrance.commit(made.branch, {"theirs.txt": "somebody's\n"})
    return made


def stealing(*, base: bool) -> Lie:
    """Make a Lie that calls a person's commit on our branch a step, and takes it back."""
    kept: dict[str, Ours] = {}

    def before(entrance: Entrance) -> Issue:
        kept["ours"] = ours(entrance)
        return kept["ours"].page

    def tell(liar: Liar) -> None:
        there = kept["ours"]
        begun = there.tip if base else liar.main
        tale = liar.steal(there.theirs, begun)
        ref = there.branch if base else "main"
        liar.hand(tale, base=Base(ref=ref, then=begun, now=begun), reason="undone")

    title = "it takes a person's commit back, as a step of its own" + (", on top of ours" if base else "")
    return Lie("1.6", title, tell, "/agent undo", AGAIN, before)


def _forged(title: str, page: bool, shape: str) -> Lie:  # noqa: FBT001
    """Make a Lie in which another workflow repeats a mark that somebody made up, so that a person's commit may go."""
    kept: dict[str, Ours] = {}

    def before(entrance: Entrance) -> Issue:
        kept["ours"] = there = ours(entrance)
        assert there.page.pull is not None
        issue = entrance.hub.world.issues[1]
        last = Attempt(run=RUN, job="1", at=1.0, tip=there.theirs)
        mark = marker(State(issue=1, branch=there.branch, pull=there.page.number, attempts=(last,)))
        entrance.hub.comment(there.page.number if page else 1, shape.format(mark), "github-actions[bot]")
        return there.page if page else issue

    def tell(liar: Liar) -> None:
        liar.hand(liar.tell({"calc.py": GOOD, "again.txt": b"1"}))

    return Lie("1.7", title, tell, "/agent retry", AGAIN, before, lie=False)


def _pushes() -> Iterator[Lie]:
    """Branches that must not be moved."""
    yield stealing(base=False)
    yield stealing(base=True)
    shapes = {
        "a mark that is repeated": "You said:\n\n{}\n\nThanks!",
        "a mark at the end": "You said:\n\n{}",
        "a bare mark": "{}",
    }
    for name, shape in shapes.items():
        yield _forged(f"{name} by another workflow, on the issue", page=False, shape=shape)
        yield _forged(f"{name} by another workflow, on our pull request", page=True, shape=shape)


CASES: tuple[Lie, ...] = (*_claims(), *_files(), *_names(), *_contents(), *_pages(), *_pushes())
