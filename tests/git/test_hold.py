"""Who holds a run: the living, wherever they are, and nobody else."""

import fcntl
import os
import socket
import threading
import time
from pathlib import Path

import pytest

from bot.core.held import HELD
from bot.errors import UsageError, WorkspaceError
from bot.git import owner
from bot.git.hold import is_held, take


def card(**changed: str | int) -> owner.Owner:
    return owner.current().model_copy(update=changed)


def left(folder: Path, who: owner.Owner) -> None:
    """Leave what a process that is gone leaves: its card, and a file that nobody has locked."""
    folder.mkdir()
    (folder / HELD).touch()
    owner.write(folder, who)


def test_what_is_held_is_held_until_it_is_let_go(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    assert not is_held(folder)
    held = take(folder, card(), "run x")
    assert is_held(folder)
    with pytest.raises(UsageError, match="run x is still going") as caught:
        take(folder, card(), "run x")
    assert str(os.getpid()) in caught.value.hint
    os.close(held)
    assert not is_held(folder)
    os.close(take(folder, card(), "run x"))


def test_a_look_at_the_same_time_keeps_nobody_from_taking(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    left(folder, card())
    looking = os.open(folder / HELD, os.O_RDONLY)
    fcntl.flock(looking, fcntl.LOCK_SH)
    threading.Timer(0.05, os.close, (looking,)).start()
    os.close(take(folder, card(), "run x"))


def test_who_waits_while_the_holder_takes_the_folder_away_gets_a_new_one(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    held = take(folder, card(), "run x")

    def leave() -> None:
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()
        os.close(held)

    threading.Timer(0.05, leave).start()
    again = take(folder, card(), "run x")
    assert os.path.samestat(os.fstat(again), (folder / HELD).stat())
    assert owner.read(folder) is not None
    os.close(again)


@pytest.mark.parametrize(
    "changed",
    [{"started": "1"}, {"pid": 1}, {"boot": "another"}, {"host": f"{socket.gethostname()} pid:[1]", "boot": "another"}],
    ids=["pid used again", "pid of another", "rebooted", "container before a reboot"],
)
def test_a_card_of_a_process_that_is_gone_holds_nothing(tmp_path: Path, changed: dict[str, str | int]) -> None:
    folder = tmp_path / "run"
    left(folder, card(**changed))
    assert not is_held(folder)
    os.close(take(folder, card(), "run x"))
    assert owner.read(folder) == card()


def test_a_container_on_this_machine_is_known_by_its_lock(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    left(folder, card(host="0badcafe pid:[4026539999]"))
    assert not is_held(folder)
    held = os.open(folder / HELD, os.O_RDWR)
    fcntl.flock(held, fcntl.LOCK_EX)
    assert is_held(folder)
    os.close(held)


def test_another_machine_is_believed_and_what_to_do_is_said(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    left(folder, card(host="elsewhere pid:[4026531836]", boot="another"))
    assert is_held(folder)
    with pytest.raises(UsageError) as caught:
        take(folder, card(), "run x")
    assert "elsewhere" in caught.value.hint
    assert f"rm '{folder / owner.NAME}'" in caught.value.hint
    (folder / owner.NAME).unlink()
    os.close(take(folder, card(), "run x"))


def test_a_folder_without_a_lock_is_judged_by_its_card(tmp_path: Path) -> None:
    for name, who, alive in (("a", card(), True), ("b", card(started="1"), False)):
        left(tmp_path / name, who)
        (tmp_path / name / HELD).unlink()
        assert is_held(tmp_path / name) is alive
    (tmp_path / "c").mkdir()
    assert not is_held(tmp_path / "c")


def test_a_link_in_the_place_of_the_lock_is_not_followed(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (tmp_path / "mine").write_text("keep")
    (folder / HELD).symlink_to(tmp_path / "mine")
    with pytest.raises(WorkspaceError, match="record"):
        take(folder, card(), "run x")
    assert (tmp_path / "mine").read_text() == "keep"


def test_giving_up_takes_no_time_that_a_person_notices(tmp_path: Path) -> None:
    held = take(tmp_path / "run", card(), "run x")
    begun = time.monotonic()
    with pytest.raises(UsageError):
        take(tmp_path / "run", card(), "run x")
    assert time.monotonic() - begun < 2
    os.close(held)
