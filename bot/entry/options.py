"""Options that several commands share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import click

Command: TypeAlias = Callable[..., Any]
F = TypeVar("F", bound=Command)

LEVELS = ("auto", "bubblewrap", "process")


def directory(command: F) -> F:
    """Add `-C DIR`; the one behind the command wins over the one before it."""
    option = click.option(
        "-C", "directory", metavar="DIR", default=None, callback=_directory, help="Work on the repository in DIR."
    )
    return option(command)


def _directory(ctx: click.Context, _: click.Parameter, value: str | None) -> Path:
    outer = ctx.find_root().params.get("directory") or "."
    return Path(outer) / value if value is not None else Path(outer)


def as_json(command: F) -> F:
    """Add `--json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of words.")(command)


def running(command: F) -> F:
    """Add the options of a command that runs a model."""
    for option in reversed(_RUNNING):
        command = option(command)
    return command


_RUNNING: tuple[Callable[[Any], Any], ...] = (
    click.option("--model", metavar="SPEC", help="offline, scripted:FILE or recorded:RUN."),
    click.option("--base", metavar="REV", default="", help="Start from REV instead of HEAD."),
    click.option("--check", "checks", metavar="NAME=CMD", multiple=True, help="A check of your own, by its exit code."),
    click.option("--scope", metavar="GLOB", multiple=True, help="Only these paths may change."),
    click.option("--protect", metavar="GLOB", multiple=True, help="These paths must not change."),
    click.option("--max-turns", type=click.IntRange(0), metavar="N", help="Replies of the model."),
    click.option("--max-steps", type=click.IntRange(0), metavar="N", help="Verified commits."),
    click.option("--max-seconds", type=click.FloatRange(0), metavar="N", help="Wall clock."),
    click.option("--max-tokens", type=click.IntRange(0), metavar="N", help="Tokens in and out."),
    click.option("--max-cost", type=click.FloatRange(0), metavar="USD", help="Money."),
    click.option(
        "--isolation", type=click.Choice(["auto", "bubblewrap", "process"]), help="Fail when it is not to be had."
    ),
    click.option("--trust", type=click.Choice(["trusted", "untrusted"]), help="Whether the task's author is trusted."),
    click.option("--yes", "consent", flag_value="yes", default=None, help="Approve every risky call."),
    click.option("--ask", "consent", flag_value="ask", help="Ask about every risky call (default on a terminal)."),
    click.option("--no", "consent", flag_value="no", help="Refuse every risky call (default elsewhere)."),
    click.option("--python", metavar="PATH", help="The project's interpreter."),
)
