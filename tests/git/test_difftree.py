import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import WorkspaceError
from bot.git.difftree import count_lines, parse

HEAD = b":100644 100644 %b %b M\0x\0" % (b"a" * 40, b"b" * 40)
PATCH = b"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-a\n+b\n+c\n"


def test_lists_that_disagree_are_not_believed() -> None:
    with pytest.raises(WorkspaceError, match="disagree"):
        tuple(parse(HEAD + b"1\t1\ty\0"))
    with pytest.raises(WorkspaceError, match="disagree"):
        tuple(parse(HEAD + b"1\t1\tx\0\0"))
    with pytest.raises(WorkspaceError, match="more files"):
        tuple(parse(HEAD + b"1\t1\tx\0\0diff --git a/x b/x\ndiff --git a/y b/y\n"))


def test_counts_that_the_hunks_do_not_bear_out_are_not_believed() -> None:
    (raw,) = parse(HEAD + b"2\t1\tx\0\0" + PATCH)
    assert count_lines(raw) == (2, 1)
    with pytest.raises(WorkspaceError, match="counts and its patch disagree about x"):
        count_lines(raw._replace(added=1))
    assert count_lines(raw._replace(added=7, patch=PATCH[:-4])) == (7, 1)


@given(st.lists(st.tuples(st.binary(min_size=1).filter(lambda b: b"\0" not in b), st.integers(0, 9)), max_size=6))
def test_the_combined_answer_of_git_is_read_back_whole(files: list[tuple[bytes, int]]) -> None:
    raw = b"".join(b":000000 100644 %b %b A\0%b\0" % (b"0" * 40, b"b" * 40, name) for name, _ in files)
    counts = b"".join(b"%d\t0\t%b\0" % (number, name) for name, number in files)
    patch = b"".join(b"diff --git a/x b/x\n" + b"+diff --git \n" * number for _, number in files)
    read = tuple(parse(raw + counts + b"\0" + patch))
    assert [(entry.delta.path, entry.added) for entry in read] == files
    assert b"".join(entry.patch for entry in read) == patch
