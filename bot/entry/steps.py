"""Commands that move: accept, undo, redo, clean."""

from pathlib import Path

import click

from bot.app import views
from bot.app.acceptance import accept as take
from bot.app.cleaning import clean as tidy
from bot.app.cleaning import finish
from bot.app.redoing import redo as go_forth
from bot.app.undoing import undo as go_back
from bot.entry.options import as_json, directory


@click.command()
@click.argument("run")
@as_json
@directory
def accept(run: str, directory: Path, *, as_json: bool) -> None:
    """Bring the verified commits of RUN onto the current branch."""
    _tell(take(directory, run), directory, run, as_json=as_json)


@click.command()
@click.argument("run", metavar="RUN[:STEP]")
@as_json
@directory
def undo(run: str, directory: Path, *, as_json: bool) -> None:
    """Take back the last step of RUN, or STEP and all after it.

    After an accept your branch goes back, too; commits that somebody may have already are reverted by new ones.
    """
    _tell(go_back(directory, run), directory, run.partition(":")[0], as_json=as_json)


@click.command()
@click.argument("run")
@as_json
@directory
def redo(run: str, directory: Path, *, as_json: bool) -> None:
    """Bring back what the last undo of RUN took."""
    _tell(go_forth(directory, run), directory, run, as_json=as_json)


def _tell(text: str, directory: Path, run: str, *, as_json: bool) -> None:
    """Say what was done, or print the report of the run as it stands now."""
    click.echo(views.report(directory, run).model_dump_json() if as_json else text)
    finish()


@click.command(short_help="Remove what runs left behind.")
@click.option("--force", is_flag=True, help="Also delete branches whose verified commits you have not taken.")
@click.option("--dry-run", is_flag=True, help="Only say what would be removed.")
@as_json
@directory
def clean(directory: Path, *, force: bool, dry_run: bool, as_json: bool) -> None:
    """Remove what dead runs left behind, the folders of hooks, and branches that you have taken."""
    cleaned = tidy(directory, force=force, dry_run=dry_run)
    click.echo(cleaned.model_dump_json() if as_json else cleaned.text)
