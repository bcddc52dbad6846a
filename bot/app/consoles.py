"""The two places where a person reads: results on standard output, progress on standard error."""

import sys

from rich.console import Console

PLAIN_WIDTH = 120
"""Columns where no terminal tells its own: lines in a log should not be folded at 80."""


def results() -> Console:
    """Make the console for results."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else PLAIN_WIDTH)


def progress() -> Console:
    """Make the console for progress."""
    return Console(highlight=False, stderr=True, width=None if sys.stderr.isatty() else PLAIN_WIDTH)
