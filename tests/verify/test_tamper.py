"""What became of tests, of what they use and of what configures the checks, told from their text."""

import ast
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.evidence import CONFIGURATION, TESTS
from bot.core.policy import glob_matches
from bot.verify.tamper import Inspected, Source, inspect
from tests.verify.edits import ADD, CASES, FIXTURE, LOOP, MEAN, PARSE, UNIT, Edit
from tests.verify.honest import HONEST
from tests.verify.tricks import TRICKS

_EVIDENCE = (*TESTS, *CONFIGURATION)


def sources(before: Mapping[str, str], after: Mapping[str, str]) -> list[Source]:
    paths = dict.fromkeys((*before, *after))
    told = [Source(path, before.get(path), after.get(path)) for path in paths]
    return [source for source in told if any(glob_matches(glob, source.path) for glob in _EVIDENCE)]


def look(before: Mapping[str, str], after: Mapping[str, str]) -> Inspected:
    return inspect(sources(before, after))


def doubtful(found: Inspected) -> bool:
    return bool(found.unread) or any(change.grave for change in found.tests)


def kinds(before: str, after: str, path: str = "test_calc.py") -> dict[str, str]:
    found = look({path: before}, {path: after})
    assert found.unread == ()
    return {change.name: change.kind for change in found.tests}


@pytest.mark.parametrize("edit", TRICKS.values(), ids=TRICKS)
def test_trick_is_seen(edit: Edit) -> None:
    assert doubtful(look(edit.before, edit.after))


@pytest.mark.parametrize("name", TRICKS)
def test_trick_is_seen_in_changed_files_alone_unless_it_acts_on_others(name: str) -> None:
    edit = TRICKS[name]
    changed = [source for source in sources(edit.before, edit.after) if source.changed]
    assert doubtful(inspect(changed)) or name in (
        "fixture shadowed by a nearer conftest",
        "name spread by a star",
        "new module in front of the code",
    )


@pytest.mark.parametrize("edit", HONEST.values(), ids=HONEST)
def test_honest_edit_is_not_hindered(edit: Edit) -> None:
    found = look(edit.before, edit.after)
    assert doubtful(found) is edit.person, found


def test_enough_edits_are_known() -> None:
    assert len(TRICKS) >= 40
    assert sum(not edit.person for edit in HONEST.values()) >= 40


@pytest.mark.parametrize(
    ("name", "test", "kind"),
    [
        ("tolerance widened", "test_mean", "weakened"),
        ("any error will do", "test_nothing_is_refused", "weakened"),
        ("assertEqual becomes assertTrue", "CalcTest.test_add", "weakened"),
        ("assert in a try", "test_add", "weakened"),
        ("body is empty", "test_add", "weakened"),
        ("case expected to fail", "test_add", "silenced"),
        ("skip mark", "test_add", "silenced"),
        ("renamed so that it is not collected", "check_add", "silenced"),
        ("test is gone", "test_add", "removed"),
        ("function under test patched in the test", "test_add", "altered"),
        ("options deselect", "tool.pytest.ini_options.addopts", "configuration"),
    ],
)
def test_trick_is_called_by_its_name(name: str, test: str, kind: str) -> None:
    edit = TRICKS[name]
    found = {change.name: change.kind for change in look(edit.before, edit.after).tests}
    assert found[test] == kind


@pytest.mark.parametrize(
    ("name", "test", "kind"),
    [
        ("assert added", "test_add", "extended"),
        ("case added", "test_add", "extended"),
        ("test becomes one of several cases", "test_add", "extended"),
        ("test renamed", "test_adds_two_numbers", "renamed"),
        ("file of tests moved", "test_add", "moved"),
        ("fixture moved to conftest", "numbers", "moved"),
        ("new test", "test_negative", "added"),
        ("tests put into a class", "TestAdd.test_add", "renamed"),
    ],
)
def test_honest_edit_is_called_by_its_name(name: str, test: str, kind: str) -> None:
    edit = HONEST[name]
    found = {change.name: change.kind for change in look(edit.before, edit.after).tests}
    assert found[test] == kind


def test_report_says_what_an_assertion_became() -> None:
    edit = TRICKS["expected value follows the fault"]
    (change,) = look(edit.before, edit.after).tests
    assert "assert add(1, 2) == 3 became assert add(1, 2) == -1" in change.detail


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("kept = dict(a=1)", 'kept = {"b": 1}', "kept = dict(a=1) became kept = {'b': 1}"),
        ("kept = 1; drop(kept)", "kept = 1", "no longer does: drop(kept)"),
        ("kept = 1", "use(kept := 1)", "kept = 1 became use((kept := 1))"),
        ("kept = 1", "kept = 1; kept = 2", "also does: kept = 2"),
    ],
)
def test_report_says_what_else_a_test_does(before: str, after: str, told: str) -> None:
    old, new = (f"def test_add():\n    {line}\n    assert add(kept, 2) == 3\n" for line in (before, after))
    (change,) = look({"test_calc.py": old}, {"test_calc.py": new}).tests
    assert (change.kind, change.detail) == ("altered", told)


def test_report_says_what_changed_below_an_expected_error() -> None:
    (change,) = look({"test_calc.py": PARSE}, {"test_calc.py": PARSE.replace('parse("")', 'parse(" ")')}).tests
    assert change.detail == "below `pytest.raises(ValueError, match='nothing')`: parse('') became parse(' ')"


def test_assertion_that_is_handed_to_a_helper_is_not_called_weaker() -> None:
    edit = HONEST["assertions handed to a helper"]
    (change,) = [change for change in look(edit.before, edit.after).tests if change.grave]
    assert (change.kind, change.detail) == ("altered", "assert add(1, 2) == 3 became check(add(1, 2), total=3)")


KEPT = "def test_it(box):\n    own = []\n    mine = box.kept\n    assert use(own, mine) == 3\n"


@pytest.mark.parametrize(
    "line",
    [
        "box.kept.clear()",
        "box.kept = []",
        "mine.clear()",
        "mine = own",
        "put(box)",
        "calc.kept.clear()",
        "yield",
        "return",
        "import use",
        "use = print",
        "raise SkipTest",
        "pytest.skip()",
    ],
)
def test_what_may_be_looked_at_after_a_test_is_not_touched_at_its_end(line: str) -> None:
    assert kinds(KEPT, f"{KEPT}    {line}\n") != {"test_it": "extended"}
    assert kinds(KEPT, f"{KEPT}    own.append(use(own, 1))\n    own[0] = 3\n    own = [1]\n    assert own\n") == {
        "test_it": "extended"
    }


def test_another_condition_to_skip_is_not_called_a_new_one() -> None:
    marked = (
        "import sys\n\nimport pytest\n\nWIN = True\n\n\n@pytest.mark.skipif({})\ndef test_it():\n    assert add(1, 2)\n"
    )
    old, new = (marked.format(condition) for condition in ('sys.platform == "win32"', "WIN"))
    (change,) = look({"test_calc.py": old}, {"test_calc.py": new}).tests
    told = "@pytest.mark.skipif(sys.platform == 'win32') became @pytest.mark.skipif(WIN)"
    assert (change.kind, change.detail) == ("altered", told)
    assert kinds(marked.format("WIN"), marked.replace("skipif({})", "skip")) == {"test_it": "silenced"}


def test_header_around_an_assertion_that_is_another_is_not_called_a_new_one() -> None:
    (change,) = look({"test_calc.py": LOOP}, {"test_calc.py": LOOP.replace("in CASES", "in sorted(CASES)")}).tests
    told = "`for (a, b, total) in CASES` became `for (a, b, total) in sorted(CASES)`: assert add(a, b) == total"
    assert (change.kind, change.detail) == ("altered", told)


def test_types_of_what_stands_in_are_no_news() -> None:
    before = "def test_it(monkeypatch):\n    use(1)\n    assert add(1, 2) == 3\n"
    after = before.replace("monkeypatch", "monkeypatch: MonkeyPatch").replace("use(1)", "use(2)")
    (change,) = look({"test_calc.py": before}, {"test_calc.py": after}).tests
    assert change.detail == "use(1) became use(2)"


def test_report_says_where_a_name_leads_now() -> None:
    edit = TRICKS["function under test comes from elsewhere"]
    details = [change.detail for change in look(edit.before, edit.after).tests if change.grave]
    assert "add is now tests.right.add instead of calc.add" in details


@pytest.mark.parametrize("text", [ADD, CASES, FIXTURE, MEAN, PARSE, UNIT])
def test_the_same_is_not_listed(text: str) -> None:
    assert look({"test_calc.py": text}, {"test_calc.py": text}) == Inspected()
    assert look({"test_calc.py": text}, {"test_calc.py": ast.unparse(ast.parse(text))}) == Inspected()


@pytest.mark.parametrize(
    "broken",
    [
        "def test_add(:\n",
        "x = '\0'\n",
        "\udcff = 1\n",
        "# coding: utf-7\nx = 1\n",
        "(" * 300,
        "x = " + "-" * 5000 + "1\n",
    ],
    ids=["syntax", "nul", "no utf-8", "other encoding", "brackets", "deep"],
)
def test_file_that_cannot_be_read_is_named(broken: str) -> None:
    assert look({"test_calc.py": ADD}, {"test_calc.py": broken}).unread == ("test_calc.py",)
    assert look({"test_calc.py": broken}, {"test_calc.py": ADD}).unread == ("test_calc.py",)


def test_huge_file_is_named_instead_of_read() -> None:
    huge = ADD + "# \n" * 400_000
    assert look({"test_calc.py": ADD}, {"test_calc.py": huge}).unread == ("test_calc.py",)


@pytest.mark.parametrize(
    "path", ["tests/calc.test.js", "pkg/calc_test.go", "tests/__snapshots__/a.snap", "tests/data/a.bin", "noxfile.py"]
)
def test_what_has_another_language_is_named_when_changed(path: str) -> None:
    assert look({path: "a"}, {path: "b"}).unread == (path,)
    assert look({path: "a"}, {}).unread == (path,)


def test_new_test_of_another_language_needs_nobody() -> None:
    assert look({}, {"tests/calc.test.js": "test('adds', () => {})"}) == Inspected()


@pytest.mark.parametrize("path", [".github/workflows/ci.yml", ".pre-commit-config.yaml"])
def test_new_pipeline_is_looked_at_by_a_person(path: str) -> None:
    assert [change.detail for change in look({}, {path: "a: 1\n"}).tests] == ["is new"]
    assert look({}, {path: "a: [\n"}).unread == (path,)


@pytest.mark.parametrize("path", ["Makefile", "uv.lock"])
def test_configuration_that_cannot_be_read_is_named_even_when_new(path: str) -> None:
    assert look({}, {path: "a: 1\n"}).unread == (path,)


@pytest.mark.parametrize("path", ["evil.pth", "tests/calc.pyc", "pytest.py", "_pytest/__init__.py", "usercustomize.py"])
def test_what_is_loaded_in_front_of_the_tests_is_grave(path: str) -> None:
    assert [change.kind for change in inspect([Source(path, None, "")]).tests] == ["configuration"]


def test_same_code_imported_from_elsewhere_is_the_same_test() -> None:
    moved = ADD.replace("from calc", "from adding")
    tests = [Source("test_calc.py", ADD, moved)]
    adding = "def add(a, b):\n    return a + b\n"
    assert doubtful(inspect(tests))
    assert inspect(tests, [Source("calc.py", adding, None), Source("adding.py", None, adding)]) == Inspected()
    other = adding.replace("+", "-")
    assert doubtful(inspect(tests, [Source("calc.py", other, None), Source("adding.py", None, adding)]))


# Properties.

NAMES = st.sampled_from(["add", "sub", "mul", "neg"])
NUMBERS = st.integers(-9, 9)
COMPARED = st.sampled_from(["==", "!=", "<", ">=", "in", "is"])


@st.composite
def assertion(draw: st.DrawFn) -> str:
    return f"assert {draw(NAMES)}({draw(NUMBERS)}, {draw(NUMBERS)}) {draw(COMPARED)} {draw(NUMBERS)}"


@st.composite
def some_test(draw: st.DrawFn) -> tuple[str, Sequence[str]]:
    """Draw the head of a test and its assertions."""
    head = draw(st.sampled_from(["", "@pytest.mark.parametrize('n', [1, 2])\n"]))
    return head, draw(st.lists(assertion(), min_size=1, max_size=4, unique=True))


@st.composite
def suites(draw: st.DrawFn) -> list[tuple[str, Sequence[str]]]:
    return draw(st.lists(some_test(), min_size=1, max_size=4))


def write(tests: Sequence[tuple[str, Sequence[str]]]) -> str:
    lines = ["import pytest", "from calc import add, sub, mul, neg", ""]
    for number, (head, body) in enumerate(tests):
        lines += [f"{head}def test_{number}({'n' if head else ''}):", *(f"    {line}" for line in body or ["pass"]), ""]
    return "\n".join(lines)


@settings(max_examples=40)
@given(suites())
def test_nothing_is_said_of_what_stayed(tests: list[tuple[str, Sequence[str]]]) -> None:
    text = write(tests)
    assert kinds(text, ast.unparse(ast.parse(text))) == {}


@settings(max_examples=40)
@given(suites(), st.data())
def test_assertion_taken_away_is_grave(tests: list[tuple[str, Sequence[str]]], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(tests) - 1))
    head, body = tests[at]
    gone = data.draw(st.integers(0, len(body) - 1))
    fewer = [*tests[:at], (head, [line for number, line in enumerate(body) if number != gone]), *tests[at + 1 :]]
    assert kinds(write(tests), write(fewer)) == {f"test_{at}": "weakened"}


@settings(max_examples=40)
@given(suites(), st.data())
def test_assertion_changed_is_grave(tests: list[tuple[str, Sequence[str]]], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(tests) - 1))
    head, body = tests[at]
    other = data.draw(assertion().filter(lambda line: line not in body))
    changed = [*tests[:at], (head, [other, *body[1:]]), *tests[at + 1 :]]
    assert doubtful(look({"test_a.py": write(tests)}, {"test_a.py": write(changed)}))


@settings(max_examples=40)
@given(suites(), some_test(), st.data())
def test_new_tests_and_assertions_are_not_grave(
    tests: list[tuple[str, Sequence[str]]], fresh: tuple[str, Sequence[str]], data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(tests) - 1))
    head, body = tests[at]
    place = data.draw(st.integers(0, len(body)))
    more = [*tests[:at], (head, [*body[:place], data.draw(assertion()), *body[place:]]), *tests[at + 1 :], fresh]
    assert kinds(write(tests), write(more)) == {f"test_{at}": "extended", f"test_{len(tests)}": "added"}


@settings(max_examples=40)
@given(suites())
def test_moved_tests_are_not_grave(tests: list[tuple[str, Sequence[str]]]) -> None:
    found = look({"tests/test_a.py": write(tests)}, {"tests/unit/test_b.py": write(tests)})
    assert not doubtful(found)
    assert {change.kind for change in found.tests} == {"moved"}


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_is_survived(before: str, after: str) -> None:
    for path in (
        "test_a.py",
        "conftest.py",
        "setup.cfg",
        "pyproject.toml",
        "package.json",
        "requirements.txt",
        "setup.py",
    ):
        found = look({path: before}, {path: after})
        assert isinstance(found, Inspected)
        assert look({path: before}, {path: before}) == Inspected()
