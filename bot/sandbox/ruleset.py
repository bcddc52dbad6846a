"""Landlock: what of the file system, of TCP, of signals and of abstract sockets a process keeps."""

import ctypes
import errno
import functools
import os
import platform
import stat
import struct
from enum import IntFlag
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from bot.errors import SandboxUnavailable

CREATE, ADD = 444, 445
"""Numbers of landlock_create_ruleset and landlock_add_rule, the same on all machines."""
ASK_VERSION = 1
BENEATH = 1
"""LANDLOCK_RULE_PATH_BENEATH."""
TCP = 0b11
"""Binding and connecting."""
SCOPES = 0b11
"""Abstract sockets and signals."""
TCP_SINCE, SCOPES_SINCE, TRUNCATE_SINCE, REFER_SINCE = 4, 6, 3, 2
KNOWN = 7
"""Newest version of Landlock of which all is used."""


class Access(IntFlag):
    """What may be done below a folder or with a file."""

    EXECUTE = 1 << 0
    WRITE_FILE = 1 << 1
    READ_FILE = 1 << 2
    READ_DIR = 1 << 3
    REMOVE_DIR = 1 << 4
    REMOVE_FILE = 1 << 5
    MAKE_CHAR = 1 << 6
    MAKE_DIR = 1 << 7
    MAKE_REG = 1 << 8
    MAKE_SOCK = 1 << 9
    MAKE_FIFO = 1 << 10
    MAKE_BLOCK = 1 << 11
    MAKE_SYM = 1 << 12
    REFER = 1 << 13
    TRUNCATE = 1 << 14
    IOCTL_DEV = 1 << 15

    FILE = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
    """What can be said of a file that is no folder."""
    READ = EXECUTE | READ_FILE | READ_DIR
    LOOK = READ_FILE | READ_DIR
    # No devices: root would make the disk's, and write to it
    WRITE = READ | WRITE_FILE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | MAKE_SOCK | MAKE_FIFO | MAKE_SYM
    CHANGE = WRITE | REFER | TRUNCATE
    DEVICE = READ_FILE | WRITE_FILE | IOCTL_DEV
    PRINT = READ_FILE | WRITE_FILE | TRUNCATE
    # Names cannot be listed: what lies there belongs to all programs of this machine
    SHARE = READ_FILE | WRITE_FILE | MAKE_REG | REMOVE_FILE | TRUNCATE


HANDLED = {1: 1 << 13, REFER_SINCE: 1 << 14, TRUNCATE_SINCE: 1 << 15, 5: 1 << 16}
"""From which version on which accesses are known: all those below a number."""


class Opening(NamedTuple):
    """What stays open."""

    path: Path
    access: Access


class Ruleset:
    """A ruleset of this kernel, as a descriptor that a child can be put under."""

    def __init__(self, version: int, *, network: bool) -> None:
        """Make one that allows nothing, except TCP where the network is asked for. Raises SandboxUnavailable."""
        self._handled = max(bits for since, bits in HANDLED.items() if since <= version) - 1
        fields = [self._handled]
        if version >= TCP_SINCE:
            fields.append(0 if network else TCP)
        if version >= SCOPES_SINCE:
            fields.append(SCOPES)
        self.descriptor = _call(CREATE, struct.pack(f"={len(fields)}Q", *fields), 8 * len(fields), 0)

    def allow(self, opening: Opening) -> None:
        """Open something that exists; what does not, or may not be looked at, stays closed."""
        try:
            descriptor = os.open(opening.path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            return
        try:
            self.allow_open(descriptor, opening.access)
        finally:
            os.close(descriptor)

    def allow_open(self, descriptor: int, access: Access) -> None:
        """Open what a descriptor leads to. Raises SandboxUnavailable."""
        folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        kept = int(access) & self._handled & (-1 if folder else int(Access.FILE))
        _call(ADD, self.descriptor, BENEATH, struct.pack("=Qi", kept, descriptor), 0)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self.descriptor)


def find_version() -> int:
    """Return the version of the kernel's Landlock, as far as we know it. Raises SandboxUnavailable."""
    if platform.system() != "Linux":
        raise SandboxUnavailable("Landlock is a part of Linux", "use --isolation process, or run git agent on Linux")
    return min(_call(CREATE, None, 0, ASK_VERSION), KNOWN)


def shortcomings(version: int) -> tuple[str, ...]:
    """Say in what a kernel's version of Landlock falls short; TCP and cutting files off are closed by seccomp."""
    found = () if version >= REFER_SINCE else ("files cannot be moved between folders",)
    return found if version >= SCOPES_SINCE else (*found, "your other processes can be sent signals")


@functools.cache
def _system() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _call(number: int, *arguments: int | bytes | None) -> int:
    result = int(_system().syscall(number, *arguments))
    if result < 0:
        raise _unavailable(ctypes.get_errno())
    return result


def _unavailable(number: int) -> SandboxUnavailable:
    """Say what keeps Landlock from us, and what to do."""
    told = {
        errno.ENOSYS: ("this kernel has no Landlock", "it takes Linux 5.13 or newer, built with Landlock"),
        errno.EOPNOTSUPP: ("Landlock is switched off on this machine", "add landlock to the kernel's lsm= parameter"),
        errno.EPERM: ("Landlock is forbidden here", "allow its system calls in the container's seccomp profile"),
    }
    message, hint = told.get(number, (f"Landlock does not work here: {os.strerror(number)}", ""))
    return SandboxUnavailable(message, hint)
