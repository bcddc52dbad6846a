import re

import pytest

from bot.core.check import CaseResult, CheckResult, Rung
from bot.core.publication.checkrun import MOST, annotations, check_run
from bot.core.publication.outputs import outputs, tell_outputs, workflow_commands
from bot.errors import ForgeError
from tests.core.publication.samples import EVIL, LATER, PARTIAL, SETTING, VERIFIED, hostile

DELIMITER = "d" * 32


@pytest.mark.parametrize(
    ("update", "conclusion"),
    [
        ({}, "success"),
        ({"outcome": "partial", "findings": ("a doubt",)}, "neutral"),
        ({"outcome": "partial", "findings": ("needs a person: a.py is gone",)}, "action_required"),
        ({"outcome": "partial", "stop": "interrupted"}, "cancelled"),
        ({"outcome": "gave_up", "steps": (), "stop": "needs_human"}, "action_required"),
        ({"outcome": "gave_up", "steps": (), "stop": "limit:turns"}, "failure"),
        ({"outcome": "failed", "steps": (), "stop": "model"}, "failure"),
        ({"outcome": "nothing", "steps": ()}, "neutral"),
    ],
)
def test_only_what_is_verified_is_a_success(update: dict[str, object], conclusion: str) -> None:
    assert check_run(VERIFIED.model_copy(update=update), SETTING).conclusion == conclusion


def test_a_check_run_says_what_the_pull_request_says() -> None:
    told = check_run(PARTIAL, LATER)
    assert told.sha == PARTIAL.tip
    assert (
        told.title
        == "Partial: no commit made a check worse, but what the evidence rests on was changed, so you have to look"
    )
    assert told.summary.startswith("> [!CAUTION]")
    assert "### Prove it again" in told.text


def test_remarks_stand_beside_the_lines_that_they_are_about() -> None:
    cases = (
        CaseResult(id="t.py::test_a", outcome="failed", message="assert 1 == 2\nmore", path="t.py", line=7),
        CaseResult(id="t.py::test_b", outcome="failed", message="no line", path="t.py"),
        CaseResult(id="t.py::test_c", outcome="passed", path="t.py", line=9),
        CaseResult(id="x", outcome="error", message="out", path="../etc/passwd", line=1),
    )
    result = CheckResult(check="pytest", rung=Rung.UNIT, status="failed", cases=cases)
    report = VERIFIED.model_copy(
        update={
            "findings": (
                "needs a person: src/a.py:12 silences a check: # noqa",
                "src/b.py:3, 4 holds U+202E (right-to-left override), which nobody sees",
                "still failing, as on the base: a.py:9::x",
                "12:30 is a time",
                "/abs/path.py:4 is outside",
            )
        }
    )
    found = annotations(report, [result])
    assert [(each.path, each.start, each.level, each.title) for each in found] == [
        ("t.py", 7, "failure", "pytest fails"),
        ("src/a.py", 12, "failure", "needs a person"),
        ("src/b.py", 3, "warning", "to be known"),
    ]
    assert found[0].message == "t.py::test_a\nassert 1 == 2\nmore"
    assert found[1].message == "silences a check: # noqa"


def test_no_more_remarks_are_made_than_a_forge_takes() -> None:
    findings = tuple(f"src/a.py:{n} is odd" for n in range(1, 200))
    assert len(annotations(VERIFIED.model_copy(update={"findings": findings}))) == MOST


def test_remarks_in_a_log_are_one_command_each_whatever_they_say() -> None:
    evil = "50%\r\n::set-output name=x::y\x1b[31m, a:b"
    case = CaseResult(id=evil, outcome="failed", message=evil, path="a,b:c.py", line=2)
    result = CheckResult(check=evil, rung=Rung.UNIT, status="failed", cases=(case,))
    text = workflow_commands(annotations(VERIFIED, [result]))
    assert text.count("\n") == 1
    assert text.startswith(
        "::error file=a%2Cb%3Ac.py,line=2,endLine=2,title=50%25 %3A%3Aset-output name=x%3A%3Ay%2C a%3Ab"
    )
    assert text.rstrip("\n").rpartition("::")[2].endswith(", a:b")
    many = workflow_commands(annotations(hostile(EVIL, 2)))
    assert all(re.match(r"::(?:error|warning|notice) file=", line) for line in many.splitlines())


def test_outputs_are_written_as_a_runner_reads_them() -> None:
    text = outputs(tell_outputs(VERIFIED, 13, "https://github.com/o/r/pull/13", "report"), DELIMITER)
    read = dict(re.findall(rf"^([a-z-]+)<<{DELIMITER}\n(.*?)\n{DELIMITER}$", text, re.MULTILINE | re.DOTALL))
    assert read == {
        "run": VERIFIED.run,
        "outcome": "verified",
        "branch": VERIFIED.branch,
        "commits": "5",
        "pr-number": "13",
        "pr-url": "https://github.com/o/r/pull/13",
        "cost": "0.000000",
        "report": "report",
    }


@pytest.mark.parametrize(
    ("name", "value", "delimiter"),
    [
        ("a", f"x\n{DELIMITER}\nPATH<<E\n/evil\nE", DELIMITER),
        ("a", "x\r\ny", DELIMITER),
        ("a", "\x1b[31m", DELIMITER),
        ("a", "x\x00", DELIMITER),
        ("a", "x\u2028y", DELIMITER),
        ("a\nb", "x", DELIMITER),
        ("A=1", "x", DELIMITER),
        ("a", "x" * 200_000, DELIMITER),
        ("a", "x", "EOF"),
        ("a", "x", "d" * 20 + "\n"),
    ],
)
def test_an_output_that_would_be_more_than_one_is_refused(name: str, value: str, delimiter: str) -> None:
    with pytest.raises(ForgeError):
        outputs([(name, value)], delimiter)
