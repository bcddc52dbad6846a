"""Names of calls and tools that every service takes, and that no two calls share."""

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from bot.core.message import Message, ToolCall

LONGEST = 64
"""Characters of an id, and of a name."""

_ID = re.compile(rf"[a-zA-Z0-9_-]{{1,{LONGEST}}}")
_UNFIT = re.compile(r"[^a-zA-Z0-9_-]+")


def fit_name(name: str) -> str:
    """Make the name of a tool fit for the wire; a name that does is left as it is."""
    fit = _UNFIT.sub("_", name)[:LONGEST]
    return fit or "unnamed"


def fit_id(id: str, salt: str = "") -> str:  # noqa: A002 - the field's name
    """Make a call's id fit for the wire, the same each time; one that is fit is left as it is."""
    if _ID.fullmatch(id) and not salt:
        return id
    digest = hashlib.sha256(f"{salt}/{id}".encode("utf-8", "surrogatepass")).hexdigest()
    return f"call_{digest[:24]}"


def taken(messages: Iterable[Message]) -> frozenset[str]:
    """Collect the ids of calls that a prompt holds, as they are sent."""
    return frozenset(call.id for message in messages for call in message.calls)


def name_calls(calls: Sequence[ToolCall], used: Collection[str]) -> Iterator[ToolCall]:
    """Give every call an id that is fit and its own, among these and those used before; the same each time."""
    seen = set(used)
    for index, call in enumerate(calls):
        id, turn = fit_id(call.id) if call.id else "", 0  # noqa: A001 - the field's name
        while not id or id in seen:
            id = fit_id(f"{call.id}/{call.name}/{index}", f"{len(used)}.{turn}")  # noqa: A001
            turn += 1
        seen.add(id)
        yield call if id == call.id else call.model_copy(update={"id": id})
