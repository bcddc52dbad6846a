"""Trees made of others: one with some paths as they are in another."""

import tempfile
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path

from bot.core.change import readable
from bot.git.repository import Repository


def compose(repository: Repository, tree: str, source: str, paths: Collection[str]) -> str:
    """Return the id of `tree` with these paths as they are in `source`; absent there, they are left out.

    Raises GitFailed.
    """
    told = repository.shared.output("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", tree, source)
    wanted = [entry for name, entry in _entries(told) if readable(name) in paths]
    if not wanted:
        return tree
    with tempfile.TemporaryDirectory(prefix="git-agent-compose-") as folder:
        # Half of a split index would be left in the person's repository
        config = (*repository.silenced, ("core.splitIndex", "false"))
        git = replace(repository.shared, index=Path(folder, "index"), config=config)
        git.output("read-tree", tree)
        git.output("update-index", "-z", "--index-info", stdin=b"".join(wanted))
        return git.line("write-tree")


def _entries(told: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Read the raw list of differences as names and what an index wants to know of their new state."""
    fields = told.split(b"\0")
    for facts, name in zip(fields[::2], fields[1::2], strict=False):
        _, mode, _, new, _ = facts.split(b" ")
        # Mode 0 takes an entry out of the index
        yield name, b"%s %s\t%s\0" % (mode.lstrip(b":"), new, name)
