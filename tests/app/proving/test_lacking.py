"""What failing checks say that they did not find."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.app.proving.lacking import MOST, Lack, read_lacks
from bot.core.check import CaseResult, CheckResult, Rung


def failed(*messages: str, lacks: str = "", output: str = "") -> CheckResult:
    cases = tuple(
        CaseResult(id=f"t.py::t{n}", outcome="failed", message=text, lacks=lacks) for n, text in enumerate(messages)
    )
    return CheckResult(check="pytest", rung=Rung.UNIT, status="failed", cases=cases, output=output)


@pytest.mark.parametrize(
    ("message", "lack"),
    [
        ("ModuleNotFoundError: No module named 'plus'", Lack("plus", is_module=True)),
        ("E   ModuleNotFoundError: No module named 'pkg.sub'; 'pkg' is not a package", Lack("pkg.sub", is_module=True)),
        ("ImportError: cannot import name 'x' from 'pkg' (/a/pkg/__init__.py)", Lack("pkg.x", is_module=True)),
        (
            "ImportError: cannot import name 'x' from partially initialized module 'pkg' (/a)",
            Lack("pkg.x", is_module=True),
        ),
        ('Cannot find implementation or library stub for module named "plus"', Lack("plus", is_module=True)),
        ("FileNotFoundError: [Errno 2] No such file or directory: 'data/x.json'", Lack("data/x.json", is_module=False)),
        (
            "python: can't open file '/w/run.py': [Errno 2] No such file or directory",
            Lack("/w/run.py", is_module=False),
        ),
        ("Error: Cannot find module './plus'", Lack("./plus", is_module=False)),
    ],
)
def test_messages_of_common_tools_are_understood(message: str, lack: Lack) -> None:
    assert read_lacks(failed(message)) == (lack,)
    assert read_lacks(failed(output=f"noise\n{message}\nnoise")) == (lack,)


def test_what_a_case_says_itself_comes_first() -> None:
    assert read_lacks(failed("whatever", lacks="pkg.sub")) == (Lack("pkg.sub", is_module=True),)
    assert read_lacks(failed("whatever", lacks="data/x.json")) == (Lack("data/x.json", is_module=False),)


def test_cases_that_pass_lack_nothing() -> None:
    case = CaseResult(id="t.py::t", outcome="passed", message="No module named 'plus'")
    assert read_lacks(CheckResult(check="pytest", rung=Rung.UNIT, status="passed", cases=(case,))) == ()


@given(st.lists(st.text(max_size=80), max_size=5), st.text(max_size=400))
def test_any_output_is_read_to_its_end(messages: list[str], output: str) -> None:
    assert len(read_lacks(failed(*messages, output=output * 20))) <= MOST
