"""Keeps programs that look through whole folders away from files that a model must not read."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from bot.core.paths import is_sensitive, list_sensitive
from bot.core.screen import screen
from bot.core.sensitive import GLOBS
from bot.errors import Denied
from bot.tools.tool import Bench

_DIFFS = ("log", "show", "diff")
_PICKING = ("-S", "-G")
"""Options with which git tells of a file by what is in it, without showing it."""
_LONE = ("--follow", "-L")
"""Options that stand for one file, which is named, and go with no others."""
_VALUED = "eABCm"
"""Options of grep of one letter behind which a value stands."""


def leave_out(argv: Sequence[str], bench: Bench) -> tuple[str, ...]:
    """Change a command so that it leaves out files made to hold secrets and not named by the scope. Raises Denied."""
    program = argv[0]
    if program == "git":
        return _leave_out_of_git(argv, bench)
    if program not in ("grep", "rg", "diff"):
        return tuple(argv)
    hidden = list_sensitive(
        bench.workspace.files() if program == "rg" else _all(bench.workspace.root), bench.task.scope
    )
    end = argv.index("--") if "--" in argv else len(argv)
    # Behind what was asked for: of two options that disagree the last one counts
    added = [_exclude(program, path) for path in hidden]
    if program == "diff" and any((bench.workspace.root / word).is_dir() for word in argv[1:]):
        added.append("--no-dereference")
    return (*(_stay(word) if program == "grep" else word for word in argv[:end]), *added, *argv[end:])


def show(output: str, argv: Sequence[str], bench: Bench) -> str:
    """Return what may be shown of what a command printed: history holds files that are there no more."""
    if _verb(argv) not in _DIFFS:
        return output
    worded = any(word.startswith("--word-diff") for word in argv)
    return screen(output, bench.task.scope, drawn="--graph" in argv, worded=worded)


def _all(root: Path) -> Iterator[str]:
    """Name all files: these programs know of no ignore rules, and what is ignored may be carried from elsewhere."""
    for folder, folders, names in os.walk(root):
        folders[:] = (name for name in folders if name != ".git")
        yield from (os.path.relpath(f"{folder}/{name}", root) for name in names)


def _verb(argv: Sequence[str]) -> str:
    words = [word for word in argv[1:] if word != "--no-pager"]
    return words[0] if argv[0] == "git" and words else ""


def _leave_out_of_git(argv: Sequence[str], bench: Bench) -> tuple[str, ...]:
    verb = _verb(argv)
    if verb not in (*_DIFFS, "grep"):
        return tuple(argv)
    inside = [name for word in argv[2:] for name in _look_into(word, bench)]
    if verb == "grep":
        hidden = dict.fromkeys((*list_sensitive(bench.workspace.files(), bench.task.scope), *inside))
        return (*argv, *(f":(top,exclude,literal){path}" for path in hidden))
    # Without the NULs, which are not shown, a header of a diff would stand in the middle of a line
    argv = [word for word in argv if word != "-z"]
    if not any(word.startswith(_PICKING) for word in argv) or any(word.startswith(_LONE) for word in argv):
        return tuple(argv)
    return (*argv, *(f":(top,exclude,icase,glob){glob}" for glob in GLOBS))


def _look_into(word: str, bench: Bench) -> Iterator[str]:
    """Name the files in a revision that must not be shown. Raises Denied where it is a lone file's content."""
    found = bench.workspace.names(word)
    _, colon, folder = word.partition(":")
    if found == () and not colon:
        raise Denied(f"{word!r} is the content of a file without its name: name it as REVISION:PATH")
    above = f"{folder.strip('/')}/" if folder.strip("/.") else ""
    yield from (name for name in found or () if is_sensitive(above + name, bench.task.scope))


def _stay(word: str) -> str:
    """Have grep follow no links but those that it is given by name, which were judged."""
    if not word.startswith("-") or word.startswith("--"):
        return word
    end = next((at for at, letter in enumerate(word) if letter in _VALUED), len(word))
    return word[:end].replace("R", "r") + word[end:]


def _exclude(program: str, path: str) -> str:
    name = "".join(f"[{c}]" if c in "*?[" else c for c in path)
    return f"--glob=!/{name}" if program == "rg" else f"--exclude={name.rpartition('/')[2]}"
