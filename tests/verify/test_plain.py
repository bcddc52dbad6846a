"""Commands of any language."""

import os
from pathlib import Path

import pytest

from bot.core.check import Check, CheckResult, Rung
from tests.verify.conftest import ladder_for, outcomes, write

REPORT = """<?xml version="1.0" encoding="utf-8"?>
<testsuites><testsuite name="suite" file="src/a.test.js" tests="3">
<testcase classname="a" name="adds" time="0.5"/>
<testcase classname="a" name="fails" line="7"><failure message="expected 3">at a.js</failure></testcase>
<testcase name="waits"><skipped/></testcase>
</testsuite></testsuites>
"""
GOOD = REPORT.replace('<failure message="expected 3">at a.js</failure>', "")


def run(root: Path, script: str, junit: str = "out/junit.xml", folder: str = "") -> CheckResult:
    argv = ("/bin/sh", "-c", script)
    check = Check(name="web", rung=Rung.UNIT, argv=argv, timeout=60, junit=junit, folder=folder)
    return ladder_for(root, check).run(check, root)


def writing(root: Path, report: str, code: int) -> CheckResult:
    write(root, {"told.xml": report})
    return run(root, f"mkdir -p out; cp told.xml out/junit.xml; exit {code}")


def test_cases_of_the_report_are_cases_of_the_check(tmp_path: Path) -> None:
    result = writing(tmp_path, REPORT, 1)
    assert (result.status, outcomes(result)) == (
        "failed",
        {"a::adds": "passed", "a::fails": "failed", "waits": "skipped"},
    )
    assert result.summary == "1 passed, 1 failed, 1 skipped; weaker evidence: the command's own report"
    (failed,) = (case for case in result.cases if case.bad)
    assert (failed.path, failed.line) == ("src/a.test.js", 7)
    assert failed.message.startswith("expected 3")
    assert writing(tmp_path, GOOD, 0).status == "passed"


@pytest.mark.parametrize(
    ("report", "code", "status", "said"),
    [
        (REPORT, 0, "errored", "names failures"),
        (GOOD, 2, "failed", "names no failure"),
        ("<testsuites/>", 0, "errored", "holds no test"),
        ("<testsuites>", 0, "errored", "cannot be read"),
        ("", 0, "errored", "cannot be read"),
        ('<!DOCTYPE x [<!ENTITY a "b">]><testsuite><testcase name="&a;"/></testsuite>', 0, "errored", "document type"),
        ("<a>" * 60 + "</a>" * 60, 0, "errored", "nested too deep"),
    ],
)
def test_exit_code_and_report_have_to_agree(tmp_path: Path, report: str, code: int, status: str, said: str) -> None:
    result = writing(tmp_path, report, code)
    assert result.status == status
    assert said in result.summary


def test_report_of_an_earlier_run_proves_nothing(tmp_path: Path) -> None:
    write(tmp_path, {"out/junit.xml": GOOD})
    result = run(tmp_path, "exit 0")
    assert (result.status, result.summary) == ("errored", "exit code 0, but it wrote no out/junit.xml")
    result = run(tmp_path, "echo broken; exit 3")
    assert (result.status, result.cases[0].message) == ("failed", "exit code 3: broken")


@pytest.mark.parametrize("script", [
    "mkdir -p out; ln -s ../../outside.xml out/junit.xml",
    "ln -s .. out; cp {root}/../outside.xml out/junit.xml",
    "mkdir -p out; mkfifo out/junit.xml",
    "mkdir -p out/junit.xml",
    "mkdir -p out; truncate -s 40000000 out/junit.xml",
])  # fmt: skip
def test_report_that_is_no_file_of_the_tree_is_not_believed(tmp_path: Path, script: str) -> None:
    root = write(tmp_path / "root", {"told.xml": GOOD})
    write(tmp_path, {"outside.xml": GOOD})
    result = run(root, script.format(root=root))
    assert result.status == "errored"


def test_link_that_leads_outside_removes_nothing_there(tmp_path: Path) -> None:
    write(tmp_path, {"outside/junit.xml": GOOD, "root/a.txt": ""})
    (tmp_path / "root/out").symlink_to("../outside")
    result = run(tmp_path / "root", "exit 0")
    assert result.status == "errored"
    assert (tmp_path / "outside/junit.xml").exists()


def test_report_lies_in_the_folder_of_the_check_and_is_told_from_the_root(tmp_path: Path) -> None:
    write(tmp_path, {"web/told.xml": REPORT})
    result = run(tmp_path, "cp told.xml junit.xml; exit 1", "junit.xml", "web")
    assert result.status == "failed"
    assert {case.path for case in result.cases} == {"web/src/a.test.js"}
    assert run(tmp_path, "exit 0", "../../x.xml", "web").status == "errored"


def test_exit_code_alone_is_said_to_be_weaker(tmp_path: Path) -> None:
    result = run(tmp_path, "exit 0", "")
    assert (result.status, result.summary) == (
        "passed",
        "exit code 0; weaker evidence: an exit code and nothing else",
    )
    assert os.listdir(tmp_path) == []  # noqa: PTH208 - names are enough


@pytest.mark.parametrize("recipe", ["nowhere-to-be-found run", "nowhere-to-be-found run && true"])
def test_make_that_finds_no_program_tells_nothing(tmp_path: Path, recipe: str) -> None:
    write(tmp_path, {"Makefile": f"test:\n\t{recipe}\n\nbroken:\n\tfalse\n"})
    absent, broken = (
        ladder_for(tmp_path, check).run(check, tmp_path)
        for check in (
            Check(name=f"make-{target}", rung=Rung.UNIT, argv=("make", target), timeout=60)
            for target in ("test", "broken")
        )
    )
    assert absent.status == "errored"
    assert "starts something that is not here" in absent.summary
    assert "nowhere-to-be-found" in absent.summary
    assert broken.status == "failed"
