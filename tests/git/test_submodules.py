"""Other repositories in a checkout: taken for what a commit names only when they are."""

import os
import shutil
from pathlib import Path

import pytest

from bot.git.repository import Repository, open_repository
from bot.git.submodules import find_submodules
from tests.conftest import Repo, make_repo

LOCAL = ("-c", "protocol.file.allow=always")


def add(repo: Repo, source: Repo, path: str) -> Repo:
    """Add a submodule, as a person does."""
    repo.git(*LOCAL, "submodule", "--quiet", "add", str(source.path), path)
    repo.git("commit", "-q", "-m", f"add {path}")
    return Repo(repo.path / path)


@pytest.fixture
def source(tmp_path: Path) -> Repo:
    made = make_repo(tmp_path / "source")
    made.commit({"data/a.txt": "1\n", ".gitignore": "*.o\n"}, "data")
    return made


@pytest.fixture
def inner(repo: Repo, source: Repo) -> Repo:
    return add(repo, source, "deps/data set")


def look(repo: Repo) -> tuple[str, ...]:
    repository = open_repository(repo.path)
    return tuple(found.trouble for found in find_submodules(repository, repository.default_base()))


def test_a_checkout_that_stands_where_the_commit_says_is_taken_for_it(repo: Repo, inner: Repo) -> None:
    repository = open_repository(repo.path)
    (found,) = find_submodules(repository, repository.default_base())
    assert found == ("deps/data set", inner.git("rev-parse", "HEAD"), "", ())
    assert find_submodules(repository, repository.resolve("HEAD~1")) == ()


def test_what_lies_in_a_checkout_beside_its_commit_is_named(repo: Repo, inner: Repo) -> None:
    inner.write({"x.o": "ignored", "new/y": "", "z": ""})
    repository = open_repository(repo.path)
    assert find_submodules(repository, repository.default_base())[0].extra == ("new/", "z")


def test_a_file_that_was_only_touched_is_no_change(repo: Repo, inner: Repo) -> None:
    copy = repo.path.parent / "copy"
    shutil.copytree(repo.path, copy, symlinks=True, copy_function=shutil.copy)
    index = copy / ".git/modules/deps/data set/index"
    before = index.read_bytes()
    assert look(Repo(copy)) == ("",)
    assert index.read_bytes() == before


def test_a_checkout_of_anything_else_is_not(repo: Repo, inner: Repo, source: Repo) -> None:
    inner.write({"data/a.txt": "2\n"})
    assert look(repo) == ("it has changes",)
    inner.git("add", "--all")
    assert look(repo) == ("it has changes",)
    inner.git("reset", "-q", "--hard")
    (inner.path / "data/a.txt").unlink()
    assert look(repo) == ("it has changes",)
    inner.commit({"data/a.txt": "2\n"}, "mine")
    assert look(repo) == ("it stands at another commit",)
    repo.git("submodule", "--quiet", "deinit", "--all", "--force")
    assert look(repo) == ("not checked out",)
    repo.write({"deps/data set/data/a.txt": "1\n"})
    assert look(repo) == ("not a checkout",)


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
def test_a_change_that_git_was_told_not_to_see_is_not_believed_to_be_none(repo: Repo, inner: Repo, flag: str) -> None:
    inner.git("update-index", flag, "data/a.txt")
    inner.write({"data/a.txt": "2\n"})
    assert inner.git("status", "--porcelain") == ""
    assert look(repo) == ("git was told not to look at some of its files",)


def test_a_submodule_in_a_submodule_has_to_stand_where_it_should_as_well(
    repo: Repo, source: Repo, tmp_path: Path
) -> None:
    middle = make_repo(tmp_path / "middle")
    add(middle, source, "deep")
    outer = add(repo, middle, "mid")
    # What is empty in the checkout is empty for the checks
    assert look(repo) == ("",)
    outer.git(*LOCAL, "submodule", "--quiet", "update", "--init")
    assert look(repo) == ("",)
    Repo(outer.path / "deep").write({"data/a.txt": "2\n"})
    assert look(repo) == ("of its own submodule deep: it has changes",)


def pointed(inner: Repo, text: str) -> None:
    (inner.path / ".git").write_text(text)


def test_a_repository_that_lies_elsewhere_is_not_asked(repo: Repo, inner: Repo, tmp_path: Path, source: Repo) -> None:
    foreign = tmp_path / "foreign"
    shutil.copytree(repo.path / ".git/modules/deps/data set", foreign)
    for text in (f"gitdir: {foreign}\n", "gitdir: ../../../foreign\n", "gitdir: ../../.git\n", "gitdir: ..\n"):
        pointed(inner, text)
        assert look(repo) == ("its repository lies elsewhere",), text
    for text in ("", "gitdir: nowhere\n", "gitdir: \0\n", "x" * 5000):
        pointed(inner, text)
        assert look(repo)[0] in ("its repository lies elsewhere", "it cannot be read"), text
    (inner.path / ".git").unlink()
    (inner.path / ".git").symlink_to(foreign)
    assert look(repo) == ("its repository lies elsewhere",)
    (inner.path / ".git").unlink()
    foreign.rename(inner.path / ".git")
    repo.git("config", "--file", str(inner.path / ".git/config"), "core.worktree", "..")
    assert look(repo) == ("",)
    # A worktree of something else keeps what it is in two places
    (inner.path / ".git/commondir").write_text(f"{source.path}/.git\n")
    assert look(repo) == ("its repository lies elsewhere",)


def test_a_place_that_links_lead_to_is_no_checkout(repo: Repo, inner: Repo, tmp_path: Path) -> None:
    (repo.path / "deps").rename(tmp_path / "deps")
    (repo.path / "deps").symlink_to(tmp_path / "deps")
    assert look(repo) == ("not checked out",)
    (repo.path / "deps").unlink()
    (repo.path / "deps").symlink_to("deps")
    assert look(repo)[0] in ("not checked out", "it cannot be read")


PROGRAMS = (
    *("core.fsmonitor", "core.sshCommand", "core.pager", "core.editor", "diff.external", "diff.evil.textconv"),
    *("filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "diff.evil.command", "hook.evil.command"),
)


def test_nothing_of_a_submodules_is_executed_and_nothing_is_written(repo: Repo, inner: Repo, tmp_path: Path) -> None:
    marker, script = tmp_path / "marker", tmp_path / "evil.sh"
    script.write_text(f"#!/bin/sh\necho $0 >> '{marker}'\ncat\n")
    script.chmod(0o755)
    inner.commit({".gitattributes": "* filter=evil diff=evil\n", "data/b.txt": "2\n"}, "attributes")
    repo.commit({}, "move")
    for key in PROGRAMS:
        inner.git("config", key, str(script))
    hooks = Path(inner.git("rev-parse", "--absolute-git-dir"), "hooks")
    hooks.mkdir(exist_ok=True)
    for name in ("post-index-change", "fsmonitor-watchman", "post-checkout", "reference-transaction"):
        shutil.copy(script, hooks / name)
    index = hooks.with_name("index")
    before = index.read_bytes()
    os.utime(inner.path / "data/a.txt", (2_000_000_000, 2_000_000_000))
    inner.write({"data/b.txt": "3\n"})
    assert look(repo) == ("it has changes",)
    assert not marker.exists()
    assert index.read_bytes() == before


def test_a_partial_clone_is_never_completed(repo: Repo, inner: Repo, tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    inner.git("config", "remote.origin.promisor", "true")
    inner.git("config", "remote.origin.uploadpack", f"touch {marker};git-upload-pack")
    assert look(repo) == ("it is a partial clone",)
    assert not marker.exists()


def test_a_repository_without_its_objects_cannot_be_read(repo: Repo, inner: Repo) -> None:
    objects = Path(inner.git("rev-parse", "--absolute-git-dir"), "objects")
    shutil.rmtree(objects)
    objects.mkdir()
    assert look(repo)[0] in ("it cannot be read", "it stands at another commit")


def test_a_worktree_of_the_outer_repository_has_its_own(repo: Repo, inner: Repo, tmp_path: Path) -> None:
    repo.git("worktree", "add", "-q", "--detach", str(tmp_path / "second"))
    second = Repo(tmp_path / "second")
    assert look(second) == ("not checked out",)
    second.git(*LOCAL, "submodule", "--quiet", "update", "--init")
    assert look(second) == ("",)
    opened: Repository = open_repository(second.path)
    assert opened.root == second.path
