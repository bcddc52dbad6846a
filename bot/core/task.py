"""What is asked of a run."""

from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict

Trust: TypeAlias = Literal["trusted", "untrusted"]
Isolation: TypeAlias = Literal["auto", "bubblewrap", "landlock", "process"]
Consent: TypeAlias = Literal["ask", "later", "yes", "no"]


class Record(BaseModel):
    """A value that is read from outside or written to the trace: frozen, strict about its fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Source(Record):
    """Where a task came from, and so where its report goes."""

    kind: Literal["local", "issue", "comment", "ci", "hook"] = "local"
    ref: str = ""
    """An issue number, a CI run id, a hook's name."""
    url: str = ""
    author: str = ""


class Limits(Record):
    """How much one run may spend; None is no limit, 0 is nothing at all."""

    steps: int | None = 20
    """Verified commits."""
    turns: int | None = 80
    """Replies of the model."""
    attempts: int = 3
    """Failed verifications of one step before it is rolled back."""
    rollbacks: int = 3
    seconds: float | None = 1800.0
    tokens: int | None = None
    """Input and output together, cached input included."""
    cost: float | None = None
    """US dollars."""
    files: int | None = 50
    """Changed files, in one step and between the base and where the run stands."""
    lines: int | None = 2_000
    """Added and removed lines, likewise."""
    bytes: int | None = 1_000_000
    """Bytes of one new or changed file; all of them together may have ten times as many."""


class Task(Record):
    """One thing to do to one repository."""

    goal: str = ""
    """In the person's words; empty means whatever the checks say is broken."""
    source: Source = Source()
    base: str
    """The commit that the work starts from, as a full id."""
    since: str = ""
    """The commit from which the base came, as far as that is on trial, as a full id; empty where it is not known."""
    acceptance: tuple[str, ...] = ()
    """Names of checks that must pass at the end; empty means all."""
    scope: tuple[str, ...] = ()
    """Globs of paths that may change; empty means all."""
    protected: tuple[str, ...] = ()
    """Globs of paths that must not change, on top of the built-in ones."""
    limits: Limits = Limits()

    @property
    def title(self) -> str:
        """What it is called: its goal, or what stands for one."""
        if self.goal or self.source.kind != "hook":
            return self.goal or "mend what fails"
        return f"the commit that {self.source.ref or 'a hook'} refused"


class Mode(Record):
    """How a run is carried out, chosen by the door that it came through."""

    forge: Literal["local", "none"] = "local"
    """Where the report is delivered."""
    consent: Consent = "no"
    """Who answers a risky call: a person at the terminal, a person later on, always yes, always no."""
    model: str = ""
    """A model spec; empty means the default choice."""
    planning: bool = False
    """Whether only a plan is asked for, and nothing is to be changed."""
    sign: bool = False
    """Whether the commits of steps are signed, as the person's git configuration says."""


class Request(Record):
    """A task and how to carry it out."""

    task: Task
    mode: Mode = Mode()
    background: str = ""
    """What a model should know of earlier runs, in words that may be foreign."""
