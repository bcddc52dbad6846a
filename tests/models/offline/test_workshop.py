"""What an idea is tried on, and when it counts as a help."""

from dataclasses import replace

from bot.models.offline.briefing import Finding
from bot.models.offline.dialogue import State
from bot.models.offline.problems import Problem
from bot.models.offline.workshop import _targets, helped

WHY = "ImportError: cannot import name 'Protocl' from 'typing'"
LOST = Finding("pytest", "tests/conftest.py", "shop/money.py", 1, WHY)
OTHER = Finding("pytest", "tests/test_a.py::test_a", "tests/test_a.py", 3, "AssertionError: assert 1 == 2")
KNOWN = frozenset({LOST.id})


def test_a_conftest_that_cannot_be_loaded_is_asked_for_by_all_tests() -> None:
    assert _targets([LOST, OTHER]) == ()
    assert _targets([OTHER]) == (OTHER.id,)


def test_a_test_that_could_not_be_found_before_speaks_against_no_mend() -> None:
    mended = State("failed", (OTHER,), whole=True)
    assert helped(Problem((LOST,), ()), mended, KNOWN)
    file = replace(LOST, id="tests/test_a.py")
    assert helped(Problem((file,), ()), mended, frozenset({file.id}))
    assert not helped(Problem((file,), ()), mended, frozenset({"tests/test_b.py"}))
    assert not helped(Problem((LOST,), ()), State("failed", (LOST,), whole=True), KNOWN)
