import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.change import ChangeSet, FileChange, readable


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"plain.py", "plain.py"),
        ("naïve ü.py".encode(), "naïve ü.py"),
        (b"caf\xe9.py", "caf\\xe9.py"),
        (b"tab\tname", "tab\\tname"),
        (b"new\nline", "new\\nline"),
        (b"\x1b[31m", "\\x1b[31m"),
        ("a\u202eb\u200bc".encode(), "a\\u202eb\\u200bc"),
        ("\U000e0041".encode(), "\\U000e0041"),
        (b" lead ", " lead "),
    ],
)
def test_odd_bytes_of_a_path_stand_as_escapes(raw: bytes, text: str) -> None:
    assert readable(raw) == text


@given(st.binary())
def test_any_name_is_readable_on_one_line(raw: bytes) -> None:
    text = readable(raw)
    assert text.isprintable()
    text.encode()


def test_change_counts_its_lines_and_is_false_when_nothing_differs() -> None:
    files = (FileChange(path="a", kind="added", added=2), FileChange(path="b", kind="modified", added=1, removed=4))
    change = ChangeSet(base="1", tree="2", files=files)
    assert (change.added, change.removed, change.paths, bool(change)) == (3, 4, ("a", "b"), True)
    assert not ChangeSet(base="1", tree="1")
