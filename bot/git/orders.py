"""Which files of a checkout the person's git takes orders from: to change one would be to run something for them."""

import os
from collections.abc import Iterator
from pathlib import Path

from bot.core.change import readable
from bot.git.obeyed import find_obeyed
from bot.git.repository import Repository


def find_orders(repository: Repository) -> tuple[str, ...]:
    """Return globs of paths in the checkout that are configuration, attributes or hooks by the person's settings."""
    places = (*find_obeyed(repository.git, repository.root), *_hooks(repository))
    return tuple(dict.fromkeys(glob for place in places if (glob := _glob(repository, place))))


def _hooks(repository: Repository) -> Iterator[Path]:
    told = repository.git.ask("config", "--null", "--show-scope", "--type=path", "--get-all", "core.hooksPath")
    fields = os.fsdecode(told.output).split("\0")
    # What we set ourselves, so that no hook runs for us, is given with the command
    yield from (
        repository.root / path for scope, path in zip(fields[::2], fields[1::2], strict=False) if scope != "command"
    )


def _glob(repository: Repository, place: Path) -> str:
    """Write a place as a glob that stands for it alone; nothing for what is no part of the checkout."""
    root = Path(os.path.normpath(repository.root))
    for path in (Path(os.path.normpath(place)), place.resolve()):
        if path != root and path.is_relative_to(root):
            name = readable(os.fsencode(path.relative_to(root)))
            # Of the checkout itself, git's own folder is none
            return "" if name.split("/")[0] == ".git" else "/" + "".join(f"[{c}]" if c in "*?[" else c for c in name)
    return ""
