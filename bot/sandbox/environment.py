"""What a command may know of git agent's own environment: an allow-list, so nothing new leaks by default."""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

REPORT = "GIT_AGENT_REPORT_FD"
"""Names the descriptor of the private pipe."""
PASSED = ("TZ", "USER", "LOGNAME", "JAVA_HOME", "OMP_NUM_THREADS", "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
"""Variables that say where or how to run, never who may do what."""

FIXED: Mapping[str, str] = {
    "CI": "1",
    # A repository that belongs to another user, as in most containers: git inside would refuse to tell even a version.
    "GIT_CONFIG_COUNT": "3",
    "GIT_CONFIG_KEY_0": "safe.directory",
    "GIT_CONFIG_VALUE_0": "*",
    # Who would be asked for a password: no helper of the person's, no window, nobody at the terminal.
    "GIT_CONFIG_KEY_1": "credential.helper",
    "GIT_CONFIG_VALUE_1": "",
    # A program of the person's that tells which files were written, of their own checkout and not of this tree.
    "GIT_CONFIG_KEY_2": "core.fsmonitor",
    "GIT_CONFIG_VALUE_2": "false",
    "GIT_ASKPASS": "true",
    "SSH_ASKPASS_REQUIRE": "never",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "NO_COLOR": "1",
    "PAGER": "cat",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PIP_NO_INPUT": "1",
    # After a rollback, bytecode of the rejected source would pass for the restored one: same size, same second.
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
    "TERM": "dumb",
}

SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"


def compose(
    argv: Sequence[str],
    extra: Sequence[tuple[str, str]],
    environ: Mapping[str, str],
    home: str,
    temporary: str,
    first: Sequence[Path] = (),
) -> dict[str, str]:
    """Return the whole environment of a command; programs are looked for in the folders `first` before others."""
    passed = {name: environ[name] for name in PASSED if name in environ}
    own = {"PATH": search_path(argv, environ, first), "HOME": home, "TMPDIR": temporary}
    return {**passed, **FIXED, **own, **dict(extra)}


def search_path(argv: Sequence[str], environ: Mapping[str, str], first: Sequence[Path] = ()) -> str:
    """Return the search path: the program's environment first, no relative folders, none of git agent's own."""
    mine = Path(sys.prefix, "bin")
    entries = [entry for entry in environ.get("PATH", SYSTEM_PATH).split(":") if entry.startswith("/")]
    own = [entry for entry in entries if sys.prefix == sys.base_prefix or Path(os.path.normpath(entry)) != mine]
    return ":".join(dict.fromkeys([*environment_of(argv), *map(str, first), *own]))


def environment_of(argv: Sequence[str]) -> tuple[str, ...]:
    """Return the bin folder of the virtual environment that a command's program belongs to, if it names one."""
    program = Path(argv[0]) if argv else Path()
    belongs = program.is_absolute() and (program.parent.parent / "pyvenv.cfg").is_file()
    return (str(program.parent),) if belongs else ()
