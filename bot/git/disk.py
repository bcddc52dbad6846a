"""What the system refuses, as errors of ours."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bot.core.change import readable
from bot.errors import UsageError, WorkspaceError

LEAST = 10_000_000
"""Bytes without which a run would not get far; what a large checkout needs is more, and is known when it fails."""


@contextmanager
def refusals(what: str) -> Iterator[None]:
    """Say what could not be done when the disk is full, or a folder closed. Raises WorkspaceError."""
    try:
        yield
    except OSError as error:
        raise WorkspaceError(f"could not {what}: {error.strerror or error}") from error


def check_space(root: Path, common_dir: Path) -> None:
    """Look whether there is space to speak of, and a place outside of the repository, where a run writes.

    Raises UsageError.
    """
    hint = "name a folder for temporary files in TMPDIR"
    try:
        temporary = Path(tempfile.gettempdir()).resolve()
    except FileNotFoundError as error:
        raise UsageError("no folder for temporary files can be written, or all are full", hint=hint) from error
    # Where all the usual ones are full, Python takes the folder that the person stands in
    if temporary.is_relative_to(root.resolve()):
        raise UsageError(f"temporary files would lie in the repository, in {_told(temporary)}", hint=hint)
    for folder in (common_dir, temporary):
        state = os.statvfs(folder)
        # Some file systems do not tell how large they are
        if state.f_blocks and state.f_bavail * state.f_frsize < LEAST:
            text = f"there is less than {LEAST // 1_000_000} MB of space left in {_told(folder)}"
            raise UsageError(text, hint=f"free some, or {hint}" if folder == temporary else "free some")


def _told(folder: Path) -> str:
    return readable(os.fsencode(folder))
