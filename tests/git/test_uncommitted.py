"""Uncommitted work becomes a commit as the person's own `git add` would record it, and they keep all of it."""

import os
import shlex
import subprocess
from pathlib import Path

import pytest

from bot.errors import GitFailed, UsageError
from bot.git import uncommitted
from bot.git.repository import open_repository
from bot.git.uncommitted import Uncommitted, commit_uncommitted
from tests.conftest import Repo, make_repo
from tests.git.scene import changed, names
from tests.untouched import difference, print_of


def take(repo: Repo) -> Uncommitted:
    """Take the snapshot and see to it that nothing of the person's is another than before."""
    before = print_of(repo.path)
    try:
        return commit_uncommitted(open_repository(repo.path))
    finally:
        assert difference(before, print_of(repo.path)) == ()


def as_the_person_would(repo: Repo, tmp_path: Path) -> str:
    """Write the tree that `git add --all` makes, with an index of its own."""
    index = tmp_path / "theirs"
    index.write_bytes((repo.path / ".git/index").read_bytes())
    env = {**os.environ, "GIT_INDEX_FILE": str(index)}
    subprocess.run(["git", "add", "--all"], cwd=repo.path, env=env, check=True, capture_output=True)
    done = subprocess.run(["git", "write-tree"], cwd=repo.path, env=env, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def test_everything_that_git_add_would_take_is_in_the_snapshot(repo: Repo, tmp_path: Path) -> None:
    head = repo.commit({"f": "1\n2\n3\n", "gone": "x", "cached": "x", "run.sh": "#!/bin/sh\n", ".gitignore": "*.env\n"})
    repo.write({"f": "one\n2\n3\n"})
    repo.git("add", "f")
    repo.write({"f": "one\n2\nthree\n", "new/deep.py": "x = 1\n", "odd\nname ü.py": "y\n", "secret.env": "TOKEN"})
    repo.write({"intended": "to add\n", "a[1].py": "brackets\n", "a1.py": "no brackets\n"})
    repo.git("add", "-N", "intended")
    (repo.path / "gone").unlink()
    repo.git("rm", "-q", "--cached", "cached")
    (repo.path / "run.sh").chmod(0o755)
    (repo.path / "link").symlink_to("nowhere")
    taken = take(repo)
    assert taken.left == ()
    assert repo.git("rev-parse", f"{taken.commit}^{{tree}}") == as_the_person_would(repo, tmp_path)
    assert repo.git("rev-parse", f"{taken.commit}^@") == head
    assert repo.git("show", f"{taken.commit}:f") == "one\n2\nthree"
    assert b"secret.env" not in names(repo, taken.commit)
    assert "M\trun.sh" in changed(repo, head, taken.commit)
    assert taken.files == len(changed(repo, head, taken.commit))


def test_the_snapshot_says_what_it_is_and_no_ref_holds_it(repo: Repo) -> None:
    refs = repo.git("for-each-ref")
    repo.write({"calc.py": "x = 1\n"})
    commit = take(repo).commit
    told = repo.git("log", "-1", "--format=%an|%cn|%(trailers:key=Agent-Snapshot,valueonly)", commit)
    assert told.strip() == "git agent|git agent|yes"
    assert repo.git("for-each-ref") == refs


def test_with_nothing_uncommitted_it_is_head(repo: Repo) -> None:
    (repo.path / "calc.py").touch()
    assert take(repo) == Uncommitted(repo.git("rev-parse", "HEAD"), 0)


def test_a_staged_version_that_the_files_went_back_from_leaves_nothing_to_take(repo: Repo) -> None:
    text = (repo.path / "calc.py").read_bytes()
    repo.write({"calc.py": "staged\n"})
    repo.git("add", "calc.py")
    repo.write({"calc.py": text})
    assert take(repo).files == 0
    assert repo.git("show", ":calc.py") == "staged"


def test_a_change_of_equal_size_right_after_staging_is_seen(repo: Repo) -> None:
    repo.write({"same": "aaaa\n"})
    repo.git("add", "same")
    state = (repo.path / "same").stat()
    repo.write({"same": "bbbb\n"})
    os.utime(repo.path / "same", ns=(state.st_atime_ns, state.st_mtime_ns))
    index = repo.path / ".git/index"
    os.utime(index, ns=(state.st_atime_ns, state.st_mtime_ns))
    repo.git("config", "core.trustctime", "false")
    assert repo.git("show", f"{take(repo).commit}:same") == "bbbb"


def test_files_and_folders_that_changed_places_are_taken_as_they_are(repo: Repo, tmp_path: Path) -> None:
    repo.commit({"file": "f", "folder/a": "a", "linked/b": "b", "other/b": "b"})
    (repo.path / "file").unlink()
    repo.write({"file/inside": "x"})
    (repo.path / "folder/a").unlink()
    (repo.path / "folder").rmdir()
    repo.write({"folder": "now a file"})
    (repo.path / "linked/b").unlink()
    (repo.path / "linked").rmdir()
    (repo.path / "linked").symlink_to("other")
    taken = take(repo)
    assert repo.git("rev-parse", f"{taken.commit}^{{tree}}") == as_the_person_would(repo, tmp_path)
    assert set(names(repo, taken.commit)) >= {b"file/inside", b"folder", b"linked", b"other/b"}


def test_names_that_are_no_text_are_taken(repo: Repo) -> None:
    Path(os.fsdecode(os.fsencode(repo.path) + b"/caf\xe9.py")).write_bytes(b"x")
    assert b"caf\xe9.py" in names(repo, take(repo).commit)


@pytest.mark.parametrize("settings", [("core.autocrlf", "true"), ("core.autocrlf", "input"), ("core.eol", "crlf")])
def test_line_endings_become_what_git_add_would_make_of_them(
    repo: Repo, tmp_path: Path, settings: tuple[str, str]
) -> None:
    repo.commit({".gitattributes": "*.txt text\n*.raw -text\n", "a.txt": "1\n", "was": b"1\r\n"})
    repo.git("config", *settings)
    repo.write({"a.txt": b"1\r\n2\r\n", "b.raw": b"1\r\n", "c": b"1\r\n", "was": b"1\r\n2\r\n"})
    taken = take(repo)
    assert repo.git("rev-parse", f"{taken.commit}^{{tree}}") == as_the_person_would(repo, tmp_path)


def test_flags_that_hide_files_are_kept_and_told(repo: Repo) -> None:
    repo.commit({"assumed": "1\n", "skipped": "1\n"})
    repo.git("update-index", "--assume-unchanged", "assumed")
    repo.git("update-index", "--skip-worktree", "skipped")
    repo.write({"assumed": "2\n", "skipped": "2\n", "calc.py": "x = 1\n"})
    taken = take(repo)
    assert taken.left == ("assumed, skipped (hidden from git by a flag)",)
    assert repo.git("show", f"{taken.commit}:assumed") == "1"
    assert repo.git("show", f"{taken.commit}:skipped") == "1"


@pytest.mark.parametrize("sparse", ["--no-sparse-index", "--sparse-index"])
def test_a_sparse_checkout_loses_nothing(repo: Repo, sparse: str) -> None:
    repo.commit({"in/a": "a", "out/b": "b", "out/c": "c"})
    repo.git("sparse-checkout", "set", "--cone", sparse, "in")
    repo.write({"in/a": "changed", "calc.py": "x = 1\n"})
    assert not (repo.path / "out").exists()
    taken = take(repo)
    assert changed(repo, "HEAD", taken.commit) == ["M\tcalc.py", "M\tin/a"]
    assert taken.left == ()


@pytest.mark.parametrize("kind", ["split", "untracked-cache", "version 4"])
def test_an_index_of_another_kind_is_read_and_left_as_it_is(repo: Repo, kind: str) -> None:
    wish = {"split": "--split-index", "untracked-cache": "--untracked-cache", "version 4": "--index-version=4"}[kind]
    repo.git("update-index", *wish.split("="))
    repo.write({"staged": "1\n"})
    repo.git("add", "staged")
    repo.write({"calc.py": "x = 1\n"})
    assert changed(repo, "HEAD", take(repo).commit) == ["M\tcalc.py", "A\tstaged"]


def test_conflicts_are_named_and_stay(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "other")
    repo.commit({"calc.py": "other\n"})
    repo.git("checkout", "-q", "main")
    repo.commit({"calc.py": "mine\n"})
    repo.git("merge", "other", check=False)
    with pytest.raises(UsageError, match=r"conflicts.*: calc\.py"):
        take(repo)


def test_changed_files_behind_a_filter_are_named_and_the_program_never_runs(repo: Repo, tmp_path: Path) -> None:
    marker = shlex.quote(str(tmp_path / "marker"))
    repo.commit({".gitattributes": "*.dat filter=big\n", "kept.dat": "pointer\n", "other.dat": "pointer\n"})
    for part in ("clean", "smudge"):
        repo.git("config", f"filter.big.{part}", f"touch {marker}; cat")
    repo.write({"calc.py": "x = 1\n"})
    assert changed(repo, "HEAD", take(repo).commit) == ["M\tcalc.py"]
    repo.write({"other.dat": "payload\n", "new.dat": "payload\n"})
    with pytest.raises(UsageError, match=r"through a filter.*: other\.dat, new\.dat"):
        take(repo)
    assert not (tmp_path / "marker").exists()


def test_huge_untracked_files_are_named(repo: Repo) -> None:
    with (repo.path / "dump.bin").open("wb") as dump:
        dump.truncate(uncommitted.LARGEST + 1)
    with pytest.raises(UsageError, match=r"more than 10 MB: dump\.bin") as caught:
        take(repo)
    assert "ignore" in caught.value.hint
    repo.write({".git/info/exclude": "dump.bin\n"})
    for number in range(11):
        with (repo.path / f"part{number}").open("wb") as part:
            part.truncate(uncommitted.LARGEST)
    with pytest.raises(UsageError, match="more than 100 MB in all, such as part0"):
        take(repo)


def test_repositories_within_are_left_out_and_named(repo: Repo, tmp_path: Path) -> None:
    inner = make_repo(repo.path / "nested")
    inner.commit({"n.py": "n"})
    outer = make_repo(tmp_path / "module")
    outer.commit({"m.py": "m"})
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(outer.path), "module")
    repo.git("commit", "-q", "-m", "a submodule")
    (repo.path / "module/m.py").write_text("dirty")
    repo.write({"calc.py": "x = 1\n"})
    taken = take(repo)
    assert changed(repo, "HEAD", taken.commit) == ["M\tcalc.py"]
    assert taken.left == ("nested (a repository of its own)", "module (a submodule, taken as it is recorded)")


def test_a_linked_worktree_has_uncommitted_work_of_its_own(repo: Repo, tmp_path: Path) -> None:
    repo.write({"calc.py": "of the first\n"})
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    side = Repo(tmp_path / "side")
    side.write({"calc.py": "of the second\n", "new": "n"})
    before = print_of(side.path, repo.path / ".git")
    taken = commit_uncommitted(open_repository(side.path))
    assert difference(before, print_of(side.path, repo.path / ".git")) == ()
    assert changed(repo, "main", taken.commit) == ["M\tcalc.py", "A\tnew"]


def test_an_index_that_git_cannot_read_ends_it_before_anything_is_done(repo: Repo) -> None:
    repo.write({"calc.py": "x = 1\n"})
    repository = open_repository(repo.path)
    repo.write({".git/index": b"DIRC" + b"\0" * 40})
    before = print_of(repo.path)
    with pytest.raises(GitFailed, match="index"):
        commit_uncommitted(repository)
    with pytest.raises(GitFailed, match="index"):
        repository.dirty()
    assert difference(before, print_of(repo.path)) == ()


def test_a_pipe_in_the_place_of_a_file_is_a_deletion(repo: Repo) -> None:
    os.mkfifo(repo.path / "pipe")
    (repo.path / "calc.py").unlink()
    os.mkfifo(repo.path / "calc.py")
    taken = commit_uncommitted(open_repository(repo.path))
    assert changed(repo, "HEAD", taken.commit) == ["D\tcalc.py"]


@pytest.mark.skipif(os.getuid() == 0, reason="root can read everything")
def test_a_file_that_cannot_be_read_is_a_clear_refusal(repo: Repo) -> None:
    repo.write({"closed": "x"})
    (repo.path / "closed").chmod(0)
    with pytest.raises(UsageError, match="closed"):
        commit_uncommitted(open_repository(repo.path))
