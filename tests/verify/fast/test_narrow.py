"""What is asked of a change."""

from pathlib import Path

import pytest

from bot.core.change import FileChange
from bot.core.check import Check, Reader, Rung
from bot.verify.detection.project import read
from bot.verify.fast.linted import aim_linter
from bot.verify.fast.narrow import MOST, narrow, sort_out
from bot.verify.fast.plan import Plan
from bot.verify.fast.reach import reach
from bot.verify.fast.scope import Scope, find_scope
from bot.verify.fast.settings import is_configured_anew
from bot.verify.impact import Graph
from bot.verify.imports import read_imports
from tests.verify.conftest import write

PYTHON = ("src/a.py", "b.py", "build/c.py", "src/very_old/d.py")
PYTEST = ("python", "-m", "pytest")


def check(reader: Reader, *argv: str, folder: str = "") -> Check:
    return Check(name=reader, rung=Rung.STATIC, reader=reader, argv=argv or ("tool",), folder=folder)


def scope(root: Path, asked: Check) -> Scope:
    found = find_scope(asked, read(root / asked.folder))
    assert found is not None
    return found


def test_files_are_sorted_by_what_became_of_them() -> None:
    files = (
        FileChange(path="new.py", kind="added"),
        FileChange(path="same.py", kind="modified", mode="100755"),
        FileChange(path="gone.py", kind="deleted"),
        FileChange(path="link.py", kind="added", mode="120000"),
        FileChange(path="linked.py", kind="typechange", mode="120000", old_mode="100644"),
        FileChange(path="lib", kind="modified", mode="160000"),
    )
    changed = sort_out(files)
    assert changed.present == ("new.py", "same.py")
    assert changed.added == {"new.py"}
    assert changed.gone == ("gone.py", "linked.py")
    assert changed.other == ("link.py", "lib")
    assert changed.nameable
    for name in ("-x.py", "caf\\xe9.py", "a[1].py", "a::b.py"):
        assert not sort_out((FileChange(path=name, kind="added"),)).nameable


@pytest.mark.parametrize(
    ("asked", "held", "passed_over"),
    [
        (check("syntax"), ["a.py", "tests/a.pyi"], ["a.txt", ".venv/a.py", "tests/data/a.py", "{{x}}/a.py"]),
        (check("syntax", folder="pkg"), ["pkg/a.py"], ["a.py", "pkgs/a.py"]),
        (check("ruff", "ruff", "check", "--", "src"), ["src/a.py", "src/b.ipynb"], ["a.py", "srcs/a.py"]),
        (check("ruff", "ruff", "check"), ["a.py"], ["pyproject.toml"]),
        (check("mypy", "python", "-P", "-m", "mypy", "--", "src", "app.py"), ["src/p/a.py", "app.py"], ["t/a.py"]),
        (check("mypy", "python", "-m", "mypy", "-p", "shop.cart"), ["src/shop/cart/a.py"], ["shop/a.py", "a.py"]),
        (check("mypy", "mypy", "--exclude=gen/", "--", "."), ["src/a.py"], ["src/gen/a.py"]),
        (check("mypy", "mypy", "--exclude", "^gen/$", "--", "gen"), ["gen/a.py"], ["a.py"]),
        (check("pytest", *PYTEST), ["t/test_a.py", "a_test.py"], ["a.py", "conftest.py"]),
        (check("pytest", *PYTEST, "-q", "tests", "--ignore=tests/slow"), ["tests/test_a.py"],
         ["test_a.py", "tests/slow/test_a.py"]),
        (check("pytest", *PYTEST, "--doctest-modules"), ["src/a.py"], ["a.md"]),
        (check("pytest", *PYTEST, "-k", "tests"), ["test_a.py"], []),
        (check("unittest"), ["tests/test_a.py", "tests/testing.py"], ["a.py"]),
    ],
)  # fmt: skip
def test_a_check_looks_at_what_its_command_says(
    tmp_path: Path, asked: Check, held: list[str], passed_over: list[str]
) -> None:
    write(tmp_path, {"tests/x": "", "src/x": "", "pkg/x": ""})
    found = scope(tmp_path, asked)
    assert [path for path in (*held, *passed_over) if found.holds(path)] == held


@pytest.mark.parametrize(
    ("asked", "files", "held", "passed_over"),
    [
        (check("mypy"), {"mypy.ini": "[mypy]\nfiles = src, app.py\nexclude = (?x)(^src/gen/|_pb2)\n"},
         ["src/a.py", "app.py"], ["b.py", "src/gen/a.py", "src/a_pb2.py"]),
        (check("mypy"), {"pyproject.toml": '[tool.mypy]\npackages = ["shop"]\nexclude = ["old"]\n'},
         ["src/shop/a.py", "shop/a.py"], ["src/a.py", "shop/old/a.py"]),
        (check("pytest", *PYTEST), {"pytest.ini": "[pytest]\ntestpaths = t*\npython_files = check_*.py spec/*.py\n"},
         ["tests/check_a.py", "tests/spec/a.py"], ["tests/test_a.py", "check_a.py"]),
        (check("pytest", *PYTEST),
         {"pyproject.toml": '[tool.pytest.ini_options]\naddopts = "--ignore-glob=*/old_*"\nnorecursedirs = "data"\n'},
         ["tests/test_a.py", "database/test_a.py"], ["tests/old_a/test_a.py", "tests/data/test_a.py"]),
    ],
)  # fmt: skip
def test_a_check_looks_at_what_its_configuration_says(
    tmp_path: Path, asked: Check, files: dict[str, str], held: list[str], passed_over: list[str]
) -> None:
    found = scope(write(tmp_path, files), asked)
    assert [path for path in (*held, *passed_over) if found.holds(path)] == held


def test_what_only_the_tool_knows_is_asked_as_a_whole(tmp_path: Path) -> None:
    write(tmp_path, {"ruff.toml": 'include = ["src/*.py"]\n', "mypy.ini": "[mypy]\nexclude = (\n", "tests/a.py": ""})
    asked = (
        check("ruff"),
        check("mypy"),
        check("mypy", "mypy", "--config-file", "x.ini"),
        check("pytest", *PYTEST, "-c", "x.ini"),
        check("pytest", *PYTEST, "tests/a.py::test"),
        check("exit"),
    )
    assert [find_scope(each, read(tmp_path)) for each in asked] == [None] * len(asked)


def test_a_check_is_narrowed_to_files_or_not_asked_at_all() -> None:
    mypy, python = check("mypy"), Scope(("*.py", "*.pyi"))
    assert narrow(mypy, None, ["a.py"]) is mypy
    assert narrow(mypy, python, ["a.txt"]) is None
    narrowed = narrow(mypy, python, ["a.py", "b.py", "b.pyi"])
    assert narrowed is not None
    assert narrowed.targets == ("a.py", "b.pyi")
    assert narrow(mypy, python, [f"{number}.py" for number in range(MOST + 1)]) is mypy


@pytest.mark.parametrize(
    ("reader", "path", "before", "after", "anew"),
    [
        ("ruff", "ruff.toml", "", "", True),
        ("ruff", "pyproject.toml", '[project]\nversion = "1"\n', '[project]\nversion = "2"\n', False),
        ("ruff", "pyproject.toml", "", '[project]\nrequires-python = ">=3.9"\n', True),
        ("ruff", "pyproject.toml", "[tool.ruff]\n", "[tool.ruff]\nline-length = 9\n", True),
        ("mypy", "pyproject.toml", "", "[tool.ruff]\n", False),
        ("mypy", "pyproject.toml", "", "broken [", True),
        ("mypy", "setup.cfg", "[mypy]\n", "[mypy]\n[mypy-x]\na = 1\n", True),
        ("pytest", "setup.cfg", "[mypy]\n", "[mypy]\na = 1\n", False),
        ("pytest", "tox.ini", "", "[pytest]\naddopts = -q\n", True),
        ("syntax", "pyproject.toml", "", "[tool.ruff]\n", False),
        ("pytest", "sub/pytest.ini", "", "", True),
    ],
)
def test_another_configuration_has_the_whole_asked(
    reader: Reader, path: str, before: str, after: str, *, anew: bool
) -> None:
    asked = check(reader)
    assert is_configured_anew(asked, [path], lambda _: before.encode(), lambda _: after.encode()) is anew


def test_linters_are_given_files_in_their_own_ways(tmp_path: Path) -> None:
    project = read(
        write(
            tmp_path,
            {
                "src/a.py": "",
                "setup.cfg": "[flake8]\nexclude = ./build, *_old\n",
                "pyproject.toml": '[tool.black]\nexclude = "gen"\n',
            },
        )
    )
    present = (*PYTHON, "README.md")

    def aimed(*argv: str) -> tuple[str, ...] | None:
        found = aim_linter(check("lines", *argv), present, project)
        return found.argv[1:] if found is not None else None

    assert aimed("/bin/flake8", "--format=x", ".") == ("--format=x", "--", "src/a.py", "b.py")
    assert aimed("/bin/flake8", "--format=x", "src") == ("--format=x", "--", "src/a.py")
    assert aimed("/bin/isort", "--check-only", ".") == ("--check-only", "--filter-files", "--", *PYTHON)
    assert aimed("/bin/black", "--check", ".") == (
        *("--check", "--force-exclude", "(?:gen)", "--"),
        *PYTHON,
    )
    # What may be the value of an option is left where it is, and the tool asked as a whole
    assert aimed("/bin/flake8", "--config", "setup.cfg") == ("--config", "setup.cfg")
    assert aimed("/bin/pyright") == ()
    assert aimed("/bin/yamllint", ".") is None


def graph(**sources: str) -> Graph:
    files = {name.replace("__", "/") + ".py": text for name, text in sources.items()}
    return Graph({path: read_imports(text.encode(), path) for path, text in files.items()})


def test_the_nearest_tests_come_first_and_those_that_run_anything_last(tmp_path: Path) -> None:
    known = graph(
        a="", b="import a", tests__test_far="import b", tests__test_near="import a", tests__test_other="",
        tests__test_any="import subprocess", tests__test_data="open('rows.json')", tools__x="", tools__test_x="",
    )  # fmt: skip

    def tests(*paths: str) -> list[str]:
        changed = sort_out([FileChange(path=path, kind="modified") for path in paths])
        return [path.split("test_")[1] for path in reach(known, changed, tmp_path) if "test_" in path]

    assert tests("a.py") == ["near.py", "far.py", "any.py"]
    assert tests("tests/test_other.py", "b.py") == ["other.py", "far.py", "any.py"]
    assert tests("gone.py") == ["any.py"]
    assert tests("data/rows.json") == ["data.py", "any.py"]
    assert tests("tools/deep/table.csv") == ["x.py", "any.py"]
    assert tests("README.md", "a.pyi", "top.csv") == []
    write(tmp_path, {"a.py": "open('VERSION')\nROOT / 'rows'\n", "tests/test_far.py": "glob('*.tsv')\n"})
    assert tests("VERSION") == tests("rows/deep/one.txt") == ["near.py", "far.py", "any.py"]
    assert tests("top.tsv") == ["far.py", "any.py"]


def test_types_are_looked_at_where_a_module_that_was_changed_or_is_gone_is_imported(tmp_path: Path) -> None:
    known = graph(b="import a", c="import b", d="")
    files = [FileChange(path="a.py", kind="deleted"), FileChange(path="d.py", kind="modified")]
    plan = Plan(tmp_path, sort_out(files), lambda _: None, lambda _: None)
    looked = plan.look(check("mypy", "mypy", "--", "."), lambda: known)
    assert looked is not None
    assert looked.targets == ("d.py", "b.py")
    looked = plan.look(check("ruff"), lambda: known)
    assert looked is not None
    assert looked.targets == ("d.py",)
    for kind, targets in (("modified", ("a.py", "b.py")), ("added", ("a.py",))):
        changed = sort_out([FileChange.model_validate({"path": "a.py", "kind": kind})])
        looked = Plan(tmp_path, changed, lambda _: None, lambda _: None).look(check("mypy"), lambda: known)
        assert looked is not None
        assert looked.targets == targets


def test_a_suite_is_run_in_steps_and_as_a_whole_where_nobody_knows(tmp_path: Path) -> None:
    names = {f"tests__test_{number:02}": "import a" for number in range(30)}
    known = graph(a="", **names)
    changed = sort_out([FileChange(path="a.py", kind="modified")])
    suite = check("pytest", *PYTEST)
    plan = Plan(tmp_path, changed, lambda _: None, lambda _: None)
    steps = plan.test(suite, lambda: known)
    assert [len(step.targets) for step in steps.checks] == [4, 16, 10]
    assert steps.files == 30
    assert plan.test(suite, lambda: None).checks == (suite,)
    documents = sort_out([FileChange(path="README.md", kind="modified")])
    assert Plan(tmp_path, documents, lambda _: None, lambda _: None).test(suite, lambda: None).checks == ()
