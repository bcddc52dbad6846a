"""The cheapest ways to an answer, each of which says what the long way would."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from bot.core.check import Check, CheckResult, Flake, Rung, Verdict
from bot.core.redact import Redactor
from bot.git.repository import Repository, open_repository
from bot.git.snapshot import Snapshots, open_snapshots
from bot.protocols import Command, Completed
from bot.sandbox.process import ProcessExecutor
from bot.verify.fingerprint import Outside
from bot.verify.interpreter import own
from bot.verify.ladder import Ladder
from tests.conftest import Repo
from tests.verify.conftest import CALC, FIXED, PYTEST, TESTS, bare, outcomes
from tests.verify.test_proof import last

SYNTAX = Check(name="syntax", rung=Rung.SYNTAX, reader="syntax")
SHELL = Check(name="shell", rung=Rung.BUILD, argv=("/bin/sh", "-c", "exit 0"))
BASES: dict[str, Verdict] = {}
"""By tree."""
ADD, ZERO = "test_calc.py::test_add", "test_calc.py::test_zero"


class Sealed(ProcessExecutor):
    """Runs commands as they are, under the name of a level that would keep them from the shelf."""

    isolation = "sealed"

    def __init__(self) -> None:
        super().__init__()
        self.ran: list[Command] = []

    def execute(self, command: Command) -> Completed:
        self.ran.append(command)
        return super().execute(command)


@dataclass
class Box:
    """A shelf in memory."""

    things: dict[str, bytes] = field(default_factory=dict)

    def get(self, key: str, /) -> bytes | None:
        return self.things.get(key)

    def put(self, key: str, value: bytes, /) -> None:
        self.things[key] = value


@dataclass
class Scene:
    """A repository whose commits are judged with a shelf."""

    repo: Repo
    repository: Repository
    snapshots: Snapshots
    executor: Sealed
    box: Box
    ladder: Ladder

    def commit(self, files: Mapping[str, str]) -> str:
        return self.repo.git("rev-parse", f"{self.repo.commit(files)}^{{tree}}")

    def base(self, files: Mapping[str, str]) -> Verdict:
        """Commit files and judge them to hold others against; it is the same for many."""
        tree = self.commit(files)
        if tree not in BASES:
            BASES[tree] = last(
                replace(self.ladder, checks=(SYNTAX, PYTEST), shelf=None).judge(self.snapshots, tree, None)
            )
        return BASES[tree]

    def judge(self, tree: str, before: Verdict | None = None, *paths: str) -> Verdict:
        return last(self.ladder.judge(self.snapshots, tree, before, paths))

    def count(self, work: Callable[[], object]) -> int:
        """Tell how many commands some work takes."""
        since = len(self.executor.ran)
        work()
        return len(self.executor.ran) - since


@pytest.fixture
def scene(repo: Repo) -> Iterator[Scene]:
    repository, executor, box = open_repository(repo.path), Sealed(), Box()
    ladder = Ladder((SYNTAX, PYTEST), executor, bare(), shelf=box, outside=Outside(repo.path))
    with open_snapshots(repository) as snapshots:
        yield Scene(repo, repository, snapshots, executor, box, ladder)


def test_what_was_said_of_a_tree_is_not_asked_again(scene: Scene) -> None:
    tree = scene.commit({"calc.py": FIXED})
    first = scene.judge(tree)
    assert not any(result.reused for result in first.results)
    assert scene.count(lambda: scene.judge(tree)) == 0
    again = scene.judge(tree)
    assert all(result.reused for result in again.results)
    assert [result.model_copy(update={"reused": False}) for result in again.results] == list(first.results)
    assert again.green


def test_a_base_whose_tests_fail_each_time_is_not_asked_again_either(scene: Scene) -> None:
    tree = scene.commit({"calc.py": CALC})
    first = scene.judge(tree)
    assert scene.count(lambda: scene.judge(tree)) == 0
    assert scene.judge(tree).bad == first.bad == (ADD,)


def test_a_candidate_that_is_known_still_has_to_pass_twice(scene: Scene) -> None:
    before = scene.base({"calc.py": CALC})
    fixed = scene.commit({"calc.py": FIXED})
    scene.judge(fixed)
    assert scene.count(lambda: scene.judge(fixed, before)) == 1
    assert scene.judge(fixed, before).comparison.fixed == (ADD,)


def test_another_check_or_environment_is_asked_anew(scene: Scene, tmp_path: Path) -> None:
    tree, known = scene.commit({"calc.py": FIXED}), scene.ladder
    (tmp_path / "carried").write_text("x")
    scene.judge(tree)
    told = dict(scene.box.things)
    for other in (
        replace(known, checks=(SYNTAX, PYTEST.model_copy(update={"timeout": 61.0}))),
        replace(known, interpreter=own()),
        replace(known, outside=Outside(tmp_path, (tmp_path / "carried",))),
        replace(known, outside=None),
        replace(known, executor=ProcessExecutor()),
    ):
        scene.box.things = dict(told)
        scene.ladder = replace(other, shelf=scene.box)
        result = scene.judge(tree).result("pytest")
        assert result is not None
        assert not result.reused, other
    scene.ladder = known
    assert scene.count(lambda: scene.judge(tree)) == 0


def test_a_carried_file_that_changes_is_another_environment(scene: Scene, tmp_path: Path) -> None:
    carried = tmp_path / "carried"
    carried.write_text("x")
    scene.ladder = replace(scene.ladder, outside=Outside(scene.repo.path, (carried,)))
    tree = scene.commit({"calc.py": FIXED})
    scene.judge(tree)
    assert scene.count(lambda: scene.judge(tree)) == 0
    carried.write_text("more")
    assert scene.count(lambda: scene.judge(tree)) == 2


FLAKY = """
import pathlib
seen = pathlib.Path({counter!r})


def test_odd():
    count = len(seen.read_text()) if seen.exists() else 0
    seen.write_text("x" * (count + 1))
    assert count % 2
"""


def test_a_test_that_passes_every_other_time_is_counted_and_not_kept(scene: Scene, tmp_path: Path) -> None:
    tree = scene.commit({"calc.py": FIXED, "test_odd.py": FLAKY.format(counter=str(tmp_path / "counter"))})
    verdict = scene.judge(tree)
    result = verdict.result("pytest")
    assert result is not None
    assert verdict.comparison.flaky == ("test_odd.py::test_odd",)
    assert result.flakes == (Flake(id="test_odd.py::test_odd", passed=2, failed=3),)
    assert len(scene.box.things) == 1


@pytest.mark.parametrize(
    "check",
    [
        PYTEST.model_copy(update={"network": True}),
        SHELL,
        Check(name="syntax", rung=Rung.SYNTAX, reader="syntax", timeout=0.0001),
    ],
)
def test_what_may_rest_on_the_world_or_is_no_evidence_is_not_kept(scene: Scene, check: Check) -> None:
    scene.ladder = replace(scene.ladder, checks=(check,))
    scene.judge(scene.commit({"calc.py": FIXED}))
    assert scene.box.things == {}


def test_a_secret_does_not_get_onto_the_shelf(scene: Scene) -> None:
    scene.ladder = replace(scene.ladder, redactor=Redactor(("hunter2hunter2",)))
    test = "def test_it():\n    assert 'hunter2' * 2 == ''\n"
    scene.judge(scene.commit({"calc.py": FIXED, "test_it.py": test}))
    assert len(scene.box.things) == 1


def test_a_shelf_that_holds_rubbish_is_as_if_empty(scene: Scene) -> None:
    tree = scene.commit({"calc.py": FIXED})
    scene.judge(tree)
    for damage in (b"", b"{}", b"\xff", b"null"):
        scene.box.things = dict.fromkeys(scene.box.things, damage)
        assert scene.count(lambda: scene.judge(tree)) == 2, damage


def test_a_result_that_lies_under_anothers_key_is_not_believed(scene: Scene) -> None:
    good = scene.commit({"calc.py": FIXED})
    scene.judge(good)
    told = dict(scene.box.things)
    bad = scene.commit({"calc.py": CALC})
    scene.judge(bad)
    fresh = [key for key in scene.box.things if key not in told]
    scene.box.things |= {key: value for key in fresh for value in told.values()}
    assert scene.judge(bad).bad == (ADD,)


def test_a_result_of_yesterday_is_asked_for_again(scene: Scene) -> None:
    tree = scene.commit({"calc.py": FIXED})
    since = int(time.time())
    scene.judge(tree)
    for now in (since, int(time.time())):
        fresh, aged = (str(second)[:6].encode() for second in (now, now - 100_000))
        scene.box.things = {key: value.replace(fresh, aged) for key, value in scene.box.things.items()}
    assert scene.count(lambda: scene.judge(tree)) == 2


SUITE = {
    "calc.py": FIXED,
    "words.py": "def shout(x):\n    return x.upper()\n",
    "test_words.py": "from words import shout\n\n\ndef test_shout():\n    assert shout('a') == 'A'\n",
}


def slow(verdict: Verdict) -> Verdict:
    """Let a suite seem to have taken long, most of it in the tests of words."""

    def longer(result: CheckResult) -> CheckResult:
        cases = tuple(
            case.model_copy(update={"seconds": 9.0 if case.id.startswith("test_words") else 0.1})
            for case in result.cases
        )
        return result.model_copy(update={"seconds": 10.0, "cases": cases})

    return verdict.model_copy(update={"results": tuple(map(longer, verdict.results))})


def test_the_nearest_tests_are_asked_first_and_what_they_find_is_enough(scene: Scene) -> None:
    before = slow(scene.base(SUITE))
    tree = scene.commit({"calc.py": CALC})
    verdict = scene.judge(tree, before, "calc.py")
    result = verdict.result("pytest")
    assert result is not None
    assert result.narrowed
    assert result.summary == "1 passed, 1 failed; 2 of 3 tests, those nearest to the change"
    assert outcomes(result) == {ADD: "failed", ZERO: "passed"}
    assert verdict.comparison.broken == (ADD,)
    assert verdict.comparison.removed == ()
    assert not verdict.ok
    assert not verdict.green


def test_the_whole_suite_decides_when_the_nearest_tests_find_nothing(scene: Scene) -> None:
    before = slow(scene.base(SUITE))
    tree = scene.commit({"calc.py": FIXED + "\n\nMORE = 1\n"})
    verdict = scene.judge(tree, before, "calc.py")
    result = verdict.result("pytest")
    assert result is not None
    assert not result.narrowed
    assert len(result.cases) == 3
    assert verdict.green


def test_a_test_that_never_passes_without_the_others_does_not_stop_a_change(scene: Scene) -> None:
    needy = "import calc\n\n\ndef test_needy():\n    assert calc.seen\n"
    files = {"calc.py": "seen = False\n\n\n" + FIXED, "test_needy.py": needy, "words.py": SUITE["words.py"]}
    files |= {"test_words.py": f"import sys\nsys.modules[('c' 'alc')].seen = True\n{SUITE['test_words.py']}"}
    before = slow(scene.judge(scene.commit(files | {"conftest.py": "import calc\n"})))
    assert before.green
    tree = scene.commit({"calc.py": files["calc.py"] + "\n\nMORE = 1\n"})
    verdict = scene.judge(tree, before, "calc.py")
    assert verdict.green, verdict.comparison


def test_a_test_that_fails_now_and_then_does_not_stop_a_change(scene: Scene, tmp_path: Path) -> None:
    odd = f"import calc\n{FLAKY.format(counter=str(tmp_path / 'counter'))}"
    (tmp_path / "counter").write_text("x")
    before = slow(scene.judge(scene.commit(SUITE | {"test_odd.py": odd})))
    assert before.green
    verdict = scene.judge(scene.commit({"calc.py": FIXED + "\n\nMORE = 1\n"}), before, "calc.py")
    result = verdict.result("pytest")
    assert result is not None
    assert not result.narrowed
    assert verdict.ok, verdict.comparison


def test_a_part_that_the_change_does_not_touch_keeps_its_result(scene: Scene) -> None:
    parts = {
        f"{name}/{path}": text.replace("calc", f"calc_{name}")
        for name in ("a", "b")
        for path, text in {
            f"calc_{name}.py": FIXED,
            f"test_{name}.py": "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n",
            "pyproject.toml": "[tool.pytest.ini_options]\n",
        }.items()
    }
    checks = tuple(PYTEST.model_copy(update={"name": f"pytest {name}", "folder": name}) for name in ("a", "b"))
    scene.ladder = replace(scene.ladder, checks=checks, shelf=None)
    before = scene.judge(scene.commit(parts))
    assert before.green, before
    tree = scene.commit({"a/calc_a.py": CALC})
    verdict = scene.judge(tree, before, "a/calc_a.py")
    assert [result.reused for result in verdict.results] == [False, True]
    assert "does not touch" in verdict.results[1].summary
    assert len(verdict.comparison.broken) == 1
    unknown = scene.judge(tree, before)
    assert [result.reused for result in unknown.results] == [False, False]
    imported = before.results[1].model_copy(update={"imported": ("a/calc_a.py",)})
    bound = before.model_copy(update={"results": (before.results[0], imported)})
    assert not any(result.reused for result in scene.judge(tree, bound, "a/calc_a.py").results)


class Meeting(Sealed):
    """Lets commands end only once so many have begun, and notes who runs where beside whom."""

    def __init__(self, parties: int) -> None:
        super().__init__()
        self.together = threading.Barrier(parties, timeout=10)
        self.alone: list[bool] = []
        self.running = 0

    def execute(self, command: Command) -> Completed:
        self.running += 1
        try:
            if not self.together.broken and self.together.parties > 1:
                self.together.wait()
            self.alone.append(self.running == 1)
            return super().execute(command)
        finally:
            self.running -= 1


class Exposed(Meeting):
    """Hides nothing from the commands."""

    isolation = "process"


def test_checks_that_only_look_run_side_by_side_on_the_base_and_the_tests_alone(scene: Scene) -> None:
    executor = Meeting(2)
    also = SYNTAX.model_copy(update={"name": "also"})
    scene.ladder = replace(scene.ladder, checks=(SYNTAX, also), executor=executor, shelf=None)
    verdict = scene.judge(scene.commit({"calc.py": FIXED}))
    assert [result.status for result in verdict.results] == ["passed", "passed"]
    executor = Meeting(1)
    scene.ladder = replace(scene.ladder, checks=(SYNTAX, PYTEST), executor=executor)
    scene.judge(scene.commit({"calc.py": FIXED}))
    assert executor.alone[-1]


def test_a_short_suite_runs_in_the_tree_while_others_look_at_a_copy(scene: Scene) -> None:
    scene.ladder = replace(scene.ladder, shelf=None)
    before = scene.base({"calc.py": FIXED})
    executor = Meeting(2)
    scene.ladder = replace(scene.ladder, executor=executor)
    tree = scene.commit({"calc.py": FIXED + "MORE = 1\n"})
    verdict = scene.judge(tree, before, "calc.py")
    assert verdict.green
    where = {command.writable: command.cwd for command in executor.ran}
    assert where[True].name in where[False].name
    assert where[True] != where[False]
    assert where[True].exists()
    assert not where[False].exists()


def test_what_tests_write_is_not_seen_by_those_that_look(scene: Scene) -> None:
    scene.ladder = replace(scene.ladder, shelf=None)
    writing = "import pathlib\n\n\ndef test_it():\n    pathlib.Path('bad.py').write_text('def f(')\n"
    before = scene.judge(scene.commit({"calc.py": FIXED, "test_it.py": writing}))
    assert before.green
    assert scene.judge(scene.commit({"calc.py": FIXED + "MORE = 1\n"}), before, "calc.py").green


def test_a_complaint_about_a_copy_is_looked_into_again_in_the_tree(scene: Scene) -> None:
    scene.ladder = replace(scene.ladder, shelf=None)
    before = scene.base({"calc.py": FIXED})
    tree = scene.commit({"bad.py": "def f(\n"})
    since = len(scene.executor.ran)
    verdict = scene.judge(tree, before, "bad.py")
    assert [result.status for result in verdict.results] == ["failed", "skipped"]
    looked = [command.cwd for command in scene.executor.ran[since:] if not command.writable]
    assert len({*looked}) == 2
    assert not looked[0].exists()
    assert looked[1].exists()


def test_tests_that_can_reach_everything_run_alone(scene: Scene) -> None:
    scene.ladder = replace(scene.ladder, shelf=None)
    before = scene.base({"calc.py": FIXED})
    executor = Exposed(1)
    scene.ladder = replace(scene.ladder, executor=executor)
    assert scene.judge(scene.commit({"calc.py": FIXED + "MORE = 1\n"}), before, "calc.py").green
    assert all(executor.alone)


def test_a_check_that_is_slow_waits_for_its_turn(scene: Scene) -> None:
    types = Check(name="types", rung=Rung.TYPES, reader="syntax")
    scene.ladder = replace(scene.ladder, checks=(SYNTAX, types), shelf=None)
    before = scene.judge(scene.commit({"calc.py": FIXED}))
    tree = scene.commit({"calc.py": "def add(:\n"})
    assert scene.count(lambda: scene.judge(tree, before)) == 2
    assert scene.judge(tree, before).results[1].status == "skipped"
    long = before.model_copy(
        update={"results": (before.results[0], before.results[1].model_copy(update={"seconds": 6.0}))}
    )
    assert scene.count(lambda: scene.judge(tree, long)) == 1


def test_the_nearest_tests_of_a_package_are_named_from_the_root_and_run_in_its_folder(scene: Scene) -> None:
    inside = {f"libs/one/{path}": text for path, text in {**SUITE, "test_calc.py": TESTS}.items()}
    before_tree = scene.commit(inside)
    check = PYTEST.model_copy(update={"name": "libs/one/pytest", "folder": "libs/one"})
    scene.ladder = replace(scene.ladder, checks=(check,))

    def longer(result: CheckResult) -> CheckResult:
        cases = (case.model_copy(update={"seconds": 9.0 if "test_words" in case.id else 0.1}) for case in result.cases)
        return result.model_copy(update={"seconds": 10.0, "cases": tuple(cases)})

    base = scene.judge(before_tree)
    before = base.model_copy(update={"results": tuple(map(longer, base.results))})
    verdict = scene.judge(scene.commit({"libs/one/calc.py": CALC}), before, "libs/one/calc.py")
    result = verdict.result("libs/one/pytest")
    assert result is not None
    assert result.narrowed
    assert verdict.comparison.broken == (f"libs/one/{ADD}",)
