"""Asks a person at a terminal whether something risky may be done."""

import io
import termios
from collections.abc import Mapping
from contextlib import suppress
from typing import TextIO

from rich.console import Console
from rich.text import Text

from bot.core.approval import Answer, Question, Risk
from bot.core.escape import line
from bot.core.redact import defuse, sanitize
from bot.core.unseen import show

MOST_LINES = 40
WIDEST = 300
"""Characters of one line that are shown at once."""
TRIES = 3
KEYS: Mapping[str, Answer] = {
    **dict.fromkeys(("o", "y", "once", "yes"), "once"),
    **dict.fromkeys(("r", "a", "run", "always"), "run"),
    **dict.fromkeys(("d", "n", "deny", "no", ""), "deny"),
    **dict.fromkeys(("s", "q", "stop", "quit"), "stop"),
}
ALL = ("v", "view")
CHOICES = "o allow once · r {run} · d deny · s stop the run"
FOR_THE_RUN: Mapping[Risk, str] = {
    "delete": "allow every deletion of this run",
    "protected": "allow any change to these paths in this run",
    "command": "allow this command for this run",
    "size": "allow any size for this run",
}
"""How far an answer reaches that is given for a whole run."""
STYLES: Mapping[str, str] = {"+": "green", "-": "red", "@": "cyan", "d": "bold"}


def ask(question: Question, console: Console, answers: TextIO | None) -> Answer | None:
    """Show a question and read the answer; None where nobody is there to answer."""
    console.print(render(question))
    if answers is None or not answers.isatty():
        return None
    _forget(answers)
    for _ in range(TRIES):
        console.print(Text(f"  {choices(question)} [d]: "), end="")
        said = answers.readline()
        if not said:
            return None
        word = said.strip().lower()
        if word in KEYS:
            return KEYS[word]
        if word in ALL:
            console.print(render(question, whole=True))
    return "deny"


def choices(question: Question) -> str:
    """Name the keys."""
    told = CHOICES.format(run=FOR_THE_RUN[question.risk])
    return f"{told} · v view all" if _lines(question)[1] else told


def render(question: Question, *, whole: bool = False) -> Text:
    """Lay a question out: the reason, then what it is about, without anything that a terminal obeys."""
    text = Text.assemble(
        ("? ", "bold yellow"), (f"The next step {defuse(line(question.why, 1000))}. Allow it?", "bold")
    )
    shown, left = _lines(question, whole=whole)
    for each in shown:
        text.append("\n  │ ", style="dim")
        text.append(each, style=STYLES.get(each[:1], "") if question.risk == "protected" else "")
    if left:
        text.append(f"\n  … {left}", style="yellow")
    return text


def _lines(question: Question, *, whole: bool = False) -> tuple[list[str], str]:
    """Return the lines to show, and what is left out of them, in words."""
    # What a terminal obeys, or nobody sees, is written out: left out, it would be allowed unseen
    plain = defuse(sanitize(show(question.shown).replace("\f", "\\x0c")))
    lines = plain.strip("\n").expandtabs().split("\n") if plain else []
    if whole:
        return lines, ""
    kept = [each if len(each) <= WIDEST else f"{each[:WIDEST]}…" for each in lines[:MOST_LINES]]
    parts = [f"{len(lines) - MOST_LINES:,} more lines"] if len(lines) > MOST_LINES else []
    parts += ["the ends of long lines"] if any(len(each) > WIDEST for each in lines[:MOST_LINES]) else []
    return kept, f"not shown: {' and '.join(parts)}" if parts else ""


def _forget(answers: TextIO) -> None:
    """Forget what was typed before the question was there to be read."""
    with suppress(termios.error, OSError, ValueError, io.UnsupportedOperation):
        termios.tcflush(answers.fileno(), termios.TCIFLUSH)
