"""The command that brings a run to GitHub: publish."""

from pathlib import Path

import click

from bot.app.cleaning import finish
from bot.app.github.desk import publish as bring
from bot.entry.options import as_json, directory
from bot.entry.work import tell_publication


@click.command(short_help="Push a run, and open its pull request on GitHub.")
@click.argument("run")
@as_json
@directory
def publish(run: str, directory: Path, *, as_json: bool) -> int:
    """Push the verified commits of RUN and its record, and open or update one pull request: a draft unless verified."""
    done = bring(directory, run)
    if as_json:
        click.echo(done.report.model_dump_json())
    tell_publication(done, quiet=as_json)
    finish()
    return done.code
