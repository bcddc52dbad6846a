"""A project is looked over once for a task, beside what else is done, and never in the way of it."""

import pytest

from bot.app.surveying import ProjectSurveyor, choose_surveyor
from bot.core.check import Verdict
from bot.core.task import Task
from bot.git.repository import open_repository
from bot.git.results import tag_shelf
from bot.models.offline.model import OfflineModel
from bot.models.scripted import ScriptedModel
from bot.protocols import Survey
from tests.conftest import Repo, executor

VERDICT = Verdict(tree="0" * 40, results=())
MAP = "calc.py\n  def add(a, b)"


def look(repo: Repo, base: str = "") -> ProjectSurveyor:
    repository = open_repository(repo.path)
    at = base or repository.head
    return ProjectSurveyor(repository, at, Task(goal="add() subtracts", base=at), executor())


def test_the_map_and_the_places_are_those_of_the_base_and_stay_as_they_are(repo: Repo) -> None:
    base = repo.git("rev-parse", "HEAD")
    state = repo.state()
    with (surveyor := look(repo)).ahead():
        first = surveyor.survey(VERDICT)
    assert first.map == MAP
    assert any("calc.py" in hint for hint in first.hints)
    assert look(repo).survey(VERDICT) == first
    assert repo.state() == state
    (repo.path / "calc.py").write_text("def other(): ...\n")
    assert look(repo).survey(VERDICT) == first
    repo.commit({"calc.py": "def plus(a, b): ...\n"})
    assert look(repo).survey(VERDICT).map == "calc.py\n  def plus(a, b)"
    assert look(repo, base).survey(VERDICT) == first


def test_a_map_that_was_kept_is_taken_only_as_it_was_written(repo: Repo) -> None:
    look(repo).survey(VERDICT)
    shelf = tag_shelf(open_repository(repo.path))
    kept = shelf.get("map") or b""
    assert kept.endswith(MAP.encode())
    for spoilt in (kept + b"x" * 5000, kept.replace(b"1", b"2", 1), b"\xff", b""):
        shelf.put("map", spoilt)
        assert look(repo).survey(VERDICT).map == MAP
    shelf.put("map", kept.replace(b"add", b"sum"))
    assert look(repo).survey(VERDICT).map == MAP.replace("add", "sum")


def test_what_cannot_be_looked_at_is_no_trouble(repo: Repo) -> None:
    assert look(repo, "1" * 40).survey(VERDICT) == Survey()
    (repo.path / ".git/git-agent").write_text("in the way")
    assert look(repo).survey(VERDICT).map == MAP


def test_a_look_that_nobody_wants_any_more_ends(repo: Repo) -> None:
    surveyor = look(repo)
    with pytest.raises(KeyboardInterrupt), surveyor.ahead():
        raise KeyboardInterrupt
    assert not surveyor._start().is_alive()


def test_the_offline_model_needs_none(repo: Repo) -> None:
    repository, task = open_repository(repo.path), Task(goal="", base="1" * 40)
    assert choose_surveyor(OfflineModel(), repository, task, executor()) is None
    assert choose_surveyor(ScriptedModel([]), repository, task, executor()) is not None
