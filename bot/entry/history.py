"""Commands that look: log, show, diff, status."""

import sys
from pathlib import Path

import click

from bot.app import auditing, story, views
from bot.app.onlooker import on_terminal
from bot.entry.options import as_json, directory


@click.command()
@click.argument("run", required=False)
@as_json
@directory
def log(run: str | None, directory: Path, *, as_json: bool) -> None:
    """List the runs, newest first, or tell what happened in one."""
    if run is None:
        views.runs(directory, as_json=as_json)
    else:
        story.show_events(directory, run, as_json=as_json)


@click.command()
@click.argument("run")
@click.option("--audit", is_flag=True, help="Show every request, call, decision and check instead, and the totals.")
@as_json
@directory
def show(run: str, directory: Path, *, audit: bool, as_json: bool) -> None:
    """Show the report of a run, or its audit log."""
    if audit:
        auditing.show_audit(directory, run, as_json=as_json)
    elif as_json:
        click.echo(views.report(directory, run).model_dump_json())
    else:
        views.show_report(directory, run)


@click.command()
@click.argument("run", metavar="RUN[:STEP]")
@directory
def diff(run: str, directory: Path) -> None:
    """Print what a run, or one step of it, changed."""
    if on_terminal(sys.stdout):
        views.show_patch(directory, run)
    else:
        click.echo(views.patch(directory, run), nl=False)


@click.command(short_help="Say what is going on, and what waits for you.")
@as_json
@directory
def status(directory: Path, *, as_json: bool) -> None:
    """Say which runs are going on, which wait for you, and what was left behind."""
    views.status(directory, as_json=as_json)
