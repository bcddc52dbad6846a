"""The tool that runs an allow-listed program on the working tree."""

import os
import re
import shlex
import shutil
import stat
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bot.core.change import ChangeSet, FileChange
from bot.core.commands import mentions, settle
from bot.core.message import Edit
from bot.core.policy import judge_command, writes
from bot.errors import Denied, NotFound, RepositoryChanged, WorkspaceError
from bot.protocols import Command, Completed, Workspace
from bot.tools import disk, paths
from bot.tools.discretion import leave_out, show
from bot.tools.files import entry_lines
from bot.tools.schema import Words
from bot.tools.tool import Access, Arguments, Bench, Done, Tool
from bot.verify.interpreter import Interpreter

SECONDS = 120.0
NO_CACHES = (("PYTHONDONTWRITEBYTECODE", "1"), ("RUFF_NO_CACHE", "true"), ("MYPY_CACHE_DIR", os.devnull))
"""A cache in the worktree would look like a change, and stale bytecode like a result."""
OPEN = frozenset({"process", "landlock"})
"""The isolation levels in which a command may change the tree, or its modes, even where it is given to be read."""


class RunCommand(Arguments):
    """Run ruff, python FILE and the like; no shell."""

    argv: Words


def run_command(args: RunCommand, bench: Bench) -> Done:
    """Run a program in the worktree; a failing one is a result. Raises Denied, NotFound."""
    refusal = judge_command(args.argv, bench.task.scope)
    if refusal is not None and refusal.risk is None:
        raise Denied(refusal.text)
    argv = resolve(settle(leave_out(args.argv, bench)), bench.ladder.interpreter, bench.workspace)
    if refusal is not None and refusal.subject not in bench.allowed:
        raise Denied(refusal.text)
    _stay_inside(args.argv, bench)
    if writes(args.argv) or bench.executor.isolation in OPEN:
        done, edits = _run_writing(argv, bench)
    else:
        done, edits = bench.executor.execute(_command(argv, bench, writable=False)), ()
    changed = f"changed: {', '.join(edit.path for edit in edits)}" if edits else "no file changed"
    output = show(done.output.rstrip(), args.argv, bench)
    told = "\n".join(filter(None, (f"{_end(done)}; {changed}", output)))
    return Done(told, edits, done.isolation, shlex.join(argv), done.hit)


def resolve(argv: Sequence[str], interpreter: Interpreter, workspace: Workspace) -> tuple[str, ...]:
    """Name the program by its path: the project's own first, else git agent's own. Raises NotFound."""
    program, *rest = argv
    if re.fullmatch(r"python[\d.]*", program):
        return (str(interpreter.path), *rest)
    own = shutil.which(program, path=str(interpreter.path.parent))
    if program in ("pytest", "mypy") and program in interpreter.modules and not (own and program == "mypy"):
        return (str(interpreter.path), "-m", program, *rest)
    ours = shutil.which(program, path=str(Path(sys.executable).parent)) if program == "ruff" else None
    found = own or ours or _search(program, workspace)
    if found is None:
        raise NotFound(f"{program} is not installed here")
    return (found, *rest)


def _search(program: str, workspace: Workspace) -> str | None:
    """Look for a program where only the person puts any: a folder of the project may hold another of that name."""
    for folder in os.get_exec_path():
        found = shutil.which(program, path=folder) if os.path.isabs(folder) else None  # noqa: PTH117 - "" is no folder
        if found and not any(_is_open(Path(place), workspace) for place in (found, os.path.realpath(found))):
            return found
    return None


def _is_open(program: Path, workspace: Workspace) -> bool:
    """Say whether somebody else than the person may have put a program there."""
    shared = program.parent.stat().st_mode & stat.S_IWOTH
    return bool(shared) or program.is_relative_to(tempfile.gettempdir()) or workspace.holds(program)


def _stay_inside(argv: Sequence[str], bench: Bench) -> None:
    """Refuse what leads out of the worktree, or to a secret, through a link. Raises Denied."""
    top = os.path.realpath(bench.workspace.root)
    for mention in mentions(argv[1:]):
        target = os.path.realpath(f"{top}/{mention}")
        if target != top and not target.startswith(f"{top}/"):
            raise Denied(f"{mention!r} leads out of the worktree")
        if mention and os.path.lexists(target):
            paths.follow(bench.workspace, mention, bench.task.scope)


def _command(argv: Sequence[str], bench: Bench, *, writable: bool) -> Command:
    return Command(argv, bench.workspace.root, timeout=SECONDS, writable=writable, environment=NO_CACHES)


def _run_writing(argv: Sequence[str], bench: Bench) -> tuple[Completed, tuple[Edit, ...]]:
    before = bench.workspace.diff()
    bench.workspace.disturb()
    done = bench.executor.execute(_command(argv, bench, writable=True))
    bench.workspace.disturb()
    try:
        after = bench.workspace.diff()
    except RepositoryChanged:
        raise
    except WorkspaceError as error:
        # What cannot be recorded could neither be judged nor taken back later on
        bench.workspace.restore(before.tree)
        raise Denied(f"{error.message}; all files were put back as they were before the command") from error
    return done, _edits(before, after, bench)


def _end(done: Completed) -> str:
    if done.ended == "exited":
        return f"exit code {done.returncode}"
    return f"{done.ended.replace('_', ' ')} ({done.returncode})"


def _edits(before: ChangeSet, after: ChangeSet, bench: Bench) -> tuple[Edit, ...]:
    """Work out from two differences to the same commit what happened in between."""
    if before.tree == after.tree:
        return ()
    old, new = ({file.path: file for file in change.files} for change in (before, after))
    texts = _sections(before.patch), _sections(after.patch)
    touched = [
        path
        for path in sorted({**old, **new})
        if old.get(path) != new.get(path) or texts[0].get(path) != texts[1].get(path)
    ]
    return tuple(_edit(path, old.get(path), new.get(path), bench) for path in touched)


def _sections(patch: str) -> dict[str, str]:
    """Split a diff by file: counts of lines may be equal where lines are not."""
    sections = ("\n" + patch).split("\ndiff --git ")[1:]
    return {section.partition("\n")[0].rpartition(" b/")[2]: section for section in sections}


def _edit(path: str, old: FileChange | None, new: FileChange | None, bench: Bench) -> Edit:
    place = paths.entry(bench.workspace, path)
    after = entry_lines(place) if disk.exists(place) else 0
    base = after - _net(new)
    before = max(0, base + _net(old))
    return Edit(path=path, before=before, after=after, first=min(1, after), last=after)


def _net(change: FileChange | None) -> int:
    return change.added - change.removed if change else 0


RUN_COMMAND = Tool("run_command", RunCommand, Access.EXECUTE, run_command)
