"""Diffs read line by line."""

from bot.core.diff import Line, is_cut, read_lines
from tests.conftest import Repo


def test_lines_are_told_with_their_place_on_either_side(repo: Repo) -> None:
    repo.commit({"a.py": "one\ntwo\nthree\n", "gone.py": "x\n"})
    (repo.path / "gone.py").unlink()
    repo.commit({"a.py": "one\n2\nthree\nfour\n", "new.py": "y"})
    patch = repo.git("diff-tree", "-p", "--text", "HEAD^", "HEAD")
    assert tuple(read_lines(patch)) == (
        Line("-", "a.py", 2, "two"),
        Line("+", "a.py", 2, "2"),
        Line("+", "a.py", 4, "four"),
        Line("-", "gone.py", 1, "x"),
        Line("+", "new.py", 1, "y"),
    )


def test_only_a_last_line_of_its_own_says_that_a_diff_was_cut() -> None:
    head = "--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n"
    assert is_cut(f"{head}+a\n[patch cut: 12 more characters]\n")
    assert not is_cut(f"{head}+[patch cut: 12 more characters]\n")
    assert not is_cut("")
