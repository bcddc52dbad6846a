"""The task that an order makes, with the words of those who wrote it and the limits of both sides."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from bot.app.desk import Desk, make_request, settle
from bot.app.github.door import Door
from bot.core.publication.attention import HIDDEN
from bot.core.publication.marker import bears
from bot.core.task import Request, Source
from bot.core.trigger.order import Order
from bot.core.trigger.trigger import PAGED, Trigger
from bot.core.untrusted import hides
from bot.errors import OrderError
from bot.git.repository import Repository

TRUST = {"trust": "untrusted", "consent": "later"}
"""Strangers write issues, and nobody sits at a terminal."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """A request, and the desk that it is carried out at."""

    desk: Desk
    request: Request
    flags: Mapping[str, object]
    """What settles a desk like this one elsewhere."""


def assign(door: Door, repository: Repository, base: str, words: str = "") -> Assignment:
    """Put an order into a request; `words` stand for the page's own. Raises UsageError."""
    order = door.order
    flags = _flags(settle(repository, TRUST, base), order)
    desk = settle(repository, flags, base)
    goal = words or tell_goal(door.trigger, order)
    noted = replace(desk, notes=(*desk.notes, *((HIDDEN,) if hides(goal) else ())))
    source = find_source(door.trigger)
    request = make_request(noted, goal, planning=order.verb == "plan", quiet=True, source=source)
    return Assignment(noted, request, flags)


def _flags(desk: Desk, order: Order) -> dict[str, object]:
    """Let an order narrow what the maintainers set, and never widen it. Raises UsageError."""
    settings = desk.settings
    if order.scope and settings.scope:
        raise OrderError("the workflow says which paths may change, and an order cannot say otherwise")
    flags: dict[str, object] = {**TRUST, "scope": order.scope}
    for name, wanted in order.limits:
        allowed = getattr(settings, f"max_{name}")
        number = wanted if allowed is None else min(wanted, allowed)
        flags[f"max_{name}"] = number if name in ("cost", "seconds") else int(number)
    return flags


def tell_goal(trigger: Trigger, order: Order) -> str:
    """Put an order's words and what its page says into one text."""
    parts = [order.words]
    if trigger.event in PAGED and (trigger.title or trigger.body):
        noun = "Pull request" if trigger.pull else "Issue"
        body = "" if bears(trigger.body) else trigger.body
        parts.append(f"{noun} #{trigger.number}: {trigger.title}\n\n{body}")
    if trigger.spot is not None:
        where = f"{trigger.spot.path}:{trigger.spot.line}" if trigger.spot.line else trigger.spot.path
        parts.append(f"This is about {where}\n\n```diff\n{trigger.spot.hunk}\n```" if trigger.spot.hunk else where)
    return "\n\n".join(part.strip() for part in parts if part.strip())


def split_goal(goal: str, number: int) -> tuple[str, str, str]:
    """Return what `tell_goal` put into one text: the words of an order, the title and the text of its issue."""
    words, _, page = goal.partition(f"Issue #{number}: ")
    title, _, body = page.partition("\n\n")
    return words.strip(), title.strip(), body.strip()


def find_source(trigger: Trigger) -> Source:
    """Tell where a task came from."""
    author = trigger.author.login if trigger.author else ""
    if trigger.run is not None:
        return Source(kind="ci", ref=str(trigger.run.id), url=trigger.run.url, author=author)
    if trigger.event in PAGED and trigger.number and not trigger.pull:
        return Source(kind="issue", ref=str(trigger.number), url=trigger.url, author=author)
    if trigger.number:
        return Source(kind="comment", ref=str(trigger.number), url=trigger.url, author=author)
    return Source(kind="comment" if trigger.text else "local", url=trigger.url, author=author)
