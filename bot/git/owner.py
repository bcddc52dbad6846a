"""Who a temporary thing belongs to, so that nobody takes away what a living run still uses."""

import os
import socket
from pathlib import Path

from pydantic import ValidationError

from bot.core.change import readable
from bot.core.task import Record

NAME = "owner.json"


class Owner(Record):
    """A process that holds something, and what it holds."""

    pid: int
    started: str
    """When the process started, in the kernel's own clock: a pid alone is used again."""
    boot: str
    host: str
    """The machine and its process namespace: elsewhere a pid means nothing."""
    common_dir: str = ""
    """Of the repository, readable."""
    branch: str = ""
    base: str = ""

    @property
    def alive(self) -> bool:
        """Whether the process still runs; where we cannot see it we cannot know, and say yes."""
        if self.host != _host():
            return self.boot == _boot() or self.distant
        return self.boot == _boot() and bool(self.started) and self.started == _started(self.pid)

    @property
    def distant(self) -> bool:
        """Whether the process is another machine's, whose locks we may not see; a container's are the machine's own."""
        return self.boot != _boot() and self.machine != socket.gethostname()

    @property
    def machine(self) -> str:
        """The name of the machine, or of the container."""
        return self.host.partition(" ")[0]


def current(*, common_dir: Path | None = None, branch: str = "", base: str = "") -> Owner:
    """Describe this process."""
    return Owner(
        pid=os.getpid(),
        started=_started(os.getpid()),
        boot=_boot(),
        host=_host(),
        common_dir=place(common_dir) if common_dir else "",
        branch=branch,
        base=base,
    )


def place(folder: Path) -> str:
    """Write a folder's name as a card does: a name may hold bytes that are no text."""
    return readable(os.fsencode(folder))


def write(folder: Path, owner: Owner) -> None:
    """Leave an owner's card in a folder; whoever looks meanwhile sees all of it or none."""
    fresh = folder / f".{NAME}.{os.getpid()}"
    fresh.write_text(owner.model_dump_json(), encoding="utf-8")
    fresh.replace(folder / NAME)


def read(folder: Path) -> Owner | None:
    """Read the card in a folder; None when there is none that makes sense."""
    try:
        return Owner.model_validate_json((folder / NAME).read_bytes())
    except (OSError, ValidationError):
        return None


def _started(pid: int) -> str:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return _signalled(pid)
    # The name may hold spaces and brackets; the start time is field 22, counted from 1
    fields = stat.rpartition(")")[2].split()
    return "" if fields[0] in "ZX" else fields[19]


def _signalled(pid: int) -> str:
    """Tell life from death where there is no /proc."""
    if Path("/proc/self").exists():
        return ""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return ""
    except PermissionError:
        pass
    return "unknown"


def _boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _host() -> str:
    try:
        namespace = str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        namespace = ""
    return f"{socket.gethostname()} {namespace}".strip()
