"""From a path that a model wrote to one file below the worktree, never through a link that leaves it."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from heapq import nsmallest
from pathlib import Path, PurePosixPath

from bot.core.change import readable
from bot.core.policy import refuse_new_path, refuse_path, refuse_read
from bot.errors import Denied, NotFound
from bot.protocols import Workspace

NEAR = 3
"""Names that are offered instead of one that is not there."""
MOST_LIKELY = 1000
"""Names that are compared by letters: in a big repository, those that begin alike and are as long."""


def _untold(path: str) -> None:
    raise AssertionError(f"{path!r} belongs to no workspace: it is only read")


@dataclass(frozen=True, slots=True)
class Place:
    """One path below a worktree, as the file system spells it; no folder of it is a link."""

    root: Path
    parts: tuple[str, ...]
    tell: Callable[[str], None] = field(default=_untold, compare=False, repr=False)
    """Whom to tell, by its path from the root, that it is about to be written."""

    def announce(self) -> None:
        """Tell that this entry is about to be written: what nobody tells of is not looked at."""
        self.tell("/".join(self.parts))

    @property
    def name(self) -> str:
        """The path as a model is shown it."""
        return readable(os.fsencode("/".join(self.parts)))


def follow(workspace: Workspace, path: str, scope: Sequence[str] = ()) -> Place:
    """Find what a path leads to; a link is followed while it stays inside.

    Files made to hold secrets are refused unless a scope names them. Raises Denied.
    """
    spelled = _spelled(workspace.root, path)
    place = _inside(workspace, spelled, path)
    target = place.root.joinpath(*place.parts)
    if target.is_symlink() or ((workspace.root / spelled).is_symlink() and not target.exists()):
        raise Denied(f"{path!r} is a link that leads nowhere")
    reveal(place, scope)
    return place


def reveal(place: Place, scope: Sequence[str]) -> None:
    """Make sure that the content of a place may be shown, also under another name. Raises Denied."""
    reason = refuse_read(place.name, scope) if place.parts else None
    if reason is not None:
        raise Denied(reason)


def entry(workspace: Workspace, path: str) -> Place:
    """Find the entry itself, without following a link in the last place. Raises Denied."""
    spelled = _spelled(workspace.root, path)
    if not spelled:
        raise Denied("the root of the worktree is not a file")
    folder, _, last = spelled.rpartition("/")
    above = _inside(workspace, folder, path)
    return replace(above, parts=(*above.parts, last))


def fresh(workspace: Workspace, path: str) -> Place:
    """Find the place of a file that is to be made. Raises Denied."""
    reason = refuse_new_path(_tidy(path))
    if reason is not None:
        raise Denied(reason)
    return entry(workspace, path)


def admit(workspace: Workspace, place: Place, data: bytes, source: Place | None = None) -> None:
    """Make sure that a commit would hold what is to be written; `source` is where it was before. Raises Denied."""
    moved = "/".join(source.parts) if source else ""
    reason = workspace.refuse_write("/".join(place.parts), data, moved)
    if reason is not None:
        raise Denied(f"{place.name}: {reason}; nothing was written")


def missing(workspace: Workspace, path: str) -> NotFound:
    """Make the answer for a path that is not there: it names the nearest ones that are."""
    near = nearest(path, workspace.files())
    return NotFound(f"there is no {path!r}" + (f"; nearest: {', '.join(near)}" if near else ""))


def nearest(path: str, files: Sequence[str]) -> list[str]:
    """Return the files whose names are most like a path: the same name elsewhere first."""
    wanted = PurePosixPath(path).name
    same = [file for file in files if _name(file) == wanted]
    if same:
        return sorted(same, key=lambda file: -_alike(file, path))[:NEAR]
    names = {_name(file): file for file in reversed(files)}
    likely = nsmallest(MOST_LIKELY, names, key=lambda name: (name[:2] != wanted[:2], abs(len(name) - len(wanted))))
    alike = [names[close] for close in get_close_matches(wanted, likely, n=NEAR, cutoff=0.6)]
    return alike or get_close_matches(path, files[:MOST_LIKELY], n=NEAR, cutoff=0.5)


def _name(file: str) -> str:
    return file.rpartition("/")[2]


def _alike(file: str, path: str) -> int:
    return len(set(PurePosixPath(file).parts) & set(PurePosixPath(path).parts))


def _tidy(path: str) -> str:
    tidy = path.removeprefix("./")
    return tidy if set(tidy) <= {"/"} and tidy else tidy.rstrip("/")


def _spelled(root: Path, path: str) -> str:
    """Return the real spelling of a path, which may have escapes as list_files shows them; empty for the root."""
    tidy = _tidy(path)
    if tidy in ("", "."):
        return ""
    reason = refuse_path(tidy)
    if reason is not None:
        raise Denied(reason)
    parts = [part for part in tidy.split("/") if part not in ("", ".")]
    return (_unescaped(root, parts) if "\\" in tidy else None) or "/".join(parts)


def _unescaped(root: Path, parts: Sequence[str]) -> str | None:
    """Find the existing path whose readable form this is. Raises Denied when there is more than one."""
    folder, spelled = root, list[str]()
    for part in parts:
        if folder.is_symlink() or not folder.is_dir():
            return None
        found = [item.name for item in folder.iterdir() if readable(os.fsencode(item.name)) == part]
        if len(found) > 1:
            raise Denied(f"{len(found)} files are shown as {part}: there is no telling which is meant")
        if not found:
            return None
        folder /= found[0]
        spelled.append(found[0])
    return "/".join(spelled)


def _inside(workspace: Workspace, spelled: str, path: str) -> Place:
    base = os.path.realpath(workspace.root)
    target = os.path.realpath(f"{base}/{spelled}")  # Path.resolve raises on a loop of links
    if target != base and not target.startswith(f"{base.rstrip('/')}/"):
        raise Denied(f"{path!r} leads out of the worktree")
    parts = tuple(part for part in target[len(base) :].split("/") if part)
    place = Place(Path(base), parts, workspace.touch)
    reason = refuse_path(place.name) if place.parts and "/".join(place.parts) != spelled else None
    if reason is not None:
        raise Denied(f"{path!r} is a link: {reason}")
    return place
