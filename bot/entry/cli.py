"""The command line: finds the command, and turns what went wrong into one line and an exit code."""

import os
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module

import click

from bot import __version__
from bot.errors import AgentError

COMMANDS = {
    "fix": "bot.entry.work",
    "plan": "bot.entry.work",
    "demo": "bot.entry.work",
    "log": "bot.entry.history",
    "show": "bot.entry.history",
    "diff": "bot.entry.history",
    "status": "bot.entry.history",
    "accept": "bot.entry.steps",
    "undo": "bot.entry.steps",
    "clean": "bot.entry.steps",
    "verify": "bot.entry.care",
    "doctor": "bot.entry.care",
}

UNEXPECTED = 3
INTERRUPTED = 130


class LazyGroup(click.Group):
    """A group that imports a command's module only when that command is asked for, so that each starts fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of a working day."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        if cmd_name not in COMMANDS:
            return None
        command = getattr(import_module(COMMANDS[cmd_name]), cmd_name)
        assert isinstance(command, click.Command)
        return command


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="git-agent", message="%(prog)s %(version)s")
@click.option("-C", "directory", metavar="DIR", default=".", help="Work on the repository in DIR.")
@click.pass_context
def cli(ctx: click.Context, directory: str) -> None:
    """A code agent that lives in Git: a throwaway branch, verified commits, evidence instead of claims."""
    ctx.obj = directory


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 0 well, 1 other outcomes, 2 usage, 3 unexpected, 130 interrupted."""
    try:
        code = cli.main(args=list(argv) if argv is not None else None, prog_name="git agent", standalone_mode=False)
    except (AgentError, click.ClickException, click.Abort, KeyboardInterrupt) as error:
        return _explain(error)
    except BrokenPipeError:
        # The reader went away (a pager that was closed); Python must not fail again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:  # noqa: BLE001 - the one place where everything unexpected ends
        return _crash(error)
    return code if isinstance(code, int) else 0


def _explain(error: AgentError | click.ClickException | click.Abort | KeyboardInterrupt) -> int:
    match error:
        case AgentError():
            return _complain(error.message, error.hint, error.exit_code)
        case click.exceptions.NoArgsIsHelpError():
            click.echo(error.format_message(), err=True)
            return error.exit_code
        case click.UsageError() if error.ctx is not None:
            return _complain(error.format_message(), f"{error.ctx.command_path} -h tells more", error.exit_code)
        case click.ClickException():
            return _complain(error.format_message(), "", error.exit_code)
        case _:
            return _complain("interrupted", "", INTERRUPTED)


def _complain(message: str, hint: str, code: int) -> int:
    line = " ".join(message.split())
    click.echo(f"git agent: {line}" + (f" ({hint})" if hint else ""), err=True)
    return code


def _crash(error: Exception) -> int:
    if os.environ.get("GIT_AGENT_DEBUG"):
        traceback.print_exception(error)
    return _complain(
        f"unexpected {type(error).__name__}: {error}",
        "this is a fault of git agent; nothing of yours was touched; GIT_AGENT_DEBUG=1 shows where",
        UNEXPECTED,
    )
