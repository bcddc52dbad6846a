"""Which commits a person means."""

from dataclasses import dataclass, replace
from typing import NamedTuple

from bot.core.summary import summarize
from bot.errors import UsageError
from bot.git.pull import fetch_pull, read_request
from bot.git.repository import Repository
from bot.git.runs import list_runs, read_all, read_events

SHORT = 10


class Listed(NamedTuple):
    """A commit and its parents."""

    commit: str
    parents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Target:
    """Commits to prove, each held against the one before it."""

    words: str
    base: str
    """The commit that they start from; empty for a history's very beginning."""
    commits: tuple[Listed, ...]
    """Oldest first, along first parents."""
    notes: tuple[str, ...] = ()
    foreign: bool = False
    """Whether they come from elsewhere."""

    @property
    def tip(self) -> str:
        """The last of them."""
        return self.commits[-1].commit


class _Range(NamedTuple):
    """Where to start, unless at the very beginning, and where to end."""

    words: str
    base: str
    tip: str
    foreign: bool = False


def find_target(repository: Repository, what: str, *, root: bool = False, tip: bool = False) -> Target:
    """Turn `A..B`, a run, a branch or a pull request into commits. Raises UsageError.

    `root` starts from the very first commit of what is named; `tip` leaves out all commits but the last.
    """
    named = _Range(what, "", repository.resolve(what)) if root and ".." not in what else _find(repository, what)
    target = _list(repository, named, root=root)
    return replace(target, commits=target.commits[-1:]) if tip else target


def _find(repository: Repository, what: str) -> _Range:
    old, dots, new = what.partition("..")
    if dots and not what.startswith(("http://", "https://")):
        if new.startswith("."):
            raise UsageError(f"not a range: {what!r}", "write A..B")
        return _Range(what, repository.resolve(old or "HEAD"), repository.resolve(new or "HEAD"))
    asked = read_request(what)
    if asked is not None and repository.git.ask("show-ref", "--verify", "--quiet", f"refs/heads/{what}").code:
        pull = fetch_pull(repository, asked)
        words = f"pull request {pull.number} of {pull.remote}, against its {pull.branch}"
        return _Range(words, pull.base, pull.tip, foreign=True)
    runs = [run for run in list_runs(repository) if what and run.startswith(what)]
    if len(runs) == 1:
        told = summarize(read_events(repository, runs[0]))
        if told.tip == told.base:
            raise UsageError(f"{runs[0]} has no commit to prove")
        return _Range(f"run {runs[0]}", told.base, told.tip)
    return _branch(repository, what)


def _branch(repository: Repository, what: str) -> _Range:
    tip = repository.resolve(what)
    told = [summarize(events) for _, events in read_all(repository) if events]
    base = next((report.base for report in told if report.tip == tip and report.base != tip), None)
    if base is not None:
        return _Range(what, base, tip)
    answer = repository.git.ask("merge-base", "HEAD", tip)
    base = answer.output.decode().strip()
    if base == tip:
        raise UsageError(f"{what} holds no commit that HEAD lacks", f"name a range, for example {what}~1..{what}")
    if not base:
        raise UsageError(f"{what} has no commit in common with HEAD here", _deeper(repository) or "write A..B")
    return _Range(what, base, tip)


def _list(repository: Repository, named: _Range, *, root: bool) -> Target:
    """List the commits and find what the oldest of them starts from. Raises UsageError."""
    span = (f"^{named.base}", named.tip) if named.base else (named.tip,)
    told = repository.git.output("rev-list", "--reverse", "--first-parent", "--parents", *span).decode()
    listed = [Listed(commit, tuple(parents)) for commit, *parents in map(str.split, told.splitlines())]
    if not listed:
        raise UsageError(f"there is no commit in {named.base[:SHORT]}..{named.tip[:SHORT]}")
    first = listed[0]
    if not first.parents:
        if first.commit in _boundary(repository):
            raise UsageError(f"history ends at {first.commit[:SHORT]} here: the clone is shallow", _deeper(repository))
        if not root:
            text = f"{first.commit[:SHORT]} is a very first commit, with nothing before it to hold it against"
            raise UsageError(text, "--root holds it against an empty tree")
    base = first.parents[0] if first.parents else ""
    moved = base and named.base and base != named.base
    notes = (f"held against {base[:SHORT]}, where these commits leave {named.base[:SHORT]}",) if moved else ()
    return Target(named.words, base, tuple(listed), notes, named.foreign)


def _boundary(repository: Repository) -> frozenset[str]:
    """Name the commits whose parents were left out of a shallow clone."""
    try:
        return frozenset((repository.common_dir / "shallow").read_text(encoding="ascii").split())
    except (OSError, UnicodeDecodeError):
        return frozenset()


def _deeper(repository: Repository) -> str:
    return "git fetch --unshallow brings the rest" if _boundary(repository) else ""
