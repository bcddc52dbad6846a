"""Where the plan of a run stands, as a fold: what was meant last, and how many of its steps are done."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Literal

from bot.core.event import Committed, Event, Redone, Undone
from bot.core.lineage import Lineage
from bot.core.plan import Design
from bot.core.talk import Planned


@dataclass(frozen=True, slots=True)
class Course:
    """A plan and its progress: each verified commit since it was made does one of its steps, in their order."""

    steps: tuple[str, ...] = ()
    design: Design = field(default_factory=Design)
    by: Literal["model", "person"] = "model"
    lineage: Lineage = field(default_factory=Lineage)
    since: frozenset[int] = frozenset()
    """Numbers of the verified steps that were made for this plan, undone ones too."""

    @property
    def done(self) -> int:
        """How many of its steps are done."""
        made = sum(step.step in self.since for step in self.lineage.live)
        return min(made, len(self.steps))

    @property
    def next(self) -> str:
        """The step that comes next; empty where none is left."""
        return self.steps[self.done] if self.done < len(self.steps) else ""

    def add(self, event: Event) -> "Course":
        """Return the course after an event."""
        match event:
            case Planned():
                return self._plan(event)
            case Committed():
                return replace(self, lineage=self.lineage.add(event), since=self.since | {event.step})
            case Undone() | Redone():
                return replace(self, lineage=self.lineage.add(event))
            case _:
                return self

    def _plan(self, event: Planned) -> "Course":
        # Whoever repeats what is done already has revised the rest; else the plan begins anew
        goes_on = self.done and event.steps[: self.done] == self.steps[: self.done]
        design = event.design if event.design != Design() else self.design
        since = self.since if goes_on else frozenset[int]()
        return replace(self, steps=event.steps, design=design, by=event.by, since=since)


def track(events: Iterable[Event]) -> Course:
    """Fold events into where the plan stands."""
    course = Course()
    for event in events:
        course = course.add(event)
    return course
