"""What a pytest command line says of which tests are run."""

import shlex
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.verify.detection.commands import ROOT, SITE, UNKNOWN
from bot.verify.detection.selection import Tree, narrow, select
from tests.verify.conftest import write

FILES = dict.fromkeys(
    ("tests/test_a.py", "tests/unit/test_b.py", "src/pkg/__init__.py", "docs/index.rst", "evil.py", "README.md"), ""
)


def tree(root: Path, *installed: str, defines: str = "--runslow") -> Tree:
    write(root, FILES)
    return Tree(root, frozenset(installed), lambda option: option == defines)


def chosen(tree: Tree, text: str, folder: str = "") -> str | None:
    marks = text.replace("SITE", SITE).replace("ROOT", ROOT).replace("???", UNKNOWN)
    found = select(shlex.split(marks), folder, tree)
    return None if found is None else shlex.join(found.arguments)


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("", ""),
        ("tests", "tests"),
        ("-v -ra -x -q --tb=short -l --durations 5 --color=yes tests", "tests"),
        ("--cov=pkg --cov-report term-missing --cov-report=xml tests", "tests"),
        ("--cov src tests", "tests"),
        ("-n auto --dist loadscope tests", "tests"),
        ("-nauto -vv", ""),
        ("--lf --maxfail 3 --junitxml=???/out.xml --basetemp=???", ""),
        ("-m 'not slow' tests", "-m 'not slow' tests"),
        ("-k 'a or b' -p no:cacheprovider", "-k 'a or b' -p no:cacheprovider"),
        ("-p evil -p pytest_cov", "-p evil"),
        ("--doctest-modules src/pkg tests", "--doctest-modules src/pkg tests"),
        ("--doctest-modules SITE/pkg ROOT/tests", "--doctest-modules src/pkg tests"),
        ("--pyargs pkg", "src/pkg"),
        ("--ignore=tests/unit --ignore tests/x", "--ignore=tests/unit --ignore=tests/x"),
        ("tests/test_a.py::test_x", "tests/test_a.py::test_x"),
        ("tests/*.py", "tests/test_a.py"),
        ("--runslow tests", "--runslow tests"),
        ("--unheard-of tests", "tests"),
        ("--unheard-of=3 --other 4 tests", "tests"),
        ("-W error::DeprecationWarning -o xfail_strict=true", "-W error::DeprecationWarning -o xfail_strict=true"),
        ("-s --import-mode=importlib", "-s --import-mode=importlib"),
        ("--mypy --timeout=20 --timeout 20 tests", "tests"),
        ("nowhere", None),
        ("???", None),
        ("-m ???", None),
        ("/etc", None),
        ("../other", None),
    ],
)  # fmt: skip
def test_what_chooses_tests_is_kept_and_what_shows_them_is_not(tmp_path: Path, given: str, wanted: str | None) -> None:
    assert chosen(tree(tmp_path), given) == wanted


def test_option_of_a_plugin_is_kept_where_the_plugin_is_installed(tmp_path: Path) -> None:
    assert chosen(tree(tmp_path, "pytest-mypy"), "--mypy tests") == "--mypy tests"
    found = select(["--mypy", "tests"], "", tree(tmp_path))
    assert found is not None
    assert found.left == ("--mypy",)


@pytest.mark.parametrize(
    ("given", "folder", "wanted"),
    [
        ("", "tests", "tests"),
        ("unit", "tests", "tests/unit"),
        ("--ignore=unit", "tests", "--ignore=tests/unit tests"),
        ("ROOT/tests", UNKNOWN, "tests"),
        ("", UNKNOWN, None),
        ("", ".tox", None),
        ("ROOT/tests", ".tox", "tests"),
    ],
)
def test_paths_are_told_from_the_root_wherever_the_command_is_started(
    tmp_path: Path, given: str, folder: str, wanted: str | None
) -> None:
    assert chosen(tree(tmp_path), given, folder) == wanted


def test_targets_take_the_place_of_paths_and_leave_the_options(tmp_path: Path) -> None:
    write(tmp_path, FILES)
    line = ("-m", "not slow", "--runslow", "tests", "src/pkg", "--doctest-modules")
    wanted = ("-m", "not slow", "--runslow", "--doctest-modules", "tests/test_a.py::test_x")
    assert narrow(line, ("tests/test_a.py::test_x",), tmp_path) == wanted
    assert narrow(line, ("--ignore=tests/test_a.py",), tmp_path) == (*line, "--ignore=tests/test_a.py")
    assert narrow(line, (), tmp_path) == line


WORDS = st.sampled_from([
    "tests", "src/pkg", "-m", "not slow", "-k", "--cov", "--cov=x", "-n", "auto", "-ra", "-s", "--pyargs", "pkg", "--",
    "-", "", "-W", "--ignore", "--deselect=tests/test_a.py::x", UNKNOWN, SITE + "/pkg", ROOT, "*", "[", "\0", "a::b",
    "--unheard-of", "-p", "no:x", "/", "..",
])  # fmt: skip


@given(st.lists(WORDS, max_size=8))
def test_any_command_line_is_read_and_names_only_what_is_there(
    tmp_path_factory: pytest.TempPathFactory, words: list[str]
) -> None:
    root = tmp_path_factory.getbasetemp() / "selection"
    found = select(words, "", tree(root))
    if found is not None:
        assert all((root / path.partition("::")[0]).exists() for path in found.paths)
        assert not any(mark in word for word in found.arguments for mark in (UNKNOWN, SITE, ROOT))
