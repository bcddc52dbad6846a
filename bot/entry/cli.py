"""The command line: finds the command, and turns what went wrong into one line and an exit code."""

import io
import os
import sys
import traceback
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path

import click

from bot import __version__
from bot.app.hooks.leniency import Asked, find_asked, pardon
from bot.app.loading import load
from bot.errors import AgentError, UsageError

COMMANDS = {
    "fix": "bot.entry.work",
    "plan": "bot.entry.work",
    "resume": "bot.entry.work",
    "demo": "bot.entry.work",
    "log": "bot.entry.history",
    "show": "bot.entry.history",
    "diff": "bot.entry.history",
    "status": "bot.entry.history",
    "accept": "bot.entry.steps",
    "undo": "bot.entry.steps",
    "redo": "bot.entry.steps",
    "clean": "bot.entry.steps",
    "publish": "bot.entry.publishing",
    "verify": "bot.entry.care",
    "doctor": "bot.entry.care",
    "hook": "bot.entry.hook",
    "action": "bot.entry.action",
}

UNEXPECTED = 3
INTERRUPTED = 130

LONGEST = 1000
"""Characters of a complaint; a task or a path in it may be of any length."""


class LazyGroup(click.Group):
    """A group that imports a command's module only when that command is asked for, so that each starts fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of a working day."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        if cmd_name not in COMMANDS:
            return None
        command = getattr(load(COMMANDS[cmd_name]), cmd_name)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or say which one may have been meant. Raises click.UsageError."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            near = get_close_matches(name, COMMANDS, n=1)
            guess = f"; did you mean {near[0]}?" if near else ""
            raise click.UsageError(f"there is no command {name!r}{guess}", ctx)
        return super().resolve_command(ctx, args)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="git-agent", message="%(prog)s %(version)s")
@click.option("-C", "directory", metavar="DIR", default=".", help="Work on the repository in DIR.")
@click.pass_context
def cli(ctx: click.Context, directory: str) -> None:
    """A code agent that lives in Git: a throwaway branch, verified commits, evidence instead of claims."""
    ctx.obj = directory
    try:
        Path.cwd()
    except OSError as error:
        raise UsageError("the folder that you are in is gone or closed to you", "go to one that exists") from error


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 0 well, 1 other outcomes, 2 usage, 3 unexpected, 130 interrupted."""
    args = sys.argv[1:] if argv is None else list(argv)
    hook = find_asked(args)
    _prepare_streams()
    try:
        code = _run(args)
        if sys.stdout is not None:
            sys.stdout.flush()
    except (AgentError, click.ClickException, click.Abort, KeyboardInterrupt) as error:
        return _explain(error, hook)
    except BrokenPipeError:
        # The reader went away, such as a pager that was closed; how a run ended was then not read by anybody
        _abandon_output()
        return 1 if hook is None else pardon(hook, "nobody reads what is said")
    except Exception as error:  # noqa: BLE001 - the one place where everything unexpected ends
        return _crash(error, hook)
    return code if isinstance(code, int) else 0


def _run(args: list[str]) -> object:
    """Do what click's own `main` does, short of its handling of a reader that went away."""
    try:
        with cli.make_context("git agent", args) as ctx:
            return cli.invoke(ctx)
    except click.exceptions.Exit as done:
        return done.exit_code


def _prepare_streams() -> None:
    """Let a terminal that cannot show a sign show a question mark, rather than end the run."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _abandon_output() -> None:
    """Keep Python from failing again when it flushes at exit."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _explain(error: AgentError | click.ClickException | click.Abort | KeyboardInterrupt, hook: Asked | None) -> int:
    match error:
        case AgentError():
            return _complain(error.message, error.hint, error.exit_code, hook)
        case click.exceptions.NoArgsIsHelpError():
            click.echo(error.format_message(), err=True)
            return error.exit_code
        case click.UsageError() if error.ctx is not None:
            return _complain(_plain(error), f"{error.ctx.command_path} -h tells more", error.exit_code, hook)
        case click.ClickException():
            return _complain(_plain(error), "", error.exit_code, hook)
        case _:
            return _complain("interrupted", "", INTERRUPTED, None)


def _plain(error: click.ClickException) -> str:
    """Write a message of click's as ours are written."""
    message = error.format_message()
    return message[:1].lower() + message[1:].removesuffix(".")


def _complain(message: str, hint: str, code: int, hook: Asked | None) -> int:
    line = _redact(" ".join(message.split()) + (f" ({hint})" if hint else ""))
    if hook is not None:
        return pardon(hook, line)
    shown = "".join(c if c.isprintable() else "\ufffd" for c in line)
    click.echo(f"git agent: {shown[:LONGEST]}{'…' if len(shown) > LONGEST else ''}", err=True)
    return code


def _redact(text: str) -> str:
    """Take out secrets: an error may quote whatever it was about."""
    # Loaded only here: most commands end without a complaint
    return str(import_module("bot.app.secrecy").clean(text))


def _crash(error: Exception, hook: Asked | None) -> int:
    if os.environ.get("GIT_AGENT_DEBUG"):
        click.echo(_redact("".join(traceback.format_exception(error))), err=True)
    if isinstance(error, OSError) and error.strerror:
        # The machine said no: to the place of the output, a temporary folder, the number of processes
        _abandon_output()
        where = f": {error.filename}" if error.filename else ""
        return _complain(f"the system refused: {error.strerror.lower()}{where}", _DEBUG, UNEXPECTED, hook)
    text = f"unexpected {type(error).__name__}: {error}"
    return _complain(text, f"this is a fault of git agent; {_DEBUG}", UNEXPECTED, hook)


_DEBUG = "GIT_AGENT_DEBUG=1 shows where"
