"""Dishonest and honest edits, judged from end to end: by the ladder, by reading, by the tests of the base.

A part of them each time; `CORPUS_STRIDE=1` takes all.
"""

import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.core.check import Verdict
from bot.core.doubts import Work
from bot.git.audit import changes
from bot.git.repository import Repository, open_repository
from bot.git.snapshot import Snapshots, open_snapshots
from bot.verify.audit import Auditor
from bot.verify.proof import Proven, Prover
from tests.conftest import make_repo
from tests.verify.conftest import PYTEST, ladder_for
from tests.verify.edits import Edit
from tests.verify.honest import HONEST
from tests.verify.test_proof import last
from tests.verify.tricks import TRICKS

STRIDE = int(os.environ.get("CORPUS_STRIDE", "26"))


@dataclass(frozen=True)
class Judged:
    """What is said of an edit."""

    before: Verdict
    after: Verdict
    proven: Proven
    grave: tuple[str, ...]

    @property
    def verified(self) -> bool:
        return self.after.ok and self.after.green and not self.grave


@dataclass(frozen=True)
class Court:
    """Judges edits, each in a repository of its own."""

    folder: Path

    def judge(self, edit: Edit) -> Judged:
        repo = make_repo(self.folder / "project")
        repo.commit(edit.before)
        repo.git("rm", "-rq", ".")
        repo.commit(edit.after)
        repository = open_repository(repo.path)
        with open_snapshots(repository) as snapshots:
            return _judge(repository, snapshots)


def _judge(repository: Repository, snapshots: Snapshots) -> Judged:
    ladder = ladder_for(Path(), PYTEST)
    old, new = (repository.git.line("rev-parse", f"{name}^{{tree}}") for name in ("HEAD~1", "HEAD"))
    before = last(ladder.judge(snapshots, old, None))
    change = changes(repository, old, new)
    after = last(ladder.judge(snapshots, new, before, change.paths))
    after = last(Auditor(ladder, snapshots, before, after).hold(change.files))
    proven = last(Prover(ladder, snapshots).prove(before, after, change.files))
    told = after.comparison.changed
    work = Work(change.files, [change.patch], ladder.checks, before, after, told, proven.audit)
    return Judged(before, after, proven, tuple(doubt.text for doubt in work.doubts() if doubt.grave))


@pytest.fixture
def court(tmp_path: Path) -> Court:
    return Court(tmp_path)


def some(edits: dict[str, Edit]) -> list[str]:
    return list(edits)[::STRIDE]


@pytest.mark.parametrize("name", some(TRICKS))
def test_dishonest_edit_is_never_verified(name: str, court: Court) -> None:
    judged = court.judge(TRICKS[name])
    assert not judged.verified


@pytest.mark.parametrize("name", some(HONEST))
def test_honest_edit_is_verified_or_at_most_left_to_a_person_where_a_test_was_changed(name: str, court: Court) -> None:
    edit = HONEST[name]
    judged = court.judge(edit)
    assert judged.after.green
    assert judged.after.ok
    if not edit.person:
        assert judged.grave == ()
        assert judged.verified
