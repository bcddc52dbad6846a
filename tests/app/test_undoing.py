"""Back and forth over the steps of a run, on its own branch, on the person's, and where others have the commits."""

from pathlib import Path

import pytest

from bot.app.acceptance import accept
from bot.app.cleaning import clean
from bot.app.perform import render
from bot.app.redoing import redo
from bot.app.undoing import undo
from bot.core.change import ChangeSet
from bot.core.event import Committed, Event, Redone, Started, Undone, Verified
from bot.errors import UsageError
from bot.git.record import RunRef
from tests.app.walk import STEPS, Walk, copy_walk, judged, make_project, make_walk, push
from tests.conftest import Repo


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Walk:
    return make_walk(make_project(tmp_path_factory.mktemp("made") / "repo"), STEPS)


@pytest.fixture
def walk(made: Walk, tmp_path: Path) -> Walk:
    return copy_walk(made, tmp_path / "repo")


def files(repo: Repo) -> dict[str, bytes]:
    found = (p for p in repo.path.rglob("*") if p.is_file() and ".git" not in p.parts)
    return {str(p.relative_to(repo.path)): p.read_bytes() for p in found}


def everything(repo: Repo) -> tuple[object, ...]:
    return (files(repo), repo.state(), repo.git("for-each-ref"))


def test_the_branch_goes_back_and_forth_and_the_person_is_left_alone(walk: Walk) -> None:
    before = walk.repo.state()
    told = undo(walk.repo.path, walk.run)
    assert f"{walk.branch} is back at step 1" in told
    assert (walk.at(walk.branch), walk.live) == (walk.commits[0], [1])
    undo(walk.repo.path, walk.run)
    assert (walk.at(walk.branch), walk.live) == (walk.base, [])
    with pytest.raises(UsageError, match="no step to undo"):
        undo(walk.repo.path, walk.run)
    redo(walk.repo.path, walk.run)
    assert walk.at(walk.branch) == walk.commits[0]
    assert f"{walk.branch} is at step 2 again" in redo(walk.repo.path, walk.run)
    assert walk.at(walk.branch) == walk.commits[1]
    with pytest.raises(UsageError, match="nothing to redo"):
        redo(walk.repo.path, walk.run)
    assert walk.repo.state() == before


def test_after_an_accept_files_and_branch_go_back_and_forth(walk: Walk) -> None:
    repo = walk.repo
    repo.write({"mine": "m", "far": (repo.path / "far").read_text() + "mine\n"})
    repo.git("add", "far")
    repo.write({"far": (repo.path / "far").read_text() + "more\n"})
    before, mine = files(repo), repo.state()[:3]
    accept(repo.path, walk.run)
    after = files(repo)
    assert "two.py" in after
    assert "old" not in after
    assert "main is back at its base" in undo(repo.path, f"{walk.run}:1")
    assert (files(repo), repo.state()[:3]) == (before, mine)
    assert (walk.at("main"), walk.at(walk.branch)) == (walk.base, walk.base)
    assert not (repo.path / "new").exists()
    redo(repo.path, walk.run)
    assert (files(repo), repo.state()[:3]) == (after, mine)
    assert (walk.at("main"), walk.at(walk.branch)) == (walk.commits[1], walk.commits[1])


def test_after_an_accept_by_cherry_pick_too(walk: Walk) -> None:
    repo = walk.repo
    moved = repo.commit({"calc.py": repo.git("show", "main:calc.py") + "\n\n\nX = 1\n"})
    tree = repo.git("rev-parse", "main^{tree}")
    repo.git("reset", "-q", "--hard", walk.base)
    same = repo.git("commit-tree", walk.tree_of(0), "-p", walk.base, "-m", "only the message")
    repo.git("reset", "-q", "--hard", same)
    assert "cherry-pick, of the same files" in accept(repo.path, walk.run)
    copies = repo.git("rev-list", "--reverse", f"{same}..main").split()
    assert walk.tree("main") == walk.tree_of(2)
    assert not set(copies) & set(walk.commits)
    undo(repo.path, walk.run)
    assert (walk.at("main"), walk.at(walk.branch)) == (copies[0], walk.commits[0])
    redo(repo.path, walk.run)
    assert (walk.at("main"), walk.at(walk.branch)) == (copies[1], walk.commits[1])
    assert moved != tree


def test_what_was_pushed_is_reverted_and_made_again(walk: Walk) -> None:
    repo = walk.repo
    accept(repo.path, walk.run)
    push(repo, "main")
    told = undo(repo.path, walk.run)
    assert "main is at" in told
    assert "with a revert, since origin/main has it already" in told
    assert repo.git("rev-list", "--parents", "-1", "main").split()[1] == walk.commits[1]
    assert (walk.tree("main"), repo.git("status", "--porcelain")) == (walk.tree_of(1), "")
    assert f"This reverts commit {walk.commits[1]}." in repo.git("log", "-1", "--format=%B", "main")
    assert walk.at(walk.branch) == walk.commits[0]
    event = walk.events[-1]
    assert isinstance(event, Undone)
    assert (event.how, event.step, set(event.where)) == ("reverted", 1, {"main", walk.branch})
    # Nobody has the revert: it goes as it came
    redo(repo.path, walk.run)
    assert walk.at("main") == walk.commits[1]
    undo(repo.path, walk.run)
    push(repo, "main")
    assert "made again" in redo(repo.path, walk.run)
    assert walk.tree("main") == walk.tree_of(2)
    assert repo.git("log", "-3", "--format=%s", "main").splitlines() == ["Step 2", "Revert: Step 2", "Step 2"]
    assert isinstance(walk.events[-1], Redone)
    push(repo, "main")
    undo(repo.path, f"{walk.run}:1")
    assert walk.tree("main") == walk.tree_of(0)
    redo(repo.path, walk.run)
    assert walk.tree("main") == walk.tree_of(2)


def test_a_run_whose_own_branch_was_pushed_gets_a_revert_there(walk: Walk) -> None:
    repo = walk.repo
    push(repo, walk.branch)
    told = undo(repo.path, walk.run)
    assert f"with a revert, since origin/{walk.branch} has it already" in told
    assert repo.git("rev-list", "--count", f"{walk.base}..{walk.branch}") == "3"
    assert (walk.tree(walk.branch), walk.live) == (walk.tree_of(1), [1])
    accept(repo.path, walk.run)
    assert walk.at("main") == walk.at(walk.branch)
    push(repo, walk.branch)
    redo(repo.path, walk.run)
    assert (walk.tree(walk.branch), walk.live) == (walk.tree_of(2), [1, 2])


def test_commits_on_top_are_kept_and_the_rest_is_judged(walk: Walk) -> None:
    repo = walk.repo
    accept(repo.path, walk.run)
    mine = repo.commit({"mine.py": "M = 1\n"}, "mine")
    told = undo(repo.path, walk.run)
    assert "since 1 other commit came on top of it" in told
    assert repo.git("rev-parse", "main^") == mine
    assert not (repo.path / "two.py").exists()
    assert (repo.path / "mine.py").exists()
    assert "pytest=" in repo.git("log", "-1", "--format=%(trailers:key=Agent-Checks)", "main")
    repo.commit({"mine.py": "M = 2\n"}, "more of mine")
    assert "made again" in redo(repo.path, walk.run)
    assert (repo.path / "two.py").exists()
    assert (repo.path / "mine.py").read_text() == "M = 2\n"


def test_what_a_later_commit_needs_is_not_taken_away(walk: Walk) -> None:
    repo = walk.repo
    accept(repo.path, walk.run)
    test = "import two\n\n\ndef test_two():\n    assert two\n"
    repo.commit({"test_two.py": test}, "a test of the second step")
    before = everything(repo)
    with pytest.raises(UsageError, match=r"test_two\.py.* would fail; nothing was changed"):
        undo(repo.path, walk.run)
    assert everything(repo) == before
    assert walk.live == [1, 2]


def test_a_conflict_with_what_came_since_touches_nothing(walk: Walk) -> None:
    repo = walk.repo
    accept(repo.path, walk.run)
    repo.commit({"two.py": "mine\n"}, "mine")
    before = everything(repo)
    with pytest.raises(UsageError, match=r"conflicts with what came since in two\.py: nothing was changed"):
        undo(repo.path, walk.run)
    assert everything(repo) == before


@pytest.mark.parametrize(
    ("mine", "named"),
    [
        ({"two.py": "mine\n"}, "two.py"),
        ({"old": "untracked again\n"}, "old"),
        ({"calc.py": "mine\n"}, "calc.py"),
    ],
    ids=["edited-new-file", "untracked-where-a-file-comes-back", "edited"],
)
def test_uncommitted_work_in_the_way_is_named_and_kept(walk: Walk, mine: dict[str, str], named: str) -> None:
    repo = walk.repo
    accept(repo.path, walk.run)
    repo.write(mine)
    before = everything(repo)
    with pytest.raises(UsageError, match=f"in the way: {named}"):
        undo(repo.path, f"{walk.run}:1")
    assert everything(repo) == before
    assert walk.live == [1, 2]


def test_files_beside_those_of_a_step_stay_when_it_goes(walk: Walk) -> None:
    repo = walk.repo
    accept(repo.path, walk.run)
    repo.write({"new/mine": "m", "new/__pycache__/one.pyc": "x"})
    undo(repo.path, f"{walk.run}:1")
    assert sorted(path.name for path in (repo.path / "new").iterdir()) == ["__pycache__", "mine"]


def test_a_folder_in_place_of_a_file_goes_back_and_forth(repo: Repo) -> None:
    repo.commit({"thing": "file\n", "link": "x\n"})
    (repo.path / "link").unlink()
    (repo.path / "link").symlink_to("thing")
    repo.commit({}, "a link")
    walk = make_walk(repo, ({"thing": None}, {"thing/inner": b"i\n"}, {"Thing": b"other case\n"}))
    accept(repo.path, walk.run)
    undo(repo.path, f"{walk.run}:1")
    assert (repo.path / "thing").read_text() == "file\n"
    assert (repo.path / "link").is_symlink()
    repo.write({"unrelated": "u"})
    redo(repo.path, walk.run)
    assert (repo.path / "thing/inner").read_text() == "i\n"
    repo.write({"thing/mine": "m"})
    before = everything(repo)
    with pytest.raises(UsageError, match="thing/mine"):
        undo(repo.path, f"{walk.run}:1")
    assert everything(repo) == before


def test_a_detached_head_goes_back_and_forth(walk: Walk) -> None:
    repo = walk.repo
    repo.git("checkout", "-q", "--detach")
    assert "HEAD is at" in accept(repo.path, walk.run)
    undo(repo.path, walk.run)
    assert (walk.at("HEAD"), walk.at("main")) == (walk.commits[0], walk.base)
    redo(repo.path, walk.run)
    assert walk.at("HEAD") == walk.commits[1]
    assert repo.git("symbolic-ref", "-q", "HEAD", check=False) == ""


def test_a_linked_worktree_moves_only_itself(walk: Walk, tmp_path: Path) -> None:
    other = Repo(tmp_path / "other")
    walk.repo.git("worktree", "add", "-q", "-b", "side", str(other.path))
    before = (files(walk.repo), walk.repo.state()[:5])
    accept(other.path, walk.run)
    undo(other.path, walk.run)
    assert (walk.at("side"), other.git("status", "--porcelain")) == (walk.commits[0], "")
    assert (files(walk.repo), walk.repo.state()[:5]) == before


def test_a_branch_of_the_same_name_as_a_file_or_a_tag_is_no_riddle(walk: Walk) -> None:
    repo = walk.repo
    repo.git("tag", "main", walk.base)
    repo.git("tag", walk.branch, walk.base)
    repo.write({"HEAD": "a file\n", "main": "a file\n"})
    accept(repo.path, walk.run)
    undo(repo.path, walk.run)
    assert repo.git("rev-parse", "refs/heads/main", f"refs/heads/{walk.branch}").split() == [walk.commits[0]] * 2


def test_a_sparse_checkout_stays_sparse(walk: Walk) -> None:
    repo = walk.repo
    repo.git("sparse-checkout", "set", "--no-cone", "/*", "!/new/")
    accept(repo.path, walk.run)
    assert (repo.git("status", "--porcelain"), (repo.path / "new").exists()) == ("", False)
    undo(repo.path, f"{walk.run}:1")
    assert (repo.git("status", "--porcelain"), walk.at("main")) == ("", walk.base)


def test_the_persons_own_stop_in_the_middle_of_something_is_respected(walk: Walk) -> None:
    repo = walk.repo
    accept(repo.path, walk.run)
    (repo.path / ".git/CHERRY_PICK_HEAD").write_text(walk.base + "\n")
    before = everything(repo)
    with pytest.raises(UsageError, match="cherry-pick is in progress"):
        undo(repo.path, walk.run)
    assert everything(repo) == before


def test_the_branch_that_the_person_works_on_may_be_the_runs_own(walk: Walk) -> None:
    repo = walk.repo
    repo.git("checkout", "-q", walk.branch)
    undo(repo.path, walk.run)
    assert (walk.at("HEAD"), (repo.path / "two.py").exists()) == (walk.commits[0], False)
    assert repo.git("status", "--porcelain") == ""
    redo(repo.path, walk.run)
    assert (walk.at("HEAD"), (repo.path / "two.py").exists()) == (walk.commits[1], True)


def test_other_branches_with_the_undone_are_named(walk: Walk) -> None:
    repo = walk.repo
    accept(repo.path, walk.run)
    repo.git("checkout", "-q", "-b", "dev", walk.base)
    told = undo(repo.path, walk.run)
    assert "still with the undone: main" in told
    assert (walk.at("main"), walk.at(walk.branch)) == (walk.commits[1], walk.commits[0])


def test_a_branch_that_was_cleaned_away_is_made_again_by_a_redo(walk: Walk) -> None:
    repo = walk.repo
    undo(repo.path, walk.run)
    repo.git("update-ref", "-d", f"refs/heads/{walk.branch}")
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "-q", "--prune=now")
    with pytest.raises(UsageError, match="is gone"):
        undo(repo.path, walk.run)
    redo(repo.path, walk.run)
    assert walk.at(walk.branch) == walk.commits[1]


def test_undone_commits_of_the_person_s_branch_survive_garbage_collection(walk: Walk) -> None:
    repo = walk.repo
    same = repo.git("commit-tree", walk.tree_of(0), "-p", walk.base, "-m", "only the message")
    repo.git("reset", "-q", "--hard", same)
    accept(repo.path, walk.run)
    copy = walk.at("main")
    undo(repo.path, f"{walk.run}:1")
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "-q", "--prune=now")
    redo(repo.path, walk.run)
    assert walk.at("main") == copy


def test_a_branch_that_is_on_in_two_worktrees_stays(walk: Walk, tmp_path: Path) -> None:
    accept(walk.repo.path, walk.run)
    walk.repo.git("worktree", "add", "-q", "--force", str(tmp_path / "second"), "main")
    before = everything(walk.repo)
    with pytest.raises(UsageError, match="another worktree as well"):
        undo(walk.repo.path, walk.run)
    assert everything(walk.repo) == before


def test_a_branch_that_somebody_moved_or_deleted_is_left_alone(walk: Walk) -> None:
    repo = walk.repo
    mine = repo.git("commit-tree", walk.tree_of(2), "-p", walk.commits[1], "-m", "mine")
    repo.git("update-ref", f"refs/heads/{walk.branch}", mine)
    for act in (undo, redo):
        with pytest.raises(UsageError, match=r"not where|nothing to redo"):
            act(repo.path, walk.run)
    assert f"kept {walk.branch}: it stands at" in clean(repo.path, force=True, dry_run=False).text
    assert (walk.at(walk.branch), walk.live) == (mine, [1, 2])
    repo.git("branch", "-q", "-D", walk.branch)
    with pytest.raises(UsageError, match="is gone"):
        undo(repo.path, walk.run)


def test_a_branch_that_stands_in_another_worktree_is_neither_moved_nor_deleted(walk: Walk, tmp_path: Path) -> None:
    repo, other = walk.repo, Repo(tmp_path / "other")
    repo.git("worktree", "add", "-q", str(other.path), walk.branch)
    refs = repo.git("for-each-ref")
    with pytest.raises(UsageError, match="is checked out in") as caught:
        undo(repo.path, walk.run)
    assert str(other.path) in caught.value.message
    assert f"kept {walk.branch}: it is checked out in" in clean(repo.path, force=True, dry_run=False).text
    assert (repo.git("for-each-ref"), other.git("status", "--porcelain")) == (refs, "")


def test_a_commit_that_a_kill_kept_out_of_the_record_is_no_step(walk: Walk) -> None:
    words = f"Step 3\n\nAgent-Run: {walk.run}\nAgent-Step: 3\n"
    unrecorded = walk.repo.git("commit-tree", walk.tree_of(0), "-p", walk.commits[1], "-m", words)
    walk.repo.git("update-ref", f"refs/heads/{walk.branch}", unrecorded)
    undo(walk.repo.path, walk.run)
    assert (walk.at(walk.branch), walk.live) == (walk.commits[0], [1])


def test_an_undo_that_finds_nothing_to_move_on_main_moves_only_the_branch(walk: Walk) -> None:
    repo = walk.repo
    accept(repo.path, walk.run)
    push(repo, "main")
    undo(repo.path, walk.run)
    redone = walk.at("main")
    repo.git("revert", "--no-edit", walk.commits[0])
    mine = walk.at("main")
    assert mine != redone
    undo(repo.path, walk.run)
    assert (walk.at("main"), walk.at(walk.branch)) == (mine, walk.base)


def test_a_record_by_which_a_persons_commits_would_be_undone_moves_nothing(walk: Walk) -> None:
    repo = walk.repo
    repo.git("reset", "-q", "--hard", walk.base)
    mine = [repo.commit({"mine": f"{number}\n"}, f"mine {number}") for number in (1, 2)]
    run = "zz99zz99z"
    start, based, *_ = walk.events
    assert isinstance(start, Started)
    told: list[Event] = [start.model_copy(update={"run": run, "branch": f"agent/walk-{run}"}), based]
    for number, commit in enumerate(mine, 1):
        tree = walk.tree(commit)
        told.append(Verified(verdict=judged(tree), change=ChangeSet(base=walk.base, tree=tree)))
        told.append(Committed(step=number, commit=commit, tree=tree, subject="mine"))
    with RunRef(walk.repository, run, render) as ref:
        for event in told:
            ref.record(event)
    before = everything(repo)
    for command in (undo, accept, redo):
        with pytest.raises(UsageError, match="a step of its own, which it is not"):
            command(repo.path, run)
    assert everything(repo) == before
    clean(repo.path, force=True, dry_run=False)
    assert (files(repo), walk.at("main")) == (before[0], mine[-1])
