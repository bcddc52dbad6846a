"""A bundle is taken in only where all of it is as expected, and a small one cannot come to more than there is room."""

import hashlib
import os
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pygit2
import pytest

from bot.errors import GitFailed, WorkspaceError
from bot.git import quarantine as rooms
from bot.git.bundle import LARGEST, write_bundle
from bot.git.packs import Weight, weigh
from bot.git.quarantine import Quarantine, open_quarantine
from bot.git.remote import Remote
from tests.app.walk import BRANCH, RUN, Walk, make_walk
from tests.conftest import Repo, make_repo
from tests.git.kinds import filled
from tests.git.test_bundle import HEAD, REF, STEPS

ROOM = Weight(1_000, 1 << 20, 4 << 20)


@dataclass(frozen=True)
class Good:
    """A run, the remote that it began from, and what it is handed over as."""

    walk: Walk
    data: bytes
    later: str
    """A commit of the remote that the run did not begin with."""

    @property
    def head(self) -> bytes:
        return self.data.partition(b"\n\n")[0]

    @property
    def pack(self) -> bytes:
        return self.data.partition(b"\n\n")[2]


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Good:
    folder = tmp_path_factory.mktemp("good")
    walk = make_walk(filled(folder / "repo"), STEPS)
    write_bundle(walk.repository, folder / "b", run=RUN, branch=BRANCH, base=walk.base)
    return Good(walk, (folder / "b").read_bytes(), walk.repo.commit({"later.py": "1\n"}, "later"))


def pack(*objects: tuple[int, int, bytes], count: int = -1) -> bytes:
    """Write a pack of objects: kind, size as told, content with what stands in front of it."""
    body = b"".join(_header(kind, size) + content for kind, size, content in objects)
    data = b"PACK" + struct.pack(">II", 2, len(objects) if count < 0 else count) + body
    return data + hashlib.sha1(data).digest()


def _header(kind: int, size: int) -> bytes:
    first, size = kind << 4 | size & 15, size >> 4
    made = []
    while size:
        made.append(first | 0x80)
        first, size = size & 0x7F, size >> 7
    return bytes([*made, first])


def number(value: int) -> bytes:
    made = []
    while value > 127:
        made.append(value & 127 | 128)
        value >>= 7
    return bytes([*made, value])


def differing(size: int) -> tuple[int, int, bytes]:
    """Make a difference that comes to so many bytes."""
    delta = number(10) + number(size) + b"\x90\x0a" * 5
    return 7, len(delta), b"\x11" * 20 + zlib.compress(delta)


PACKS: Mapping[str, tuple[bytes, str]] = {
    "no pack": (b"JUNK" * 20, "none that git writes"),
    "another version": (pack().replace(b"\0\0\0\2", b"\0\0\0\3"), "none that git writes"),
    "cut off": (pack((3, 5, zlib.compress(b"hello")))[:18] + b"\0" * 20, "damaged|cut off|end"),
    "more objects than are there": (pack((3, 5, zlib.compress(b"hello")), count=2), "damaged|cut off|no object"),
    "very many objects": (pack(count=2_000), "2,000 objects"),
    "a huge file in some bytes": (pack((3, 40 << 20, zlib.compress(b"\0" * (40 << 20), 9))), "an object of"),
    "one that is larger than it says": (pack((3, 5, zlib.compress(b"\0" * (1 << 20), 9))), "another size"),
    "one that is smaller than it says": (pack((3, 50, zlib.compress(b"hello"))), "another size"),
    "a huge file as a difference": (pack(differing(1 << 40)), "an object of"),
    "many large files": (pack(*[(3, 1 << 20, zlib.compress(b"\0" * (1 << 20), 9))] * 5), "unpacks to more"),
    "no compression": (pack((3, 5, b"hello")), "damaged"),
    "an unknown kind": (pack((5, 5, zlib.compress(b"hello"))), "no object of git"),
    "a number without end": (b"PACK" + struct.pack(">II", 2, 1) + b"\xbf" + b"\xff" * 40, "number"),
    "more behind it": (pack((3, 5, zlib.compress(b"hello"))) + b"more", "end where it should"),
}


@pytest.mark.parametrize("name", PACKS)
def test_a_pack_is_weighed_before_git_sees_it(name: str) -> None:
    data, fault = PACKS[name]
    with pytest.raises(WorkspaceError, match=fault):
        weigh(data, ROOM)


def test_an_honest_pack_is_weighed_to_the_byte(good: Good) -> None:
    told = weigh(good.pack, rooms.MOST)
    assert told.objects == struct.unpack(">I", good.pack[8:12])[0]
    trace = good.walk.repo.git("cat-file", "-s", f"{good.head.split()[5].decode()}:trace.jsonl")
    assert told.largest == int(trace)
    assert weigh(pack(), ROOM) == Weight(0, 0, 0)
    assert weigh(pack(differing(1_000)), ROOM) == Weight(1, 1_000, 1_000)


def packed(repo: Repo, base: str, **refs: str) -> bytes:
    """Write a bundle by hand, as somebody might who means no good."""
    path = repo.path / ".git/by-hand"
    for name, commit in refs.items():
        repo.git("update-ref", f"refs/{name}", commit)
    repo.git(
        "-c", "core.protectNTFS=false", "bundle", "create", "-q", str(path), *(f"refs/{n}" for n in refs), f"^{base}"
    )
    for name in refs:
        repo.git("update-ref", "-d", f"refs/{name}")
    return path.read_bytes()


def tree_of(repo: Repo, *entries: tuple[bytes, bytes, bytes]) -> str:
    """Write a tree that git would not: mode, name and content of each entry."""
    made = pygit2.Repository(str(repo.path))
    lines = b"".join(mode + b" " + name + b"\0" + made.create_blob(data).raw for mode, name, data in entries)
    return str(made.write(pygit2.enums.ObjectType.TREE, lines))


def evil(good: Good, *entries: tuple[bytes, bytes, bytes]) -> bytes:
    repo, base = good.walk.repo, good.walk.base
    commit = repo.git("commit-tree", tree_of(repo, *entries), "-p", base, "-m", "evil")
    record = good.head.split()[5].decode()
    return packed(repo, base, **{HEAD.removeprefix("refs/"): commit, REF.removeprefix("refs/"): record})


def swap(good: Good, old: str, new: str) -> bytes:
    return good.head.replace(old.encode(), new.encode()) + b"\n\n" + good.pack


def _flip(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1 :]


def _without(good: Good, part: str) -> bytes:
    lines = [line for line in good.head.decode().split("\n") if not (line.endswith(part) or line.startswith(part))]
    return "\n".join(lines).encode() + b"\n\n" + good.pack


def _more(good: Good, line: str) -> bytes:
    first, _, rest = good.head.partition(b"\n")
    return first + b"\n" + line.encode() + b"\n" + rest + b"\n\n" + good.pack


def _at_file(good: Good) -> bytes:
    blob = good.walk.repo.git("rev-parse", f"{good.walk.commits[0]}:calc.py")
    return swap(good, f"{good.walk.commits[-1]} {HEAD}", f"{blob} {HEAD}")


Lie = Callable[[Good], bytes]
LIES: Mapping[str, tuple[Lie, str]] = {
    "empty": (lambda good: b"", "no bundle"),
    "cut off": (lambda good: good.data[:-300], "cut off|damaged|end"),
    "one bit": (lambda good: good.data[:-1] + bytes([good.data[-1] ^ 1]), "git does not take it"),
    "one bit in the middle": (
        lambda good: _flip(good.data, len(good.data) - 300),
        "damaged|another size|take|no object",
    ),
    "a ref more": (
        lambda good: good.head + f"\n{good.walk.base} refs/heads/main".encode() + b"\n\n" + good.pack,
        "other refs",
    ),
    "a ref twice": (lambda good: good.head + f"\n{good.walk.base} {HEAD}".encode() + b"\n\n" + good.pack, "other refs"),
    "another branch": (lambda good: swap(good, HEAD, "refs/heads/main"), "other refs"),
    "a branch below ours": (lambda good: swap(good, HEAD, f"{HEAD}/x"), "other refs"),
    "the record of another run": (lambda good: swap(good, REF, "refs/agent/runs/zz99yy88x"), "other refs"),
    "a branch missing": (lambda good: _without(good, HEAD), "other refs"),
    "a later base": (lambda good: swap(good, f"-{good.walk.base}", f"-{good.later}"), "builds on commits"),
    "a base of the future": (lambda good: swap(good, f"-{good.walk.base}", f"-{'1' * 40}"), "builds on commits"),
    "one base more": (lambda good: _more(good, f"-{good.later}"), "builds on commits"),
    "no base": (lambda good: _without(good, "-"), "builds on commits"),
    "ids that are in no pack": (
        lambda good: swap(good, f"{good.walk.commits[-1]} {HEAD}", f"{'2' * 40} {HEAD}"),
        "no commit",
    ),
    "a branch at a file": (_at_file, "no commit"),
    "what is left out": (lambda good: _more(good, "@filter=blob:none").replace(b"v2", b"v3"), "cannot be read"),
    "ids of another length": (
        lambda good: _more(good, "@object-format=sha256").replace(b"v2", b"v3"),
        "cannot be read",
    ),
    "a way into .git": (lambda good: evil(good, (b"100644", b".git", b"x")), "git does not take it"),
    "a way out": (lambda good: evil(good, (b"100644", b"..", b"x")), "git does not take it"),
    "a name twice": (lambda good: evil(good, (b"100644", b"a", b"x"), (b"100644", b"a", b"y")), "git does not take it"),
    "a submodule's order": (
        lambda good: evil(
            good, (b"100644", b".gitmodules", b'[submodule "x"]\n\tpath = x\n\turl = --upload-pack=id\n')
        ),
        "git does not take it",
    ),
    "a name in two folds": (lambda good: evil(good, (b"100644", b".GIT", b"x")), "git does not take it"),
    "settings behind a link": (lambda good: evil(good, (b"120000", b".gitmodules", b"x")), "git does not take it"),
    "a huge file": (lambda good: evil(good, (b"100644", b"a", b"\0" * (rooms.MOST.largest + 1))), "an object of"),
}


@pytest.fixture(scope="module")
def brought(good: Good, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Quarantine]:
    """A repository that has the base already."""
    with open_quarantine(tmp_path_factory.mktemp("kept")) as made:
        made.bring(Remote(f"file://{good.walk.repo.path}"), [good.walk.base, good.later])
        yield made


@pytest.mark.parametrize("name", LIES)
def test_a_bundle_with_a_lie_is_refused_and_leaves_no_ref(
    name: str, good: Good, brought: Quarantine, tmp_path: Path
) -> None:
    lie, fault = LIES[name]
    (tmp_path / "b").write_bytes(lie(good))
    with pytest.raises(WorkspaceError, match=f"the bundle is refused: .*(?:{fault})"):
        brought.receive(tmp_path / "b", run=RUN, branch=BRANCH, bases={good.walk.base})
    refs = brought.git.output("for-each-ref", "--format=%(refname)").split()
    assert refs == [b"refs/quarantine/0", b"refs/quarantine/1"]


def test_only_a_plain_file_of_some_size_is_read(good: Good, brought: Quarantine, tmp_path: Path) -> None:
    (tmp_path / "good").write_bytes(good.data)
    (tmp_path / "link").symlink_to("good")
    os.mkfifo(tmp_path / "pipe")
    with (tmp_path / "large").open("wb") as file:
        file.truncate(LARGEST + 1)
    for name in ("link", "pipe", "large", "missing", "."):
        with pytest.raises(WorkspaceError, match="the bundle is refused"):
            brought.receive(tmp_path / name, run=RUN, branch=BRANCH, bases={good.walk.base})


def test_it_is_a_closed_folder_of_its_own_that_is_removed(good: Good, tmp_path: Path) -> None:
    before = good.walk.repo.state()
    with open_quarantine(tmp_path) as made:
        assert made.folder.parent.stat().st_mode & 0o777 == 0o700
        made.bring(Remote(f"file://{good.walk.repo.path}"), [good.walk.base])
        assert made.git.line("rev-list", "--count", "refs/quarantine/0") == "1"
        assert not (made.folder / "objects/info/alternates").exists()
        assert made.repository.library
    assert list(tmp_path.iterdir()) == []
    assert good.walk.repo.state() == before


def test_a_commit_that_is_not_given_by_its_id_is_found_on_its_branch(tmp_path: Path) -> None:
    source = make_repo(tmp_path / "source")
    commits: Sequence[str] = [source.commit({"a": f"{number}\n"}) for number in range(5)]
    # In the old protocol a server gives only what a ref stands at
    (Path(os.environ["HOME"]) / ".gitconfig").write_text("[protocol]\n\tversion = 0\n")
    remote = Remote(f"file://{source.path}")
    with open_quarantine(tmp_path) as made:
        with pytest.raises(GitFailed):
            made.bring(remote, [commits[1]])
        with pytest.raises(GitFailed, match="does not lead"):
            made.bring(remote, ["1" * 40], "main")
        made.bring(remote, [commits[1]], "main")
        assert made.git.line("rev-parse", "refs/quarantine/0") == commits[1]
