"""Reads the scripts of CI files, line by line: enough of YAML to find them, whatever state the file is in."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from bot.verify.commands import UNKNOWN, join

_KEY = re.compile(r"^(?P<indent>\s*)(?P<dash>(?:-\s+)*)(?P<key>[\w-]+):(?:\s+(?P<value>.*))?$")
_ITEM = re.compile(r"^(?P<indent>\s*)-\s+(?P<value>.+)$")
_RUNS = frozenset({"run", "script", "command", "bash"})
_STEP = frozenset({"name", "uses", "run", "if", "id", "env", "with", "shell", "working-directory"})


class Script(NamedTuple):
    """What a step runs."""

    text: str
    line: int
    folder: str = ""


def scripts(text: str) -> Iterator[Script]:
    """Find what the steps of a CI file run, and where."""
    lines = text.splitlines()
    default = ""
    index = 0
    while index < len(lines):
        match = _KEY.match(lines[index])
        column = len(match["indent"]) + len(match["dash"]) if match else 0
        index += 1
        if match and match["key"] == "working-directory" and _in_defaults(lines, index - 1, column):
            default = _folder(match["value"])
        if match is None or match["key"] not in _RUNS:
            continue
        start = index
        value, index = _value(lines, index, column, (match["value"] or "").strip())
        if value:
            yield Script(value, start, _beside(lines, start - 1, column) or default)


def _value(lines: list[str], index: int, column: int, first: str) -> tuple[str, int]:
    """Read a value that may go on below its key."""
    if first and first[0] not in "|>":
        return _scalar(first), index
    end = index
    while end < len(lines) and (not lines[end].strip() or _depth(lines[end]) > column or _is_item(lines[end], column)):
        end += 1
    block = lines[index:end]
    if first.startswith(">"):
        return " ".join(line.strip() for line in block), end
    if first:
        return "\n".join(line.strip() for line in block), end
    items = [item["value"] for line in block if (item := _ITEM.match(line))]
    return ("\n".join(map(_scalar, items)), end) if items else ("", index)


def _is_item(line: str, column: int) -> bool:
    """Tell whether a list's item stands as deep as its key, which is allowed."""
    match = _ITEM.match(line)
    return match is not None and len(match["indent"]) == column and _KEY.match(line) is None


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _scalar(text: str) -> str:
    """Return the text of a scalar on one line."""
    if text[0] in "\"'" and text[-1:] == text[0] and len(text) > 1:
        return text[1:-1].replace('\\"', '"') if text[0] == '"' else text[1:-1].replace("''", "'")
    return "" if text[0] in "{[&*" else text.partition(" #")[0]


def _beside(lines: list[str], at: int, column: int) -> str:
    """Find the folder that is named beside a step's command."""
    for direction in (1, -1):
        for line in lines[at + direction :: direction] if at + direction >= 0 else ():
            match = _KEY.match(line)
            if not line.strip() or _depth(line) > column:
                continue
            if match is None or len(match["indent"]) + len(match["dash"]) < column:
                break
            if direction == 1 and match["dash"]:
                break
            if match["key"] == "working-directory":
                return _folder(match["value"])
            if direction == -1 and match["dash"]:
                break
    return ""


def _in_defaults(lines: list[str], at: int, column: int) -> bool:
    """Tell whether a folder is named for all steps."""
    above = next((line for line in lines[at - 1 :: -1] if line.strip() and _depth(line) < column), "") if at else ""
    further = "".join(lines[max(0, at - 3) : at])
    return above.strip() == "run:" and "defaults:" in further


def _folder(value: str | None) -> str:
    text = _scalar(value.strip()) if value and value.strip() else ""
    return UNKNOWN if "${{" in text else join("", text)
