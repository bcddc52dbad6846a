"""Which checks a project wants."""

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.check import Check, Rung
from bot.verify.detection.detect import detect, look
from bot.verify.interpreter import Interpreter, own
from tests.verify.conftest import FIXED, TESTS, Files, bare, write

SOURCE: Files = {"calc.py": FIXED}


def hooks(*lines: str) -> Files:
    return {".pre-commit-config.yaml": "repos:\n  - hooks:\n" + "".join(f"      {line}\n" for line in lines)}


def names(root: Path, files: Files) -> list[str]:
    return [check.name for check in detect(write(root, files), bare())]


@pytest.mark.parametrize(
    ("files", "wanted"),
    [
        ({"README.md": "# hello\n"}, []),
        (SOURCE, ["syntax"]),
        ({**SOURCE, "test_calc.py": TESTS}, ["syntax", "pytest"]),
        ({**SOURCE, "deep/er/calc_test.py": TESTS}, ["syntax", "pytest"]),
        ({**SOURCE, "pytest.ini": "[pytest]\n"}, ["syntax", "pytest"]),
        ({**SOURCE, "setup.cfg": "[tool:pytest]\n"}, ["syntax", "pytest"]),
        ({**SOURCE, "tox.ini": "[pytest]\n"}, ["syntax", "pytest"]),
        ({**SOURCE, "pyproject.toml": "[tool.pytest.ini_options]\n"}, ["syntax", "pytest"]),
        ({**SOURCE, "pyproject.toml": "[tool.ruff]\n"}, ["syntax", "ruff"]),
        ({**SOURCE, ".ruff.toml": ""}, ["syntax", "ruff"]),
        ({**SOURCE, "pyproject.toml": "[tool.ruff.format]\n"}, ["syntax", "ruff", "ruff-format"]),
        ({**SOURCE, **hooks("- id: ruff-check", "- id: mypy")}, ["syntax", "ruff", "mypy"]),
        ({**SOURCE, **hooks("- id: ruff-format # all", "# - id: mypy")}, ["syntax", "ruff-format"]),
        ({**SOURCE, ".github/workflows/ci.yml": "steps:\n  - run: ruff format --check .\n"}, ["syntax", "ruff-format"]),
        ({**SOURCE, ".github/workflows/ci.yml": "steps:\n#  - run: ruff format --check .\n"}, ["syntax"]),
        ({**SOURCE, "mypy.ini": "[mypy]\n"}, ["syntax", "mypy"]),
        ({**SOURCE, "setup.cfg": "[mypy]\n"}, ["syntax", "mypy"]),
        ({**SOURCE, "pyproject.toml": "[tool.mypy]\nstrict = true\n"}, ["syntax", "mypy"]),
        ({**SOURCE, "pyproject.toml": "[tool]\nruff = 3\n"}, ["syntax"]),
        ({"venv/lib/test_x.py": "", ".tox/test_y.py": "", "node_modules/test_z.py": ""}, []),
    ],
)  # fmt: skip
def test_checks_follow_from_the_projects_own_files(tmp_path: Path, files: Files, wanted: list[str]) -> None:
    assert names(tmp_path, files) == wanted


@pytest.mark.parametrize("name", ["pyproject.toml", "setup.cfg", "tox.ini", "pytest.ini", "mypy.ini"])
@pytest.mark.parametrize("content", [b"[[[", b"\xff\xfe\x00", b"a = \n = b\n[x\n", b"[x]\n[x]\na\n"])
def test_broken_configuration_is_said_and_never_raised(tmp_path: Path, name: str, content: bytes) -> None:
    checks = detect(write(tmp_path, {**SOURCE, "test_calc.py": TESTS, name: content}), bare())
    assert {check.name for check in checks} >= {"syntax", "pytest"}


def test_file_that_cannot_be_read_is_named_in_the_reason(tmp_path: Path) -> None:
    checks = detect(write(tmp_path, {**SOURCE, "test_calc.py": TESTS, "pyproject.toml": "[[["}), bare())
    assert "pyproject.toml cannot be read" in checks[-1].reason


def test_tool_that_is_lent_is_said(tmp_path: Path) -> None:
    files: Files = {**SOURCE, "test_calc.py": TESTS, "ruff.toml": "", "mypy.ini": "[mypy]\n"}
    lent = {check.name: check.reason for check in detect(write(tmp_path, files), bare())}
    assert all("git agent's own environment" in lent[name] for name in ("ruff", "mypy", "pytest"))
    mine = {check.name: check.reason for check in detect(tmp_path, own())}
    assert not any("git agent's own" in reason for reason in mine.values())
    assert mine["pytest"] == "test_calc.py holds tests"


def test_mypy_is_given_targets_only_when_its_configuration_names_none(tmp_path: Path) -> None:
    write(tmp_path, {"src/pkg/__init__.py": "", "tests/test_x.py": "", "tool.py": "", "mypy.ini": "[mypy]\n"})
    (mypy,) = (check for check in detect(tmp_path, own()) if check.name == "mypy")
    assert mypy.argv[-2:] == ("tool.py", "src/pkg")
    write(tmp_path, {"mypy.ini": "[mypy]\nfiles = src\n"})
    (mypy,) = (check for check in detect(tmp_path, own()) if check.name == "mypy")
    assert "src/pkg" not in mypy.argv


def pytest_of(root: Path, files: Files) -> str:
    """Return what the project's pytest is given."""
    (check,) = (check for check in detect(write(root, files), bare()) if check.reader == "pytest")
    return " ".join(check.argv[3:])


TREE: Files = {"src/pkg/__init__.py": "", "tests/test_a.py": TESTS, "tests/unit/test_b.py": TESTS}


@pytest.mark.parametrize(
    ("files", "wanted"),
    [
        ({"tox.ini": "[testenv]\ncommands = pytest --doctest-modules {envsitepackagesdir}/pkg {toxinidir}/tests\n"},
         "--doctest-modules src/pkg tests"),
        ({"tox.ini": "[testenv]\ncommands = py.test --cov=pkg {posargs}\n"}, ""),
        ({"tox.ini": "[testenv]\ncommands = pytest tests\n[pytest]\ntestpaths = tests\n"}, ""),
        ({"tox.ini": "[testenv]\ncommands = pytest tests/unit\n[pytest]\ntestpaths = tests\n"}, ""),
        ({"tox.ini": "[testenv]\ncommands = pytest --doctest-modules src\n[pytest]\ntestpaths = tests\n"},
         "--doctest-modules src tests"),
        ({"tox.ini": "[testenv]\ncommands = pytest -m fast\n[pytest]\naddopts = -m fast -q\n"}, ""),
        ({"Makefile": "test:\n\tpytest tests/unit\n", "tox.ini": "[testenv]\ncommands = make test\n"}, "tests/unit"),
        ({"noxfile.py": "import nox\n@nox.session\ndef tests(s):\n    s.run('pytest', '-k', 'a', *s.posargs)\n"},
         "-k a"),
        ({".github/workflows/ci.yml": "jobs:\n  a:\n    steps:\n    - run: pytest -m 'not x' tests/unit\n"},
         "-m not x tests/unit"),
        ({"Makefile": "test:\n\tpytest nowhere\n"}, ""),
        ({"Makefile": "test:\n\tpytest $(shell git ls-files)\n"}, ""),
        ({"tox.ini": "[testenv]\nchangedir = tests\ncommands = pytest unit\n"}, "tests/unit"),
        ({"conftest.py": "def pytest_addoption(p): p.addoption('--slow')\n", "Makefile": "test:\n\tpytest --slow\n"},
         "--slow"),
    ],
)  # fmt: skip
def test_pytest_is_given_what_their_own_command_gives_it(tmp_path: Path, files: Files, wanted: str) -> None:
    assert pytest_of(tmp_path, {**TREE, **files}) == wanted


def test_different_commands_of_one_environment_are_checks_of_their_own(tmp_path: Path) -> None:
    text = "[testenv]\ncommands =\n  pytest -m fast\n  pytest -m slow -v\n  pytest -q -m fast\n"
    found = detect(write(tmp_path, {**TREE, "tox.ini": text}), bare())
    assert {check.name: check.argv[3:] for check in found if check.reader == "pytest"} == {
        "pytest": ("-m", "fast"),
        "pytest-2": ("-m", "slow"),
    }


@pytest.mark.parametrize(
    ("commands", "wanted"),
    [
        (["tests: pytest -n auto", "mypy: pytest -k test_mypy"], [()]),
        (["mypy: pytest -k test_mypy", "tests: pytest"], [()]),
        (["pytest", "pytest -m slow"], [()]),
        (["pytest", "pytest tests/test_a.py"], [()]),
        (["pytest -m fast", "slow: pytest -m slow"], [("-m", "fast")]),
        (["pytest tests", "pytest more"], [("tests",), ("more",)]),
        (["pytest tests -k a", "pytest"], [(), ]),
        (["pytest", "pytest --doctest-modules src"], [(), ("--doctest-modules", "src")]),
        (["pytest", "pytest more/speed.py"], [(), ("more/speed.py",)]),
    ],
)  # fmt: skip
def test_command_that_only_picks_from_the_same_tests_is_no_check_of_its_own(
    tmp_path: Path, commands: list[str], wanted: list[tuple[str, ...]]
) -> None:
    text = "\n  ".join(["[testenv]\ncommands =", *commands])
    found = look(write(tmp_path, {**TREE, "more/test_b.py": "", "more/speed.py": "", "tox.ini": text}), bare())
    assert [check.argv[3:] for check in found.checks if check.reader == "pytest"] == wanted
    assert any("picks from the same tests" in note for note in found.notes) == (len(wanted) == 1)


def test_command_that_is_not_followed_is_said(tmp_path: Path) -> None:
    files: Files = {**TREE, "Makefile": "test:\n\tpytest -q gone.py\n"}
    notes = look(write(tmp_path, files), bare()).notes
    assert any("pytest -q gone.py cannot be read to the end" in note for note in notes)
    files = {**TREE, "Makefile": "test:\n\tpytest --unheard-of tests\n"}
    assert any("--unheard-of is left out" in note for note in look(write(tmp_path, files), bare()).notes)


CASE = "import unittest\n\n\nclass Some(unittest.TestCase):\n    def test_x(self):\n        self.assertTrue(1)\n"


@pytest.mark.parametrize(
    "text",
    [
        "from unittest import mock\n\n\ndef test_x():\n    assert mock\n",
        "import unittest\n\n\nclass TestX:\n    def test_x(self):\n        assert unittest\n",
        CASE + "\n\ndef test_y():\n    assert True\n",
    ],
)
def test_tests_that_unittest_would_pass_over_are_run_by_pytest(tmp_path: Path, text: str) -> None:
    check = detect(write(tmp_path, {"test_a.py": text}), bare())[-1]
    assert check.reader == "pytest"


@pytest.mark.parametrize(
    ("files", "wanted"),
    [
        ({"test_a.py": CASE}, ()),
        ({"tests/__init__.py": "", "tests/test_a.py": CASE}, ()),
        ({"tests/test_a.py": CASE}, ("discover", "-s", "tests")),
        ({"spec/a_test.py": CASE}, ("discover", "-s", "spec", "-p", "*_test.py")),
        ({"tests/test_a.py": CASE, "Makefile": "test:\n\tpython -m unittest discover -v -s tests -p 'test_*.py'\n"},
         ("discover", "-s", "tests", "-p", "test_*.py")),
        ({"tests/test_a.py": CASE, "tox.ini": "[testenv]\ncommands = coverage run -m unittest {posargs}\n"}, ()),
        ({"checks.py": CASE, ".travis.yml": "script:\n  - python -m unittest checks\n"}, ("checks",)),
    ],
)  # fmt: skip
def test_project_that_uses_unittest_only_is_run_by_unittest(
    tmp_path: Path, files: Files, wanted: tuple[str, ...]
) -> None:
    (check,) = (check for check in detect(write(tmp_path, files), bare()) if check.rung is Rung.UNIT)
    assert (check.name, check.reader, check.argv[1:]) == ("unittest", "unittest", ("-m", "unittest", *wanted))


@pytest.mark.parametrize(
    "more",
    [
        {"conftest.py": ""},
        {"pytest.ini": "[pytest]\n"},
        {"pyproject.toml": "[dependency-groups]\ntest = ['pytest>=8']\n"},
        {"pyproject.toml": "[project]\nname = 'x'\n[project.optional-dependencies]\ntest = ['pytest-cov']\n"},
        {"pyproject.toml": "[tool.poetry.group.dev.dependencies]\npytest = '*'\n"},
        {"requirements-dev.txt": "-r x\npytest\n"},
        {"tox.ini": "[testenv]\ndeps =\n  pytest\n"},
        {"tests/test_b.py": "import pytest\n"},
        {"tests/test_b.py": "def test_plain(): pass\n"},
        {"Makefile": "test:\n\tpytest\n"},
    ],
)
def test_project_that_names_pytest_anywhere_is_run_by_pytest(tmp_path: Path, more: Files) -> None:
    found = detect(write(tmp_path, {"tests/test_a.py": CASE, **more}), bare())
    assert [check.reader for check in found if check.rung is Rung.UNIT] == ["pytest"]


def environment(root: Path, *programs: str, installed: tuple[str, ...] = ()) -> Interpreter:
    """Make an environment that holds these programs."""
    for name in ("python", *programs):
        path = write(root, {f"bin/{name}": "#!/bin/sh\n"}) / "bin" / name
        path.chmod(0o755)
    return Interpreter(root / "bin/python", ".venv", frozenset(), frozenset(installed))


def test_linters_are_checks_only_where_the_projects_environment_has_them(tmp_path: Path) -> None:
    files: Files = {
        **TREE,
        ".flake8": "[flake8]\n",
        "pyproject.toml": "[tool.black]\n[tool.isort]\n[tool.pylint.main]\n",
        "tox.ini": "[testenv:style]\ncommands = pycodestyle --ignore=E1 src\n  isort src\n  pyright {posargs}\n",
    }
    root = write(tmp_path / "project", files)
    found = look(root, environment(tmp_path / "env", "flake8", "black", "isort", "pycodestyle"))
    programs = {check.name: check.argv[1:] for check in found.checks if check.reader == "lines"}
    assert programs == {
        "flake8": ("--format=%(path)s:%(row)d:%(col)d: %(code)s %(text)s",),
        "pycodestyle": ("--format=default", "--ignore=E1", "src"),
        "black": ("--check", "."),
        "isort": ("--check-only", "."),
    }
    assert [note.partition(" is not run")[0] for note in found.notes] == ["pylint", "pyright"]
    bare_notes = look(root, bare()).notes
    assert len([note for note in bare_notes if "not installed in the project's own environment" in note]) == 6


def test_a_linter_that_would_not_read_its_settings_is_not_run(tmp_path: Path) -> None:
    told = {"pyproject.toml": "[tool.flake8]\nignore = ['E501']\n"}
    python = environment(tmp_path / "env", "flake8")
    found = look(write(tmp_path / "project", {**TREE, **told}), python)
    assert not [check for check in found.checks if check.reader == "lines"]
    assert "flake8 is not run: [tool.flake8] is only read by flake8-pyproject, which is not installed" in found.notes[0]
    both = look(write(tmp_path / "both", {**TREE, **told, ".flake8": "[flake8]\n"}), python)
    able = look(tmp_path / "project", environment(tmp_path / "full", "flake8", installed=("flake8-pyproject",)))
    assert all("flake8" in [check.name for check in each.checks] for each in (both, able))


def test_options_of_their_commands_are_kept_and_those_that_hide_findings_are_not(tmp_path: Path) -> None:
    files: Files = {**TREE, "Makefile": "lint:\n\tflake8 --exit-zero --count --max-line-length=99 src tests/*.py\n"
                                        "\tblack src\n\tblack --check --diff src tests\n"}  # fmt: skip
    root = write(tmp_path / "project", files)
    found = {check.name: check.argv[2:] for check in detect(root, environment(tmp_path / "env", "flake8", "black"))}
    assert found["flake8"] == ("--max-line-length=99", "src", "tests/test_a.py")
    assert found["black"] == ("src", "tests")


def test_mypy_is_given_the_options_of_their_command(tmp_path: Path) -> None:
    text = "[testenv]\ncommands = mypy --strict --pretty --cache-dir {envtmpdir} src tests\n"
    write(tmp_path, {**TREE, "tox.ini": text})
    (mypy,) = (check for check in detect(tmp_path, own()) if check.name == "mypy")
    assert mypy.argv[-4:] == ("--strict", "--", "src", "tests")


BUILD: Files = {
    "pyproject.toml": "[build-system]\nrequires = ['hatchling>=1']\nbuild-backend = 'hatchling.build'\n",
    ".github/workflows/release.yml": "jobs:\n  a:\n    steps:\n    - run: python -m build --wheel\n",
}


def test_build_is_a_check_where_it_can_be_run_without_the_network(tmp_path: Path) -> None:
    root = write(tmp_path / "project", {**SOURCE, **BUILD})
    ready = environment(tmp_path / "env", installed=("build", "hatchling"))
    (build,) = (check for check in detect(root, ready) if check.rung is Rung.BUILD)
    assert build.reader == "exit"
    assert build.argv[4:] == (str(ready.path), "-m", "build", "--no-isolation", "--wheel")
    assert "TMPDIR" in build.argv[2]
    for missing in (("build",), ("hatchling",)):
        found = look(root, environment(tmp_path / "env", installed=missing))
        assert not any(check.rung is Rung.BUILD for check in found.checks)
        assert any("not installed in the project's own environment" in note for note in found.notes)


def test_target_that_only_runs_what_is_found_anyway_is_no_second_check(tmp_path: Path) -> None:
    files: Files = {**TREE, "Makefile": "lint:\n\truff check .\ntest: lint\n\t@echo hi\n\tpytest tests\n"}
    assert names(tmp_path, files) == ["syntax", "ruff", "pytest"]


@pytest.mark.parametrize("line", ["tox", "docker compose run test", "pip install . && ./run.sh", "$(UNHEARD) x; nox"])
def test_target_that_reaches_out_is_a_note(tmp_path: Path, line: str) -> None:
    found = look(write(tmp_path, {"README": "", "Makefile": f"test:\n\t{line}\n"}), bare())
    assert not found.checks
    assert any("not run" in note for note in found.notes)


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make on this machine")
def test_target_of_another_language_is_a_check(tmp_path: Path) -> None:
    makefile = "all: prog\nprog: a.c\n\tcc -o prog a.c\ntest: all\n\t./prog --self-test\n"
    (check,) = detect(write(tmp_path, {"a.c": "", "Makefile": makefile}), bare())
    assert (check.name, check.argv, check.reader, check.rung) == ("make-test", ("make", "test"), "exit", Rung.UNIT)


def test_scripts_of_a_package_are_checks_where_the_program_is_here(tmp_path: Path) -> None:
    package = '{"scripts": {"test": "vitest run", "lint": "eslint ."}, "devDependencies": {"vitest": "^1"}}'
    found = look(write(tmp_path, {"package.json": package}), bare())
    if shutil.which("npm"):
        assert [(check.name, check.argv, check.needs) for check in found.checks] == [
            ("npm-lint", ("npm", "run", "lint"), ("npm", "node_modules/")),
            ("npm-test", ("npm", "test"), ("npm", "node_modules/")),
        ]
    else:
        assert len(found.notes) == 2
    empty = '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}'
    assert look(write(tmp_path, {"package.json": empty}), bare()) == ((), ())
    other = '{"scripts": {"test": "x"}, "packageManager": "bun@1"}'
    found = look(write(tmp_path, {"package.json": other}), bare())
    assert any(check.name == "bun-test" for check in found.checks) or "no bun" in found.notes[0]


def test_tools_that_run_tools_are_never_run(tmp_path: Path) -> None:
    workflow = "jobs:\n  a:\n    steps:\n    - run: uvx tox -e py\n    - run: nox\n    - run: pre-commit run -a\n"
    found = look(write(tmp_path, {**TREE, ".github/workflows/ci.yml": workflow}), bare())
    assert [check.name for check in found.checks] == ["syntax", "pytest"]
    assert [note.split()[0] for note in found.notes] == ["tox", "nox", "pre-commit"]


def test_nothing_of_the_project_is_run(tmp_path: Path) -> None:
    evil = f"open({str(tmp_path / 'ran')!r}, 'w')\n"
    names = ("setup.py", "noxfile.py", "conftest.py", "tests/test_a.py", "sitecustomize.py", "pytest.py", "mypy.py")
    files: dict[str, str] = dict.fromkeys(names, evil)
    files |= {"Makefile": f"X := $(shell touch {tmp_path}/ran)\ntest:\n\t$(X) pytest\n"}
    look(write(tmp_path / "project", files), bare())
    assert not (tmp_path / "ran").exists()


def test_declared_check_replaces_the_detected_one_and_stands_on_its_rung(tmp_path: Path) -> None:
    write(tmp_path, {**SOURCE, "test_calc.py": TESTS})
    mine = Check(name="pytest", rung=Rung.INTEGRATION, argv=("make", "test"))
    build = Check(name="build", rung=Rung.BUILD, argv=("make",))
    types = Check(name="types", rung=Rung.TYPES, argv=("make", "types"))
    checks = detect(tmp_path, bare(), (build, mine, types))
    assert [check.name for check in checks] == ["syntax", "types", "pytest", "build"]
    assert checks[2] == mine


def test_hostile_configuration_files_are_not_followed_into_trouble(tmp_path: Path) -> None:
    write(tmp_path, SOURCE)
    (tmp_path / "pyproject.toml").symlink_to("/dev/zero")
    (tmp_path / "setup.cfg").mkdir()
    (tmp_path / "tox.ini").symlink_to("tox.ini")
    assert [check.name for check in detect(tmp_path, bare())] == ["syntax"]


@given(st.binary(max_size=120))
def test_any_bytes_may_be_configuration(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    root = tmp_path_factory.getbasetemp() / "any"
    write(root, {**SOURCE, "pyproject.toml": content, "setup.cfg": content, ".pre-commit-config.yaml": content})
    assert detect(root, Interpreter(Path("/bin/python"), "", frozenset()))[0].name == "syntax"
