"""All that the job which worked hands to the job which publishes, beside a bundle of commits."""

from typing import Literal

from pydantic import Field, field_validator

from bot.core.plan import Design
from bot.core.task import Record

NAME = "handover.json"
BUNDLE = "run.bundle"
LARGEST = 4 << 20
"""Bytes of the file; publishing reads no more."""


class Base(Record):
    """What became of the branch that the change is for, while the run worked."""

    ref: str = ""
    """Branch, short."""
    then: str = ""
    """Where it stood when the run began, a full commit id."""
    now: str = ""
    """Where it stood when the run ended; empty when that could not be asked."""
    state: Literal["same", "rebased", "conflicts", "unverified", "unknown"] = "same"
    """`rebased`: the steps were made and judged again on top of `now`; `conflicts`: they could not be; `unverified`:
    they could, but did not hold there, so that they stand on `then`."""
    passes: bool = False
    """Of what was made again on top of `now`: whether every check passes there."""
    later: str = ""
    """Where it stood when this was published, if it went on after the run and the change can be merged there; only
    whoever publishes says so."""
    detail: str = Field(default="", max_length=2_000)


class Handover(Record):
    """The claim of a job, to be held against what it hands over."""

    version: Literal[1] = 1
    repository: str
    """OWNER/NAME."""
    workflow_run: str = ""
    """Id of the CI run that wrote this."""
    run: str = Field(default="", max_length=80)
    """The run; empty where none was made."""
    branch: str = Field(default="", max_length=200)
    """Where its commits stand in the bundle, short; empty where there are none."""
    base: Base = Base()
    plan: tuple[str, ...] = Field(default=(), max_length=200)
    """What would be done, where only a plan was asked for."""
    design: Design = Design()
    """What that rests on."""
    said: str = Field(default="", max_length=20_000)
    """Why there is no run, or what a person should know beside its report."""
    reason: str = Field(default="", max_length=200, pattern=r"^[a-z]*(?:-[a-z]+)*$")
    """A word for it: `refused`, `not-reproduced`, `red-before`, `flaky`, `infrastructure`, `nothing-to-undo`, …"""

    @field_validator("reason")
    @classmethod
    def _promise_nothing(cls, reason: str) -> str:
        # It becomes the outcome that later steps of a workflow go by
        if reason in ("verified", "partial"):
            raise ValueError("only a run can end so")
        return reason
