"""Where git looks for the hooks of a repository, and whether that is a place for ours."""

import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from bot.core.change import readable
from bot.core.hook import HookName
from bot.errors import UsageError
from bot.git.hookscript import BEFORE, line_for
from bot.git.launch import discover, environment, launch
from bot.git.repository import Repository

AS_SET = {"GIT_CONFIG_COUNT": "0"}
"""For questions that execute nothing: without our own settings, one of which takes all hooks away."""
NEW = ".git-agent-new"
"""Stands behind the name of what is on its way to its place, or out of it."""
_EVERYWHERE = ("global", "system")


class HookFolder(NamedTuple):
    """The folder that git starts hooks from, and who says so."""

    path: Path
    scope: str = ""
    """Of the configuration that names it, such as `local`; empty where none does."""

    @property
    def text(self) -> str:
        """Return its path, readable."""
        return readable(os.fsencode(self.path))

    @property
    def nearest(self) -> Path:
        """The folder itself, or the one that it would be made in."""
        return next(path for path in (self.path, *self.path.parents) if path.is_dir())


def find_folder(repository: Repository) -> HookFolder:
    """Ask git where it looks for hooks. Raises UsageError."""
    git = repository.git
    told = git.ask("config", "--null", "--show-scope", "--type=path", "--get", "core.hooksPath", environ=AS_SET)
    scope, _, value = told.output.partition(b"\0")
    if told.code not in (0, 1) or (scope and not value.rstrip(b"\0")):
        why = told.error or "it is empty"
        raise UsageError(f"core.hooksPath cannot be used: {why}", hint="see git config --show-origin core.hooksPath")
    # A relative one counts from the top of the working copy, where git starts hooks
    path = git.line("rev-parse", "--path-format=absolute", "--git-path", "hooks", environ=AS_SET)
    return HookFolder(Path(path), os.fsdecode(scope))


def check_folder(repository: Repository, folder: HookFolder, names: Sequence[HookName], *, force: bool) -> None:
    """Say why hooks of ours do not belong into a folder. Raises UsageError."""
    if folder.path.exists() and not folder.path.is_dir():
        unset = f"git config --{folder.scope} --unset core.hooksPath" if folder.scope else "move it away"
        raise UsageError(f"hooks are switched off here: {folder.text} is no folder", hint=unset)
    if _is_husky(folder.path):
        raise UsageError(
            f"{folder.text} belongs to husky, which writes it anew", hint=_by_hand(folder.path.parent, names)
        )
    if folder.scope in _EVERYWHERE and not force:
        text = f"core.hooksPath of your {folder.scope} configuration makes {folder.text} the hooks of all repositories"
        raise UsageError(text, hint="--force installs there, for all of them")
    if not force and _shows(repository, folder, names):
        text = f"{folder.text} is part of a working tree, where our script would be a change to commit"
        raise UsageError(text, hint=f"{_by_hand(folder.path, names)}; or --force")
    if not os.access(folder.nearest, os.W_OK | os.X_OK):
        raise UsageError(f"{readable(os.fsencode(folder.nearest))} cannot be written", hint="see its owner and mode")


def _is_husky(path: Path) -> bool:
    return path.name == "_" and any((path / name).is_file() for name in ("h", "husky.sh"))


def _by_hand(folder: Path, names: Sequence[HookName]) -> str:
    """Name the lines that do by hand what is not done here."""
    lines = (f"to {shlex.quote(readable(os.fsencode(folder / name)))}: {line_for(name)}" for name in names)
    return f"add by hand {', '.join(lines)}"


def _shows(repository: Repository, folder: HookFolder, names: Sequence[HookName]) -> bool:
    """Say whether files in a folder would be tracked, or named by git status."""
    real = folder.path.resolve()
    if real.is_relative_to(repository.common_dir.resolve()):
        return False
    start = HookFolder(real).nearest
    # Of whichever repository it is: another working copy of this one, or the one that a home is kept in
    if discover(start, "rev-parse", "--is-inside-work-tree").output.strip() != b"true":
        return False
    files = [str(real / f"{name}{end}") for name in names for end in ("", BEFORE, NEW)]
    # The one command that refuses to take a name for what it is; no magic begins with a slash
    spoken = {**environment(), "GIT_LITERAL_PATHSPECS": "0"}
    ignored = launch(("check-ignore", "--", *files), spoken, start, b"").output.splitlines()
    return len(ignored) < len(files)
