"""Uses the product as a person does: a process, its arguments, what it prints."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from bot.core.report import Report
from tests.conftest import Repo
from tests.warm import Process, complete, warm

Running: TypeAlias = "Process | subprocess.Popen[bytes]"

COMMAND = (sys.executable, "-I", "-m", "bot")


@dataclass(frozen=True)
class Ran:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def report(self) -> Report:
        """The report that `--json` printed."""
        return Report.model_validate_json(self.out)


def run(
    *args: str, cwd: Path | None = None, env: Mapping[str, str] | None = None, timeout: float = 120, fresh: bool = False
) -> Ran:
    """Run git agent to its end; `fresh` has the process itself be what a person starts, down to its first line."""
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "160", **(env or {})}
    ready = None if fresh else warm()
    if ready is not None and ready.suits(environment):
        done = complete(ready, args, str(cwd or Path.cwd()), environment, timeout)
    else:
        done = subprocess.run(
            [*COMMAND, *args],
            cwd=cwd,
            env=environment,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    return Ran(done.returncode, done.stdout, done.stderr)


def start(*args: str, cwd: Path, env: Mapping[str, str], out: int, err: int, fresh: bool = False) -> Running:
    """Start git agent and return at once; what it prints goes to two descriptors. See `run` for `fresh`."""
    environment = {**os.environ, "NO_COLOR": "1", **env}
    ready = None if fresh else warm()
    if ready is None or not ready.suits(environment):
        argv = [*COMMAND, *args]
        return subprocess.Popen(argv, cwd=cwd, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
    with open(os.devnull, "rb") as nothing:  # noqa: PTH123 - only its descriptor is wanted
        return ready.start(args, str(cwd), environment, (nothing.fileno(), out, err))


def await_event(repo: Repo, running: Running, word: str, times: int = 1) -> None:
    """Wait until the journal of the only run that goes on tells of so many events of a kind, or that run has ended."""
    needle = f'"event":"{word}"'.encode()
    while running.poll() is None:
        for path in (repo.path / ".git/agent/runs").glob("*/trace.jsonl"):
            with suppress(FileNotFoundError):
                if path.read_bytes().count(needle) >= times:
                    return
        time.sleep(0.01)


def agent(repo: Repo, *args: str, env: Mapping[str, str] | None = None) -> Ran:
    """Run git agent on a repository."""
    return run("-C", str(repo.path), *args, env=env)


def once(repo: Repo, folder: Path, make: Callable[[], Report]) -> Report:
    """Make a run in a repository, or lay in the repository as it was after the first time that this was asked for."""
    kept, told = folder / "repo", folder / "report.json"
    if told.exists():
        shutil.rmtree(repo.path)
        shutil.copytree(kept, repo.path, symlinks=True)
        return Report.model_validate_json(told.read_bytes())
    report = make()
    shutil.copytree(repo.path, kept, symlinks=True)
    told.write_text(report.model_dump_json())
    return report


def script(path: Path, *lines: Mapping[str, Any]) -> str:
    """Write a script for the scripted model and return the spec that names it."""
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return f"scripted:{path}"


def calls(*named: tuple[str, Mapping[str, Any]], text: str = "") -> dict[str, Any]:
    """Make one line of a script."""
    return {"text": text, "calls": [{"name": name, "arguments": dict(arguments)} for name, arguments in named]}


def edit(old: str, new: str, path: str = "calc.py") -> tuple[str, Mapping[str, Any]]:
    """Make a call of edit_file."""
    return ("edit_file", {"path": path, "old": old, "new": new})


def checkpoint(subject: str = "fix: add adds") -> tuple[str, Mapping[str, Any]]:
    """Make a call of checkpoint."""
    return ("checkpoint", {"subject": subject, "body": ""})


FINISH: tuple[str, Mapping[str, Any]] = ("finish", {"summary": "done"})


def leftovers(repo: Repo) -> Sequence[str]:
    """List worktrees beside the person's own."""
    listed = repo.git("worktree", "list", "--porcelain").split("\n\n")
    return [entry for entry in listed[1:] if entry.strip()]
