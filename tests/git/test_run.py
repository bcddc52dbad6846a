import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bot.errors import GitFailed, UsageError
from bot.git.launch import discover, environment, executable, redact
from bot.git.run import Git
from tests.conftest import IDENTITY, Repo


def git_of(repo: Repo) -> Git:
    return Git(repo.path / ".git", repo.path)


def test_variables_of_the_caller_do_not_steer_git(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR"):
        monkeypatch.setenv(name, str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "'core.hooksPath=/evil'")
    monkeypatch.setenv("GIT_TRACE", "1")
    assert git_of(repo).line("rev-parse", "--show-toplevel") == str(repo.path)
    assert git_of(repo).line("config", "core.hooksPath") == os.devnull
    assert not any(name.startswith("GIT_TRACE") and value != "0" for name, value in environment().items())


def test_nothing_asks_and_nothing_pages() -> None:
    env = environment()
    assert (env["GIT_TERMINAL_PROMPT"], env["GIT_PAGER"], env["GIT_OPTIONAL_LOCKS"], env["LC_ALL"]) == (
        "0",
        "cat",
        "0",
        "C",
    )


def test_a_setting_may_have_any_name(repo: Repo) -> None:
    git = Git(repo.path / ".git", repo.path, config=(("filter.a=b c.clean", ""),))
    assert git.line("config", "filter.a=b c.clean") == ""


def test_relative_folders_of_the_search_path_are_not_looked_into(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    repo.write({"git": f"#!/bin/sh\ntouch {tmp_path}/marker\n"})
    (repo.path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f".:{os.environ['PATH']}")
    assert git_of(repo).line("rev-parse", "--is-bare-repository") == "false"
    assert not (tmp_path / "marker").exists()


def test_a_failure_is_one_line_without_credentials(repo: Repo) -> None:
    with pytest.raises(GitFailed) as caught:
        git_of(repo).output("fetch", "http://me:hunter2@127.0.0.1:1/x.git?token=hunter3")
    assert "hunter" not in caught.value.message
    assert "\n" not in caught.value.message
    assert caught.value.message.startswith("git fetch failed: fatal: ")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("warning: x\nfatal: no\n", "fatal: no"),
        ("fatal: https://u:p@h/x\n", "fatal: https://h/x"),
        ("fatal: 'https://tok@h/x?access_token=1'\n", "fatal: 'https://h/x'"),
        ("something\x1b[31m odd\x07\n", "something[31m odd"),
        ("error: would be lost:\n\ta b\n\tc\nPlease move\nAborting\n", "error: would be lost: a b c"),
        ("", ""),
    ],
)
def test_complaints_are_made_fit_to_print(said: str, told: str) -> None:
    assert redact(said) == told


def test_long_messages_go_through_standard_input(repo: Repo) -> None:
    message = "x" * 300_000
    commit = git_of(repo).line(
        "commit-tree",
        "HEAD^{tree}",
        stdin=message.encode(),
        environ={f"GIT_{role}_{part}": "a" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")},
    )
    assert repo.git("log", "-1", "--format=%B", commit).strip() == message


def test_output_can_be_cut_short(repo: Repo) -> None:
    repo.commit({"big.txt": "line\n" * 200_000})
    answer = git_of(repo).head("cat-file", "blob", "HEAD:big.txt", limit=1000)
    assert (answer.code, len(answer.output)) == (0, 1000)
    assert git_of(repo).head("cat-file", "blob", "HEAD:nothing", limit=1000).code == 128


def test_a_missing_git_is_told_in_one_line() -> None:
    with pytest.raises(UsageError, match="git was not found"):
        executable("/nowhere")


def test_a_folder_that_is_gone_is_git_failing(tmp_path: Path) -> None:
    with pytest.raises(GitFailed, match="could not be started"):
        discover(tmp_path / "gone", "rev-parse")


@pytest.mark.parametrize("limit", [None, 10])
def test_git_does_not_take_for_ever(repo: Repo, limit: int | None) -> None:
    git = Git(repo.path / ".git", repo.path, timeout=0.2)
    slow = ("-c", "alias.slow=!sleep 20", "slow")
    begun = time.monotonic()
    with pytest.raises(GitFailed, match=r"did not finish within 0\.2 seconds"):
        git.ask(*slow) if limit is None else git.head(*slow, limit=limit)
    assert time.monotonic() - begun < 10


def test_git_that_is_stopped_takes_its_locks_away(repo: Repo) -> None:
    git = Git(repo.path / ".git", repo.path, timeout=1)
    with pytest.raises(GitFailed, match="did not finish"):
        git.ask("commit", "--all", "--allow-empty", environ={**IDENTITY, "GIT_EDITOR": "sleep 20 #"})
    assert not (repo.path / ".git/index.lock").exists()


def test_many_complaints_do_not_block_the_first_bytes(repo: Repo) -> None:
    loud = ("-c", "alias.loud=!yes complaint | head -c 300000 >&2; echo done", "loud")
    assert git_of(repo).head(*loud, limit=100).output == b"done\n"


INTERRUPTED = """
import random, signal, sys
from pathlib import Path
from bot.git.run import Git
git, chance = Git(Path(sys.argv[1])), random.Random(1)
signal.signal(signal.SIGALRM, signal.default_int_handler)
for _ in range(150):
    try:
        signal.setitimer(signal.ITIMER_REAL, chance.uniform(0.0002, 0.003))
        git.ask("rev-parse", "HEAD")
        signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        pass
"""


def test_however_it_is_interrupted_nothing_keeps_the_process_alive(repo: Repo) -> None:
    argv = (sys.executable, "-c", INTERRUPTED, str(repo.path / ".git"))
    done = subprocess.run(argv, timeout=60, check=False, capture_output=True, text=True)
    assert done.returncode in (0, 1, 130), done.stderr
