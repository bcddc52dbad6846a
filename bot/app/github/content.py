"""Holds what commits change against policy once more, with the rules of whoever publishes, and looks for secrets."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from bot.agent.asking import find_doomed, unasked
from bot.app.github.exhibit import TOLD, Exhibit
from bot.core.approval import Decision, Refusal
from bot.core.change import ChangeSet
from bot.core.diff import read_lines
from bot.core.event import Committed, Decided, Event, Redone, Reviewed, RolledBack, Undone, Verified
from bot.core.policy import refusals, secret_findings
from bot.core.redact import MARK, Redactor
from bot.core.task import Task
from bot.core.tokens import name_secrets

Compare = Callable[[str, str], ChangeSet]
"""Tells what differs between two commits, from the objects themselves."""
MOST_DIFFERENCES = 3
"""Paths that are named where a record tells of another change than was made."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What a change may do, as whoever publishes it has set it."""

    task: Task
    """With the scope, the protected paths and the limits that hold."""
    grants: tuple[Decision, ...] = ()
    """What a person allowed, as far as that is known here; what a record says of it does not count."""

    def refuse(self, change: ChangeSet, whole: ChangeSet) -> Iterator[str]:
        """Say why a step must not be published."""
        for refusal in refusals(change, self.task, self.task.limits, whole):
            if not self.allows(refusal, change.tree):
                yield refusal.text

    def refuse_deletions(self, whole: ChangeSet, events: Sequence[Event]) -> Iterator[str]:
        """Name files of the base that are gone, did not go to another place, and that nobody allowed to go."""
        # Steps end nothing here, and nobody's answer counts
        ends = (Committed, RolledBack, Undone, Redone, Decided)
        calls = [event for event in events if not isinstance(event, ends)]
        given = (grant for grant in self.grants if grant.allowed and grant.by == "person")
        # Whoever lets one file go does not mind what becomes of others later
        doomed = frozenset[str]().union(*(find_doomed(grant.question) for grant in given))
        for path in unasked(whole.files, calls):
            if path not in doomed and not self.allows(Refusal(path, "delete", path), whole.tree):
                yield f"{path}: nobody allowed it to be deleted"

    def allows(self, refusal: Refusal, tree: str) -> bool:
        """Say whether a person allowed what is refused."""
        return refusal.risk is not None and any(
            grant.allowed
            and grant.by == "person"
            and grant.question.risk == refusal.risk
            and (not grant.question.parts or refusal.subject in grant.question.parts)
            and grant.tree in ("", tree)
            for grant in self.grants
        )


def find_secrets(change: ChangeSet, redactor: Redactor) -> Iterator[str]:
    """Say where a change would publish a secret, without repeating it."""
    yield from secret_findings(change)
    paths = "\n".join(change.paths)
    if redactor.holds(paths) or any(name_secrets(paths)):
        yield "the name of a file holds what looks like a secret"
    if redactor.holds("\n".join(line.text for line in read_lines(change.patch) if line.sign == "+")):
        yield "an added line holds a secret of this process"


def leaks(what: str, text: str, redactor: Redactor) -> Iterator[str]:
    """Say that a text holds what looks like a secret, where it does."""
    if redactor.text(text) != text:
        yield f"{what} holds what looks like a secret"


def find_told(shown: Exhibit, redactor: Redactor) -> Iterator[str]:
    """Say where a record would publish a secret."""
    for number, event in enumerate(shown.events, 1):
        if redactor.event(event) != event:
            yield f"line {number} of its record holds what looks like a secret"
    for name in TOLD:
        yield from leaks(f"{name} of its record", shown.read(name).decode("utf-8", "replace"), redactor)


def find_untruths(events: Sequence[Event], parents: Callable[[str], str], base: str, compare: Compare) -> Iterator[str]:
    """Say where a record tells of another change than its commits make."""
    judged: Verified | None = None
    for event in events:
        match event:
            case Verified():
                judged = event
            case Committed() if judged is not None and parents(event.commit):
                yield from _differ(judged.change, compare(parents(event.commit), event.commit), f"step {event.step}")
            case Reviewed() if event.step:
                yield from _differ(event.change, compare(base, event.commit), "all steps together")
            case _:
                pass


def _differ(told: ChangeSet, true: ChangeSet, what: str) -> Iterator[str]:
    # A record has secrets taken out of it, of which not all may be known here
    patch = true.patch if MARK in told.patch else told.patch
    if told.model_copy(update={"patch": patch}) == true:
        return
    other = sorted(file.path for file in {*told.files} ^ {*true.files})
    named = _some(dict.fromkeys(other)) or "its text"
    yield f"the record tells of another change in {what} than its commit makes: {named}"


def _some(paths: Iterable[str]) -> str:
    named = list(paths)
    more = f" and {len(named) - MOST_DIFFERENCES} more" if named[MOST_DIFFERENCES:] else ""
    return ", ".join(named[:MOST_DIFFERENCES]) + more
