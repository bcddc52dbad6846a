"""The runs that an issue or a pull request has seen: found on the remote, read with distrust, and told of in words."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from bot.app.finished import is_ancestor
from bot.core.copies import trace_copies
from bot.core.escape import line
from bot.core.event import Event, Started, Verified
from bot.core.report import Report, Step
from bot.core.summary import summarize
from bot.core.trailers import parse_trailers
from bot.errors import GitFailed, UsageError, WorkspaceError
from bot.git.claims import refuse_false
from bot.git.remote import Remote, fetch, tips
from bot.git.repository import Repository
from bot.git.runs import is_from_here, read_events
from bot.git.store import open_store
from bot.git.trail import PREFIX, is_run

HEADS = "refs/agent/heads/"
"""Where commits and branches of the remote are kept that were fetched; no branch that is not ours is made or moved."""
FETCHED = "refs/agent/fetched/"
"""Where records of the remote are kept: one that is here may have got further, and is never written over."""
MOST = 8
"""Runs of one page that are read."""
LOOKED = 12
"""Records that are read where nothing but their content tells which page they belong to."""
COMMITS = 500
"""Commits of a branch whose messages are read."""
LONGEST = 6_000
"""Characters of what is told of earlier runs."""
TOLD, EACH = 3, 300
"""Runs that are told of, and characters of one thing that is said of them."""
LISTED = 8
"""Steps, files or cases that are named."""


@dataclass(frozen=True, slots=True)
class Page:
    """An issue or a pull request, as far as runs are looked for by it."""

    number: int
    branch: str = ""
    """The head of a pull request, short, in this repository; empty for an issue."""
    base: str = ""
    """A commit that the pull request is to be merged with, as a full id and here: what that has is no part of it."""
    hints: tuple[str, ...] = ()
    """Runs that our own comment or the pull request names; whoever may edit them may have written others."""


@dataclass(frozen=True, slots=True)
class EarlierRun:
    """A run of before, by its record."""

    run: str
    events: tuple[Event, ...]
    report: Report
    here: bool
    """Whether its commits are on the branch of the page."""
    own: bool
    """Whether its record was made in this very repository, and not fetched into it."""
    doubt: str = ""
    """Why nothing may be done by this record; it can be read all the same."""

    @property
    def ref(self) -> str:
        """Full name of the record's ref."""
        return PREFIX + self.run

    @property
    def began(self) -> float:
        """Seconds since 1970."""
        return self.events[0].at

    @property
    def ended(self) -> float:
        """Seconds since 1970, of the last thing that is on record."""
        return self.events[-1].at


def find_earlier(repository: Repository, remote: Remote, page: Page) -> tuple[EarlierRun, ...]:
    """Fetch the records of a page's runs, and read them; the newest first. Raises GitFailed."""
    known = {name.removeprefix(PREFIX) for name in tips(repository.shared, remote, [f"{PREFIX}*"])}
    claims = _read_claims(repository, remote, page) if page.branch else {}
    named = [run for run in dict.fromkeys((*claims.values(), *page.hints)) if run in known]
    # Ids sort by when they were made; without a name to go by, a few of the newest are looked at
    wanted = named or sorted(known, reverse=True)[:LOOKED]
    wanted = [run for run in wanted if is_run(run)][: max(MOST, LOOKED)]
    bring_records(repository, remote, wanted)
    found = (_read(repository, run, claims) for run in wanted)
    mine = [run for run in found if run is not None and (run.here or is_about(run.events, page.number))]
    return tuple(sorted(mine, key=lambda run: run.run, reverse=True)[:MOST])


def bring_records(repository: Repository, remote: Remote, runs: Sequence[str]) -> None:
    """Fetch records, and with them the commits of their steps. Raises GitFailed, for a record that tells another story.

    A run that the remote does not have is left out.
    """
    names = [PREFIX + run for run in runs if is_run(run)]
    there = tips(repository.shared, remote, names) if names else {}
    if there:
        fetch(repository.shared, remote, [f"+{name}:{FETCHED}{name.removeprefix(PREFIX)}" for name in there])
    store = open_store(repository)
    for name, tip in there.items():
        now = store.read_ref(name)
        if not now:
            store.create_ref(name, tip)
        elif is_ancestor(repository, now, tip):
            store.move_ref(name, tip, now)
        elif not is_ancestor(repository, tip, now):
            text = f"{name} tells another story here than on the remote"
            raise GitFailed(text, "the run was taken up in two places; go on where it was published from")


def bring_branch(repository: Repository, remote: Remote, branch: str) -> str:
    """Fetch a branch to look at it; return where it stands, empty when it is gone. Raises GitFailed."""
    ref = f"refs/heads/{branch}"
    there = tips(repository.shared, remote, [ref]).get(ref, "")
    if there:
        fetch(repository.shared, remote, [f"+{ref}:{HEADS}{branch}"])
    return there


def is_about(events: Sequence[Event], number: int) -> bool:
    """Say whether a run was asked for on an issue or a pull request."""
    first = events[0]
    assert isinstance(first, Started), "a run's first event is Started"
    source = first.task.source
    return source.kind in ("issue", "comment") and source.ref == str(number)


def find_strangers(repository: Repository, runs: Iterable[EarlierRun], tip: str) -> tuple[str, ...]:
    """List the commits up to a tip that are no steps of these runs, newest first; the bases of the runs are no part."""
    sound = [run for run in runs if not run.doubt]
    ours = frozenset[str]().union(*(trace_copies(run.events).commits for run in sound))
    shown = (f"^{run.report.base}" for run in sound)
    told = repository.shared.output("rev-list", f"--max-count={COMMITS}", tip, *shown, "--").decode("ascii").split()
    return tuple(commit for commit in told if commit not in ours)


def _read_claims(repository: Repository, remote: Remote, page: Page) -> Mapping[str, str]:
    """Return which commits of a page's branch claim to be of which run, the newest first."""
    tip = bring_branch(repository, remote, page.branch)
    if not tip:
        return {}
    shown = ("--format=%H%n%B%x00", "--no-show-signature", f"--max-count={COMMITS}", tip)
    told = repository.shared.output("log", *shown, *((f"^{page.base}",) if page.base else ()), "--")
    entries = (entry.strip().partition("\n") for entry in told.decode("utf-8", "replace").split("\0"))
    claims = {commit: parse_trailers(message) for commit, _, message in entries if commit}
    return {commit: claim.run for commit, claim in claims.items() if claim is not None}


def _read(repository: Repository, run: str, claims: Mapping[str, str]) -> EarlierRun | None:
    """Read a record; None where it is none that can be read. What it does not know of is not on the branch by it."""
    try:
        events = read_events(repository, run)
    except (UsageError, WorkspaceError):
        return None
    report, doubt = summarize(events), ""
    try:
        refuse_false(repository, run, report.branch, events)
    except UsageError as error:
        doubt = error.message
    here = any(claims.get(commit) == run for commit in trace_copies(events).commits)
    return EarlierRun(run, events, report, here, is_from_here(repository, run), doubt)


def tell_earlier(runs: Sequence[EarlierRun]) -> str:
    """Tell a model what was asked before, what was tried and what did not work; bounded, newest first."""
    parts = ["\n".join(_tell(run)) for run in runs[:TOLD]]
    if len(runs) > TOLD:
        parts.append(f"{len(runs) - TOLD} earlier ones are left out.")
    text = "\n\n".join(parts)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} …"


def _tell(earlier: EarlierRun) -> Iterator[str]:
    report = earlier.report
    yield f"Run {report.run} was asked: {_cut(report.task.goal) or 'to mend what fails'}"
    yield f"It ended ({report.stop}): {report.outcome}. {_cut(report.detail)}".rstrip()
    yield from (f"- {_tell_step(step)}" for step in report.steps[-LISTED:])
    yield from (f"- waits for approval: it {_cut(question.why)}" for question in report.waits)
    yield from (f"- {_cut(text)}" for text in report.findings[:LISTED])
    if failed := _last_failure(earlier.events):
        yield f"- a change was tried that did not hold: {failed}"


def _tell_step(step: Step) -> str:
    named = ", ".join(file.path for file in step.files[:LISTED])
    files = f" (changed {_cut(named)})" if named else ""
    if not step.commit:
        return f"{_cut(step.subject)}{files}"
    return f"step {step.number}{', taken back since' if step.undone else ''}: {_cut(step.subject)}{files}"


def _last_failure(events: Sequence[Event]) -> str:
    judged = (event for event in reversed(events) if isinstance(event, Verified))
    last = next(judged, None)
    if last is None or last.verdict.ok:
        return ""
    compared = last.verdict.comparison
    worse = [*compared.broken, *compared.removed, *compared.prevented]
    return _cut(", ".join(worse[:LISTED])) or "a check did not pass"


def _cut(text: str) -> str:
    return line(text.strip(), EACH)
