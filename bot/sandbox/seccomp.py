"""Which system calls a command goes without, as a program for seccomp.

An honest program goes on without most of them: it is told that the kernel has no such call, or that it may not.
"""

import errno
import functools
import platform
import struct
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from bot.errors import SandboxUnavailable


class Machine(NamedTuple):
    """A kind of processor."""

    arch: int
    """As the kernel tells it to a filter."""
    column: int
    """Where its numbers stand in the tables."""
    foreign: int
    """Calls from this number on are of another kind than programs of this machine make; 0 where there are none."""


MACHINES = {"x86_64": Machine(0xC000003E, 0, 1 << 30), "aarch64": Machine(0xC00000B7, 1, 0)}

NONE = -1
"""In place of a number: the machine has no such call."""

FORBIDDEN = {
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    "move_pages": (279, 239),
    "migrate_pages": (256, 238),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "fanotify_init": (300, 262),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "move_mount": (429, 429),
    "open_tree": (428, 428),
    "open_tree_attr": (467, 467),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "setns": (308, 268),
    "open_by_handle_at": (304, 265),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "create_module": (174, NONE),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "iopl": (172, NONE),
    "ioperm": (173, NONE),
    "syslog": (103, 116),
    "vhangup": (153, 58),
    "lookup_dcookie": (212, 18),
    "uselib": (134, NONE),
}
"""Reach into other processes, into the kernel or into the machine; answered with EPERM."""

ABSENT = {
    # Programs that know these calls fall back to older ones
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    # Its flags lie in memory, where no filter can look
    "clone3": (435, 435),
    # Memory and queues that all processes of a user share, by numbers
    "shmget": (29, 194),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "semget": (64, 190),
    "semop": (65, 193),
    "semtimedop": (220, 192),
    "semctl": (66, 191),
    "msgget": (68, 186),
    "msgsnd": (69, 189),
    "msgrcv": (70, 188),
    "msgctl": (71, 187),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
}
"""Answered with ENOSYS, as by a kernel that was built without."""

WITHIN = frozenset(
    {
        "ptrace",
        "process_vm_readv",
        "process_vm_writev",
        "process_madvise",
        "process_mrelease",
        "pidfd_getfd",
        "kcmp",
        "move_pages",
        "migrate_pages",
        "mount",
        "umount2",
        "pivot_root",
        "chroot",
        "move_mount",
        "open_tree",
        "open_tree_attr",
        "fsopen",
        "fsconfig",
        "fsmount",
        "fspick",
        "mount_setattr",
        "setns",
        "sethostname",
        "setdomainname",
    }
)
"""Of these, what reaches no further than the namespaces around a command, where there are such."""

UNSUPPORTED = {
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "setxattrat": (463, 463),
    "removexattrat": (466, 466),
    "file_setattr": (469, 469),
}
"""Attributes of files, which Landlock leaves open everywhere; answered with EOPNOTSUPP, as by a disk without them."""

SOCKET, SOCKETPAIR, CLONE, UNSHARE = (41, 198), (53, 199), (56, 220), (272, 97)
TRUNCATE = (76, 45)
PRLIMIT, SETPRIORITY, IOPRIO_SET, IOCTL = (302, 261), (141, 140), (251, 30), (16, 29)
SET_SCHEDULER, SET_PARAMETERS, SET_ATTRIBUTES, SET_AFFINITY = (144, 119), (142, 118), (314, 274), (203, 122)
USER, USER_OF_DISK = 2, 3
"""In place of one process: all processes of a user, as setpriority and as ioprio_set name them."""
MARKS = (0x4008_6602, 0x4004_6602, 0x401C_5820, 0x4008_7602, 0x4008_6604, 0x4080_6685, 0x800C_6613, 0xC050_6617)
"""What marks a file that is open only to be read: flags such as that of no access times, version, verity, encryption;
and further keys for the disk."""

LOCAL, INTERNET, INTERNET_6, NETLINK = 1, 2, 10, 16
"""Families of sockets; the last tells a name resolver which addresses the machine has."""
STREAM, SEQPACKET = 1, 5
KIND = 0xF
"""The part of a socket's type that is no flag."""
NAMESPACES = 0x7E02_0000
NAMESPACES_AND_TIME = NAMESPACES | 0x80

ALLOW, KILL, FAIL = 0x7FFF_0000, 0x8000_0000, 0x0005_0000
LOAD, EQUAL, AT_LEAST, ANY_BIT, AND, RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
NUMBER, ARCH, ARGUMENTS = 0, 4, 16
"""Where in what a filter is shown: the call's number, the kind of machine, the arguments of 8 bytes each."""


class Step(NamedTuple):
    """An instruction; a comparison goes on after skipping so many others."""

    code: int
    value: int
    then: int = 0
    other: int = 0


Rule: TypeAlias = tuple[tuple[int, int], Sequence[Step]]
"""A call's number on either kind of machine, and what is done about it."""


@functools.cache
def make_filter(*, network: bool, truncate: bool = True, machine: str = "") -> bytes:
    """Write the filter for a kind of machine, by default this one. Raises SandboxUnavailable.

    `truncate` is whether Landlock sees to the call by which a path is cut off.
    """
    absent = ABSENT if truncate else {**ABSENT, "truncate": TRUNCATE}
    rules = [
        *_refuse_all(FORBIDDEN, errno.EPERM),
        *_refuse_all(UNSUPPORTED, errno.EOPNOTSUPP),
        *_refuse_all(absent, errno.ENOSYS),
        # A socket in the file system leads to whatever listens there, such as the one that starts containers
        (SOCKET, _only(0, (INTERNET, INTERNET_6, NETLINK) if network else (), errno.EACCES)),
        # Of a pair, a socket for datagrams can be connected to another one later
        (SOCKETPAIR, _only(1, (STREAM, SEQPACKET), errno.EACCES, KIND)),
        (CLONE, _without(0, NAMESPACES)),
        (UNSHARE, _without(0, NAMESPACES_AND_TIME)),
        # Of itself, but of no other process
        (PRLIMIT, _only(0, (0,), errno.EPERM)),
        *((call, _only(0, (0,), errno.EPERM)) for call in (SET_SCHEDULER, SET_PARAMETERS, SET_ATTRIBUTES)),
        # Threads are named by number as well; where they run is only a hint, so that they are told that it is done
        (SET_AFFINITY, _only(0, (0,), 0)),
        (SETPRIORITY, (*_none(0, (USER,), errno.EPERM), *_only(1, (0,), errno.EPERM))),
        (IOPRIO_SET, (*_none(0, (USER_OF_DISK,), errno.EPERM), *_only(1, (0,), errno.EPERM))),
        (IOCTL, (*_none(1, MARKS, errno.ENOTTY), Step(RETURN, ALLOW))),
    ]
    return _assemble(rules, machine)


@functools.cache
def make_thin_filter(machine: str = "") -> bytes:
    """Write the filter for what has namespaces around it, against what these leave open. Raises SandboxUnavailable.

    The person's keys are not kept by them, nor the sockets that lead from a virtual machine to its host.
    """
    beyond = {name: numbers for name, numbers in FORBIDDEN.items() if name not in WITHIN}
    absent = {name: numbers for name, numbers in ABSENT.items() if name.startswith("io_uring")}
    rules = [
        *_refuse_all(beyond, errno.EPERM),
        *_refuse_all(absent, errno.ENOSYS),
        (SOCKET, _only(0, (LOCAL, INTERNET, INTERNET_6, NETLINK), errno.EAFNOSUPPORT)),
    ]
    return _assemble(rules, machine)


def _assemble(rules: Sequence[Rule], machine: str) -> bytes:
    kind = MACHINES.get(machine or platform.machine())
    if kind is None:
        raise SandboxUnavailable(f"there is no seccomp filter for this kind of machine ({platform.machine()})")
    steps = [Step(LOAD, ARCH), Step(EQUAL, kind.arch, 1), Step(RETURN, KILL), Step(LOAD, NUMBER)]
    if kind.foreign:
        steps += [Step(AT_LEAST, kind.foreign, 0, 1), Step(RETURN, FAIL | errno.ENOSYS)]
    for numbers, block in rules:
        if numbers[kind.column] != NONE:
            steps += [Step(EQUAL, numbers[kind.column], 0, len(block)), *block]
    steps.append(Step(RETURN, ALLOW))
    return b"".join(struct.pack("=HBBI", step.code, step.then, step.other, step.value) for step in steps)


def _refuse_all(calls: Mapping[str, tuple[int, int]], answer: int) -> list[Rule]:
    return [(numbers, (Step(RETURN, FAIL | answer),)) for numbers in calls.values()]


def _only(argument: int, allowed: Sequence[int], answer: int, mask: int = 0xFFFF_FFFF) -> Sequence[Step]:
    """Let a call pass when an argument has one of some values."""
    tests = [Step(EQUAL, value, len(allowed) - index) for index, value in enumerate(allowed)]
    ends = (Step(RETURN, FAIL | answer), Step(RETURN, ALLOW))
    return (Step(LOAD, ARGUMENTS + 8 * argument), Step(AND, mask), *tests, *ends)


def _none(argument: int, refused: Sequence[int], answer: int) -> Sequence[Step]:
    """Refuse a call when an argument has one of some values, and go on when it has not."""
    tests = [step for value in refused for step in (Step(EQUAL, value, 0, 1), Step(RETURN, FAIL | answer))]
    return (Step(LOAD, ARGUMENTS + 8 * argument), *tests)


def _without(argument: int, bits: int) -> Sequence[Step]:
    """Let a call pass when an argument has none of some bits."""
    ends = (Step(RETURN, FAIL | errno.EPERM), Step(RETURN, ALLOW))
    return (Step(LOAD, ARGUMENTS + 8 * argument), Step(ANY_BIT, bits, 0, 1), *ends)
