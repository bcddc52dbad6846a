"""The two places where a person reads."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from bot.app.consoles import PLAIN_WIDTH, Tidy, progress, results
from bot.app.onlooker import on_terminal
from bot.core.redact import sanitize


def written(content: object, *, colours: bool = False, width: int = 40) -> str:
    console = Console(
        file=io.StringIO(), width=width, force_terminal=colours, color_system="standard" if colours else None
    )
    console.print(Tidy(content))  # type: ignore[arg-type]
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_no_line_ends_with_blanks() -> None:
    table = Table(box=None)
    table.add_column("a")
    table.add_column("b", min_width=20)
    table.add_row("1", "2")
    for content in (table, Padding(Text("x\n\ny"), (0, 0, 0, 4)), Text("a   \nb  ")):
        lines = written(content).splitlines()
        assert lines == [line.rstrip() for line in lines]
        assert any(lines)


def test_blanks_inside_a_line_and_at_its_beginning_stay() -> None:
    assert written(Text.assemble("  a ", (" b", "red"), ("  ", "bold"), "c  ")) == "  a  b  c\n"


def test_colours_stay_and_what_foreign_text_would_do_to_a_terminal_does_not() -> None:
    text = written(Text("red\x1b[2J\x1b]0;title\x07", style="red"), colours=True)
    assert text == "\x1b[31mred\x1b[0m\n"


@given(st.text())
def test_whatever_is_printed_a_terminal_obeys_nothing_in_it(text: str) -> None:
    shown = written(Text(text.encode("utf-8", "replace").decode()), width=200)
    assert shown == sanitize(shown)
    assert "\x1b" not in shown


def test_a_text_without_an_end_of_line_gets_none() -> None:
    console = Console(file=io.StringIO(), width=40)
    console.print(Tidy(Text("Allow it? ", end="")), end="")
    assert isinstance(console.file, io.StringIO)
    assert console.file.getvalue() == "Allow it? "


def test_a_log_is_as_wide_as_promised() -> None:
    for console in (results(), progress()):
        assert console.width == PLAIN_WIDTH or console.is_terminal


def test_a_stream_that_is_closed_is_no_terminal() -> None:
    assert not on_terminal(None)
    assert not on_terminal(io.StringIO())


@pytest.mark.parametrize("name", ["FORCE_COLOR", "TTY_COMPATIBLE"])
def test_colours_in_a_log_bring_no_live_line(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "1")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    for console in (results(), progress()):
        assert console.is_terminal
        assert not console.is_interactive
        assert console.width == PLAIN_WIDTH


def test_in_a_workflow_no_line_is_a_command_of_its_runner(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    text = written(Text("::set-output name=x::y\n##[error]z"))
    assert not any(line.startswith(("::", "##[")) for line in text.splitlines())
    monkeypatch.delenv("GITHUB_ACTIONS")
    assert written(Text("::note::")).startswith("::note::")
