"""What has to be asked before it is done, and who answers."""

import re
import shlex
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace

from bot.core.allowance import find_answer, since_step
from bot.core.approval import Decision, Question, Refusal
from bot.core.change import ChangeSet, FileChange
from bot.core.event import Acted, Decided, Ended, Event
from bot.core.message import ToolCall
from bot.core.policy import judge_command
from bot.core.redact import Redactor
from bot.errors import ToolError
from bot.protocols import Approver
from bot.tools import paths
from bot.tools.command import RUN_COMMAND, resolve
from bot.tools.patch import deletions, renames
from bot.tools.tool import Bench

MOST_SHOWN = 100_000
"""Characters that somebody may be asked to look through."""
NAMED = 5
_IDS = re.compile(r"^index [0-9a-f]+\.\.[0-9a-f]+.*\n", re.MULTILINE)
"""What of a diff tells a person nothing; lines of content begin with a sign."""
_DELETES = re.compile(r"deletes (?:the file (?P<one>.+)|[0-9,]+ files: (?P<several>.+))", re.DOTALL)


STOPPED = "the run was stopped here"
WAITS = "needs_human"


@dataclass(frozen=True, slots=True)
class Permit:
    """What became of the question about one call."""

    bench: Bench
    """What the call is executed with."""
    refused: str = ""
    """Why it is not executed."""
    end: Ended | None = None
    """Set where somebody stopped the run, or has to answer first."""

    @property
    def held(self) -> bool:
        """Whether the call waits for an answer: it is neither executed nor refused."""
        return self.end is not None and self.end.stop == WAITS


@dataclass(frozen=True, slots=True)
class Asking:
    """Answers questions by what was answered before, else by whoever answers for the run."""

    approver: Approver
    redactor: Redactor
    log: Sequence[Event]
    foreign: int = 0
    """How many of the first events nothing tells to be of ours: what they allow does not count."""

    def decide(
        self, call_id: str, question: Question, *, whole: bool = False, tree: str = ""
    ) -> Generator[Event, None, Decision]:
        """Decide, and tell of it; `whole` is whether all that changed is asked about, and not a call.

        `tree` holds the files as they are.
        """
        words = {name: self.redactor.text(getattr(question, name)) for name in ("subject", "why", "shown")}
        asked = question.model_copy(update=words)
        past = find_answer(self.log[self.foreign :], asked, call_id, whole=whole, tree=tree)
        if past is not None:
            decision = past.model_copy(update={"question": asked, "by": "earlier"})
        else:
            decision = self.approver.answer(asked)
        if decision.answer == "wait":
            decision = decision.model_copy(update={"tree": tree})
        yield Decided(call_id=call_id, decision=decision)
        return decision

    def permit(self, call: ToolCall, bench: Bench) -> Generator[Event, None, Permit]:
        """Ask about a call where that has to be."""
        asked = question(call, bench)
        if asked is None:
            return Permit(bench)
        decision = yield from self.decide(call.id, asked, tree=bench.workspace.tree())
        if decision.answer == "stop":
            return Permit(bench, STOPPED, stop(f"call {asked.why}"))
        if decision.answer == "wait":
            return Permit(bench, STOPPED, wait(f"call {asked.why}"))
        if not decision.allowed:
            return Permit(bench, f"not approved: {asked.why}")
        return Permit(replace(bench, allowed=frozenset({asked.subject})))


def stop(where: str) -> Ended:
    """End a run as a person wished."""
    return Ended(stop="denied", detail=f"a person stopped the run where the next {where}")


def wait(where: str) -> Ended:
    """End a run until a person has allowed what it is about to do."""
    return Ended(stop=WAITS, detail=f"waits for approval: the next {where}")


def question(call: ToolCall, bench: Bench) -> Question | None:
    """Return what somebody should be asked before a call is executed; None where a call is harmless, or in vain."""
    match call.name:
        case "delete_file":
            return _ask_deletion([str(call.arguments.get("path", ""))], bench)
        case "apply_patch":
            return _ask_deletion(deletions(str(call.arguments.get("patch", ""))), bench)
        case "run_command":
            return _ask_command(call, bench)
        case _:
            return None


def _ask_deletion(named: Sequence[str], bench: Bench) -> Question | None:
    """Ask about files of the base; what the run made itself it may take away."""
    gone = [path for name in named if (path := _of_base(name, bench))]
    return _deleting(gone) if gone else None


def _of_base(name: str, bench: Bench) -> str:
    """Return a path as a change tells it, where the base has it; else nothing."""
    try:
        path = paths.entry(bench.workspace, name).name
    except ToolError:
        return ""
    return path if bench.workspace.read(bench.task.base, path) is not None else ""


def find_doomed(question: Question) -> frozenset[str]:
    """Name the files that a question about a call would have deleted; none for a question about something else."""
    found = _DELETES.fullmatch(question.why) if question.risk == "delete" else None
    if found is None:
        return frozenset()
    if question.shown:
        return frozenset(question.shown.split("\n"))
    return frozenset([found["one"]] if found["one"] else found["several"].split(", "))


def _deleting(gone: Sequence[str], how: str = "") -> Question:
    more = f" and {len(gone) - NAMED:,} more" if len(gone) > NAMED else ""
    noun = "the file" if len(gone) == 1 else f"{len(gone):,} files:"
    return Question(
        risk="delete",
        subject="",
        why=f"deletes {noun} {', '.join(gone[:NAMED])}{more}{how}",
        shown="\n".join(gone) if more else "",
    )


def _ask_command(call: ToolCall, bench: Bench) -> Question | None:
    try:
        argv = RUN_COMMAND.parse(call).argv
        refusal = judge_command(argv, bench.task.scope)
        if refusal is None or refusal.risk is None:
            return None
        resolve(argv, bench.ladder.interpreter, bench.workspace)
    except ToolError:
        return None
    why = f"runs {argv[0]}, which is not on the list of programs, with {bench.executor.isolation} isolation"
    return Question(risk=refusal.risk, subject=refusal.subject, why=why, shown=shlex.join(argv))


def about_change(
    change: ChangeSet, found: Sequence[Refusal], log: Sequence[Event], read: Callable[[str], bytes | None]
) -> Iterator[Question]:
    """Ask what somebody may allow of a change, all of what is found against it; `read` gives files of the base."""
    gone = [path for path in unasked(change.files, log) if read(path) is not None]
    if gone:
        yield _deleting(gone, " by a command, or by way of another place")
    guarded = [refusal for refusal in found if refusal.risk == "protected"]
    if guarded:
        named = tuple(dict.fromkeys(refusal.subject for refusal in guarded))
        why = f"changes {_list([refusal.text.rpartition('; ')[0] for refusal in guarded])}"
        yield Question(risk="protected", subject="\n".join(named), why=why, shown=cut(sections(change.patch, named)))
    large = [refusal.text.partition(": take back")[0] for refusal in found if refusal.risk == "size"]
    if large:
        yield Question(risk="size", subject="", why=f"is large: {_list(large)}", shown=cut(stat(change.files)))


def unasked(files: Sequence[FileChange], log: Sequence[Event]) -> tuple[str, ...]:
    """List the files that a change takes away although nobody was asked, and that did not go to another place."""
    asked, places = _told_of(since_step(log))
    there = {file.path for file in files if file.kind != "deleted"}
    gone = (file.path for file in files if file.kind == "deleted" and file.path not in asked)
    return tuple(path for path in gone if places.get(path) not in there)


def _told_of(events: Sequence[Event]) -> tuple[set[str], dict[str, str]]:
    """Collect the files that somebody let a call delete, and where others went."""
    asked, places, allowed = set[str](), dict[str, str](), set[str]()
    for event in events:
        if isinstance(event, Decided) and event.decision.question.risk == "delete" and event.decision.allowed:
            allowed.add(event.call_id)
        if not isinstance(event, Acted):
            continue
        if event.result.ok:
            asked.update(_deletes(event) if event.call.id in allowed else ())
            for source, target in _moves(event):
                origin = next((first for first, last in places.items() if last == source), source)
                places[origin] = target
        # Ids are the model's own: another call may have the same one
        allowed.discard(event.call.id)
    return asked, places


def _deletes(event: Acted) -> Iterator[str]:
    named = deletions(str(event.call.arguments.get("patch", ""))) if event.call.name == "apply_patch" else None
    for edit in event.result.metadata.edits:
        if event.call.name == "delete_file" or (named is not None and edit.path in named):
            yield edit.path


def _moves(event: Acted) -> Iterator[tuple[str, str]]:
    edits = event.result.metadata.edits
    if event.call.name == "move_file" and len(edits) == 2:  # noqa: PLR2004 - the old place and the new one
        yield edits[0].path, edits[1].path
    if event.call.name == "apply_patch":
        yield from renames(str(event.call.arguments.get("patch", "")))


def sections(patch: str, named: Sequence[str]) -> str:
    """Take the parts of a diff that are about some files; all of it where an odd name keeps them from being told."""
    heads = tuple(f"diff --git a/{path} b/{path}\n" for path in named)
    parts = [f"diff --git {part}" for part in ("\n" + _IDS.sub("", patch)).split("\ndiff --git ")[1:]]
    wanted = [part for part in parts if part.startswith(heads)]
    return "\n".join(wanted) if len(wanted) >= len(named) else patch


def stat(files: Sequence[FileChange]) -> str:
    """Tell each file of a change with its added and removed lines, the largest first."""
    ordered = sorted(files, key=lambda file: (-file.added - file.removed, file.path))
    return "\n".join(f"+{file.added:<6} -{file.removed:<6} {file.size:>10,} bytes  {file.path}" for file in ordered)


def cut(shown: str) -> str:
    """Bound what is shown, and say so: nobody should allow what they could not see."""
    if len(shown) <= MOST_SHOWN:
        return shown
    return f"{shown[:MOST_SHOWN]}\n[cut: {len(shown) - MOST_SHOWN:,} more characters]"


def _list(said: Sequence[str]) -> str:
    more = f" and {len(said) - NAMED:,} more" if len(said) > NAMED else ""
    return f"{'; '.join(said[:NAMED])}{more}"
