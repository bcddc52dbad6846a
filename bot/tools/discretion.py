"""Keeps programs that look through whole folders away from files that a model must not read."""

from collections.abc import Sequence

from bot.core.paths import list_sensitive
from bot.core.screen import screen
from bot.tools.tool import Bench

_DIFFS = ("log", "show", "diff", "grep")
"""What git says of many files at once."""


def leave_out(argv: Sequence[str], bench: Bench) -> tuple[str, ...]:
    """Add to a command the options that leave out files made to hold secrets and not named by the scope."""
    program, git = argv[0], _git(argv)
    if not git and program not in ("grep", "rg", "diff"):
        return tuple(argv)
    hidden = list_sensitive(bench.workspace.files(), bench.task.scope)
    if git:
        return (*argv, *(f":(top,exclude,literal){path}" for path in hidden))
    end = argv.index("--") if "--" in argv else len(argv)
    # Behind what was asked for: of two options that disagree the last one counts
    return (*argv[:end], *(_exclude(program, path) for path in hidden), *argv[end:])


def show(output: str, argv: Sequence[str], bench: Bench) -> str:
    """Return what may be shown of what a command printed: history holds files that are there no more."""
    return screen(output, bench.task.scope) if _git(argv) else output


def _git(argv: Sequence[str]) -> bool:
    return argv[0] == "git" and any(word in _DIFFS for word in argv[1:3])


def _exclude(program: str, path: str) -> str:
    name = "".join(f"[{c}]" if c in "*?[" else c for c in path)
    return f"--glob=!/{name}" if program == "rg" else f"--exclude={name.rpartition('/')[2]}"
