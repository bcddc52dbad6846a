"""The log of a job is taken apart into its steps, whatever it holds."""

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.core.redact import Redactor
from bot.core.redness.log import HEAD, TAIL, read_log
from tests.core.redness.logs import CLEAN_UP, PYTEST, STAMP, log, step


def test_a_failed_step_is_told_with_its_script_its_code_and_the_end_of_its_output() -> None:
    reading = read_log(log(step("ruff check", "All checks passed!"), PYTEST))
    (failed,) = reading.steps
    assert (failed.title, failed.script, failed.exit_code) == ("Run pytest -q", ("pytest -q",), 1)
    assert [claim.name for claim in failed.claims] == ["test_calc.py::test_add"]
    assert failed.errors == ("Process completed with exit code 1.",)
    assert failed.tools == ("pytest",)
    assert failed.excerpt.endswith("1 failed, 1 passed in 0.05s")
    assert failed.trouble is None
    assert reading.facts == ("3.9.19", "ubuntu-22.04", ())


def test_a_log_without_stamps_or_groups_is_read_as_one_step() -> None:
    reading = read_log("FAILED a_test.py::test_x - boom\n##[error]Process completed with exit code 2.")
    assert [claim.name for claim in reading.steps[0].claims] == ["a_test.py::test_x"]
    assert read_log("").steps == read_log("all is well\n").steps == ()


def test_what_a_carriage_return_overwrites_is_not_read() -> None:
    text = log(step("pytest", "FAILED gone.py::test_a\rFAILED kept.py::test_b - x", code=1))
    assert [claim.name for claim in read_log(text).steps[0].claims] == ["kept.py::test_b"]


@pytest.mark.parametrize(
    ("lines", "kind", "word"),
    [
        (("##[error]The operation was canceled.",), "cancelled", "cancelled"),
        (("##[error]The hosted runner lost communication with the server.",), "infrastructure", "connection"),
        (("##[error]No space left on device : '/home/runner/runners/_diag/x.log'",), "infrastructure", "disk"),
        (("##[error]The runner has received a shutdown signal.",), "infrastructure", "shut down"),
        (("##[error]The action 'Run pytest' has timed out after 5 minutes.",), "timeout", "time limit"),
        (("##[error]Unable to resolve action `octo/gone@v9`, not found",), "infrastructure", "action"),
        (("Killed", "##[error]Process completed with exit code 137."), "infrastructure", "memory"),
        (
            ("curl: (6) Could not resolve host: pypi.org", "##[error]Process completed with exit code 6."),
            "infrastructure",
            "name",
        ),
        (("HTTP 429: Too Many Requests", "##[error]Process completed with exit code 1."), "infrastructure", "requests"),
        (
            ("npm error code ECONNRESET", "##[error]Process completed with exit code 1."),
            "infrastructure",
            "connection failed",
        ),
        (
            ("E: Failed to fetch http://x/y.deb", "##[error]Process completed with exit code 100."),
            "infrastructure",
            "pack",
        ),
    ],
)
def test_what_ended_a_step_from_outside_is_told(lines: tuple[str, ...], kind: str, word: str) -> None:
    (failed,) = read_log(log(step("make all", *lines))).steps
    assert failed.trouble is not None
    assert failed.trouble.kind == kind
    assert word in failed.trouble.reason


def test_a_test_that_failed_is_not_excused_by_a_network_that_its_output_speaks_of() -> None:
    text = log(step("pytest", "E   OSError: connection timed out", "FAILED t.py::test_net - OSError", code=1))
    assert read_log(text).steps[0].trouble is None


def test_nothing_of_a_log_is_obeyed_and_no_secret_of_it_is_repeated() -> None:
    token = "ghp_" + "a1B2" * 9
    output = (
        f"token={token}",
        "::set-output name=x::y",
        "##[add-mask]x",
        "\x1b]0;title\x07held-secret-value",
        "a\u202eb",
    )
    (failed,) = read_log(log(step("run-it", *output, code=1)), Redactor(("held-secret-value",))).steps
    for unwanted in (token, "held-secret-value", "\x1b", "\u202e", "##["):
        assert unwanted not in failed.excerpt
    assert not any(line.startswith("::") for line in failed.excerpt.split("\n"))
    assert "[redacted]" in failed.excerpt
    (named,) = read_log(log(step("pytest", f"FAILED t.py::test_x[{token}] - x", code=1))).steps[0].claims
    assert token not in named.name


def test_a_step_cannot_be_invented_in_the_middle_of_a_line() -> None:
    (failed,) = read_log(log(step("sh x.sh", "say ##[group]Run pytest -q", code=1))).steps
    assert failed.title == "Run sh x.sh"


@given(st.text(max_size=400) | st.binary(max_size=400).map(lambda data: data.decode("latin-1")))
@example("##[group]Run \n##[error]\n##[endgroup]")
@example("\udc80##[error]FAILED a.py::b[\ud800]")
def test_any_text_is_read(text: str) -> None:
    for whole in (text, log(step(text, text, code=1)), f"##[error]{text}"):
        for failed in read_log(whole).steps:
            failed.excerpt.encode()
            assert "\x1b" not in failed.excerpt


@pytest.mark.parametrize("line", ["collected one of many lines", "##[group]Run x", "FAILED a.py::b[" + "] -" * 600])
def test_fifty_million_characters_are_read_in_no_time(line: str) -> None:
    stamped = f"{STAMP.format(1)}{line}\n"
    text = stamped * (50_000_000 // len(stamped)) + log(PYTEST)
    assert len(text) > HEAD + TAIL
    since = time.process_time()
    reading = read_log(text)
    assert time.process_time() - since < 2
    assert reading.cut
    assert reading.steps[-1].claims[0].name == "test_calc.py::test_add"


def test_the_end_of_a_job_that_the_runner_gave_up_is_told() -> None:
    assert (
        read_log("waiting\nThe job was not acquired by Runner of type hosted even after attempts").trouble is not None
    )
    assert read_log("\n".join(CLEAN_UP)).trouble is None
