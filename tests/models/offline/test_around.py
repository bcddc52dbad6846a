"""What is mended around code, and what is only said: whole conversations over projects in memory."""

import tomllib
from collections.abc import Mapping

import pytest

from tests.models.offline.desk import Desk, Judge

GIT = "0123456789abcdef0123456789abcdef01234567"
MANIFEST = """[project]
name = "shop"
version = "1"
dependencies = [
    "click>=8",  # the command line
]

[project.optional-dependencies]
html = ["beautifulsoup4>=4.9"]

[project.scripts]
shop = "shop.cli:main"
"""


def failing(test: str, message: str, until: str = "", path: str = "") -> Judge:
    """A check that fails until a text is in a file."""

    def judge(files: Mapping[str, str]) -> list[str]:
        mended = path in files and until in files[path]
        return [] if mended else [f"{test} at {test.partition('::')[0]}:3: {message}"]

    return judge


def test_a_listed_distribution_is_asked_for_where_a_check_shows_that_it_helps() -> None:
    wants = failing(
        "tests/test_a.py::test_a", "ModuleNotFoundError: No module named 'bs4'", '    "beau', "pyproject.toml"
    )
    files = {"pyproject.toml": MANIFEST, "shop/__init__.py": "", "shop/page.py": "import bs4\n"}
    desk = Desk(files, {("pytest", "unit"): wants})
    desk.run()
    assert desk.subjects == ["fix: ask for beautifulsoup4, which brings `bs4`"]
    told = tomllib.loads(desk.files["pyproject.toml"])
    assert told["project"]["dependencies"] == ["click>=8", "beautifulsoup4>=4.9"]
    assert '"click>=8",  # the command line\n' in desk.files["pyproject.toml"]


@pytest.mark.parametrize(
    ("code", "path", "module", "said"),
    [
        ("import bs4\n", "shop/page.py", "bs4", "listed only in the extra html"),
        ("import bs4\n", "tests/test_a.py", "bs4", "the group that the tests are installed with"),
        ("def f():\n    import bs4\n", "shop/page.py", "bs4", "listed only in the extra html"),
        ("import click\n", "shop/page.py", "click", "which pyproject.toml asks for: install it"),
        ("import reqeusts_x\n", "shop/page.py", "reqeusts_x", "never added here"),
        ("import sklearn\n", "shop/page.py", "sklearn", "if scikit-learn is what is meant, list it yourself"),
    ],
)
def test_what_no_check_can_show_is_said_and_not_done(code: str, path: str, module: str, said: str) -> None:
    files = {"pyproject.toml": MANIFEST, "shop/__init__.py": "", path: code}
    desk = Desk(
        files, {("pytest", "unit"): failing("tests/test_a.py", f"ModuleNotFoundError: No module named '{module}'")}
    )
    desk.run()
    assert desk.files == desk.base
    assert desk.subjects == []
    assert said in desk.summary


def test_an_unlisted_distribution_never_reaches_a_manifest_not_even_for_a_try() -> None:
    files = {"pyproject.toml": MANIFEST, "shop/page.py": "import sklearn\n"}
    desk = Desk(files, {("pytest", "unit"): failing("t/test_a.py", "ModuleNotFoundError: No module named 'sklearn'")})
    desk.run()
    assert desk.written == set()


def test_a_folder_becomes_a_package_where_its_siblings_are_and_something_imports_it() -> None:
    files = {"shop/__init__.py": "", "shop/a/__init__.py": "", "shop/b/x.py": "", "use.py": "from shop.b import x\n"}
    check = failing("tests/test_a.py::test_a", "AssertionError: assert {'shop.b.x'} <= set()", "", "shop/b/__init__.py")
    desk = Desk(files, {("pytest", "unit"): check})
    desk.run()
    assert desk.subjects == ["fix: make shop/b a package"]
    assert desk.files["shop/b/__init__.py"] == ""


@pytest.mark.parametrize("use", ["import shop\n", "from shop.bb import x\n"])
def test_a_folder_that_nothing_imports_stays_what_it_is(use: str) -> None:
    files = {"shop/__init__.py": "", "shop/a/__init__.py": "", "shop/b/x.py": "", "use.py": use}
    desk = Desk(files, {("pytest", "unit"): failing("tests/test_a.py::test_a", "AssertionError: shop.b.x")})
    desk.run()
    assert desk.written == set()


def test_a_package_that_did_not_help_is_taken_back() -> None:
    files = {"shop/__init__.py": "", "shop/a/__init__.py": "", "shop/b/x.py": "", "use.py": "from shop.b import x\n"}
    desk = Desk(files, {("pytest", "unit"): failing("tests/test_a.py::test_a", "AssertionError: shop.b.x")})
    desk.run()
    assert desk.files == desk.base
    assert desk.written == {"shop/b/__init__.py"}


def test_an_entry_point_names_the_module_that_is_meant() -> None:
    files = {"pyproject.toml": MANIFEST, "shop/__init__.py": "", "shop/main.py": "def main():\n    pass\n"}
    message = "ModuleNotFoundError: No module named 'shop.cli'"
    desk = Desk(
        files, {("pytest", "unit"): failing("tests/test_a.py::test_a", message, "shop.main:main", "pyproject.toml")}
    )
    desk.run()
    assert desk.subjects == ["fix: let the entry point shop name shop.main:main"]


def test_an_entry_point_that_no_check_asks_about_is_only_told() -> None:
    files = {"pyproject.toml": MANIFEST, "shop/__init__.py": "", "shop/main.py": "def main():\n    pass\n"}
    message = "ModuleNotFoundError: No module named 'shop.cli'"
    desk = Desk(files, {("pytest", "unit"): failing("tests/test_a.py::test_a", message)})
    desk.run()
    assert desk.files == desk.base
    assert (
        "pyproject.toml:12: the entry point shop names shop.cli, which is not there; `shop.main:main`" in desk.summary
    )


def hooks(files: Mapping[str, str]) -> list[str]:
    """Complain as the usual hooks do."""
    blank = [path for path, text in files.items() if any(line != line.rstrip() for line in text.split("\n"))]
    end = [path for path, text in files.items() if text.strip() and text != text.rstrip("\n") + "\n"]
    told: list[str] = []
    for hook, paths in (("trailing-whitespace", blank), ("end-of-file-fixer", end)):
        told += [f"- hook id: {hook}", "- exit code: 1", "", *(f"Fixing {path}" for path in paths)] if paths else []
    return told


def test_files_are_tidied_as_hooks_would_do_it() -> None:
    desk = Desk({"a.txt": "x ", "b.py": "y = 1\t\n\n\n", "c.md": "one  \ntwo\n"}, {("hooks", "integration"): hooks})
    desk.run()
    assert desk.subjects == ["style: tidy the ends of lines and files"]
    assert desk.files == {"a.txt": "x\n", "b.py": "y = 1\n", "c.md": "one\ntwo\n"}


def test_a_line_break_of_markdown_stays_where_the_hook_lets_it() -> None:
    def lenient(files: Mapping[str, str]) -> list[str]:
        return hooks({path: text for path, text in files.items() if path != "c.md"})

    desk = Desk({"a.txt": "x \n", "c.md": "one  \ntwo\n"}, {("hooks", "integration"): lenient})
    desk.run()
    assert desk.subjects == ["style: remove blanks at the ends of lines"]
    assert desk.files["c.md"] == "one  \ntwo\n"


def test_tests_and_settings_are_not_tidied() -> None:
    desk = Desk({"tests/test_a.py": "x = 1 \n", "pyproject.toml": "[a] \n"}, {("hooks", "integration"): hooks})
    desk.run()
    assert desk.written == set()
    assert "untidy, and not touched here" in desk.summary


def test_a_comment_that_is_too_long_is_wrapped_and_a_long_string_is_not() -> None:
    long = f"# {'word ' * 20}end"
    text = f"{long}\nX = '{'x' * 90}'\n"

    def ruff(files: Mapping[str, str]) -> list[str]:
        rows = [(n, line) for n, line in enumerate(files["a.py"].split("\n"), 1) if len(line) > 88]
        told = [f"at a.py:{n}: E501 Line too long ({len(row)} > 88)" for n, row in rows]
        return [
            f"a.py::E501::Line too long (? > 88){f'#{count}' * (count > 1)} {row}" for count, row in enumerate(told, 1)
        ]

    desk = Desk({"a.py": text}, {("ruff", "static"): ruff})
    desk.run()
    assert desk.subjects == ["style: wrap comments that are too long"]
    assert desk.files["a.py"].endswith(text.partition("\n")[2])
    assert "a string or code is not wrapped by rule" in desk.summary


CONFLICT = "def f():\n<<<<<<< HEAD\n    return 2\n=======\n    return 1\n>>>>>>> topic\n"


def test_conflict_markers_are_left_to_a_person_with_what_history_tells() -> None:
    def syntax(files: Mapping[str, str]) -> list[str]:
        return (
            ["a.py::SyntaxError::invalid syntax at a.py:2: SyntaxError: invalid syntax"]
            if "<<<" in files["a.py"]
            else []
        )

    commands = {
        "git log": f"exit code 0; no file changed\n{GIT} {GIT[::-1]} {'a' * 40}\n",
        "git merge-base": f"exit code 0; no file changed\n{'b' * 40}\n",
        "git show": "exit code 0; no file changed\ndef f():\n    return 2\n",
    }
    desk = Desk({"a.py": CONFLICT}, {("syntax", "syntax"): syntax}, commands)
    desk.run()
    assert desk.written == set()
    assert "a.py:2: conflict markers were left in the file: `HEAD` has what both sides started from" in desk.summary


def test_stubs_are_named_as_mypy_names_them() -> None:
    error = 'Library stubs not installed for "yaml"'
    note = 'a.py:1: note: Hint: "python3 -m pip install types-PyYAML"'
    commands = {"mypy": f"exit code 1\na.py:1: error: {error}  [import-untyped]\n{note}\n"}
    desk = Desk(
        {"a.py": "import yaml\n"},
        {("mypy", "types"): lambda _: [f"a.py::import-untyped::{error} at a.py:1: import-untyped {error}"]},
        commands,
    )
    desk.run()
    assert desk.written == set()
    assert "`types-PyYAML` brings the stubs of yaml" in desk.summary


def test_a_lost_name_of_our_own_and_one_of_other_people_are_told_apart() -> None:
    files = {"pyproject.toml": MANIFEST, "shop/__init__.py": "", "shop/a.py": "class Till:\n    pass\n"}
    own = (
        "tests/test_a.py at tests/test_a.py:1: ImportError: cannot import name 'Till' from 'shop' (/x/shop/__init__.py)"
    )
    other = (
        "tests/test_b.py at tests/test_b.py:1: ImportError: cannot import name 'Gone' from 'click' (/x/site-packages/c)"
    )
    desk = Desk(files, {("pytest", "unit"): lambda _: [own, other]})
    desk.run()
    assert desk.written == set()
    assert "`from shop.a import Till` in shop offers it again" in desk.summary
    assert "pyproject.toml asks for `click>=8`: a release of it may have taken that away" in desk.summary


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("error: The lockfile at `uv.lock` needs to be updated, but `--locked` was provided.", "uv.lock: is behind"),
        ("pyproject.toml changed significantly since poetry.lock was last generated.", "`poetry lock`"),
        ("FAIL Required test coverage of 90% not reached. Total coverage: 71%", "the threshold is never lowered"),
        ("No news fragments found: changelog entry missing", "entry in its changelog"),
    ],
)
def test_what_a_person_has_to_bring_up_to_date_is_named(output: str, said: str) -> None:
    desk = Desk({"a.py": "x = 1\n", "uv.lock": "", "poetry.lock": ""}, {("ci", "integration"): lambda _: [output]})
    desk.run()
    assert desk.written == set()
    assert said in desk.summary


def test_it_is_said_whether_the_test_or_the_code_is_newer() -> None:
    log = "git log -n 1 --invert-grep --grep=^Agent-Run:  --format=%ct %h %s --"
    commands = {
        f"{log} tests": "exit code 0\n1700000002 1234567 ask for more",
        f"{log} shop": "exit code 0\n1700000001 89abcde begin",
    }
    message = "tests/test_a.py::test_a at tests/test_a.py:1: AssertionError: assert 1 == 2"
    desk = Desk({"shop.py": "x = 1\n"}, {("pytest", "unit"): lambda _: [message]}, commands)
    desk.blamed = "SUSPECTS 1\nSUSPECT shop.py:1 score=1.0 x = 1"
    desk.run()
    assert "tests/test_a.py changed last, in 1234567 (ask for more): test_a may ask for something new" in desk.summary
