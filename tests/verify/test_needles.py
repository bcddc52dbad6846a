"""Much output, few words: what a check says is wrong reaches a model whole, and the noise around it does not."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.core.check import CaseResult, Check, CheckResult, Comparison, Rung, Verdict
from bot.core.weight import weigh
from bot.verify.digest import LARGEST, TOKENS, digest
from bot.verify.ladder import Ladder
from tests.conftest import executor
from tests.verify.conftest import bare, write

MEGABYTE = 1 << 20


def noise(size: int, seed: int = 1) -> Iterator[str]:
    """Give lines of a build log, of which none tells anything."""
    words = random.Random(seed)
    while size > 0:
        line = f"{words.random():.9f} step {words.randrange(10**6)} of 'build/{words.randrange(999)}.o' {'ok ' * 9}"
        size -= len(line) + 1
        yield line


def among(needles: list[str]) -> str:
    """Hide lines all over a megabyte of noise."""
    lines = list(noise(MEGABYTE))
    for number, needle in enumerate(needles):
        lines.insert((number * 2 + 1) * len(lines) // (2 * len(needles)), needle)
    return "\n".join(lines) + "\n"


WORDED = [f"error: module_{chr(97 + n)} has no member {chr(97 + n) * 9}" for n in range(20)]
NUMBERED = [f"src/part_{n}.c:{n * 7}:3: error: 'x{n}' undeclared" for n in range(30)]
RAISED = [f"{kind}: thing {n} went wrong" for n, kind in enumerate(["KeyError", "ValueError", "OSError"] * 4)]


def ran(text: str, folder: Path, name: str = "make", code: int = 2) -> CheckResult:
    """Run a declared command that prints a text and fails."""
    write(folder, {"said.txt": text, "check.sh": f"cat said.txt\nexit {code}\n"})
    check = Check(name=name, rung=Rung.UNIT, argv=("/bin/sh", "check.sh"), reader="exit", timeout=60)
    return Ladder((check,), executor(), bare()).run(check, folder, ())


@pytest.mark.parametrize("needles", [WORDED, NUMBERED, RAISED], ids=["worded", "numbered", "raised"])
def test_errors_in_the_middle_of_a_megabyte_reach_the_model(needles: list[str], tmp_path: Path) -> None:
    told = digest(Verdict(tree="t", results=(ran(among(needles), tmp_path),)))
    assert [needle for needle in needles if needle not in told] == []
    assert len(told.encode()) <= LARGEST
    assert weigh(told) <= TOKENS


def test_an_error_said_a_million_times_is_said_once(tmp_path: Path) -> None:
    text = among([*WORDED, *["warning: retry failed, error 7"] * 9000])
    told = digest(Verdict(tree="t", results=(ran(text, tmp_path),)))
    assert [needle for needle in WORDED if needle not in told] == []
    assert told.count("warning: retry failed") <= 6


LONG = "AssertionError: assert 'needle {} {}' == '{}'\n> assert f() == wanted"


def test_a_check_that_ends_badly_tells_its_errors_too(tmp_path: Path) -> None:
    result = ran(f"{among(WORDED)}\n", tmp_path, code=2)
    errored = result.model_copy(update={"status": "errored", "cases": (), "summary": "timed out after 60 s"})
    text = digest(Verdict(tree="t", results=(errored,)))
    assert text.splitlines()[1] == "ERRORED make: timed out after 60 s"
    assert [needle for needle in WORDED if needle not in text] == []


def failing(number: int, message: str, **more: object) -> CaseResult:
    given = {"path": f"tests/test_{number % 9}.py", "line": number, **more}
    return CaseResult.model_validate(
        {"id": f"tests/test_{number % 9}.py::test_{number}", "outcome": "failed", "message": message, **given}
    )


def told(*cases: CaseResult) -> str:
    result = CheckResult(check="pytest", rung=Rung.UNIT, status="failed", cases=cases, summary=f"{len(cases)} failed")
    return digest(Verdict(tree="t", results=(result,), comparison=Comparison(broken=tuple(case.id for case in cases))))


@pytest.mark.parametrize(
    ("cases", "needles"),
    [
        (
            [failing(n, f"ValueError: needle {chr(97 + n)} is wrong\n> f({n})") for n in range(25)],
            "abcdefghijklmnopqrstuvwxy",
        ),
        ([failing(n, LONG.format(chr(97 + n), "a" * 800, "b" * 900)) for n in range(12)], "abcdefghijkl"),
    ],
    ids=["many different", "long comparisons"],
)
def test_every_distinct_failure_is_told(cases: list[CaseResult], needles: str) -> None:
    text = told(*cases)
    assert [n for n in needles if f"needle {n} " not in text] == []
    assert weigh(text) <= TOKENS


def test_one_cause_of_two_thousand_failures_is_told_once_with_its_places() -> None:
    text = told(*(failing(n, "ConnectionError: no needle here") for n in range(2000)))
    assert text.count("FAILED") <= 24
    assert "more elsewhere" in text
    assert len(text) < 3000
