"""Tells whether somebody changed what git would obey."""

import io
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from types import MappingProxyType

from bot.core.change import readable
from bot.errors import RepositoryChanged
from bot.git.obeyed import find_obeyed, list_settings
from bot.git.repository import Repository

_WATCHED = (
    *("config", "config.worktree", "info/attributes", "info/exclude", "info/grafts"),
    "objects/info/alternates",
)
_LINKED = ("commondir", "gitdir", "HEAD", "config.worktree")
MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class Watch:
    """What git obeys, as it was when a person could still be asked: configuration, hooks, attributes, excludes."""

    repository: Repository
    outside: tuple[Path, ...]
    """Files that git reads elsewhere: a person's own configuration and all that it includes."""
    admins: tuple[Path, ...]
    seen: Mapping[str, bytes]
    settings: tuple[tuple[str, str], ...]
    """The repository's own configuration, short of what says nothing but which branch follows which."""

    def check(self) -> "Watch":
        """Return what to compare with from here on. Raises RepositoryChanged."""
        seen = _look(self.repository, self.outside, self.admins)
        if seen == self.seen:
            return self
        changed = [path for path in {**self.seen, **seen} if self.seen.get(path) != seen.get(path)]
        # A person who works on meanwhile makes branches, and git writes down what each one follows
        if changed == [_own(self.repository)] and _settings(self.repository) == self.settings:
            return replace(self, seen=seen)
        raise RepositoryChanged(
            f"the repository's configuration, hooks or attributes changed during the run: {_names(changed)}",
            hint="look at what changed before you use git here again",
        )

    def include(self, admin: Path) -> "Watch":
        """Return what to compare with once there is one more worktree. Raises RepositoryChanged."""
        known = self.check()
        return replace(known, admins=(*known.admins, admin), seen=MappingProxyType({**known.seen, **_look_at(admin)}))


def watch(repository: Repository, *admins: Path) -> Watch:
    """Take what git obeys now, in the repository and in the given worktrees of it, for what it should be."""
    outside = find_obeyed(repository.git, repository.root)
    return Watch(repository, outside, admins, _look(repository, outside, admins), _settings(repository))


def _look(repository: Repository, outside: tuple[Path, ...], admins: tuple[Path, ...]) -> Mapping[str, bytes]:
    # Before and after whatever may have changed them, so some hundred times in a run: as plain text, not as paths
    folders = dict.fromkeys((str(repository.common_dir), str(repository.git_dir)))
    paths = [f"{folder}/{name}" for folder in folders for name in _WATCHED]
    every = (*paths, *map(str, outside), *_below(f"{repository.common_dir}/hooks"))
    linked = {path: seen for admin in admins for path, seen in _look_at(admin).items()}
    return MappingProxyType({**{path: _content(path) for path in every}, **linked})


def _look_at(admin: Path) -> Mapping[str, bytes]:
    return {path: _content(path) for path in (f"{admin}/{name}" for name in _LINKED)}


def _own(repository: Repository) -> str:
    return f"{repository.common_dir}/config"


def _settings(repository: Repository) -> tuple[tuple[str, str], ...]:
    return list_settings(repository.git, Path(_own(repository)))


def _names(paths: list[str]) -> str:
    told = ", ".join(readable(os.fsencode(path)) for path in sorted(paths)[:MOST_NAMED])
    return f"{told} and more" if len(paths) > MOST_NAMED else told


def _below(folder: str) -> Iterator[str]:
    for where, folders, files in os.walk(folder):
        folders.sort()
        yield where
        yield from (f"{where}/{name}" for name in sorted((*files, *folders)))


def _content(path: str) -> bytes:
    """Tell a file's kind, mode and content, short enough to be kept."""
    link = b""
    try:
        state = os.lstat(path)
        if stat.S_ISLNK(state.st_mode):
            link = b"link " + os.fsencode(Path(path).readlink()) + b"\0"
            state = Path(path).stat()
        content = _read(path) if stat.S_ISREG(state.st_mode) else b""
    except OSError as error:
        # Of most of these names there is no file
        return link + b"none %d" % (error.errno or 0)
    return blake2b(b"%s%o %s" % (link, state.st_mode, content), digest_size=20).digest()


def _read(path: str) -> bytes:
    with io.FileIO(path) as file:
        return file.readall()
