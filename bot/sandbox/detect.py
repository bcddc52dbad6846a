"""Finds out which isolation can be had here, by having it."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from bot.core.task import Isolation
from bot.errors import SandboxUnavailable
from bot.protocols import Command, Executor
from bot.sandbox.bubblewrap import BubblewrapExecutor
from bot.sandbox.landlock import LandlockExecutor
from bot.sandbox.limits import Bounds
from bot.sandbox.process import ProcessExecutor
from bot.sandbox.site import Site
from bot.sandbox.trial import Trial

TRIAL = 10.0
"""Seconds that the trial command may take."""
AT_ONCE = 2
"""Commands that are expected to run at the same time."""
CLOSED = ("uid map", "RTM_NEWADDR", "No permissions to create", "Creating new namespace", "Operation not permitted")
"""What bubblewrap says where the kernel keeps user namespaces from users."""
OPEN_UP = "allow user namespaces, for example with: sysctl kernel.apparmor_restrict_unprivileged_userns=0"

CLOSED_ROOT = ("/bin/sh", "-c", 'for name in /*; do test "$name" = "/*" || exit 1; done')
"""A command that fails where the root folder can be listed, so that no rules for the file system are in force."""


class Picked(NamedTuple):
    """The executor to use."""

    executor: Executor
    reason: str
    """Why it isolates less than it could, and what it leaves out; empty when there is nothing to tell."""
    whole: bool = True
    """Whether the kernel has all that the level takes."""


def pick(level: Isolation, site: Site, bounds: Bounds | None = None, trial: Trial | None = None) -> Picked:
    """Choose the strongest isolation that works here, or exactly the required one. Raises SandboxUnavailable.

    With `trial` namespaces are not tried again where they worked before; where they do not, no command runs.
    """

    def namespaces() -> Picked:
        executor = BubblewrapExecutor(site, bounds)
        if trial is not None and trial.passed(site):
            # Whoever remembers is in a hurry
            executor.prepare(AT_ONCE)
            return Picked(executor, "")
        attempt(executor, site.repository)
        if trial is not None:
            trial.note(site)
        return Picked(executor, "")

    def rules() -> Picked:
        executor = LandlockExecutor(site, bounds)
        attempt(executor, site.repository, *CLOSED_ROOT)
        return Picked(executor, "; ".join(executor.notes), not executor.shortcomings)

    def nothing() -> Picked:
        return Picked(ProcessExecutor(bounds, search=site.search, repository=site.repository, carry=site.carry), "")

    return _descend(level, {"bubblewrap": namespaces, "landlock": rules, "process": nothing})


def _descend(level: Isolation, ladder: dict[str, Callable[[], Picked]]) -> Picked:
    """Try one rung after the other, or only the required one. Raises SandboxUnavailable."""
    reasons: list[str] = []
    for name, rung in ladder.items():
        if level not in ("auto", name):
            continue
        try:
            picked = rung()
        except SandboxUnavailable as error:
            if level == name:
                raise SandboxUnavailable(error.message, error.hint or hint(error.message)) from error
            reasons.append(error.message)
        else:
            return picked._replace(reason="; ".join(filter(None, (*reasons, picked.reason))))
    raise SandboxUnavailable("; ".join(reasons))


def attempt(executor: Executor, folder: Path, *argv: str) -> None:
    """Run a command that does nothing, or one that tells more. Raises SandboxUnavailable."""
    done = executor.execute(Command(argv or ("true",), folder, timeout=TRIAL, writable=False))
    if done.returncode:
        raise SandboxUnavailable(f"a command that does nothing failed in the sandbox: {done.output.strip()}")


def hint(message: str) -> str:
    """Say what a person can do about a sandbox that could not be made; empty when we do not know."""
    return OPEN_UP if any(sign in message for sign in CLOSED) else ""
