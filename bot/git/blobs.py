"""The contents of many blobs, by libgit2."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import pygit2
from pygit2.enums import ObjectType

from bot.errors import GitFailed
from bot.git.library import Mapped
from bot.git.objects import full


def read_blobs(common_dir: Path, blobs: Iterable[str], largest: int) -> Iterator[tuple[str, bytes | None]]:
    """Yield each id with its content; None for one that has more bytes than `largest`. Raises GitFailed."""
    with Mapped("open the repository"):
        odb = pygit2.Repository(str(common_dir)).odb
    for blob in blobs:
        with Mapped(f"read {blob}"):
            kind, size = odb.read_header(full(blob))
            content = odb.read(blob)[1] if size <= largest else None
        if kind != ObjectType.BLOB:
            raise GitFailed(f"{blob} is not a blob")
        yield blob, content
