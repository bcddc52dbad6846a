"""Commands that check: verify, doctor."""

from pathlib import Path

import click

from bot.app import doctor as examination
from bot.app import proof
from bot.app.desk import open_desk
from bot.entry.options import as_json, checking, directory


@click.command(short_help="Run the proof of commits again, whoever made them.")
@click.argument("what", metavar="RANGE|BRANCH|RUN")
@checking
@as_json
@directory
def verify(what: str, directory: Path, *, as_json: bool, **flags: object) -> int:
    """Run the proof of commits again, in clean trees and without a model, whoever made them."""
    desk = open_desk(directory, flags)
    proved = proof.prove(desk, what)
    if as_json:
        click.echo(proved.model_dump_json())
    else:
        proof.present(proved)
    return 0 if proved.ok else 1


@click.command(short_help="Say what git agent finds on this machine.")
@as_json
@directory
def doctor(directory: Path, *, as_json: bool) -> int:
    """Say what git agent finds here: git, isolation, interpreter, checks, model."""
    diagnosis = examination.examine(directory)
    if as_json:
        click.echo(diagnosis.model_dump_json())
    else:
        examination.present(diagnosis)
    return 0 if diagnosis.ok else 1
