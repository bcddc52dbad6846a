"""Which paths differ between two trees, and no more: for whoever asks what was changed, and not how."""

from collections.abc import Iterator

from bot.core.change import FileChange, Kind, readable
from bot.errors import GitFailed
from bot.git.diffing import SETTINGS
from bot.git.repository import Repository
from bot.git.run import Git

_ASK = ("diff-tree", "-r", "-z", "--raw", "--no-renames", "--ignore-submodules=none", "--end-of-options")
_KINDS: dict[bytes, Kind] = {b"A": "added", b"M": "modified", b"D": "deleted", b"T": "typechange"}


def list_changes(repository: Repository, old: str, new: str) -> tuple[FileChange, ...]:
    """List what differs between two trees, without counts; ids are full ones. Raises GitFailed."""
    shared = repository.shared
    git = Git(shared.git_dir, config=(*shared.config, *SETTINGS))
    return tuple(_read(git.output(*_ASK, old, new)))


def _read(told: bytes) -> Iterator[FileChange]:
    fields = told.removesuffix(b"\0").split(b"\0") if told else []
    for facts, path in zip(fields[::2], fields[1::2], strict=True):
        before, after, _, _, status = facts.removeprefix(b":").split(b" ")
        if status not in _KINDS:
            raise GitFailed(f"git tells of a change that is none: {readable(facts)}")
        gone = status == b"D"
        mode = (before if gone else after).decode("ascii")
        kind = _KINDS[status]
        yield FileChange(path=readable(path), kind=kind, mode=mode, old_mode="" if kind == "added" else before.decode())
