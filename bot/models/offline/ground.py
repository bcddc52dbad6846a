"""The files of a project, as far as rules ask for them."""

from collections.abc import Iterable
from dataclasses import dataclass

from bot.models.offline.dialogue import Dialogue, Talk
from bot.models.offline.replay import Act

DEEPEST = 12


@dataclass(slots=True)
class Ground:
    """What lies where; asked for once."""

    listed: tuple[str, ...] | None = None

    def files(self, talk: Dialogue) -> Talk[tuple[str, ...]]:
        """List the files of the project."""
        if self.listed is None and talk.can("list_files"):
            act = Act("list_files", {"path": ".", "depth": DEEPEST})
            (answer,) = yield from talk.ask(act, text="Looking at what lies where.")
            told = yield from talk.page(answer)
            self.listed = tuple(row for row in told.split("\n") if row and not row.startswith("…"))
        return self.listed or ()

    def add(self, paths: Iterable[str]) -> None:
        """Know of files that were made."""
        self.listed = tuple(dict.fromkeys((*(self.listed or ()), *paths)))

    def is_own(self, talk: Dialogue, module: str) -> Talk[bool]:
        """Whether a module, or what it would be in, is part of the project."""
        top = module.partition(".")[0]
        files = yield from self.files(talk)
        return any(f"/{path}".removesuffix(".py").endswith(f"/{top}") or f"/{top}/" in f"/{path}" for path in files)
