"""The runs of a repository, a line each."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from pydantic import ValidationError

from bot import __version__, core
from bot.core.branches import INDEX, Made
from bot.core.copies import trace_copies
from bot.core.event import Ended, Event, Published, Redone, Resumed, Started, Undone
from bot.core.lineage import follow
from bot.core.report import OutcomeWord
from bot.core.summary import summarize
from bot.core.talk import Planned
from bot.core.task import Record
from bot.errors import UsageError, WorkspaceError
from bot.git.journal import is_live
from bot.git.reach import reached
from bot.git.repository import Repository
from bot.git.results import GitShelf
from bot.git.runs import journals, read_from
from bot.git.trail import Tip, tips

WORTH = 8
"""Runs that have to be read anew before what they came to is put aside."""


class Facts(Record):
    """What a run came to, as far as its record alone tells."""

    outcome: OutcomeWord
    ended: bool
    stop: str
    branch: str
    tip: str
    steps: int
    redo: int
    goal: str
    started: float
    planned: bool = False
    """Whether it is a plan that can be carried out."""
    carries: str = ""
    """The run whose plan it carries out."""
    waits: bool = False
    pr: str = ""
    refused: str = ""
    """What it mends, where that is a commit that a hook refused."""
    staged: bool = False
    """Whether it was staged, to be part of that commit."""
    marks: tuple[Made, ...] = ()
    """The commits that bring the last step that counts, wherever they are, or take it back."""


class RunLine(Record):
    """One run in a list."""

    run: str
    state: str
    """An outcome, or `planned`, `running`, `died` or `unreadable`."""
    stop: str = ""
    """Why it ended, see core.event.Ended."""
    branch: str = ""
    tip: str = ""
    steps: int = 0
    """Steps that count."""
    redo: int = 0
    """Steps that were undone last and can be brought back."""
    goal: str = ""
    started: float = 0.0
    taken: bool = False
    """Whether the steps are part of the current branch."""
    carried: bool = False
    """Whether another run carries out what it planned."""
    waits: bool = False
    """Whether it goes on as soon as a person allows what it asked for."""
    hooked: bool = False
    """Whether it mends a commit that a hook refused."""
    staged: bool = False
    """Whether it was staged, to be part of that commit."""
    past: bool = False
    """Whether the person went on from where that commit was refused."""
    pr: str = ""
    """Address of its pull request."""
    why: str = ""
    """Why a run cannot be read."""


class RunList(Record):
    """The runs of a repository, newest first."""

    runs: tuple[RunLine, ...]
    dirty: bool = False
    branch: str = ""


class _Memo(Record):
    """What runs came to when they were read last, by the object that their refs stood at."""

    facts: Mapping[str, Facts] = {}


def list_lines(repository: Repository) -> RunList:
    """Summarise every run of a repository."""
    lines = tuple(_mark(repository, tuple(_read_all(repository))))
    return RunList(runs=lines, dirty=repository.dirty(), branch=repository.current_branch() or "(detached)")


def _read_all(repository: Repository) -> Iterator[tuple[str, Facts | str]]:
    """Return what each run came to, newest first, or why it cannot be read.

    What a record says is fixed by the object that it is, so that it is read once; what is put aside holds nothing else.
    """
    found, open_ones = tips(repository), frozenset(journals(repository))
    shelf, key = GitShelf(repository), f"runs {_stamp()}"
    known = dict(_recall(shelf, key))
    fresh = 0
    for run in sorted({*found, *open_ones}, reverse=True):
        tip = found.get(run)
        if tip is not None and run not in open_ones and tip.object in known:
            yield run, known[tip.object]
            continue
        facts = _read(repository, run, tip)
        yield run, facts
        if isinstance(facts, Facts) and tip is not None and run not in open_ones:
            known[tip.object] = facts
            fresh += 1
    if fresh >= WORTH:
        present = {tip.object for tip in found.values()}
        memo = _Memo(facts={name: facts for name, facts in known.items() if name in present})
        shelf.put(key, memo.model_dump_json().encode("utf-8", "replace"))


def _recall(shelf: GitShelf, key: str) -> Mapping[str, Facts]:
    try:
        return _Memo.model_validate_json(shelf.get(key) or b"{}").facts
    except ValidationError:
        return {}


def _stamp() -> str:
    """Name the code that makes facts of a record: another version of it may say something else."""
    files = sorted(file for folder in core.__path__ for file in Path(folder).glob("*.py"))
    return " ".join([__version__, *(f"{file.stat().st_mtime_ns}" for file in files)])


def _read(repository: Repository, run: str, tip: Tip | None) -> Facts | str:
    try:
        return gather(read_from(repository, run, tip))
    except (UsageError, WorkspaceError) as error:
        return " ".join(filter(None, (error.message.removeprefix(f"{run}: "), error.hint and f"({error.hint})")))


def gather(events: Sequence[Event]) -> Facts:
    """Fold a run's events into what a list tells of it."""
    told, lineage, copies = summarize(events), follow(events), trace_copies(events)
    last = next((event for event in reversed(events) if isinstance(event, Ended | Started | Resumed)), None)
    return Facts(
        outcome=told.outcome,
        ended=isinstance(last, Ended),
        stop=told.stop,
        branch=told.branch,
        tip=lineage.head,
        steps=len(lineage.live),
        redo=len(lineage.taken[-1]) if lineage.taken else 0,
        goal=told.task.title,
        started=events[0].at,
        planned=told.planning and bool(told.plan),
        carries=next((event.source for event in events if isinstance(event, Planned) and event.source), ""),
        waits=bool(told.waits),
        pr=told.pr,
        refused=told.base if told.task.source.kind == "hook" else "",
        staged=_is_staged(events),
        marks=tuple(made for made in copies.made if lineage.live and made.step == lineage.step),
    )


def _is_staged(events: Sequence[Event]) -> bool:
    """Say whether what counts now was brought into the index last, and not taken back."""
    moves = [event for event in events if isinstance(event, Published | Undone | Redone)]
    places = [place for event in moves for place in event.places if place.ref == INDEX]
    return bool(places) and places[-1].after == follow(events).head != follow(events).base


def _state(facts: Facts) -> str:
    if not facts.ended:
        return "died"
    return "planned" if facts.planned and facts.outcome == "nothing" else facts.outcome


def _mark(repository: Repository, found: Sequence[tuple[str, Facts | str]]) -> Iterator[RunLine]:
    """Add what changes without the record: whether somebody works on a run, and whether its steps were taken."""
    marks = {made.commit for _, facts in found if isinstance(facts, Facts) for made in facts.marks}
    held = reached(repository, marks)
    carried = {facts.carries for _, facts in found if isinstance(facts, Facts)}
    open_ones = _children(repository, {facts.refused for _, facts in found if isinstance(facts, Facts)} - {""})
    for run, facts in found:
        if isinstance(facts, str):
            yield RunLine(run=run, state="unreadable", why=facts)
            continue
        there = [made for made in facts.marks if made.commit in held]
        past = bool(facts.refused) and facts.refused not in open_ones
        yield RunLine(
            run=run,
            state="running" if is_live(repository, run) else _state(facts),
            stop=facts.stop if facts.ended else "",
            branch=facts.branch,
            tip=facts.tip,
            steps=facts.steps,
            redo=facts.redo,
            goal=facts.goal,
            started=facts.started,
            taken=(bool(there) and not there[-1].back) or (facts.staged and past),
            carried=run in carried,
            waits=facts.waits,
            hooked=bool(facts.refused),
            staged=facts.staged,
            past=past,
            pr=facts.pr,
        )


def _children(repository: Repository, commits: Collection[str]) -> Collection[str]:
    """Return those of some commits that would come right after where the person stands."""
    if not commits:
        return ()
    told = repository.shared.ask("rev-list", "--no-walk", "--parents", "--ignore-missing", *commits, "--").output
    rows = (line.split(" ") for line in told.decode("ascii").splitlines())
    return {row[0] for row in rows if (row[1] if row[1:] else "") == repository.head}
