from pathlib import Path

import pytest

from bot.sandbox.carrying import find_carried, vacant


def test_names_and_patterns_are_found(tmp_path: Path) -> None:
    for name in (".venv/bin", "pkg", "node_modules"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "pkg/_a.so").touch()
    found = find_carried(tmp_path, (".venv", "venv", "pkg/*.so", "node_modules", ".venv/bin"))
    assert found == (Path(".venv"), Path("pkg/_a.so"), Path("node_modules"))


@pytest.mark.parametrize("pattern", ["/etc", "../x", "a/../../x", ".git", ".git/hooks", "", "."])
def test_nothing_outside_and_nothing_of_git_is_carried(tmp_path: Path, pattern: str) -> None:
    (tmp_path / ".git/hooks").mkdir(parents=True)
    assert find_carried(tmp_path, (pattern,)) == ()


def test_a_place_is_vacant_when_nothing_stands_there(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "full").mkdir()
    (tmp_path / "full/x").touch()
    (tmp_path / "link").symlink_to("empty")
    places = {
        name: vacant(tmp_path, Path(name)) for name in ("new", "empty", "full", "link", "link/x", "full/x", "full/y")
    }
    assert places == {
        "new": True,
        "empty": True,
        "full": False,
        "link": False,
        "link/x": False,
        "full/x": False,
        "full/y": True,
    }
