"""Whether a model gets anywhere: going round in circles, the same failure again, nothing new, nothing usable."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice, takewhile
from typing import NamedTuple

from bot.core.event import Acted, Committed, Ended, Event, RolledBack, Started
from bot.core.talk import Compressed, Planned, Replied, Told
from bot.errors import BadArguments, UnknownTool, Unverified

LONGEST_CYCLE = 3
"""Calls of a cycle that is recognised."""
WINDOW = 400
"""Events that are looked back on."""
LOOKED = 25
"""Turns in a row that only look, after which a model is reminded of what it is here for."""
UNUSABLE = frozenset({"truncated", "malformed", UnknownTool.kind, BadArguments.kind})
"""Failures of calls that were never executed."""
UNSTEADY = frozenset({"run_check", "run_command"})
"""Tools that may well answer the same call otherwise the next time, so that asking again is no mistake."""


class Guard(NamedTuple):
    """A sign that a run gets nowhere."""

    count: Callable[[Sequence[Event]], int]
    """How strong it is after these events."""
    hint: int
    """From how much on the model is told."""
    stop: int
    """From how much on the run ends; 0 for never."""
    words: str
    """What the model is told."""
    why: str
    """Why the run ends."""


def watch(events: Sequence[Event]) -> Told | Ended | None:
    """Tell a model that gets nowhere, then stop it; None as long as there is nothing to say."""
    recent = events[-WINDOW:]
    strengths = [(guard, guard.count(recent)) for guard in GUARDS]
    for guard, strength in strengths:
        if guard.stop and strength >= guard.stop:
            return Ended(stop="limit:loop", detail=guard.why)
    for guard, strength in strengths:
        if strength >= guard.hint and not _told(recent, guard, strength):
            return Told(text=guard.words)
    return None


def _told(events: Sequence[Event], guard: Guard, strength: int) -> bool:
    """Say whether a hint was given already since its sign began."""
    since = (event for event in reversed(events) if isinstance(event, Acted | Replied | Told))
    seen = 0
    for event in since:
        if isinstance(event, Told) and event.text == guard.words:
            return True
        seen += isinstance(event, Acted)
        if seen > strength * LONGEST_CYCLE + LOOKED:
            break
    return False


def repetition(events: Sequence[Event]) -> int:
    """Count how often the last calls and their results repeat, alone or as a short cycle."""
    last = tuple(islice(_acts(events), LONGEST_CYCLE * STOP_AFTER))
    return max((_run_length(last, period) for period in range(1, LONGEST_CYCLE + 1)), default=0)


def _run_length(acts: Sequence[Acted], period: int) -> int:
    """Count how often the first `period` acts stand there one after the other."""
    first = acts[:period]
    if all(act.result.ok and act.call.name in UNSTEADY for act in first):
        return 0
    groups = (acts[at : at + period] for at in range(0, len(acts) - period + 1, period))
    return sum(1 for _ in takewhile(lambda group: all(map(_equal, group, first)), groups))


def insistence(events: Sequence[Event]) -> int:
    """Count how often the last call was made on the same files since anything else came up, whatever it answered."""
    count = 0
    last = next(_acts(events), None)
    for at in range(len(events) - 1, -1, -1):
        event = events[at]
        if isinstance(event, Committed | RolledBack | Compressed) or (isinstance(event, Acted) and event.tree):
            break
        if last is not None and isinstance(event, Acted):
            if _same(event, last):
                count += 1
            elif _is_new(event, events[:at]):
                break
    return count


def obstinacy(events: Sequence[Event]) -> int:
    """Count how often the last call failed in this step, files changed or not; what was judged is counted elsewhere."""
    step = takewhile(lambda event: not isinstance(event, Committed | RolledBack), reversed(events))
    acts = tuple(event for event in step if isinstance(event, Acted))
    if not acts or acts[0].result.ok or acts[0].result.error == Unverified.kind:
        return 0
    return sum(not act.result.ok and _same(act, acts[0]) for act in acts)


def staleness(events: Sequence[Event]) -> int:
    """Count the turns since something new came of one: new files, a new answer to a new call, a step, a plan."""
    turns = 0
    for at in range(len(events) - 1, -1, -1):
        event = events[at]
        turns += isinstance(event, Replied)
        if _is_new(event, events[:at]):
            break
    return turns


def _is_new(event: Event, before: Sequence[Event]) -> bool:
    if not isinstance(event, Acted):
        return isinstance(event, Committed | RolledBack | Planned | Started)
    if event.tree:
        return not any(isinstance(other, Acted) and other.tree == event.tree for other in before)
    return event.result.ok and _is_unknown(event, before)


def _is_unknown(act: Acted, before: Sequence[Event]) -> bool:
    """Say whether an answer is not in the prompt yet; what was taken out of it may be asked for once more."""
    times, shown = 0, True
    for event in reversed(before):
        shown = shown and not isinstance(event, Compressed)
        if isinstance(event, Acted) and _same(event, act):
            times += 1
            if shown or times > 1:
                return False
    return True


def idleness(events: Sequence[Event]) -> int:
    """Count the turns since files were last changed."""
    turns = 0
    for event in reversed(events):
        if isinstance(event, Committed | RolledBack) or (isinstance(event, Acted) and event.tree):
            break
        turns += isinstance(event, Replied)
    return turns


def uselessness(events: Sequence[Event]) -> int:
    """Count the replies in a row of which nothing could be executed."""
    count = 0
    unusable = False
    for event in reversed(events):
        match event:
            case Acted():
                if event.result.error not in UNUSABLE:
                    break
                unusable = True
            case Replied():
                if not unusable:
                    break
                count, unusable = count + 1, False
            case _:
                pass
    return count


def _acts(events: Sequence[Event]) -> Iterator[Acted]:
    """Yield what was done, the latest first."""
    return (event for event in reversed(events) if isinstance(event, Acted))


def _same(one: Acted, other: Acted) -> bool:
    """Say whether two calls are the same, whatever they answered."""
    first, second = one.call, other.call
    return (first.name, first.raw) == (second.name, second.raw) and first.arguments == second.arguments


def _equal(one: Acted, other: Acted) -> bool:
    return _same(one, other) and one.result.output == other.result.output


STOP_AFTER = 4
"""Equal calls with equal results in a row (or cycles of them) after which a run is stopped."""
GUARDS = (
    Guard(
        repetition,
        3,
        STOP_AFTER,
        "You have made the same call with the same result three times. Do something else.",
        "the same calls gave the same results again and again",
    ),
    Guard(
        obstinacy,
        3,
        5,
        "This very call has failed three times. Look at the file as it is now, and do it in another way.",
        "the same call failed again and again",
    ),
    Guard(
        insistence,
        5,
        8,
        "You make the same call over and over, and no file has changed since. Its answer will not help any further.",
        "the same call was made again and again, with nothing changed in between",
    ),
    Guard(
        uselessness,
        3,
        5,
        "Nothing of your last replies could be executed. Send one call, with all of its JSON arguments.",
        "none of the last replies held a call that could be executed",
    ),
    Guard(
        staleness,
        6,
        12,
        "Nothing new has come of your last turns. Try something else, or `finish` and say what is missing.",
        "nothing new came of the last turns",
    ),
    Guard(
        idleness,
        LOOKED,
        0,
        "You have looked around for long and changed nothing. Make a change, or `finish` and say what is missing.",
        "",
    ),
)
