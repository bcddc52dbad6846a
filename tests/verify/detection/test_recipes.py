"""Which commands a project's own files name."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.verify.detection.commands import ROOT, SITE, UNKNOWN
from bot.verify.detection.project import read
from bot.verify.detection.recipes import find
from tests.verify.conftest import Files, write

SHOWN = {UNKNOWN: "?", ROOT: "ROOT", SITE: "SITE"}


def commands(root: Path, files: Files) -> list[str]:
    told = []
    for named in find(read(write(root, files))).commands:
        text = f"{named.where}: {' '.join(named.argv)}" + (f" @{named.folder}" if named.folder else "")
        for mark, word in SHOWN.items():
            text = text.replace(mark, word)
        told.append(text)
    return told


TOX = """
[tox]
envlist = py{310,311}-{a,b}, docs

[base]
tests = tests/unit

[testenv]
deps = pytest
changedir = {toxinidir}/src
commands_pre = python -m pip install x
commands =
    cov: coverage run -m pytest {posargs:{[base]tests}}
    !cov: pytest --basetemp={envtmpdir} {env:OPTIONS:-q} \\
        {envsitepackagesdir}/pkg {toxinidir}/tests
    - python -c "print('{envname}')"

[testenv:docs]
changedir =
commands = sphinx-build docs {envtmpdir}
"""


def test_tox_is_read_with_its_references_and_factors(tmp_path: Path) -> None:
    assert commands(tmp_path, {"tox.ini": TOX}) == [
        "[testenv] commands: pytest tests/unit @src",
        "[testenv] commands: pytest --basetemp=? -q SITE/pkg ROOT/tests @src",
        "[testenv] commands: python -c print('?') @src",
        "[testenv:docs] commands: sphinx-build docs ?",
    ]


NATIVE = """
[tool.tox]
env_list = ["3.13", "style"]
[tool.tox.env_run_base]
commands = [["pytest", "-v", "--basetemp={env_tmp_dir}", {replace = "posargs", default = ["tests"], extend = true}]]
[tool.tox.env.typing]
change_dir = "src"
commands = [["mypy"], ["pyright", {replace = "ref", of = ["x"]}]]
"""


def test_native_tox_is_read_in_either_file(tmp_path: Path) -> None:
    wanted = [
        "[tool.tox.env_run_base] commands: pytest -v --basetemp=? tests",
        "[tool.tox.env.typing] commands: mypy @src",
        "[tool.tox.env.typing] commands: pyright ? @src",
    ]
    assert commands(tmp_path / "a", {"pyproject.toml": NATIVE}) == wanted
    plain = NATIVE.replace("[tool.tox]", "").replace("[tool.tox.", "[")
    plain = plain.replace('env_list = ["3.13", "style"]', "")
    assert commands(tmp_path / "b", {"tox.toml": plain}) == [line.replace("tool.tox.", "") for line in wanted]
    legacy = '[tool.tox]\nlegacy_tox_ini = """\n[testenv]\ncommands = pytest {posargs}\n"""\n'
    assert commands(tmp_path / "c", {"pyproject.toml": legacy}) == ["[testenv] commands: pytest"]


NOX = """
import nox
import os
from pathlib import Path

nox.options.sessions = ["lint", "tests"]
PATHS = ["src", "tests"]
HERE = Path(__file__).parent
raise SystemExit("this file is never run")


@nox.session
def lint(session: nox.Session) -> None:
    session.install("ruff")
    session.run("ruff", "check", *PATHS)


@nox.session(python=["3.11", "3.12"], name="tests")
def anything(session):
    session.install("-e", ".[test]")
    args = session.posargs or ["--doctest-modules", "src"]
    with session.chdir("inner"):
        pass
    session.run("coverage", "run", "-m", "pytest", *args, f"--junitxml={os.environ['X']}", env={"A": "b"})


@nox.session()
def other(session):
    session.run("python", "-m", "pytest", *session.posargs, str(HERE), silent=True)
    session.run(*"mypy src".split())


def no_session(session):
    session.run("rm", "-rf", "/")
"""


def test_sessions_of_nox_are_read_and_never_run(tmp_path: Path) -> None:
    assert commands(tmp_path, {"noxfile.py": NOX}) == [
        "session tests: pytest --doctest-modules src --junitxml=? @inner",
        "session lint: ruff check src tests",
        "session other: pytest ROOT",
        "session other: mypy src",
    ]


SCRIPTS = """
[tool.hatch.envs.default.scripts]
test = "pytest {args:tests}"
cov = ["test", "coverage report"]
[tool.hatch.envs.types.scripts]
check = "mypy --install-types {args:src}"
[tool.poe.tasks]
test = "pytest -m 'not slow'"
lint.cmd = "flake8 src"
all = ["lint", "test"]
[tool.pdm.scripts]
test = {shell = "pytest tests && mypy"}
post = {composite = ["a", "b"]}
[tool.taskipy.tasks]
test = { cmd = "python -m unittest", help = "runs them" }
"""


def test_scripts_of_project_managers_are_read(tmp_path: Path) -> None:
    found = commands(tmp_path, {"pyproject.toml": SCRIPTS})
    assert [line for line in found if not line.endswith((": test", ": coverage report", ": lint test"))] == [
        "[tool.hatch.envs.default.scripts] test: pytest tests",
        "[tool.hatch.envs.types.scripts] check: mypy --install-types src",
        "[tool.poe.tasks] test: pytest -m not slow",
        "[tool.poe.tasks] lint: flake8 src",
        "[tool.pdm.scripts] test: pytest tests",
        "[tool.pdm.scripts] test: mypy",
        "[tool.taskipy.tasks] test: unittest",
    ]


MAKEFILE = """
.PHONY: test lint
PYTHON ?= python3
TESTS := tests/unit   # what is run
ARGS =

all: test

test: lint
\t@echo testing
\t$(PYTHON) -m pytest $(ARGS) $(TESTS) $(PYTEST_ARGS)
\t-cd docs && pytest --doctest-glob='*.rst'

lint:
\t@uv run ruff check .
"""


def test_targets_of_make_are_read_with_their_variables(tmp_path: Path) -> None:
    assert commands(tmp_path, {"Makefile": MAKEFILE}) == [
        "target test: echo testing",
        "target test: pytest tests/unit",
        "target test: pytest --doctest-glob=*.rst @docs",
        "target lint: ruff check .",
    ]


def test_recipes_of_just_are_read(tmp_path: Path) -> None:
    text = 'dir := "tests"\n\n@test *args:\n    uv run pytest {{dir}}\n\nlint: test\n    ruff check\n'
    assert commands(tmp_path, {"justfile": text}) == ["target test: pytest tests", "target lint: ruff check"]


WORKFLOW = """
name: CI
on: [push]
jobs:
  test:
    defaults:
      run:
        working-directory: backend
    steps:
      - uses: actions/checkout@v4
      - name: Install
        run: |
          python -m pip install -e .
      - name: Test
        run: >
          pytest
          -m "not slow"
          tests
      - run: uv run mypy
        working-directory: other
      - working-directory: third
        run: "pytest -k 'a or b'"
      # - run: pytest hidden
      - run: pytest tests ${{ matrix.extra }}
"""


def test_steps_of_a_workflow_are_read_in_their_folder(tmp_path: Path) -> None:
    found = commands(tmp_path, {".github/workflows/test.yml": WORKFLOW})
    assert [line.partition(": ")[2] for line in found] == [
        "pip install -e . @backend",
        "pytest -m not slow tests @backend",
        "mypy @other",
        "pytest -k a or b @third",
        "pytest tests ? @backend",
    ]


def test_scripts_of_other_ci_files_are_read(tmp_path: Path) -> None:
    gitlab = "test:\n  script:\n    - pip install .\n    - pytest tests\n  only:\n  - main\n"
    travis = "language: python\nscript:\n- pytest\n- 'flake8 src'\nafter_success: x\n"
    found = commands(tmp_path, {".gitlab-ci.yml": gitlab, ".travis.yml": travis})
    assert [line.partition(": ")[2] for line in found] == ["pip install .", "pytest tests", "pytest", "flake8 src"]


def test_variables_that_a_command_is_given_are_read_as_far_as_they_are_the_projects(tmp_path: Path) -> None:
    files: Files = {
        "tox.ini": "[testenv]\nsetenv =\n  A = {toxinidir}/data\n  HOME = x\n  B = {envtmpdir}\n  slow: C = 1\n"
                   "  PYTEST_ADDOPTS = -x\n  LD_PRELOAD = x\ncommands = pytest\n",
        "tox.toml": "env_run_base.set_env.A = '1'\nenv_run_base.commands = [['pytest', '-q']]\n",
        "noxfile.py": "import nox\n@nox.session\ndef t(s):\n    s.run('pytest', env={'A': '2', **x, 'GIT_DIR': 'x'})\n",
        "Makefile": "test:\n\tA=3 PATH=x PYTHONPATH=src pytest\n",
    }  # fmt: skip
    assert [named.environment for named in find(read(write(tmp_path, files))).commands] == [
        (("A", "data"),),
        (("A", "1"),),
        (("A", "2"),),
        (("A", "3"), ("PYTHONPATH", "src")),
    ]


def test_the_most_telling_file_comes_first(tmp_path: Path) -> None:
    files: Files = {
        ".github/workflows/ci.yml": "jobs:\n  a:\n    steps:\n      - run: pytest ci\n",
        "Makefile": "test:\n\tpytest make\n",
        "noxfile.py": "import nox\n@nox.session\ndef t(session):\n    session.run('pytest', 'nox')\n",
        "tox.ini": "[testenv]\ncommands = pytest tox\n",
        "pyproject.toml": '[tool.poe.tasks]\ntest = "pytest poe"\n',
    }
    assert [line.rpartition(" ")[2] for line in commands(tmp_path, files)] == ["tox", "nox", "poe", "make", "ci"]


NAMES = ("tox.ini", "noxfile.py", "Makefile", "justfile", "pyproject.toml", ".github/workflows/ci.yml", "tox.toml",
         "package.json", ".gitlab-ci.yml")  # fmt: skip
PIECES = st.sampled_from([TOX, NATIVE, NOX, SCRIPTS, MAKEFILE, WORKFLOW])


@given(st.sampled_from(NAMES), st.binary(max_size=80) | st.tuples(PIECES, st.integers(0, 900), st.integers(0, 900)).map(
    lambda cut: (cut[0][: cut[1]] + cut[0][cut[2] :]).encode()))  # fmt: skip
def test_any_bytes_may_stand_in_any_file(tmp_path_factory: pytest.TempPathFactory, name: str, content: bytes) -> None:
    root = tmp_path_factory.getbasetemp() / "recipes"
    write(root, {name: content})
    assert all(named.argv for named in find(read(root)).commands)
    (root / name).unlink()
