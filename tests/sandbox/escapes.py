"""What hostile code tries from under Landlock and seccomp: each attempt is real, and there is something to reach.

Run as a program with a folder it makes the ground itself and prints what happened: so another user can, too.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.protocols import Command
from bot.sandbox.landlock import LandlockExecutor
from bot.sandbox.site import Site

ATTACKS = r"""
import ctypes, json, mmap, os, platform, resource, signal, socket, stat, sys

told = json.loads(sys.argv[1])
outside, tree, repo, pid = told["outside"], os.getcwd(), told["repo"], told["pid"]
libc = ctypes.CDLL(None, use_errno=True)
results = {}


def attempt(name):
    def run(function):
        try:
            function()
        except OSError as error:
            results[name] = error.strerror
        else:
            results[name] = "open"
    return run


def call(function, *arguments):
    if function(*arguments) == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def number(x86, arm, *arguments):
    call(libc.syscall, x86 if platform.machine() == "x86_64" else arm, *arguments)


def write(path, flags=os.O_WRONLY | os.O_CREAT):
    os.close(os.open(path, flags, 0o600))


def alone(function):
    child = os.fork()
    if child == 0:
        try:
            function()
        except OSError as error:
            os._exit(error.errno)
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code:
        raise OSError(code, os.strerror(code) if code > 0 else signal.Signals(-code).name)


os.symlink(outside, "out")
for name, path in {"key": f"{outside}/.ssh/id", "checkout": f"{repo}/.env", "parent": f"/proc/{os.getppid()}/environ",
                   "other": f"/proc/{pid}/environ", "memory": f"/proc/{pid}/mem", "shadow": "/etc/shadow",
                   "kernel": "/dev/kmsg", "link": "out/.ssh/id", "root": f"/proc/{pid}/root/etc/hostname"}.items():
    attempt(f"read {name}")(lambda: os.read(os.open(path, os.O_RDONLY), 1))
for name, path in {"home": outside, "/": "/", "shared memory": "/dev/shm", "/tmp": "/tmp", "/run": "/run"}.items():
    attempt(f"list {name}")(lambda: os.listdir(path))
for name, path in {"outside": f"{outside}/new", "link": "out/new", "file": f"{outside}/file", "/tmp": "/tmp/marker",
                   "config": f"{repo}/.git/config", "hook": f"{repo}/.git/hooks/pre-commit",
                   "index": f"{repo}/.git/worktrees/tree/index", "settings": "/proc/sys/kernel/core_pattern",
                   "terminal": "/dev/ptmx", "interpreter": sys.prefix + "/marker"}.items():
    attempt(f"write {name}")(lambda: write(path))
attempt("make a folder")(lambda: os.mkdir(f"{outside}/folder"))
attempt("link a file in")(lambda: os.link(f"{outside}/file", "linked"))
attempt("link a file out")(lambda: os.link("pkg/__init__.py", f"{outside}/linked"))
attempt("move a file in")(lambda: os.rename(f"{outside}/file", "moved"))
attempt("remove a file")(lambda: os.unlink(f"{outside}/file"))
attempt("cut a file off")(lambda: os.truncate(f"{outside}/file", 0))
attempt("mark a file")(lambda: os.setxattr(f"{outside}/file", "user.x", b"x"))
attempt("make a disk")(lambda: os.mknod("disk", stat.S_IFBLK | 0o600, os.makedev(8, 0)))
attempt("connect")(lambda: socket.create_connection(("127.0.0.1", told["tcp"]), 1))
attempt("serve")(lambda: socket.create_server(("127.0.0.1", 0)))
udp = ("127.0.0.1", told["udp"])
attempt("send a datagram")(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", udp))
attempt("socket by path")(lambda: socket.socket(socket.AF_UNIX).connect(told["stream"]))
attempt("abstract socket")(lambda: socket.socket(socket.AF_UNIX).connect("\0" + told["abstract"]))
pair = lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
attempt("socket of a pair")(lambda: pair()[0].sendto(b"x", told["datagram"]))
attempt("raw socket")(lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW))
attempt("kill")(lambda: os.kill(pid, signal.SIGUSR1))
attempt("kill the parent")(lambda: os.kill(os.getppid(), 0))
attempt("starve")(lambda: resource.prlimit(pid, resource.RLIMIT_NOFILE, (0, 0)))
attempt("slow down")(lambda: os.setpriority(os.PRIO_PROCESS, pid, 19))
attempt("slow all down")(lambda: os.setpriority(os.PRIO_USER, 0, 19))
attempt("make idle")(lambda: os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0)))
attempt("trace")(lambda: call(libc.ptrace, 16, pid, 0, 0))
attempt("read a process")(lambda: number(310, 270, pid, 0, 0, 0, 0, 0))
attempt("take a descriptor")(lambda: number(438, 438, os.pidfd_open(pid), 0, 0))
attempt("io_uring")(lambda: number(425, 425, 8, ctypes.create_string_buffer(120)))
attempt("user namespace")(lambda: alone(lambda: call(libc.unshare, 0x10000000)))
attempt("mount namespace")(lambda: alone(lambda: call(libc.unshare, 0x20000)))
attempt("cloned namespace")(lambda: alone(lambda: number(56, 220, 0x10000000 | signal.SIGCHLD, 0, 0, 0, 0)))
attempt("clone3")(lambda: number(435, 435, 0, 0))
attempt("mount")(lambda: call(libc.mount, b"none", tree.encode(), b"tmpfs", 0, None))
attempt("chroot")(lambda: alone(lambda: os.chroot(tree)))
attempt("keys")(lambda: number(250, 219, 0, -3, 0))
attempt("bpf")(lambda: number(321, 280, 0, 0, 0))
attempt("shared segment")(lambda: number(29, 194, 0, 4096, 0o1600))
attempt("message queue")(lambda: number(240, 180, b"marker", 0o100 | 2, 0o600, 0))
if platform.machine() == "x86_64":
    attempt("x32")(lambda: number((1 << 30) | 39, 0))
    code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(b"\xb8\x14\0\0\0\xcd\x80\xc3")
    where = ctypes.addressof(ctypes.c_char.from_buffer(code))
    attempt("32 bit")(lambda: alone(ctypes.CFUNCTYPE(ctypes.c_int)(where)))
print(json.dumps(results))
"""


@dataclass(frozen=True)
class Prey:
    """What the attacks are after."""

    repo: Path
    tree: Path
    outside: Path

    @contextmanager
    def lurking(self) -> Iterator[str]:
        """Listen everywhere, let another process run, and tell where."""
        with ExitStack() as stack:
            place = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
            udp = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
            udp.bind(("127.0.0.1", 0))
            names = {"stream": str(place / "stream"), "abstract": f"marker-{os.getpid()}"}
            for name in (names["stream"], "\0" + names["abstract"]):
                listening = stack.enter_context(socket.socket(socket.AF_UNIX))
                listening.bind(name)
                listening.listen()
            datagram = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
            datagram.bind(str(place / "datagram"))
            other = stack.enter_context(subprocess.Popen(["sleep", "60"]))
            stack.callback(other.kill)
            told = {"outside": str(self.outside), "repo": str(self.repo), "pid": other.pid, **names}
            ports = {"tcp": tcp.getsockname()[1], "udp": udp.getsockname()[1], "datagram": str(place / "datagram")}
            yield json.dumps(told | ports)

    def place(self) -> None:
        """Put down what there is to take."""
        (self.outside / ".ssh").mkdir()
        (self.outside / ".ssh/id").write_text("marker-4902")
        (self.outside / "file").write_text("content")
        (self.repo / ".env").write_text("marker-4903")

    def attack(self, executor: LandlockExecutor) -> dict[str, str]:
        """Try everything; answer what was said to each attempt, or that it is open."""
        with self.lurking() as told:
            done = executor.execute(Command((sys.executable, "-I", "-c", ATTACKS, told), self.tree))
        try:
            return dict(json.loads(done.output))
        except ValueError:
            raise AssertionError(done.output) from None


def main(folder: Path) -> None:
    """Make a ground below a folder and attack it."""
    git = shutil.which("git") or "git"
    repo, tree, outside = folder / "repo", folder / "work/tree", folder / "outside"
    outside.mkdir(parents=True)
    (repo / "pkg").mkdir(parents=True)
    (repo / "pkg/__init__.py").touch()
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.invalid")
    for argv in (("init", "-q"), ("add", "."), (*identity, "commit", "-qm", "x")):
        subprocess.run([git, *argv], cwd=repo, check=True)
    subprocess.run([git, "worktree", "add", "-q", "--detach", str(tree)], cwd=repo, check=True)
    executor = LandlockExecutor(Site(repo, repo / ".git", [Path(sys.executable)]))
    prey = Prey(repo, tree, outside)
    prey.place()
    sys.stdout.write(json.dumps(prey.attack(executor)))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
