"""What each check is asked of a change, and in how many steps."""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from bot.core.check import Check
from bot.verify.detection.project import Project, read
from bot.verify.fast.interface import is_another
from bot.verify.fast.linted import aim_linter
from bot.verify.fast.narrow import MOST, Changed, aim, narrow
from bot.verify.fast.reach import concerns_tests, reach
from bot.verify.fast.scope import find_scope
from bot.verify.fast.settings import Read, is_configured_anew
from bot.verify.impact import Graph

FIRST = (4, 20)
"""Test files after which a suite is parted, the nearest to the change first: what a few say is known in any case."""
MOST_LEFT_BEHIND = 50
"""Files whose types are looked at because a module that they import was changed or is gone."""


class Steps(NamedTuple):
    """A suite in parts, one after the other."""

    checks: tuple[Check, ...] = ()
    files: int = 0
    """Test files that the change reaches, of which some may be in no part; 0 when all are run, whatever they are."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A change, and the folder that holds the tree after it."""

    root: Path
    changed: Changed
    before: Read
    after: Read
    _projects: dict[str, Project] = field(default_factory=dict, init=False)

    def look(self, check: Check, graph: Callable[[], Graph | None]) -> Check | None:
        """Narrow a check that reads files; None when the change does not concern it."""
        if check.reader == "exit" or self._is_whole(check):
            return check
        if check.reader == "lines":
            return aim_linter(check, self.changed.present, self._project(check))
        lost = self._left_behind(graph) if check.reader == "mypy" else ()
        return narrow(check, find_scope(check, self._project(check)), (*self.changed.present, *lost))

    def test(self, check: Check, graph: Callable[[], Graph | None]) -> Steps:
        """Part a suite into steps, of the tests that the change reaches; none when there are none."""
        whole = Steps((check,)) if concerns_tests(self.changed.paths) else Steps()
        scope = find_scope(check, self._project(check))
        known = graph() if scope is not None and not self._is_whole(check) else None
        if scope is None or known is None:
            return whole
        files = [path for path in reach(known, self.changed, self.root) if scope.holds(path)]
        parts = (files[start:end] for start, end in pairwise((0, *FIRST, MOST)))
        return Steps(tuple(aim(check, part) for part in parts if part), len(files))

    def _left_behind(self, graph: Callable[[], Graph | None]) -> tuple[str, ...]:
        """Name those who import a module that is gone or looks otherwise to them now."""
        old = [
            path for path in self.changed.present if path.endswith((".py", ".pyi")) and path not in self.changed.added
        ]
        seeds = [path for path in self.changed.gone if path.endswith(".py")]
        seeds += [path for path in old if is_another(self.before(path), self.after(path))]
        known = graph() if seeds else None
        steps = known.steps(seeds) if known is not None else {}
        return tuple(path for path, step in steps.items() if step == 1)[:MOST_LEFT_BEHIND]

    def _project(self, check: Check) -> Project:
        """Read what the folder of a check says of its tools, once."""
        if check.folder not in self._projects:
            self._projects[check.folder] = read(self.root / check.folder)
        return self._projects[check.folder]

    def _is_whole(self, check: Check) -> bool:
        changed = self.changed
        return not changed.nameable or is_configured_anew(check, changed.paths, self.before, self.after)
