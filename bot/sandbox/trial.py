"""That bubblewrap worked here, written down for the next process: to try it takes a tenth of what a hook may take."""

import os
import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from bot.sandbox.site import Site

_BOOT = Path("/proc/sys/kernel/random/boot_id")


@dataclass(frozen=True, slots=True)
class Trial:
    """A file that tells of the last trial; no code of a project may reach it."""

    path: Path

    def passed(self, site: Site) -> bool:
        """Say whether it worked the last time, since the machine was started, for the same site."""
        try:
            return self.path.read_text("utf-8", "surrogateescape") == _describe(site)
        except OSError:
            return False

    def note(self, site: Site) -> None:
        """Write down that it worked; where that cannot be, it is tried again."""
        with suppress(OSError):
            self.path.write_text(_describe(site), "utf-8", "surrogateescape")

    def forget(self) -> None:
        """Have it tried the next time."""
        with suppress(OSError):
            self.path.unlink(missing_ok=True)


def _describe(site: Site) -> str:
    """Tell what it worked for. Raises OSError."""
    program = shutil.which("bwrap") or ""
    state = os.stat(program)  # noqa: PTH116 - an empty name is refused, and no folder
    return f"{_BOOT.read_text('ascii')}{os.getuid()} {program} {state.st_size} {state.st_mtime_ns} {site}"
