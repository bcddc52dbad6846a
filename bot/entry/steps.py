"""Commands that move: accept, undo, clean."""

from pathlib import Path

import click

from bot.app import steps
from bot.entry.options import directory


@click.command()
@click.argument("run")
@directory
def accept(run: str, directory: Path) -> None:
    """Bring the verified commits of RUN onto the current branch."""
    click.echo(steps.accept(directory, run))


@click.command()
@click.argument("run", metavar="RUN[:STEP]")
@directory
def undo(run: str, directory: Path) -> None:
    """Take back the last step of RUN, or STEP and all after it."""
    click.echo(steps.undo(directory, run))


@click.command(short_help="Remove what runs left behind.")
@click.option("--force", is_flag=True, help="Also delete branches whose verified commits you have not taken.")
@click.option("--dry-run", is_flag=True, help="Only say what would be removed.")
@directory
def clean(directory: Path, *, force: bool, dry_run: bool) -> None:
    """Remove what dead runs left behind, and branches that you have taken."""
    click.echo(steps.clean(directory, force=force, dry_run=dry_run))
