"""A reply that is still coming, as one line."""

import re
from dataclasses import dataclass, field

from bot.core.escape import line
from bot.core.event import Event
from bot.core.limits import cost_of
from bot.core.message import Progress, Searching, Usage
from bot.core.money import show_dollars
from bot.core.redact import Redactor, sanitize
from bot.core.talk import Replied

_WHOLE = (re.compile(r".*\s", re.DOTALL), re.compile(r"(?<=\s)\S.*\s", re.DOTALL))
"""The words of a text that are whole: of one from its beginning, and of the end of one."""
WIDTH = 60
"""Characters of what is said that are shown."""
KILO, MEGA = 1_000, 1_000_000


def tell(coming: Progress | Searching, redactor: Redactor) -> str:
    """Say what is coming: a call and its size, or the last words that are whole; or how far a search is.

    A secret may come in pieces, and what is kept of the text may begin within one: neither its first nor its last word
    is shown, and what is between them only without secrets.
    """
    if isinstance(coming, Searching):
        return tell_search(coming, redactor)
    if coming.call:
        return f"writing {line(redactor.text(sanitize(coming.call)), WIDTH)}, {spell(coming.characters)} characters"
    cut = coming.characters > len(coming.text)
    whole = _WHOLE[cut].search(coming.text)
    words = line(sanitize(redactor.text(whole[0])), KILO) if whole else ""
    if not words:
        return f"thinking, {spell(coming.characters)} characters" if coming.characters else "thinking"
    return words if len(words) <= WIDTH else f"…{words[-WIDTH:].partition(' ')[2]}"


def tell_search(searching: Searching, redactor: Redactor) -> str:
    """Say how far a search for a patch is, the place last: a narrow terminal has no room for it."""
    plural = "" if searching.tried == 1 else "s"
    parts = [f"searching: {searching.tried:,} candidate{plural} tried"]
    if searching.found:
        parts.append(f"{searching.found} found")
    parts.append(f"{searching.left:.0f} s left")
    if searching.place:
        parts.append(f"at {line(redactor.text(sanitize(searching.place)), WIDTH)}")
    return ", ".join(parts)


def spell(count: int) -> str:
    """Write a number in few letters."""
    if count < KILO:
        return str(count)
    return f"{count / KILO:.1f} k" if count < MEGA else f"{count / MEGA:.1f} M"


@dataclass(slots=True)
class Meter:
    """How far a run is, and what it has spent: turns, tokens, and money where there is a price."""

    turns: int = 0
    most: int | None = None
    """Turns that it may take."""
    usage: Usage = field(default_factory=Usage)

    def add(self, event: Event) -> None:
        """Count an event."""
        self.turns += isinstance(event, Replied)
        self.usage += cost_of(event)

    def __str__(self) -> str:
        return self._tell(self.turns)

    @property
    def ahead(self) -> str:
        """The same while the model is at its next turn."""
        return self._tell(self.turns + 1 if self.most is None else min(self.turns + 1, self.most))

    def _tell(self, turn: int) -> str:
        tokens = self.usage.input + self.usage.output
        said = [f"turn {turn}" + (f" of {self.most}" if self.most is not None else "")] if turn else []
        said += [f"{spell(tokens)} tokens"] if tokens else []
        said += [show_dollars(self.usage.cost)] if self.usage.cost else []
        return ", ".join(said)
