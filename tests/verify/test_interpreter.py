"""Which Python a project's checks run with."""

import sys
import venv
from collections.abc import Mapping
from pathlib import Path

import pytest

from bot.errors import ConfigError
from bot.verify.interpreter import OWN, find
from tests.verify.conftest import bare, write


def environment(prefix: Path, libraries: Mapping[str, str] = {}, cfg: str = "") -> Path:
    """Make what looks like an environment, with a program that must not be run."""
    write(prefix, {"bin/python": '#!/bin/sh\necho run >&2; touch "$0.run"; exit 1\n', "pyvenv.cfg": cfg})
    (prefix / "bin/python").chmod(0o755)
    for name, version in libraries.items():
        write(
            prefix / "lib/python3.11/site-packages",
            {f"{name}/__init__.py": "", f"{name}-{version}.dist-info/METADATA": ""},
        )
    return prefix / "bin/python"


def test_named_interpreter_comes_first(tmp_path: Path) -> None:
    environment(tmp_path / ".venv")
    found = find(tmp_path, str(bare().path), {"VIRTUAL_ENV": str(tmp_path / ".venv")})
    assert (found.path, found.origin) == (bare().path, "--python")


def test_named_environment_and_name_on_the_path_are_understood(tmp_path: Path) -> None:
    prefix = bare().path.parent.parent
    assert find(tmp_path, str(prefix), {}).path == prefix / "bin/python"
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/snake").symlink_to(sys.executable)
    assert find(tmp_path, "snake", {"PATH": str(tmp_path / "bin")}).path == tmp_path / "bin/snake"


@pytest.mark.parametrize(
    "wanted", ["nowhere/python", "/bin/false", "a\0b", "~nobody-at-all/python", "x" * 5000, "/etc"]
)
def test_bad_python_is_one_line(tmp_path: Path, wanted: str) -> None:
    with pytest.raises(ConfigError) as caught:
        find(tmp_path, wanted, {"PATH": "/usr/bin"})
    assert caught.value.message.startswith("--python")
    assert "\n" not in caught.value.message


def test_active_environment_comes_before_the_projects_folders(tmp_path: Path) -> None:
    environment(tmp_path / ".venv")
    active = environment(tmp_path / "active")
    assert find(tmp_path, "", {"VIRTUAL_ENV": str(tmp_path / "active")}).path == active
    assert find(tmp_path, "", {"CONDA_PREFIX": str(tmp_path / "active")}).origin == "active environment"


def test_environment_that_is_committed_is_left_alone(tmp_path: Path) -> None:
    environment(tmp_path / ".venv")
    other = environment(tmp_path / "venv")
    assert find(tmp_path, "", {}, (".venv",)).path == other
    assert find(tmp_path, "", {}, (".venv", "venv")).origin == OWN


def test_git_agents_own_environment_is_not_taken_for_the_projects(tmp_path: Path) -> None:
    hidden = environment(tmp_path / ".venv")
    assert find(tmp_path, "", {"VIRTUAL_ENV": sys.prefix}).path == hidden


def test_environment_that_a_hook_framework_hides_behind_ours_is_found_on_the_path(tmp_path: Path) -> None:
    hidden = environment(tmp_path / "active")
    path = f"{sys.prefix}/bin::bin:/usr/bin:{tmp_path}/nowhere/bin:{hidden.parent}"
    found = find(tmp_path, "", {"VIRTUAL_ENV": sys.prefix, "PATH": path})
    assert (found.path, found.origin) == (hidden, "active environment")
    assert find(tmp_path, "", {"PATH": path}).origin == OWN
    assert find(tmp_path, "", {"VIRTUAL_ENV": sys.prefix, "PATH": path}, ("active",)).origin == OWN
    folder = environment(tmp_path / ".venv")
    assert find(tmp_path, "", {"VIRTUAL_ENV": sys.prefix, "PATH": path}).path == folder


def test_folders_of_the_project_are_tried_in_order(tmp_path: Path) -> None:
    environment(tmp_path / "venv")
    assert find(tmp_path, "", {}).origin == "venv"
    environment(tmp_path / ".venv")
    assert find(tmp_path, "", {}).origin == ".venv"


def test_last_resort_says_that_the_project_has_none(tmp_path: Path) -> None:
    found = find(tmp_path, "", {"VIRTUAL_ENV": str(tmp_path / "gone")})
    assert (str(found.path), found.origin) == (sys.executable, OWN)
    assert {"pytest", "mypy", "ruff"} <= found.modules


def test_environment_of_the_repository_is_looked_at_and_not_run(tmp_path: Path) -> None:
    python = environment(tmp_path / ".venv", {"pytest": "8.1.0", "mypy": "1.10.0", "coverage": "7.0"})
    write(tmp_path / ".venv", {"bin/ruff": ""})
    found = find(tmp_path, "", {})
    assert found.path == python
    assert found.modules == {"pytest", "coverage", "ruff"}
    assert sorted(path.name for path in python.parent.iterdir()) == ["python", "ruff"]


def test_libraries_of_the_system_count_where_the_environment_sees_them(tmp_path: Path) -> None:
    environment(tmp_path / "system", {"pytest": "7.4.0"})
    cfg = f"home = {tmp_path}/system/bin\ninclude-system-site-packages = true\n"
    environment(tmp_path / ".venv", cfg=cfg)
    assert find(tmp_path, "", {}).modules == {"pytest"}
    environment(tmp_path / ".venv", cfg=cfg.replace("true", "false"))
    assert find(tmp_path, "", {}).modules == frozenset()


def test_modules_of_a_named_interpreter_are_its_own(tmp_path: Path) -> None:
    venv.create(tmp_path / "other", symlinks=True)
    library = next((tmp_path / "other/lib").glob("python3*/site-packages"))
    write(library, {"pytest/__init__.py": "raise RuntimeError('imported')\n"})
    assert find(tmp_path, str(tmp_path / "other/bin/python"), {}).modules == {"pytest"}
