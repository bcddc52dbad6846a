from collections.abc import Callable
from pathlib import Path

import pytest

from bot.errors import GitFailed
from bot.git.library import Library
from bot.git.objects import Entry, Identity, Store
from bot.git.plumbing import Plumbing
from bot.git.repository import open_repository
from bot.git.store import open_store
from tests.conftest import Repo, make_repo

WHO = Identity("A Bot", "bot@example.invalid")


def through_library(repo: Repo) -> Store:
    return Library(str(repo.path / ".git"), WHO)


def through_executable(repo: Repo) -> Store:
    return Plumbing(open_repository(repo.path).shared, WHO)


@pytest.fixture(params=[through_library, through_executable])
def store(request: pytest.FixtureRequest, repo: Repo) -> Store:
    make: Callable[[Repo], Store] = request.param
    return make(repo)


def test_files_of_a_commit_are_read_as_bytes(repo: Repo, store: Store) -> None:
    commit = repo.commit({"sub/raw.bin": b"\x00\xff\r\n", "a b\tc.txt": "x"})
    assert store.blob(commit, "sub/raw.bin") == b"\x00\xff\r\n"
    assert store.blob(store.tree(commit), "a b\tc.txt") == b"x"
    assert store.blob(commit, "sub") is None
    assert store.blob(commit, "nothing") is None


def test_blobs_and_trees_are_written(repo: Repo, store: Store) -> None:
    blob = store.write_blob(b"hello\n")
    tree = store.write_tree([Entry("z.txt", blob), Entry("a b.txt", blob, 0o100755)])
    assert repo.git("ls-tree", tree).splitlines() == [f"100755 blob {blob}\ta b.txt", f"100644 blob {blob}\tz.txt"]
    assert store.sizes([blob, blob]) == (6, 6)
    assert store.sizes([]) == ()
    assert store.content(blob) == b"hello\n"


def test_a_commit_has_our_identity_and_the_whole_message(repo: Repo, store: Store) -> None:
    repo.git("config", "commit.gpgsign", "true")
    head = repo.git("rev-parse", "HEAD")
    message = "subject\n\n# not a comment\n  body é \udcff\0end\n\nAgent-Run: x\n\n"
    made = store.commit(store.tree(head), (head,), message)
    assert repo.git("log", "-1", "--format=%an <%ae> %cn <%ce>%n%P", made).splitlines() == [
        "A Bot <bot@example.invalid> A Bot <bot@example.invalid>",
        head,
    ]
    raw = repo.git("cat-file", "commit", made).partition("\n\n")
    assert raw[2] == "subject\n\n# not a comment\n  body é ?end\n\nAgent-Run: x"
    assert "gpgsig" not in raw[0]


def test_a_commit_moves_its_ref_only_from_its_first_parent(repo: Repo, store: Store) -> None:
    head = repo.git("rev-parse", "HEAD")
    first = store.commit(store.tree(head), (head,), "one", ref="refs/heads/work")
    second = store.commit(store.tree(head), (first,), "two", ref="refs/heads/work")
    with pytest.raises(GitFailed):
        store.commit(store.tree(head), (first,), "late", ref="refs/heads/work")
    assert store.read_ref("refs/heads/work") == second


def test_refs_are_created_moved_and_deleted_by_compare_and_swap(repo: Repo, store: Store) -> None:
    old = repo.git("rev-parse", "HEAD")
    new = repo.commit({"x": "x"})
    store.create_ref("refs/heads/a", old)
    with pytest.raises(GitFailed):
        store.create_ref("refs/heads/a", new)
    with pytest.raises(GitFailed):
        store.move_ref("refs/heads/a", old, new)
    store.move_ref("refs/heads/a", new, old)
    assert store.read_ref("refs/heads/a") == new
    with pytest.raises(GitFailed):
        store.delete_ref("refs/heads/a", old)
    store.delete_ref("refs/heads/a", new)
    assert store.read_ref("refs/heads/a") is None
    with pytest.raises(GitFailed):
        store.delete_ref("refs/heads/a", new)


def test_a_name_below_an_existing_ref_is_refused(repo: Repo, store: Store) -> None:
    head = repo.git("rev-parse", "HEAD")
    with pytest.raises(GitFailed):
        store.create_ref("refs/heads/main/below", head)


def test_refs_are_listed_by_prefix_without_symbolic_ones(repo: Repo, store: Store) -> None:
    head = repo.git("rev-parse", "HEAD")
    for name in ("refs/remotes/o/b", "refs/remotes/o/a", "refs/remoter/x"):
        repo.git("update-ref", name, head)
    repo.git("symbolic-ref", "refs/remotes/o/HEAD", "refs/remotes/o/a")
    repo.git("pack-refs", "--all")
    assert store.refs("refs/remotes/") == (("refs/remotes/o/a", head), ("refs/remotes/o/b", head))


def test_what_is_not_there_is_git_failing(store: Store) -> None:
    with pytest.raises(GitFailed):
        store.tree("0" * 40)
    with pytest.raises(GitFailed):
        store.content("1" * 40)
    with pytest.raises(GitFailed):
        store.sizes(["1" * 40])
    with pytest.raises(GitFailed):
        store.commit("1" * 40, (), "x")


def test_both_see_what_git_wrote_and_packed_meanwhile(repo: Repo, store: Store) -> None:
    assert store.read_ref("refs/heads/main") is not None
    commit = repo.commit({"late.txt": "late"})
    repo.git("gc", "-q", "--prune=now")
    assert store.read_ref("refs/heads/main") == commit
    assert store.blob(commit, "late.txt") == b"late"


def test_the_back_end_fits_the_repository(repo: Repo, tmp_path: Path) -> None:
    assert isinstance(open_store(open_repository(repo.path)), Library)
    long = make_repo(tmp_path / "long")
    long.git("init", "-q", "--object-format=sha256", str(tmp_path / "sha256"))
    made = Repo(tmp_path / "sha256")
    commit = made.commit({"a": "1"})
    store = open_store(open_repository(made.path))
    assert isinstance(store, Plumbing)
    assert len(commit) == 64
    next_one = store.commit(store.tree(commit), (commit,), "more", ref="refs/agent/x")
    assert store.read_ref("refs/agent/x") == next_one
