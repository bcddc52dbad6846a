"""Options that several commands share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import click

Command: TypeAlias = Callable[..., Any]
F = TypeVar("F", bound=Command)

LEVELS = ("auto", "bubblewrap", "landlock", "process")

CONSENT = "consent"


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


def checking(command: F) -> F:
    """Add the options of a command that runs checks."""
    return _add(command, _CHECKING)


def running(command: F) -> F:
    """Add the options of a command that runs a model."""
    return _add(command, _RUNNING)


def continuing(command: F) -> F:
    """Add the options of a command that takes a run up again: its base and its scope stay what they are."""
    return _add(command, _CONTINUING)


def _add(command: F, options: tuple[Callable[[Any], Any], ...]) -> F:
    for option in reversed(options):
        command = option(command)
    return command


def _limit(name: str, metavar: str, words: str) -> Callable[[Any], Any]:
    # Taken as text: the settings read and refuse it in the same words, wherever it comes from
    return click.option(f"--max-{name}", metavar=metavar, help=words)


def _flag(name: str, words: str) -> Callable[[Any], Any]:
    # Absent is not the same as no: a setting may say yes
    return click.option(name, is_flag=True, flag_value=True, default=None, help=words)


def _answer(name: str, words: str) -> Callable[[Any], Any]:
    return click.option(
        f"--{name}", is_flag=True, default=False, expose_value=False, is_eager=True, callback=_consent, help=words
    )


def _consent(ctx: click.Context, option: click.Parameter, given: bool) -> None:  # noqa: FBT001 - click calls it
    """Keep the answer that was given. Raises UsageError when there is another one."""
    if not given:
        ctx.params.setdefault(CONSENT, None)
        return
    if ctx.params.get(CONSENT):
        raise click.UsageError(f"--{ctx.params[CONSENT]} and --{option.name} contradict each other", ctx)
    ctx.params[CONSENT] = option.name


_CHECKING: tuple[Callable[[Any], Any], ...] = (
    click.option(
        "--check",
        "checks",
        metavar="NAME=CMD",
        multiple=True,
        help="A check of your own, judged by its exit code; may be repeated.",
    ),
    click.option(
        "--isolation", type=click.Choice(LEVELS), help="How commands are kept apart; refuses to run with less."
    ),
    click.option("--python", metavar="PATH", help="The project's interpreter; found by itself when not given."),
    click.option(
        "--prepare", metavar="CMD", multiple=True, help="Run CMD in a clean tree before its checks; may be repeated."
    ),
    _flag("--network", "Give the network to checks that ask for it, and to --prepare."),
    click.option("--workers", metavar="N", help="Processes that one check may use, or auto."),
)

_CONTINUING: tuple[Callable[[Any], Any], ...] = (
    click.option(
        "--model", metavar="SPEC", help="offline, openai:NAME, anthropic:NAME, scripted:FILE or recorded:RUN."
    ),
    click.option("--base-url", metavar="URL", help="The address of the service that has the model."),
    _limit("turns", "N", "Most replies of the model (80)."),
    _limit("steps", "N", "Most verified commits (20)."),
    _limit("seconds", "N", "Longest time (1800)."),
    _limit("tokens", "N", "Most tokens, in and out (no limit)."),
    _limit("cost", "USD", "Most money, for a model whose price is known (no limit)."),
    _limit("files", "N", "Most changed files, of a step and of all together (50)."),
    _limit("lines", "N", "Most changed lines, likewise (2000)."),
    _limit("bytes", "N", "Largest changed file (1000000); all together ten times as much."),
    click.option(
        "--trust",
        type=click.Choice(["trusted", "untrusted"]),
        help="Whether the task's author is; for an untrusted one bubblewrap is required.",
    ),
    _flag("--sign", "Sign the commits of steps, as your git configuration says."),
    _answer("yes", "Allow deletions and unlisted programs unasked; protected paths, or more than the limits, never."),
    _answer("ask", "Ask about each, protected paths too (default on a terminal)."),
    _answer("later", "Put each off: the run ends there, and resume --approve allows it."),
    _answer("no", "Refuse all of it (default elsewhere)."),
    *_CHECKING,
)

_RUNNING: tuple[Callable[[Any], Any], ...] = (
    click.option("--base", metavar="REV", default="", help="Start from REV instead of HEAD."),
    click.option("--since", metavar="REV", default="", help="What changed after REV is on trial; REV was green."),
    _flag("--include-uncommitted", "Start from a snapshot of your files as they stand, untracked ones too."),
    _flag("--require-clean", "Refuse to start while there is uncommitted work."),
    click.option("--scope", metavar="GLOB", multiple=True, help="Only these paths may change; may be repeated."),
    click.option("--protect", metavar="GLOB", multiple=True, help="These paths must not change; may be repeated."),
    *_CONTINUING,
)
