"""What is asked before it happens, and what the answers allow later on."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from bot.core.task import Record

Risk: TypeAlias = Literal["delete", "protected", "command", "size"]
"""`delete`: a file goes; `protected`: a path that decides who may do what, or is outside the task's scope; `command`:
a program that is not on the list; `size`: more than one step or one run may change."""
Answer: TypeAlias = Literal["once", "run", "deny", "stop", "wait"]
"""Allow this, allow all of its kind for the rest of the run, refuse, end the run, or end it until a person says yes."""
Authority: TypeAlias = Literal["person", "policy", "earlier"]
"""Who answered: a person who saw it, the consent that the run was started with, or an answer given before."""

ALLOWED: frozenset[Answer] = frozenset({"once", "run"})


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why something must not be done."""

    text: str
    risk: Risk | None = None
    """What somebody may allow it as; None is final, whoever says so."""
    subject: str = ""
    """The path or the command that it is about; empty where it is about all of it."""


class Question(Record):
    """Something risky that a model wants, before it is done."""

    risk: Risk
    subject: str
    """What it is about, and what `run` allows from then on: paths, a line each, or a command; empty for all."""
    why: str
    """The reason for asking, as the end of a sentence that begins with the call or the step."""
    shown: str = ""
    """What a person looks at to decide: the command, or the diff."""

    @property
    def parts(self) -> frozenset[str]:
        """What it is about, one by one; none when it is about all of its kind."""
        # A command is one thing: a line of one argument must not pass for a command that was allowed
        return frozenset(filter(None, (self.subject,) if self.risk == "command" else self.subject.split("\n")))


class Decision(Record):
    """A question and its answer."""

    question: Question
    answer: Answer
    by: Authority
    who: str = ""
    """Login of the person, where that is known."""
    tree: str = ""
    """The files that were asked about, where the answer holds for no others."""

    @property
    def allowed(self) -> bool:
        """Whether it may be done."""
        return self.answer in ALLOWED


def find_grant(decisions: Iterable[Decision], question: Question) -> Decision | None:
    """Find an earlier answer that allows what is asked for the rest of the run; several may do so together."""
    granted = [each for each in decisions if each.answer == "run" and each.question.risk == question.risk]
    whole = next((each for each in granted if not each.question.parts), None)
    if whole is not None or not question.parts:
        return whole
    known = frozenset[str]().union(*(each.question.parts for each in granted))
    return granted[-1] if question.parts <= known else None
