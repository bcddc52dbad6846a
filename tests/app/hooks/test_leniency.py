"""What goes wrong with us at a hook is said and lets a person go on, unless they do not want that."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from bot.app.hooks.leniency import Unread, find_asked, is_strict
from bot.entry.cli import main
from tests.conftest import Repo
from tests.product import agent

THROUGH = "; the commit goes through"


def test_a_command_line_of_a_hook_is_known_however_it_is_written() -> None:
    for words in (
        "hook run pre-push origin -C x",
        "-C x hook run pre-push",
        "hook -Cx run pre-push",
        "-C x -Cy hook run",
    ):
        assert find_asked(words.split()) is not None
    asked = find_asked(["-C", "a", "hook", "run", "-Cb", "pre-push", "origin"])
    assert asked is not None
    assert (asked.hook, asked.directory, asked.passes) == ("pre-push", Path("a/b"), "the push goes through")
    for words in ("", "hook", "hook install pre-push", "run hook", "fix hook run", "-C", "--version hook run"):
        assert find_asked(words.split()) is None


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("no-such-hook",), "there is no hook 'no-such-hook' here"),
        ((), "missing argument 'HOOK'"),
        (("--odd",), "there is no hook '--odd' here"),
        (("-C", "/nowhere\x1b[31m", "pre-commit"), "no such folder: /nowhere"),
        (("-C", "/", "pre-commit"), "not a git repository: /"),
    ],
)
def test_our_own_failures_are_one_line_and_let_a_commit_through(
    repo: Repo, capsys: pytest.CaptureFixture[str], args: tuple[str, ...], words: str
) -> None:
    assert main(["-C", str(repo.path), "hook", "run", *args]) == 0
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith(f"git agent: not judged: {words}")
    assert shown.err.endswith(f"{THROUGH}\n")
    assert (len(shown.err.splitlines()), "\x1b" in shown.err) == (1, False)


def test_what_is_set_wrongly_lets_through_as_well_unless_a_person_is_strict(repo: Repo) -> None:
    repo.git("config", "agent.maxturns", "many")
    ran = agent(repo, "hook", "run", "pre-push")
    assert (ran.code, ran.out, len(ran.err.splitlines())) == (0, "", 1)
    assert "not judged: git config agent.max-turns: expected a whole number from 0 up, not 'many'" in ran.err
    repo.git("config", "agent.hook.strict", "yes")
    ran = agent(repo, "hook", "run", "pre-push")
    assert (ran.code, ran.err.endswith("; refused, as agent.hook.strict is set\n")) == (1, True)
    assert agent(repo, "hook", "run", "pre-push", env={"GIT_AGENT_HOOK_STRICT": "off"}).code == 0
    assert agent(repo, "hook", "run", "pre-push", env={"GIT_AGENT": "off"}).err == ""
    ran = agent(repo, "hook", "run", "post-checkout", "--odd", env={"GIT_AGENT_HOOK_STRICT": "on"})
    assert ran.code == 0


def test_strictness_hangs_on_nothing_else(repo: Repo, tmp_path: Path) -> None:
    def ask(config: str, environ: Mapping[str, str] | None = None, folder: Path = repo.path) -> bool:
        (Path(os.environ["HOME"]) / ".gitconfig").write_text(config)
        return is_strict(folder, environ or {})

    assert ask('[agent "hook"]\nstrict\n[agent]\nmaxturns = many\n')
    assert not ask('[agent "hook"]\nstrict = perhaps\n')
    assert not ask("[agent\n")
    assert not ask("", folder=tmp_path / "nowhere")
    assert ask("", {"GIT_AGENT_HOOK_STRICT": "TRUE"})
    assert not ask('[agent "hook"]\nstrict\n', {"GIT_AGENT_HOOK_STRICT": "no"})
    assert ask("", {"GIT_CONFIG_PARAMETERS": "'agent.hook.strict'='true'"})


def broken(folder: Path, *args: str, **env: str) -> tuple[int, str]:
    """Start us as we are where a part that everything needs is missing."""
    folders = [str(Path(__file__).parents[3]), *sys.path]
    code = (
        f"import sys, runpy; sys.path[:0] = {folders!r}; sys.modules['pydantic'] = None;"
        f"sys.argv[1:] = {list(args)!r}; runpy.run_module('bot', run_name='__main__', alter_sys=True)"
    )
    argv = [sys.executable, "-I", "-c", code]
    done = subprocess.run(argv, cwd=folder, env={**os.environ, **env}, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def test_an_installation_that_is_broken_lets_through_as_well(repo: Repo) -> None:
    repo.write({"new.py": "x = 1\n"})
    repo.git("add", ".")
    code, said = broken(repo.path, "hook", "run", "pre-commit")
    assert (code, len(said.splitlines())) == (0, 1)
    assert said.startswith("git agent: not judged: unexpected ModuleNotFoundError: ")
    assert said.endswith(f"{THROUGH}\n")
    assert broken(repo.path, "hook", "run", "pre-commit", GIT_AGENT_HOOK_STRICT="1")[0] == 1
    assert "Traceback" in broken(repo.path, "status")[1]


def test_nobody_who_reads_is_no_reason_to_refuse(repo: Repo) -> None:
    command = f"{sys.executable} -I -m bot hook run nonsense"
    for closed in ("2>&-", ">&- 2>&- <&-", "2>/dev/full"):
        done = subprocess.run(["bash", "-c", f"{command} {closed}"], cwd=repo.path, capture_output=True, check=False)
        assert done.returncode == 0, (closed, done)


@pytest.mark.parametrize("place", ["/dev/full", ""])
def test_an_answer_does_not_depend_on_whether_anybody_reads_what_is_said(place: str) -> None:
    said = "import os, sys; from bot.app.hooks.leniency import guard; guard(['hook', 'run', 'x']); PRINT; os._exit(7)"
    printing = "[print('x' * 9999, file=sys.stderr, flush=True) for _ in range(99)]; sys.stderr.isatty()"
    reader, writer = (0, os.open(place, os.O_WRONLY)) if place else os.pipe()
    if reader:
        os.close(reader)
    try:
        command = [sys.executable, "-I", "-c", said.replace("PRINT", printing)]
        assert subprocess.run(command, stderr=writer, check=False).returncode == 7
    finally:
        os.close(writer)


def test_what_can_be_read_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    stream = Unread(sys.stderr)
    stream.write("said\n")
    stream.flush()
    assert capsys.readouterr().err == "said\n"
