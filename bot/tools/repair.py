"""Tools over the repair engine. Their answers have a fixed grammar, so that a rule-based model can read them back.

`locate_fault`: a line `SUSPECTS <n>`, then a line for each, worst first::

    SUSPECT <path>:<line> score=<0.000> <source text>

`try_patches`: a line `TRIED <n> passed=<p>`, then a line for each patch, counted from 1 in the order given::

    PASS <n> <detail>
    FAIL <n> <detail>

`search_patch`: a line `SEARCH candidates=<n> tried=<n> <reason>`, then each candidate, best first: a line followed by
its unified diff, every line of which stands behind a bar and a space; without those two characters, and with a newline
after each line, the diff is what apply_patch takes; `alike` says how many that do the same it stands for, where there
are more. A question names a call on which two candidates differ, and what each gives for it, all as strings of JSON.
Suspects follow when there is no candidate::

    CANDIDATE <n> <path>:<line> <template> score=<0.000> [alike=<n>]
    HISTORY <what it has to do with the last changes, where there is something to say>
    | --- a/<path>
    | +++ b/<path>
    | …
    QUESTION <n> <m> <call> -> <answer of n> | <answer of m>
    SUSPECT <path>:<line> score=<0.000> <source text>
    BEFORE <a test that fails without the last changes as well>
    FLAKY <a test that ends in different ways when it is run again>
    LEFT OUT <a test that was not asked while candidates were screened>: <why>
"""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Annotated, TypeVar

from pydantic import Field

from bot.core.message import Undecided
from bot.core.paths import refuse_read
from bot.errors import BadArguments, Denied, ToolError, Unprepared
from bot.repair import engine
from bot.repair.found import Candidate, Search, Suspect, Trial
from bot.repair.patch import named_in
from bot.repair.subject import Subject
from bot.tools.checks import refuse_target
from bot.tools.schema import Strings
from bot.tools.tool import Access, Arguments, Bench, Done, Tool

ROOM = 16_000
"""Characters of candidates in one answer; a candidate is shown whole or not at all."""
MOST_SUSPECTS = 20

P = TypeVar("P", Suspect, Candidate)
_NAMED = re.compile(r"^(?:---|\+\+\+) \"?(?:[ab]/)?([^\t\n\r\"]+)", re.MULTILINE)


class LocateFault(Arguments):
    """Rank lines that failing tests blame."""

    tests: Strings = ()


class TryPatches(Arguments):
    """Try several diffs against failing tests."""

    patches: Annotated[Strings, Field(min_length=1, max_length=50)]
    tests: Strings = ()


class SearchPatch(Arguments):
    """Search small edits that mend failing tests."""

    tests: Strings = ()
    seconds: Annotated[float, Field(ge=1, le=600)] = 60.0


def locate_fault(args: LocateFault, bench: Bench) -> Done:
    """Rank suspicious lines."""
    with _subject(args.tests, bench) as subject:
        suspects = _shown(engine.locate(subject, args.tests), bench)
    return Done(
        "\n".join([f"SUSPECTS {len(suspects)}", *map(_suspect, suspects[:MOST_SUSPECTS])]), isolation=_level(bench)
    )


def try_patches(args: TryPatches, bench: Bench) -> Done:
    """Try candidate patches, none of which stays."""
    if not all(patch.strip() for patch in args.patches):
        raise BadArguments("patches: one of them is empty")
    _refuse_secret(args.patches, bench)
    with _subject(args.tests, bench) as subject:
        if any(subject.below(test) is None for test in args.tests):
            raise BadArguments(f"tests: {args.tests[0]} and others are not in the same package; ask for one at a time")
        trials = engine.try_patches(subject, args.patches, args.tests)
    return Done(tell_trials(trials), isolation=_level(bench))


def tell_trials(trials: Sequence[Trial]) -> str:
    """Write what became of each patch in the grammar above."""
    rows = [
        f"{'PASS' if trial.passed else 'FAIL'} {trial.index + 1} {_line(trial.detail)}".rstrip() for trial in trials
    ]
    head = f"TRIED {len(trials)} passed={sum(trial.passed for trial in trials)}"
    return "\n".join([head, *rows])


def search_patch(args: SearchPatch, bench: Bench) -> Done:
    """Search for patches; what is found is not applied and not yet verified."""
    with _subject(args.tests, bench) as subject:
        found = engine.search(subject, args.tests, args.seconds, watch=bench.watch)
    shown = replace(_told(found, bench), suspects=_shown(found.suspects, bench))
    return Done(tell_search(shown), isolation=_level(bench), undecided=tuple(_undecided(shown)))


def _told(found: Search, bench: Bench) -> Search:
    """Leave out candidates that must not be shown, and questions about them."""
    kept = [n for n, one in enumerate(found.candidates) if refuse_read(one.path, bench.task.scope) is None]
    places = {old: new for new, old in enumerate(kept)}
    asked = (question for question in found.questions if question.one in places and question.other in places)
    questions = tuple(replace(each, one=places[each.one], other=places[each.other]) for each in asked)
    return replace(found, candidates=tuple(found.candidates[n] for n in kept), questions=questions)


def _undecided(found: Search) -> Iterator[Undecided]:
    """Say of each candidate that it is not the only one, and on what it differs from another where that is known."""
    others = len(found.candidates) - 1
    for number, candidate in enumerate(found.candidates if others else ()):
        known = Undecided(path=candidate.path, line=candidate.line, patch=candidate.patch, others=others)
        asked = next((each for each in found.questions if number in (each.one, each.other)), None)
        if asked is not None:
            rival, answers = (asked.other, asked.answers) if number == asked.one else (asked.one, asked.answers[::-1])
            known = known.model_copy(
                update={"other": found.candidates[rival].patch, "call": asked.call, "answers": answers}
            )
        yield known


def tell_search(found: Search) -> str:
    """Write what a search found in the grammar above."""
    head = f"SEARCH candidates={len(found.candidates)} tried={found.tried} {_line(found.reason)}"
    blocks = list(_fitting(found))
    suspects = [] if blocks else [_suspect(suspect) for suspect in found.suspects[:MOST_SUSPECTS]]
    before = [f"BEFORE {_line(test)}" for test in found.before]
    text = "\n".join(
        [
            head,
            *blocks,
            *_questions(found, len(blocks)),
            *suspects,
            *before,
            *(f"FLAKY {_line(test)}" for test in found.flaky),
            *(f"LEFT OUT {_line(test)}: {_line(why)}" for test, why in found.left_out),
        ]
    )
    # A carriage return that ends no line would be shown as something else, and end up so in the file
    return f"{text}\n" if text.endswith("\r") else text


def _shown(found: Sequence[P], bench: Bench) -> tuple[P, ...]:
    """Leave out places whose text must not be shown: code may name itself as it likes."""
    return tuple(place for place in found if refuse_read(place.path, bench.task.scope) is None)


def _refuse_secret(patches: Sequence[str], bench: Bench) -> None:
    """Refuse to fit a patch to what must not be read: whether it fits tells what is there. Raises Denied."""
    for path in (path for patch in patches for path in (*named_in(patch), *_NAMED.findall(patch))):
        reason = None if path == "/dev/null" else refuse_read(path, bench.task.scope)
        if reason is not None:
            raise Denied(f"patches: {reason}")


@contextmanager
def _subject(tests: tuple[str, ...], bench: Bench) -> Iterator[Subject]:
    for test in tests:
        refuse_target(test)
    try:
        with bench.ladder.ready(bench.workspace).clean(bench.workspace.tree()) as root:
            python, folder = bench.ladder.interpreter, _package(tests, bench)
            yield Subject(root, python.path, bench.executor, python.variables, python.lender, folder, bench.past)
    except Unprepared as error:
        raise ToolError(f"the tree cannot be prepared: {error.message}") from error
    finally:
        bench.unsettle()


def _package(tests: Sequence[str], bench: Bench) -> str:
    """Find the package of the first test: its settings are not those of the root."""
    folders = {check.folder for check in bench.ladder.checks if check.reader == "pytest"}
    return max((folder for folder in folders if tests and tests[0].startswith(f"{folder}/")), key=len, default="")


def _questions(found: Search, shown: int) -> Iterator[str]:
    for each in found.questions:
        if max(each.one, each.other) < shown:
            call, one, other = (json.dumps(text, ensure_ascii=False) for text in (each.call, *each.answers))
            yield f"QUESTION {each.one + 1} {each.other + 1} {call} -> {one} | {other}"


def _fitting(found: Search) -> Iterator[str]:
    room = ROOM
    for number, candidate in enumerate(found.candidates, 1):
        head = f"CANDIDATE {number} {candidate.path}:{candidate.line} {candidate.template} score={candidate.score:.3f}"
        head += f" alike={candidate.alike}" if candidate.alike > 1 else ""
        rows = [head, *([f"HISTORY {_line(candidate.history)}"] if candidate.history else [])]
        block = "\n".join([*rows, *(f"| {line}" for line in candidate.patch.removesuffix("\n").split("\n"))])
        room -= len(block)
        if room < 0:
            return
        yield block


def _suspect(suspect: Suspect) -> str:
    return f"SUSPECT {suspect.path}:{suspect.line} score={suspect.score:.3f} {suspect.text.strip()[:200]}".rstrip()


def _line(text: str) -> str:
    return " ".join(text.split())[:400]


def _level(bench: Bench) -> str:
    return bench.executor.isolation


LOCATE_FAULT = Tool("locate_fault", LocateFault, Access.EXECUTE, locate_fault)
TRY_PATCHES = Tool("try_patches", TryPatches, Access.EXECUTE, try_patches, cap=2 * ROOM)
SEARCH_PATCH = Tool("search_patch", SearchPatch, Access.EXECUTE, search_patch, cap=4 * ROOM)
