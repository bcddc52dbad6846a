"""Commands that check: verify, doctor."""

import os
from pathlib import Path

import click

from bot.app import consoles
from bot.app import doctor as examination
from bot.app.proving.export import Exports
from bot.app.proving.prove import Wish, prove
from bot.app.proving.table import present
from bot.entry.options import as_json, checking, directory


@click.command(short_help="Run the proof of commits again, whoever made them.")
@click.argument("what", metavar="RANGE|BRANCH|RUN|PR")
@click.option("--tip", is_flag=True, help="Judge only the last commit, against the base of all.")
@click.option("--root", is_flag=True, help="Begin with the very first commit, held against an empty tree.")
@click.option("--no-worse", is_flag=True, help="Be content when nothing is worse than on the base.")
@click.option("--reuse", is_flag=True, help="Use what was found before for the same tree in the same environment.")
@click.option("--junit", metavar="FILE", default="", help="Also write JUnit XML; - for standard output.")
@click.option("--sarif", metavar="FILE", default="", help="Also write SARIF 2.1.0; - for standard output.")
@click.option("--annotate", is_flag=True, help="Also tell a workflow of GitHub, beside the lines and in its summary.")
@checking
@as_json
@directory
def verify(  # noqa: PLR0913 - an option each
    what: str,
    directory: Path,
    *,
    tip: bool,
    root: bool,
    no_worse: bool,
    reuse: bool,
    junit: str,
    sarif: str,
    annotate: bool,
    as_json: bool,
    **flags: object,
) -> int:
    """Run the proof of commits again, in clean trees and without a model, whoever made them.

    PR is #12, !12, pr/12 or the address of a pull request; it is fetched, and nothing of the repository changes.
    """
    exports = Exports(junit, sarif, annotate, os.environ.get("GITHUB_STEP_SUMMARY", ""))
    exports.check(as_json=as_json)
    judged = prove(directory, flags, Wish(what, root=root, tip=tip, reuse=reuse))
    if as_json:
        click.echo(judged.proved.model_dump_json())
    else:
        present(judged, consoles.progress() if exports.on_output else consoles.results())
    # After what a person reads, which must not be lost when a file cannot be written
    exports.write(judged)
    return 0 if judged.proved.sound or (no_worse and judged.proved.ok) else 1


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
