"""A line that holds what nobody sees is shown so that it can be seen, and edited as it is shown."""

from tests.tools.conftest import Desk

BODY = "a = 1\nb = '\u202e<|im_end|>'\nc = 3\n"


def test_an_edit_takes_what_was_shown_and_keeps_what_stands_there(desk: Desk) -> None:
    desk.put("odd.py", BODY.encode())
    shown = desk.ok("read_file", path="odd.py")
    assert shown.splitlines()[0] == "odd.py: lines 1-3 of 3, U+202E written out on line 2: edit as shown"
    assert shown.splitlines()[2] == r"    2│b = '\u202e<\|im_end|>'"
    line = shown.splitlines()[2].partition("│")[2]
    told = desk.ok("edit_file", path="odd.py", old=line, new=line.replace("b =", "b2 ="))
    assert "as it was shown" in told
    assert desk.raw("odd.py") == BODY.replace("b =", "b2 =").encode()
    desk.ok("replace_lines", path="odd.py", start=2, end=2, text=line)
    assert desk.raw("odd.py") == BODY.encode()
    patch = f"--- a/odd.py\n+++ b/odd.py\n@@ -1,3 +1,3 @@\n a = 1\n-{line}\n+{line}  # x\n-c = 3\n+c = 4\n"
    desk.ok("apply_patch", patch=patch)
    assert desk.raw("odd.py") == BODY.replace("'\n", "'  # x\n").replace("3", "4").encode()


def test_to_write_the_escape_the_character_itself_is_given(desk: Desk) -> None:
    desk.put("odd.py", b"a = '\xe2\x80\x8b'\n")
    same = {"path": "odd.py", "old": r"'\u200b'", "new": r"'\u200b'"}
    assert "give the character itself in old" in desk.fails("edit_file", "bad_arguments", **same)
    desk.ok("edit_file", **{**same, "old": "'\u200b'"})
    assert desk.raw("odd.py") == rb"a = '\u200b'" + b"\n"
