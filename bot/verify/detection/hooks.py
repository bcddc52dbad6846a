"""Reads the hooks of pre-commit."""

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from bot.verify.documents import entries, items, read_nodes, words

if TYPE_CHECKING:
    from yaml import Node

HOOKS = ".pre-commit-config.yaml"
_FROZEN = re.compile(r"#\s*frozen:\s*(\S+)")
_LATER = frozenset({"manual"})


class Hook(NamedTuple):
    """A tool that the project runs on every commit."""

    id: str
    version: str = ""
    """The release that it is taken from; empty for a local one."""
    entry: str = ""
    """Its command line, where the project says so."""
    whole: bool = False
    """Whether it is run as it stands, and not given the names of changed files."""


def read_hooks(text: str) -> Mapping[str, Hook]:
    """Return the hooks that are run without being asked for, by their ids. Raises Unreadable."""
    top = read_nodes(text)
    repositories = _told(top).get("repos") if top is not None else None
    found: dict[str, Hook] = {}
    for repository in items(repositories) if repositories is not None else ():
        for hook in _hooks(repository, text):
            found.setdefault(hook.id, hook)
    return found


def _told(node: "Node") -> "dict[str, Node]":
    return {key.value: value for key, value in entries(node)}


def _hooks(repository: "Node", text: str) -> Iterator[Hook]:
    told = _told(repository)
    version = _version(told["rev"], text) if "rev" in told else ""
    for node in items(told["hooks"]) if "hooks" in told else ():
        hook = _told(node)
        stages = {words(item) for item in items(hook["stages"])} if "stages" in hook else set()
        name = words(hook["id"]) if "id" in hook else ""
        if not name or (stages and stages <= _LATER):
            continue
        arguments = [words(item) for item in items(hook["args"])] if "args" in hook else []
        entry = words(hook["entry"]) if "entry" in hook else ""
        whole = "pass_filenames" in hook and words(hook["pass_filenames"]) == "false"
        yield Hook(name, version, " ".join((entry, *arguments)) if entry else "", whole)


def _version(node: "Node", text: str) -> str:
    """Return a release, which stands in a remark where the commit itself is named."""
    frozen = _FROZEN.search(text.splitlines()[node.end_mark.line]) if isinstance(words(node), str) else None
    return frozen[1] if frozen else words(node)
