"""Lines that are wider than a terminal."""

import io

import pytest
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from bot.trace.layout import AROUND, fit, hang


@pytest.mark.parametrize(("what", "width"), [("reading " * 9, 80), ("読む" * 30, 60), ("x" * 99, 30), ("x" * 9, 3)])
def test_a_live_line_never_pushes_out_the_sign_that_moves_and_the_time(what: str, width: int) -> None:
    shown = fit(what, "turn 3 of 80, 1.2 k tokens", width)
    assert cell_len(shown) <= max(2, width - AROUND)
    assert ("(turn 3 of 80, 1.2 k tokens)" in shown) is (width >= 60)
    assert fit("thinking", "turn 1", 80) == "thinking  (turn 1)"
    assert fit("…of what is said the end is news", "turn 1", 42) == "…the end is news  (turn 1)"
    assert fit("thinking", "", 80) == "thinking"


def test_a_long_line_goes_on_below_its_words_on_a_terminal_and_stays_whole_elsewhere() -> None:
    text = Text(f"  ! {'word ' * 20}end")
    watched = hang(text, Console(file=io.StringIO(), force_terminal=True, width=50)).plain.split("\n")
    assert [line[:4] for line in watched] == ["  ! ", *["    "] * (len(watched) - 1)]
    assert len(watched) > 1
    assert " ".join(" ".join(watched).split()) == " ".join(text.plain.split())
    assert hang(text, Console(file=io.StringIO(), width=50)) is text
