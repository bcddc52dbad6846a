"""What mends a commit that a hook refused is staged, taken back and staged again, and told of as what it is."""

import io
import os
import signal
from collections.abc import Mapping
from pathlib import Path

import pytest
from rich.console import Console

from bot.app.acceptance import accept
from bot.app.cleaning import clean
from bot.app.hooks.taking import note_staged
from bot.app.listing import RunLine, list_lines
from bot.app.redoing import redo
from bot.app.story import tell
from bot.app.undoing import undo
from bot.app.views import _waiting, patch, report
from bot.core.branches import INDEX
from bot.core.event import Published
from bot.core.lineage import Lineage
from bot.core.task import Source
from bot.core.trailers import SNAPSHOT
from bot.errors import UsageError
from bot.forge.local import present
from bot.forge.words import advise
from bot.git.intent import announce, read_intent
from bot.git.staging import stage
from tests.app.walk import Walk, copy_walk, make_walk
from tests.conftest import Repo, make_repo
from tests.untouched import difference, print_of

BROKEN, WHOLE = "def add(a, b:\n    return a + b\n", "def add(a, b):\n    return a + b\n"
STEPS = ({"calc.py": WHOLE.encode(), "new/why.py": b"1\n"}, {"calc.py": WHOLE.encode() + b"\n"})


def refuse(repo: Repo, *parents: str) -> str:
    """Make the commit that the hook judged, as it does."""
    words = f"the commit that a hook refused\n\n{SNAPSHOT}: yes\n"
    return repo.git("commit-tree", repo.git("write-tree"), *(f"-p{name}" for name in parents), "-m", words)


HEAD = {"calc.py": "def add(a):\n    return a\n", "far": "far\n"}


def make_refused(path: Path, head: Mapping[str, str] = HEAD, *, unborn: bool = False) -> Walk:
    """Make a run that mends what is staged."""
    repo = make_repo(path)
    if not unborn:
        repo.commit(head)
    repo.write({"calc.py": BROKEN})
    repo.git("add", "calc.py")
    base = refuse(repo, *(() if unborn else ("HEAD",)))
    walk = make_walk(repo, STEPS, base=base, source=Source(kind="hook", ref="pre-commit"))
    repo.git("branch", "-q", "-D", walk.branch, check=not unborn)
    return walk


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Walk:
    return make_refused(tmp_path_factory.mktemp("made") / "repo")


@pytest.fixture
def walk(made: Walk, tmp_path: Path) -> Walk:
    return copy_walk(made, tmp_path / "repo")


def line(walk: Walk) -> RunLine:
    return list_lines(walk.repository).runs[0]


def advice(walk: Walk) -> str:
    return "\n".join(each.plain for each in _waiting(line(walk), newest=True))


def test_its_report_speaks_of_no_branch(walk: Walk) -> None:
    told = report(walk.repo.path, walk.run)
    console = Console(width=120, record=True, file=io.StringIO())
    console.print(present(told))
    text = console.export_text()
    assert "For     the commit that pre-commit refused" in text
    assert "agent/" not in text.replace("the branch", "")
    assert dict(advise(told, changed=True)) == {
        "Stage it": f"git agent accept {walk.run}",
        "Prove it again": f"git agent verify {walk.run}",
    }


def test_it_is_staged_for_the_commit_that_comes_and_taken_back_and_staged_again(walk: Walk) -> None:
    repo, run = walk.repo, walk.run
    repo.write({"far": "unstaged\n"})
    state, head = print_of(repo.path), walk.at("HEAD")
    assert (line(walk).goal, advice(walk)) == (
        "the commit that pre-commit refused",
        f"  2 verified steps to be staged\n  take it:    git agent accept {run}",
    )
    told = accept(repo.path, run)
    assert told == f"staged: calc.py, new/why.py\nnext: git commit; to take it back: git agent undo {run}"
    assert (repo.git("write-tree"), walk.at("HEAD"), repo.git("branch")) == (walk.tree_of(2), head, "* main")
    assert repo.git("status", "--porcelain") == "M  calc.py\n M far\nA  new/why.py"
    assert accept(repo.path, run) == f"{run} is staged already; next: git commit"
    assert advice(walk) == "  2 verified steps staged\n  commit it:  git commit"
    undone = undo(repo.path, run).splitlines()
    assert undone[0] == f"the index is back at step 1 ({walk.commits[0][:10]})"
    assert undone[1].endswith(f"to have it again: git agent redo {run}")
    assert repo.git("write-tree") == walk.tree_of(1)
    undo(repo.path, run)
    assert [name for name in difference(state, print_of(repo.path)) if ".git" not in name] == ["calc.py"]
    assert (repo.git("write-tree"), (repo.path / "calc.py").read_text()) == (walk.tree_of(0), BROKEN)
    assert advice(walk).splitlines()[-1].endswith(f"git agent redo {run}")
    with pytest.raises(UsageError, match="no verified commit to take"):
        accept(repo.path, run)
    assert redo(repo.path, run) == f"the index is at step 1 again ({walk.commits[0][:10]})"
    assert "step 2 again" in redo(repo.path, run)
    assert (repo.git("write-tree"), walk.live) == (walk.tree_of(2), [1, 2])


def test_once_it_is_committed_that_is_said_and_it_is_a_persons_to_take_out(walk: Walk) -> None:
    repo, run = walk.repo, walk.run
    accept(repo.path, run)
    stories = [tell(event, Lineage()) for event in walk.events if isinstance(event, Published)]
    assert stories == [f"the base onto the index ({walk.commits[1][:10]})"]
    repo.git("commit", "-qm", "mine", "--no-verify")
    assert walk.tree("HEAD") == walk.tree_of(2)
    assert accept(repo.path, run) == f"{run} is part of main already"
    with pytest.raises(UsageError, match="part of main already, by a commit of yours") as caught:
        undo(repo.path, run)
    assert caught.value.hint.endswith(f"git agent diff {run} | git apply -R --index")
    assert (line(walk).taken, advice(walk)) == (True, "")


def test_what_git_took_from_the_files_is_changed_there_and_committed_the_same_way(walk: Walk) -> None:
    repo, run = walk.repo, walk.run
    repo.git("reset", "-q")
    again = "the same git commit again, with -a or with the names of these files"
    assert accept(repo.path, run).splitlines() == [
        "staged: new/why.py",
        "changed, and left as staged before: calc.py",
        f"next: {again}; to take it back: git agent undo {run}",
    ]
    repo.git("commit", "-qam", "mine", "--no-verify")
    assert (walk.tree("HEAD"), repo.git("status", "--porcelain")) == (walk.tree_of(2), "")


def test_work_that_is_not_staged_stays_and_is_named(walk: Walk) -> None:
    repo, run = walk.repo, walk.run
    repo.write({"calc.py": BROKEN + "# mine\n"})
    state = print_of(repo.path)
    with pytest.raises(UsageError, match=r"calc\.py has changes that are not staged") as caught:
        accept(repo.path, run)
    assert "git stash push --keep-index" in caught.value.hint
    assert not difference(state, print_of(repo.path))
    repo.write({"calc.py": BROKEN})
    accept(repo.path, run)
    repo.write({"calc.py": WHOLE + "# mine\n"})
    state = print_of(repo.path)
    with pytest.raises(UsageError, match=r"calc\.py has changes that are not staged"):
        undo(repo.path, run)
    assert accept(repo.path, run).startswith(f"{run} is staged already")
    assert not difference(state, print_of(repo.path))


def test_a_kill_in_the_middle_is_finished_by_the_next_command(walk: Walk) -> None:
    repo, run = walk.repo, walk.run
    with pytest.raises(UsageError, match="not staged: there is nothing to undo"):
        undo(repo.path, run)
    place = {"ref": INDEX, "before": walk.base, "after": walk.commits[1]}
    event = Published.model_validate({"where": "the index", "commit": walk.commits[1], "places": (place,)})
    killed(walk, event)
    accept(repo.path, run)
    assert [event.where for event in walk.events if isinstance(event, Published)] == ["the index"]
    undo(repo.path, f"{run}:1")
    redo(repo.path, run)
    stage(walk.repository, walk.commits[1], walk.base)
    killed(walk, event)
    repo.write({"new/why.py": "1\n"})
    repo.git("update-index", "--refresh")
    undo(repo.path, f"{run}:1")
    assert (repo.git("write-tree"), read_intent(walk.repository, run)) == (walk.tree_of(0), None)


def killed(walk: Walk, event: Published) -> None:
    """Leave what a command leaves that is killed before it has done anything but to announce it."""
    child = os.fork()
    if not child:
        try:
            announce(walk.repository, walk.run, event)
        finally:
            os.kill(os.getpid(), signal.SIGKILL)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL


def test_a_hook_that_staged_it_by_itself_has_that_on_record(walk: Walk) -> None:
    repo, run = walk.repo, walk.run
    stage(walk.repository, walk.base, walk.commits[1])
    note_staged(walk.repository, run)
    assert accept(repo.path, run).startswith(f"{run} is staged already")
    undo(repo.path, f"{run}:1")
    assert repo.git("write-tree") == walk.tree_of(0)


def test_the_branch_goes_once_the_person_went_on(walk: Walk) -> None:
    repo = walk.repo
    repo.git("branch", walk.branch, walk.commits[1])
    assert "is not part of HEAD" not in clean(repo.path, force=False, dry_run=True).text.splitlines()[0]
    assert f"kept {walk.branch}" in clean(repo.path, force=False, dry_run=False).text
    repo.git("commit", "-qm", "as it is", "--no-verify")
    assert (line(walk).past, advice(walk)) == (True, "")
    assert f"removed branch {walk.branch}" in clean(repo.path, force=False, dry_run=False).text


def test_a_fix_that_takes_all_of_it_back_leaves_nothing_to_commit(tmp_path: Path) -> None:
    walk = make_refused(tmp_path / "repo", {"calc.py": WHOLE + "\n", "new/why.py": "1\n"})
    told = accept(walk.repo.path, walk.run).splitlines()
    assert told[-1] == f"nothing is left to commit; to take it back: git agent undo {walk.run}"
    assert accept(walk.repo.path, walk.run) == f"{walk.run} is staged already; nothing is left to commit"


def test_before_a_first_commit_it_is_staged_as_well(tmp_path: Path) -> None:
    walk = make_refused(tmp_path / "repo", unborn=True)
    repo = walk.repo
    assert b"new/why.py" in patch(repo.path, walk.run)
    assert "next: git commit" in accept(repo.path, walk.run)
    assert advice(walk).endswith("git commit")
    undo(repo.path, walk.run)
    redo(repo.path, walk.run)
    repo.git("commit", "-qm", "first", "--no-verify")
    assert (walk.tree("HEAD"), repo.git("status", "--porcelain")) == (walk.tree_of(2), "")
    assert accept(repo.path, walk.run) == f"{walk.run} is part of main already"
