from pathlib import Path

import pytest

from bot.sandbox.footholds import Foothold, Footholds


def test_what_was_made_is_removed(tmp_path: Path) -> None:
    wanted = [Foothold(tmp_path / "a/b", folder=True), Foothold(tmp_path / "a/c.so", folder=False)]
    with Footholds().hold(wanted):
        assert (tmp_path / "a/b").is_dir()
        assert (tmp_path / "a/c.so").is_file()
    assert list(tmp_path.iterdir()) == []


def test_what_was_there_stays(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    with Footholds().hold([Foothold(tmp_path / "a", folder=True)]):
        pass
    assert (tmp_path / "a").is_dir()


def test_the_last_to_leave_removes_it(tmp_path: Path) -> None:
    footholds, wanted = Footholds(), [Foothold(tmp_path / "a/b", folder=True)]
    with footholds.hold(wanted):
        with footholds.hold(wanted):
            assert footholds.ours(tmp_path / "a/b")
        assert (tmp_path / "a/b").is_dir()
    assert not footholds.ours(tmp_path / "a/b")
    assert list(tmp_path.iterdir()) == []


def test_what_somebody_filled_is_not_removed(tmp_path: Path) -> None:
    wanted = [Foothold(tmp_path / "a", folder=True), Foothold(tmp_path / "b", folder=False)]
    with Footholds().hold(wanted):
        (tmp_path / "a/file").touch()
        (tmp_path / "b").write_text("filled")
    assert (tmp_path / "a/file").exists()
    assert (tmp_path / "b").read_text() == "filled"


def test_a_failure_half_way_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    wanted = [Foothold(tmp_path / "a", folder=True), Foothold(tmp_path / "file/below", folder=True)]
    with pytest.raises(OSError, match="Not a directory"), Footholds().hold(wanted):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_folder_is_linked_to_and_an_empty_one_gives_way(tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    (tmp_path / "tree/empty").mkdir(parents=True)
    (tmp_path / "tree/full/own").mkdir(parents=True)
    places = ("new/place", "empty", "full")
    wanted = [Foothold(tmp_path / "tree" / place, folder=True, source=tmp_path / "source") for place in places]
    footholds = Footholds()
    with footholds.hold(wanted), footholds.hold(wanted):
        (tmp_path / "source/file").touch()
        found = [(tmp_path / "tree" / place / "file").exists() for place in places]
    assert found == [True, True, False]
    assert sorted(path.name for path in (tmp_path / "tree").rglob("*")) == ["empty", "full", "own"]
    assert not (tmp_path / "tree/empty").is_symlink()
    assert (tmp_path / "source/file").exists()
