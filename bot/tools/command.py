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
from bot.core.commands import expose, find_tool, mentions, settle
from bot.core.message import Edit
from bot.core.policy import judge_command, writes
from bot.errors import Denied, NotFound, RepositoryChanged, ToolError, WorkspaceError
from bot.protocols import Command, Completed, Workspace
from bot.tools import disk, paths
from bot.tools.discretion import leave_out, show
from bot.tools.files import entry_lines
from bot.tools.schema import Words
from bot.tools.tool import Access, Arguments, Bench, Done, Tool
from bot.verify.interpreter import Interpreter, own_library
from bot.verify.place import modules_first, types_first

SECONDS = 120.0
NO_CACHES = (("PYTHONDONTWRITEBYTECODE", "1"), ("RUFF_NO_CACHE", "true"), ("MYPY_CACHE_DIR", os.devnull))
"""A cache in the worktree would look like a change, and stale bytecode like a result."""
_LENT = """\
import sys
lent = sys.argv.pop(1)
sys.path.append(lent)
import packaging.requirements, pluggy, pytest
pluggy.__version__ = pluggy.__version__
sys.path.remove(lent)
sys.argv[0] = "pytest"
sys.exit(pytest.console_main())
"""
"""Runs pytest from the folder that is named first; what else lies there is not the project's."""
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
    tool, at = find_tool(argv)
    own = shutil.which(program, path=str(interpreter.path.parent))
    if tool not in interpreter.modules and not (own and program == tool):
        lent = _lend(tool, argv[at:], interpreter)
        if lent:
            return lent
    if re.fullmatch(r"python[\d.]*", program):
        return (str(interpreter.path), *rest)
    if program in ("pytest", "mypy") and program in interpreter.modules and not (own and program == "mypy"):
        return (str(interpreter.path), "-m", program, *rest)
    found = own or _search(program, workspace)
    if found is None:
        raise NotFound(f"{program} is not installed here")
    return (found, *rest)


def _lend(tool: str, rest: Sequence[str], interpreter: Interpreter) -> tuple[str, ...]:
    """Run what the project's environment lacks from git agent's own, as its checks are; empty for anything else."""
    if tool == "pytest" and interpreter.lender is not None:
        return (str(interpreter.path), "-c", _LENT, str(interpreter.lender), *rest)
    if tool == "mypy" and own_library("mypy") is not None:
        return (sys.executable, "-I", "-m", "mypy", "--python-executable", str(interpreter.path), *rest)
    ours = shutil.which("ruff", path=str(Path(sys.executable).parent)) if tool == "ruff" else None
    return (ours, *rest) if ours is not None else ()


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
    for mention in mentions(expose(argv)):
        target = os.path.realpath(f"{top}/{mention}")
        if target != top and not target.startswith(f"{top}/"):
            raise Denied(f"{mention!r} leads out of the worktree")
        if mention and os.path.lexists(target):
            paths.follow(bench.workspace, mention, bench.task.scope)


def _command(argv: Sequence[str], bench: Bench, *, writable: bool) -> Command:
    root, level = bench.workspace.root, bench.executor.isolation
    environment = (*NO_CACHES, *modules_first(root, level), *types_first(root, level, bench.ladder.interpreter))
    return Command(argv, root, timeout=SECONDS, writable=writable, environment=environment)


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
    edits = _edits(before, after, bench)
    if any(_brings_secret(edit.path, before.tree, bench) for edit in edits):
        # A record keeps the files as they stand after each call
        bench.workspace.restore(before.tree)
        text = "a file held a secret that must not be shown: all files were put back as they were before the command"
        raise Denied(text)
    return done, edits


def _brings_secret(path: str, before: str, bench: Bench) -> bool:
    """Tell whether a file holds a secret that it did not hold before."""
    holds = bench.ladder.redactor.holds
    try:
        data = disk.read(paths.entry(bench.workspace, path)).data
    except ToolError:
        data = b""  # it is gone, or no regular file
    if not holds(path) and not holds(data.decode("utf-8", "replace")):
        return False
    known = bench.workspace.read(before, path) or b""
    return not holds(known.decode("utf-8", "replace"))


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
