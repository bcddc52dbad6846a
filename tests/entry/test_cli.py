"""The command line: help, versions, and what a person sees when something is wrong."""

import pytest
from click.testing import CliRunner

from bot import __version__
from bot.entry.cli import COMMANDS, cli, main
from tests.conftest import Repo
from tests.product import agent, run


def test_the_version_is_answered_by_both_ways() -> None:
    assert run("--version").out == f"git-agent {__version__}\n"
    assert CliRunner().invoke(cli, ["--version"]).output == f"git-agent {__version__}\n"


@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_command_explains_itself(name: str) -> None:
    done = CliRunner().invoke(cli, [name, "-h"])
    assert done.exit_code == 0, done.output
    assert done.output.startswith(f"Usage: cli {name}")
    assert "-C DIR" in done.output or name == "demo"


def test_without_a_command_the_help_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "fix" in capsys.readouterr().err


def test_the_folder_may_stand_before_or_after_the_command(repo: Repo) -> None:
    (repo.path / "sub").mkdir()
    assert agent(repo, "log").code == 0
    assert run("log", "-C", str(repo.path)).code == 0
    assert run("-C", str(repo.path), "log", "-C", "sub").code == 0


def test_a_task_and_failing_exclude_each_other(repo: Repo) -> None:
    ran = agent(repo, "fix", "--failing", "make it work")
    assert ran.code == 2
    assert "not both" in ran.err


def test_an_empty_task_is_refused(repo: Repo) -> None:
    assert agent(repo, "fix", "  ").code == 2
