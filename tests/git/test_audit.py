import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.change import ChangeSet, FileChange
from bot.errors import WorkspaceError
from bot.git.audit import PATCH_LIMIT, changes, count_lines, parse
from bot.git.repository import open_repository
from tests.conftest import Repo


def audit(repo: Repo, old: str, new: str) -> ChangeSet:
    return changes(open_repository(repo.path), old, new)


def only(change: ChangeSet) -> FileChange:
    assert len(change.files) == 1
    return change.files[0]


def test_equal_trees_are_no_change(repo: Repo) -> None:
    head = repo.git("rev-parse", "HEAD")
    tree = repo.git("rev-parse", "HEAD^{tree}")
    change = audit(repo, head, tree)
    assert not change
    assert (change.base, change.tree, change.files, change.patch) == (tree, tree, (), "")


def test_every_kind_of_change_is_listed_with_its_counts(repo: Repo) -> None:
    old = repo.commit(
        {"gone.txt": "a\nb\n", "kept.txt": "1\n2\n3\n", "emptied.txt": "x\n", "run.sh": "x\n", "t": "f\n"}
    )
    (repo.path / "gone.txt").unlink()
    (repo.path / "run.sh").chmod(0o755)
    (repo.path / "t").unlink()
    (repo.path / "t").symlink_to("kept.txt")
    new = repo.commit({"kept.txt": "1\n2\nx\ny\n", "emptied.txt": "", "new.txt": "n", "empty.txt": ""})
    change = audit(repo, old, new)
    found = {f.path: (f.kind, f.added, f.removed, f.old_mode, f.mode, f.size) for f in change.files}
    assert found == {
        "gone.txt": ("deleted", 0, 2, "100644", "100644", 0),
        "kept.txt": ("modified", 2, 1, "100644", "100644", 8),
        "emptied.txt": ("modified", 0, 1, "100644", "100644", 0),
        "run.sh": ("modified", 0, 0, "100644", "100755", 2),
        "t": ("typechange", 1, 1, "100644", "120000", 8),
        "new.txt": ("added", 1, 0, "", "100644", 1),
        "empty.txt": ("added", 0, 0, "", "100644", 0),
    }
    assert change.paths == tuple(sorted(found))


def test_a_rename_is_a_deletion_and_an_addition(repo: Repo) -> None:
    old = repo.git("rev-parse", "HEAD")
    repo.git("config", "diff.renames", "copies")
    repo.git("mv", "calc.py", "moved.py")
    assert [f.kind for f in audit(repo, old, repo.commit({})).files] == ["deleted", "added"]


def test_attributes_drivers_and_settings_do_not_blind_it(repo: Repo, tmp_path: Path) -> None:
    repo.write({".gitattributes": "*.py binary diff=hide\n", ".git/info/attributes": "*.py -diff\n"})
    old = repo.commit({})
    new = repo.commit({"calc.py": "def add(a, b):\n    return a + b\n"})
    for key, value in (
        ("diff.hide.textconv", f"touch {tmp_path}/marker; true"),
        ("diff.hide.command", f"touch {tmp_path}/marker; true"),
        ("diff.external", f"touch {tmp_path}/marker; true"),
        ("color.ui", "always"),
        ("color.diff", "always"),
        ("diff.noprefix", "true"),
        ("diff.mnemonicPrefix", "true"),
        ("diff.ignoreSubmodules", "all"),
        ("diff.context", "0"),
        ("diff.orderFile", "/nonexistent"),
    ):
        repo.git("config", key, value)
    change = audit(repo, old, new)
    file = only(change)
    assert (file.path, file.added, file.removed, file.binary) == ("calc.py", 1, 1, False)
    assert "\n+    return a + b\n" in change.patch
    assert "--- a/calc.py\n+++ b/calc.py\n" in change.patch
    assert not (tmp_path / "marker").exists()


def test_true_binary_content_is_named_and_not_shown(repo: Repo) -> None:
    old = repo.commit({"b.bin": b"\x00\x01old\n@@ --- \n"})
    change = audit(repo, old, repo.commit({"b.bin": b"\x00\x01new\n@@ --- \n", "z.txt": "z\n"}))
    first, second = change.files
    assert (first.binary, first.added, first.size) == (True, 0, 14)
    assert (second.binary, second.added) == (False, 1)
    assert "\x00" not in change.patch
    assert "Binary file: content not shown" in change.patch
    assert "+z" in change.patch


NAMES = [" lead", "trail ", "--", "tab\tname", "new\nline", '"q".py', "naïve ü.py", "a[1].py", ":y.py", "a/b c/-d", "*"]


@pytest.mark.parametrize("name", NAMES)
def test_odd_names_stand_for_themselves(repo: Repo, name: str) -> None:
    old = repo.commit({name: "a\n", "a1.py": "same\n"})
    change = audit(repo, old, repo.commit({name: "b\n"}))
    assert only(change).path == "".join(c if c.isprintable() else {"\t": "\\t", "\n": "\\n"}[c] for c in name)
    assert change.model_dump_json().encode()


def test_names_that_are_not_unicode_are_readable(repo: Repo) -> None:
    old = repo.git("rev-parse", "HEAD")
    Path(os.fsdecode(os.fsencode(repo.path) + b"/caf\xe9.py")).write_bytes(b"x\n")
    change = audit(repo, old, repo.commit({}))
    assert only(change).path == "caf\\xe9.py"
    assert change.model_dump_json().encode()


HOSTILE = b"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n\\ No newline\r\r\n\x0c\x85\xe2\x80\xa8 end"


def test_content_that_looks_like_a_patch_is_only_content(repo: Repo) -> None:
    old = repo.commit({"x": HOSTILE.replace(b"end", b"old"), "y": "1\n"})
    change = audit(repo, old, repo.commit({"x": HOSTILE, "y": "2\n", "z": HOSTILE * 3}))
    assert [(f.path, f.added, f.removed) for f in change.files] == [("x", 1, 1), ("y", 1, 1), ("z", 19, 0)]


def test_a_very_long_patch_is_cut_at_a_line_and_says_so(repo: Repo) -> None:
    old = repo.git("rev-parse", "HEAD")
    change = audit(repo, old, repo.commit({"long.txt": "0123456789\n" * 40_000, "z.py": "z\n"}))
    assert len(change.patch) < PATCH_LIMIT + 100
    assert change.patch.splitlines()[-2:][0] == "+0123456789"
    assert change.patch.splitlines()[-1].startswith("[patch cut: ")
    assert [f.added for f in change.files] == [40_000, 1]


def test_a_submodule_is_listed_with_its_mode(repo: Repo) -> None:
    old = repo.git("rev-parse", "HEAD")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{old},sub")
    repo.git("commit", "-q", "-m", "sub")
    file = only(audit(repo, old, repo.git("rev-parse", "HEAD")))
    assert (file.path, file.kind, file.mode) == ("sub", "added", "160000")


def test_line_endings_do_not_make_a_one_line_edit_bigger(repo: Repo) -> None:
    repo.git("config", "core.autocrlf", "false")
    old = repo.commit({"w.py": b"\xef\xbb\xbfa\r\nb\r\nc"})
    file = only(audit(repo, old, repo.commit({"w.py": b"\xef\xbb\xbfa\r\nB\r\nc"})))
    assert (file.added, file.removed) == (1, 1)


def test_lists_that_disagree_are_not_believed(repo: Repo) -> None:
    raw = b":100644 100644 %b %b M\0x\0" % (b"a" * 40, b"b" * 40)
    with pytest.raises(WorkspaceError, match="disagree"):
        tuple(parse(raw + b"1\t1\ty\0"))
    with pytest.raises(WorkspaceError, match="disagree"):
        tuple(parse(raw + b"1\t1\tx\0\0"))
    with pytest.raises(WorkspaceError, match="more files"):
        tuple(parse(raw + b"1\t1\tx\0\0diff --git a/x b/x\ndiff --git a/y b/y\n"))


def test_counts_that_the_hunks_do_not_bear_out_are_not_believed() -> None:
    head = b":100644 100644 %b %b M\0x\0" % (b"a" * 40, b"b" * 40)
    patch = b"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-a\n+b\n+c\n"
    (raw,) = parse(head + b"2\t1\tx\0\0" + patch)
    assert count_lines(raw) == (2, 1)
    with pytest.raises(WorkspaceError, match="counts and its patch disagree about x"):
        count_lines(raw._replace(added=1))
    assert count_lines(raw._replace(added=7, patch=patch[:-4])) == (7, 1)


@given(st.lists(st.tuples(st.binary(min_size=1).filter(lambda b: b"\0" not in b), st.integers(0, 9)), max_size=6))
def test_the_combined_answer_of_git_is_read_back_whole(files: list[tuple[bytes, int]]) -> None:
    raw = b"".join(b":000000 100644 %b %b A\0%b\0" % (b"0" * 40, b"b" * 40, name) for name, _ in files)
    counts = b"".join(b"%d\t0\t%b\0" % (number, name) for name, number in files)
    patch = b"".join(b"diff --git a/x b/x\n" + b"+diff --git \n" * number for _, number in files)
    read = tuple(parse(raw + counts + b"\0" + patch))
    assert [(entry.path, entry.added) for entry in read] == files
    assert b"".join(entry.patch for entry in read) == patch
