"""Where kept folders lie, what lies in each, and how they are taken away again."""

import os
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from pydantic import ValidationError

from bot.core.task import Record
from bot.errors import AgentError, GitFailed
from bot.git import owner
from bot.git.cachefolder import find_cache
from bot.git.checkout import Checkout, Laid
from bot.git.conversion import outside_attributes
from bot.git.disposal import delete, is_mine
from bot.git.hold import is_held, take
from bot.git.repository import Repository
from bot.git.run import Git

VERSION = 1
UNUSED = 30 * 86_400.0
"""Seconds after which nobody comes back to a stand."""
LONG = 3_600.0
"""Seconds after which a process that cannot be seen from here is believed to be gone."""
_CARD = "stand.json"
_SETTINGS = r"^(core\.(autocrlf|eol|attributesfile|filemode|checkroundtripencoding)|attr\.|extensions\.)"
"""What decides how the content of files is laid out, beside the attributes in a tree; filters are never run."""


class Card(Record):
    """For whom a stand is, and what lies in it."""

    version: int
    common_dir: str
    work_tree: str
    basis: str
    """Digest of what, outside of a tree, decides how its files look."""
    name: str = ""
    """What its tree is called while somebody uses it: the same each time, for caches that know places."""
    laid: Laid | None = None

    @property
    def whose(self) -> "Card":
        """All but what lies there."""
        return self.model_copy(update={"name": "", "laid": None})


@dataclass(frozen=True, slots=True)
class Berth:
    """The folder of one stand, with what belongs to it."""

    folder: Path

    @property
    def files(self) -> Path:
        """Where the tree lies otherwise."""
        return self.folder / "tree"

    @property
    def index(self) -> Path:
        """Git's index of the tree."""
        return self.folder / "index"

    @property
    def kept(self) -> Path:
        """A folder for what checks keep."""
        return self.folder / "kept"

    def read(self) -> Card | None:
        """Read the card; None when there is none that makes sense."""
        try:
            return Card.model_validate_json((self.folder / _CARD).read_bytes())
        except (OSError, ValidationError):
            return None

    def write(self, card: Card) -> None:
        """Leave a card; whoever is killed meanwhile leaves the one before."""
        fresh = self.folder / f".{_CARD}"
        fresh.write_text(card.model_dump_json(), encoding="utf-8")
        fresh.replace(self.folder / _CARD)

    def tidy(self, repository: Repository) -> Path:
        """Take away what somebody left who was killed, and name where the tree is to lie; only by who holds the stand.

        Their git and their checks may go on writing for a while: of that tree nothing is used again, nor its name.
        """
        card, left = self.read(), list(self.folder.glob(f"{self._stem}*"))
        for admin in (repository.common_dir / "worktrees").glob(f"{self._stem}*"):
            if self._owns(admin):
                delete(admin)
        for root in left:
            delete(root)
        for path in (self.files, self.kept):
            if not is_mine(path):
                path.unlink(missing_ok=True)
        self.kept.mkdir(mode=0o700, exist_ok=True)
        known = card is not None and not left and re.fullmatch(rf"{self._stem}[0-9a-f]{{8}}", card.name)
        return self.folder / (card.name if card and known else f"{self._stem}{os.urandom(4).hex()}")

    @property
    def _stem(self) -> str:
        return f"agent-{self.folder.name}-"

    def _owns(self, admin: Path) -> bool:
        try:
            return (admin / "gitdir").read_bytes().startswith(os.fsencode(self.folder))
        except OSError:
            return True

    def holds(self, card: Card) -> Laid | None:
        """Say what lies there for whom a card names; None for nothing that could be gone on with."""
        found = self.read()
        fits = found is not None and found.whose == card.whose
        there = is_mine(self.files) and self.index.is_file()
        return found.laid if found is not None and fits and there else None

    def settle(self, checkout: Checkout, card: Card) -> None:
        """Put the tree and its index back to where they lie between uses."""
        laid = checkout.laid()
        with suppress(OSError):
            self.write(card.model_copy(update={"laid": laid}))
            if laid is not None:
                # With its time: by that git tells which files may have changed in the second when it was written
                shutil.move(checkout.admin / "index", self.index)
        with suppress(OSError):
            checkout.root.rename(self.files)

    def clear(self) -> None:
        """Delete the tree and its index. Raises GitFailed."""
        self.index.unlink(missing_ok=True)
        if not delete(self.files):
            raise GitFailed("what lies in a folder of ours could not be deleted")

    @property
    def size(self) -> int:
        """Bytes of all its files."""
        sizes = (
            os.lstat(os.path.join(where, name)).st_size  # noqa: PTH118 - of very many
            for where, _, names in os.walk(self.folder)
            for name in names
        )
        return sum(sizes)


def find_berth(repository: Repository) -> Berth | None:
    """Name the stand of a working copy; None where nothing can be kept."""
    outside = (repository.root, repository.common_dir)
    pair = b"\0".join(map(os.fsencode, (repository.common_dir, repository.root)))
    places = find_cache("stands", outside)
    return Berth(places / f"stand-{blake2b(pair, digest_size=8).hexdigest()}") if places else None


def make_card(repository: Repository, git: Git, name: str) -> Card:
    """Describe a stand that has nothing in it yet."""
    settings = git.ask("config", "--null", "--get-regexp", _SETTINGS).output
    files = list(outside_attributes(repository.common_dir))
    if b"attributesfile" in settings:
        files.append(Path(git.line("config", "--type=path", "--get", "core.attributesfile")))
    # A repository that was made anew in the same place is another one
    told = (settings, b"%d" % repository.common_dir.stat().st_ino, *map(_content, files))
    return Card(
        version=VERSION,
        common_dir=owner.place(repository.common_dir),
        work_tree=owner.place(repository.root),
        basis=blake2b(b"\0".join(told), digest_size=20).hexdigest(),
        name=name,
    )


def list_stands(repository: Repository) -> Iterator[Berth]:
    """List the stands of a repository and its worktrees, and those that are of no use to any."""
    places = find_cache("stands", make=False)
    for folder in sorted(places.glob("stand-*")) if places else ():
        berth = Berth(folder)
        card, used = berth.read(), owner.read(folder)
        mine = owner.place(repository.common_dir) in {each.common_dir for each in (card, used) if each}
        if is_mine(folder) and (mine or _forsaken(berth, card)):
            yield berth


def remove_stand(berth: Berth) -> bool:
    """Delete a stand that nobody uses, with the folders around it once they are empty; say whether it is gone."""
    gone = False
    with suppress(AgentError, OSError):
        with _held(berth):
            gone = delete(berth.folder)
        for folder in berth.folder.parents[:2]:
            folder.rmdir()
    return gone


def remove_stands(repository: Repository) -> tuple[Path, ...]:
    """Delete what is kept for a repository, and name the folders."""
    return tuple(berth.folder for berth in list_stands(repository) if remove_stand(berth))


def hold(berth: Berth, card: owner.Owner) -> int:
    """Lock a stand for this process and return what holds it. Raises UsageError, WorkspaceError."""
    with suppress(OSError):
        # Of another machine's process, which may be gone with its container: no hook takes that long
        if time.time() - (berth.folder / owner.NAME).stat().st_mtime > LONG:
            (berth.folder / owner.NAME).unlink()
    return take(berth.folder, card, "another hook")


def is_used(berth: Berth) -> bool:
    """Say whether somebody uses a stand right now."""
    return is_held(berth.folder)


@contextmanager
def _held(berth: Berth) -> Iterator[None]:
    held = hold(berth, owner.current())
    try:
        yield
    finally:
        os.close(held)


def _forsaken(berth: Berth, card: Card | None) -> bool:
    """Say whether nobody comes back to a stand: what it is for is gone, or it was used too long ago."""
    if card is not None and not (Path(card.common_dir).is_dir() and Path(card.work_tree).is_dir()):
        return True
    try:
        return time.time() - (berth.folder / owner.NAME).stat().st_mtime > UNUSED
    except OSError:
        # Somebody makes it right now, or was killed while doing so
        return time.time() - berth.folder.stat().st_mtime > UNUSED


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        return b"none %d" % (error.errno or 0)
