"""Diffs that git takes, and foreign diffs that fit only nearly."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import NoMatch, NotFound
from bot.repair.patch import Change, make_diff, read_diff

LINES = st.lists(st.sampled_from(["a", "b", "c", "", "x = 1", "ü", "\f", "tab\t"]), max_size=8)


def carry_out(root: Path, change: Change) -> bytes:
    content = (root / "m.py").read_bytes()
    for edit in sorted(change.edits, key=lambda e: -e.start):
        content = content[: edit.start] + edit.text.encode() + content[edit.end :]
    return content


@given(LINES, LINES, st.sampled_from(["", "o", "n", "on"]), st.sampled_from(["\n", "\r\n"]))
def test_a_diff_is_read_back_as_it_was_made(
    tmp_path_factory: pytest.TempPathFactory, old: list[str], new: list[str], last: str, ending: str
) -> None:
    before = (ending.join(old) + (ending if "o" in last else "")).encode()
    after = (ending.join(new) + (ending if "n" in last else "")).encode()
    root = tmp_path_factory.mktemp("patch")
    (root / "m.py").write_bytes(before)
    diff = make_diff("m.py", before, after)
    assert bool(diff) == (before != after)
    if diff and before and after:
        assert carry_out(root, read_diff(root, diff)).split() == after.split()


@pytest.mark.parametrize("before", [b"a\nb\nc\n", b"a\nb\nc", b"a\r\nb\r\nc\r\n"])
def test_git_takes_our_diffs(tmp_path: Path, before: bytes) -> None:
    after = before.replace(b"b", b"new")
    (tmp_path / "m.py").write_bytes(before)
    subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=make_diff("m.py", before, after).encode(), check=True)
    assert (tmp_path / "m.py").read_bytes() == after


DIFF = "--- a/m.py\n+++ b/m.py\n@@ -{start},3 +{start},3 @@\n one\n-two\n+2\n three\n"


@pytest.mark.parametrize("start", [1, 3, 40])
def test_line_numbers_may_be_off(tmp_path: Path, start: int) -> None:
    (tmp_path / "m.py").write_text("zero\none\ntwo\nthree\n")
    assert carry_out(tmp_path, read_diff(tmp_path, DIFF.format(start=start))) == b"zero\none\n2\nthree\n"


def test_lines_that_are_not_there_are_told(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text("one\nzwei\nthree\n")
    with pytest.raises(NoMatch, match="line 1 are not there"):
        read_diff(tmp_path, DIFF.format(start=1))


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        read_diff(tmp_path, DIFF.format(start=1))


@pytest.mark.parametrize("path", ["../m.py", "/etc/passwd", ".git/config", "a/.GIT/hooks/x"])
def test_paths_outside_are_refused(tmp_path: Path, path: str) -> None:
    with pytest.raises(NoMatch):
        read_diff(tmp_path, f"--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-a\n+b\n")


def test_nothing_is_read_through_a_link_or_from_a_device(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("a\n")
    for name, target in (("m.py", "secret"), ("n.py", "/etc/passwd"), ("o.py", "/dev/zero")):
        (tmp_path / name).symlink_to(target)
        with pytest.raises(NoMatch, match="may not"):
            read_diff(tmp_path, f"--- a/{name}\n+++ b/{name}\n@@ -1 +1 @@\n-a\n+b\n")
    (tmp_path / "folder").symlink_to("/tmp")
    with pytest.raises(NoMatch, match="may not"):
        read_diff(tmp_path, "--- /dev/null\n+++ b/folder/m.py\n@@ -0,0 +1 @@\n+b\n")


@pytest.mark.parametrize(
    "more",
    [
        "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n",
        "diff --git a/x b/x\nBinary files a/x and b/x differ\n",
        "diff --git a/x b/x\nGIT binary patch\nliteral 1\n",
        "--- a/m.py\n+++ b/n.py\n@@ -1 +1 @@\n-one\n+1\n",
    ],
)
def test_what_a_diff_does_beside_changing_lines_is_not_passed_over(tmp_path: Path, more: str) -> None:
    (tmp_path / "m.py").write_text("one\ntwo\nthree\n")
    with pytest.raises(NoMatch, match="renames or copies"):
        read_diff(tmp_path, more + DIFF.format(start=1))


@pytest.mark.parametrize("text", ["", "hello", "--- a/m.py\n", "@@ -1 +1 @@\n-a\n+b\n"])
def test_what_is_no_diff_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(NoMatch):
        read_diff(tmp_path, text)


def test_new_and_removed_files_are_read(tmp_path: Path) -> None:
    diff = "--- /dev/null\n+++ b/new.py\n@@ -0,0 +1,2 @@\n+a\n+b\n--- a/old.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
    with pytest.raises(NotFound, match="no file here"):
        read_diff(tmp_path, diff)
    (tmp_path / "old.py").write_text("x\n")
    change = read_diff(tmp_path, diff)
    assert change.created == (("new.py", "a\nb\n"),)
    assert change.deleted == ("old.py",)
