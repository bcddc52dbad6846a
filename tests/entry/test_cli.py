"""The command line: help, versions, and what a person sees when something is wrong."""

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from bot import __version__
from bot.entry.cli import COMMANDS, cli, main
from bot.entry.options import running
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
    assert "-C DIR" in done.output or name in ("demo", "action", "hook")


def test_each_part_of_hook_explains_itself_and_takes_a_folder() -> None:
    for name in ("install", "uninstall", "status", "run"):
        done = CliRunner().invoke(cli, ["hook", name, "-h"])
        assert (done.exit_code, "-C DIR" in done.output) == (0, True)
    assert main(["hook", "install", "pre-receive"]) == 2


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


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("fixx",), "did you mean fix?"),
        (("zzzz",), "there is no command 'zzzz' ("),
        (("fix", "--foo"), "no such option"),
        (("show",), "missing argument 'RUN' ("),
        (("fix", "--failing", "--issue", "1"), "give --issue or --failing, not both"),
        (("fix", "--issue", "1"), "this repository has no remote at GitHub (git remote add origin https://github.com/"),
        (("fix", "--plan", "r", "--issue", "1"), "give --plan or --issue, not both"),
        (("fix", "--plan", "r", "--failing"), "give --plan or --failing, not both"),
        (("fix", "--plan", "r"), "there are no runs here"),
        (("plan", "--edit", "r", "more"), "give --edit RUN or a task, not both"),
        (("plan", "--file", "x"), "--file goes with --edit RUN"),
        (("plan", "--issue", "twelve"), "not an issue: 'twelve' (--issue takes a number"),
        (("fix", "--pr"), "this repository has no remote at GitHub"),
        (("fix", "--yes", "--no"), "--yes and --no contradict each other"),
        (("plan", "--ask", "--no"), "contradict"),
        (("fix", "--max-turns", "many"), "--max-turns: expected a whole number from 0 up, not 'many'"),
        (("fix", "--max-seconds", "nan"), "--max-seconds: expected a number from 0 up"),
        (("fix", "--max-cost", "-1"), "--max-cost: expected a number from 0 up"),
        (("fix", "--isolation", "moat"), "'moat'"),
        (("fix", "--check", "unit"), "--check: expected NAME=COMMAND"),
        (("fix", "--model", "gpt"), "scripted:FILE and recorded:RUN"),
        (("fix", "--base", "nowhere"), "no commit is called 'nowhere'"),
        (("log", "x" * 5000), "there are no runs here"),
        (("fix", "--base", "\x1b[31m" + "x" * 5000), "no commit is called"),
    ],
)
def test_a_wrong_request_is_answered_by_one_line_and_leaves_nothing(
    repo: Repo, capsys: pytest.CaptureFixture[str], args: tuple[str, ...], words: str
) -> None:
    before = repo.state(), repo.git("for-each-ref")
    assert main(["-C", str(repo.path), *args]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert words in shown.err
    assert shown.err.startswith("git agent: ")
    assert len(shown.err.splitlines()) == 1
    assert len(shown.err) < 1200
    assert "\x1b" not in shown.err
    assert (repo.state(), repo.git("for-each-ref")) == before


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--python", "/nowhere"), "--python /nowhere"),
        (("--trust", "untrusted", "--isolation", "process"), "an untrusted task is not run"),
    ],
)
def test_what_a_run_cannot_work_with_is_said_before_it_begins(repo: Repo, args: tuple[str, ...], words: str) -> None:
    ran = agent(repo, "fix", *args)
    assert (ran.code, ran.out, repo.git("for-each-ref", "refs/agent")) == (2, "", "")
    assert words in ran.err
    assert len(ran.err.splitlines()) == 1


@pytest.mark.parametrize("name", ["yes", "ask", "no"])
def test_one_answer_to_risky_calls_may_be_given_more_than_once(name: str) -> None:
    seen: list[object] = []

    @click.command()
    @running
    def probe(**flags: object) -> None:
        seen.append(flags["consent"])

    assert CliRunner().invoke(probe, [f"--{name}", f"--{name}"]).exit_code == 0
    assert CliRunner().invoke(probe, []).exit_code == 0
    assert seen == [name, None]


def test_the_list_of_commands_is_not_cut_off() -> None:
    assert "..." not in run("-h").out.partition("Commands:")[2]


def test_settings_given_to_git_itself_count(repo: Repo) -> None:
    bin_folder = Path(sys.executable).parent
    done = subprocess.run(
        ["git", "-c", "agent.model=nobody", "agent", "fix"],
        cwd=repo.path,
        env={**os.environ, "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert "there is no model 'nobody'" in done.stderr


def shell(command: str, folder: Path, *, python: str = "") -> subprocess.CompletedProcess[str]:
    """Run `$AGENT …` as a person's shell would."""
    agent_command = f"{sys.executable} -I {python} -m bot"
    env = {**os.environ, "AGENT": agent_command, "LC_ALL": "C"}
    return subprocess.run(["bash", "-c", command], cwd=folder, env=env, capture_output=True, text=True, check=False)


def test_a_reader_that_goes_away_is_not_complained_about_and_not_taken_for_success(repo: Repo) -> None:
    done = shell('$AGENT doctor --json | true; echo "${PIPESTATUS[0]}"', repo.path)
    assert (done.stdout, done.stderr) == ("1\n", "")


@pytest.mark.parametrize("command", ["log --json", "doctor", "-h"])
def test_closed_streams_are_no_error(repo: Repo, command: str) -> None:
    assert shell(f"$AGENT {command} >&- 2>&- <&-", repo.path).returncode == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("command", ["log", "status --json"])
def test_a_full_disk_is_told_in_one_line(repo: Repo, command: str) -> None:
    done = shell(f"$AGENT {command} >/dev/full", repo.path)
    assert done.returncode == 3
    assert len(done.stderr.splitlines()) == 1
    assert "no space left" in done.stderr


def test_an_encoding_without_our_signs_shows_others(repo: Repo) -> None:
    done = shell("$AGENT doctor", repo.path, python="-X utf8=0")
    assert done.returncode == 0, done.stderr
    assert "? " in done.stdout


def test_a_folder_that_is_gone_is_told_in_one_line(tmp_path: Path) -> None:
    done = shell("mkdir gone && cd gone && rmdir ../gone && $AGENT log", tmp_path)
    assert done.returncode == 2
    assert "the folder that you are in is gone" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_packages_of_the_project_are_never_ours(repo: Repo) -> None:
    evil = 'raise SystemExit("hijacked")\n'
    repo.commit({f"{name}/__init__.py": evil for name in ("bot", "click", "rich", "pydantic")}, "packages")
    done = shell("PYTHONPATH=. $AGENT status", repo.path)
    assert done.returncode == 0, done.stderr
    assert "hijacked" not in done.stdout + done.stderr
