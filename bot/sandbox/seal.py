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
INSTRUCTION = 8
"""Bytes of one instruction of a filter."""


def seal(ruleset: int, program: bytes) -> None:
    """Give up all of root's capabilities, then live under a Landlock ruleset and a seccomp filter. Raises OSError."""
    library = ctypes.CDLL(None, use_errno=True)
    nothing = ctypes.create_string_buffer(24)
    # Without new privileges no program gives them back, not even to root
    _expect(library.capset(struct.pack("=Ii", CAPABILITY_VERSION, 0), nothing))
    lock()
    _expect(library.syscall(RESTRICT_SELF, ruleset, 0))
    install(program)


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
