"""Commands that move: accept, undo, clean."""

from pathlib import Path

import click

from bot.app import steps, views
from bot.entry.options import as_json, directory


@click.command()
@click.argument("run")
@as_json
@directory
def accept(run: str, directory: Path, *, as_json: bool) -> None:
    """Bring the verified commits of RUN onto the current branch."""
    _tell(steps.accept(directory, run), directory, run, as_json=as_json)


@click.command()
@click.argument("run", metavar="RUN[:STEP]")
@as_json
@directory
def undo(run: str, directory: Path, *, as_json: bool) -> None:
    """Take back the last step of RUN, or STEP and all after it."""
    _tell(steps.undo(directory, run), directory, run.partition(":")[0], as_json=as_json)


def _tell(text: str, directory: Path, run: str, *, as_json: bool) -> None:
    """Say what was done, or print the report of the run as it stands now."""
    click.echo(views.report(directory, run).model_dump_json() if as_json else text)


@click.command(short_help="Remove what runs left behind.")
@click.option("--force", is_flag=True, help="Also delete branches whose verified commits you have not taken.")
@click.option("--dry-run", is_flag=True, help="Only say what would be removed.")
@as_json
@directory
def clean(directory: Path, *, force: bool, dry_run: bool, as_json: bool) -> None:
    """Remove what dead runs left behind, and branches that you have taken."""
    cleaned = steps.clean(directory, force=force, dry_run=dry_run)
    click.echo(cleaned.model_dump_json() if as_json else cleaned.text)
