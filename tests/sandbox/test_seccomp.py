"""The filter, read as the kernel reads it, for machines that are not here as well."""

import errno
import signal
import struct

import pytest

from bot.errors import SandboxUnavailable
from bot.sandbox.seccomp import (
    ABSENT,
    ALLOW,
    FAIL,
    FORBIDDEN,
    KILL,
    MACHINES,
    MARKS,
    NONE,
    UNSUPPORTED,
    WITHIN,
    make_filter,
    make_thin_filter,
)

LOAD, EQUAL, AT_LEAST, ANY_BIT, AND, RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
EPERM, EACCES, ENOSYS = FAIL | errno.EPERM, FAIL | errno.EACCES, FAIL | errno.ENOSYS
UNIX, INTERNET, INTERNET_6, NETLINK, ALGORITHMS, PACKET, VIRTUAL = 1, 2, 10, 16, 38, 17, 40
STREAM, DATAGRAM, SEQPACKET, CLOEXEC = 1, 2, 5, 0o2000000
NEW_USER, NEW_MOUNT, NEW_TIME, FILES, THREAD = 0x10000000, 0x20000, 0x80, 0x400, 0x3D0F00
CALLS = {
    "read": (0, 63),
    "socket": (41, 198),
    "socketpair": (53, 199),
    "clone": (56, 220),
    "unshare": (272, 97),
    "prlimit64": (302, 261),
    "setpriority": (141, 140),
    "ioprio_set": (251, 30),
    "sched_setscheduler": (144, 119),
    "sched_setparam": (142, 118),
    "sched_setattr": (314, 274),
    "sched_setaffinity": (203, 122),
    "ioctl": (16, 29),
    "truncate": (76, 45),
    "execve": (59, 221),
    "pidfd_open": (434, 434),
    "kill": (62, 129),
}


def judge(program: bytes, arch: int, number: int, *arguments: int) -> int:
    """Run a filter over a call."""
    shown = struct.pack("<iIQ6Q", number, arch, 0, *(*arguments, 0, 0, 0, 0, 0, 0)[:6])
    steps = list(struct.iter_unpack("=HBBI", program))
    at = value = 0
    while True:
        code, then, other, operand = steps[at]
        at += 1
        match code:
            case 0x20:
                value = struct.unpack_from("<I", shown, operand)[0]
            case 0x54:
                value &= operand
            case 0x06:
                return int(operand)
            case _:
                holds = {EQUAL: value == operand, AT_LEAST: value >= operand, ANY_BIT: bool(value & operand)}[code]
                at += then if holds else other


@pytest.mark.parametrize("machine", MACHINES)
def test_what_reaches_out_is_refused_and_the_rest_goes_on(machine: str) -> None:
    kind = MACHINES[machine]
    closed, online = make_filter(network=False, machine=machine), make_filter(network=True, machine=machine)

    def said(program: bytes, name: str, *arguments: int) -> int:
        return judge(program, kind.arch, CALLS[name][kind.column], *arguments)

    for program in (closed, online):
        assert {judge(program, kind.arch, n[kind.column]) for n in FORBIDDEN.values() if n[kind.column] != NONE} == {
            EPERM
        }
        assert {judge(program, kind.arch, numbers[kind.column]) for numbers in ABSENT.values()} == {ENOSYS}
        assert {judge(program, kind.arch, n[kind.column]) for n in UNSUPPORTED.values()} == {FAIL | errno.EOPNOTSUPP}
        for name in ("read", "execve", "pidfd_open", "kill", "truncate"):
            assert said(program, name, 4711, 9) == ALLOW
        assert {said(program, "socket", family) for family in (UNIX, ALGORITHMS, PACKET, VIRTUAL)} == {EACCES}
        pairs = [said(program, "socketpair", UNIX, kind) for kind in (STREAM | CLOEXEC, SEQPACKET, DATAGRAM | CLOEXEC)]
        assert pairs == [ALLOW, ALLOW, EACCES]
        flags = (THREAD, signal.SIGCHLD, NEW_USER | signal.SIGCHLD, NEW_MOUNT)
        assert [said(program, "clone", flag) for flag in flags] == [ALLOW, ALLOW, EPERM, EPERM]
        assert [said(program, "unshare", flag) for flag in (FILES, NEW_USER, NEW_TIME)] == [ALLOW, EPERM, EPERM]
        assert [said(program, "prlimit64", pid) for pid in (0, 1)] == [ALLOW, EPERM]
        # All processes of a user are named by 2, or by 3
        assert [said(program, "setpriority", *whom) for whom in ((0, 0), (0, 1), (2, 0))] == [ALLOW, EPERM, EPERM]
        assert [said(program, "ioprio_set", *whom) for whom in ((1, 0), (1, 1), (3, 0))] == [ALLOW, EPERM, EPERM]
        for name in ("sched_setscheduler", "sched_setparam", "sched_setattr"):
            assert [said(program, name, pid) for pid in (0, 1)] == [ALLOW, EPERM]
        # Told as done, and not done
        assert [said(program, "sched_setaffinity", pid) for pid in (0, 1)] == [ALLOW, FAIL]
        assert {said(program, "ioctl", 3, mark) for mark in MARKS} == {FAIL | errno.ENOTTY}
        assert said(program, "ioctl", 3, 0x5401) == ALLOW
    for family in (INTERNET, INTERNET_6, NETLINK):
        assert (said(closed, "socket", family), said(online, "socket", family)) == (EACCES, ALLOW)
    older = make_filter(network=False, truncate=False, machine=machine)
    assert said(older, "truncate") == ENOSYS


def test_programs_of_another_kind_are_not_let_in() -> None:
    mine, other = MACHINES["x86_64"], MACHINES["aarch64"]
    program = make_filter(network=True, machine="x86_64")
    assert judge(program, other.arch, 0) == KILL
    assert judge(program, 0x40000003, 0) == KILL
    assert judge(program, mine.arch, (1 << 30) | 1) == ENOSYS
    with pytest.raises(SandboxUnavailable, match="no seccomp filter"):
        make_filter(network=False, machine="pdp11")


@pytest.mark.parametrize("machine", MACHINES)
def test_within_namespaces_only_what_they_leave_open_is_refused(machine: str) -> None:
    kind, program = MACHINES[machine], make_thin_filter(machine)
    beyond = [numbers for name, numbers in FORBIDDEN.items() if name not in WITHIN]
    assert {judge(program, kind.arch, n[kind.column]) for n in beyond if n[kind.column] != NONE} == {EPERM}
    for numbers in (FORBIDDEN["ptrace"], FORBIDDEN["mount"], ABSENT["shmget"], UNSUPPORTED["setxattr"], CALLS["read"]):
        assert judge(program, kind.arch, numbers[kind.column]) == ALLOW
    families = (UNIX, INTERNET, INTERNET_6, NETLINK, PACKET, VIRTUAL)
    said = [judge(program, kind.arch, CALLS["socket"][kind.column], family) for family in families]
    assert said == [ALLOW] * 4 + [FAIL | errno.EAFNOSUPPORT] * 2
    assert judge(program, 0, 0) == KILL
