"""What became of each case between two trees."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.check import CaseResult, Cause, CheckResult, Comparison, Outcome, Rung, Status, Verdict
from bot.verify.compare import compare, got_worse, without

OUTCOMES: tuple[Outcome, ...] = ("passed", "failed", "error", "skipped", "xfailed", "xpassed")
GROUPS = ("fixed", "broken", "failing", "new", "removed", "flaky", "renamed", "prevented")


def result(cases: dict[str, Outcome], status: Status | None = None, rung: Rung = Rung.UNIT) -> CheckResult:
    made = tuple(CaseResult(id=name, outcome=outcome, path=name.partition("::")[0]) for name, outcome in cases.items())
    bad = any(case.bad for case in made)
    return CheckResult(check="check", rung=rung, status=status or ("failed" if bad else "passed"), cases=made)


def between(before: CheckResult, after: CheckResult, flaky: tuple[str, ...] = ()) -> Comparison:
    return compare(Verdict(tree="a", results=(before,), comparison=Comparison(flaky=flaky)), [after])


def group_of(comparison: Comparison, name: str) -> str:
    found = [group for group in GROUPS if name in getattr(comparison, group)]
    assert len(found) <= 1, found
    return found[0] if found else "-"


@pytest.mark.parametrize(
    ("before", "after", "group"),
    [
        ("failed", "passed", "fixed"),
        ("error", "passed", "fixed"),
        ("xfailed", "passed", "fixed"),
        ("passed", "failed", "broken"),
        ("passed", "error", "broken"),
        ("skipped", "failed", "broken"),
        ("xfailed", "failed", "broken"),
        (None, "failed", "broken"),
        ("failed", "failed", "failing"),
        ("failed", "error", "failing"),
        (None, "passed", "new"),
        ("passed", None, "removed"),
        ("failed", None, "removed"),
        ("skipped", None, "removed"),
        ("passed", "skipped", "removed"),
        ("failed", "skipped", "removed"),
        ("failed", "xfailed", "removed"),
        ("passed", "xpassed", "removed"),
        ("passed", "passed", "-"),
        ("skipped", "skipped", "-"),
        ("skipped", "passed", "-"),
        ("xpassed", "passed", "-"),
        (None, "skipped", "-"),
    ],
)
def test_test_is_sorted_by_what_became_of_it(before: Outcome | None, after: Outcome | None, group: str) -> None:
    name = "t.py::t"
    comparison = between(result({name: before} if before else {}), result({name: after} if after else {}))
    assert group_of(comparison, name) == group


def test_finding_that_is_gone_is_fixed_and_a_new_one_breaks() -> None:
    before = result({"a.py::F401::x": "failed", "a.py::F401::x#2": "failed"}, rung=Rung.STATIC)
    after = result({"a.py::F401::x": "failed", "a.py::E999::y": "failed"}, rung=Rung.STATIC)
    comparison = between(before, after)
    assert (comparison.fixed, comparison.failing, comparison.broken) == (
        ("a.py::F401::x#2",),
        ("a.py::F401::x",),
        ("a.py::E999::y",),
    )


def test_file_that_collects_again_brings_its_tests() -> None:
    comparison = between(result({"t.py": "error"}), result({"t.py::a": "passed", "t.py::b": "failed"}))
    assert comparison == Comparison(fixed=("t.py",), new=("t.py::a",), failing=("t.py::b",))


def test_file_that_could_not_be_collected_and_is_gone_was_removed() -> None:
    assert between(result({"t.py": "error"}), result({"u.py::a": "passed"})).removed == ("t.py",)


def test_source_that_loads_again_and_holds_no_example_is_not_a_test_that_is_gone() -> None:
    before = result({"pkg/version.py": "error", "pkg/money.py": "error", "test_it.py": "error"})
    after = result({"pkg/money.py::pkg.money.due": "passed", "test_it.py::test_it": "passed"})
    compared = between(before, after)
    assert (compared.removed, compared.fixed) == ((), ("pkg/money.py", "test_it.py"))
    assert between(before, result({"test_it.py::test_it": "passed"})).removed == ("pkg/version.py", "pkg/money.py")
    gone = result({"pkg/money.py::pkg.money.due": "passed"})
    assert between(before, gone).removed == ("test_it.py",)


def test_conftest_that_loads_again_is_fixed() -> None:
    comparison = between(result({"tests/conftest.py": "error"}), result({"tests/t.py::a": "passed"}))
    assert comparison == Comparison(fixed=("tests/conftest.py",), new=("tests/t.py::a",))


def test_tests_that_a_broken_conftest_hid_are_not_newly_broken() -> None:
    before = result({"tests/conftest.py": "error", "other/t.py::a": "passed"})
    comparison = between(
        before, result({"tests/t.py::a": "failed", "other/t.py::a": "passed", "other/t.py::b": "failed"})
    )
    assert comparison == Comparison(fixed=("tests/conftest.py",), failing=("tests/t.py::a",), broken=("other/t.py::b",))
    comparison = between(result({"conftest.py": "error"}), result({"tests/t.py::a": "failed"}))
    assert comparison == Comparison(fixed=("conftest.py",), failing=("tests/t.py::a",))


def test_linter_reads_a_file_whose_tests_could_not_be_collected() -> None:
    before = Verdict(
        tree="a",
        results=(
            CheckResult(check="ruff", rung=Rung.STATIC, status="passed"),
            result({"tests/t.py": "error"}),
        ),
    )
    after = CheckResult(
        check="ruff",
        rung=Rung.STATIC,
        status="failed",
        cases=(CaseResult(id="tests/t.py::F401::x", outcome="failed", path="tests/t.py"),),
    )
    assert compare(before, [after]).broken == ("tests/t.py::F401::x",)


def test_findings_that_a_syntax_error_hid_are_not_new() -> None:
    syntax = result({"a.py::SyntaxError::m": "failed"}, rung=Rung.SYNTAX)
    lint = result({}, rung=Rung.STATIC).model_copy(update={"check": "ruff"})
    after = result({"a.py::F401::x": "failed", "b.py::F401::y": "failed"}, rung=Rung.STATIC).model_copy(
        update={"check": "ruff"}
    )
    comparison = compare(Verdict(tree="a", results=(syntax, lint)), [after])
    assert (comparison.failing, comparison.broken) == (("a.py::F401::x",), ("b.py::F401::y",))


def test_check_that_stops_giving_evidence_is_broken_and_fixes_nothing() -> None:
    before = result({"t.py::a": "failed", "t.py::b": "passed", "t.py::c": "passed"})
    after = result({"t.py::a": "passed", "t.py::b": "failed"}, status="errored")
    assert between(before, after) == Comparison(broken=("check", "t.py::b"))


def test_nothing_is_known_to_be_worse_than_a_check_without_evidence() -> None:
    comparison = between(result({}, status="errored"), result({"t.py::a": "failed", "t.py::b": "passed"}))
    assert comparison == Comparison(failing=("t.py::a",), new=("t.py::b",))


def test_check_that_was_not_run_says_nothing() -> None:
    assert between(result({"t.py::a": "passed"}), result({}, status="skipped")) == Comparison()


def test_test_that_was_flaky_before_is_never_fixed_or_broken() -> None:
    for before, after in (("failed", "passed"), ("passed", "failed")):
        comparison = between(result({"t.py::a": before}), result({"t.py::a": after}), flaky=("t.py::a",))  # type: ignore[dict-item]
        assert comparison == Comparison(flaky=("t.py::a",))


cases = st.dictionaries(
    st.sampled_from([f"t{n}.py::t{m}" for n in range(2) for m in range(4)]), st.sampled_from(OUTCOMES)
)


@given(cases, cases)
def test_every_case_stands_in_one_group_at_most(before: dict[str, Outcome], after: dict[str, Outcome]) -> None:
    comparison = between(result(before), result(after))
    for name in {*before, *after}:
        group_of(comparison, name)
    assert {name for group in GROUPS for name in getattr(comparison, group)} <= {*before, *after}


@given(cases)
def test_tree_is_never_worse_than_itself(same: dict[str, Outcome]) -> None:
    comparison = between(result(same), result(same))
    assert not got_worse(comparison)
    assert not comparison.fixed
    assert set(comparison.failing) == {name for name, outcome in same.items() if outcome in ("failed", "error")}


@given(cases, cases)
def test_good_test_of_before_that_is_not_good_now_is_seen(
    before: dict[str, Outcome], after: dict[str, Outcome]
) -> None:
    comparison = between(result(before), result(after))
    lost = {name for name, outcome in before.items() if outcome == "passed" and after.get(name) != "passed"}
    assert lost == {name for name in (*comparison.broken, *comparison.removed) if before.get(name) == "passed"}


@given(cases, cases, st.sets(st.sampled_from([f"t0.py::t{m}" for m in range(4)])))
def test_flaky_cases_stand_in_no_other_group(
    before: dict[str, Outcome], after: dict[str, Outcome], flaky: set[str]
) -> None:
    comparison = without(between(result(before), result(after)), sorted(flaky))
    assert set(comparison.flaky) == flaky
    for name in flaky:
        assert group_of(comparison, name) == "flaky"


def test_baseline_has_nothing_to_be_compared_with() -> None:
    assert compare(None, [result({"t.py::a": "failed"})]) == Comparison()


def coded(*cases: CaseResult, narrowed: bool = False) -> CheckResult:
    bad = any(case.bad for case in cases)
    status: Status = "failed" if bad else "passed"
    return CheckResult(check="check", rung=Rung.UNIT, status=status, cases=cases, narrowed=narrowed)


def case(name: str, outcome: Outcome = "passed", code: str = "", cause: Cause = "") -> CaseResult:
    return CaseResult(id=name, outcome=outcome, code=code, cause=cause)


def test_test_under_another_name_is_renamed_and_nothing_is_lost() -> None:
    for outcome in ("passed", "failed"):
        before = coded(case("t.py::old[1]", outcome, "c"), case("t.py::kept", code="k"))
        comparison = between(before, coded(case("u.py::Group::new[1]", code="c"), case("t.py::kept", code="k")))
        assert comparison == Comparison(renamed=("t.py::old[1]",))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ([case("t.py::a", code="")], [case("t.py::b", code="")]),
        ([case("t.py::a", code="c")], [case("t.py::b", code="d")]),
        ([case("t.py::a[1]", code="c")], [case("t.py::b[2]", code="c")]),
        ([case("t.py::a", code="c")], [case("t.py::b", code="c"), case("t.py::d", code="c")]),
        ([case("t.py::a", code="c"), case("t.py::b", code="c")], [case("t.py::d", code="c")]),
        ([case("t.py::a", code="c")], [case("t.py::b", "failed", code="c")]),
        ([case("t.py::a", code="c")], [case("t.py::b", "skipped", code="c")]),
        ([case("t.py::a", "skipped", code="c")], [case("t.py::b", code="c")]),
    ],
)
def test_test_that_is_gone_without_an_equal_in_its_place_was_removed(
    old: list[CaseResult], new: list[CaseResult]
) -> None:
    comparison = between(coded(*old), coded(*new))
    assert comparison.renamed == ()
    assert comparison.removed == tuple(found.id for found in old)


@pytest.mark.parametrize("cause", ["network", "service", "disk", "memory", "missing"])
def test_test_that_something_outside_keeps_from_passing_is_prevented(cause: Cause) -> None:
    failing = case("t.py::a", "failed", cause=cause)
    comparison = between(coded(case("t.py::a")), coded(failing))
    assert comparison == Comparison(prevented=("t.py::a",))
    verdict = Verdict(tree="b", results=(coded(failing),), comparison=comparison)
    assert not verdict.ok
    assert between(coded(case("t.py::a", "failed", cause=cause)), coded(failing)) == Comparison(failing=("t.py::a",))
    assert between(coded(), coded(failing)) == Comparison(broken=("t.py::a",))


def test_test_that_was_not_asked_says_nothing() -> None:
    before = coded(case("t.py::a"), case("t.py::b", "failed"), case("t.py::c", code="c"))
    comparison = between(before, coded(case("t.py::a", "failed"), case("t.py::d", code="c"), narrowed=True))
    assert comparison == Comparison(broken=("t.py::a",), new=("t.py::d",))


@given(cases, cases)
def test_nothing_that_passed_disappears_without_a_word_under_any_codes(
    before: dict[str, Outcome], after: dict[str, Outcome]
) -> None:
    old = coded(*(case(name, outcome, code=name[-1]) for name, outcome in before.items()))
    new = coded(*(case(name, outcome, code=name[-1]) for name, outcome in after.items()))
    comparison = between(old, new)
    lost = {name for name, outcome in before.items() if outcome == "passed" and name not in after}
    assert lost == {*comparison.removed, *comparison.renamed} & {
        name for name in before if before[name] == "passed"
    } - {*after}
    passing = {name for name, outcome in after.items() if outcome in ("passed", "xpassed") and name not in before}
    assert len(comparison.renamed) + len(comparison.new) == len(passing)
