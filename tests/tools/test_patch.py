"""Patches: what git writes applies exactly, what models write where there is no doubt, and nothing by half."""

import difflib
import re
import stat
import subprocess
from contextlib import suppress

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from bot.errors import BadArguments, NoMatch, TooLarge
from bot.tools.hunks import read_patch
from bot.tools.patch import deletions
from bot.tools.splice import splice
from bot.tools.text import decode
from tests.tools.conftest import Desk


def apply(body: str, patch: str, ending: str = "\n") -> str:
    (section,) = read_patch(patch)
    return splice(body, section.hunks, "f", ending).body


def test_a_patch_of_several_files_is_applied_and_told_file_by_file(desk: Desk) -> None:
    patch = (
        "diff --git a/calc.py b/calc.py\n--- a/calc.py\n+++ b/calc.py\n@@ -1,2 +1,2 @@\n def add(a, b):\n"
        "-    return a - b\n+    return a + b\ndiff --git a/new.py b/new.py\nnew file mode 100755\n--- /dev/null\n"
        "+++ b/new.py\n@@ -0,0 +1 @@\n+x = (\n"
        "diff --git a/test_calc.py b/tests/test_calc.py\nsimilarity index 100%\n"
        "rename from test_calc.py\nrename to tests/test_calc.py\n"
    )
    result = desk.call("apply_patch", patch=patch)
    assert result.ok, result.output
    assert "patched calc.py: 2 → 2 lines, line 2 changed\nsyntax: ok" in result.output
    assert "created new.py: 0 → 1 lines, line 1 changed\nsyntax: error on line 1" in result.output
    assert desk.raw("calc.py") == b"def add(a, b):\n    return a + b\n"
    assert stat.S_IMODE((desk.workspace.root / "new.py").stat().st_mode) == 0o755
    assert desk.raw("tests/test_calc.py").startswith(b"from calc")
    assert not (desk.workspace.root / "test_calc.py").exists()
    assert {edit.path for edit in result.metadata.edits} == {"calc.py", "new.py", "test_calc.py", "tests/test_calc.py"}


def test_nothing_is_changed_when_one_hunk_of_one_file_does_not_fit(desk: Desk) -> None:
    patch = (
        "--- a/calc.py\n+++ b/calc.py\n@@ -2 +2 @@\n-    return a - b\n+    return a + b\n"
        "--- a/test_calc.py\n+++ b/test_calc.py\n@@ -1 +1 @@\n-import nothing\n+import something\n"
    )
    told = desk.fails("apply_patch", "no_match", patch=patch)
    assert "test_calc.py: hunk 1 of 1 does not apply" in told
    assert "not there: 'import nothing'" in told
    assert b"a - b" in desk.raw("calc.py")


def test_a_patch_that_cannot_be_written_whole_is_taken_back(desk: Desk) -> None:
    desk.put("block", b"a file, not a folder\n")
    patch = (
        "--- a/calc.py\n+++ b/calc.py\n@@ -2 +2 @@\n-    return a - b\n+    return a + b\n"
        "--- /dev/null\n+++ b/TEST_calc.py\n@@ -0,0 +1 @@\n+x\n"
    )
    assert "only in case" in desk.fails("apply_patch", "denied", patch=patch)
    assert b"a - b" in desk.raw("calc.py")
    assert not (desk.workspace.root / "TEST_calc.py").exists()


def test_deletions_are_carried_out_and_can_be_foreseen(desk: Desk) -> None:
    patch = "--- a/calc.py\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-def add(a, b):\n-    return a - b\n"
    assert deletions(patch) == ("calc.py",)
    assert deletions("no patch") == ()
    assert desk.ok("apply_patch", patch=patch).startswith("deleted calc.py: 2 → 0 lines")
    assert not (desk.workspace.root / "calc.py").exists()
    part = "--- a/test_calc.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-from calc import add\n"
    assert "does not remove all its lines" in desk.fails("apply_patch", "bad_arguments", patch=part)


def test_permissions_and_line_endings_survive_a_patch(desk: Desk) -> None:
    desk.put("w.sh", b"\xef\xbb\xbfone\r\ntwo\r\nthree").chmod(0o755)
    desk.ok("apply_patch", patch="--- w.sh\n+++ w.sh\n@@ -1,2 +1,3 @@\n one\n-two\n+2\n+2b\n")
    assert desk.raw("w.sh") == b"\xef\xbb\xbfone\r\n2\r\n2b\r\nthree"
    assert stat.S_IMODE((desk.workspace.root / "w.sh").stat().st_mode) == 0o755


@pytest.mark.parametrize(
    ("patch", "told"),
    [
        ("hello", "this is no unified diff"),
        ("@@ -1 +1 @@\n-a\n+b\n", "a hunk without `--- a/PATH`"),
        ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n", "a hunk without lines"),
        ("diff --git a/x b/y\n", "which file is meant?"),
        ("diff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+y\n", "not 120000"),
        ("diff --git a/x b/x\nGIT binary patch\nliteral 1\n", "cannot be applied here"),
        ("--- a/calc.py\n+++ b/calc.py\n", "changes nothing"),
        ("--- a/calc.py\n+++ b/calc.py\n@@ -1 +1 @@\n-def add(a, b):\n+def add(a, b):\n", "changes nothing"),
    ],
)
def test_what_is_no_patch_is_told_in_a_line(desk: Desk, patch: str, told: str) -> None:
    assert told in desk.fails("apply_patch", "bad_arguments", patch=patch)


def test_missing_and_existing_files_are_told(desk: Desk) -> None:
    body = "@@ -1 +1 @@\n-a\n+b\n"
    assert "nearest: calc.py" in desk.fails("apply_patch", "not_found", patch=f"--- a/clac.py\n+++ b/clac.py\n{body}")
    new = "--- /dev/null\n+++ b/calc.py\n@@ -0,0 +1 @@\n+b\n"
    assert "exists already" in desk.fails("apply_patch", "denied", patch=new)


BODY = "".join(f"line {n}\n" for n in range(1, 41))


def test_a_hunk_is_found_where_its_lines_are() -> None:
    assert apply(BODY, "--- a/f\n+++ b/f\n@@ -3,2 +3,2 @@\n line 20\n-line 21\n+LINE 21\n") == BODY.replace(
        "line 21", "LINE 21"
    )
    assert apply(BODY, "--- a/f\n+++ b/f\n@@ ... @@\n line 20\n-line 21\n+LINE 21\n") == BODY.replace(
        "line 21", "LINE 21"
    )


def test_wrong_counts_and_stripped_blank_lines_are_understood() -> None:
    patch = "```diff\n--- a/f\n+++ b/f\n@@ -1,9 +1,9 @@\n a\n\n-b\n+B\n```\n"
    assert apply("a\n\nb\nc\n", patch) == "a\n\nB\nc\n"
    assert apply("a\nb\nc\n", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n-b\n+A\n+B\n c\n") == "A\nB\nc\n"


def test_one_differing_line_around_a_hunk_is_left_out_of_account_and_told() -> None:
    (section,) = read_patch("--- a/f\n+++ b/f\n@@ -1,4 +1,4 @@\n wrong\n line 2\n-line 3\n+LINE 3\n line 4\n")
    done = splice(BODY, section.hunks, "f", "\n")
    assert done.body == BODY.replace("line 3\n", "LINE 3\n", 1)
    assert done.notes == ("hunk 1: 2 lines around it differ",)


def test_equal_places_are_not_guessed_between() -> None:
    body = "x = 1\n" * 3 + "y\n" * 200 + "x = 1\n"
    with pytest.raises(NoMatch, match="fits at lines 1, 2, 3, 204"):
        apply(body, "--- a/f\n+++ b/f\n@@ ... @@\n-x = 1\n+x = 2\n")
    assert apply(body, "--- a/f\n+++ b/f\n@@ -200 +200 @@\n-x = 1\n+x = 2\n").endswith("y\nx = 2\n")


@pytest.mark.parametrize(
    ("body", "hunk", "after"),
    [
        ("a\n", "@@ -1,0 +2 @@\n+b\n", "a\nb\n"),
        ("a\n", "@@ -0,0 +1 @@\n+b\n", "b\na\n"),
        ("a", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n", "b\n"),
        ("a\n", "@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n", "b"),
        ("a\nb", "@@ -1,2 +1,2 @@\n-a\n+A\n b\n\\ No newline at end of file\n", "A\nb"),
        ("a\n", "@@ -1 +0,0 @@\n-a\n", ""),
        ("a\r\nb\r\n", "@@ -1,2 +1,2 @@\n-a\r\n+A\r\n b\r\n", "A\r\nb\r\n"),
        ("a\nb\n", "@@ -1,2 +1,2 @@\r\n-a\r\n+A\r\n b\r\n", "A\nb\n"),
        ("a\n", "@@ -1 +1 @@\n-a\n+a\r\n", "a\r\n"),
        ("-- x\n", "@@ -1 +1 @@\n--- x\n+++ x\n", "++ x\n"),
        ("a\n \nb\n", "@@ -1,3 +1,3 @@\n a\n\n-b\n+B\n", "a\n \nB\n"),
    ],
)
def test_ends_of_files_and_of_lines_are_as_the_patch_says(body: str, hunk: str, after: str) -> None:
    assert apply(body, f"--- a/f\n+++ b/f\n{hunk}", "\r\n" if "\r\n" in body else "\n") == after


@pytest.mark.parametrize(
    ("headers", "names"),
    [
        ("--- a/x.py\t2024-01-01 00:00:00\n+++ b/x.py\t2024-01-02 00:00:00\n", ("x.py", "x.py")),
        ("--- x.py\n+++ x.py\n", ("x.py", "x.py")),
        ('--- "a/na\\303\\257ve.py"\n+++ "b/na\\303\\257ve.py"\n', ("naïve.py", "naïve.py")),
        ('--- "a/caf\\351.py"\n+++ "b/caf\\351.py"\n', ("caf\\xe9.py", "caf\\xe9.py")),
        ("--- a/a b.py\t\n+++ b/a b.py\t\n", ("a b.py", "a b.py")),
        ("diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n", ("x", "x")),
    ],
)
def test_names_are_read_as_git_and_others_write_them(headers: str, names: tuple[str, str]) -> None:
    (section,) = read_patch(f"{headers}@@ -1 +1 @@\n-a\n+b\n")
    assert (section.source, section.target) == names


texts = st.lists(st.sampled_from(["a", "b", "", "-- x", "++ y", "@@", "é\t", "\x0c"]), max_size=14)


@settings(deadline=None)
@given(texts, texts, st.integers(0, 3))
@example(["a", "++ y", "a"], ["a", "-- x", "a", "a"], 0)
def test_what_difflib_writes_applies_and_undoes(old: list[str], new: list[str], context: int) -> None:
    first, second = ("".join(f"{line}\n" for line in lines) for lines in (old, new))
    patch = _diff(first, second, context)
    if patch:
        assert apply(first, patch) == second
        assert apply(second, _diff(second, first, context)) == first


def _diff(before: str, after: str, context: int) -> str:
    lines = difflib.unified_diff(before.split("\n")[:-1], after.split("\n")[:-1], "a/f", "b/f", n=context, lineterm="")
    return "".join(f"{line}\n" for line in lines)


@settings(deadline=None)
@given(st.text(st.sampled_from("@-+ \\ab/\n,1\t\"'`"), max_size=200))
def test_reading_any_text_as_a_patch_raises_nothing_but_bad_arguments(patch: str) -> None:
    try:
        sections = read_patch(f"--- a/f\n+++ b/f\n{patch}")
    except BadArguments:
        return
    for section in sections:
        if section.hunks:
            with suppress(NoMatch):
                splice("a\nb\n", section.hunks, "f", "\n")


contents = st.lists(
    st.sampled_from([b"a\n", b"b\r\n", b"\xc3\xa9\n", b"-- x\n", b"c\n", b"\r\n", b"\x0c\n", b"d\r\n"]),
    min_size=1,
    max_size=9,
).map(b"".join)


@settings(max_examples=30, deadline=None)
@given(contents, contents, st.sampled_from([b"", b"\n"]), st.integers(0, 3))
def test_what_git_writes_gives_the_same_bytes(
    tmp_path_factory: pytest.TempPathFactory, before: bytes, after: bytes, cut: bytes, context: int
) -> None:
    after = after.removesuffix(cut)
    folder = tmp_path_factory.mktemp("g")
    (folder / "old").write_bytes(before)
    (folder / "new").write_bytes(after)
    argv = ["git", "diff", "--no-index", "--text", f"-U{context}", "old", "new"]
    patch = subprocess.run(argv, cwd=folder, capture_output=True, check=False).stdout.decode()
    assume(patch)
    ending = decode(before, "f").ending
    hunks = re.split(r"^@@.*$", patch, flags=re.MULTILINE)[1:]
    assume(ending == "\n" or all(re.search(r"^[- ]", hunk, re.MULTILINE) for hunk in hunks))
    # since a bare insertion follows the file, not the patch
    assert apply(before.decode(), patch, ending).encode() == after


def test_a_change_of_permissions_alone_is_told_as_such(desk: Desk) -> None:
    patch = "diff --git a/calc.py b/calc.py\nold mode 100644\nnew mode 100755\n"
    assert desk.ok("apply_patch", patch=patch) == "patched calc.py: 2 → 2 lines, now executable\nsyntax: ok"


def test_hunks_that_fit_everywhere_are_given_up_before_they_take_minutes() -> None:
    body = "x = 1\n" * 20_000
    right = "".join(f"@@ -{n} +{n} @@\n-x = 1\n+y = 1\n" for n in range(1, 5000))
    assert apply(body, f"--- a/f\n+++ b/f\n{right}").startswith("y = 1\n" * 4999 + "x")
    hunk = "@@ -{0} +{0} @@\n-x = 1\n-x = 1\n-z\n+y\n"
    with pytest.raises(NoMatch):
        apply(body, f"--- a/f\n+++ b/f\n{hunk.format(1)}")
    off = "".join("@@ -90000 +90000 @@\n-x = 1\n+y = 1\n" for n in range(600))
    with pytest.raises((NoMatch, TooLarge)):
        apply(body, f"--- a/f\n+++ b/f\n{off}")
