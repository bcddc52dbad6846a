"""Projects inside of a project."""

from pathlib import Path

import pytest

from bot.core.check import Check, Rung
from bot.verify.detection.detect import detect
from bot.verify.detection.packages import find_packages, touched
from bot.verify.detection.project import read
from tests.verify.conftest import TESTS, Files, bare, write

A: Files = {
    "packages/a/pyproject.toml": "[project]\nname = 'acme-a'\n",
    "packages/a/src/acme_a/__init__.py": "",
    "packages/a/tests/test_a.py": TESTS,
}
B: Files = {
    "packages/b/pyproject.toml": "[project]\nname = 'acme-b'\ndependencies = ['acme_a>=1']\n[tool.pytest]\n",
    "packages/b/acme_b.py": "",
    "packages/b/tests/test_b.py": TESTS,
}
C: Files = {"services/c/setup.py": "", "services/c/app.py": "import acme_b.thing\n", "services/c/test_c.py": TESTS}
D: Files = {"tools/d/setup.py": "", "tools/d/other.py": "import os\n", "tools/d/test_d.py": TESTS}
ALL: Files = {**A, **B, **C, **D}


def folders(root: Path, files: Files) -> tuple[str, ...]:
    return find_packages(read(write(root, files)))


TWINS: Files = {
    f"libs/{name}/{path}": text
    for name in ("a", "b")
    for path, text in (("setup.py", ""), ("conftest.py", ""), ("tests/test_core.py", TESTS))
}


def names(root: Path, files: Files) -> list[str]:
    return [check.name for check in detect(write(root, files), bare())]


@pytest.mark.parametrize(
    ("files", "wanted"),
    [
        (ALL, ("packages/a", "packages/b", "services/c", "tools/d")),
        ({"backend/pyproject.toml": "[tool.pytest]\n", "backend/app.py": ""}, ("backend",)),
        ({"recipes/pytest.toml": "name = 'pytest'\n", "recipes/tox.toml": ""}, ()),
        ({"backend/pyproject.toml": "[project]\nname = 'x'\n"}, ()),
        ({"a/b/c/setup.py": "", "a/b/c/test_x.py": ""}, ()),
        ({"docs/pyproject.toml": "[tool.ruff]\n", "examples/x/setup.py": "", "examples/x/test_x.py": ""}, ()),
        ({"vendor/x/go.mod": "", "tests/data/setup.py": "", "tests/data/test_x.py": ""}, ()),
        ({**ALL, "pyproject.toml": "[tool.uv.workspace]\nmembers = ['packages/*']\nexclude = ['packages/b']\n"},
         ("packages/a",)),
        ({"package.json": '{"workspaces": ["apps/**", "!apps/old"]}',
          "apps/web/package.json": '{"scripts": {"test": "x"}}', "apps/old/package.json": '{"scripts": {"test": "x"}}'},
         ("apps/web",)),
        ({"pnpm-workspace.yaml": "packages:\n  - 'deep/er/*'\n",
          "deep/er/x/package.json": '{"scripts": {"test": "x"}}'},
         ("deep/er/x",)),
        ({"go.work": "go 1.22\nuse (\n\t./one\n\t./two\n)\n", "one/go.mod": "", "two/go.mod": "", "three/go.mod": ""},
         ("one", "two")),
        ({"pyproject.toml": "[tool.uv.workspace]\nmembers = ['../x', '/etc', 'gone/*', '']\n"}, ()),
    ],
)  # fmt: skip
def test_packages_are_found_where_workspaces_say_or_near_the_root(
    tmp_path: Path, files: Files, wanted: tuple[str, ...]
) -> None:
    assert folders(tmp_path, files) == wanted


def test_links_are_not_followed_to_packages(tmp_path: Path) -> None:
    write(tmp_path / "elsewhere", A)
    root = write(tmp_path / "root", {"README": ""})
    (root / "linked").symlink_to(tmp_path / "elsewhere/packages/a")
    assert find_packages(read(root)) == ()


def test_each_package_has_its_own_checks_in_its_own_folder(tmp_path: Path) -> None:
    found = {check.name: check for check in detect(write(tmp_path, {**A, **B}), bare())}
    assert list(found) == ["syntax", "packages/a/pytest", "packages/b/pytest"]
    assert found["packages/a/pytest"].folder == "packages/a"
    assert found["packages/a/pytest"].reason.startswith("tests/test_a.py holds tests, below packages/a")


def test_root_that_is_configured_to_collect_them_covers_the_packages(tmp_path: Path) -> None:
    assert names(tmp_path, {**A, **B, "pytest.ini": "[pytest]\n"}) == ["syntax", "pytest"]
    some = "[pytest]\ntestpaths = packages/a/tests\n"
    assert names(tmp_path, {"pytest.ini": some}) == ["syntax", "pytest", "packages/b/pytest"]
    globbed = "[pytest]\ntestpaths = packages/*/tests\n"
    assert names(tmp_path, {"pytest.ini": globbed}) == ["syntax", "pytest"]


def test_root_with_tests_of_its_own_leaves_the_packages_out(tmp_path: Path) -> None:
    found = {check.name: check for check in detect(write(tmp_path, {**A, "test_root.py": TESTS}), bare())}
    assert found["pytest"].argv[3:] == ("--ignore=packages/a",)
    assert found["packages/a/pytest"].folder == "packages/a"


def test_linter_of_the_root_is_not_run_again_in_each_package(tmp_path: Path) -> None:
    inner: Files = {"packages/a/ruff.toml": "line-length = 99\n"}
    assert names(tmp_path, {**A, **inner, "ruff.toml": ""}) == ["syntax", "ruff", "packages/a/pytest"]
    (tmp_path / "ruff.toml").unlink()
    assert names(tmp_path, {}) == ["syntax", "packages/a/ruff", "packages/a/pytest"]


CHECKS = tuple(
    Check(name=f"{folder}/pytest".lstrip("/"), rung=Rung.UNIT, folder=folder)
    for folder in ("", "packages/a", "packages/b", "services/c", "tools/d")
)


@pytest.mark.parametrize(
    ("paths", "wanted"),
    [
        (["tools/d/other.py"], ["", "tools/d"]),
        (["services/c/app.py"], ["", "services/c"]),
        (["packages/b/acme_b.py"], ["", "packages/b", "services/c"]),
        (["packages/a/src/acme_a/__init__.py"], ["", "packages/a", "packages/b", "services/c"]),
        (["README.md"], ["", "packages/a", "packages/b", "services/c", "tools/d"]),
        (["packages/shared.py"], ["", "packages/a", "packages/b", "services/c", "tools/d"]),
        (["packages/a/gone.py", "tools/d/gone.py"], ["", "packages/a", "packages/b", "services/c", "tools/d"]),
        ([], ["", "packages/a", "packages/b", "services/c", "tools/d"]),
    ],
)  # fmt: skip
def test_change_concerns_its_package_and_all_that_depend_on_it(
    tmp_path: Path, paths: list[str], wanted: list[str]
) -> None:
    assert [check.folder for check in touched(CHECKS, paths, write(tmp_path, ALL))] == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("DATA = Path(__file__).parent.parent / 'd' / 'data.txt'\n", True),
        ("run(['../d/other.py'])\n", True),
        ("found = Path(__file__).parents[2].glob('*/*/data.txt')\n", True),
        ("found = Path('.').glob('*.txt')\n", False),
        ("DATA = 'dd/data.txt'\n", False),
    ],
)
def test_package_that_may_read_what_lies_in_another_is_concerned(tmp_path: Path, text: str, *, wanted: bool) -> None:
    root = write(tmp_path, {**ALL, "services/c/app.py": text})
    found = [check.folder for check in touched(CHECKS, ["tools/d/data.txt"], root)]
    assert ("services/c" in found) is wanted


def test_checks_without_packages_are_all_concerned(tmp_path: Path) -> None:
    assert touched(CHECKS[:1], ["a.py"], tmp_path) == CHECKS[:1]


def test_command_that_is_started_in_a_package_is_the_packages_own(tmp_path: Path) -> None:
    steps = (
        "- run: pytest -k one\n  working-directory: libs/a\n- run: cd libs/b && pytest tests\n- run: ruff check libs\n"
    )
    found = detect(write(tmp_path, {**TWINS, ".github/workflows/ci.yml": f"steps:\n{steps}"}), bare())
    assert {check.name: (check.folder, check.argv[3:]) for check in found if check.reader == "pytest"} == {
        "libs/a/pytest": ("libs/a", ("-k", "one")),
        "libs/b/pytest": ("libs/b", ("tests",)),
    }
    assert [check.folder for check in found if check.name == "ruff"] == [""]


def test_workspace_of_one_language_says_nothing_of_another(tmp_path: Path) -> None:
    files: Files = {
        "package.json": '{"workspaces": ["apps/*"]}',
        "apps/web/package.json": '{"scripts": {"test": "node --test"}}',
        "backend/pytest.ini": "[pytest]\n",
        "backend/tests/test_a.py": TESTS,
        "other/package.json": '{"scripts": {"test": "node --test"}}',
    }
    assert folders(tmp_path, files) == ("apps/web", "backend")
    assert "backend/pytest" in names(tmp_path, files)


@pytest.mark.parametrize("text", ["packages:\n  - 'apps/*'\n", 'packages: ["apps/*"]\n', "packages: [\n"])
def test_pnpm_names_its_members_in_any_spelling(tmp_path: Path, text: str) -> None:
    files: Files = {"pnpm-workspace.yaml": text, "apps/web/package.json": '{"scripts": {"test": "x"}}'}
    assert folders(tmp_path, files) == ("apps/web",)
