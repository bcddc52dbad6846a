"""What passes between the loop and a model, whichever service is behind it."""

import re
from typing import Literal, NamedTuple, Self, TypeAlias

from pydantic import Field, JsonValue

from bot.core.task import Record
from bot.errors import Billed

Finish: TypeAlias = Literal["stop", "tool_calls", "length", "refused"]

_PATCHED = re.compile(r"^(?:\+\+\+ b|--- a)/(.*)", re.MULTILINE)


class ToolSpec(Record):
    """A tool as it is described to a model; parameters are a JSON schema."""

    name: str
    description: str
    parameters: dict[str, JsonValue]


class ToolCall(Record):
    """An action that a model asks for."""

    id: str
    name: str
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    raw: str = ""
    """The arguments as they came, kept only when they could not be parsed; such a call is never executed."""

    @property
    def about(self) -> str:
        """The first line of what it is called with first; of a patch, the file that it changes."""
        first = next((value for value in self.arguments.values() if isinstance(value, str | int | list)), "")
        text = " ".join(map(str, first)) if isinstance(first, list) else str(first)
        patched = _PATCHED.search(text) if text.startswith(("--- ", "diff --git ")) else None
        return patched[1] if patched else text.partition("\n")[0]


class Edit(Record):
    """What one tool did to one file."""

    path: str
    before: int
    """Lines before; 0 for a new file."""
    after: int
    """Lines after; 0 for a deleted file."""
    first: int = 0
    """First changed line, counted from 1, in the new text; 0 when no line remains."""
    last: int = 0


class Undecided(Record):
    """An edit that a tool proposes beside others that pass the same tests and do something else."""

    path: str
    line: int
    patch: str
    """The edit as a unified diff."""
    others: int
    """How many other edits there are."""
    other: str = ""
    """The best of those as a unified diff, where it is known on what it differs."""
    call: str = ""
    """A call on which the two differ."""
    answers: tuple[str, str] = ("", "")
    """What each of them gives for it."""


class Metadata(Record):
    """What a result says to the program rather than to the model."""

    edits: tuple[Edit, ...] = ()
    stored: str = ""
    """Reference under which the whole output can be paged with read_output."""
    seconds: float = 0.0
    isolation: str = ""
    ran: str = ""
    """The command as it was carried out, for those who review the run."""
    hit: tuple[str, ...] = ()
    """Limits that the command ran into."""
    undecided: tuple[Undecided, ...] = ()
    """Proposed edits between which the tests do not decide."""


class ToolResult(Record):
    """What came of a tool call, as the model sees it."""

    call_id: str
    ok: bool
    output: str
    error: str | None = None
    """The kind of failure (see errors.ToolError.kind), or None."""
    truncated: bool = False
    metadata: Metadata = Metadata()


class Usage(Record):
    """What replies cost: tokens, and US dollars where the price is known."""

    input: int = 0
    output: int = 0
    cached: int = 0
    """Part of the input that was read from the provider's cache."""
    cost: float = 0.0

    @classmethod
    def of(cls, billed: Billed) -> Self:
        """Take what a request cost that was not answered."""
        return cls.model_validate(billed._asdict())

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            input=self.input + other.input,
            output=self.output + other.output,
            cached=self.cached + other.cached,
            cost=self.cost + other.cost,
        )


class Message(Record):
    """One entry of the conversation that a model is shown."""

    role: Literal["user", "assistant", "tool"]
    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    call_id: str | None = None


class Prompt(Record):
    """All that a model needs for its next reply."""

    system: str
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    longer: bool = False
    """Whether the last reply was cut off by the cap on its length, so that this one may have more."""


class Reply(Record):
    """One reply: some text, some calls, or both."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    usage: Usage = Usage()
    finish: Finish = "stop"


class Searching(NamedTuple):
    """How far a search for a patch is."""

    tried: int
    """Candidates so far."""
    place: str
    """The line that is looked at, the likeliest one: `path:number`."""
    left: float
    """Seconds that remain at most."""
    found: int = 0
    """Candidates that were confirmed."""


class Progress(NamedTuple):
    """What has come of a reply so far."""

    text: str = ""
    """The end of what is said, as it came."""
    call: str = ""
    """The tool whose arguments are coming."""
    characters: int = 0
    """Of text and arguments, all together."""
