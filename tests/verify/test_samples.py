"""A few tests that answer for those that fail alike."""

from bot.core.check import CaseResult
from bot.verify.samples import FEW, MOST, answered, kinds_of, samples


def failing(name: str, *, error: str = "KeyError", line: int = 3) -> CaseResult:
    return CaseResult(id=name, outcome="failed", error=error, path="calc.py", line=line)


def test_tests_of_one_error_at_one_place_are_of_one_kind() -> None:
    cases = [failing("t::a"), failing("t::b"), failing("t::c", line=4), failing("t::d", error="OSError")]
    assert kinds_of([*cases, failing("t::other")], {case.id for case in cases}) == (
        ("t::a", "t::b"),
        ("t::c",),
        ("t::d",),
    )


def test_a_few_of_each_kind_are_chosen_and_not_of_endless_kinds() -> None:
    assert samples([tuple(f"t::{number}" for number in range(50))]) == ("t::0", "t::1")
    assert len(samples([(f"t::{number}",) for number in range(50)])) == MOST


def test_a_kind_stands_or_falls_with_all_of_its_samples() -> None:
    kinds = [("a", "b", "c"), ("d", "e", "f"), ("g",)]
    assert FEW == 2
    assert answered(kinds, {"a", "b", "d"}) == {"a", "b", "c", "d"}
    assert answered(kinds, {"g"}) == {"g"}
    assert answered(kinds, ()) == frozenset()


def test_what_was_not_looked_into_is_not_answered() -> None:
    kinds = [(f"t::{number}",) for number in range(MOST + 5)]
    assert answered(kinds, samples(kinds)) == frozenset(samples(kinds))
