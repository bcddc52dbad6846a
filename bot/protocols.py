"""The seams: all that the agent knows of the world outside it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, TypeAlias

if TYPE_CHECKING:
    # Seams only name these: whoever stands at one of them does not need what passes through the others
    from bot.core.approval import Decision, Question
    from bot.core.change import Blob, ChangeSet
    from bot.core.check import Verdict
    from bot.core.event import Event
    from bot.core.message import Progress, Prompt, Reply
    from bot.core.report import Report
    from bot.core.task import Source


class Model(Protocol):
    """Whoever proposes: a language model, the offline repairer, a script."""

    @property
    def name(self) -> str:
        """The spec that a person would type to get this model."""
        ...

    def reply(self, prompt: "Prompt", seconds: float | None = None) -> "Reply":
        """Answer a prompt; all of it may take so many seconds, None for as long as it wants. Raises ModelError."""
        ...


Watch: TypeAlias = Callable[["Progress"], None]
"""Is told while a reply comes; it must be quick, and may not raise."""


class Survey(NamedTuple):
    """What a model is told of a project for one task."""

    map: str = ""
    """The definitions that the rest of the project leans on most, file by file."""
    hints: tuple[str, ...] = ()
    """The places most likely concerned, the likeliest first."""


class Surveyor(Protocol):
    """Looks a project over for one task."""

    def survey(self, verdict: "Verdict") -> Survey:
        """Say where to look, given what the checks said of the base."""
        ...


class Rejected(NamedTuple):
    """Where a rollback went, and where the rejected tree is kept."""

    to: str
    kept: str
    """Commit id; empty when there was nothing to keep."""


class Match(NamedTuple):
    """One line that a search found."""

    path: str
    line: int
    text: str


class Cleaner(Protocol):
    """Gives folders that hold exactly one tree, and trees made of others."""

    def clean(self, tree: str, /) -> AbstractContextManager[Path]:
        """Give a folder that holds exactly this tree and nothing else; asked again, the same one, made anew."""
        ...

    def compose(self, tree: str, source: str, paths: Sequence[str], /) -> str:
        """Return the id of `tree` with these paths as they are in the tree `source`; absent there, they are left out.

        Paths are as FileChange tells them.
        """
        ...

    def read(self, tree: str, path: str, /) -> bytes | None:
        """Return a file's content in a tree; None when it is no file there."""
        ...


class Workspace(Protocol):
    """The throwaway worktree and branch that one run may change. Raises WorkspaceError."""

    @property
    def root(self) -> Path:
        """The worktree that tools read and write; absolute."""
        ...

    @property
    def head(self) -> str:
        """The last verified commit, or the base."""
        ...

    def tree(self) -> str:
        """Write the files as they stand as a tree object and return its id."""
        ...

    def diff(self, since: str = "") -> "ChangeSet":
        """Return what changed since a commit, the last verified one when none is named."""
        ...

    def commit(self, tree: str, message: str) -> str:
        """Commit a tree onto the branch, without hooks or signing, and return the commit id."""
        ...

    def rollback(self) -> Rejected:
        """Go back to the last verified commit, keeping the rejected tree reachable."""
        ...

    def restore(self, tree: str) -> None:
        """Make the files those of a tree that was recorded; the last verified commit stays what it is."""
        ...

    def refuse_write(self, path: str, data: bytes, source: str = "") -> str | None:
        """Say why a commit would not hold exactly this content at a path, spelled as the file system does.

        Filters, conversions that would rewrite other lines and ignore rules are such reasons. `source` is where a
        file that moves was before.
        """
        ...

    def touch(self, path: str) -> None:
        """Hear that a tool is about to write a file, by its path from the root: what no tool wrote is not looked at."""
        ...

    def disturb(self) -> None:
        """Hear that a command may have written any file: the next look is at all of them."""
        ...

    def holds(self, path: Path) -> bool:
        """Say whether a path on this machine lies in the worktree, or in the repository or checkout that it is of."""
        ...

    def clean(self, tree: str) -> AbstractContextManager[Path]:
        """Give a separate folder that holds exactly this tree and nothing else."""
        ...

    def compose(self, tree: str, source: str, paths: Sequence[str]) -> str:
        """Return the id of a tree with these paths as they are in another; see Cleaner."""
        ...

    def read(self, tree: str, path: str) -> bytes | None:
        """Return a file's content in a tree; see Cleaner."""
        ...

    def guard(self) -> None:
        """Look whether a command changed what git would obey. Raises RepositoryChanged."""
        ...

    def files(self) -> tuple[str, ...]:
        """List the files that are tracked or could be: ignore rules respected, names readable."""
        ...

    def names(self, revision: str) -> tuple[str, ...] | None:
        """List the files of a revision; empty where it is one file's content, None where it is no revision."""
        ...

    def search(
        self, pattern: str, *, glob: str = "", regex: bool = False, limit: int = 200, scope: Sequence[str] = ()
    ) -> tuple[Match, ...]:
        """Find lines in those files, without those made to hold secrets unless globs of `scope` name them."""
        ...

    def history(self, path: str, limit: int) -> str:
        """Tell the last commits that touched a path (all when empty), newest first, no later than the base."""
        ...


class Shelf(Protocol):
    """Where results are kept beyond a run, by key; what cannot be read or written is as if it were not there."""

    def get(self, key: str, /) -> bytes | None:
        """Return what was put under a key."""
        ...

    def put(self, key: str, value: bytes, /) -> None:
        """Keep something."""
        ...


class Contents(Protocol):
    """The files of recorded trees, without a checkout. Raises WorkspaceError."""

    def files(self, tree: str, /) -> "tuple[Blob, ...]":
        """List the regular files of a tree or commit, in the order of their paths' bytes."""
        ...

    def read(self, blobs: Iterable[str], largest: int, /) -> Iterator[tuple[str, bytes | None]]:
        """Yield each id with its content, one after the other; None for one that has more bytes than `largest`."""
        ...


class Mount(NamedTuple):
    """A folder outside the tree that a command may use, under its own path."""

    path: Path
    writable: bool = False


@dataclass(frozen=True, slots=True)
class Command:
    """A program to run on one tree."""

    argv: Sequence[str]
    cwd: Path
    """Root of the tree, as a host path; the program may see it under the repository's own path."""
    timeout: float = 60.0
    """Seconds of wall clock for the whole process tree."""
    network: bool = False
    writable: bool = True
    """Whether the tree may be written; temporary folders always may."""
    environment: Sequence[tuple[str, str]] = ()
    """Variables to set on top of the allow-list."""
    report: bool = False
    """Whether to open a private pipe; its descriptor is given in the variable GIT_AGENT_REPORT_FD."""
    folder: str = ""
    """Where below the tree's root the program starts."""
    mounts: Sequence[Mount] = ()
    """Folders of ours, such as a cache."""
    heard: Callable[[bytes], None] | None = None
    """Is given what comes through the private pipe as it comes; quick, and may not raise."""


Bound: TypeAlias = Literal["memory", "processor", "processes", "file size", "open files", "time", "output", "disk"]
"""What a command may use only so much of."""


@dataclass(frozen=True, slots=True)
class Completed:
    """How a command ended."""

    returncode: int
    """The exit code; negative is the signal that ended it."""
    ended: Literal["exited", "signalled", "timed_out", "killed"]
    """`killed`: we ended it for another reason than time, such as output beyond the cap."""
    output: str
    """Head and tail of standard output and error together, sanitised."""
    seconds: float
    report: bytes = b""
    """What was written to the private pipe."""
    truncated: bool = False
    isolation: str = "process"
    hit: tuple[Bound, ...] = ()
    """Limits that it ran into, as far as that can be known."""


class Executor(Protocol):
    """Runs commands within bounds."""

    @property
    def isolation(self) -> str:
        """Name of the isolation level."""
        ...

    def execute(self, command: Command) -> Completed:
        """Run a command to its end and sweep its whole tree; failing is a result. Raises SandboxUnavailable."""
        ...


class Approver(Protocol):
    """Answers for a run before something risky is done."""

    def answer(self, question: "Question") -> "Decision":
        """Decide, and say who did."""
        ...


class Trace(Protocol):
    """Where events go as they happen."""

    def record(self, event: "Event") -> None:
        """Keep an event."""
        ...


class Forge(Protocol):
    """Where tasks come from and reports go: a pull request, or a terminal. Raises ForgeError."""

    def brief(self, source: "Source") -> str:
        """Tell the task behind a source in its author's words."""
        ...

    def publish(self, report: "Report") -> str:
        """Deliver a report and return where it can be seen."""
        ...

    def say(self, source: "Source", text: str) -> None:
        """Answer where the task came from."""
        ...
