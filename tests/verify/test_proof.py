"""Whole changes held against their base: what they prove, and what they did to the tests."""

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import pytest

from bot.core.check import Check, Verdict
from bot.core.proof import Audit, Proof
from bot.git.audit import changes
from bot.git.repository import Repository, open_repository
from bot.git.snapshot import Snapshots, open_snapshots
from bot.verify.ladder import Ladder
from bot.verify.proof import Prover
from tests.conftest import Repo
from tests.verify.conftest import FIXED, PYTEST, TESTS, ladder_for

T = TypeVar("T")
LOOK = "NAMES = {'a': 1}\n\n\ndef look(name):\n    return NAMES[name]\n"
MENDED_LOOK = LOOK.replace("NAMES[name]", "NAMES.get(name, 0)")
TEST_LOOK = "from look import look\n\n\ndef test_known():\n    assert look('a') == 1\n"
TEST_UNKNOWN = "from look import look\n\n\ndef test_unknown():\n    assert look('b') == 0\n"
BASES: dict[str, Verdict] = {}
"""By tree."""


@dataclass(frozen=True)
class Scene:
    """A repository, and what judges its commits."""

    repo: Repo
    repository: Repository
    snapshots: Snapshots
    ladder: Ladder

    def prove(self, files: Mapping[str, str], *gone: str, reported: str = "") -> tuple[Proof, Audit]:
        """Commit a change and hold it against the commit before."""
        if gone:
            self.repo.git("rm", "-q", *gone)
        self.repo.commit(files)
        before = self.base("HEAD~1")
        after = self.judge("HEAD", before)
        change = changes(self.repository, before.tree, after.tree)
        return last(Prover(self.ladder, self.snapshots).prove(before, after, change.files, reported))

    def base(self, commit: str) -> Verdict:
        """Judge a commit to hold others against; it is the same for many."""
        tree = self.repo.git("rev-parse", f"{commit}^{{tree}}")
        if tree not in BASES:
            BASES[tree] = self.judge(commit, None)
        return BASES[tree]

    def judge(self, commit: str, before: Verdict | None) -> Verdict:
        tree = self.repo.git("rev-parse", f"{commit}^{{tree}}")
        return last(self.ladder.judge(self.snapshots, tree, before))


def last(steps: Generator[Check, None, T]) -> T:
    """Run a generator to its end and return what it returns."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            told: T = end.value
            return told


@pytest.fixture
def scene(repo: Repo) -> Iterator[Scene]:
    repository = open_repository(repo.path)
    with open_snapshots(repository) as snapshots:
        yield Scene(repo, repository, snapshots, ladder_for(Path(), PYTEST))


def test_test_that_failed_on_the_base_and_passes_now_is_a_reproduction(scene: Scene) -> None:
    proof, audit = scene.prove({"calc.py": FIXED})
    assert (proof.mode, proof.green) == ("reproduction", ("test_calc.py::test_add",))
    assert proof.shown[0].error == "AssertionError"
    assert audit == Audit()


@pytest.mark.parametrize("test", [{"test_unknown.py": TEST_UNKNOWN}, {"test_look.py": TEST_LOOK + TEST_UNKNOWN}])
def test_new_test_over_which_the_code_stumbles_without_the_change_proves_it(
    scene: Scene, test: Mapping[str, str]
) -> None:
    scene.repo.commit({"calc.py": FIXED, "look.py": LOOK, "test_look.py": TEST_LOOK})
    proof, audit = scene.prove({"look.py": MENDED_LOOK, **test})
    assert (proof.mode, proof.red) == ("written", (f"{next(iter(test))}::test_unknown",))
    assert proof.green == proof.red
    assert proof.shown[0].error == "KeyError"
    assert audit.sound


def test_assertion_that_was_adapted_fails_when_all_else_is_taken_back(scene: Scene) -> None:
    scene.repo.commit({"calc.py": FIXED})
    proof, audit = scene.prove(
        {"calc.py": FIXED.replace("a + b", "a + b + 1"), "test_calc.py": TESTS.replace("== 3", "== 4")}
    )
    assert (proof.mode, proof.green) == ("reverted", ("test_calc.py::test_add",))
    assert not audit.sound
    assert set(audit.unkept) == {"test_calc.py::test_add", "test_calc.py::test_zero"}


@pytest.mark.parametrize(
    ("test", "reason"),
    [
        ("from look import found\n\n\ndef test_found():\n    assert found()\n", "cannot even be collected"),
        ("import look\n\n\ndef test_found():\n    assert look.found()\n", "AttributeError"),
        ("def test_nothing():\n    assert True\n", "pass without it"),
    ],
)
def test_test_that_only_shows_that_something_is_new_proves_nothing(scene: Scene, test: str, reason: str) -> None:
    scene.repo.commit({"calc.py": FIXED, "look.py": LOOK, "test_look.py": TEST_LOOK})
    proof, audit = scene.prove({"look.py": LOOK + "\n\ndef found():\n    return True\n", "test_found.py": test})
    assert (proof.mode, proof.green) == ("none", ())
    assert reason in proof.reason or "no test" in proof.reason
    assert audit.sound


def test_exception_that_was_reported_counts_wherever_it_is_raised(scene: Scene) -> None:
    scene.repo.commit({"calc.py": FIXED, "look.py": LOOK, "test_look.py": TEST_LOOK})
    change = {
        "look.py": LOOK + "\n\nclass Names:\n    found = True\n\n\nnames = Names()\n",
        "test_names.py": "import look\n\n\ndef test_names():\n    assert look.names.found\n",
    }
    proof, _ = scene.prove(change, reported="look.names raises AttributeError")
    assert (proof.mode, proof.green) == ("written", ("test_names.py::test_names",))


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({"calc.py": FIXED + "\n\nOTHER = 1\n"}, "no test was added"),
        ({"test_new.py": "def test_new():\n    assert True\n"}, "nothing but tests"),
        ({"notes.txt": "n\n"}, "no test was added"),
    ],
)
def test_change_without_a_red_test_says_why(scene: Scene, files: Mapping[str, str], reason: str) -> None:
    scene.repo.commit({"calc.py": FIXED})
    proof, audit = scene.prove(files)
    assert (proof.mode, proof.green) == ("none", ())
    assert reason in proof.reason
    assert audit.sound or [change.path for change in audit.tests] == [".github/workflows/ci.yml"]


WEAKER = {
    "expected value": TESTS.replace("== 3", "== -1"),
    "swallowed": TESTS.replace(
        "    assert add(1, 2) == 3", "    try:\n        assert add(1, 2) == 3\n    except: pass"
    ),
    "deleted": "from calc import add\n\n\ndef test_zero():\n    assert add(0, 0) == 0\n",
    "other function": TESTS.replace("from calc import add", "def add(a, b):\n    return a + b"),
    "renamed and emptied": TESTS.replace("def test_add():\n    assert add(1, 2) == 3", "def test_sum():\n    pass"),
}


@pytest.mark.parametrize("test", WEAKER.values(), ids=WEAKER)
def test_wrong_code_is_found_out_by_the_tests_of_the_base_whatever_became_of_them(scene: Scene, test: str) -> None:
    proof, audit = scene.prove({"calc.py": "def add(a, b):\n    return a - b + 0\n", "test_calc.py": test})
    assert audit.unkept == ("test_calc.py::test_add",)
    assert not audit.sound
    assert "test_calc.py::test_add" not in proof.green


def test_deleted_test_that_would_still_pass_is_listed_and_not_held_against_the_code(scene: Scene) -> None:
    scene.repo.commit({"calc.py": FIXED, "test_more.py": TESTS.replace("_add", "_more")})
    _, audit = scene.prove({"calc.py": FIXED + "\n"}, "test_more.py")
    assert audit.unkept == ()
    assert audit.kept == ("test_more.py",)
    assert not audit.sound


def test_new_test_file_that_mends_the_code_from_outside_is_found_out(scene: Scene) -> None:
    scene.repo.commit({"calc.py": FIXED})
    broken = {"calc.py": "def add(a, b):\n    return a - b\n"}
    patch = "import calc\n\ncalc.add = lambda a, b: a + b\n\n\ndef test_a():\n    assert calc.add(1, 2) == 3\n"
    _, audit = scene.prove({**broken, "test_a.py": patch})
    assert "test_calc.py::test_add" in audit.unkept
