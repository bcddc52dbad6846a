"""The private way to the parent.

What it needs is taken before any code of the project runs, which may put something else in the place of anything.
"""

from __future__ import annotations

import fcntl
import os
from json.encoder import encode_basestring_ascii as quote
from os import getpid, write
from typing import Union

Value = Union[str, int, float, "list[str]"]


class Pipe:
    """The way to the parent; only this process may write to it, not its forked children."""

    __slots__ = ("begun", "fd", "owner", "sent", "waiting")

    def __init__(self, token: str) -> None:
        given = int(os.environ.pop("GIT_AGENT_REPORT_FD"))
        self.begun = '{"token":' + quote(token) + ',"number":'
        self.fd = fcntl.fcntl(given, fcntl.F_DUPFD_CLOEXEC, 200)
        os.close(given)
        self.owner = getpid()
        self.sent = 0
        self.waiting = ""

    def send(self, kind: str, **fields: Value) -> None:
        """Write one record, after those that wait."""
        self.keep(kind, **fields)
        self.flush()

    def keep(self, kind: str, **fields: Value) -> None:
        """Put a record behind those that wait for the next one that is sent: one write costs less than two."""
        self.sent += 1
        told = "".join([',"' + name + '":' + _shown(value) for name, value in fields.items()])
        self.waiting += self.begun + str(self.sent) + ',"kind":"' + kind + '"' + told + "}\n"

    def flush(self) -> None:
        """Write what waits."""
        if getpid() != self.owner:
            return
        data, self.waiting = self.waiting.encode("ascii"), ""
        while data:
            data = data[write(self.fd, data) :]


def _shown(value: Value) -> str:
    if isinstance(value, str):
        # A lone surrogate is no text to whoever reads it.
        return quote(value if str.isascii(value) else str.encode(value, "utf-8", "backslashreplace").decode("utf-8"))
    if isinstance(value, list):
        return "[" + ",".join([_shown(part) for part in value]) + "]"
    return repr(value)
