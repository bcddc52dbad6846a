"""The files of a folder of hooks: ours written and taken away, everybody else's kept byte for byte."""

import fcntl
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from bot.core.hook import HookName
from bot.git.hookfolder import NEW
from bot.git.hookscript import BEFORE, HOOKS, LEGACY, Script, is_begun, is_framework, read, write

Stand: TypeAlias = Literal["absent", "ours", "edited", "framed", "foreign"]
"""What git starts: nothing, ours, ours as somebody edited it, a framework that starts ours, another's."""

_LARGEST = 1_000_000
"""Bytes of a hook that are looked at; a larger one is nobody's script."""


class Hook(NamedTuple):
    """What stands where git looks for one hook."""

    name: HookName
    path: Path
    stand: Stand
    script: Script | None = None
    """Ours, wherever it lies."""
    asides: tuple[Path, ...] = ()
    """Places that others moved ours to when they took its own."""
    kept: bool = False
    """Whether the hook from before ours is kept beside it."""

    @property
    def before(self) -> Path:
        """Where the hook from before ours is kept."""
        return self.path.with_name(f"{self.name}{BEFORE}")

    @property
    def legacy(self) -> Path:
        """Where a hook framework keeps the hook from before it."""
        return self.path.with_name(f"{self.name}{LEGACY}")

    @property
    def place(self) -> Path:
        """Where ours lies, or where it would."""
        if self.stand == "framed":
            return self.legacy
        return self.asides[0] if self.asides and self.stand == "foreign" else self.path

    @property
    def unwanted(self) -> bool:
        """Whether a framework would come upon itself if it found what is kept in the place where it looks."""
        return self.stand == "framed" and self.kept and is_framework(content_of(self.before))

    @property
    def doubled(self) -> bool:
        """Whether what is kept is what stands in the hook's place as well, after a kill or by another's doing."""
        return self.kept and _same(self.path, self.before)

    @property
    def clash(self) -> bool:
        """Whether there are two hooks of others' and a place for one."""
        return self.stand == "foreign" and self.kept and not self.doubled


def look(folder: Path, name: HookName) -> Hook:
    """Look at one hook of a folder."""
    path, before = folder / name, folder / f"{name}{BEFORE}"
    kept = os.path.lexists(before)
    own = read_script(path, name)
    asides = tuple(sorted(p for p in folder.glob(f"{name}.*") if p != before and _is_whole(read_script(p, name))))
    if own is not None:
        return Hook(name, path, "ours" if own.whole else "edited", own, asides, kept)
    found = Hook(name, path, "foreign" if os.path.lexists(path) else "absent", None, asides, kept)
    if asides:
        framed = found.legacy in asides and is_framework(content_of(path))
        found = found._replace(stand="framed" if framed else found.stand)
        return found._replace(script=read_script(found.legacy if framed else asides[0], name))
    return found


def read_script(path: Path, name: HookName) -> Script | None:
    """Read a script of ours for one hook; None for anything else, a link to one included."""
    script = None if path.is_symlink() else read(content_of(path))
    return script if script is not None and script.name == name else None


def content_of(path: Path) -> bytes:
    """Return what a hook holds, as far as it can be read."""
    with suppress(OSError):
        if path.is_file() and path.stat().st_size <= _LARGEST:
            return path.read_bytes()
    return b""


def _is_whole(script: Script | None) -> bool:
    return script is not None and script.whole


def _same(one: Path, other: Path) -> bool:
    """Say whether one of two files can go without a loss."""
    if one.is_symlink() or other.is_symlink():
        return one.is_symlink() and other.is_symlink() and one.readlink() == other.readlink()
    if not (one.is_file() and other.is_file()):
        return False
    if one.samefile(other):
        return True
    return one.stat().st_mode == other.stat().st_mode and one.read_bytes() == other.read_bytes()


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Keep other installations out of a folder, and take away what a kill left half done."""
    nearest = next(path for path in (folder, *folder.parents) if path.is_dir())
    descriptor = os.open(nearest, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        # Not every file system has locks; two installations at once are rare enough
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        for place in (folder, *folder.parents[: len(folder.parents) - 1]):
            _clear(place.with_name(place.name + NEW))
        for name in HOOKS if folder.is_dir() else ():
            (folder / f"{name}{NEW}").unlink(missing_ok=True)
        yield
    finally:
        os.close(descriptor)


def _clear(staged: Path) -> None:
    """Remove a folder that was on its way, as far as nothing is in it but what we put there."""
    if staged.is_symlink() or not staged.is_dir():
        return
    for path in sorted(staged.rglob("*"), reverse=True):
        if path.is_dir() and not path.is_symlink():
            path.rmdir()
        elif path.name in HOOKS and is_begun(content_of(path)):
            path.unlink()
    staged.rmdir()


def install(folder: Path, names: Sequence[HookName], python: str) -> tuple[Hook, ...]:
    """Write our scripts, and return what stood in their places; nothing is done to what is not ours but kept.

    Nobody's place is taken twice: `edited` hooks and those of a `clash` are for a person. Raises OSError.
    """
    with alone(folder):
        found = tuple(look(folder, name) for name in names)
        if not folder.is_dir():
            _make(folder, names, python)
            return found
        made = max((script.made for name in HOOKS if (script := look(folder, name).script)), default=0)
        for hook in found:
            _install(hook, write(hook.name, python, made))
        return found


def _make(folder: Path, names: Sequence[HookName], python: str) -> None:
    """Make a folder with our scripts in it in one go: who finds it without them could not tell whose it is."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    top = missing[-1]
    staged = top.with_name(top.name + NEW)
    inner = staged / folder.relative_to(top)
    inner.mkdir(parents=True)
    for name in names:
        _write(inner / name, write(name, python, len(missing)))
    staged.rename(top)


def _install(hook: Hook, content: bytes) -> None:
    if hook.stand == "edited" or hook.clash:
        return
    if hook.stand == "framed":
        _replace(hook.legacy, content)
        return
    if hook.stand == "foreign":
        _keep(hook)
    _replace(hook.path, content)


def _keep(hook: Hook) -> None:
    """Give a hook of somebody else's its second name; as long as that can be, without a moment in which it is away."""
    if hook.kept:
        return
    try:
        os.link(hook.path, hook.before, follow_symlinks=False)
    except OSError:
        hook.path.rename(hook.before)


def _replace(path: Path, content: bytes) -> None:
    if not path.is_symlink() and path.is_file() and os.access(path, os.X_OK) and path.read_bytes() == content:
        return
    new = path.with_name(path.name.split(".")[0] + NEW)
    _write(new, content)
    new.replace(path)


def _write(path: Path, content: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o777)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def uninstall(folder: Path, names: Sequence[HookName]) -> tuple[Hook, ...]:
    """Take our scripts away, put back what was there before them, and return what stood there. Raises OSError."""
    with alone(folder):
        found = tuple(look(folder, name) for name in names)
        if not folder.is_dir() or _unmake(folder, found):
            return found
        for hook in found:
            _uninstall(hook)
        return found


def _uninstall(hook: Hook) -> None:
    if hook.stand == "ours":
        _put_back(hook, hook.path)
    elif hook.stand == "absent" and hook.kept:
        hook.before.rename(hook.path)
    elif hook.doubled:
        hook.before.unlink()
    elif hook.stand in ("foreign", "framed") and hook.asides and not hook.unwanted:
        # Where ours was moved to, what was here before us would have been moved to
        _put_back(hook, hook.place)
    for path in hook.asides:
        if _is_whole(read_script(path, hook.name)):
            path.unlink()


def _put_back(hook: Hook, place: Path) -> None:
    if hook.kept:
        hook.before.replace(place)
    else:
        place.unlink()


def _unmake(folder: Path, found: Sequence[Hook]) -> bool:
    """Take a whole folder away in one go when it was made for what is in it, and holds nothing else."""
    ours = {hook.name: hook.script for hook in found if hook.stand == "ours" and not hook.kept and hook.script}
    made = max((script.made for script in ours.values()), default=0)
    if not made or {path.name for path in folder.iterdir()} != set(ours):
        return False
    # Of the folders made for it only those that hold nothing else
    top = folder
    while made > 1 and {path.name for path in top.parent.iterdir()} == {top.name}:
        top, made = top.parent, made - 1
    staged = top.with_name(top.name + NEW)
    top.rename(staged)
    _clear(staged)
    return True
