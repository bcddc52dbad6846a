"""Listing, reading, making, removing and moving files."""

import stat

import pytest

from tests.tools.conftest import Desk


def test_folders_below_the_depth_are_counted(desk: Desk) -> None:
    for name in ("a/b/c/d.txt", "a/b/c/e.txt", "a/f.txt"):
        desk.put(name, b"")
    assert desk.ok("list_files") == "a/b/ (2 files)\na/f.txt\ncalc.py\ntest_calc.py"
    assert desk.ok("list_files", path="a/b/", depth=2) == "a/b/c/d.txt\na/b/c/e.txt"
    assert desk.ok("list_files", depth=1) == "a/ (3 files)\ncalc.py\ntest_calc.py"
    assert desk.ok("list_files", path="calc.py") == "calc.py: a file"
    (desk.workspace.root / "void").mkdir()
    assert desk.ok("list_files", path="void") == "void: an empty or ignored folder"


def test_long_lists_are_cut_with_a_word(desk: Desk) -> None:
    for number in range(310):
        desk.put(f"n/{number:04}.txt", b"")
    lines = desk.ok("list_files").split("\n")
    assert len(lines) == 301
    assert lines[-1] == "… 12 more; name a folder"


def test_lines_are_shown_with_numbers_and_what_is_odd_about_the_file(desk: Desk) -> None:
    assert desk.ok("read_file", path="calc.py") == (
        "calc.py: lines 1-2 of 2\n    1│def add(a, b):\n    2│    return a - b"
    )
    desk.put("w.txt", b"\xef\xbb\xbfa\r\nb")
    assert desk.ok("read_file", path="./w.txt") == (
        "w.txt: lines 1-2 of 2, byte order mark, mixed line endings, no final newline\n    1│a\n    2│b"
    ).replace("mixed line endings", "CRLF")
    desk.put("e.txt", b"")
    assert desk.ok("read_file", path="e.txt") == "e.txt: empty"


def test_ranges_are_shown_and_long_files_say_where_to_go_on(desk: Desk) -> None:
    desk.put("long.txt", b"".join(b"%d\n" % n for n in range(1, 1001)))
    assert desk.ok("read_file", path="long.txt", start=999) == "long.txt: lines 999-1000 of 1000\n  999│999\n 1000│1000"
    first = desk.ok("read_file", path="long.txt")
    assert first.startswith("long.txt: lines 1-400 of 1000\n")
    assert first.endswith("  400│400\n… go on with start=401")
    assert "long.txt has 1000 lines" in desk.fails("read_file", "not_found", path="long.txt", start=1001)
    assert "there is no range 5..4" in desk.fails("read_file", "not_found", path="long.txt", start=5, end=4)


def test_wide_files_are_cut_by_bytes_and_lines_by_width(desk: Desk) -> None:
    desk.put("wide.txt", (b"x" * 900 + b"\n") * 100 + b"y" * 5000 + b"\n")
    shown = desk.call("read_file", path="wide.txt")
    assert len(shown.output.encode()) < 22_000
    assert "… go on with start=" in shown.output
    assert not shown.truncated
    assert "… (+4000 characters)" in desk.ok("read_file", path="wide.txt", start=101)


def test_binary_files_are_refused_and_other_encodings_shown(desk: Desk) -> None:
    desk.put("b.bin", b"\0\1\2")
    assert "b.bin is binary (3 bytes)" in desk.fails("read_file", "failed", path="b.bin")
    desk.put("l.txt", b"caf\xe9\n")
    shown = desk.ok("read_file", path="l.txt")
    assert "1│caf\\xe9" in shown
    assert "it cannot be edited" in shown


def test_files_are_made_with_their_folders_and_never_replaced(desk: Desk) -> None:
    result = desk.call("create_file", path="new/mod.py", content="x = 1\ny = (\n")
    assert result.output.startswith("created new/mod.py: 0 → 2 lines, lines 1-2 changed\nsyntax: error on line 2")
    assert desk.raw("new/mod.py") == b"x = 1\ny = (\n"
    assert "exists already" in desk.fails("create_file", "denied", path="calc.py", content="")
    assert "NUL" in desk.fails("create_file", "failed", path="z.txt", content="a\0b")
    desk.ok("create_file", path="run.sh", content="#!/bin/sh\n")
    assert stat.S_IMODE((desk.workspace.root / "run.sh").stat().st_mode) == 0o755
    desk.fails("create_file", "denied", path="calc.py/x.txt", content="")


def test_what_is_not_allowed_to_change_is_warned_of(desk: Desk) -> None:
    assert "warning: .github/workflows/ci.yml: protected" in desk.ok(
        "create_file", path=".github/workflows/ci.yml", content="on: push\n"
    )


def test_files_are_removed_and_moved(desk: Desk) -> None:
    result = desk.call("move_file", source="calc.py", destination="pkg/calc.py")
    assert result.output.startswith("moved calc.py to pkg/calc.py (2 lines)")
    assert [edit.path for edit in result.metadata.edits] == ["calc.py", "pkg/calc.py"]
    assert "exists already" in desk.fails("move_file", "denied", source="test_calc.py", destination="pkg/calc.py")
    assert "is a folder" in desk.fails("move_file", "denied", source="pkg", destination="other")
    assert "is a folder" in desk.fails("delete_file", "denied", path="pkg")
    assert desk.ok("delete_file", path="pkg/calc.py").startswith("deleted pkg/calc.py: 2 → 0 lines")
    assert "there is no 'calc.py'" in desk.fails("delete_file", "not_found", path="calc.py")


@pytest.mark.parametrize("path", ["aux", "x" * 220, "a:b.txt", "trail ", "new\nline", "-rf", ".gitmodules"])
def test_names_that_cannot_be_checked_out_everywhere_are_not_made(desk: Desk, path: str) -> None:
    desk.fails("create_file", "denied", path=path, content="")


def test_huge_files_are_too_large(desk: Desk) -> None:
    huge = desk.put("huge.txt", b"")
    with huge.open("r+b") as file:
        file.truncate(10_000_001)
    assert "at most" in desk.fails("read_file", "too_large", path="huge.txt")
