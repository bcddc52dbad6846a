"""Whether the process on a card still runs, as far as can be seen from here."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from bot.git import owner


def card(**changed: str | int) -> owner.Owner:
    return owner.current().model_copy(update=changed)


def test_we_are_alive_and_our_card_says_so(tmp_path: Path) -> None:
    owner.write(tmp_path, owner.current(common_dir=tmp_path, branch="agent/x", base="b"))
    read = owner.read(tmp_path)
    assert read is not None
    assert (read.pid, read.alive, read.distant, read.branch) == (os.getpid(), True, False, "agent/x")
    assert [file.name for file in tmp_path.iterdir()] == [owner.NAME]


def test_a_process_that_ended_is_dead() -> None:
    told = subprocess.run(
        [sys.executable, "-c", "from bot.git import owner; print(owner.current().model_dump_json())"],
        capture_output=True,
        check=True,
    )
    gone = owner.Owner.model_validate_json(told.stdout)
    assert not gone.alive
    assert gone.model_copy(update={"host": "elsewhere pid:[1]"}).alive


@pytest.mark.parametrize(
    ("changed", "alive", "distant"),
    [
        ({"started": "1"}, False, False),
        ({"started": ""}, False, False),
        ({"boot": "another"}, False, False),
        ({"host": f"{socket.gethostname()} pid:[1]"}, True, False),
        ({"host": f"{socket.gethostname()} pid:[1]", "boot": "another"}, False, False),
        ({"host": "elsewhere pid:[1]"}, True, False),
        ({"host": "elsewhere pid:[1]", "boot": "another"}, True, True),
    ],
    ids=[
        "pid used again",
        "never started",
        "rebooted",
        "container of this machine",
        "container before a reboot",
        "container with a name of its own",
        "another machine",
    ],
)
def test_what_a_card_tells(changed: dict[str, str | int], alive: bool, distant: bool) -> None:  # noqa: FBT001
    told = card(**changed)
    assert (told.alive, told.distant) == (alive, distant)


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"pid": "x"}', "\x00"])
def test_a_card_that_makes_no_sense_is_none(tmp_path: Path, content: str) -> None:
    assert owner.read(tmp_path) is None
    (tmp_path / owner.NAME).write_text(content)
    assert owner.read(tmp_path) is None
