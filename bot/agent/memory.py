"""What a run remembers of itself: its events, and the folds that every turn asks for."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.agent.context import View
from bot.core.event import Event
from bot.core.limits import Meter
from bot.core.message import Prompt, ToolSpec


@dataclass(slots=True)
class Memory:
    """The events so far, and what is counted along with them."""

    specs: tuple[ToolSpec, ...]
    log: list[Event] = field(default_factory=list)
    meter: Meter = field(default_factory=Meter)
    view: View = field(init=False)

    def __post_init__(self) -> None:
        self.view = View(self.specs)

    @classmethod
    def of(cls, events: Sequence[Event], specs: tuple[ToolSpec, ...]) -> "Memory":
        """Remember what happened before."""
        memory = cls(specs)
        for event in events:
            memory.add(event)
        return memory

    def add(self, event: Event) -> None:
        """Remember an event."""
        self.log.append(event)
        self.meter.add(event)
        self.view.add(event)

    def prompt(self) -> Prompt:
        """Return what the model is shown next."""
        return self.view.prompt()

    @property
    def size(self) -> int:
        """The bytes of the next prompt."""
        return self.view.size
