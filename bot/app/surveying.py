"""Looks a project over for one task: its map, and the places most likely concerned. Begun while the base is judged."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Event, Thread

from bot import __version__
from bot.app.locating import Locator, make_locator
from bot.core.check import Verdict
from bot.core.task import Task
from bot.errors import AgentError
from bot.git.contents import GitContents
from bot.git.past import read_past
from bot.git.repository import Repository
from bot.git.results import tag_shelf
from bot.protocols import Executor, Model, Shelf, Survey
from bot.tools.mapping.gathering import Gathered, Gatherer
from bot.tools.mapping.ranking import rank
from bot.tools.mapping.rendering import MOST, render, room_for
from bot.tools.mapping.tags import FORMAT

PATIENCE = 2.0
"""Seconds that a look which nobody wants any more may take to end."""
_SLOT = "map"


@dataclass(slots=True)
class ProjectSurveyor:
    """A Surveyor for the base of one run; what cannot be found out is left out, and never in the way of the run."""

    repository: Repository
    base: str
    """Commit id."""
    task: Task
    executor: Executor
    most: int = MOST
    """Characters of the map."""
    _thread: Thread | None = field(default=None, init=False)
    _stop: Event = field(default_factory=Event, init=False)
    _locator: Locator | None = field(default=None, init=False)
    _map: str = field(default="", init=False)

    @contextmanager
    def ahead(self) -> Iterator[None]:
        """Begin beside what else is done, and stop with it."""
        thread = self._start()
        try:
            yield
        finally:
            self._stop.set()
            thread.join(PATIENCE)

    def survey(self, verdict: Verdict) -> Survey:
        """Say where to look, given what the checks said of the base."""
        self._start().join()
        return Survey(map=self._map, hints=self._locate(verdict))

    def _locate(self, verdict: Verdict) -> tuple[str, ...]:
        # Asked for once, and it holds all that is known of the files
        locator, self._locator = self._locator, None
        with suppress(AgentError, OSError):
            return locator.locate(self.task.goal, verdict) if locator is not None else ()
        return ()

    def _start(self) -> Thread:
        if self._thread is None:
            self._thread = Thread(target=self._look, name="surveyor", daemon=True)
            self._thread.start()
        return self._thread

    def _look(self) -> None:
        with suppress(AgentError, OSError):
            shelf = tag_shelf(self.repository)
            contents = GitContents(self.repository)
            files = contents.files(self.base)
            found = Gatherer(contents, shelf, self.executor, self._stop.is_set).gather(files)
            if self._stop.is_set():
                return
            self._map = draw(found, shelf, self.base, self.most)
            past = read_past(self.repository, self.base)
            locator = make_locator(contents, files, found, past, self.task.scope)
            # The base is still judged, and what then asks for places would have to wait
            locator.index.prepare()
            self._locator = locator


def choose_surveyor(model: Model, repository: Repository, task: Task, executor: Executor) -> ProjectSurveyor | None:
    """Make the surveyor for a task; the offline model does not read what one says."""
    return None if model.name == "offline" else ProjectSurveyor(repository, task.base, task, executor)


def draw(found: Gathered, shelf: Shelf, base: str, most: int) -> str:
    """Return the map of a tree, as it was drawn before where it was."""
    room = min(most, room_for(len(found.tags)))
    head = f"{base} {FORMAT} {__version__} {room}\n"
    kept = (shelf.get(_SLOT) or b"").decode("utf-8", "replace")
    if kept.startswith(head) and len(kept) <= len(head) + room:
        return kept.removeprefix(head)
    drawn = render(rank(found.tags), found.tags, room)
    if found.whole:
        shelf.put(_SLOT, f"{head}{drawn}".encode())
    return drawn
