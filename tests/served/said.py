"""What a served model says, before it is put into the words of a wire."""

import json
from typing import Any, Literal, NamedTuple, TypeAlias

Json: TypeAlias = Any
Finish: TypeAlias = Literal["stop", "tool_calls", "length", "refused"]


class Asked(NamedTuple):
    """A call as the model makes it; its arguments are text, so that they can be wrong."""

    name: str
    arguments: str = "{}"
    id: str = ""
    """Empty for one that the server makes up."""


class Cost(NamedTuple):
    """Tokens as a service counts them."""

    input: Json = 100
    output: Json = 20
    cached: Json = 0
    """Part of the input that was read from the cache."""


class Said(NamedTuple):
    """One reply."""

    text: str = ""
    calls: tuple[Asked, ...] = ()
    finish: Finish | None = None
    """None for what fits the calls."""
    cost: Cost = Cost()

    @property
    def ending(self) -> Finish:
        """Why the reply ends."""
        return self.finish or ("tool_calls" if self.calls else "stop")


class Piece(NamedTuple):
    """One event of a stream."""

    name: str
    """Empty where the wire does not name its events."""
    data: Json
    """A text is sent as it is."""

    def encode(self, newline: str = "\n") -> bytes:
        """Write the event as it is sent."""
        data = self.data if isinstance(self.data, str) else json.dumps(self.data)
        named = f"event: {self.name}{newline}" if self.name else ""
        return f"{named}data: {data}{newline}{newline}".encode("utf-8", "surrogatepass")


def parts(text: str, size: int) -> list[str]:
    """Cut a text as a stream does."""
    return [text[at : at + size] for at in range(0, len(text), size)]


def size_of(text: str) -> int:
    """Return the size of the parts: few enough for a long text, more than one for a short one."""
    return max(6, len(text) // 100)
