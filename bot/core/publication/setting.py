"""Where a run took place at a forge, and what a person can be sent to from there."""

import re
from dataclasses import dataclass, field
from typing import Literal, TypeAlias
from urllib.parse import quote

from bot.core.check import Check
from bot.core.escape import code, inline
from bot.core.handover import Base
from bot.core.publication.marker import Attempt, State
from bot.core.trigger.trigger import Trigger

Pusher: TypeAlias = Literal["job", "app", "person"]
"""Whose token pushes: the job's own, with which nothing starts by itself; an App's; a person's."""

UNMOVED = Base()
NOTHING = State()

SHORT = 10
"""Digits of a commit id that are shown."""

_SERVER = re.compile(r"https?://[A-Za-z0-9.-]+(?::\d+)?(?:/[A-Za-z0-9._-]+)*")
_REPOSITORY = re.compile(r"[\w.-]{1,100}/[\w.-]{1,100}", re.ASCII)
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_REST = re.compile(r"[A-Za-z0-9._~/?#=&%+-]{0,500}")


@dataclass(frozen=True, slots=True)
class Links:
    """Addresses of a repository's pages; without a repository there are none, and text stands for itself."""

    repository: str = ""
    """OWNER/NAME."""
    server: str = "https://github.com"

    @property
    def home(self) -> str:
        """Address of the repository; empty where it cannot be told."""
        fits = _SERVER.fullmatch(self.server) and _REPOSITORY.fullmatch(self.repository)
        return f"{self.server}/{self.repository}" if fits else ""

    def commit(self, sha: str) -> str:
        """Name a commit."""
        shown = code(sha[:SHORT])
        return f"[{shown}]({self.home}/commit/{sha})" if self.home and _COMMIT.fullmatch(sha) else shown

    def branch(self, name: str) -> str:
        """Name a branch."""
        return f"[{code(name)}]({self.home}/tree/{quote(name)})" if self.home and name else code(name)

    def number(self, number: int) -> str:
        """Name an issue or a pull request."""
        return f"[#{number}]({self.home}/issues/{number})" if self.home else f"number {number}"

    def page(self, text: str, url: str) -> str:
        """Lead from escaped text to a page of this server; text alone where the address is another's."""
        ours = url.startswith(f"{self.server}/") and _REST.fullmatch(url.removeprefix(self.server))
        return f"[{text}]({url})" if ours and _SERVER.fullmatch(self.server) else text

    def job(self, number: str, text: str = "") -> str:
        """Lead to a run of a workflow."""
        shown = inline(text) or f"job {inline(number)}"
        return f"[{shown}]({self.home}/actions/runs/{number})" if self.home and number.isdecimal() else shown


@dataclass(frozen=True, slots=True)
class Setting:
    """What is known of a run beside its report: all of it as the job that publishes finds it, none of it claimed."""

    trigger: Trigger
    server: str = "https://github.com"
    job: str = ""
    """Id of the workflow's run."""
    at: float = 0.0
    """When this attempt was begun, seconds since 1970; 0 where that is not told."""
    verb: str = "fix"
    """What was ordered."""
    artifact: str = ""
    """Name of what the job kept: the bundle and the record."""
    artifact_url: str = ""
    base: Base = UNMOVED
    branch: str = ""
    """Where the commits stand at the forge, short; empty for the branch of the report."""
    tip: str = ""
    """The commit there; empty for the one of the report."""
    checks: tuple[Check, ...] = ()
    """What was run, as the run's first event names it."""
    earlier: tuple[Attempt, ...] = ()
    """Oldest first, without this one."""
    known: State = NOTHING
    """What was remembered here before: a pull request is still ours after a run that had nothing for it."""
    pull: int = 0
    """Our pull request; 0 where there is none yet."""
    about: int = 0
    """The issue that our pull request was opened for, where the order stands elsewhere."""
    pusher: Pusher = "job"
    prefix: str = "/agent"
    """What orders begin with."""
    links: Links = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "links", Links(self.trigger.repository, self.server))

    @property
    def issue(self) -> int:
        """The issue that it is done for; 0 for none."""
        here = 0 if self.trigger.pull or self.trigger.run is not None else self.trigger.number
        return here or self.about
