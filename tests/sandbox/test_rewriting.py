import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.sandbox.rewriting import Rewriting

PLACES = {"/tmp/tree": "/home/me/repo", "/tmp/tree/pkg": "/run/pkg"}


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("/tmp/tree", "/home/me/repo"),
        ("/tmp/tree/a.py::test", "/home/me/repo/a.py::test"),
        ("--out=/tmp/tree/x", "--out=/home/me/repo/x"),
        ("a:/tmp/tree:/tmp/tree/b", "a:/home/me/repo:/home/me/repo/b"),
        ("'/tmp/tree'", "'/home/me/repo'"),
        ("/tmp/tree/pkg/probe.py", "/run/pkg/probe.py"),
        ("/tmp/tree/pkgs", "/home/me/repo/pkgs"),
        ("/tmp/tree2", "/tmp/tree2"),
        ("/tmp/tree-2", "/tmp/tree-2"),
        ("/tmp/tree.old", "/tmp/tree.old"),
        ("/other/tmp/tree", "/other/tmp/tree"),
        ("tmp/tree", "tmp/tree"),
    ],
)
def test_whole_paths_are_rewritten(text: str, seen: str) -> None:
    assert Rewriting(PLACES).rewrite(text) == seen


@given(st.text())
def test_nothing_else_is_touched(text: str) -> None:
    if "/tmp/tree" not in text:
        assert Rewriting(PLACES).rewrite(text) == text


def test_without_places_nothing_changes() -> None:
    assert Rewriting({"/a": "/a"}).rewrite_values({"X": "/a/b"}) == {"X": "/a/b"}
