"""Turns that are over, retold from their events: what was done, what came of it, and what should not be forgotten."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from bot.core.event import Acted, Committed, Event, Redone, RolledBack, Undone, Verified
from bot.core.message import ToolCall
from bot.core.rarity import Rarity
from bot.core.repeats import page
from bot.core.talk import Compressed, Planned, Replied, Told
from bot.core.telling import clip_line, weight
from bot.core.unseen import show
from bot.tools.excerpt import REF

Keep: TypeAlias = Callable[[str], str]
"""Stores a text, and returns the reference under which it can be read; empty where that is not to be."""

WIDTH = 300
"""Characters of one line, or of what a model said at once."""
LINES = 8
"""Of one answer."""
NAMED = 8
"""Files, failures and the like that are told of one step."""
SHARES = (0.3, 0.25, 0.1)
"""Of the room: for the steps, for what the model said, for the files that it read; the rest is for answers."""
RARE = 0.45
"""From which rate on a line of an answer is worth keeping."""
AGAIN = 0.8
"""What the lines of a file count beside those of other answers: a file can be read again."""
WORTH = 600
"""Bytes of an answer from which on it is stored, so that all of it can be read later."""
TREE = frozenset({"read_file", "list_files", "outline", "find_symbol", "search_text", "project_config", "read_output"})
"""What can be asked again, and is better asked again than read as it was."""
DEEDS = frozenset(
    {"edit_file", "replace_lines", "create_file", "delete_file", "move_file", "apply_patch", "update_plan", "finish"}
)
"""Calls of which the steps tell what they did."""
NO_HEADS: Mapping[int, str] = MappingProxyType({})

_REFERENCE = re.compile(rf"\b{REF.pattern}\b")


class Fact(NamedTuple):
    """A line that may be kept."""

    rate: float
    at: int
    """Which of all lines of its kind it is."""
    text: str
    answer: int = 0
    """The event that it is from."""


def references(events: Iterable[Event]) -> Iterator[str]:
    """Name the references of stored answers that a model was told of."""
    for event in events:
        match event:
            case Acted() if event.result.metadata.stored:
                yield event.result.metadata.stored
            case Compressed():
                yield from _REFERENCE.findall(event.summary)
            case _:
                pass


def retell(events: Sequence[Event], room: int, keep: Keep) -> str:
    """Tell events in so many bytes."""
    parts = [
        _fit(_steps(events), int(room * SHARES[0])),
        _section("Said by you", _said(events, int(room * SHARES[1]))),
        _section("Files that you read", _read(events, int(room * SHARES[2]))),
    ]
    left = room - sum(map(weight, filter(None, parts))) - 200
    parts.append(_section("Lines of answers that are not shown any more", _answers(events, left, keep)))
    return "\n".join(filter(None, parts))


def _section(title: str, told: str) -> str:
    return f"{title}:\n{told}" if told else ""


def _fit(steps: Sequence[Sequence[str]], room: int) -> str:
    """Tell steps, the early ones only by their first line where there is no room for more."""
    kept = [list(step) for step in steps]
    spent = sum(map(weight, chain.from_iterable(kept)))
    for step in kept:
        if spent <= room:
            break
        spent -= sum(map(weight, step[1:]))
        del step[1:]
    left = 0
    while spent > room and left < len(kept):
        spent -= weight(kept[left][0])
        left += 1
    note = [f"({left} earlier steps are not told)"] if left else []
    return "\n".join([*note, *chain.from_iterable(kept[left:])])


def _steps(events: Sequence[Event]) -> list[list[str]]:
    told: list[list[str]] = []
    begun = 0
    for at, event in enumerate(events):
        if isinstance(event, Committed | RolledBack | Undone | Redone):
            told.append([_head(event), *_details(events[begun:at])])
            begun = at + 1
    rest = list(_details(events[begun:]))
    return [*told, ["Not committed yet:", *rest]] if rest else told


def _head(event: Committed | RolledBack | Undone | Redone) -> str:
    match event:
        case Committed():
            return show(f"Step {event.step}, committed as {event.commit[:10]}: {clip_line(event.subject, WIDTH)}")
        case RolledBack():
            why = f" ({clip_line(event.reason, WIDTH)})" if event.reason else ""
            return show(f"Rolled back to {event.to[:10]}{why}")
        case _:
            return f"A person {event.event} steps: step {event.step} is the last that counts"


def _details(events: Sequence[Event]) -> Iterator[str]:
    """Tell what happened within a step."""
    acts = [event for event in events if isinstance(event, Acted)]
    verdict = next((event for event in reversed(events) if isinstance(event, Verified)), None)
    planned = next((event for event in reversed(events) if isinstance(event, Planned)), None)
    calls = Counter(act.call.name for act in acts)
    if calls:
        yield f"  calls: {', '.join(f'{name} x{count}' if count > 1 else name for name, count in calls.items())}"
    yield from (f"  you were told: {clip_line(show(event.text), WIDTH)}" for event in events if isinstance(event, Told))
    if planned is not None:
        yield f"  planned: {clip_line(show('; '.join(planned.steps)), WIDTH)}"
    yield from _changes(acts, verdict)
    if verdict is not None:
        results = verdict.verdict.results
        yield f"  checks: {show(', '.join(f'{result.check} {result.status}' for result in results))}"
    yield from _failures(acts)


def _changes(acts: Sequence[Acted], verdict: Verified | None) -> Iterator[str]:
    if verdict is not None:
        changed = [f"{file.path} +{file.added} -{file.removed}" for file in verdict.change.files]
    else:
        edits = (edit for act in acts for edit in act.result.metadata.edits)
        changed = [f"{edit.path} {edit.before} → {edit.after} lines" for edit in {e.path: e for e in edits}.values()]
    if changed:
        yield f"  changed: {show(_some(changed))}"


def _failures(acts: Sequence[Acted]) -> Iterator[str]:
    """Tell each kind of failure once, with what was said last."""
    failed: dict[tuple[str, str, str], list[Acted]] = {}
    for act in acts:
        if not act.result.ok:
            failed.setdefault((act.call.name, act.call.about, act.result.error or ""), []).append(act)
    for (name, about, kind), found in [*failed.items()][-NAMED:]:
        times = f" x{len(found)}" if len(found) > 1 else ""
        said = next((line for line in found[-1].result.output.split("\n") if line.startswith("FAILED ")), "")
        words = said or found[-1].result.output.partition("\n")[0]
        yield f"  failed{times}: {name} {clip_line(show(about), 80)} ({kind}): {clip_line(show(words), WIDTH)}"


def _some(named: Sequence[str]) -> str:
    more = f" and {len(named) - NAMED} more" if len(named) > NAMED else ""
    return f"{', '.join(named[:NAMED])}{more}"


def _said(events: Sequence[Event], room: int) -> str:
    """Keep what the model said, each wording once, the rarest where there is too much."""
    texts = (event.reply.text.strip() for event in events if isinstance(event, Replied))
    wordings = [*dict.fromkeys(filter(None, texts))]
    rarity = Rarity()
    for text in wordings:
        rarity.add(text.split("\n"))
    facts = [Fact(rarity.rate(text) + 1, at, _shorten(text, rarity)) for at, text in enumerate(wordings)]
    return "\n".join(f"- {fact.text}" for fact in _choose(facts, room, 3))


def _shorten(text: str, rarity: Rarity) -> str:
    """Cut a text to its lines that say most, in one line."""
    lines = [clip_line(show(line.strip()), WIDTH) for line in text.split("\n") if line.strip()]
    facts = [Fact(rarity.rate(line), at, line) for at, line in enumerate(lines)]
    return " … ".join(fact.text for fact in _choose(facts, WIDTH + 50, 5))


def _choose(facts: Sequence[Fact], room: int, apiece: int, heads: Mapping[int, str] = NO_HEADS) -> list[Fact]:
    """Take the best that there is room for, each with what it takes besides, and return them in their order."""
    chosen: list[Fact] = []
    begun: set[int] = set()
    for fact in sorted(facts, key=lambda fact: (-fact.rate, -fact.at)):
        head = weight(heads[fact.answer]) if fact.answer in heads and fact.answer not in begun else 0
        cost = weight(fact.text) + apiece + head
        if cost <= room:
            chosen.append(fact)
            begun.add(fact.answer)
            room -= cost
    return sorted(chosen, key=lambda fact: fact.at)


def _read(events: Sequence[Event], room: int) -> str:
    """Name the files that were read with their lengths, those that were read last where there are too many."""
    pages = (
        page(event.result.output) for event in events if isinstance(event, Acted) and event.call.name == "read_file"
    )
    sizes = {shown.path: shown.label.rpartition(" ")[2] for shown in pages if shown is not None}
    facts = [Fact(at, at, f"{path} ({lines} lines)") for at, (path, lines) in enumerate(sizes.items())]
    chosen = _choose(facts, room - 40, 2)
    more = f" … and {len(facts) - len(chosen)} more" if len(chosen) < len(facts) else ""
    return show(", ".join(fact.text for fact in chosen) + more)


def _answers(events: Sequence[Event], room: int, keep: Keep) -> str:
    """Keep the lines of answers that say what no other says, and tell where all of each can be read."""
    acts = {at: event for at, event in enumerate(events) if isinstance(event, Acted)}
    refs = {at: ref for at, act in acts.items() if (ref := _store(act, keep))}
    heads = {at: f"{_name(act.call)}{f' [{refs[at]}]' if at in refs else ''}:" for at, act in acts.items()}
    told: dict[int, list[str]] = {}
    for fact in _choose(_rare(acts), room - 100, 3, heads):
        told.setdefault(fact.answer, []).append(f"  {fact.text}")
    lines = chain.from_iterable((heads[at], *rows) for at, rows in told.items())
    return "\n".join([*lines, *_stored(refs.values())])


def _stored(refs: Iterable[str]) -> Iterator[str]:
    numbers = sorted({int(ref[1:]) for ref in refs if REF.fullmatch(ref)})
    if numbers:
        more = f" to o{numbers[-1]}" if numbers[1:] else ""
        yield f"Whole answers can be read with read_output: o{numbers[0]}{more}"


def _name(call: ToolCall) -> str:
    return f"{call.name} {clip_line(show(call.about), 100)}".strip()


def _store(act: Acted, keep: Keep) -> str:
    """Return where the whole of an answer is kept, where it is worth it."""
    if act.result.metadata.stored:
        return act.result.metadata.stored
    output = act.result.output
    return keep(output) if act.call.name not in TREE and weight(output) > WORTH else ""


def _rare(acts: Mapping[int, Acted]) -> list[Fact]:
    """Rate the lines of all answers, and keep the best of each."""
    lines = {at: _lines(act) for at, act in acts.items() if act.call.name not in DEEDS}
    rarity = Rarity()
    for told in lines.values():
        rarity.add(told)
    found: list[Fact] = []
    known: set[str] = set()
    for at, told in lines.items():
        worth = AGAIN if acts[at].call.name in TREE else 1.0
        fresh = [line for line in dict.fromkeys(told) if line not in known]
        rated = [Fact(rarity.rate(line) * worth, number, line, at) for number, line in enumerate(fresh, len(found))]
        best = sorted(rated, reverse=True)[:LINES]
        found += (fact for fact in sorted(best, key=lambda fact: fact.at) if fact.rate >= RARE)
        known.update(fact.text for fact in best)
    return [fact._replace(at=at, text=clip_line(show(fact.text), WIDTH)) for at, fact in enumerate(found)]


def _lines(act: Acted) -> list[str]:
    """Part an answer into lines; those of a file without their numbers, so that what was read twice is the same."""
    output = act.result.output
    shown = page(output) if act.call.name == "read_file" else None
    return [line.strip() for line in (shown.lines if shown is not None else output.split("\n"))]
