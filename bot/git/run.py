"""The only door to the git executable: a clean environment, explicit folders, nothing of the repository's executed."""

import os
import re
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
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


@dataclass(frozen=True, slots=True)
class Git:
    """The git executable pointed at one repository, and at one working copy when there is one."""

    git_dir: Path
    work_tree: Path | None = None
    index: Path | None = None
    config: tuple[tuple[str, str], ...] = ()
    """Settings on top of the fixed ones."""
    timeout: float = TIMEOUT

    def ask(self, *args: str, stdin: bytes = b"", environ: Mapping[str, str] | None = None) -> Answer:
        """Run a command whose exit code is an answer."""
        return launch((*self._where(), *args), self._environment(environ), self._folder(), stdin, timeout=self.timeout)

    def output(self, *args: str, stdin: bytes = b"", environ: Mapping[str, str] | None = None) -> bytes:
        """Run a command and return what it printed. Raises GitFailed."""
        answer = self.ask(*args, stdin=stdin, environ=environ)
        if answer.code:
            raise failure(f"git {args[0]} failed: {answer.error or f'exit code {answer.code}'}")
        return answer.output

    def line(self, *args: str, stdin: bytes = b"", environ: Mapping[str, str] | None = None) -> str:
        """Run a command and return its one line of output. Raises GitFailed."""
        return os.fsdecode(self.output(*args, stdin=stdin, environ=environ)).removesuffix("\n")

    def names(self, *args: str, stdin: bytes = b"") -> tuple[bytes, ...]:
        """Run a command that prints NUL-separated names. Raises GitFailed."""
        return tuple(name for name in self.output(*args, stdin=stdin).split(b"\0") if name)

    def head(self, *args: str, limit: int, environ: Mapping[str, str] | None = None) -> Answer:
        """Run a command and keep the first `limit` bytes of its output; the code is 0 when there was more."""
        argv, env = (*self._where(), *args), self._environment(environ)
        return launch(argv, env, self._folder(), b"", limit=limit, timeout=self.timeout)

    def _where(self) -> tuple[str, ...]:
        # With a git dir alone git would take the current folder for the working copy
        tree = "--bare" if self.work_tree is None else f"--work-tree={self.work_tree}"
        return (f"--git-dir={self.git_dir}", tree)

    def _folder(self) -> Path:
        return self.work_tree if self.work_tree is not None else self.git_dir

    def _environment(self, extra: Mapping[str, str] | None) -> dict[str, str]:
        index = {} if self.index is None else {"GIT_INDEX_FILE": str(self.index)}
        return {**environment(self.config), **index, **(extra or {})}


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
    return tempfile.TemporaryFile()


def _converse(child: "subprocess.Popen[bytes]", stdin: bytes, limit: int | None, timeout: float) -> tuple[int, bytes]:
    late = threading.Event()
    timer = threading.Timer(timeout, _give_up, (child, late))
    # Interrupted while it starts, it would keep this process alive for all of its time
    timer.daemon = True
    try:
        timer.start()
        output = child.communicate(stdin)[0] if limit is None else _first_bytes(child, limit)
    except BaseException:
        _kill(child)
        raise
    finally:
        timer.cancel()
    if late.is_set():
        raise GitFailed(f"git did not finish within {timeout:g} seconds")
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


def failure(message: str) -> GitFailed:
    """Make an error of what git said, with what may help."""
    absent = "promisor remote" in message
    return GitFailed(
        message, hint="this is a partial clone: fetch what it lacks while its remote can be reached" * absent
    )


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
    found = shutil.which("git", path=path)
    if found is None:
        raise UsageError("git was not found", hint="install git 2.31 or newer and put it on PATH")
    return found


def _path(path: str) -> str:
    # A relative entry would be looked up inside the repository, which may bring its own `git`
    kept = [entry for entry in path.split(os.pathsep) if entry.startswith("/")]
    return os.pathsep.join(kept) or os.defpath.lstrip(os.pathsep)
