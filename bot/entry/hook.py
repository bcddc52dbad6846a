"""The hooks of git: installed, taken away, looked at, and answered."""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

import click

from bot.app.hooks import installing
from bot.core.hook import HookName
from bot.entry.options import as_json, directory

_NAMES: Callable[[Any], Any] = click.argument(
    "names", metavar="[HOOK]...", nargs=-1, type=click.Choice(get_args(HookName))
)


@click.group(short_help="Judge commits and pushes when they are made.")
def hook() -> None:
    """Judge commits and pushes at the moment they are made.

    HOOK is pre-commit, pre-merge-commit, commit-msg, post-checkout or pre-push.
    """


@hook.command(short_help="Write hooks; one that is there goes first.")
@_NAMES
@click.option("--force", is_flag=True, help="Also into a folder that is tracked, or that all repositories share.")
@directory
def install(names: tuple[HookName, ...], directory: Path, *, force: bool) -> None:
    """Write hooks that ask git agent: pre-commit, pre-merge-commit and pre-push, or those that are named.

    A hook that is there already is kept, and goes first.
    """
    click.echo(installing.install(directory, names, force=force))


@hook.command(short_help="Take hooks of ours away.")
@_NAMES
@directory
def uninstall(names: tuple[HookName, ...], directory: Path) -> None:
    """Take hooks of ours away, all or those that are named, and put back what was there before them."""
    click.echo(installing.uninstall(directory, names))


@hook.command(short_help="Say which hooks stand where.")
@_NAMES
@as_json
@directory
def status(names: tuple[HookName, ...], directory: Path, *, as_json: bool) -> None:
    """Say which hooks stand where git looks for them, and whether ours can run."""
    states = installing.status(directory, names)
    click.echo(states.model_dump_json() if as_json else states.text)


@hook.command(
    short_help="Answer git; what hooks and hook frameworks start.",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.argument("name", metavar="HOOK")
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
@directory
def run(name: str, args: tuple[str, ...], directory: Path) -> int:
    """Answer git at HOOK, given what git gives it: 0 to go on, 1 to refuse.

    A failure of our own lets it through with a warning, unless agent.hook.strict is set.
    """
    # Loads nearly everything; who installs does not wait for it
    code: int = import_module("bot.app.hooks.run").run_hook(name, args, directory)
    return code
