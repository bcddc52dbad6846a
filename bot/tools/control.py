"""Calls that steer the run: they are only described and validated here, the loop carries them out."""

from typing import Annotated

from pydantic import Field

from bot.errors import ToolError
from bot.tools.schema import Strings
from bot.tools.tool import Access, Arguments, Bench, Done, Tool

Text = Annotated[str, Field(max_length=20_000)]


class Plan(Arguments):
    """Say your steps."""

    steps: Strings
    requirements: Strings = ()
    boundaries: Strings = ()
    modules: Strings = ()
    changes: Strings = ()
    tests: Strings = ()
    verification: Strings = ()


class Checkpoint(Arguments):
    """Verify; commit if checks pass."""

    subject: Annotated[str, Field(max_length=500)]
    body: Text = ""


class Ask(Arguments):
    """Ask a person; pauses the run."""

    question: Annotated[Text, Field(min_length=1)]


class Finish(Arguments):
    """End the run."""

    summary: Text = ""


def leave(args: Arguments, _bench: Bench) -> Done:
    """Refuse: only the loop knows the run. Raises ToolError."""
    raise ToolError(f"{type(args).__name__.lower()} steers the run: the loop carries it out")


UPDATE_PLAN = Tool("update_plan", Plan, Access.CONTROL, leave)
CHECKPOINT = Tool("checkpoint", Checkpoint, Access.CONTROL, leave)
ASK = Tool("ask", Ask, Access.CONTROL, leave)
FINISH = Tool("finish", Finish, Access.CONTROL, leave)
