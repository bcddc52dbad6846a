"""What a hook is about: which one, what it may do, and what it found out."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from bot.core.check import Rung, Verdict
from bot.core.task import Record

HookName: TypeAlias = Literal["pre-commit", "pre-merge-commit", "commit-msg", "post-checkout", "pre-push"]
"""The moments of git at which we can be asked."""

Form: TypeAlias = Literal["index", "all", "paths"]
"""What git makes a commit of: the index as it stands, with all changed files (`-a`), or of some paths alone."""


class HookSettings(Record):
    """How hooks behave; only a person may say, never the project."""

    hook_fix: Literal["off", "offer", "stage"] = "offer"
    """What becomes of a commit that fails: nothing more, a mended one to accept, or one that is staged when wished."""
    hook_strict: bool = False
    """Whether what we could not judge, for a failure of our own, is refused as well."""
    hook_seconds: Annotated[float, Field(gt=0)] = 10.0
    """Longest time for judging a commit, and once more as long for mending it."""
    hook_rung: Rung = Rung.UNIT
    """The last rung that is asked before a commit; what is above it is asked when it is pushed."""
    hook_model: str = "offline"
    """Spec of the model that mends; another than the offline one only where a person named it for hooks."""
    hook_push: Literal["refuse", "warn", "off"] = "refuse"
    """What becomes of a push that fails."""
    hook_push_seconds: Annotated[float, Field(gt=0)] = 300.0
    """Longest time for judging what is pushed."""


class Unjudged(Record):
    """A check that said nothing of a commit, and why."""

    check: str
    why: str


class Sifted(Record):
    """What the quick checks say of a commit that is about to be made."""

    tree: str
    base: str
    """The tree that it was held against."""
    verdict: Verdict
    """Its comparison holds what got worse; the results are those of what was asked, which may be a part."""
    old: tuple[str, ...] = ()
    """Cases that failed before in the same way, and are held against nobody."""
    unjudged: tuple[Unjudged, ...] = ()
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        """Whether nothing got worse; tests that a person took away are theirs to take."""
        compared = self.verdict.comparison
        return not (compared.broken or compared.prevented)
