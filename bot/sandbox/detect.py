"""Finds out which isolation can be had here, by having it."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from bot.core.task import Isolation
from bot.errors import SandboxUnavailable
from bot.protocols import Command, Executor
from bot.sandbox.bubblewrap import CARRY, BubblewrapExecutor
from bot.sandbox.limits import Bounds
from bot.sandbox.process import ProcessExecutor

TRIAL = 10.0
"""Seconds that the trial command may take."""
CLOSED = ("uid map", "RTM_NEWADDR", "No permissions to create", "Creating new namespace", "Operation not permitted")
"""What bubblewrap says where the kernel keeps user namespaces from users."""
OPEN_UP = "allow user namespaces, for example with: sysctl kernel.apparmor_restrict_unprivileged_userns=0"


class Picked(NamedTuple):
    """The executor to use."""

    executor: Executor
    reason: str
    """Why it isolates less than it could; empty when it does not."""


def pick(  # noqa: PLR0913 - what the executors are made from
    level: Isolation,
    repository: Path,
    common_dir: Path,
    interpreters: Sequence[Path],
    carry: Sequence[str] = CARRY,
    *,
    readable: Sequence[Path] = (),
    bounds: Bounds | None = None,
    search: Sequence[Path] = (),
) -> Picked:
    """Choose the strongest isolation that works here, or exactly the required one. Raises SandboxUnavailable.

    Programs that a command names without a folder are looked for in `search` first.
    """
    weak = ProcessExecutor(bounds, search=search, repository=repository, carry=carry)
    if level == "process":
        return Picked(weak, "")
    strong = BubblewrapExecutor(
        repository, common_dir, interpreters, carry, readable=readable, bounds=bounds, search=search
    )
    try:
        attempt(strong, repository)
    except SandboxUnavailable as error:
        if level == "bubblewrap":
            raise SandboxUnavailable(error.message, error.hint or hint(error.message)) from error
        return Picked(weak, error.message)
    return Picked(strong, "")


def attempt(executor: Executor, folder: Path) -> None:
    """Run a command that does nothing. Raises SandboxUnavailable."""
    done = executor.execute(Command(("true",), folder, timeout=TRIAL, writable=False))
    if done.returncode:
        raise SandboxUnavailable(f"a command that does nothing failed in the sandbox: {done.output.strip()}")


def hint(message: str) -> str:
    """Say what a person can do about a sandbox that could not be made; empty when we do not know."""
    return OPEN_UP if any(sign in message for sign in CLOSED) else ""
