"""Gives a person a text to change, in the editor that git would open."""

import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bot.errors import AgentError, UsageError
from bot.git.editor import choose_editor
from bot.git.repository import Repository

LARGEST = 1 << 20
"""Bytes of a text that are read back."""


@contextmanager
def edited(repository: Repository, name: str, text: str) -> Iterator[str]:
    """Let a person change a text; what goes wrong with it afterwards says where it is kept. Raises UsageError."""
    folder = Path(tempfile.mkdtemp(prefix="plan-"))
    path = folder / name
    try:
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        _open(choose_editor(repository), path)
        yield read_text(path)
    except AgentError as error:
        if path.exists() and path.read_bytes() != text.encode("utf-8", "surrogatepass"):
            raise UsageError(error.message, f"what you wrote is in {path}") from error
        shutil.rmtree(folder, ignore_errors=True)
        raise
    else:
        shutil.rmtree(folder, ignore_errors=True)


def _open(command: str, path: Path) -> None:
    # Ctrl-C is the editor's while it is open; a handler is not inherited, as deafness would be
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        # As git does it: the command may be any words of a shell, and the file is none of them
        done = subprocess.run(["sh", "-c", f'{command} "$@"', command, str(path)], check=False)
    finally:
        signal.signal(signal.SIGINT, before)
    if done.returncode:
        raise UsageError(f"the editor ended with code {done.returncode}: nothing changed")


def read_text(path: Path) -> str:
    """Read a text that a person wrote. Raises UsageError."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {(error.strerror or 'error').lower()}") from error
    return decode(data)


def decode(data: bytes) -> str:
    """Take bytes for text. Raises UsageError when they are none, or too many."""
    if len(data) > LARGEST:
        raise UsageError(f"that is more than {LARGEST >> 20} MiB of text")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError("that is no text in UTF-8", "save it in that encoding") from error
