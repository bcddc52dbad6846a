import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from bot.core.check import Check, Rung
from bot.core.proof import Proof
from bot.core.publication.again import ROOM, show_again
from tests.conftest import Repo
from tests.core.publication.samples import EVIL, SETTING, VERIFIED, besieged, hostile

RUN = "refs/agent/runs/RUN"
TEST = "def test_one():\n    import calc\n\n    assert calc.one() == 1\n"


def blocks(text: str) -> list[str]:
    return re.findall(r"^```sh\n(.*?)\n```$", text, re.MULTILINE | re.DOTALL)


def test_the_commands_for_git_alone_show_the_red_and_the_green(repo: Repo) -> None:
    base = repo.commit({"calc.py": "def one():\n    return 2\n"})
    repo.git("switch", "-qc", "agent/fix-r1")
    tip = repo.commit({"calc.py": "def one():\n    return 1\n", "tests/test_calc.py": TEST})
    repo.git("switch", "-q", "--detach", base)
    repo.git("remote", "add", "origin", str(repo.path))
    step = VERIFIED.steps[0].model_copy(update={"commit": tip})
    cases = ("tests/test_calc.py::test_one",)
    report = VERIFIED.model_copy(
        update={
            "base": base,
            "tip": tip,
            "branch": "agent/fix-r1",
            "steps": (step,),
            "proof": Proof(red=cases, green=cases, mode="written"),
        }
    )
    check = Check(name="pytest", rung=Rung.UNIT, argv=(sys.executable, "-m", "pytest"), reader="pytest")
    setting = replace(SETTING, branch="agent/fix-r1", checks=(check,))
    commands = blocks(show_again(report, setting))[1]
    assert f"git checkout {tip} -- tests/test_calc.py" in commands
    told = commands.replace("::test_one", "::test_one -q; echo exit=$?")
    # The two versions of a file have one size and, where all is fast, one second: Python would not tell them apart
    quick = {"PYTHONDONTWRITEBYTECODE": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    environment = {**os.environ, **quick, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["sh", "-c", told], cwd=repo.path, env=environment, capture_output=True, text=True, check=False, timeout=60
    )
    assert re.findall(r"^exit=\d$", done.stdout, re.MULTILINE) == ["exit=1", "exit=0"], done.stderr
    assert repo.git("status", "--porcelain") == ""


def test_the_commands_for_git_agent_name_the_run_or_what_was_made_again() -> None:
    plain = blocks(show_again(VERIFIED, SETTING))[0]
    assert plain.split("\n")[1] == f"git agent verify {VERIFIED.run}"
    moved = replace(SETTING, tip="8" * 40, base=SETTING.base.model_copy(update={"now": "9" * 40, "state": "rebased"}))
    assert f"git agent verify {'9' * 40}..{'8' * 40}" in blocks(show_again(VERIFIED, moved))[0]


def test_hostile_names_never_become_a_command() -> None:
    for evil in (EVIL, "x; rm -rf ~", "$(id)", "`id`", "-n", "a b", "a'b", "a\nb"):
        text = show_again(hostile(evil, 1), besieged(evil))
        assert len(text) <= ROOM
        assert blocks(text)[0].split("\n")[:2] == [f"git fetch origin {RUN}:{RUN}", "git agent verify RUN"]
        assert len(blocks(text)) == 1
