"""Closes a fresh child in for good, before it becomes the command.

Loaded by the supervisor, so the standard library is all that it may import.
"""

import ctypes
import os
import struct

RESTRICT_SELF = 446
"""Number of landlock_restrict_self, the same on all machines."""
LOCK, FILTER, FILTER_MODE = 38, 22, 2
"""Numbers of prctl: PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER."""
CAPABILITY_VERSION = 0x20080522
SETS = struct.Struct("=6I")
"""Effective, permitted, inheritable: the lower halves, then the upper ones."""
ORDINARY = sum(1 << number for number in (0, 1, 3, 4, 5, 6, 7, 8, 10, 13, 18, 29, 31))
"""What root needs to work on files, as other users and as servers: what containers leave to it, without devices."""
INSTRUCTION = 8
"""Bytes of one instruction of a filter."""


def seal(ruleset: int, program: bytes) -> None:
    """Give up all of root's capabilities, then live under a Landlock ruleset and a seccomp filter. Raises OSError."""
    drop()
    lock()
    _expect(ctypes.CDLL(None, use_errno=True).syscall(RESTRICT_SELF, ruleset, 0))
    install(program)


def drop(kept: int = 0) -> None:
    """Give up root's capabilities but some, for good where no program may bring new ones. Raises OSError."""
    library = ctypes.CDLL(None, use_errno=True)
    header, held = struct.pack("=Ii", CAPABILITY_VERSION, 0), ctypes.create_string_buffer(SETS.size)
    _expect(library.capget(header, held))
    permitted = SETS.unpack(held.raw)[1] & kept
    _expect(library.capset(header, SETS.pack(permitted, permitted, 0, 0, 0, 0)))


def lock() -> None:
    """Let no program bring new privileges. Raises OSError."""
    _expect(ctypes.CDLL(None, use_errno=True).prctl(LOCK, 1, 0, 0, 0))


def install(program: bytes) -> None:
    """Put this thread and all that it starts under a seccomp filter; it must be locked. Raises OSError."""
    library = ctypes.CDLL(None, use_errno=True)
    kept = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("@HP", len(program) // INSTRUCTION, ctypes.addressof(kept))
    _expect(library.prctl(FILTER, FILTER_MODE, ctypes.c_char_p(header), 0, 0))


def _expect(result: int) -> None:
    if result:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
