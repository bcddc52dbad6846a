"""What a project sets for git agent in its own pyproject.toml."""

import tomllib
from collections.abc import Mapping
from typing import Any


def read_table(pyproject: bytes | None) -> Mapping[str, Any] | None:
    """Return the table `[tool.git-agent]`, empty when there is none; None when the file cannot be read."""
    if pyproject is None:
        return {}
    try:
        document: Mapping[str, Any] = tomllib.loads(pyproject.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError):
        return None
    for name in ("tool", "git-agent"):
        inner = document.get(name, {})
        document = inner if isinstance(inner, Mapping) else {}
    return document
