"""What a tool is: a typed argument model, what it may touch, and a function."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Generic, NamedTuple, Self, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from bot.core.message import Edit, Metadata, Searching, ToolCall, ToolResult, ToolSpec, Undecided
from bot.core.past import NO_PAST, Past
from bot.core.redact import MARK
from bot.core.task import Task
from bot.core.unseen import show
from bot.errors import BadArguments, Denied, NoMatch, NotFound, ToolError
from bot.protocols import Executor, Workspace
from bot.tools.excerpt import CAP, fit
from bot.tools.schema import explain, outline_schema
from bot.verify.ladder import Ladder


class Arguments(BaseModel):
    """Base of all argument models; the docstring of each is its tool's description."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _drop_nulls(cls, value: Any) -> Any:
        """Read null as left out: many models send every optional argument."""
        if not isinstance(value, dict):
            return value
        optional = {name for name, field in cls.model_fields.items() if not field.is_required()}
        return {name: item for name, item in value.items() if item is not None or name not in optional}

    @model_validator(mode="after")
    def _refuse_surrogates(self) -> Self:
        """Refuse what is no text: it could be neither written nor recorded."""
        for name, value in self:
            for item in value if isinstance(value, tuple) else (value,):
                if isinstance(item, str) and any("\ud800" <= c <= "\udfff" for c in item):
                    raise ValueError(f"{name} holds half a character (a lone surrogate)")
        return self


A = TypeVar("A", bound=Arguments)

HIDING = "bubblewrap"
"""The isolation level in which a command reaches no tree but its own; at landlock it may change modes in others."""


class Access(StrEnum):
    """What a tool may do to the workspace; reads of one reply may run side by side."""

    READ = "read"
    WRITE = "write"
    EXECUTE = "execute"
    CONTROL = "control"
    """Steers the run; the loop carries it out."""


@dataclass(frozen=True, slots=True)
class Bench:
    """What a tool works with."""

    workspace: Workspace
    executor: Executor
    ladder: Ladder
    task: Task
    store: Path
    """Folder where outputs too long for a result are kept."""
    allowed: frozenset[str] = frozenset()
    """Commands off the list that somebody allowed for this one call, as they would be typed."""
    most: int = 1_000_000
    """Bytes of one answer that the model has room for, whatever a tool would show."""
    watch: Callable[[Searching], None] | None = None
    """Is told how far a search for a patch is."""
    past: Past = NO_PAST
    """What changed before the base of the run."""

    def unsettle(self) -> None:
        """Say that commands ran on another tree: where nothing hides the workspace they may have written there, too."""
        if self.executor.isolation != HIDING:
            self.workspace.disturb()


class Done(NamedTuple):
    """What a tool answers."""

    output: str
    edits: tuple[Edit, ...] = ()
    isolation: str = ""
    ran: str = ""
    hit: tuple[str, ...] = ()
    undecided: tuple[Undecided, ...] = ()


@dataclass(frozen=True, slots=True)
class Tool(Generic[A]):
    """A tool; its schema and its description come from its argument model."""

    name: str
    args: type[A]
    access: Access
    run: Callable[[A, Bench], Done]
    cap: int = CAP
    """Bytes of its output that a model is shown at once."""

    @property
    def spec(self) -> ToolSpec:
        """The tool as a model is told of it."""
        description = " ".join((self.args.__doc__ or "").split())
        return ToolSpec(name=self.name, description=description, parameters=outline_schema(self.args))

    def parse(self, call: ToolCall) -> A:
        """Validate a call's arguments. Raises BadArguments."""
        if call.raw:
            raise BadArguments(f"the arguments of {self.name} are not a JSON object; nothing was executed")
        try:
            return self.args.model_validate(call.arguments)
        except ValidationError as error:
            raise BadArguments(f"{self.name}: {explain(error, self.args)}") from error

    def _admit(self, call: ToolCall, bench: Bench) -> A:
        """Validate a call; a secret is not written anywhere, not even for a while. Raises BadArguments, Denied."""
        args = self.parse(call)
        if self.access is Access.WRITE and bench.ladder.redactor.holds(args.model_dump_json()):
            raise Denied(f"{self.name}: a secret that must not be shown would be written; nothing was changed")
        return args

    def call(self, call: ToolCall, bench: Bench) -> ToolResult:
        """Run, and turn whatever the model should hear of into a result, capped in length."""
        begun = time.monotonic()
        try:
            done, kind = self.run(self._admit(call, bench), bench), None
        except ToolError as error:
            masked = f"\n{MARK} stands for a secret that is not shown: leave its lines out"
            missed = isinstance(error, NoMatch) and MARK in call.model_dump_json()
            done, kind = Done(error.message + masked * missed), error.kind
        except OSError as error:
            done, kind = Done(f"{self.name}: {error.strerror or type(error).__name__}"), _kind(error)
        # Before it is cut or kept: half a secret would not be known for one
        shown = fit(show(bench.ladder.redactor.text(done.output)), bench.store, min(self.cap, bench.most))
        metadata = Metadata(
            edits=done.edits,
            stored=shown.ref,
            seconds=round(time.monotonic() - begun, 4),
            isolation=done.isolation,
            ran=done.ran,
            hit=done.hit,
            undecided=done.undecided,
        )
        return ToolResult(
            call_id=call.id,
            ok=kind is None,
            output=shown.text,
            error=kind,
            truncated=shown.cut,
            metadata=metadata,
        )


def _kind(error: OSError) -> str:
    """Name the kind of failure that an error of the file system is to a model."""
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return NotFound.kind
    return Denied.kind if isinstance(error, PermissionError) else ToolError.kind
