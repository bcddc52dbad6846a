"""What is asked before it happens, and what the answers allow later on."""

from collections.abc import Iterable
from typing import Literal, TypeAlias

from bot.core.task import Record

Risk: TypeAlias = Literal["delete", "protected", "command", "size"]
"""`delete`: a file goes; `protected`: a path that decides who may do what, or is outside the task's scope; `command`:
a program that is not on the list; `size`: more than one step or one run may change."""
Answer: TypeAlias = Literal["once", "run", "deny", "stop"]
"""Allow this, allow all of its kind for the rest of the run, refuse, or end the run."""
Authority: TypeAlias = Literal["person", "policy", "earlier"]
"""Who answered: a person who saw it, the consent that the run was started with, or an answer given before."""

ALLOWED: frozenset[Answer] = frozenset({"once", "run"})


class Question(Record):
    """Something risky that a model wants, before it is done."""

    risk: Risk
    subject: str
    """What it is about, and what `run` allows from then on: a path, a command as it would be typed; empty for all."""
    why: str
    """The reason for asking, as the end of a sentence that begins with the call or the step."""
    shown: str = ""
    """What a person looks at to decide: the command, or the diff."""


class Decision(Record):
    """A question and its answer."""

    question: Question
    answer: Answer
    by: Authority

    @property
    def allowed(self) -> bool:
        """Whether it may be done."""
        return self.answer in ALLOWED

    def covers(self, question: Question) -> bool:
        """Say whether this answers another question, too."""
        same = (question.risk, question.subject) == (self.question.risk, self.question.subject)
        return self.answer == "run" and same


def find_grant(decisions: Iterable[Decision], question: Question) -> Decision | None:
    """Find an earlier answer that allows what is asked."""
    return next((decision for decision in decisions if decision.covers(question)), None)
