import sys
from pathlib import Path

from bot.sandbox.mounts import interpreter_folders
from bot.sandbox.prefixes import prefixes


def install(folder: Path) -> Path:
    """Make what looks like an installation."""
    (folder / "bin").mkdir(parents=True)
    (folder / "bin/python").touch()
    return folder / "bin/python"


def test_links_are_followed_one_by_one(tmp_path: Path) -> None:
    real = install(tmp_path / "real")
    (tmp_path / "middle/bin").mkdir(parents=True)
    (tmp_path / "middle/bin/python3").symlink_to(real)
    (tmp_path / "venv/bin").mkdir(parents=True)
    (tmp_path / "venv/bin/python").symlink_to("../../middle/bin/python3")
    found = {path.resolve() for path in prefixes(tmp_path / "venv/bin/python")}
    assert found == {tmp_path / "venv", tmp_path / "middle", tmp_path / "real"}


def test_the_home_of_an_environment_of_copies_is_found(tmp_path: Path) -> None:
    install(tmp_path / "base")
    python = install(tmp_path / "venv")
    (tmp_path / "venv/pyvenv.cfg").write_text(f"home = {tmp_path}/base/bin\nversion = 3\n")
    assert set(prefixes(python)) == {tmp_path / "venv", tmp_path / "base"}


def test_both_names_of_a_linked_folder_are_found(tmp_path: Path) -> None:
    install(tmp_path / "cpython-3.11.7")
    (tmp_path / "cpython-3.11").symlink_to("cpython-3.11.7")
    assert set(prefixes(tmp_path / "cpython-3.11/bin/python")) == {
        tmp_path / "cpython-3.11",
        tmp_path / "cpython-3.11.7",
    }


def test_links_in_a_circle_end(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/a").symlink_to("b")
    (tmp_path / "bin/b").symlink_to("a")
    assert prefixes(tmp_path / "bin/a") == (tmp_path,)


def test_this_interpreter_is_found() -> None:
    assert {Path(sys.prefix).resolve(), Path(sys.base_prefix).resolve()} <= {
        p.resolve() for p in prefixes(Path(sys.executable))
    }


def test_a_home_is_never_shown_whole_for_an_interpreter(tmp_path: Path) -> None:
    python = install(tmp_path)
    (tmp_path / "secrets").mkdir()
    assert interpreter_folders([python], tmp_path / "project") == (tmp_path / "bin",)
