"""What became of a misbehaviour: what a person is told of it, and what must never have happened."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from bot.core.event import Acted, Ended
from bot.core.recovery import REMEDIES, respond
from bot.core.talk import Compressed, Replied, Retried, Told
from tests.served.contract import faults
from tests.served.play import KEY, NOTES, Played

EXPECTED = {"one", "two", "other"}
"""Notes that may be taken: none is half of another."""


class Outcome(NamedTuple):
    """What a person is told."""

    does: str
    requests: str
    waits: str


def outcome(played: Played) -> Outcome:
    """Say what became of a run in which a service misbehaved until the end."""
    return Outcome(_tell(played), str(asked(played)), _waits(played))


def asked(played: Played) -> int:
    """Count the requests that met the misbehaviour."""
    if played.row.place == "served":
        return len(played.requests) - (not played.row.early)
    return sum(isinstance(event, Retried) for event in played.events) + 1


def _tell(played: Played) -> str:
    events, end = played.events, end_of(played)
    kinds = list(dict.fromkeys(event.error for event in events if isinstance(event, Retried)))
    failed = Counter(event.result.error for event in events if isinstance(event, Acted) and event.result.error)
    failed.pop("not_executed", None)
    told = sum(isinstance(event, Told) for event in events)
    shorter = " with a shorter prompt" if any(isinstance(event, Compressed) for event in events) else ""
    parts = [f"`{'`, `'.join(kinds)}`: asks again{shorter}"] if kinds else []
    parts += [f"answers the call: `{kind}`" for kind in failed]
    parts += ["tells the model"] if told and not failed else []
    if end.stop == "done" and not parts:
        return "goes on"
    if end.error and end.error not in kinds:
        parts.append(f"`{end.error}`: stops")
    elif end.stop == "done":
        parts.append("goes on" if played.row.means in ("call", "goes on") else "ends")
    else:
        parts.append("stops" if end.stop == "model" else f"stops: `{end.stop}`")
    return ", then ".join(parts)


def _waits(played: Played) -> str:
    """Tell the seconds that were waited in all, without what chance adds to them."""
    total = sum(_plain(event) for event in _settled(played))
    return f"{total:g} s" if total else "none"


class Waited(NamedTuple):
    """One wait, and what it would be without chance."""

    kinds: tuple[str, ...]
    asked: float | None
    wait: float


def _settled(played: Played) -> Iterator[Waited]:
    kinds: list[str] = []
    for event in played.events:
        if isinstance(event, Retried):
            kinds.append(event.error)
            yield Waited(tuple(kinds), played.row.wait, event.wait)
        elif isinstance(event, Replied):
            kinds.clear()


def _plain(waited: Waited) -> float:
    return respond(waited.kinds, waited.asked, 0.0).wait


def end_of(played: Played) -> Ended:
    """Return how a run ended."""
    end = played.events[-1]
    assert isinstance(end, Ended), f"{played.row.does}: the run did not end"
    return end


def problems(played: Played) -> list[str]:
    """Say what is wrong with a run."""
    found = [*_always(played), *_calls(played), *_key(played), *_waiting(played), *_expected(played)]
    how = "often" if played.often else "once"
    return [f"{played.row.does} ({played.wire}, {how}): {problem}" for problem in found]


def _always(played: Played) -> Iterator[str]:
    """Yield what holds of every run."""
    if sum(isinstance(event, Ended) for event in played.events) != 1:
        yield "it ended more than once, or never"
    ran = [
        e.call.arguments.get("text")
        for e in played.events
        if isinstance(e, Acted) and e.call.name == "note" and e.result.ok
    ]
    if list(played.notes) != ran:
        yield f"{NOTES} says {played.notes}, the record {ran}"
    if len(set(played.notes)) < len(played.notes) or not set(played.notes) <= EXPECTED:
        yield f"executed in part, or twice: {played.notes}"
    for number, request in enumerate(played.requests):
        if request.method != "TLS":
            yield from (f"request {number}: {fault}" for fault in faults(request))


def _calls(played: Played) -> Iterator[str]:
    """Yield calls that are answered more than once, or never."""
    open_ids: list[str] = []
    for event in played.events:
        match event:
            case Replied():
                if open_ids:
                    yield f"no answer to {open_ids}"
                open_ids = [call.id for call in event.reply.calls]
            case Acted():
                if event.call.id not in open_ids:
                    yield f"an answer to no open call: {event.call.id}"
                else:
                    open_ids.remove(event.call.id)
            case _:
                pass
    if open_ids:
        yield f"no answer to {open_ids}"


def _key(played: Played) -> Iterator[str]:
    """Yield where the key got to that it should not have."""
    if any(KEY in event.model_dump_json() for event in played.events):
        yield "the key is in the record"
    for request in played.requests:
        places = {name for name, value in request.headers.items() if KEY in value}
        if request.method != "TLS" and places not in ({"authorization"}, {"x-api-key"}):
            yield f"the key came in {sorted(places)}"
        if KEY.encode() in request.body:
            yield "the key came in a body"


def _waiting(played: Played) -> Iterator[str]:
    """Yield waits that are not those of the table of remedies."""
    retried = tuple(event.wait for event in played.events if isinstance(event, Retried))
    if retried != played.waits:
        yield f"the record tells of waits {retried}, and there were {played.waits}"
    for waited in _settled(played):
        plain = _plain(waited)
        if not plain <= waited.wait <= plain * 1.25:
            yield f"waited {waited.wait:.3g} s, not {plain:.3g} s"
    if played.row.seconds is not None and played.seconds > played.row.seconds + 1:
        yield f"it took {played.seconds:.2f} s of {played.row.seconds} s"


def _expected(played: Played) -> Iterator[str]:
    """Yield what is not as the row says."""
    row, end = played.row, end_of(played)
    errors = [event.error for event in played.events if isinstance(event, Retried)]
    failed = [event.result.error for event in played.events if isinstance(event, Acted) and event.result.error]
    finished = (end.stop, len(played.notes)) == ("done", row.executed)
    match row.means:
        case "goes on":
            if not finished or errors or set(failed) - {"not_executed"}:
                yield f"did not go on: {end.stop} {end.detail}, {errors}, {failed}, {played.notes}"
            yield from _cost(played)
        case "call":
            if row.error not in failed or errors:
                yield f"no call was answered {row.error}: {failed}, {errors}"
            if not played.often and not finished:
                yield f"did not recover: {end.stop} {end.detail}, {played.notes}"
        case "nudged":
            if errors or (not played.often and not finished):
                yield f"did not recover: {end.stop} {end.detail}, {played.notes}"
        case "late":
            if end.stop not in ("model", "limit:seconds") or asked(played) != 1:
                yield f"did not end when its time was up: {end.stop} {end.detail}"
        case _:
            yield from _fault(played, errors, finished=finished)


def _cost(played: Played) -> Iterator[str]:
    for event in played.events:
        if isinstance(event, Replied):
            usage = event.reply.usage
            if min(usage.input, usage.output) < 1 or (
                played.row.cost and played.row.cost != (usage.input, usage.output)
            ):
                yield f"it is said to cost {usage.input} and {usage.output} tokens"


def _fault(played: Played, errors: Sequence[str], *, finished: bool) -> Iterator[str]:
    """Yield what is wrong with a run that met an error of the service."""
    row, end = played.row, end_of(played)
    again = REMEDIES[row.means].action != "stop"
    if set(errors) - {row.means} or (played.often and not errors and end.error != row.means):
        yield f"taken for {errors or end.error}: {end.detail}"
    if played.often:
        if end.stop != "model" or end.error != row.means:
            yield f"ended with {end.stop} {end.error}: {end.detail}"
        return
    if again and (not finished or len(errors) != (played.wire not in row.learned)):
        yield f"did not recover: {end.stop} {end.detail}, {errors}, {played.notes}"
    sent = [len(request.body) for request in played.requests]
    if REMEDIES[row.means].action == "compress" and played.wire not in row.learned and sent[2] > 0.7 * sent[1]:
        yield f"asked again with as long a prompt: {sent}"
    if REMEDIES[row.means].action == "retry" and len({request.body for request in played.requests[1:3]}) != 1:
        yield "asked again with another prompt"
