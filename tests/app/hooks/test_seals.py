import json
import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from bot.app.bay import Bay, choose_bay
from bot.app.desk import open_desk
from bot.app.hooks.sealing import describe_commit, keep_seal, seal_verified, shelf_of
from bot.app.hooks.seals import LARGEST, MOST, Seal, describe, find_seal, stamp, write
from bot.core.check import Check
from bot.core.redact import Redactor
from bot.git.candidate import Candidate
from bot.git.repository import Repository, open_repository
from bot.sandbox.process import ProcessExecutor
from tests.app import kinds
from tests.conftest import Repo

TREE, BASE = "1" * 40, "2" * 40
SEAL = Seal(1, "it fails: ünïcode\n")
CHECK = Check(name="pytest", rung="unit", argv=("pytest",), reader="pytest")


@pytest.fixture
def repository(repo: Repo) -> Repository:
    return open_repository(repo.path)


def put(repository: Repository, raw: bytes, described: str = "it") -> Path:
    shelf = shelf_of(repository)
    shelf.put(described, raw)
    (path,) = shelf.folder.iterdir()
    return path


def test_what_is_kept_is_found_until_it_is_too_old(repository: Repository) -> None:
    put(repository, write(SEAL, (), 60))
    assert find_seal(repository.common_dir, "it") == SEAL
    assert find_seal(repository.common_dir, "something else") is None
    for begin, end in ((0.0, 1.0), (time.time() + 60, time.time() + 120)):
        put(repository, json.dumps([0, "", begin, end, []]).encode())
        assert find_seal(repository.common_dir, "it") is None


def test_what_is_watched_has_to_be_as_it_was(repository: Repository, tmp_path: Path) -> None:
    file, folder, absent = tmp_path / "file", tmp_path / "folder", tmp_path / "absent"
    file.write_text("1")
    folder.mkdir()
    changes: tuple[Callable[[], object], ...] = (
        lambda: file.write_text("22"),
        lambda: file.chmod(0o700),
        (folder / "new").touch,
        file.unlink,
        absent.mkdir,
    )
    for change in changes:
        put(repository, write(SEAL, [stamp(str(path)) for path in (file, folder, absent)], 60))
        assert find_seal(repository.common_dir, "it") == SEAL
        change()
        assert find_seal(repository.common_dir, "it") is None


def test_whatever_is_odd_is_as_if_it_were_not_there(repository: Repository, tmp_path: Path) -> None:
    assert find_seal(repository.common_dir, "it") is None
    raw = write(SEAL, (), 60)
    now = time.time()
    nonsense = (b"", b"{", b"[]", b"{}", b"7", b"[0,1,2,3,4]", b"\xff", b"[" * 100_000, b"[0, null, 0, 1e999, []]")
    odd = ([7, "", now, now + 60, []], [0, "", "a", "b", []], [0, "", now, now + 60, 7], [0, "", now, now + 60, [[]]])
    for content in (*nonsense, *(json.dumps(value).encode() for value in odd), raw + b" " * LARGEST):
        put(repository, content)
        assert find_seal(repository.common_dir, "it") is None
    path = put(repository, raw)
    path.chmod(0o644)
    assert find_seal(repository.common_dir, "it") is None
    path.chmod(0o600)
    elsewhere = path.rename(tmp_path / "elsewhere")
    path.symlink_to(elsewhere)
    assert find_seal(repository.common_dir, "it") is None
    path.unlink()
    os.mkfifo(path)
    assert find_seal(repository.common_dir, "it") is None
    path.unlink()
    elsewhere.rename(path)
    assert find_seal(repository.common_dir, "it") == SEAL
    moved = path.parent.rename(tmp_path / "moved")
    path.parent.symlink_to(moved)
    assert find_seal(repository.common_dir, "it") is None


def test_only_the_newest_few_hundred_are_kept(repository: Repository) -> None:
    shelf = shelf_of(repository)
    for number in range(MOST + 5):
        shelf.folder.mkdir(parents=True, exist_ok=True)
        (shelf.folder / f"{number:048x}").write_bytes(b"old")
        os.utime(shelf.folder / f"{number:048x}", ns=(number, number))
    shelf.put("it", write(SEAL, (), 60))
    assert shelf.count().number == MOST
    assert find_seal(repository.common_dir, "it") == SEAL


def test_it_is_known_by_all_that_it_depends_on(tmp_path: Path) -> None:
    def told(*commit: str, settings: bytes = b"", place: Path = tmp_path, more: str = "TERM") -> str:
        return describe(commit, place, settings, {**plain, more: "x"})

    (tmp_path / "worktree").mkdir()
    plain = {"PATH": "/usr/lib/git-core:/usr/bin", "HOME": "/h", "GIT_INDEX_FILE": ".git/index", "LANG": "C"}
    known = told(TREE, BASE)
    assert known == describe((TREE, BASE), tmp_path, b"", {"PATH": "/usr/bin"})
    others = {
        told(BASE, TREE),
        told(TREE, BASE, "3" * 40),
        told(TREE, BASE, settings=b"agent.python\n/p\0"),
        told(TREE, BASE, place=tmp_path / "worktree"),
        *(told(TREE, BASE, more=name) for name in ("PATH", "TZ", "VIRTUAL_ENV", "GIT_AGENT_MODEL")),
    }
    assert len(others | {known}) == 9


@pytest.fixture
def bay(repo: Repo) -> Bay:
    if reason := kinds.lacking("bubblewrap", repo):
        pytest.skip(reason)
    return choose_bay(open_desk(repo.path, {"isolation": "bubblewrap"}))


def test_a_commit_that_was_judged_is_known_and_so_is_one_that_a_run_verified(repository: Repository, bay: Bay) -> None:
    begun = time.time()
    candidate = Candidate(TREE, "", BASE, "index")
    assert keep_seal(repository, bay, candidate, SEAL, checks=(CHECK,), begun=begun)
    described = describe_commit(repository, candidate)
    assert described is not None
    assert find_seal(repository.common_dir, described) == SEAL
    assert shelf_of(repository).folder.stat().st_mode & 0o777 == 0o700
    assert seal_verified(repository, bay, candidate, checks=(CHECK,), begun=begun)
    assert find_seal(repository.common_dir, described) == Seal(0, "")
    # An environment that comes into being is the project's from then on
    (repository.root / ".venv/bin").mkdir(parents=True)
    (repository.root / ".venv/bin/python").touch()
    assert find_seal(repository.common_dir, described) is None


def test_nothing_is_kept_that_more_than_can_be_told_had_a_part_in(
    repository: Repository, bay: Bay, tmp_path: Path
) -> None:
    candidate = Candidate(TREE, "", BASE, "index")
    (tmp_path / "carried").mkdir()
    outside = bay.outside
    assert outside is not None
    open_ = ProcessExecutor()
    bays = (
        replace(bay, executor=open_),
        replace(bay, shelf=None),
        replace(bay, built=("fast.so",)),
        replace(bay, outside=None),
        replace(bay, outside=outside._replace(facts=("submodule",))),
        replace(bay, outside=outside._replace(carried=(tmp_path / "carried",))),
        replace(bay, redactor=Redactor(("ünïcode",))),
    )
    for number, odd in enumerate(bays):
        assert not keep_seal(repository, odd, candidate, SEAL, checks=(CHECK,), begun=time.time()), number
    for check in (CHECK.model_copy(update={"network": True}), CHECK.model_copy(update={"reader": "plain"})):
        assert not keep_seal(repository, bay, candidate, SEAL, checks=(check,), begun=time.time())
    # What changed while it was judged may have had a part in it
    assert not keep_seal(repository, bay, candidate, SEAL, checks=(CHECK,), begun=0)
    assert not shelf_of(repository).folder.exists()
