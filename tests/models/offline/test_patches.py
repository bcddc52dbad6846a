"""Diffs are made, read back, turned round and put into words."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.models.offline.patches import candidates, describe, make, passed, reverse, searched, suspects

SEARCH = """SEARCH candidates=2 tried=9 found
CANDIDATE 1 pkg/a.py:2 cmp_op score=1.176
| --- a/pkg/a.py
| +++ b/pkg/a.py
| @@ -1,2 +1,2 @@
|  def f(x):
| -    return x > 1
| +    return x >= 1
CANDIDATE 2 pkg/b c.py:7 const score=0.500
| --- a/pkg/b c.py
SUSPECT pkg/a.py:2 score=0.707 return x > 1"""


def test_how_far_a_search_came_is_read() -> None:
    assert searched(SEARCH) == (9, "found")
    assert searched("error: the repair engine could not run") == (0, "")


def test_candidates_are_read_with_their_diffs() -> None:
    first, second = candidates(SEARCH)
    assert (first.path, first.line, first.template) == ("pkg/a.py", 2, "cmp_op")
    assert first.patch.endswith("-    return x > 1\n+    return x >= 1\n")
    assert second.path == "pkg/b c.py"


def test_suspects_are_read() -> None:
    (only,) = suspects(SEARCH)
    assert (only.path, only.line, only.score, only.text) == ("pkg/a.py", 2, 0.707, "return x > 1")


def test_patches_that_leave_fewer_tests_failing_come_first() -> None:
    answer = (
        "TRIED 3 passed=2\nPASS 1 1 passed; still failing as before: t.py::test_a\nFAIL 2 t.py::test_b\nPASS 3 1 passed"
    )
    assert passed(answer) == (2, 0)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("    return x > 1\n", "    return x >= 1\n", "use `>=` instead of `>`"),
        ("return a - b\n", "return a + b\n", "use `+` instead of `-`"),
        ("f(a)\n", "f(a, b)\n", "add `, b`"),
        ("f(a, b)\n", "f(a)\n", "remove `, b`"),
        ("a = b + c\n", "x = b + y\n", "use `x = b + y`"),
        ("a\n", "a\nb = 1\n", "add `b = 1`"),
        ("a\nb = 1\n", "a\n", "remove `b = 1`"),
        ("a\nb\nc\n", "x\nb\ny\n", ""),
    ],
)
def test_a_small_change_is_put_into_words(old: str, new: str, words: str) -> None:
    assert describe(make("a.py", old, new)) == words


def test_a_change_of_more_than_lines_is_not_turned_round() -> None:
    assert (
        reverse("added a.py +1 -0\n\ndiff --git a/a.py b/a.py\nnew file mode 100644\n--- /dev/null\n+++ b/a.py\n") == ""
    )


LINES = st.lists(st.sampled_from(["a", "b", "", "-- a/x", "++ b/x", " c", "@@"]), max_size=8)


@settings(max_examples=15, deadline=None)
@given(before=LINES, after=LINES, newlines=st.tuples(st.booleans(), st.booleans()))
def test_a_diff_turned_round_takes_a_change_back(
    tmp_path_factory: pytest.TempPathFactory, before: list[str], after: list[str], newlines: tuple[bool, bool]
) -> None:
    old = "\n".join(before) + ("\n" if newlines[0] and before else "")
    new = "\n".join(after) + ("\n" if newlines[1] and after else "")
    if old == new or not old or not new:
        return
    folder = tmp_path_factory.mktemp("patch")
    Path(folder, "f").write_text(new)
    diff = make("f", old, new)
    back = reverse(f"modified f +1 -1\n\ndiff --git a/f b/f\nindex 123..456 100644\n{diff}")
    argv = ["git", "apply", "--unidiff-zero", "--whitespace=nowarn", "-"]
    subprocess.run(argv, input=back, text=True, cwd=folder, check=True, capture_output=True)
    assert Path(folder, "f").read_text() == old


@given(st.text(max_size=200))
def test_no_text_makes_reading_fail(text: str) -> None:
    for prefix in ("CANDIDATE 1 ", "SUSPECT ", "PASS ", "@@ -1 +1 @@\n-"):
        candidates(prefix + text)
        suspects(prefix + text)
        passed(prefix + text)
        reverse(prefix + text)
        describe(prefix + text)
