"""Which parts of this machine every command may read."""

import os
import stat
from collections.abc import Iterator
from functools import cache
from pathlib import Path

FOLDERS = ("usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "etc", "opt", "nix", "gnu")
"""Of the root folder: programs and their settings. All else, homes, mounts and services' data, stays out of sight."""
MORE = ("var/cache/fontconfig", "var/lib/ca-certificates", "var/lib/texmf", "var/lib/dpkg/alternatives")
KERNEL = ("/proc/sys", "/proc/sysrq-trigger")
"""Settings of the whole machine. The kernel asks only for root's name here, not for its capabilities: root without any
could still choose a program that is run outside at the next crash."""
RESOLVER = Path("/etc/resolv.conf")


@cache
def system_mounts() -> tuple[str, ...]:
    """Write the mounts down as options of bubblewrap; links such as /bin are links inside too."""
    options: list[str] = []
    for path in (Path("/", name) for name in (*FOLDERS, *MORE)):
        if path.is_symlink():
            options += ["--symlink", str(path.readlink()), str(path)]
        elif path.exists():
            options += ["--ro-bind", str(path), str(path)]
    for path in closed(Path("/etc")):
        options += ["--tmpfs", str(path)] if path.is_dir() else ["--ro-bind", os.devnull, str(path)]
    return tuple(options)


def closed(folder: Path) -> Iterator[Path]:
    """Find what not everybody may read: root can, so for root it has to be covered."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_symlink():
                continue
            mode = entry.stat(follow_symlinks=False).st_mode
            wanted = stat.S_IROTH | stat.S_IXOTH if entry.is_dir() else stat.S_IROTH
            if mode & wanted != wanted:
                if os.access(entry.path, os.R_OK):
                    yield Path(entry.path)
            elif entry.is_dir():
                yield from closed(Path(entry.path))


def process_mounts() -> tuple[str, ...]:
    """Show the command's own processes, and to root the machine's settings read-only."""
    settings = [path for path in KERNEL if os.geteuid() == 0 and Path(path).exists()]
    return ("--proc", "/proc", *(option for path in settings for option in ("--ro-bind", path, path)))


def resolver_mounts() -> tuple[str, ...]:
    """Show the name resolver's settings, which often live below the hidden /run."""
    real = RESOLVER.resolve()
    if real == RESOLVER or not real.is_file():
        return ()
    return ("--ro-bind", str(real), str(real))


def covered(path: Path) -> bool:
    """Say whether a path is seen anyhow."""
    return len(path.parts) > 1 and path.parts[1] in FOLDERS
