"""Which commits stand for the steps of a run, on whatever branch, as a fold: they may have been made more than once."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from bot.core.branches import Made
from bot.core.event import Committed, Event, Published, Redone, Undone


@dataclass(frozen=True, slots=True)
class Copies:
    """The commits that bring steps or take them back, in the order in which they were made."""

    made: tuple[Made, ...] = ()
    undone: tuple[Undone, ...] = ()
    """What a redo would take back, the last one last."""

    @property
    def commits(self) -> frozenset[str]:
        """Every commit that is ours."""
        return frozenset(made.commit for made in self.made)

    def add(self, event: Event) -> "Copies":
        """Return what is known after an event."""
        match event:
            case Committed():
                return Copies((*self.made, Made(step=event.step, commit=event.commit)))
            case Undone():
                return Copies((*self.made, *_made(event)), (*self.undone, event))
            case Redone():
                return Copies((*self.made, *_made(event)), self.undone[:-1])
            case Published():
                return replace(self, made=(*self.made, *_made(event)))
            case _:
                return self

    def find(self, step: int, held: Collection[str]) -> str:
        """Return the commit by which a step counts where these commits are held; empty when it does not count there."""
        last = next((made for made in reversed(self.made) if made.step == step and made.commit in held), None)
        return "" if last is None or last.back else last.commit


def _made(event: Undone | Redone | Published) -> Iterable[Made]:
    return (made for place in event.places for made in place.made)


def trace_copies(events: Iterable[Event]) -> Copies:
    """Fold events into the commits that stand for steps."""
    copies = Copies()
    for event in events:
        copies = copies.add(event)
    return copies
