"""Writes hooks into a repository, takes them away, and says what stands there."""

import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

from bot.app.hooks.seals import SECTION
from bot.core.change import readable
from bot.core.hook import HookName
from bot.core.task import Record
from bot.errors import UsageError
from bot.git import hookfiles
from bot.git.disk import refusals
from bot.git.hookfiles import Hook
from bot.git.hookfolder import HookFolder, check_folder, find_folder
from bot.git.hookscript import HOOKS, USUAL, goes_by_name, line_for
from bot.git.repository import Repository, open_repository
from bot.git.results import GitShelf
from bot.git.stands import remove_stands

State: TypeAlias = Literal["installed", "framed", "broken", "edited", "replaced", "foreign", "missing"]
"""`framed`: started by a hook framework; `broken`: cannot run; `replaced`: ours was, and another's is there now."""


class HookState(Record):
    """What stands at one hook."""

    hook: HookName
    state: State
    python: str = ""
    """The interpreter that ours starts."""
    before: str = ""
    """The hook from before ours that is kept beside it: git asks it first, through ours."""
    text: str
    """All of it, for a person."""


class HookStates(Record):
    """What stands in the folder that git starts hooks from."""

    folder: str
    scope: str = ""
    """Of the configuration that names the folder; empty where none does."""
    hooks: tuple[HookState, ...] = ()

    @property
    def text(self) -> str:
        """Say it, a line each."""
        named = f", which core.hooksPath names in the {self.scope} configuration" * bool(self.scope)
        width = max(map(len, HOOKS))
        return "\n".join((f"hooks in {self.folder}{named}", *(f"{h.hook:<{width}}  {h.text}" for h in self.hooks)))


def install(directory: Path, names: Sequence[HookName], *, force: bool) -> str:
    """Write our scripts where git looks for them, and say what was done. Raises UsageError."""
    names = _distinct(names, USUAL)
    repository = open_repository(directory, unborn=True)
    folder = find_folder(repository)
    check_folder(repository, folder, names, force=force)
    for name in names:
        _refuse(hookfiles.look(folder.path, name), force=force)
    with refusals(f"write hooks into {folder.text}"):
        found = hookfiles.install(folder.path, names, sys.executable)
    told = [f"{folder.text}/{hook.place.name}: {_done(hook, folder)}" for hook in found]
    return "\n".join((*told, *_advise(names)))


def _distinct(names: Sequence[HookName], usual: Sequence[HookName]) -> tuple[HookName, ...]:
    """Put the names into git's order, each once."""
    return tuple(name for name in HOOKS if name in (names or usual))


def _refuse(hook: Hook, *, force: bool) -> None:
    """Say what only a person can settle. Raises UsageError."""
    where = _quoted(hook.path)
    if hook.stand == "edited":
        told = f"{where} is ours and was edited since"
        raise UsageError(told, hint="take out what you added, or move it elsewhere and delete the file")
    if hook.clash:
        told = f"{where} is somebody else's, and so is {_quoted(hook.before)} from before: there is room for one"
        raise UsageError(told, hint="delete the one that you do not need, or make one of the two")
    if hook.stand != "foreign":
        return
    if hook.path.is_dir():
        raise UsageError(f"{where} is a folder", hint="a hook is a file: move it away")
    if not force and goes_by_name(hookfiles.content_of(hook.path)):
        told = f"{where} goes by what it is called, and would be kept under another name"
        raise UsageError(told, hint=f"add to it by hand: {line_for(hook.name)}; or --force")


def _quoted(path: Path) -> str:
    return shlex.quote(readable(os.fsencode(path)))


def _done(hook: Hook, folder: HookFolder) -> str:
    """Say what was done about one hook, given what was there before."""
    now = hookfiles.look(folder.path, hook.name)
    if now.stand not in ("ours", "framed"):
        return f"not written: {_tell(now)[1]}"
    verb = "written" if hook.script is None else "already there" if hook.script == now.script else "written anew"
    if now.stand == "framed":
        return f"{verb}; started by the framework that stands at {hook.name}"
    return f"{verb}; the hook from before goes first, as {now.before.name}" if now.kept else verb


def _advise(names: Sequence[HookName]) -> Iterator[str]:
    skip = f"git {'push' if set(names) == {'pre-push'} else 'commit'} --no-verify"
    if set(names) != {"post-checkout"}:
        yield f"skip it once:  {skip}, or GIT_AGENT=off before any command"
    yield "be rid of it:  git agent hook uninstall"


def uninstall(directory: Path, names: Sequence[HookName]) -> str:
    """Take our scripts away, put back what was there before them, and say what was done. Raises UsageError."""
    repository = open_repository(directory, unborn=True)
    folder = find_folder(repository)
    # Where git looked before another folder was named, ours may lie still
    own = HookFolder(repository.common_dir / "hooks")
    folders = (folder,) if folder.path == own.path else (folder, own)
    told = [line for place in folders for line in _take_out(place, _distinct(names, HOOKS))]
    if not any(hookfiles.look(place.path, name).script for place in folders for name in HOOKS):
        _forget(repository)
    return "\n".join(told) or f"there is no hook of ours in {folder.text}"


def _take_out(folder: HookFolder, names: Sequence[HookName]) -> Iterator[str]:
    with refusals(f"take hooks out of {folder.text}"):
        found = hookfiles.uninstall(folder.path, names)
    for hook in found:
        text = _undone(hook, folder)
        if text:
            yield f"{folder.text}/{hook.place.name}: {text}"


def _forget(repository: Repository) -> None:
    """Drop what was kept for hooks, now that there are none; it only saved time."""
    for section in (SECTION, GitShelf(repository).section):
        GitShelf(repository, section=section, lifetime=-1.0).sweep()
    remove_stands(repository)


def _undone(hook: Hook, folder: HookFolder) -> str:
    """Say what became of one hook, given what was there before; empty where nothing was ours."""
    now = hookfiles.look(folder.path, hook.name)
    if now.stand == "edited":
        return "not removed: it is ours and was edited since; delete it when you have what is yours"
    if now.kept:
        return f"somebody else's; the one from before ours is still there, as {now.before.name}"
    if hook.kept and os.path.lexists(hook.place):
        return "there is the hook from before again"
    return "removed" if hook.script is not None else ""


def status(directory: Path, names: Sequence[HookName]) -> HookStates:
    """Look at what stands where git looks for hooks. Raises UsageError."""
    repository = open_repository(directory, unborn=True)
    folder = find_folder(repository)
    states = (_state(hookfiles.look(folder.path, name)) for name in _distinct(names, HOOKS))
    return HookStates(folder=folder.text, scope=folder.scope, hooks=tuple(states))


def _state(hook: Hook) -> HookState:
    state, text = _tell(hook)
    python = readable(os.fsencode(hook.script.python)) if hook.script is not None else ""
    before = readable(os.fsencode(hook.before)) if hook.kept else ""
    return HookState(hook=hook.name, state=state, python=python, before=before, text=text)


def _tell(hook: Hook) -> tuple[State, str]:
    """Name the state of a hook, and say it."""
    kept = f"; the hook from before goes first, as {hook.before.name}" * hook.kept
    match hook.stand:
        case "ours" | "framed" if why := _why_broken(hook):
            return "broken", f"installed, but {why}: git agent hook install{kept}"
        case "framed":
            return "framed", f"installed, started by a hook framework as {hook.legacy.name}{kept}"
        case "ours":
            return "installed", f"installed{kept}"
        case "edited":
            return "edited", f"installed, and edited by somebody since{kept}"
        case "foreign":
            return _tell_foreign(hook)
        case "absent":
            again = f"; the one from before is kept as {hook.before.name}: git agent hook uninstall" * hook.kept
            return "missing", f"not installed{again}"


def _tell_foreign(hook: Hook) -> tuple[State, str]:
    beside = [path.name for path in hook.asides] + [hook.before.name] * hook.kept
    if beside:
        return "replaced", f"replaced by somebody else's; beside it: {readable(os.fsencode(', '.join(beside)))}"
    return "foreign", "not installed; somebody else's is"


def _why_broken(hook: Hook) -> str:
    assert hook.script is not None
    if not os.access(hook.place, os.X_OK):
        return "it may not be executed"
    if not os.access(hook.script.python, os.X_OK):
        return f"its interpreter is gone ({readable(os.fsencode(hook.script.python))})"
    return ""
