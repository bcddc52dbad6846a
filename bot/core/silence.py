"""Lines of a change that make checks say less, or tell code that it is being tested."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from bot.core.diff import Line
from bot.core.evidence import is_test
from bot.core.policy import glob_matches

IGNORING = (".gitignore", ".ignore")
"""A linter does not look at what these name."""

_MARK = re.compile(
    r"#\s*(?P<kind>noqa|(?:ruff|flake8)\s*:\s*(?:noqa|disable)|type\s*:\s*ignore|mypy\s*:\s*\S+|pyright\s*:\s*\S+"
    r"|pylint\s*:\s*\S+|fmt\s*:\s*(?:off|skip)|nosec)(?:\s*[:\[]\s*(?P<codes>[\w, -]+)\]?)?"
    r"|@(?:typing\.)?(?P<mark>no_type_check)\b",
    re.IGNORECASE,
)
_ASSERTION = re.compile(r"assert\b|self\.(?:assert|fail)\w*\(|(?:with )?pytest\.(?:raises|fail|warns)\b")
_WATCHING = re.compile(
    r"PYTEST_|GIT_AGENT_|\b_pytest\b|['\"]pytest['\"] (?:not )?in sys\.modules|sys\.modules(?:\[|\.get\()['\"]pytest"
    r"|\bgc\.get_(?:objects|referrers)\b|\bos\._exit\b|\b_getframe\b|\bcurrentframe\b"
)
"""What code has no need of to do its work, and every need of to tell whether it is being tested."""


class Mark(NamedTuple):
    """A comment that silences a check."""

    kind: str
    codes: frozenset[str]
    """Empty when it silences all."""
    text: str

    def covers(self, other: "Mark") -> bool:
        """Tell whether it silenced all that another one does."""
        return self.kind == other.kind and (not self.codes or bool(other.codes and other.codes <= self.codes))


def read_marks(text: str) -> Iterator[Mark]:
    """Find what silences checks in a line."""
    for found in _MARK.finditer(text):
        kind = re.sub(r"\s", "", found["kind"] or found["mark"]).lower()
        codes = frozenset(re.findall(r"[\w-]+", found["codes"] or ""))
        yield Mark(kind, codes, found.group().strip())


def lost(lines: Sequence[Line], paths: Collection[str]) -> Iterator[str]:
    """Name assertions that were taken out of files that tests may be using."""
    kept = Counter(line.text.strip() for line in lines if line.sign == "+")
    for line in lines:
        text = line.text.strip()
        if line.sign == "-" and line.path in paths and _ASSERTION.match(text):
            kept[text] -= 1
            if kept[text] < 0:
                yield f"{line.path} no longer says: {text}"


def watching(lines: Sequence[Line]) -> Iterator[str]:
    """Name added code that looks at who runs it."""
    spare = Counter(word for line in lines if line.sign == "-" for word in _WATCHING.findall(line.text))
    for line in lines:
        if line.sign == "+" and line.path.endswith(".py") and not is_test(line.path):
            for word in _WATCHING.findall(line.text):
                spare[word] -= 1
                if spare[word] < 0:
                    yield f"{line.path}:{line.number} looks at what runs it: {word}"


def ignores(line: Line, folder: str, path: str) -> bool:
    """Tell whether a line of an ignoring file, added or taken out, decides about a path below its folder."""
    pattern = line.text.strip().removeprefix("!")
    inside = path.removeprefix(f"{folder}/") if folder else path
    below = not folder or path.startswith(f"{folder}/")
    return below and bool(pattern) and not pattern.startswith("#") and glob_matches(pattern, inside)
