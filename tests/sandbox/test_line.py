"""What a supervisor said before it died counts, whenever it died."""

import os
import socket
from collections.abc import Iterator

import pytest

from bot.sandbox.line import Line
from bot.sandbox.supervisor import Order

ORDER = Order(("true",), "/", {}, 1.0, (), (), locked=True, filter="")


@pytest.fixture
def line() -> Iterator[tuple[Line, socket.socket]]:
    """A connection whose other end is the test's."""
    made, (ours, theirs) = Line(), socket.socketpair()
    os.dup2(ours.fileno(), made.descriptor)
    ours.close()
    with theirs:
        yield made, theirs
    made.hang_up()


def test_a_command_that_began_is_known_though_its_supervisor_is_gone(line: tuple[Line, socket.socket]) -> None:
    made, theirs = line
    theirs.sendall(b"4711\n")
    theirs.close()
    made.send(ORDER, [0])
    assert made.leader == 4711


def test_a_command_that_did_not_begin_is_known_too(line: tuple[Line, socket.socket]) -> None:
    made, theirs = line
    theirs.close()
    with pytest.raises(EOFError):
        made.send(ORDER, [0])
    assert made.leader == 0
