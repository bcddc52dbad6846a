"""Runs commands directly on this machine: bounded, watched and swept, but able to see and write what the user can."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from bot.protocols import Command
from bot.sandbox.footholds import Foothold
from bot.sandbox.inplace import InPlace
from bot.sandbox.scratch import Scratch


class ProcessExecutor(InPlace):
    """The weakest isolation level, which is to be had everywhere."""

    isolation = "process"
    folders = False

    @contextmanager
    def _seal(self, command: Command, scratch: Scratch, carried: Sequence[Foothold]) -> Iterator[None]:
        yield None
