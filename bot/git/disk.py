"""What the system refuses, as errors of ours."""

from collections.abc import Iterator
from contextlib import contextmanager

from bot.errors import WorkspaceError


@contextmanager
def refusals(what: str) -> Iterator[None]:
    """Say what could not be done when the disk is full, or a folder closed. Raises WorkspaceError."""
    try:
        yield
    except OSError as error:
        raise WorkspaceError(f"could not {what}: {error.strerror or error}") from error
