"""What makes a verdict weigh less, and what does not."""

import pytest

from bot.core.change import FileChange, Kind
from bot.core.check import CaseResult, Check, CheckResult, Comparison, Reader, Rung, Verdict
from bot.core.doubts import Doubt, Work, merge_files
from bot.core.evidence import evidence_paths
from bot.core.proof import Audit, TestChange

ADD = CaseResult(id="checks/calc_cases.py::test_add", outcome="failed", path="checks/calc_cases.py")
UNUSED = CaseResult(id="calc.py::F401::unused", outcome="failed", path="calc.py", message="F401 unused")


def verdict(*cases: CaseResult, rung: Rung = Rung.UNIT, **comparison: tuple[str, ...]) -> Verdict:
    status = "failed" if any(case.bad for case in cases) else "passed"
    result = CheckResult(check="check", rung=rung, status=status, cases=cases)
    return Verdict(tree="t", results=(result,), comparison=Comparison(**comparison))


LINTED, CLEAN = verdict(UNUSED, rung=Rung.STATIC), verdict(rung=Rung.STATIC)
TESTED, PASSING = verdict(ADD), verdict(ADD.model_copy(update={"outcome": "passed"}))


def file(path: str, kind: Kind = "modified", added: int = 1) -> FileChange:
    return FileChange(path=path, kind=kind, added=added)


def patch(path: str, *lines: str) -> str:
    old = sum(line[0] != "+" for line in lines)
    new = sum(line[0] != "-" for line in lines)
    return "\n".join((f"--- a/{path}", f"+++ b/{path}", f"@@ -1,{old} +1,{new} @@", *lines, ""))


def doubts(
    path: str,
    *lines: str,
    kind: Kind = "modified",
    before: Verdict = TESTED,
    after: Verdict = PASSING,
    checks: tuple[Check, ...] = (),
) -> tuple[Doubt, ...]:
    return Work((file(path, kind),), (patch(path, *lines),), checks, before, after).doubts()


def texts(*found: Doubt) -> list[str]:
    assert all(doubt.grave for doubt in found)
    return [doubt.text for doubt in found]


def command(argv: str, reader: Reader = "exit") -> tuple[Check, ...]:
    return (Check(name="own", rung=Rung.UNIT, argv=tuple(argv.split()), reader=reader),)


def test_a_file_that_tests_were_found_in_is_evidence_whatever_it_is_called() -> None:
    found = doubts("checks/calc_cases.py", "-a", "+b")
    assert texts(*found) == ["checks/calc_cases.py is part of the evidence and was changed"]
    assert doubts("checks/calc_cases.py", "+b", kind="added") == ()


def test_the_source_file_of_a_doctest_is_evidence_only_when_the_doctest_changed() -> None:
    asked = CaseResult(id="calc.py::calc.add", outcome="failed", asks="1")
    before, after = verdict(asked), verdict(asked.model_copy(update={"outcome": "passed"}))
    assert doubts("calc.py", "-a", "+b", before=before, after=after) == ()
    changed = Work((), (), (), before, after, changed=(asked.id,))
    assert texts(*changed.doubts()) == ["calc.py::calc.add asks something else than on the base"]


@pytest.mark.parametrize(
    "argv",
    ["./run.py", "run.py --all", "python3 run.py", "python -u -m run", "sh -e run.py", "env A=1 uv run python run.py"],
)
def test_the_program_that_a_declared_check_runs_is_evidence(argv: str) -> None:
    assert texts(*doubts("run.py", "+x", checks=command(argv))) == ["run.py is part of the evidence and was changed"]


def test_what_a_check_is_given_to_look_at_is_no_evidence() -> None:
    assert doubts("calc.py", "+x", checks=command("mypy calc.py", "mypy")) == ()
    assert doubts("calc.py", "+x", checks=command("flake8 calc.py")) == ()


@pytest.mark.parametrize(
    ("path", "line"), [(".gitignore", "+calc.py"), (".ignore", "+*.py"), (".gitignore", "-!calc.py")]
)
def test_hiding_a_file_with_findings_is_told(path: str, line: str) -> None:
    assert texts(*doubts(path, line, before=LINTED, after=CLEAN)) == [f"{path} is part of the evidence and was changed"]


def test_ignoring_what_no_check_looked_at_is_nothing_to_tell() -> None:
    assert doubts(".gitignore", "+build/", "+*.log", "+# calc.py", before=LINTED, after=CLEAN) == ()
    assert doubts("sub/.gitignore", "+calc.py", before=LINTED, after=CLEAN) == ()


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa",
        "#noqa: F401",
        "# ruff: noqa",
        "# type: ignore[assignment]",
        "# mypy: ignore-errors",
        "# pylint: disable=all",
        "# fmt: off",
        "# pyright: basic",
        "@no_type_check",
    ],
)
def test_a_finding_that_was_silenced_is_not_mended(comment: str) -> None:
    (found,) = doubts("calc.py", f"+import os  {comment}", before=LINTED, after=CLEAN)
    assert found == Doubt(f"calc.py:1 silences a check: {comment}", grave=True)


def test_a_silenced_line_where_nothing_was_found_is_told_without_weight() -> None:
    assert doubts("new.py", "+import os  # noqa: F401", kind="added") == (
        Doubt("new.py:1 silences a check: # noqa: F401", grave=False),
    )


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("# noqa: F401", "# noqa: F401", 0),
        ("# noqa", "# noqa: F401", 0),
        ("# type: ignore[a, b]", "# type: ignore[a]", 0),
        ("# noqa: F401", "# noqa", 1),
        ("# noqa: F401", "# noqa: E501", 1),
        ("# noqa", "# type: ignore", 1),
    ],
)
def test_a_comment_that_stood_there_already_may_move_or_narrow(old: str, new: str, told: int) -> None:
    found = doubts("calc.py", f"-x  {old}", f"+y  {new}", before=LINTED, after=CLEAN)
    assert len(found) == told


def test_a_deleted_file_takes_its_findings_with_it() -> None:
    found = doubts("calc.py", "-import os", kind="deleted", before=LINTED, after=CLEAN)
    assert texts(*found) == ["calc.py is gone, and 1 findings with it"]
    assert doubts("calc.py", "-import os", kind="deleted") == ()


def test_an_assertion_that_is_gone_from_a_helper_is_told() -> None:
    found = doubts("helpers.py", "-    assert a == b", "+    pass")
    assert texts(*found) == ["helpers.py no longer says: assert a == b"]
    assert doubts("helpers.py", "-    assert a == b", "+        assert a == b") == ()


def test_an_assertion_counts_however_it_is_written_and_wherever_the_file_went() -> None:
    assert texts(*doubts("helpers.py", "-    if a != b: raise AssertionError(a)", "+    return a"))
    imported = TESTED.model_copy(update={"results": (TESTED.results[0].model_copy(update={"imported": ("help.py",)}),)})
    assert texts(*doubts("help.py", "-    assert a == b", kind="deleted", before=imported))
    assert doubts("other.py", "-    assert a == b", kind="deleted", before=imported) == ()


def test_a_script_is_evidence_where_a_command_may_run_it() -> None:
    assert texts(*doubts("ci/run.sh", "-make", "+exit 0", checks=command("make test")))
    assert doubts("ci/run.sh", "-make", "+exit 0", checks=command("pytest", "pytest")) == ()
    assert doubts("ci/run.sh", "+exit 0", kind="added", checks=command("make test")) == ()


def test_what_prepares_a_tree_is_evidence() -> None:
    for path in ("tools/make.py", "ci/more.sh"):
        work = Work((file(path),), (), (), TESTED, PASSING, prepare=(("python", "tools/make.py"),))
        assert texts(*work.doubts()) == [f"{path} is part of the evidence and was changed"]


def test_a_silencing_comment_counts_where_a_finding_may_have_gone_to_it() -> None:
    assert texts(*doubts("impl.py", "+import os  # noqa", kind="added", before=LINTED, after=CLEAN))
    assert texts(*doubts("impl.py", "+import os  # noqa: F401", kind="added", before=LINTED, after=CLEAN))
    (other,) = doubts("impl.py", "+import os  # noqa: E501", kind="added", before=LINTED, after=CLEAN)
    assert not other.grave


def test_evidence_that_cannot_be_read_is_a_doubt_even_when_it_is_new() -> None:
    audit = Audit(unread=("checks/check_new.py",))
    work = Work((file("checks/check_new.py", "added"),), (), (), TESTED, PASSING, audit=audit)
    assert texts(*work.doubts()) == ["checks/check_new.py is part of the evidence and was changed"]


ONE, TWO = (CaseResult(id=f"t.py::test_a[{name}]", outcome="passed") for name in "12")
OTHER = CaseResult(id="t.py::test_b", outcome="passed")


@pytest.mark.parametrize(
    ("before", "after", "gone", "told"),
    [
        ((ONE, TWO), (ONE,), TWO.id, True),
        ((ONE, TWO.model_copy(update={"outcome": "failed"})), (ONE,), TWO.id, True),
        ((ONE, TWO), (ONE, TWO.model_copy(update={"id": "t.py::test_a[3]"})), TWO.id, False),
        ((OTHER,), (OTHER.model_copy(update={"id": "u.py::test_c"}),), OTHER.id, False),
        ((OTHER, ONE), (OTHER.model_copy(update={"id": "u.py::test_c"}),), ONE.id, True),
        ((OTHER, ONE), (OTHER.model_copy(update={"id": "u.py::test_c", "outcome": "skipped"}), ONE), OTHER.id, True),
    ],
)
def test_a_test_that_is_gone_is_told_unless_it_is_known_where_it_went(
    before: tuple[CaseResult, ...], after: tuple[CaseResult, ...], gone: str, *, told: bool
) -> None:
    moved = (TestChange(path="u.py", name="test_c", kind="moved", was="t.py::test_b"),)
    audit = Audit(tests=moved, read=("t.py", "u.py"))
    work = Work((), (), (), verdict(*before), verdict(*after, withdrawn=(gone,)), audit=audit)
    assert [doubt.text for doubt in work.doubts()] == [f"{gone} is gone or silenced"] * told


@pytest.mark.parametrize("outcome", ["skipped", None])
def test_where_nothing_ran_a_person_has_to_look_unless_findings_were_mended(outcome: str | None) -> None:
    cases = (ADD.model_copy(update={"outcome": outcome}),) if outcome else ()
    nothing = verdict(*cases)
    told = "no test or other check ran the code, so nothing says what it does"
    assert texts(*Work((file("a.py"),), (), (), nothing, nothing).doubts()) == [told]
    assert Work((file("calc.py"),), (), (), LINTED, CLEAN).doubts() == ()
    assert Work((file("a.py"),), (), (), PASSING, PASSING).doubts() == ()


@pytest.mark.parametrize(
    "line",
    [
        "'PYTEST_CURRENT_TEST' in os.environ",
        "'pytest' in sys.modules",
        "{'pytest'} & set(sys.modules)",
        "any(name.startswith('test_') for name in sys.modules)",
        "importlib.util.find_spec('pytest')",
        "any('pytest' in word for word in sys.argv)",
        "gc.get_objects()",
        "os._exit(0)",
        "inspect.stack()[1]",
        "traceback.extract_stack()",
        "error.__traceback__.tb_frame",
        "sys.dont_write_bytecode",
        "os.environ.get('HOME') == '/home/agent'",
        "open('/proc/self/cmdline').read()",
    ],
)
def test_code_that_looks_at_what_runs_it_needs_a_person(line: str) -> None:
    found = texts(*doubts("calc.py", f"+if {line}:"))
    assert found
    assert all(text.startswith("calc.py:1 looks at what runs it: ") for text in found)
    assert doubts("calc.py", f"-if {line}:", f"+elif {line}:") == ()
    assert doubts("test_more.py", f"+if {line}:", kind="added") == ()


def test_a_change_that_cannot_be_looked_through_needs_a_person() -> None:
    work = Work((), ("[patch cut: 9 more characters]\n",), (), TESTED, PASSING)
    assert texts(*work.doubts()) == ["the change is too long to be looked through"]


def test_a_stub_that_stands_before_a_file_with_findings_is_told() -> None:
    assert texts(*doubts("calc.pyi", "+x", kind="added", before=LINTED, after=CLEAN))
    assert doubts("other.pyi", "+x", kind="added", before=LINTED, after=CLEAN) == ()


def test_new_settings_of_plugins_and_a_new_filled_package_file_beside_tests_are_evidence() -> None:
    paths = ("x-1.0.dist-info/entry_points.txt", "tests/__init__.py", "a/test_data/x.json")
    assert evidence_paths([file(path, "added") for path in paths]) == paths[:2]
    assert evidence_paths([file("tests/__init__.py", "added", added=0), file("pkg/__init__.py", "added")]) == ()


def test_what_a_run_made_itself_was_not_there_on_the_base() -> None:
    merged = merge_files([file("tests/test_new.py", "added"), file("calc.py"), file("tests/test_new.py")])
    assert [(made.path, made.kind) for made in merged] == [("tests/test_new.py", "added"), ("calc.py", "modified")]
    assert evidence_paths(merged) == ()


def test_what_a_run_took_away_and_made_anew_was_there_on_the_base() -> None:
    (merged,) = merge_files([file("tests/data/x.txt", "deleted"), file("tests/data/x.txt", "added")])
    assert merged.kind == "modified"
    assert evidence_paths([merged]) == ("tests/data/x.txt",)


@pytest.mark.parametrize("path", [".venv/bin/python", "venv", "web/node_modules/.bin/jest", "lib/site-packages/a.pth"])
def test_an_environment_among_the_commits_is_evidence(path: str) -> None:
    assert evidence_paths([file(path, "added")]) == (path,)


def test_a_flaky_test_is_told() -> None:
    after = verdict(ADD.model_copy(update={"outcome": "passed"}), flaky=("t.py::a",))
    assert Work((), (), (), TESTED, after).doubts() == (Doubt("t.py::a did not always end the same way", grave=False),)


def moved(mode: str, old: str, *stale: str) -> list[str]:
    change = FileChange(path="deps/data", kind="modified", mode=mode, old_mode=old)
    return texts(*Work((change,), (), (), PASSING, PASSING, stale=stale).doubts())


def test_a_submodule_that_is_moved_needs_a_person() -> None:
    unseen = ["submodule deps/data is moved, and no check saw where to"]
    assert moved("160000", "160000") == moved("160000", "") == moved("100644", "160000") == unseen
    assert moved("160000", "160000", "deps/more/")[1:] == unseen
    (carried,) = moved("160000", "160000", "deps/data/")
    assert carried == "submodule deps/data was carried as the base has it, and the change moves it"


def test_what_tests_import_is_not_known_while_some_cannot_be_loaded() -> None:
    told = verdict(CaseResult(id="t.py::test_add", outcome="passed"))
    (result,) = told.results
    known = told.model_copy(update={"results": (result.model_copy(update={"imported": ("calc.py",)}),)})
    assert [doubt.text for doubt in doubts("more.py", "+b", after=known)] == ["more.py is imported by no test"]
    unloaded = CaseResult(id="u.py", outcome="error", path="u.py")
    hidden = (known.results[0].model_copy(update={"cases": (*result.cases, unloaded)}),)
    assert doubts("more.py", "+b", after=known.model_copy(update={"results": hidden})) == ()
