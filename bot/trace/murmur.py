"""A trace for somebody who waits: the live line of what happens now, and nothing that stays."""

from rich.text import Text

from bot.trace.terminal import Terminal


class Murmur(Terminal):
    """Shows what a terminal would show for as long as it happens; who asked tells what came of it."""

    def _say(self, text: Text) -> None:
        """Leave no line behind."""
