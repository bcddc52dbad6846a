import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import WorkspaceError
from bot.git.section import compare, confirm, quote, read_hunks, replay

LINES = st.lists(st.sampled_from([b"a", b"b", b"", b"\r", b"+x", b"-y", b"@@ -1 +1 @@", b"\\ No newline", b"\xff\x0c"]))
CONTENT = st.builds(lambda lines, end: b"\n".join(lines) + end, LINES, st.sampled_from([b"", b"\n"]))


@given(CONTENT, CONTENT)
def test_hunks_lead_from_the_old_content_to_the_new(old: bytes, new: bytes) -> None:
    hunks, added, removed = compare(old, new)
    read = read_hunks(hunks)
    assert read is not None
    assert replay(old, read) == new
    assert added - removed == lines(new) - lines(old)
    confirm(b"x", [hunks], (added, removed), [(old, new)])


def lines(content: bytes) -> int:
    return content.count(b"\n") + (bool(content) and not content.endswith(b"\n"))


def test_hunks_that_count_right_and_say_something_else_are_not_believed() -> None:
    hunks, added, removed = compare(b"a\nb\n", b"a\nc\n")
    for forged in (hunks.replace(b"+c", b"+d"), hunks.replace(b" a", b" z"), hunks.replace(b"-1", b"-2")):
        with pytest.raises(WorkspaceError, match=r"patch of x\.py does not lead to its new content"):
            confirm(b"x.py", [forged], (added, removed), [(b"a\nb\n", b"a\nc\n")])
    with pytest.raises(WorkspaceError, match=r"disagree about x\.py"):
        confirm(b"x.py", [hunks], (added + 1, removed), ())


def test_what_the_second_reader_cannot_read_is_no_reason_to_stop() -> None:
    assert read_hunks(b"@@ -1,9 +1 @@\n-a\n") is None
    confirm(b"x", [b"@@ -1,9 +1 @@\n-a\n"], (5, 5), [(b"a", b"b")])


@pytest.mark.parametrize(
    ("name", "quoted"),
    [
        (b"a b", "a b"),
        (b"caf\xc3\xa9", "caf\u00e9"),
        (b'q"\\', r'"q\"\\"'),
        (b"\t\n\x01\x7f", r'"\t\n\001\177"'),
        (b"\xe9", "\udce9"),
    ],
)
def test_names_are_quoted_as_git_quotes_them(name: bytes, quoted: str) -> None:
    assert quote(name) == quoted
