"""Refs, through both back ends."""

import subprocess
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from bot.errors import GitFailed
from bot.git.objects import Store, is_ref
from tests.conftest import Repo
from tests.git.stores import MISSING, store, through_executable, through_library

__all__ = ["store"]


def test_a_commit_moves_its_ref_only_from_its_first_parent(repo: Repo, store: Store) -> None:
    head = repo.git("rev-parse", "HEAD")
    tree = store.tree(head)
    first = store.commit(tree, (head,), "one", ref="refs/heads/work")
    second = store.commit(tree, (first, head), "two", ref="refs/heads/work")
    for late in ((first,), (head, second), ()):
        with pytest.raises(GitFailed):
            store.commit(tree, late, "late", ref="refs/heads/work")
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
    with pytest.raises(GitFailed):
        store.move_ref("refs/heads/a", old, new)


def test_packed_refs_are_read_moved_and_deleted(repo: Repo, store: Store) -> None:
    old = repo.git("rev-parse", "HEAD")
    new = repo.commit({"x": "x"})
    for name in ("moved", "gone", "kept"):
        store.create_ref(f"refs/agent/{name}", old)
    repo.git("pack-refs", "--all")
    store.move_ref("refs/agent/moved", new, old)
    store.delete_ref("refs/agent/gone", old)
    assert store.refs("refs/agent/") == (("refs/agent/kept", old), ("refs/agent/moved", new))
    assert repo.git("for-each-ref", "--format=%(refname)", "refs/agent/").split() == [
        "refs/agent/kept",
        "refs/agent/moved",
    ]


@pytest.mark.parametrize("between", [("status",), ("pack-refs", "--all")])
def test_a_ref_leaves_no_room_above_or_below_it(repo: Repo, store: Store, between: tuple[str, ...]) -> None:
    head = repo.git("rev-parse", "HEAD")
    store.create_ref("refs/heads/a/b", head)
    repo.git(*between)
    for name in ("refs/heads/a", "refs/heads/a/b/c"):
        with pytest.raises(GitFailed):
            store.create_ref(name, head)
        with pytest.raises(GitFailed):
            store.commit(store.tree(head), (head,), "x", ref=name)
        assert store.read_ref(name) is None
    store.delete_ref("refs/heads/a/b", head)
    store.create_ref("refs/heads/a", head)
    assert store.read_ref("refs/heads/a") == head


def test_folders_and_logs_that_nobody_uses_any_more_are_not_in_the_way(repo: Repo, store: Store) -> None:
    head = repo.git("rev-parse", "HEAD")
    for kind in ("refs", "logs/refs"):
        (repo.path / ".git" / kind / "heads/old/er").mkdir(parents=True)
    store.create_ref("refs/heads/old", head)
    assert store.read_ref("refs/heads/old") == head


def test_refs_are_listed_by_prefix_in_byte_order_without_symbolic_ones(repo: Repo, store: Store) -> None:
    head = repo.git("rev-parse", "HEAD")
    for name in ("refs/remotes/o/b", "refs/remotes/o/a", "refs/remoter/x", "refs/remotes/é", "refs/remotes/o/Z"):
        repo.git("update-ref", name, head)
    repo.git("update-ref", "refs/remotes/caf\udce9", head)
    repo.git("symbolic-ref", "refs/remotes/o/HEAD", "refs/remotes/o/a")
    listed = tuple(name for name, _ in store.refs("refs/remotes/"))
    repo.git("pack-refs", "--all")
    assert listed == tuple(name for name, _ in store.refs("refs/remotes/"))
    assert listed == ("refs/remotes/caf\udce9", *(f"refs/remotes/{n}" for n in ("o/Z", "o/a", "o/b", "é")))
    assert store.read_ref("refs/remotes/caf\udce9") == head
    assert store.refs("refs/remotes/none/") == ()


def test_symbolic_refs_are_read_through_and_never_written(repo: Repo, store: Store) -> None:
    head = repo.git("rev-parse", "HEAD")
    new = repo.git("commit-tree", "HEAD^{tree}", "-p", head, "-m", "x")
    repo.git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
    repo.git("symbolic-ref", "refs/heads/nowhere", "refs/heads/none")
    assert store.read_ref("refs/heads/alias") == head
    assert store.read_ref("refs/heads/nowhere") is None
    for change in (
        lambda: store.move_ref("refs/heads/alias", new, head),
        lambda: store.delete_ref("refs/heads/alias", head),
        lambda: store.commit(store.tree(head), (head,), "x", ref="refs/heads/alias"),
        lambda: store.create_ref("refs/heads/nowhere", head),
        lambda: store.commit(store.tree(head), (head,), "x", ref="refs/heads/nowhere"),
    ):
        with pytest.raises(GitFailed):
            change()
    assert (repo.git("symbolic-ref", "refs/heads/alias"), store.read_ref("refs/heads/main")) == (
        "refs/heads/main",
        head,
    )


def test_a_name_is_the_whole_name(repo: Repo, store: Store) -> None:
    head = repo.git("rev-parse", "HEAD")
    repo.git("update-ref", "refs/heads/refs/heads/inner", head)
    repo.git("tag", "t")
    for name in (
        "refs/heads/inner",
        "main",
        "HEAD",
        "t",
        "refs/heads/main^{tree}",
        "refs/heads/main@{0}",
        "refs/heads",
    ):
        assert store.read_ref(name) is None
    for name in ("main", "HEAD", "x", "refs/heads/a b", "refs/heads/../x", "refs/heads/caf\udce9", "refs/heads/", ""):
        with pytest.raises(GitFailed):
            store.create_ref(name, head)
        with pytest.raises(GitFailed):
            store.commit(store.tree(head), (head,), "x", ref=name)


def test_a_ref_stands_at_something_that_exists_and_a_branch_at_a_commit(repo: Repo, store: Store) -> None:
    head, tree = repo.git("rev-parse", "HEAD"), repo.git("rev-parse", "HEAD^{tree}")
    for name, target in (("refs/agent/x", MISSING), ("refs/heads/x", MISSING), ("refs/heads/x", tree)):
        with pytest.raises(GitFailed):
            store.create_ref(name, target)
    store.create_ref("refs/heads/x", head)
    with pytest.raises(GitFailed):
        store.move_ref("refs/heads/x", tree, head)
    store.create_ref("refs/agent/tree", tree)
    assert store.read_ref("refs/agent/tree") == tree


def test_a_ref_file_that_is_damaged_or_no_ref_hides_no_other(repo: Repo, store: Store) -> None:
    head = repo.git("rev-parse", "HEAD")
    for name in ("empty", "x.lock", "a b", ".hidden"):
        repo.write({f".git/refs/heads/{name}": "" if name == "empty" else f"{head}\n"})
    assert store.refs("refs/heads/") == (("refs/heads/main", head),)
    with pytest.raises(GitFailed):
        store.read_ref("refs/heads/empty")
    with pytest.raises(GitFailed):
        store.commit(store.tree(head), (head,), "x", ref="refs/heads/empty")


def test_a_ref_to_something_lost_is_told(repo: Repo, store: Store) -> None:
    repo.write({".git/refs/agent/lost": f"{MISSING}\n"})
    assert store.read_ref("refs/agent/lost") == MISSING
    assert store.refs("refs/agent/") == (("refs/agent/lost", MISSING),)


def test_a_lock_that_somebody_holds_for_a_moment_is_waited_for(repo: Repo, store: Store) -> None:
    head = repo.git("rev-parse", "HEAD")
    store.create_ref("refs/heads/a", head)
    repo.git("pack-refs", "--all")
    lock = repo.path / ".git/packed-refs.lock"
    lock.touch()
    threading.Timer(0.15, lock.unlink).start()
    store.delete_ref("refs/heads/a", head)
    assert store.read_ref("refs/heads/a") is None


def test_a_lock_that_stays_is_git_failing(repo: Repo, store: Store) -> None:
    head = repo.git("rev-parse", "HEAD")
    repo.write({".git/refs/heads/a.lock": ""})
    with pytest.raises(GitFailed):
        store.create_ref("refs/heads/a", head)
    assert store.read_ref("refs/heads/a") is None


def packing(repo: Repo, done: threading.Event) -> None:
    while not done.is_set():
        subprocess.run(["git", "pack-refs", "--all", "--prune"], cwd=repo.path, check=False, capture_output=True)


def test_while_somebody_packs_refs_none_is_lost_and_none_comes_back(repo: Repo, store: Store) -> None:
    head, done = repo.git("rev-parse", "HEAD"), threading.Event()
    tree = store.tree(head)
    packer = threading.Thread(target=packing, args=(repo, done))
    packer.start()
    tip = head
    store.create_ref("refs/agent/tip", head)
    for number in range(12):
        # A name of its own each time: git itself may prune a ref that comes back to where it stood
        name = f"refs/heads/agent/{number}"
        store.create_ref(name, head)
        tip = store.commit(tree, (tip,), str(number), ref="refs/agent/tip")
        store.move_ref(name, tip, head)
        assert (store.read_ref("refs/agent/tip"), store.read_ref(name)) == (tip, tip)
        store.delete_ref(name, tip)
        assert store.read_ref(name) is None
    done.set()
    packer.join()
    assert (store.refs("refs/agent/"), store.refs("refs/heads/agent/")) == ((("refs/agent/tip", tip),), ())


def test_of_many_who_move_a_ref_at_once_each_commit_counts_or_fails(repo: Repo, store: Store) -> None:
    head = repo.git("rev-parse", "HEAD")
    tree = store.tree(head)
    store.create_ref("refs/agent/busy", head)
    made: list[str] = []

    def push(number: int) -> None:
        for turn in range(4):
            with suppress(GitFailed):
                tip = store.read_ref("refs/agent/busy")
                assert tip is not None
                made.append(store.commit(tree, (tip,), f"{number} {turn}", ref="refs/agent/busy"))

    pushers = [threading.Thread(target=push, args=(number,)) for number in range(3)]
    for pusher in pushers:
        pusher.start()
    for pusher in pushers:
        pusher.join()
    told = repo.git("rev-list", "--first-parent", f"{head}..refs/agent/busy").split()
    assert sorted(told) == sorted(made)
    assert made


REFS = st.text(st.sampled_from("ab/.@{ ~^*\\-é\x01"), min_size=1, max_size=6).map("refs/heads/".__add__)


@example("refs/heads/a.lock")
@example("refs/heads/a.lock/b")
@example("refs/heads/@")
@example("refs/heads/-")
@example("refs/heads/a\x7f")
@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(REFS)
def test_names_are_held_valid_as_git_holds_them(repo: Repo, name: str) -> None:
    told = subprocess.run(["git", "check-ref-format", name], cwd=repo.path, check=False)
    assert is_ref(name) == (told.returncode == 0)


@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["create", "move", "delete", "commit"]),
            st.sampled_from(["refs/agent/a", "refs/agent/a/b", "refs/agent/c"]),
            st.integers(0, 1),
            st.integers(0, 1),
        ),
        max_size=6,
    )
)
def test_both_answer_alike_to_any_sequence(repo: Repo, steps: list[tuple[str, str, int, int]]) -> None:
    head = repo.git("rev-parse", "HEAD")
    known = (head, repo.git("commit-tree", "HEAD^{tree}", "-m", "other"))

    def play(through: Callable[[Path], Store]) -> list[object]:
        store = through(repo.path)
        told: list[object] = []
        for what, ref, one, two in steps:
            try:
                match what:
                    case "create":
                        store.create_ref(ref, known[one])
                    case "move":
                        store.move_ref(ref, known[one], known[two])
                    case "delete":
                        store.delete_ref(ref, known[one])
                    case _:
                        told.append(store.commit(store.tree(head), (known[one],), "x", ref=ref))
            except GitFailed:
                told.append("refused")
            told.append(store.read_ref(ref))
        told.append(store.refs("refs/agent/"))
        for name, target in store.refs("refs/agent/"):
            store.delete_ref(name, target)
        return told

    assert play(through_library) == play(through_executable)
