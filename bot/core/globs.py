"""Globs of paths, as they are written in settings."""

import re
from collections.abc import Sequence
from functools import lru_cache


def glob_matches(glob: str, path: str) -> bool:
    """Match a path from the root of the repository.

    `*`, `?` and `[…]` stay within one name, `**` stands for any number of folders. A glob without a slash, but for one
    at its end, is looked for at every depth; a leading slash ties it to the root. A folder stands for all in it.
    """
    return _compile(glob).match(path) is not None


def any_matches(globs: tuple[str, ...], path: str) -> bool:
    """Match a path against many globs at once, which takes less time than one after the other."""
    return _compile_all(globs).match(path) is not None


@lru_cache(maxsize=64)
def _compile_all(globs: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{_translate(glob)})" for glob in globs) or r"(?!)", re.DOTALL)


@lru_cache(maxsize=512)
def _compile(glob: str) -> re.Pattern[str]:
    return re.compile(_translate(glob), re.DOTALL)


def _translate(glob: str) -> str:
    bare = glob.removeprefix("./").strip("/")
    if not bare:
        return r"(?!)"
    anchored = "/" in bare or glob.startswith(("/", "./"))
    parts = [part for part in bare.split("/") if part not in ("", ".")]
    if not anchored:
        parts.insert(0, "**")
    return _join(parts) + r"(?:/.*)?\Z"


def _join(parts: Sequence[str]) -> str:
    pattern = ""
    for index, part in enumerate(parts):
        if part != "**":
            pattern += _name(part) + ("/" if index < len(parts) - 1 else "")
        elif index == len(parts) - 1:
            pattern += ".+"
        elif not index or parts[index - 1] != "**":
            pattern += r"(?:[^/]+/)*"
    return pattern


def _name(part: str) -> str:
    pieces = re.findall(r"\*+|\?|\[!?\]?[^\]]*\]|.", part, re.DOTALL)
    return "".join(map(_piece, pieces))


def _piece(piece: str) -> str:
    if piece[0] == "*":
        return "[^/]*"
    if piece == "?":
        return "[^/]"
    if len(piece) > 1 and piece[0] == "[":
        body = piece[1:-1].replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]").replace("&&", "&\\&")
        pattern = f"(?!/)[^{body[1:]}]" if body.startswith("!") else f"[{body}]"
        return pattern if _is_pattern(pattern) else re.escape(piece)
    return re.escape(piece)


def _is_pattern(text: str) -> bool:
    """Tell whether a set of characters is one: `[]` and `[z-a]` stand for themselves."""
    try:
        re.compile(text)
    except re.error:
        return False
    return True
