"""The demonstration: a small project with history and a few faults, mended and proved before your eyes."""

import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

from bot.app import consoles
from bot.app.desk import make_request, open_desk, start_of
from bot.app.perform import perform
from bot.app.proving.prove import Wish, prove
from bot.app.proving.table import present
from bot.errors import UsageError
from bot.git.create import create_repository
from bot.samples.project import revisions


def show(folder: Path | None) -> int:
    """Make the project, run `git agent fix` on it, show the branch and prove it again; return the exit code."""
    console = consoles.results()
    place = _place(folder)
    create_repository(place, revisions())
    _type(console, f"cd {place}")
    _type(console, "git log --oneline")
    desk = open_desk(place, {"model": "offline"})
    git = desk.repository.git
    console.print(Text(git.output("log", "--oneline").decode().rstrip()))
    _type(console, "git agent fix --model offline")
    report = perform(desk, make_request(desk, "", since=start_of(desk)))
    if not report.steps:
        return report.exit_code
    _type(console, f"git log {report.base[:10]}..{report.branch}")
    console.print(Text(git.output("log", f"{report.base}..{report.tip}").decode().rstrip()))
    _type(console, f"git agent verify {report.run}")
    judged = prove(place, {"model": "offline"}, Wish(report.run))
    present(judged, console)
    console.print(Text(f"\nThe project is yours to look at: {place}", style="bold"))
    return report.exit_code or (0 if judged.proved.green else 1)


def _place(folder: Path | None) -> Path:
    if folder is None:
        return Path(tempfile.mkdtemp(prefix="git-agent-demo-")) / "project"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        occupied = any(folder.iterdir())
    except OSError as error:
        raise UsageError(
            f"the demonstration cannot be made in {folder}: {error.strerror}", "name a new folder"
        ) from error
    if occupied:
        raise UsageError(f"{folder} is not empty", "name a new folder")
    return folder.resolve()


def _type(console: Console, command: str) -> None:
    console.print(Text.assemble("\n", ("$ ", "dim"), (command, "bold")))
