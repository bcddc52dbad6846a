"""What an entry of a run's ref says, and what it keeps reachable."""

from collections.abc import Iterator

from bot.core.escape import line, plain
from bot.core.event import Acted, Committed, Ended, Event, Published, Redone, Resumed, RolledBack, Started, Undone
from bot.core.lineage import Lineage
from bot.core.talk import Planned

SUBJECT = 100
"""Characters; what a person reads of an entry in one line."""


def describe(event: Event, lineage: Lineage) -> str:
    """Say what an event brought, where it is worth an entry; `lineage` is what counts after it."""
    return line(plain(": ".join(filter(None, _say(event, lineage)))[: 8 * SUBJECT]), SUBJECT)


def _say(event: Event, lineage: Lineage) -> tuple[str, ...]:
    """Say what happened and, where there is more to say, why."""
    told: tuple[str, ...] = ()
    match event:
        case Started():
            told = ("started", event.task.title)
        case Acted() if event.tree:
            told = ("draft", f"{event.call.name} {event.call.about[:60]}".rstrip())
        case Committed():
            told = (f"step {event.step}", event.subject)
        case RolledBack():
            told = (f"rolled back to {_place(lineage)}", event.reason)
        case Undone() | Redone():
            how = " by reverting" if event.how == "reverted" else ""
            where = f" on {', '.join(event.where)}" if event.where else ""
            told = (f"{event.event} to {_place(lineage)}{where}{how}",)
        case Published():
            told = ("published", event.where) if "://" in event.where else (f"accepted onto {event.where}",)
        case Resumed():
            told = (f"resumed at {_place(lineage)}", "with its draft" if event.tree else "")
        case Planned(by="person") if not event.source:
            told = ("plan changed by a person",)
        case Ended():
            told = (f"ended: {event.stop}", event.detail.strip().partition("\n")[0].removesuffix(":"))
        case _:
            pass
    return told


def _place(lineage: Lineage) -> str:
    return f"step {lineage.step}" if lineage.step else "the base"


def keep(event: Event) -> Iterator[str]:
    """Name the commits that an event brought."""
    match event:
        case Started():
            yield event.task.base
        case Committed():
            yield event.commit
        case RolledBack():
            yield event.kept
        # What was accepted lies on the person's branch; held here, commits of theirs would travel with the record
        case Undone() | Redone():
            yield event.commit
            for place in event.places:
                yield from (place.before, place.after, *(made.commit for made in place.made))
        case _:
            pass


def draft(event: Event) -> str:
    """Return the tree of files that no commit holds yet; empty where an event changed none."""
    return event.tree if isinstance(event, Acted) else ""


def is_over(event: Event, *, before: bool) -> bool:
    """Say whether a run is over after an event; what a person does with it later changes nothing about that."""
    match event:
        case Ended():
            return True
        case Resumed():
            return False
        case _:
            return before
