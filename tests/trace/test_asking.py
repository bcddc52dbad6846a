"""What a person sees before something risky is done, and what their keys mean."""

import io
import os
import pty
from typing import Any

import pytest
from rich.console import Console

from bot.core.approval import Answer, Decision, Question
from bot.core.event import Decided
from bot.trace.terminal import Terminal

DIFF = "diff --git a/action.yml b/action.yml\n@@ -1 +1 @@\n-old\n+new\n"
ASKED = Question(risk="protected", subject="action.yml", why="changes action.yml: protected (action.y*ml)", shown=DIFF)


class Keys(io.StringIO):
    """Somebody at a keyboard."""

    def isatty(self) -> bool:
        return True


def put(question: Question, answers: io.StringIO, width: int = 100) -> tuple[Answer | None, str]:
    console = Console(file=io.StringIO(), force_terminal=True, width=width, color_system=None, highlight=False)
    with Terminal(console, answers) as terminal:
        answer = terminal.ask(question)
    assert isinstance(console.file, io.StringIO)
    return answer, console.file.getvalue()


def test_a_question_shows_the_reason_the_diff_and_the_choices() -> None:
    answer, shown = put(ASKED, Keys("o\n"))
    assert answer == "once"
    assert shown[shown.index("? ") :].startswith(
        "? The next step changes action.yml: protected (action.y*ml). Allow it?\n"
        "  │ diff --git a/action.yml b/action.yml\n"
        "  │ @@ -1 +1 @@\n"
        "  │ -old\n"
        "  │ +new\n"
        "  o allow once · r allow any change to these paths in this run · d deny · s stop the run [d]: "
    )


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("o\n", "once"),
        ("Y\n", "once"),
        ("r\n", "run"),
        (" a \n", "run"),
        ("d\n", "deny"),
        ("n\n", "deny"),
        ("\n", "deny"),
        ("s\n", "stop"),
        ("q\n", "stop"),
        ("what\nyes\n", "once"),
        ("x\nx\nx\ny\n", "deny"),
        ("v\nv\nstop\n", "stop"),
        ("", None),
        ("x\n", None),
    ],
)
def test_keys_mean_what_the_choices_say_and_all_else_is_a_no(typed: str, answer: Answer | None) -> None:
    assert put(ASKED, Keys(typed))[0] == answer


def test_what_is_no_keyboard_answers_nothing() -> None:
    answer, shown = put(ASKED, io.StringIO("y\n"))
    assert answer is None
    assert "nobody answers: taken as no" in shown
    assert "allow once" not in shown


class Late(Console):
    """A terminal whose person types once the choices are there."""

    keys: int = -1

    def print(self, *said: Any, **how: Any) -> None:
        super().print(*said, **how)
        if how.get("end") == "":
            os.write(self.keys, b"s\n")


def test_what_was_typed_before_the_question_does_not_answer_it() -> None:
    ours, theirs = pty.openpty()
    os.write(ours, b"y\n")
    console = Late(file=io.StringIO(), width=100, color_system=None)
    console.keys = ours
    with os.fdopen(theirs, "r") as keyboard:
        assert Terminal(console, keyboard).ask(ASKED) == "stop"
    os.close(ours)


def test_a_long_diff_says_what_is_not_shown_and_shows_it_when_asked_to() -> None:
    long = ASKED.model_copy(update={"shown": "\n".join(["+" + "w" * 400, *(f"+line {n}" for n in range(60))])})
    _, shown = put(long, Keys("d\n"), width=500)
    assert "  … not shown: 21 more lines and the ends of long lines\n" in shown
    assert "line 38\n" in shown
    assert "line 39\n" not in shown
    assert "w" * 301 not in shown
    assert "s stop the run · v view all [d]: " in shown
    _, whole = put(long, Keys("v\nd\n"), width=500)
    assert "+line 59\n" in whole
    assert "w" * 400 in whole


def test_nothing_in_a_question_moves_the_cursor_or_looks_like_an_order() -> None:
    evil = "\x1b[2J\x1b]0;t\x07+\u202etxt\n::add-mask::x\n##[command]x\n[bold]plain\r+seen"
    _, shown = put(ASKED.model_copy(update={"shown": evil, "why": f"changes {evil}"}), Keys("d\n"))
    asked = shown[shown.index("? The next") :]
    for bad in ("\u202e", "\n  │ ::add-mask", "##[command]", "\x1b]", "\x1b[2J"):
        assert bad not in asked
    assert "+seen" in asked
    hidden = ASKED.model_copy(update={"shown": "+run: evil\r+# fine\n+a\u202e\u200b\fb\r\n"})
    assert "│ +run: evil\\x0d+# fine\n  │ +a\\u202e\\u200b\\x0cb\n" in put(hidden, Keys("d\n"))[1]


def test_how_far_an_answer_for_the_run_reaches_is_said() -> None:
    for risk, words in (("delete", "allow every deletion of this run"), ("size", "allow any size for this run")):
        assert words in put(Question(risk=risk, subject="", why="x"), Keys("d\n"))[1]


def test_what_nobody_was_asked_about_is_told_when_it_is_allowed() -> None:
    console = Console(file=io.StringIO(), width=100, color_system=None, highlight=False)
    with Terminal(console) as terminal:
        for by in ("policy", "earlier", "person"):
            terminal.record(Decided(call_id="1", decision=Decision(question=ASKED, answer="once", by=by)))
        terminal.record(Decided(call_id="1", decision=Decision(question=ASKED, answer="deny", by="policy")))
    assert isinstance(console.file, io.StringIO)
    assert console.file.getvalue().splitlines() == [
        "  · allowed, as you set it: changes action.yml: protected (action.y*ml)",
        "  · allowed, as before: changes action.yml: protected (action.y*ml)",
    ]
