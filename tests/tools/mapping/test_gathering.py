"""Every file of a tree is read once, whatever it is; a tree that differs in one file costs that file."""

import multiprocessing
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from bot.core.change import Blob
from bot.git.contents import GitContents
from bot.git.repository import open_repository
from bot.git.results import tag_shelf
from bot.tools.mapping.gathering import MOST_PARSED, Gathered, Gatherer, choose
from bot.tools.mapping.ranking import rank
from bot.tools.mapping.rendering import render
from tests.conftest import Repo, executor, make_repo

FILES: dict[str, str | bytes] = {
    "shop/store.py": "class Store:\n    def read(self): ...\n",
    "shop/app.py": "from shop.store import Store\n\ndef run(): return Store()\n",
    "shop/again.py": "class Store:\n    def read(self): ...\n",
    "web/view.ts": "import { draw } from './draw';\nexport class View {}\n",
    "web/draw.ts": "export function draw(view: View): void {}\n",
    "caf\u00e9/na\u0308me \U0001f600.py": "def oddly_named(): ...\n",
    "latin.py": b"# caf\xe9\ndef in_latin(): ...\n",
    "broken.py": "def half(:\n  (((\nclass Whole: ...\n",
    "deep.go": "package a\nfunc deep() {" + "{" * 50_000 + "\n",
    "deep.py": "x = " + "(" * 5_000 + "\n",
    "huge.py": "x = 1\n" * 100_000,
    "packed.js": "var a=1;" * 1000,
    "binary.py": b"\0" * 100,
    "data.json": "{}",
}
NEVER = {"data.json"}


class Counted:
    """Contents that tell how many blobs were read."""

    def __init__(self, contents: GitContents) -> None:
        self.contents = contents
        self.read_ = 0

    def files(self, tree: str) -> tuple[Blob, ...]:
        return self.contents.files(tree)

    def read(self, blobs: Iterable[str], largest: int) -> Iterator[tuple[str, bytes | None]]:
        for each in self.contents.read(blobs, largest):
            self.read_ += 1
            yield each


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A project with what a tree can hold; its cache is what the tests before left."""
    made = make_repo(tmp_path_factory.mktemp("gathering") / "p")
    made.write(FILES)
    (made.path / "link.py").symlink_to("shop/store.py")
    made.git("add", "--all")
    made.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},sub.py")
    made.git("commit", "-qm", "all", "--no-gpg-sign")
    return made


def look(project: Repo, ending: str = "", parsed: int = MOST_PARSED) -> tuple[Gathered, int]:
    repository = open_repository(project.path)
    counted = Counted(GitContents(repository))
    files = [blob for blob in counted.files(repository.head) if blob.path.endswith(ending)]
    gatherer = Gatherer(counted, tag_shelf(repository), executor(), parsed=parsed)
    return gatherer.gather(files), counted.read_


def draw(found: Gathered) -> str:
    return render(rank(found.tags), found.tags, 2000)


def test_whatever_a_tree_holds_is_read_once_and_an_edit_costs_one_file(project: Repo) -> None:
    first, read = look(project)
    assert first.tags.keys() == FILES.keys() - NEVER
    assert first.whole
    assert read == first.fresh == len(FILES) - len(NEVER) - 1, "two are the same"
    names = {path: tags.names for path, tags in first.tags.items()}
    assert names["web/draw.ts"] == ("draw",)
    assert names["web/view.ts"] == ("View",)
    assert names["latin.py"] == ("in_latin",)
    assert names["broken.py"] == ("half", "Whole")
    assert all(first.tags[path].words == () for path in ("huge.py", "packed.js", "binary.py"))
    told = draw(first)
    assert not any(path in told for path in ("huge", "packed", "binary", "link", "sub"))
    again, read = look(project)
    assert (again.fresh, read) == (0, 0)
    assert draw(again) == told
    project.commit({"shop/app.py": "from shop.store import Store\n\ndef run_all(): return Store()\n"})
    edited, read = look(project)
    assert (edited.fresh, read) == (1, 1)
    assert draw(edited) == told.replace("run()", "run_all()")


SPOILT: tuple[Callable[[bytes], bytes], ...] = (
    lambda data: data[:-5],
    lambda data: b"\xff" + data,
    lambda data: b"",
    lambda data: data + b"x",
    lambda data: data.replace(b" ", b"  ", 3),
)


def test_a_cache_that_is_damaged_or_of_another_kind_is_as_if_it_were_not_there(project: Repo) -> None:
    told = draw(look(project, ".py")[0])
    pieces = sorted(tag_shelf(open_repository(project.path)).folder.iterdir())
    whole = [each.read_bytes() for each in pieces]
    for piece, data, spoil in zip(pieces, whole, SPOILT, strict=False):
        piece.write_bytes(spoil(data))
    found, read = look(project, ".py")
    assert read > 0
    assert draw(found) == told
    assert look(project, ".py")[1] == 0
    for each in pieces:
        each.write_bytes(whole[0])
    assert draw(look(project, ".py")[0]) == told


def _gather(path: Path, start: float) -> None:
    time.sleep(max(0.0, start - time.time()))
    look(Repo(path), ".py")


def test_several_at_once_do_not_disturb_each_other(project: Repo) -> None:
    told = draw(look(project, ".py")[0])
    for each in tag_shelf(open_repository(project.path)).folder.iterdir():
        each.unlink()
    start = time.time() + 0.05
    fork = multiprocessing.get_context("fork")
    others = [fork.Process(target=_gather, args=(project.path, start)) for _ in range(2)]
    for other in others:
        other.start()
    mine = draw(look(project, ".py")[0])
    for other in others:
        other.join()
    assert [other.exitcode for other in others] == [0, 0]
    assert mine == told
    assert draw(look(project, ".py")[0]) == told


def test_of_too_many_files_those_are_taken_that_bear_something() -> None:
    files = [Blob(path, "a" * 40) for path in ("docs/a.py", "lib.py", "tests/test_a.py", "z.go", "z.md")]
    assert [blob.path for blob in choose(files)] == ["docs/a.py", "lib.py", "tests/test_a.py", "z.go"]
    assert [blob.path for blob in choose(files, 2)] == ["lib.py", "z.go"]


def test_what_there_is_no_time_for_is_left_for_the_next_time(project: Repo) -> None:
    look(project, ".py")
    project.commit({"late.py": "def late(): ...\n", "later.py": "def later(): ...\n"})
    repository = open_repository(project.path)
    contents = GitContents(repository)
    files = [blob for blob in contents.files(repository.head) if blob.path.endswith(".py")]
    hurried = Gatherer(contents, tag_shelf(repository), executor(), clock=iter((0.0, 1.0, 99.0)).__next__).gather(files)
    assert (hurried.whole, hurried.fresh) == (False, 1)
    stopped = Gatherer(contents, tag_shelf(repository), executor(), stopped=lambda: True).gather(files)
    assert (stopped.whole, stopped.fresh) == (False, 0)
    found, read = look(project, ".py")
    assert (found.whole, read) == (True, 1)


def test_too_many_files_to_parse_are_read_by_a_pattern(project: Repo) -> None:
    parsed = look(project, ".ts")[0]
    rough, read = look(project, ".ts", parsed=1)
    assert (rough.whole, read) == (True, 1)
    assert rough.tags.keys() == parsed.tags.keys()
    assert look(project, ".ts", parsed=1)[1] == 0
