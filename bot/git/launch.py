"""Starts git: a clean environment, a bounded time, nothing of the repository's executed; hooks wait for it to load."""

import os
import re
import select
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from signal import SIGKILL, SIGTERM
from typing import IO, NamedTuple

from bot.errors import GitFailed, UsageError
from bot.git.traps import disarming

TIMEOUT = 300.0
"""Seconds; a checkout of a very large tree is the longest thing that we ask for."""

KEPT = frozenset({"GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH"})
"""Which of the person's configuration files and certificates count is theirs to say; no other GIT_* gets through."""

SETTINGS = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "true",
    "GIT_EDITOR": "true",
    "GIT_PAGER": "cat",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_LITERAL_PATHSPECS": "1",
    # libgit2 knows no replace refs: both back ends must see the same objects, and an audit the true ones
    "GIT_NO_REPLACE_OBJECTS": "1",
    # Below a file nothing can exist; the file itself git would read, and complain about
    "GIT_GRAFT_FILE": f"{os.devnull}/none",
    "GIT_ATTR_NOSYSTEM": "1",
    # What a person has git note down of their own commands is not for ours
    "GIT_TRACE2": "0",
    "GIT_TRACE2_EVENT": "0",
    "GIT_TRACE2_PERF": "0",
    # What is missing from a partial clone may be fetched; without a terminal ssh and the usual helper open a window
    "SSH_ASKPASS_REQUIRE": "never",
    "GCM_INTERACTIVE": "never",
    "LC_ALL": "C",
}

_COMPLAINT = 20_000
"""Bytes of what git complained about that are looked at."""

_PIECE = 1 << 16
"""Bytes that are read at once."""
_GRACE = 5.0
"""Seconds that git gets to take its locks away when it is told to stop."""

# A path below a file cannot exist, so nobody can plant a hook there
NO_HOOKS = os.devnull

OVERRIDES = (
    ("core.fsmonitor", "false"),
    ("core.hooksPath", NO_HOOKS),
    ("core.pager", "cat"),
    ("core.safecrlf", "false"),
    ("core.protectHFS", "true"),
    ("core.protectNTFS", "true"),
    ("core.trustctime", "true"),
    ("core.ignoreStat", "false"),
    ("core.checkStat", "default"),
    ("core.quotePath", "true"),
    ("submodule.recurse", "false"),
    ("fetch.recurseSubmodules", "false"),
    ("push.recurseSubmodules", "no"),
    ("protocol.ext.allow", "never"),
    ("commit.gpgsign", "false"),
    ("tag.gpgsign", "false"),
    ("push.gpgSign", "false"),
    ("log.showSignature", "false"),
    ("rerere.enabled", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("branch.autoSetupMerge", "false"),
    ("branch.autoSetupRebase", "never"),
    # Would be written into the person's configuration, where an older git then refuses to work
    ("worktree.useRelativePaths", "false"),
    ("i18n.commitEncoding", "UTF-8"),
    ("i18n.logOutputEncoding", "UTF-8"),
    ("color.ui", "false"),
    ("advice.detachedHead", "false"),
)

_USERINFO = re.compile(r"(?<=://)[^/\s'\"]*@")
_QUERY = re.compile(r"(://[^\s'\"?]*)\?[^\s'\"]*")


class Answer(NamedTuple):
    """What a git command said."""

    code: int
    output: bytes
    error: str
    """One line without credentials."""
    told: tuple[str, ...] = ()
    """What the other side of a transfer said, line by line, without credentials."""


def environment(config: tuple[tuple[str, str], ...] = ()) -> dict[str, str]:
    """Build the environment that git runs in: the caller's, without what could steer or execute."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("GIT_") or k in KEPT}
    settings = (*OVERRIDES, *config)
    # In the environment rather than as `-c`, where a name that holds `=` could not be written
    pairs = {f"GIT_CONFIG_KEY_{n}": key for n, (key, _) in enumerate(settings)}
    pairs |= {f"GIT_CONFIG_VALUE_{n}": value for n, (_, value) in enumerate(settings)}
    return {**kept, **SETTINGS, **pairs, "GIT_CONFIG_COUNT": str(len(settings)), "PATH": _path(kept.get("PATH", ""))}


def discover(folder: Path, *args: str) -> Answer:
    """Run git where the person stands and let it find their repository; only ever before foreign code ran."""
    return launch(args, environment(), folder, b"")


def launch(
    args: tuple[str, ...],
    env: Mapping[str, str],
    folder: Path,
    stdin: bytes,
    *,
    limit: int | None = None,
    timeout: float = TIMEOUT,
) -> Answer:
    """Run git within a bounded time. Raises GitFailed."""
    program = executable(env["PATH"])
    # To a file: while the first bytes of the output are awaited nobody empties a pipe
    with _open_complaints() as complaints:
        try:
            # A session of its own: Ctrl-C reaches us, who finish what is half done, and not git in the middle of it
            child = subprocess.Popen(
                (program, *args),
                cwd=folder,
                env=env,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=complaints,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise GitFailed(f"git could not be started: {redact(str(error))}") from error
        with child, disarming(folder):
            code, output = _converse(child, stdin, limit, timeout)
        complaints.seek(0)
        said = complaints.read(_COMPLAINT).decode("utf-8", "replace")
        return Answer(code, output, redact(said), tuple(_quote(said)))


def _open_complaints() -> IO[bytes]:
    """Make a file that nobody else sees, in memory where that can be had: a full disk is one of the complaints."""
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("complaints"), "w+b")
    # Takes a while to load, where hardly anybody needs it
    file: IO[bytes] = import_module("tempfile").TemporaryFile()
    return file


def _converse(child: "subprocess.Popen[bytes]", stdin: bytes, limit: int | None, timeout: float) -> tuple[int, bytes]:
    brief = limit is None and len(stdin) <= select.PIPE_BUF
    said = None
    try:
        said = _listen(child, stdin, time.monotonic() + timeout) if brief else _talk(child, stdin, limit, timeout)
    finally:
        if said is None:
            _kill(child)
    if said is None:
        raise GitFailed(f"git did not finish within {timeout:g} seconds")
    return said


def _listen(child: "subprocess.Popen[bytes]", stdin: bytes, until: float) -> tuple[int, bytes] | None:
    """Hear out a git that is told no more than a pipe holds: a thread to keep the time costs a fifth of its start."""
    assert child.stdin is not None
    assert child.stdout is not None
    output, pieces = child.stdout.fileno(), list[bytes]()
    with suppress(BrokenPipeError), child.stdin:
        child.stdin.write(stdin)
    while _is_ready(output, until):
        pieces.append(os.read(output, _PIECE))
        if not pieces[-1]:
            return (child.wait(), b"".join(pieces)) if _has_ended(child, until) else None
    return None


def _has_ended(child: "subprocess.Popen[bytes]", until: float) -> bool:
    """Wait for the end; say whether it came in time."""
    # Linux before 5.3 has none, and other systems neither
    with suppress(OSError, AttributeError):
        watch = os.pidfd_open(child.pid)
        try:
            return _is_ready(watch, until)
        finally:
            os.close(watch)
    with suppress(subprocess.TimeoutExpired):
        child.wait(max(0.0, until - time.monotonic()))
    return child.returncode is not None


def _is_ready(descriptor: int, until: float) -> bool:
    """Wait until there is something to read, or a process has ended; say whether it came in time."""
    poller, left = select.poll(), until - time.monotonic()
    poller.register(descriptor, select.POLLIN)
    return left > 0 and bool(poller.poll(left * 1000))


def _talk(
    child: "subprocess.Popen[bytes]", stdin: bytes, limit: int | None, timeout: float
) -> tuple[int, bytes] | None:
    late = threading.Event()
    timer = threading.Timer(timeout, _give_up, (child, late))
    # Interrupted while it starts, it would keep this process alive for all of its time
    timer.daemon = True
    try:
        timer.start()
        output = child.communicate(stdin)[0] if limit is None else _first_bytes(child, limit)
    finally:
        timer.cancel()
    if late.is_set():
        return None
    whole = limit is None or len(output) <= limit
    return (child.wait(), output) if whole else (0, output[:limit])


def _first_bytes(child: "subprocess.Popen[bytes]", limit: int) -> bytes:
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.close()
    output: bytes = child.stdout.read(limit + 1)
    if len(output) > limit:
        _kill(child)
    return output


def _give_up(child: "subprocess.Popen[bytes]", late: threading.Event) -> None:
    late.set()
    _kill(child)


def _kill(child: "subprocess.Popen[bytes]") -> None:
    """Stop git gently first: killed at once it leaves its locks behind, and they stop the person's own git, too."""
    for number, wait in ((SIGTERM, _GRACE), (SIGKILL, None)):
        if child.poll() is not None:
            return
        with suppress(ProcessLookupError):
            os.killpg(child.pid, number)
        with suppress(subprocess.TimeoutExpired):
            child.wait(wait)


def redact(text: str) -> str:
    """Make one line of what git complained about, without credentials or control characters."""
    # Below a complaint git lists the files that it is about
    joined = text.replace("\n\t", " ")
    lines = [line.strip() for line in joined.splitlines() if line.strip()]
    told = [line for line in lines if line.startswith(("fatal:", "error:"))]
    # What could not be had comes last, after all that its remote complained about
    missing = [line for line in told[2:] if "promisor remote" in line][:1]
    line = " ".join((told or lines)[:2] + missing)
    return _bare(line)


def _quote(text: str) -> Iterator[str]:
    """Pick out what the other side said; what overwrites itself on a terminal is progress."""
    for line in text.split("\n"):
        if line.startswith("remote: ") and "\r" not in line.rstrip("\r"):
            yield _bare(line.removeprefix("remote: ").strip())


def _bare(line: str) -> str:
    """Take credentials and control characters out of a line."""
    plain = _QUERY.sub(r"\1", _USERINFO.sub("", line))
    return "".join(c for c in plain if c.isprintable())[:500]


@cache
def executable(path: str) -> str:
    """Find git on a search path. Raises UsageError."""
    for folder in filter(None, path.split(os.pathsep)):
        program = Path(folder, "git")
        if program.is_file() and os.access(program, os.X_OK):
            return str(program)
    raise UsageError("git was not found", hint="install git 2.31 or newer and put it on PATH")


def _path(path: str) -> str:
    # A relative entry would be looked up inside the repository, which may bring its own `git`
    kept = [entry for entry in path.split(os.pathsep) if entry.startswith("/")]
    return os.pathsep.join(kept) or os.defpath.lstrip(os.pathsep)
