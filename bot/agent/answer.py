"""What a model hears of what it did: the fate of a candidate, and what is said to it that answers no call."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from bot.agent.asking import WAITS
from bot.core.event import Ended
from bot.core.message import Finish, ToolCall, ToolResult
from bot.errors import Unverified

OBJECTION = (
    "Not yet: the change touches what it is judged by, and this speaks against it. Mend it and call checkpoint, "
    "or call finish again and leave it to a person:"
)
NUDGE = "There was no call in your reply. Call a tool to go on, or `finish` to end."


class Broken(NamedTuple):
    """What becomes of a reply that is no claim that anything is done, although it makes no call."""

    words: str
    """What the model is told."""
    bound: int
    """How often in a row it is told so before the run stops."""
    why: str
    """Why the run stops then."""
    error: str


BROKEN: Mapping[Finish, Broken] = {
    "length": Broken(
        "Your reply was cut off by the cap on its length, before it made a call. Say less, make one call.",
        2,
        "the model's replies are cut off before they make a call, again and again",
        "truncated",
    ),
    "refused": Broken(
        "You declined to answer. Go on with what you can do, or call `finish` and say why.",
        1,
        "the model declines to answer",
        "refused",
    ),
}
CUT_OFF = "not executed: the run stopped before this call and was taken up again; look at the files and call again"
DECLINED = "not executed: the person who was asked did not allow it, and says what to do instead"
GONE = (
    "\nA test that was there has to be there still: it may have another name, place or more cases if it asks the same. "
    "If the task wants it gone, leave it as it is and say so when you finish."
)
TOGETHER = "\nA new test that fails is committed together with what makes it pass."


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model hears of its candidate."""

    ok: bool
    text: str
    kind: str = Unverified.kind
    end: Ended | None = None
    """Set where somebody stopped the run, or has to answer first."""

    @property
    def held(self) -> bool:
        """Whether the candidate waits for an answer: it is neither judged nor refused."""
        return self.end is not None and self.end.stop == WAITS

    @property
    def error(self) -> str | None:
        """The kind of failure, as results of tools tell it."""
        return None if self.ok else self.kind

    def reply_to(self, call: ToolCall) -> ToolResult:
        """Make it the result of the call that asked for a judgement."""
        return ToolResult(call_id=call.id, ok=self.ok, output=self.text, error=self.error)


def tell_rollback(kind: str, text: str, to: str) -> Answer:
    """Say that a candidate is refused for good, and where the files are now."""
    return Answer(ok=False, kind=kind, text=f"{text}\nrolled back: the files are as at {to[:10]} again")
