"""A verdict told to a model: short, complete where it matters, and readable by program."""

from hypothesis import given
from hypothesis import strategies as st

from bot.core.check import CaseResult, CheckResult, Comparison, Outcome, Rung, Status, Verdict
from bot.verify.digest import LARGEST, Failure, digest, parse


def case(
    name: str, message: str = "AssertionError: assert -1 == 3", line: int = 5, outcome: Outcome = "failed"
) -> CaseResult:
    return CaseResult(id=name, outcome=outcome, message=message, path=name.partition("::")[0], line=line)


def verdict(
    *cases: CaseResult, comparison: Comparison | None = None, status: Status = "failed", output: str = ""
) -> Verdict:
    result = CheckResult(check="pytest", rung=Rung.UNIT, status=status, cases=cases, summary="2 passed", output=output)
    return Verdict(tree="t", results=(result,), comparison=comparison or Comparison())


def test_failure_is_one_line_with_place_and_message() -> None:
    text = digest(
        verdict(case("t.py::t", "AssertionError: assert -1 == 3\n +  where -1 = add(1, 2)\n> assert add(1, 2) == 3"))
    )
    assert (
        "FAILED pytest t.py::t at t.py:5: AssertionError: assert -1 == 3 + where -1 = add(1, 2) > assert add(1, 2) == 3"
        in text.splitlines()
    )


def test_what_got_worse_comes_before_what_failed_as_well() -> None:
    told = verdict(
        case("a.py::old"), case("z.py::new"), comparison=Comparison(broken=("z.py::new",), failing=("a.py::old",))
    )
    lines = digest(told).splitlines()
    assert lines[0] == "VERDICT not ok"
    assert [line.split()[2] for line in lines if line.startswith("FAILED")] == ["z.py::new", "a.py::old"]
    assert lines.index("FAILING AS BEFORE:") == 2


def test_repeated_cause_is_told_once() -> None:
    told = verdict(*(case(f"t.py::t[{n}]", f"KeyError: {n}") for n in range(200)))
    lines = digest(told).splitlines()
    assert len([line for line in lines if line.startswith("FAILED")]) == 1
    assert any(line.startswith("SAME pytest 199 more fail alike: t.py::t[1]; t.py::t[2]") for line in lines)


def test_removed_flaky_and_errored_are_told() -> None:
    told = verdict(
        status="errored",
        output="secretless\nlast words\n",
        comparison=Comparison(removed=("t.py::gone",), flaky=("t.py::odd",)),
    )
    text = digest(told)
    assert "REMOVED t.py::gone" in text
    assert "FLAKY t.py::odd" in text
    assert "ERRORED pytest: 2 passed\n  secretless\n  last words" in text


def test_green_is_said() -> None:
    assert digest(verdict(status="passed")) == "VERDICT ok (green)\nPASSED pytest: 2 passed"


def test_failures_that_do_not_fit_are_counted() -> None:
    told = verdict(
        *(case(f"t{n}.py::t", f"Error: {'x' * 400} {chr(97 + n % 26)}{'y' * (n // 26)}", line=n) for n in range(500))
    )
    text = digest(told)
    shown = len(parse(text))
    assert len(text) <= LARGEST
    assert f"MORE {500 - shown} further failures are not shown" in text.splitlines()
    assert shown > 5


anything = st.text(max_size=300)
found = st.builds(
    CaseResult,
    id=anything,
    outcome=st.sampled_from(["passed", "failed", "error", "skipped"]),
    message=anything,
    path=anything,
    line=st.integers(0, 10**6),
)


@given(st.lists(found, max_size=30), st.sampled_from(["broken", "failing"]), anything)
def test_digest_of_anything_is_bounded_and_in_the_grammar(cases: list[CaseResult], group: str, output: str) -> None:
    names = tuple(case.id for case in cases if case.bad)
    told = verdict(
        *cases,
        comparison=Comparison.model_validate({group: names}),
        status="errored",
        output=output,
    )
    text = digest(told)
    words = (
        "VERDICT ",
        "FAILED ",
        "SAME ",
        "REMOVED ",
        "FLAKY ",
        "ERRORED ",
        "SKIPPED ",
        "PASSED ",
        "MORE ",
        "FAILING AS BEFORE:",
        "  ",
    )
    assert len(text) <= LARGEST
    assert all(line.startswith(words) for line in text.split("\n"))
    assert len(parse(text)) == sum(line.startswith("FAILED ") for line in text.split("\n"))


names = st.from_regex(r"[a-z/]{1,12}\.py::[a-z_\[\]0-9]{1,20}", fullmatch=True)


@given(names, st.integers(0, 9999), st.from_regex(r"[A-Za-z:=\-'() ]{0,80}", fullmatch=True))
def test_failure_is_read_back_as_it_was_told(name: str, line: int, message: str) -> None:
    told = digest(verdict(case(name, message, line)))
    assert parse(told) == (
        Failure("pytest", name, name.partition("::")[0], line, " ".join(message.split()) or "failed"),
    )
