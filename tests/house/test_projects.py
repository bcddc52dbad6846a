"""What docs/projects.md says can be copied and pasted."""

import re
import shlex
from pathlib import Path

import pytest

from bot.app.desk import open_desk
from bot.core.check import Rung
from bot.core.declared import Declared
from bot.settings import Settings, Sources, gather
from tests.app.test_environment import judge, status
from tests.conftest import Repo

PAGE = (Path(__file__).parents[2] / "docs/projects.md").read_text()
TABLES = re.findall(r"^```toml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
TYPED = [line[2:] for line in PAGE.splitlines() if line.startswith("$ ")]


def read(text: str) -> Settings:
    settings, notes = gather(Sources({"network": True}, {}, (), text.encode()))
    assert not notes
    return settings


@pytest.mark.parametrize("text", TABLES)
def test_every_table_is_read_without_a_remark(text: str) -> None:
    settings = read(text)
    assert settings.checks or settings.carry or settings.prepare


def test_every_key_of_a_check_is_explained() -> None:
    assert re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE) == list(Declared.model_fields)


def test_settings_that_are_typed_are_read_without_a_remark(repo: Repo) -> None:
    for line in TYPED:
        if line.startswith("git config"):
            repo.git(*shlex.split(line)[1:])
    desk = open_desk(repo.path, {})
    assert not desk.notes
    checks = {check.name: check for check in desk.settings.checks}
    assert checks["unit"].argv == ("make", "test")
    assert (checks["web"].rung, checks["web"].folder, checks["web"].timeout) == (Rung.UNIT, "web", 120.0)
    assert desk.settings.carry == ("generated",)
    assert desk.settings.prepare == (("npm", "run", "generate"),)
    assert (desk.settings.network, desk.settings.workers) == (True, 4)


def test_the_table_of_the_page_runs_a_package_that_writes_junit(repo: Repo) -> None:
    settings = next(text for text in TABLES if "junit" in text)
    xml = '<testsuite><testcase name=\\"renders\\" classname=\\"page\\"/></testsuite>'
    script = f'#!/bin/sh\nmkdir -p reports && echo "{xml}" > reports/junit.xml\n'
    repo.commit(
        {
            "pyproject.toml": settings.replace("npm test -- --ci", "./run").replace('["node", "./node_modules"]', "[]"),
            "Makefile": "test:\n\ttrue\n",
            "web/run": script,
        }
    )
    (repo.path / "web/run").chmod(0o755)
    repo.commit({}, "can be run")
    verdict = judge(open_desk(repo.path, {"isolation": "process"}))
    assert status(verdict)["web"] == "passed", [result.summary for result in verdict.results]
    web = verdict.result("web")
    assert web is not None
    assert [case.outcome for case in web.cases] == ["passed"]
    assert "renders" in web.cases[0].id


def test_what_is_prepared_on_the_page_is_made_before_the_checks(repo: Repo) -> None:
    line = next(line for line in TYPED if "--prepare" in line)
    command = shlex.split(line)[-1]
    repo.commit(
        {"Makefile": "generated:\n\techo N = 1 > made.py\n", "test_made.py": "def test_made():\n    import made\n"}
    )
    verdict = judge(open_desk(repo.path, {"isolation": "process", "prepare": (command,)}))
    pytest_said = verdict.result("pytest")
    assert pytest_said is not None
    assert {case.id: case.outcome for case in pytest_said.cases}["test_made.py::test_made"] == "passed"
