"""What the offline model says of the last changes, by the words of the tools."""

from bot.core.unseen import show
from bot.models.offline.briefing import Finding
from bot.models.offline.hunt import places_of, takes_back
from bot.models.offline.patches import candidates, describe, excuses
from bot.models.offline.summary import Ending, summarize
from bot.repair.found import Candidate, Search
from bot.tools.repair import tell_search

PATCH = "--- a/m.py\n+++ b/m.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n"
SAID = "partial revert: 1 change of abcdef0123 taken back, at m.py:1"


def told(*, before: tuple[str, ...] = (), flaky: tuple[str, ...] = ()) -> str:
    one = Candidate(PATCH, "m.py", 1, "bin_op", 0.9)
    other = Candidate(PATCH, "m.py", 1, "revert", 0.01, history=SAID)
    return tell_search(Search((one, other), (), 9, 1.0, "found", before=before, flaky=flaky))


def test_an_edit_that_takes_whole_changes_back_is_called_a_revert_whatever_proposed_it() -> None:
    edit, revert = candidates(told())
    assert [takes_back(one) for one in (edit, revert, edit._replace(history=SAID))] == [False, True, True]


def test_what_an_edit_has_to_do_with_the_last_changes_is_read_back() -> None:
    assert [(one.template, one.history, one.patch) for one in candidates(told())] == [
        ("bin_op", "", PATCH),
        ("revert", SAID, PATCH),
    ]


def test_tests_that_the_last_changes_are_not_to_blame_for_are_named_before_the_lines_that_are() -> None:
    read = excuses(told(before=("test_m.py::test_a[x y]",), flaky=("test_m.py::test_b",)))
    assert read == {"test_m.py::test_a[x y]": "BEFORE", "test_m.py::test_b": "FLAKY"}
    left = [Finding("pytest", name, "test_m.py", 1, "no") for name in (*read, "test_m.py::test_c")]
    text = summarize(Ending(left=left, excused={**read, "gone": "FLAKY"}))
    assert "test_m.py::test_a[x y] fails without the last changes as well: they are not to blame." in text
    assert "test_m.py::test_b is flaky: with nothing changed it does not end the same way every time." in text
    assert "gone" not in text


def test_a_carriage_return_at_the_end_of_an_answer_stays_one() -> None:
    patch = "--- a/m.py\n+++ b/m.py\n@@ -1 +1 @@\n-x = 1\r\n+x = 2\r\n"
    answer = show(tell_search(Search((Candidate(patch, "m.py", 1, "const", 0.9),), (), 1, 1.0, "found")))
    assert [one.patch for one in candidates(answer)] == [patch]


def test_a_commit_names_the_places_of_all_its_edits() -> None:
    texts = {"a.py": "def f():\n    return 1\n", "b.py": "class B:\n    def g(self):\n        return 1\n"}
    one = "--- a/a.py\n+++ b/a.py\n@@ -2 +2 @@\n-    return 1\n+    return 2\n"
    other = "--- a/b.py\n+++ b/b.py\n@@ -3 +3 @@\n-        return 1\n+        return 2\n"
    both = candidates(tell_search(Search((Candidate(one + other, "a.py", 2, "const", 0.9),), (), 1, 1.0, "found")))
    assert places_of(both[0], texts) == "a.f and b.B.g"
    imported = "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n-import x\n+import y\n-    return x\n+    return y\n"
    assert describe(imported) == "use `y` instead of `x`"
