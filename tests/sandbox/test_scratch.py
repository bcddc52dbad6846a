from pathlib import Path

import pytest

from bot.sandbox.scratch import clear, private_folders
from tests.digging import dig, shallow


def test_folders_are_private_and_gone_afterwards() -> None:
    with private_folders() as scratch:
        assert [folder.stat().st_mode & 0o777 for folder in scratch] == [0o700] * 3
    assert not scratch.root.exists()


def test_closed_folders_go_too() -> None:
    with private_folders() as scratch:
        (scratch.temporary / "a/b/c").mkdir(parents=True)
        (scratch.temporary / "a/b").chmod(0)
        (scratch.temporary / "a").chmod(0)
    assert not scratch.root.exists()


def test_folders_that_no_path_leads_to_go_too() -> None:
    with shallow(150), private_folders() as scratch:
        dig(scratch.temporary, 250)
    assert not scratch.root.exists()


def test_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "kept").touch()
    tmp_path.chmod(0o500)
    with private_folders() as scratch:
        (scratch.home / "link").symlink_to(tmp_path)
        scratch.temporary.rmdir()
        scratch.temporary.symlink_to(tmp_path)
    assert (tmp_path / "kept").exists()
    assert tmp_path.stat().st_mode & 0o777 == 0o500
    tmp_path.chmod(0o700)


def test_the_end_of_the_process_takes_away_what_a_thread_still_uses() -> None:
    with private_folders() as scratch:
        (scratch.home / "left").touch()
        clear()
        assert not scratch.root.exists()


def test_an_error_inside_does_not_keep_them() -> None:
    with pytest.raises(KeyError), private_folders() as scratch:
        raise KeyError
    assert not scratch.root.exists()
