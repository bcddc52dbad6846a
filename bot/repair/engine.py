"""The repair engine's front: localise, try, search; all in the project's interpreter, inside the sandbox."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from pydantic import ValidationError

from bot.core.escape import line as in_line
from bot.core.message import Searching
from bot.core.past import explain
from bot.errors import NoMatch, NotFound, TooLarge, ToolError
from bot.protocols import Command
from bot.repair.answer import LINE, Finished, Judged, Line, Proposed, Stood, Suspected, Tried, Underway
from bot.repair.found import Candidate, Search, Suspect, Trial
from bot.repair.lately import reverse_past
from bot.repair.patch import Change, read_diff
from bot.repair.proposal import read_content, write_diff
from bot.repair.ranking import in_order, questions
from bot.repair.subject import Subject
from bot.repair.worker.boot import LENT

BOOT = Path(__file__).with_name("worker") / "boot.py"
GRACE = 15.0
"""Seconds that the worker may need beyond its own time, to start and to clean up."""
PIECE = 100_000
"""Characters of one argument; the system allows a few more."""
LARGEST = 1_500_000
MOST = 200
"""Lines of one kind of an answer that are looked at."""
REVERT = "revert"
"""The template of candidates that take the last changes back."""


@dataclass(slots=True)
class Follower:
    """Reads the worker's lines while they come, for those that say how far it is."""

    subject: Subject
    watch: Callable[[Searching], None]
    rest: bytes = b""

    def hear(self, piece: bytes) -> None:
        """Take what came."""
        *lines, self.rest = (self.rest + piece).split(b"\n")
        self.rest = self.rest[-PIECE:]
        for line in _read(b"\n".join(line for line in lines if b'"progress"' in line[:30])):
            if isinstance(line, Underway):
                place = f"{self.subject.above(line.path)}:{line.line}" if line.path else ""
                self.watch(Searching(line.tried, place, line.left, line.found))


@dataclass(frozen=True, slots=True)
class Answer:
    """All that the worker said, and how long it took."""

    lines: tuple[Line, ...]
    seconds: float
    late: bool = True
    """Whether it had to be ended for its time."""

    @property
    def reason(self) -> str:
        """Why the worker ended."""
        otherwise = "out of time" if self.late else "the run was ended from inside"
        return next((in_line(line.reason, 400) for line in self.lines if isinstance(line, Finished)), otherwise)


def locate(subject: Subject, tests: Sequence[str], seconds: float = 60.0) -> tuple[Suspect, ...]:
    """Rank lines by how much the failing tests blame them, worst first. Raises ToolError.

    Without tests, all failing ones are used.
    """
    job = {"mode": "locate", "tests": _tests(subject, tests), "seconds": seconds, "past": reverse_past(subject).job()}
    answer = _ask(subject, job, seconds)
    suspects = _suspects(subject, answer)
    if not suspects and answer.reason not in ("located", "nothing failed"):
        raise ToolError(f"the fault could not be located: {answer.reason}")
    return suspects


def search(
    subject: Subject,
    tests: Sequence[str],
    seconds: float = 60.0,
    limit: int = 5,
    most: int = 200_000,
    watch: Callable[[Searching], None] | None = None,
) -> Search:
    """Generate small edits, no more than `most`, and keep those that make the failing tests pass. Raises ToolError."""
    job = {"mode": "search", "tests": _tests(subject, tests), "seconds": seconds, "limit": limit, "most": most}
    answer = _ask(subject, {**job, "past": reverse_past(subject).job()}, seconds, watch)
    told = tuple(islice(_candidates(subject, answer), limit))
    reason = "found" if told and answer.reason == "out of time" else answer.reason
    return Search(
        candidates=tuple(candidate for _, candidate in told),
        suspects=_suspects(subject, answer),
        tried=sum(line.count for line in answer.lines if isinstance(line, Tried)),
        seconds=answer.seconds,
        reason=reason,
        first=min((line.seconds for line in answer.lines if isinstance(line, Proposed)), default=0.0),
        questions=questions(answer.lines, [rank for rank, _ in told]),
        before=_standing(subject, answer, "before"),
        flaky=_standing(subject, answer, "flaky"),
        left_out=_left_out(subject, answer),
    )


def _standing(subject: Subject, answer: Answer, word: str) -> tuple[str, ...]:
    lines = [line for line in answer.lines if isinstance(line, Stood) and line.word == word]
    return tuple(dict.fromkeys(subject.above(test) for line in lines[:MOST] for test in line.tests))


def _left_out(subject: Subject, answer: Answer) -> tuple[tuple[str, str], ...]:
    lines = [line for line in answer.lines if isinstance(line, Stood) and line.word == "left"]
    return tuple(dict.fromkeys((subject.above(test), line.why) for line in lines[:MOST] for test in line.tests))


def try_patches(
    subject: Subject, patches: Sequence[str], tests: Sequence[str], seconds: float = 120.0
) -> tuple[Trial, ...]:
    """Try unified diffs one by one, each isolated from the others. Raises ToolError."""
    trials: dict[int, Trial] = {}
    jobs: list[object] = []
    for index, patch in enumerate(patches):
        try:
            change = read_diff(subject.root, patch)
        except (NoMatch, NotFound) as error:
            trials[index] = Trial(index, passed=False, detail=error.message)
            continue
        told = _patch(subject, change)
        if told is None:
            trials[index] = Trial(index, passed=False, detail=f"it edits files outside of {subject.folder}")
        else:
            jobs.append([index, told])
    if jobs:
        job = {"mode": "trial", "tests": _tests(subject, tests), "seconds": seconds, "patches": jobs}
        answer = _ask(subject, job, seconds)
        judged = {line.index: line for line in answer.lines if isinstance(line, Judged)}
        for index in set(range(len(patches))) - set(trials):
            said = judged.get(index)
            detail = said.detail if said else f"not tried: {answer.reason}"
            trials[index] = Trial(index, passed=bool(said and said.passed), detail=" ".join(detail.split()))
    return tuple(trials[index] for index in sorted(trials))


def _tests(subject: Subject, tests: Sequence[str]) -> list[str]:
    return [inside for test in tests if (inside := subject.below(test)) is not None]


def _patch(subject: Subject, change: Change) -> dict[str, object] | None:
    """Write a patch as the worker takes it; None where it reaches out of the package."""
    reached = (*(edit.path for edit in change.edits), *(path for path, _ in change.created), *change.deleted)
    if any(subject.below(path) is None for path in reached):
        return None
    return {
        "edits": [[subject.below(edit.path), edit.start, edit.end, edit.text] for edit in change.edits],
        "created": [[subject.below(path), text] for path, text in change.created],
        "deleted": [subject.below(path) for path in change.deleted],
    }


def _environment(subject: Subject) -> Iterator[tuple[str, str]]:
    yield from (("PYTHONDONTWRITEBYTECODE", "1"), ("PYTHONHASHSEED", "0"))
    yield from subject.variables
    if subject.lender is not None:
        yield LENT, str(subject.lender)


def _ask(
    subject: Subject, job: dict[str, object], seconds: float, watch: Callable[[Searching], None] | None = None
) -> Answer:
    text = json.dumps({**job, "contained": subject.executor.isolation != "process"})
    if len(text) > LARGEST:
        raise TooLarge("the patches are longer than can be tried in one call")
    pieces = [text[i : i + PIECE] for i in range(0, len(text), PIECE)]
    command = Command(
        argv=(str(subject.python), str(BOOT), *pieces),
        cwd=subject.root,
        timeout=seconds + GRACE,
        writable=False,
        environment=tuple(_environment(subject)),
        report=True,
        folder=subject.folder,
        heard=Follower(subject, watch).hear if watch is not None else None,
    )
    done = subject.executor.execute(command)
    lines = tuple(_placed(subject, line) for line in _read(done.report))
    if not lines and done.ended != "timed_out":
        tail = in_line(done.output[-1000:], 1000)[-300:]
        raise ToolError(f"the repair engine could not run in the project's interpreter: {tail or done.ended}")
    return Answer(lines, done.seconds, done.ended == "timed_out")


def _read(report: bytes) -> Iterator[Line]:
    """Read the worker's lines; code of the project ran beside it, so what does not fit is passed over."""
    for raw in report.splitlines():
        try:
            yield LINE.validate_json(raw)
        except ValidationError:
            continue


def _placed(subject: Subject, line: Line) -> Line:
    """Name files as seen from the root; the worker knows of nothing above its folder."""
    if isinstance(line, Suspected):
        ranked = [(subject.above(where), number, score) for where, number, score in line.lines]
        return line.model_copy(update={"lines": tuple(ranked)})
    if isinstance(line, Proposed):
        spans = tuple(span._replace(path=subject.above(span.path)) for span in line.edits)
        created = tuple((subject.above(path), text) for path, text in line.created)
        files = {"created": created, "deleted": tuple(map(subject.above, line.deleted))}
        return line.model_copy(update={"path": subject.above(line.path), "edits": spans, **files})
    return line


def _candidates(subject: Subject, answer: Answer) -> Iterator[tuple[int, Candidate]]:
    """Return what was confirmed, best first, each with its rank."""
    seen: set[str] = set()
    for line in in_order(answer.lines)[:MOST]:
        patch = write_diff(subject.root, line)
        if patch and patch not in seen:
            seen.add(patch)
            history = explain(patch, subject.past, meant=line.template == REVERT)
            yield line.rank, Candidate(patch, line.path, line.line, line.template, line.score, line.alike, history)


def _suspects(subject: Subject, answer: Answer) -> tuple[Suspect, ...]:
    ranked = next((line.lines for line in answer.lines if isinstance(line, Suspected)), ())
    files: dict[str, list[str]] = {}
    found: list[Suspect] = []
    for path, number, score in ranked:
        if path not in files:
            files[path] = (read_content(subject.root, path) or b"").decode("utf-8", "replace").splitlines()
        text = files[path][number - 1].strip() if 0 < number <= len(files[path]) else ""
        found.append(Suspect(path, number, min(1.0, max(0.0, score)), text))
    return tuple(found)
