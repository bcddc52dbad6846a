"""The project under repair, as the engine is given it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.core.past import NO_PAST, Past
from bot.protocols import Executor


@dataclass(frozen=True, slots=True)
class Subject:
    """The project under repair."""

    root: Path
    """A folder that holds the tree; the engine never writes to it."""
    python: Path
    executor: Executor
    variables: Sequence[tuple[str, str]] = ()
    """What the project's pytest needs in the environment."""
    lender: Path | None = None
    """Folder to take pytest from, where the project's environment has none."""
    folder: str = ""
    """Of the package whose tests are asked, relative to the root; nothing outside of it is edited."""
    past: Past = NO_PAST
    """What changed lately, as seen from the root."""

    def below(self, path: str) -> str | None:
        """Turn a path or a test as seen from the root into one of the package; None for what lies elsewhere."""
        if not self.folder:
            return path
        return path.removeprefix(f"{self.folder}/") if path.startswith(f"{self.folder}/") else None

    def above(self, path: str) -> str:
        """Turn a path of the package into one as seen from the root."""
        return f"{self.folder}/{path}" if self.folder else path
