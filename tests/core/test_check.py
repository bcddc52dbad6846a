import pytest

from bot.core.check import CaseResult, CheckResult, Comparison, Outcome, Rung, Status, Verdict, mended


def verdict(*statuses: Status, **comparison: tuple[str, ...]) -> Verdict:
    results = tuple(CheckResult(check=f"c{n}", rung=Rung.UNIT, status=status) for n, status in enumerate(statuses))
    return Verdict(tree="t", results=results, comparison=Comparison.model_validate(comparison))


def test_rungs_are_ordered_from_cheap_to_dear() -> None:
    assert [rung.value for rung in sorted(Rung, key=lambda rung: rung.height)] == [
        "syntax",
        "static",
        "types",
        "unit",
        "integration",
        "build",
    ]
    assert Rung.SYNTAX.height == 0


@pytest.mark.parametrize(
    ("statuses", "green", "ok"),
    [
        (("passed", "passed"), True, True),
        (("passed", "failed"), False, True),
        (("passed", "skipped"), False, False),
        (("passed", "errored"), False, False),
        ((), False, False),
    ],
)
def test_verdict_is_only_as_good_as_its_evidence(statuses: tuple[Status, ...], *, green: bool, ok: bool) -> None:
    assert verdict(*statuses).green is green
    assert verdict(*statuses).ok is ok


def test_anything_broken_or_removed_forbids_a_commit() -> None:
    assert not verdict("passed", broken=("t::a",)).ok
    assert not verdict("passed", removed=("t::a",)).ok
    assert verdict("passed", fixed=("t::a",), failing=("t::b",), new=("t::c",), flaky=("t::d",)).ok


@pytest.mark.parametrize(
    ("outcome", "bad"),
    [("passed", False), ("failed", True), ("error", True), ("skipped", False), ("xfailed", False), ("xpassed", False)],
)
def test_failures_and_errors_speak_against_a_tree(outcome: Outcome, *, bad: bool) -> None:
    assert CaseResult(id="x", outcome=outcome).bad is bad


def test_cases_are_counted_and_results_found_by_name() -> None:
    outcomes: tuple[Outcome, ...] = ("passed", "passed", "failed", "error", "skipped")
    found = CheckResult(
        check="pytest", rung=Rung.UNIT, status="failed", cases=tuple(CaseResult(id=o, outcome=o) for o in outcomes)
    )
    assert (found.count("passed"), found.count("failed", "error"), found.count()) == (2, 2, 0)
    whole = Verdict(tree="t", results=(found,))
    assert whole.result("pytest") is found
    assert whole.result("mypy") is None


def ladder(check: str, rung: Rung, status: Status, **outcomes: Outcome) -> Verdict:
    cases = tuple(CaseResult(id=id_, outcome=outcome) for id_, outcome in outcomes.items())
    return Verdict(tree="t", results=(CheckResult(check=check, rung=rung, status=status, cases=cases),))


def test_only_what_failed_and_now_surely_passes_is_mended() -> None:
    before = ladder(
        "pytest", Rung.UNIT, "failed", a="failed", b="error", c="passed", d="failed", e="failed", f="failed"
    )
    after = ladder("pytest", Rung.UNIT, "failed", a="passed", b="passed", c="passed", d="failed", e="skipped")
    assert before.bad == ("a", "b", "d", "e", "f")
    assert mended(before, after) == ("a", "b")
    flaky = after.model_copy(update={"comparison": Comparison(flaky=("a",))})
    assert mended(before, flaky) == ("b",)


def test_a_file_that_could_not_be_collected_is_mended_when_its_tests_pass() -> None:
    lost: dict[str, Outcome] = {"a.py": "error", "b.py": "error", "c.py": "error"}
    told: dict[str, Outcome] = {"a.py::t": "passed", "b.py::t": "skipped", "c.py::t": "failed"}
    before, after = (ladder("pytest", Rung.UNIT, "failed", **cases) for cases in (lost, told))
    assert mended(before, after) == ("a.py",)


@pytest.mark.parametrize("rung", [Rung.SYNTAX, Rung.STATIC, Rung.TYPES])
def test_finding_is_mended_when_it_is_gone_and_nothing_got_worse(rung: Rung) -> None:
    before = ladder("lint", rung, "failed", x="failed", y="failed")
    assert mended(before, ladder("lint", rung, "passed")) == ("x", "y")
    after = ladder("lint", rung, "failed", y="failed")
    assert mended(before, after) == ("x",)
    worse = ladder("lint", rung, "failed", z="failed").model_copy(update={"comparison": Comparison(broken=("z",))})
    assert mended(before, worse) == ()
    assert mended(before, ladder("lint", rung, "errored")) == ()


def test_suite_without_a_test_does_not_stand_in_the_way_unless_it_had_some() -> None:
    empty = CheckResult(check="c1", rung=Rung.UNIT, status="errored", empty=True)
    passed = CheckResult(check="c0", rung=Rung.STATIC, status="passed")
    base = Verdict(tree="t", results=(passed, empty))
    assert (base.green, base.sound, base.ok) == (True, True, True)
    still = base.model_copy(update={"comparison": Comparison(unjudged=("c1",))})
    assert (still.green, still.sound, still.ok) == (True, True, True)
    lost = base.model_copy(update={"comparison": Comparison(broken=("c1",))})
    assert (lost.green, lost.sound, lost.ok) == (False, False, False)
    alone = Verdict(tree="t", results=(empty,))
    assert (alone.green, alone.sound, alone.ok) == (False, False, False)
