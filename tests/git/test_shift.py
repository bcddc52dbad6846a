"""The person's own files move forward only when nothing of theirs is in the way."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import UsageError
from bot.git.repository import open_repository
from bot.git.shift import _in_the_way, shift
from tests.conftest import Repo, make_repo


def ahead(repo: Repo, files: dict[str, str]) -> tuple[str, str]:
    """Make a commit that the checkout does not have yet."""
    head = repo.git("rev-parse", "HEAD")
    tip = repo.commit(files, "ahead")
    repo.git("reset", "-q", "--hard", head)
    return head, tip


def everything(repo: Repo) -> dict[str, bytes]:
    files = (p for p in repo.path.rglob("*") if p.is_file() and "objects" not in p.parts)
    return {str(p.relative_to(repo.path)): p.read_bytes() for p in files}


def test_a_file_that_was_only_touched_is_in_nobodys_way(repo: Repo) -> None:
    head, tip = ahead(repo, {"calc.py": "fixed\n"})
    os.utime(repo.path / "calc.py", (1_700_000_000, 1_700_000_000))
    shift(open_repository(repo.path), head, tip, "try")
    assert (repo.path / "calc.py").read_text() == "fixed\n"


def test_branch_and_files_move_and_other_work_stays_as_it_was(repo: Repo) -> None:
    repo.commit({"staged": "1\n"})
    repo.git("config", "merge.autoStash", "true")
    repo.git("config", "branch.main.mergeOptions", "--squash")
    head, tip = ahead(repo, {"calc.py": "fixed\n"})
    repo.write({"staged": "2\n"})
    repo.git("add", "staged")
    repo.write({"staged": "3\n", "mine/untracked": "x"})
    before = repo.state()[0:3]
    shift(open_repository(repo.path), head, tip, "try")
    assert repo.git("rev-parse", "main") == tip
    assert (repo.path / "calc.py").read_text() == "fixed\n"
    assert repo.state()[0:3] == before


@pytest.mark.parametrize(
    ("coming", "mine"),
    [
        ({"calc.py": "new\n"}, "calc.py"),
        ({"my.log": "new\n", ".gitignore": ""}, "my.log"),
        ({"d/x": "new\n"}, "d"),
        ({"d.log/x": "new\n", ".gitignore": ""}, "d.log"),
        ({"d": "new\n"}, "d/mine"),
        ({"d": "new\n"}, "d/mine.log"),
        ({"-n\t\u00e9": "new\n"}, "-n\t\u00e9"),
    ],
    ids=["edited", "ignored", "file-for-folder", "ignored-for-folder", "folder-for-file", "ignored-below", "odd-name"],
)
def test_work_that_is_in_the_way_is_named_and_nothing_is_touched(repo: Repo, coming: dict[str, str], mine: str) -> None:
    repo.commit({".gitignore": "*.log\n"})
    head, tip = ahead(repo, coming)
    repo.write({mine: "precious"})
    before = everything(repo)
    with pytest.raises(UsageError, match="in the way") as caught:
        shift(open_repository(repo.path), head, tip, "try")
    assert mine.replace("\t", "\\t") in caught.value.message
    assert everything(repo) == before


@pytest.mark.parametrize("lock", ["index.lock", "HEAD.lock", "refs/heads/main.lock"])
def test_a_lock_of_somebody_else_stops_it_before_anything_moves(repo: Repo, lock: str) -> None:
    head, tip = ahead(repo, {"calc.py": "fixed\n"})
    (repo.path / ".git" / lock).touch()
    before = everything(repo)
    with pytest.raises(UsageError, match="lock"):
        shift(open_repository(repo.path), head, tip, "try")
    assert everything(repo) == before


def test_a_lock_that_goes_is_waited_for(repo: Repo) -> None:
    head, tip = ahead(repo, {"calc.py": "fixed\n"})
    lock = repo.path / ".git/index.lock"
    lock.touch()
    timer = Timer(0.2, lock.unlink)
    timer.start()
    shift(open_repository(repo.path), head, tip, "try")
    timer.join()
    assert (repo.git("rev-parse", "HEAD"), repo.git("status", "--porcelain")) == (tip, "")


@pytest.mark.parametrize("flag", ["--skip-worktree", "--assume-unchanged"])
def test_edits_that_status_does_not_show_are_not_lost(repo: Repo, flag: str) -> None:
    head, tip = ahead(repo, {"calc.py": "fixed\n"})
    repo.git("update-index", flag, "calc.py")
    repo.write({"calc.py": "mine\n"})
    before = everything(repo)
    with pytest.raises(UsageError, match=r"calc\.py"):
        shift(open_repository(repo.path), head, tip, "try")
    assert everything(repo) == before


def test_a_branch_that_moved_meanwhile_is_left_alone(repo: Repo) -> None:
    head, tip = ahead(repo, {"calc.py": "fixed\n"})
    repo.commit({"other": "x"}, "meanwhile")
    before = everything(repo)
    with pytest.raises(UsageError, match="does not move your files"):
        shift(open_repository(repo.path), head, tip, "try")
    assert everything(repo) == before


def test_hooks_of_the_repository_do_not_run(repo: Repo, tmp_path: Path) -> None:
    head, tip = ahead(repo, {"calc.py": "fixed\n"})
    for name in ("post-merge", "reference-transaction", "post-checkout", "post-index-change"):
        repo.write({f".git/hooks/{name}": f"#!/bin/sh\ntouch {tmp_path}/marker\n"})
        (repo.path / ".git/hooks" / name).chmod(0o755)
    shift(open_repository(repo.path), head, tip, "try")
    assert not (tmp_path / "marker").exists()


def test_a_filter_that_fails_half_way_leaves_every_file_as_it_was(repo: Repo) -> None:
    repo.commit({"b/gone": "g\n", "kept": "k\n"})
    repo.git("rm", "-q", "b/gone")
    head, tip = ahead(repo, {"a/new": "new\n", "calc.py": "fixed\n", "b": "a file\n", "z": "stored elsewhere\n"})
    repo.git("config", "filter.far.smudge", "false")
    repo.git("config", "filter.far.required", "true")
    repo.write({".git/info/attributes": "z filter=far\n", "kept": "mine\n", "a.mine": "m"})
    before = {name: content for name, content in everything(repo).items() if not name.startswith(".git/")}
    with pytest.raises(UsageError, match=r"filter .* failed"):
        shift(open_repository(repo.path), head, tip, "try")
    assert {name: content for name, content in everything(repo).items() if not name.startswith(".git/")} == before
    assert repo.git("status", "--porcelain") == " M kept\n?? a.mine"
    assert repo.git("rev-parse", "HEAD") == head


PATHS = st.lists(st.sampled_from([b"a", b"b", b"a/b", b"a/c", b"b/a", b"a/b/c", b"ab", b"a.b"]), max_size=4)


@given(changed=PATHS, mine=PATHS)
def test_what_is_in_the_way_is_the_same_path_or_one_above_or_below(changed: list[bytes], mine: list[bytes]) -> None:
    hit = set(_in_the_way(changed, set(mine)))
    pairs = ((own + b"/", path + b"/", own) for own in mine for path in changed)
    expected = {own for inner, outer, own in pairs if inner.startswith(outer) or outer.startswith(inner)}
    assert hit <= expected
    assert bool(hit) == bool(expected)


@contextmanager
def stumbling(folder: Path, when: str, deed: str) -> Iterator[None]:
    """Let a person do something right before git is asked for something: that git is the first one on PATH."""
    real = shutil.which("git")
    (folder / "git").write_text(
        f'#!/bin/sh\ncase "$*" in {when}) [ -e {folder}/.did ] || {{ touch {folder}/.did\n'
        f'(unset GIT_CONFIG_COUNT; alias git={real}\n{deed}\n) >{folder}/.said 2>&1; }};; esac\nexec {real} "$@"\n'
    )
    (folder / "git").chmod(0o755)
    before = os.environ["PATH"]
    os.environ["PATH"] = f"{folder}{os.pathsep}{before}"
    try:
        yield
    finally:
        os.environ["PATH"] = before


LAYS, MOVES = "*read-tree\\ -m\\ -u*", "*update-ref\\ -m*"


@pytest.mark.parametrize(
    "deed",
    [
        "echo mine >n",
        "mkdir -p d; echo mine >d/n",
        "echo mine >>calc.py",
        "echo mine >>calc.py; git add calc.py; echo more >>calc.py",
        "rm calc.py; ln -s test_calc.py calc.py",
        "rm calc.py; mkdir calc.py; echo mine >calc.py/x",
        "mkfifo n",
    ],
)
def test_what_a_person_writes_in_the_last_moment_is_not_lost(repo: Repo, tmp_path: Path, deed: str) -> None:
    head, tip = ahead(repo, {"calc.py": "fixed\n", "n": "new\n", "d/n": "new\n"})
    done, undone = make_repo(tmp_path / "done"), open_repository(repo.path)
    done.git("pull", "-q", str(repo.path), "main")
    subprocess.run(["sh", "-c", deed], cwd=done.path, check=True)
    with stumbling(tmp_path, LAYS, f"cd {repo.path}\n{deed}"), pytest.raises(UsageError, match="does not move"):
        shift(undone, head, tip, "try")
    assert contents(repo.path) == contents(done.path)
    assert repo.git("status", "--porcelain") == done.git("status", "--porcelain")
    assert repo.git("rev-parse", "main") == head


def contents(root: Path) -> dict[str, bytes]:
    files = (p for p in root.rglob("*") if ".git" not in p.parts and not p.is_dir())
    return {str(p.relative_to(root)): p.read_bytes() if p.is_file() else b"" for p in files}


def test_a_disk_that_fills_up_is_told_from_what_a_person_wrote(repo: Repo, tmp_path: Path) -> None:
    head, tip = ahead(repo, {"a": "new\n", "b": "new\n", "calc.py": "fixed\n"})
    repo.git("config", "filter.far.smudge", f"echo precious >{repo.path}/b; echo half >{repo.path}/calc.py; exit 1")
    repo.git("config", "filter.far.required", "true")
    repo.write({".git/info/attributes": "a filter=far\n"})
    with pytest.raises(UsageError, match=r"filter .* failed"):
        shift(open_repository(repo.path), head, tip, "try")
    assert (repo.path / "b").read_text() == "precious\n"
    assert not (repo.path / "a").exists()


@pytest.mark.parametrize("when", [LAYS, MOVES])
@pytest.mark.parametrize("elsewhere", ["same", "other"])
def test_a_branch_that_a_person_switches_to_meanwhile_is_not_moved(
    repo: Repo, tmp_path: Path, when: str, elsewhere: str
) -> None:
    repo.git("branch", "same")
    repo.git("switch", "-q", "-c", "other")
    repo.commit({"o": "x"})
    repo.git("switch", "-q", "main")
    head, tip = ahead(repo, {"calc.py": "fixed\n", "n": "new\n"})
    refs = repo.git("for-each-ref")
    with stumbling(tmp_path, when, f"cd {repo.path}; git switch -q {elsewhere}"), pytest.raises(UsageError):
        shift(open_repository(repo.path), head, tip, "try")
    assert repo.git("symbolic-ref", "--short", "HEAD") == elsewhere
    assert (repo.git("for-each-ref"), repo.git("status", "--porcelain")) == (refs, "")


def test_a_commit_that_a_person_makes_meanwhile_stays_and_nothing_is_left_staged(repo: Repo, tmp_path: Path) -> None:
    head, tip = ahead(repo, {"calc.py": "fixed\n", "n": "new\n"})
    commit = f"cd {repo.path}; git -c user.name=P -c user.email=p@x commit -q --allow-empty -m mine"
    with stumbling(tmp_path, MOVES, commit), pytest.raises(UsageError, match="does not move"):
        shift(open_repository(repo.path), head, tip, "try")
    assert repo.git("log", "--format=%s", f"{head}..main") == "mine"
    assert repo.git("status", "--porcelain") == ""
