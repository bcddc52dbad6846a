"""What to ask of a change: the same checks, of no more than the files that it is about."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from bot.core.change import FileChange
from bot.core.check import Check, Rung
from bot.verify.fast.scope import Scope

MOST = 500
"""Files that are named to a check; with more it is asked as a whole."""


class Changed(NamedTuple):
    """The files of a change, as they can be named to tools."""

    present: tuple[str, ...] = ()
    added: frozenset[str] = frozenset()
    """Those of them that were not there before."""
    gone: tuple[str, ...] = ()
    other: tuple[str, ...] = ()
    """Links and submodules, which no tool is told of."""
    nameable: bool = True
    """Whether every file can be named to a tool."""

    @property
    def paths(self) -> tuple[str, ...]:
        """All of them."""
        return (*self.present, *self.gone, *self.other)


def choose(checks: Sequence[Check], highest: Rung) -> list[Check]:
    """Choose the checks up to a rung, the lowest first; where no unit tests are known, declared ones stand for them."""
    chosen = [check for check in checks if check.rung.height <= highest.height]
    if highest is Rung.UNIT and not any(check.rung is Rung.UNIT for check in chosen):
        chosen += [check for check in checks if check.rung is Rung.INTEGRATION]
    return sorted(chosen, key=lambda check: check.rung.height)


def sort_out(files: Sequence[FileChange]) -> Changed:
    """Sort the files of a change by what became of them."""
    plain = [file for file in files if file.mode.startswith("100")]
    present = tuple(file.path for file in plain if file.kind != "deleted")
    # What became a link is no file any more, and what was one is a new file
    gone = tuple(file.path for file in files if file.kind == "deleted" or (file.kind == "typechange" and _left(file)))
    fresh = (file.path for file in plain if file.kind in ("added", "typechange"))
    other = tuple(file.path for file in files if file.kind not in ("deleted", "typechange") and _left(file))
    return Changed(present, frozenset(fresh), gone, other, all(map(_is_nameable, present)))


def _left(file: FileChange) -> bool:
    return not file.mode.startswith("100")


def _is_nameable(path: str) -> bool:
    """Tell whether a path stands for itself: escapes do not, and a dash in front or a colon means something else."""
    return not (path.startswith("-") or "\\" in path or "::" in path or "[" in path)


def narrow(check: Check, scope: Scope | None, paths: Sequence[str]) -> Check | None:
    """Narrow a check to those of some files that it looks at; None when it looks at none of them.

    Without a scope it is asked as a whole.
    """
    if scope is None:
        return check
    held = tuple(_without_twins([path for path in dict.fromkeys(paths) if scope.holds(path)], check))
    if len(held) > MOST:
        return check
    return aim(check, held) if held else None


def _without_twins(paths: Sequence[str], check: Check) -> Iterator[str]:
    """Leave out a module that has a stub beside it: to mypy they are the same module, named twice."""
    known = {*paths}
    yield from (path for path in paths if check.reader != "mypy" or f"{path}i" not in known)


def aim(check: Check, targets: Sequence[str]) -> Check:
    """Return a check of these files alone."""
    return check.model_copy(update={"targets": tuple(targets)})
