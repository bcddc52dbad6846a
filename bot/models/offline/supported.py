"""Reads the oldest release of Python that a project supports."""

import re
from collections.abc import Iterable

FILES = ("pyproject.toml", "setup.cfg", "setup.py")
ASKED = re.compile(
    r"^\s*(?:requires-python|python_requires|python)\s*=\s*[\"']?\s*(?:[\^~]|[~>]=|>)\s*(?P<major>\d)\.(?P<minor>\d{1,2})",
    re.MULTILINE,
)
TARGET = re.compile(r"^\s*target-version\s*=\s*[\"']py(?P<major>3)(?P<minor>\d{1,2})[\"']", re.MULTILINE)


def oldest(texts: Iterable[str]) -> tuple[int, int] | None:
    """Return the oldest release; None when no file says so."""
    known = list(texts)
    for pattern in (ASKED, TARGET):
        for text in known:
            found = pattern.search(text[:100_000])
            if found:
                return int(found["major"]), int(found["minor"])
    return None
