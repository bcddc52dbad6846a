"""The two places where a person reads: results on standard output, progress on standard error."""

import os
import sys
from collections.abc import Iterable, Iterator
from typing import TextIO

from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderableType, RenderHook, RenderResult
from rich.segment import Segment

from bot.app.onlooker import on_terminal
from bot.core.redact import defuse, sanitize

PLAIN_WIDTH = 120
"""Columns where no terminal tells its own: lines in a log should not be folded at 80."""


def results() -> Console:
    """Make the console for results."""
    return _console(sys.stdout)


def progress() -> Console:
    """Make the console for progress."""
    return _console(sys.stderr)


def _console(stream: TextIO) -> Console:
    watched = on_terminal(stream)
    console = Console(
        highlight=False,
        stderr=stream is sys.stderr,
        width=None if watched else PLAIN_WIDTH,
        force_interactive=None if watched else False,
    )
    console.push_render_hook(_Tidying())
    return console


class _Tidying(RenderHook):
    """Stands before everything that is printed."""

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        """Wrap what is about to be printed."""
        return [Tidy(renderable) for renderable in renderables]


class Tidy:
    """What it holds, without blanks at the ends of lines and without anything in the text that a terminal obeys."""

    def __init__(self, content: RenderableType) -> None:
        self.content = content

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        line: list[Segment] = []
        for segment in console.render(self.content, options):
            if segment.control:
                line.append(segment)
                continue
            *whole, rest = segment.text.split("\n")
            for part in whole:
                yield from _strip([*line, Segment(_harmless(part), segment.style)])
                yield Segment.line()
                line = []
            line.append(Segment(_harmless(rest), segment.style))
        yield from line


def _harmless(text: str) -> str:
    """Take out what a terminal obeys, and in a workflow's log what its runner obeys."""
    plain = sanitize(text)
    return defuse(plain) if os.environ.get("GITHUB_ACTIONS") else plain


def _strip(line: Iterable[Segment]) -> Iterator[Segment]:
    """Leave out the blanks after the last word of a line."""
    blanks: list[Segment] = []
    for segment in line:
        text = segment.text if segment.control else segment.text.rstrip(" ")
        if not text:
            blanks.append(segment)
            continue
        yield from blanks
        yield segment if segment.control else Segment(text, segment.style)
        blanks = [] if segment.control else [Segment(" " * (len(segment.text) - len(text)), segment.style)]
