"""The tool that runs an allow-listed program on the working tree."""

import os
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from bot.core.change import ChangeSet, FileChange
from bot.core.message import Edit
from bot.core.policy import refuse_command
from bot.errors import Denied, NotFound
from bot.protocols import Command
from bot.tools import disk, paths
from bot.tools.files import entry_lines
from bot.tools.schema import Words
from bot.tools.tool import Access, Arguments, Bench, Done, Tool
from bot.verify.interpreter import Interpreter

SECONDS = 120.0
NO_CACHES = (("PYTHONDONTWRITEBYTECODE", "1"), ("RUFF_NO_CACHE", "true"), ("MYPY_CACHE_DIR", os.devnull))
"""A cache in the worktree would look like a change, and stale bytecode like a result."""


class RunCommand(Arguments):
    """Run ruff, python FILE and the like; no shell."""

    argv: Words


def run_command(args: RunCommand, bench: Bench) -> Done:
    """Run a program in the worktree; a failing one is a result. Raises Denied, NotFound."""
    reason = refuse_command(args.argv)
    if reason is not None:
        raise Denied(reason)
    argv = resolve(args.argv, bench.ladder.interpreter)
    before = bench.workspace.diff()
    command = Command(argv, bench.workspace.root, timeout=SECONDS, writable=True, environment=NO_CACHES)
    bench.workspace.disturb()
    done = bench.executor.execute(command)
    bench.workspace.disturb()
    after = bench.workspace.diff()
    edits = _edits(before, after, bench)
    ended = (
        f"exit code {done.returncode}"
        if done.ended == "exited"
        else f"{done.ended.replace('_', ' ')} ({done.returncode})"
    )
    changed = f"changed: {', '.join(edit.path for edit in edits)}" if edits else "no file changed"
    return Done("\n".join(filter(None, (f"{ended}; {changed}", done.output.rstrip()))), edits, done.isolation)


def resolve(argv: Sequence[str], interpreter: Interpreter) -> tuple[str, ...]:
    """Name the program by its path: the project's own first, else git agent's own. Raises NotFound."""
    program, *rest = argv
    if re.fullmatch(r"python[\d.]*", program):
        return (str(interpreter.path), *rest)
    if program in ("pytest", "mypy") and program in interpreter.modules:
        return (str(interpreter.path), "-m", program, *rest)
    own = shutil.which(program, path=str(interpreter.path.parent))
    ours = shutil.which(program, path=str(Path(sys.executable).parent)) if program == "ruff" else None
    found = own or ours or shutil.which(program)
    if found is None:
        raise NotFound(f"{program} is not installed here")
    return (found, *rest)


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
