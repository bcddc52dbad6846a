"""Where git's orders come from: configuration, what it includes, attributes and excludes outside of the repository."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from bot.git.run import Git

_DEEPEST = 10
"""Files that include each other further than git itself follows them."""

_NAMED = frozenset({"core.attributesfile", "core.excludesfile"})
_FOLLOWING = frozenset({"merge", "rebase", "description", "vscode-merge-base", "gh-merge-base"})
"""Keys of a branch that say what it follows, where its remote is one that was there before."""


class _Setting(NamedTuple):
    origin: Path
    key: str
    value: str


def find_obeyed(git: Git, root: Path) -> tuple[Path, ...]:
    """List files that git takes orders from, also those that do not exist yet and those that hang on a condition."""
    settings = _read(git, root, ("--show-origin", "--list"))
    return tuple(dict.fromkeys((*_usual(os.environ), *_lead_on(git, root, settings))))


def list_keys(git: Git, root: Path) -> tuple[str, ...]:
    """List the keys of all settings, whether the condition that they hang on holds now or not."""
    return tuple(dict.fromkeys(key for _, key, _ in list_places(git, root)))


def list_places(git: Git, root: Path, own: Path | None = None) -> tuple[tuple[Path, str, str], ...]:
    """List all settings, those of one file and what it includes where one is named: their file, key and value.

    Whether the condition that they hang on holds now plays no part.
    """
    settings = _read(git, root, ("--show-origin", "--list")) if own is None else _read_file(git, own)
    known = {setting.origin for setting in settings}
    hidden = [path for path in dict.fromkeys(_lead_on(git, root, settings)) if path not in known and path.is_file()]
    more = (setting for path in hidden for setting in _read_file(git, path))
    return tuple((each.origin, each.key, each.value) for each in (*settings, *more))


def list_settings(git: Git, own: Path) -> tuple[tuple[str, str], ...]:
    """Return the settings of a repository's own file, short of those that only say what a branch follows."""
    settings = _read_file(git, own)
    remotes = {s.key.split(".", 1)[1].rpartition(".")[0] for s in settings if s.key.startswith("remote.")} | {"."}
    return tuple((s.key, s.value) for s in settings if not _follows(s, remotes))


def _follows(setting: _Setting, remotes: set[str]) -> bool:
    if not setting.key.startswith("branch."):
        return False
    name = setting.key.rpartition(".")[2]
    return name in _FOLLOWING or (name == "remote" and setting.value in remotes)


def _read_file(git: Git, path: Path) -> tuple[_Setting, ...]:
    return _read(git, path.parent, ("--no-includes", "--show-origin", "--file", str(path), "--list"))


def _read(git: Git, folder: Path, args: tuple[str, ...]) -> tuple[_Setting, ...]:
    fields = os.fsdecode(git.ask("config", "--null", *args).output).split("\0")
    pairs = ((origin, *entry.partition("\n")) for origin, entry in zip(fields[::2], fields[1::2], strict=False))
    return tuple(
        _Setting(folder / origin.removeprefix("file:"), key, value)
        for origin, key, _, value in pairs
        if origin.startswith("file:")
    )


def _usual(environ: Mapping[str, str]) -> Iterator[Path]:
    """Name the files that git looks for by itself."""
    home = Path(environ["HOME"]) if environ.get("HOME") else None
    given = environ.get("XDG_CONFIG_HOME")
    folder = Path(given, "git") if given else home / ".config/git" if home else None
    if folder:
        yield from (folder / name for name in ("config", "attributes", "ignore"))
    if home:
        yield home / ".gitconfig"
    for name in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"):
        if environ.get(name):
            yield Path(environ[name])


def _lead_on(git: Git, root: Path, settings: tuple[_Setting, ...], depth: int = 0) -> Iterator[Path]:
    """Name the files that settings come from and those that they lead to, whether a condition holds or not."""
    origins = {setting.origin for setting in settings}
    yield from origins
    for setting in settings:
        if setting.key in _NAMED:
            yield _place(setting.value, root)
        elif setting.key == "include.path" or (setting.key.startswith("includeif.") and setting.key.endswith(".path")):
            target = _place(setting.value, setting.origin.parent)
            yield target
            if target not in origins and depth < _DEEPEST:
                yield from _lead_on(git, root, _read_file(git, target), depth + 1)


def _place(value: str, folder: Path) -> Path:
    """Read a path as git does; of a user that nobody knows it is what stands there."""
    return folder / os.path.expanduser(value)  # noqa: PTH111 - Path.expanduser fails where there is no such user
