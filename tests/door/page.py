"""The files that docs/github.md tells a person to copy, as they stand there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/github.md").read_text()
OURS = re.compile(r"uses: OWNER/git-agent/(\.github/workflows/\w+\.yml)@v\d+")


def copied(name: str) -> str:
    """Return the block of the page that is to be put into a file of this name."""
    blocks: list[str] = re.findall(r"^```yaml\n(name: .*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    return next(block for block in blocks if block.startswith(f"name: {name}\n"))


def local(block: str) -> str:
    """Let a block use the workflow beside it instead of somebody's."""
    assert OURS.search(block)
    return OURS.sub(r"uses: ./\1", block)
