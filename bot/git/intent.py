"""What is about to be moved, written down first, so that a kill in the middle can be told from a finished move."""

from collections.abc import Iterator

from pydantic import ValidationError

from bot.core.branches import Place
from bot.core.event import Published, Redone, Undone
from bot.core.task import Record
from bot.errors import GitFailed, UsageError
from bot.git import owner, written
from bot.git.journal import plain_json
from bot.git.objects import Entry
from bot.git.repository import Repository
from bot.git.store import open_store

PREFIX = "refs/agent/moves/"
_FILE = "intent.json"


class Intent(Record):
    """A move that was begun."""

    owner: owner.Owner
    root: str
    """Of the working copy whose files move along, readable."""
    event: Undone | Redone | Published

    @property
    def places(self) -> tuple[Place, ...]:
        """The branches, in the order in which they move."""
        return self.event.places


def announce(repository: Repository, run: str, event: Undone | Redone | Published) -> None:
    """Say what is about to be moved; nobody else may move this run until it is retracted. Raises UsageError."""
    store = open_store(repository)
    card = owner.current(common_dir=repository.common_dir)
    intent = Intent(owner=card, root=owner.place(repository.root), event=event)
    tree = store.write_tree([Entry(_FILE, store.write_blob(plain_json(intent)))])
    parents = dict.fromkeys(commit for place in event.places for commit in (place.before, place.after) if commit)
    begun = store.commit(tree, tuple(parents), f"run {run}: {event.event} begins")
    # Before it is there: a ref without a note is taken for a stranger's, and forgotten
    written.note(repository, f"{PREFIX}{run} {begun}", begun)
    try:
        store.create_ref(PREFIX + run, begun)
    except GitFailed as error:
        raise UsageError(f"another command is moving {run} right now", "wait for it, then try again") from error


def read_intent(repository: Repository, run: str) -> Intent | None:
    """Return the move of a run that was begun here; one that came from elsewhere is none of ours and is forgotten."""
    store = open_store(repository)
    tip = store.read_ref(PREFIX + run)
    if tip is None:
        return None
    noted = written.recall(repository, f"{PREFIX}{run} {tip}")
    try:
        intent = Intent.model_validate_json(store.blob(tip, _FILE) or b"")
    except ValidationError:
        intent = None
    if intent is None or noted != tip or intent.owner.common_dir != owner.place(repository.common_dir):
        store.delete_ref(PREFIX + run, tip)
        return None
    return intent


def retract(repository: Repository, run: str) -> None:
    """Say that the move is over. Raises GitFailed."""
    store = open_store(repository)
    tip = store.read_ref(PREFIX + run)
    if tip is not None:
        store.delete_ref(PREFIX + run, tip)
        written.forget(repository, f"{PREFIX}{run} {tip}")


def list_intents(repository: Repository) -> Iterator[str]:
    """Name the runs for which a move was begun."""
    return (ref.name.removeprefix(PREFIX) for ref in open_store(repository).refs(PREFIX))
