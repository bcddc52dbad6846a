"""Turns paths of the host into the paths that a command sees."""

import re
from collections.abc import Mapping, Sequence


class Rewriting:
    """Replaces whole paths, and leading parts of paths, wherever they stand in a text."""

    def __init__(self, places: Mapping[str, str]) -> None:
        self._places = {place: inside for place, inside in places.items() if place != inside}
        longest_first = sorted(map(re.escape, self._places), key=len, reverse=True)
        self._pattern = re.compile(rf"(?<![\w./~-])(?:{'|'.join(longest_first)})(?![\w.~-])") if longest_first else None

    def rewrite(self, text: str) -> str:
        """Rewrite one argument or one variable."""
        return self._pattern.sub(lambda found: self._places[found[0]], text) if self._pattern else text

    def rewrite_all(self, texts: Sequence[str]) -> list[str]:
        """Rewrite an argument list."""
        return [self.rewrite(text) for text in texts]

    def rewrite_values(self, variables: Mapping[str, str]) -> dict[str, str]:
        """Rewrite an environment."""
        return {name: self.rewrite(value) for name, value in variables.items()}
