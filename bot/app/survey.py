"""What a model is told of a project before it reads a file."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from bot.core.untrusted import clean

GUIDES = ("AGENTS.md", "CLAUDE.md", "CONTRIBUTING.md")
GUIDE_CHARACTERS = 2000
ENTRIES = 40


def survey(root: Path, files: Sequence[str]) -> str:
    """Describe a tree's layout and quote the instructions that it carries for people and agents."""
    parts = [f"{len(files)} files: {layout(files)}"]
    for name in GUIDES:
        guide = root / name
        if guide.is_file() and not guide.is_symlink():
            text = clean(guide.read_bytes()[: GUIDE_CHARACTERS * 8].decode("utf-8", "replace"))[:GUIDE_CHARACTERS]
            parts.append(f"{name} of the base:\n{text.strip()}")
            break
    return "\n\n".join(parts)


def layout(files: Sequence[str]) -> str:
    """Name the top-level files and folders, the largest first."""
    tops = Counter(f"{head}/" if tail else head for head, _, tail in (path.partition("/") for path in files))
    shown = [f"{name} ({count})" if name.endswith("/") else name for name, count in tops.most_common(ENTRIES)]
    return ", ".join(shown) + (f", … and {len(tops) - ENTRIES} more" if len(tops) > ENTRIES else "")
