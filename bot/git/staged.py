"""The tree of an index that git has not noted one in, worked out in a copy. Light, as hooks wait for it to load."""

from importlib import import_module
from pathlib import Path

from bot.git.launch import environment, launch
from bot.git.temporary import PREFIX

PLAIN = (("core.splitIndex", "false"), ("core.untrackedCache", "false"), ("index.sparse", "false"))
"""The copy of an index is written whole, with nothing in it that leads to another file."""


def write_staged(where: tuple[str, ...], folder: Path, index: bytes) -> str:
    """Write the tree of an index, with git pointed where it says, started in a folder; empty where that cannot be."""
    # Loaded only here, where it takes as long as git itself
    with import_module("tempfile").TemporaryDirectory(prefix=f"{PREFIX}staged-") as place:
        copy = Path(place, "index")
        copy.write_bytes(index)
        told = launch((*where, "write-tree"), {**environment(PLAIN), "GIT_INDEX_FILE": str(copy)}, folder, b"")
    return "" if told.code else told.output.decode("ascii").strip()
