"""Reads the scripts of CI files, whatever service they are written for."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from bot.verify.detection.commands import UNKNOWN, join
from bot.verify.documents import entries, items, read_nodes, words

if TYPE_CHECKING:
    from yaml import Node

_RUNS = frozenset({"run", "script", "command", "bash"})
_FOLDERS = ("working-directory", "working_directory", "workingDirectory")
_OTHER_SHELLS = ("pwsh", "powershell", "cmd", "python")
MOST = 2_000
"""Scripts of one file."""


class Script(NamedTuple):
    """What a step runs."""

    text: str
    line: int
    folder: str = ""


def scripts(text: str) -> Iterator[Script]:
    """Find what the steps of a CI file run, and where. Raises Unreadable."""
    top = read_nodes(text)
    return _scripts(top, "", set()) if top is not None else iter(())


def _scripts(node: "Node", folder: str, seen: set[int]) -> Iterator[Script]:
    """Walk through a document; what is written once and named often is run the same each time."""
    if id(node) in seen or len(seen) > MOST * 10:
        return
    seen.add(id(node))
    for item in items(node):
        yield from _scripts(item, folder, seen)
    pairs = entries(node)
    told = {key.value: value for key, value in pairs}
    if words(told.get("continue-on-error", node)) == "true" or words(told.get("shell", node)).startswith(_OTHER_SHELLS):
        return
    inside = _folder(told) or _default(told) or folder
    for key, value in pairs:
        lines = _lines(value) if key.value in _RUNS else ""
        if lines:
            yield Script(lines, key.start_mark.line + 1, inside)
        else:
            yield from _scripts(value, inside, seen)


def _lines(node: "Node") -> str:
    """Return a script that is written as a text or as a list of commands."""
    listed = [words(item) for item in items(node)]
    return (words(node) or "\n".join(filter(None, listed))).strip()


def _default(told: "Mapping[str, Node]") -> str:
    """Return the folder that is named for all steps below."""
    run = (
        next((value for key, value in entries(told["defaults"]) if key.value == "run"), None)
        if "defaults" in told
        else None
    )
    return _folder({key.value: value for key, value in entries(run)}) if run is not None else ""


def _folder(told: "Mapping[str, Node]") -> str:
    text = next((words(told[name]).strip() for name in _FOLDERS if name in told), "")
    return UNKNOWN if "${{" in text or "$(" in text else join("", text) if text else ""
