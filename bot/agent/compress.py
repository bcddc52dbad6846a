"""When the prompt is made shorter, and by what: answers that later ones replace, and finished turns that are retold.

`due(view, room, keep)` before each request: `room` is how many tokens a prompt may have (the model's window less what
is kept free for its reply; 0 where nothing is known), `keep(text)` stores an answer whole and returns the reference
under which `read_output` pages it, "" where it cannot. `emergency(view, keep)` after the service said that the prompt
does not fit, once its `Retried` was recorded. Both return the `Compressed` event to record, or the `Ended` that stops
the run, or (only `due`) None. No model is asked. The prompt is made anew from its front, so it is not done often.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from bot.agent.context import GONE, View, weigh
from bot.agent.retelling import Keep, retell
from bot.core.event import Acted, Committed, Ended, Event, RolledBack
from bot.core.message import Message
from bot.core.repeats import page
from bot.core.talk import Compressed, Replied, Retried, Told
from bot.errors import ContextOverflow

FULL = 0.75
"""The share of the room for turns from which on turns are retold."""
BRIM = 0.95
"""The share of the whole room from which on the next request could not be made."""
TARGET = 0.5
"""The share of the room for turns that may be left afterwards."""
GAIN = 0.3
"""The share of what turns take that has to be won, else it is not worth it."""
AFTER_OVERFLOW = 0.6
"""The share of a prompt which did not fit that is taken for the window from then on."""
WHOLE = 6
"""Turns that stay as they are, where there is room for them."""
NEAR = 3 * WHOLE
"""Turns among which the end of a step is looked for as the place to cut."""
SUMMARY = (2_000, 24_000)
"""Bytes of a summary, at least and at most."""
SELDOM = 25
"""Requests between two prompts that are made anew for cost alone."""
OFTEN = 5
"""Turns between two looks whether that pays."""
NEW, CACHED = 1.25, 0.1
"""What input costs, beside the price of input without a cache."""
HORIZON = 50
"""Requests that are reckoned with at most; as many as there were are taken to come."""
SMALL = 300
"""Bytes of an answer that may as well stay."""
SUREST = 1 / 6
"""Tokens in a byte, at the least, whatever the text: what does not fit by this is not sent to find out."""
FIXED = 2_300
"""Tokens that the system prompt, the tools and a short task have."""
BRIEFEST = 1_200
"""Bytes of one answer that a model is always shown."""
TIMES = 3
"""Requests for one reply that may not fit, each of them shorter than the one before."""
REPLACED = frozenset({"run_check", "search_text", "show_changes", "list_files", "outline", "find_symbol", "history"})
"""Tools whose answer to the same call takes the place of the one before."""


class Room(NamedTuple):
    """How many bytes a prompt may have."""

    all: int
    fixed: int
    """What no compression takes away."""

    def part(self, share: float) -> float:
        """Return the bytes of a prompt whose turns take so much of the room that there is for them."""
        return self.fixed + share * (self.all - self.fixed)

    @property
    def summary(self) -> int:
        """The bytes of a summary."""
        return int(min(SUMMARY[1], max(SUMMARY[0], (self.part(TARGET) - self.fixed) / 4)))


class Cut(NamedTuple):
    """Where turns are parted into those that are retold, and those that stay as they are."""

    at: int
    """The first event that stays."""
    fits: bool
    """Whether what stays leaves as much room as there should be."""


class Option(NamedTuple):
    """Answers that may be left out."""

    saved: float
    """In bytes of fresh input."""
    stale: tuple[int, ...]


def due(view: View, room: int, keep: Keep) -> Compressed | Ended | None:
    """Say what has to be done about the length of the next prompt, if anything."""
    if room <= 0:
        return None
    limit = Room(_measure(view, room), view.fixed)
    if view.size <= limit.part(FULL):
        return _supersede(view)
    cut = _cut(view, limit)
    brim = view.size > BRIM * limit.all
    if not brim and (cut is None or not cut.fits):
        return None
    made = _retell(view, limit, cut, keep) if cut is not None else None
    if not brim or (made is not None and made.after <= limit.all):
        return made
    shed = _shed(view, limit, made)
    if shed is not None:
        return shed
    # An estimate is no reason to stop: the service will say whether it fits
    lost = view.calibrated or view.size * SUREST > room
    return _stop(view, f"a prompt may have {room:,}") if lost else made


def emergency(view: View, keep: Keep) -> Compressed | Ended:
    """Make a prompt shorter that did not fit; once for a reply."""
    refused = _count_refused(view.events)
    limit = Room(int(AFTER_OVERFLOW * min(view.size, view.overflow or view.size)), view.fixed)
    cut = _cut(view, limit)
    made = _retell(view, limit, cut, keep) if cut is not None else None
    if refused <= TIMES and (made is None or made.after > limit.all):
        made = _shed(view, limit, made)
    if made is not None and refused <= TIMES:
        return made
    if refused > 1:
        detail = "the prompt does not fit the model's window, made shorter or not"
        return Ended(stop="model", detail=detail, error=ContextOverflow.kind)
    return _stop(view, "that does not fit the model's window")


def answer_bytes(room: int) -> int:
    """Return the bytes of one answer that a prompt of so many tokens has room for: a third of what turns may take."""
    return max(BRIEFEST, room - FIXED)


def _measure(view: View, room: int) -> int:
    """Return the bytes of a prompt that has so many tokens; what did not fit before is remembered."""
    size = int(room / view.ratio)
    return min(size, int(AFTER_OVERFLOW * view.overflow)) if view.overflow else size


def _stop(view: View, why: str) -> Ended:
    """Say what is too long: what the run was given, or what came of it."""
    fixed = math.ceil(view.fixed * view.ratio)
    mostly = " most of it the task and what is said with it:" if 2 * view.fixed > view.size else ""
    left = f"{mostly} tell a shorter task" if mostly and fixed > 2 * FIXED else " no more of it can be left out"
    told = f"the prompt has about {view.tokens:,} tokens, {why};{left} (the setting window says how much a model takes)"
    return Ended(stop="limit:context", detail=told)


def _count_refused(events: Sequence[Event]) -> int:
    """Count the prompts since the last reply that did not fit."""
    since = takewhile(lambda event: not isinstance(event, Replied), reversed(events))
    return sum(isinstance(event, Retried) and event.error == ContextOverflow.kind for event in since)


def _shed(view: View, limit: Room, retold: Compressed | None) -> Compressed | None:
    """Leave out the longest answers of what stays, too, as one reply may ask for more than there is room for.

    None where even that would not do.
    """
    base = retold or Compressed(before=view.size)
    other = view.after(base)
    left, stale = other.size - limit.part(FULL), list[int]()
    for at in sorted(other.shown, key=lambda at: (-other.shown[at], at)):
        if left <= 0 or other.shown[at] <= SMALL:
            break
        if isinstance(other.events[at], Acted) and at not in other.stale:
            stale.append(at)
            left -= other.shown[at] - len(GONE)
    made = base.model_copy(update={"stale": tuple(sorted(stale))})
    after = view.after(made).size
    return made.model_copy(update={"after": after}) if stale and after <= limit.all else None


def _retell(view: View, limit: Room, cut: Cut, keep: Keep) -> Compressed | None:
    """Retell what is over; None where too little would be won."""
    summary = retell(view.events[: cut.at], limit.summary, keep)
    made = Compressed(until=cut.at, summary=summary, before=view.size)
    after = view.after(made).size
    won = view.size - after
    return made.model_copy(update={"after": after}) if won >= GAIN * (view.size - limit.fixed) else None


def _cut(view: View, limit: Room) -> Cut | None:
    """Choose the turn from which on all stays as it is, behind the end of a step if that is near.

    None where there is nothing to retell: the last turn stays.
    """
    events, room = view.events, limit.part(TARGET) - limit.fixed - limit.summary
    starts = [at for at in range(view.until, len(events)) if isinstance(events[at], Replied)]
    if len(starts) < 2:  # noqa: PLR2004 - one to retell, one to stay
        return None
    sizes = [_weigh(events[start:end]) for start, end in zip(starts, [*starts[1:], len(events)], strict=True)]
    fitting = [number for number in range(1, len(starts)) if sum(sizes[number:]) <= room]
    if not fitting:
        return Cut(starts[-1], fits=False)
    near = [number for number in fitting if WHOLE <= len(starts) - number <= NEAR]
    ended = [number for number in near if _ends_step(events[starts[number - 1] : starts[number]])]
    best = ended[-1] if ended else max(fitting[0], len(starts) - WHOLE)
    return Cut(starts[best], fits=True)


def _ends_step(events: Sequence[Event]) -> bool:
    return any(isinstance(event, Committed | RolledBack) for event in events)


def _weigh(events: Sequence[Event]) -> int:
    """Count the bytes of events that are shown whole."""
    return sum(map(weigh, _messages(events)))


def _messages(events: Sequence[Event]) -> Iterator[Message]:
    for event in events:
        match event:
            case Replied():
                yield Message(role="assistant", text=event.reply.text, calls=event.reply.calls)
            case Acted():
                yield Message(role="tool", text=event.result.output)
            case Told():
                yield Message(role="user", text=event.text)
            case _:
                pass


def _supersede(view: View) -> Compressed | None:
    """Leave out what later answers replace, where that costs less than it saves."""
    if view.since < SELDOM or view.since % OFTEN:
        return None
    best = max(_options(view), key=lambda option: option.saved, default=None)
    if best is None or best.saved <= 0:
        return None
    made = Compressed(stale=best.stale, before=view.size)
    other = view.after(made)
    pairs = zip(view.messages, other.messages, strict=False)
    same = next((at for at, (before, after) in enumerate(pairs) if before != after), len(other.messages))
    anew = sum(map(weigh, other.messages[same:]))
    # What is left out may be what later answers were told by, which are whole then
    pays = _reckon(view, view.size - other.size, anew) > 0
    return made.model_copy(update={"after": other.size}) if pays else None


def _options(view: View) -> Iterator[Option]:
    """Yield what may be left out, from each place on, with what that saves at most."""
    stale = set(_find_stale(view))
    chosen: list[int] = []
    behind = won = 0
    for at in sorted(view.shown, reverse=True):
        if at not in stale:
            behind += view.shown[at]
            continue
        chosen.insert(0, at)
        won += view.shown[at] - len(GONE)
        yield Option(_reckon(view, won, behind + len(GONE) * len(chosen)), tuple(chosen))


def _reckon(view: View, won: int, anew: int) -> float:
    """Return what is saved on the requests to come, in bytes of fresh input, given what has to be sent anew."""
    return CACHED * won * min(view.turns, HORIZON) - (NEW - CACHED) * anew


def _find_stale(view: View) -> Iterator[int]:
    """Find answers that a later one replaces: the same call again, or a reading of all those lines."""
    pages: dict[str, list[tuple[int, int]]] = {}
    later: set[str] = set()
    found: list[int] = []
    for at in range(len(view.events) - 1, view.until - 1, -1):
        event = view.events[at]
        if not isinstance(event, Acted) or at in view.stale or len(event.result.output) < SMALL:
            continue
        shown = page(event.result.output) if event.call.name == "read_file" else None
        if shown is not None:
            ranges = pages.setdefault(shown.path, [])
            first, last = shown.first, shown.first + len(shown.lines) - 1
            if any(start <= first and last <= end for start, end in ranges):
                found.append(at)
            ranges.append((first, last))
        elif event.call.name in REPLACED:
            key = f"{event.call.name} {event.call.arguments}"
            found += [at] if key in later else []
            later.add(key)
    yield from reversed(found)
