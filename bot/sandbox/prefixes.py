"""Which folders an interpreter needs to run."""

import os
from contextlib import suppress
from pathlib import Path

LINKS = 16
"""Links of one interpreter that are followed."""


def prefixes(interpreter: Path) -> tuple[Path, ...]:
    """List the installations that an interpreter is made of: each link's own, and what environments were made from."""
    found = [prefix for program in hops(interpreter) for prefix in (installation(program), base(installation(program)))]
    resolved = [prefix.resolve() for prefix in found if prefix is not None]
    given = [prefix for prefix in found if prefix is not None]
    return tuple(prefix for prefix in dict.fromkeys([*given, *resolved]) if os.access(f"{prefix}/.", os.X_OK))


def hops(program: Path) -> tuple[Path, ...]:
    """List a program and what its links lead to, one by one."""
    seen = [program]
    # A folder on the way may be closed to us
    with suppress(PermissionError):
        while program.is_symlink() and len(seen) < LINKS:
            program = program.parent / program.readlink()
            seen.append(program)
    return tuple(seen)


def installation(program: Path) -> Path:
    """Return the folder that holds a program's `bin`, or its own folder when it has none."""
    folder = program.parent
    return folder.parent if folder.name in ("bin", "sbin") else folder


def base(environment: Path | None) -> Path | None:
    """Return the installation that a virtual environment was made from, as its pyvenv.cfg tells it."""
    try:
        lines = (environment / "pyvenv.cfg").read_text("utf-8", "replace").splitlines() if environment else []
    except OSError:
        return None
    for line in lines:
        key, _, value = line.partition("=")
        if key.strip() == "home" and value.strip().startswith("/"):
            return installation(Path(value.strip()) / "python")
    return None
