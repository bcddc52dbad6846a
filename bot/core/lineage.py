"""Which steps of a run count, as a fold: a person may go back and forth over them, and the run may go on from there."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from bot.core.event import Committed, Event, Redone, Started, Undone


@dataclass(frozen=True, slots=True)
class Lineage:
    """The steps that count, oldest first, and those that a redo would bring back."""

    base: str = ""
    head: str = ""
    """Where the branch stands."""
    live: tuple[Committed, ...] = ()
    taken: tuple[tuple[Committed, ...], ...] = ()
    """The steps that each undo took back, the last undo last; a new step leaves nothing to redo."""
    made: int = 0
    """Steps ever committed; each has a number of its own, counted from 1."""

    @property
    def step(self) -> int:
        """Number of the last step that counts; 0 is the base."""
        return self.live[-1].step if self.live else 0

    def add(self, event: Event) -> "Lineage":
        """Return the lineage after an event."""
        match event:
            case Started():
                return Lineage(base=event.task.base, head=event.task.base)
            case Committed():
                live = (*self.live, event)
                return replace(self, head=event.commit, live=live, taken=(), made=self.made + 1)
            case Undone():
                kept = tuple(step for step in self.live if step.step <= event.step)
                taken = (*self.taken, self.live[len(kept) :])
                return replace(self, head=event.commit, live=kept, taken=taken)
            case Redone():
                back = self.taken[-1] if self.taken else ()
                return replace(self, head=event.commit, live=(*self.live, *back), taken=self.taken[:-1])
            case _:
                return self


def follow(events: Iterable[Event]) -> Lineage:
    """Fold events into the steps that count."""
    lineage = Lineage()
    for event in events:
        lineage = lineage.add(event)
    return lineage
