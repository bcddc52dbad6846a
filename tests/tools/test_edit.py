"""Edits: exact, on bytes, and explained."""

import ast
import os
import stat

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bot.errors import NoMatch, ToolError
from bot.tools import text
from bot.tools.edit import EditFile, _replace, measure, syntax
from bot.tools.match import find
from bot.tools.text import Text, decode
from tests.conftest import Repo
from tests.tools.conftest import Desk, MakeDesk


def test_an_edit_says_what_it_did_and_that_the_syntax_is_right(desk: Desk) -> None:
    result = desk.call("edit_file", path="calc.py", old="a - b", new="a + b")
    assert result.output == "calc.py: 2 → 2 lines, line 2 changed\nsyntax: ok"
    assert result.metadata.edits[0].model_dump() == {"path": "calc.py", "before": 2, "after": 2, "first": 2, "last": 2}
    assert desk.raw("calc.py") == b"def add(a, b):\n    return a + b\n"


def test_broken_syntax_is_told_at_once(desk: Desk) -> None:
    told = desk.ok("edit_file", path="calc.py", old="return a - b", new="return (a - b")
    assert "syntax: broken by this edit: error on line 2: '(' was never closed" in told
    told = desk.ok("edit_file", path="calc.py", old="def add", new="def plus")
    assert "syntax: still broken: error on line 2: '(' was never closed" in told
    assert "syntax: ok" in desk.ok("edit_file", path="calc.py", old="(a - b", new="a - b")


def test_text_found_more_than_once_is_not_touched_without_a_count(desk: Desk) -> None:
    desk.put("x.txt", b"one\ntwo\none\n")
    told = desk.fails("edit_file", "no_match", path="x.txt", old="one", new="1")
    assert told == "found 2 times in x.txt, at lines 1, 3; give more context, or count=2 to replace all"
    assert desk.raw("x.txt") == b"one\ntwo\none\n"
    desk.ok("edit_file", path="x.txt", old="one", new="1", count=2)
    assert desk.raw("x.txt") == b"1\ntwo\n1\n"
    desk.put("blank.txt", b"a\n\n\nb\n")
    assert "at lines 1, 2" in desk.fails("edit_file", "no_match", path="blank.txt", old="\n\n", new="\n")
    assert "not 3 times" in desk.fails("edit_file", "no_match", path="x.txt", old="1", new="2", count=3)


def test_text_that_is_not_there_is_answered_with_the_nearest_place(desk: Desk) -> None:
    told = desk.fails("edit_file", "no_match", path="calc.py", old="def add(a, b):\n    return a * b\n", new="x")
    assert "nearest at lines 1-2" in told
    assert "-    return a * b\n+    return a - b" in told
    assert "nothing there is like it" in desk.fails("edit_file", "no_match", path="calc.py", old="Ω" * 30, new="x")


def test_the_nearest_place_of_a_long_piece_is_found_in_a_long_file(desk: Desk) -> None:
    lines = [f"    value_{n} = compute(argument_{n}, other_{n % 7})" for n in range(12_000)]
    desk.put("long.py", "\n".join(lines).encode())
    wanted = "\n".join(lines[9000:9020]).replace("value_9005", "value_9004")
    told = desk.fails("edit_file", "no_match", path="long.py", old=wanted, new="x")
    assert "nearest at lines 9001-9020" in told
    assert told.endswith(
        "+    value_9005 = compute(argument_9005, other_3)\n     value_9006 = compute(argument_9006, other_4)"
    )


def test_different_indentation_is_bridged_when_the_place_is_the_only_one(desk: Desk) -> None:
    desk.put("m.py", b"class A:\n    def f(self):\n        if self:  \n            return 1\n")
    told = desk.ok("edit_file", path="m.py", old="if self:\n    return 1\n", new="if not self:\n    return 2\n")
    assert "matched but for outer white space" in told
    assert desk.raw("m.py") == b"class A:\n    def f(self):\n        if not self:\n            return 2\n"


@pytest.mark.parametrize(
    ("body", "old", "new", "after"),
    [
        (
            "f {\n\ta\n\tif b {\n\t\tc\n",
            "    a\n    if b {",
            "    a\n    if b {\n        d",
            "\ta\n\tif b {\n\t\td\n\t\tc\n",
        ),
        (
            "f {\n\ta {\n\t\tb\n",
            "        b",
            "        b\n        if c {\n            d",
            "\t\tb\n\t\tif c {\n\t\t\td\n",
        ),
        ("f {\n\ta {\n\t\tb\n\t}\n", "a {\n  b\n}", "a {\n  c\n}\n\nd", "\ta {\n\t\tc\n\t}\n\n\td\n"),
        ("f:\n    a:\n        b\n    c\n", "  a:\n    b\n  c", "  a:\n    d\n  c", "    a:\n        d\n    c\n"),
        ("f:\n    a:\n        b\n", "\ta:\n\t\tb", "\ta:\n\t\tb\n\t\tc", "    a:\n        b\n        c\n"),
    ],
)
def test_new_text_is_indented_in_the_units_of_the_file(body: str, old: str, new: str, after: str) -> None:
    (span,) = find(body, old, new, 1, "x").spans
    assert (body[: span.start] + span.new + body[span.end :]).endswith(after)


def test_indents_that_no_unit_explains_are_not_guessed() -> None:
    for old, new in (("    a\n  b", "    a\n  c"), (" a\n\tb", "a")):
        with pytest.raises(NoMatch):
            find("f:\n    a\n        b\n", old, new, 1, "x")


def test_loose_matches_are_refused_when_there_are_two(desk: Desk) -> None:
    desk.put("m.py", b"if a:\n    x = 1 \nif b:\n        x = 1 \n")
    desk.fails("edit_file", "no_match", path="m.py", old="x = 1\n", new="x = 2\n")


def test_line_numbers_copied_from_read_file_are_taken_off(desk: Desk) -> None:
    shown = desk.ok("read_file", path="calc.py").split("\n")
    told = desk.ok("edit_file", path="calc.py", old="\n".join(shown[1:]), new="def add(a, b):\n    return a + b")
    assert "line numbers were taken off" in told
    assert desk.raw("calc.py") == b"def add(a, b):\n    return a + b\n"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"old": "a", "new": "a"}, "old and new are the same"),
        ({"old": "a - b", "new": "a -\ud83d b"}, "new"),
    ],
)
def test_edits_that_cannot_mean_anything_are_refused(desk: Desk, arguments: dict[str, str], told: str) -> None:
    assert told in desk.fails("edit_file", "bad_arguments", path="calc.py", **arguments)


CASES = [
    pytest.param(b"a = 1\r\nb = 2\r\nc = 3\r\n", b"a = 1\r\nB = 2\r\nB = 3\r\nc = 3\r\n", id="crlf"),
    pytest.param(b"a = 1\nb = 2\r\nc = 3\n", b"a = 1\nB = 2\r\nB = 3\r\nc = 3\n", id="mixed"),
    pytest.param(b"\xef\xbb\xbfa = 1\nb = 2\n", b"\xef\xbb\xbfa = 1\nB = 2\nB = 3\n", id="byte order mark"),
    pytest.param(b"a = 1\nb = 2", b"a = 1\nB = 2\nB = 3", id="no final newline"),
    pytest.param(
        b"# coding: latin-1\ns = '\xe9'\nb = 2\n", b"# coding: latin-1\ns = '\xe9'\nB = 2\nB = 3\n", id="latin-1"
    ),
    pytest.param(b"a = '\x0c\x1c\xc2\x85'\nb = 2\n", b"a = '\x0c\x1c\xc2\x85'\nB = 2\nB = 3\n", id="odd line breaks"),
    pytest.param(b"a\rb = 2\rc\n", b"a\rB = 2\nB = 3\rc\n", id="lone carriage returns"),
]


@pytest.mark.parametrize(("before", "after"), CASES)
def test_bytes_around_an_edit_stay_as_they_are(desk: Desk, before: bytes, after: bytes) -> None:
    desk.put("f.py", before)
    desk.ok("edit_file", path="f.py", old="b = 2", new="B = 2\nB = 3")
    assert desk.raw("f.py") == after


def test_a_crlf_file_is_matched_across_lines_and_reported_as_changed_in_one(desk: Desk, repo: Repo) -> None:
    desk.put("w.txt", b"one\r\ntwo\r\nthree\r\n")
    told = desk.ok("edit_file", path="w.txt", old="one\ntwo\n", new="one\n2\n")
    assert told == "w.txt: 3 → 3 lines, line 2 changed"
    assert desk.raw("w.txt") == b"one\r\n2\r\nthree\r\n"


def test_carriage_returns_that_are_written_out_are_taken_literally(desk: Desk) -> None:
    desk.put("w.txt", b"one\r\ntwo\r\n")
    desk.ok("edit_file", path="w.txt", old="one\r\n", new="one\n")
    assert desk.raw("w.txt") == b"one\ntwo\r\n"


def test_characters_that_the_encoding_lacks_are_refused(desk: Desk) -> None:
    desk.put("l.py", b"# -*- coding: latin-1 -*-\nx = '\xe9'\n")
    told = desk.fails("edit_file", "bad_arguments", path="l.py", old="x", new="€")
    assert "iso8859-1, which has no character '\\u20ac'" in told
    assert desk.raw("l.py") == b"# -*- coding: latin-1 -*-\nx = '\xe9'\n"


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"x = '\xe9'\n", "is not utf-8: byte 0xe9 on line 1"),
        (b"a\nb\0c\n", "binary"),
        (b"# coding: zlib\nx = '\xe9'\n", "is not utf-8: byte 0xe9 on line 2"),
        (b"# coding: no-such\n\xff\n", "is not utf-8: byte 0xff on line 2"),
    ],
)
def test_files_that_are_not_text_are_refused_with_a_reason(desk: Desk, data: bytes, told: str) -> None:
    desk.put("u.py", data)
    assert told in desk.fails("edit_file", "failed", path="u.py", old="x", new="y")
    assert desk.raw("u.py") == data


def test_permissions_survive_and_links_inside_are_followed(desk: Desk) -> None:
    script = desk.put("run.sh", b"#!/bin/sh\necho 1\n")
    script.chmod(0o755)
    (desk.workspace.root / "link.sh").symlink_to("run.sh")
    desk.ok("edit_file", path="link.sh", old="echo 1", new="echo 2")
    assert desk.raw("run.sh") == b"#!/bin/sh\necho 2\n"
    assert stat.S_IMODE(script.stat().st_mode) == 0o755
    assert (desk.workspace.root / "link.sh").is_symlink()
    assert sorted(path.name for path in desk.workspace.root.iterdir()) == sorted(
        [".git", "calc.py", "link.sh", "run.sh", "test_calc.py"]
    )


def test_a_hard_link_elsewhere_keeps_its_content(desk: Desk, repo: Repo) -> None:
    outside = repo.path / "outside.txt"
    outside.write_bytes(b"mine\n")
    os.link(outside, desk.workspace.root / "inside.txt")
    desk.ok("edit_file", path="inside.txt", old="mine", new="theirs")
    assert outside.read_bytes() == b"mine\n"


@pytest.mark.parametrize(
    ("start", "end", "new", "after"),
    [
        (2, 2, "B", b"a\r\nB\r\nc\r\n"),
        (2, 3, "B\n", b"a\r\nB\r\n"),
        (1, 0, "x\ny", b"x\r\ny\r\na\r\nb\r\nc\r\n"),
        (4, 3, "d", b"a\r\nb\r\nc\r\nd\r\n"),
        (2, 2, "", b"a\r\nc\r\n"),
        (1, 3, "", b""),
    ],
)
def test_line_ranges_are_replaced_inserted_and_removed(
    desk: Desk, start: int, end: int, new: str, after: bytes
) -> None:
    desk.put("l.txt", b"a\r\nb\r\nc\r\n")
    desk.ok("replace_lines", path="l.txt", start=start, end=end, text=new)
    assert desk.raw("l.txt") == after


def test_a_last_line_without_newline_keeps_that_state(desk: Desk) -> None:
    desk.put("l.txt", b"a\nb")
    desk.ok("replace_lines", path="l.txt", start=2, end=2, text="B")
    assert desk.raw("l.txt") == b"a\nB"
    desk.ok("replace_lines", path="l.txt", start=3, end=2, text="c\n")
    assert desk.raw("l.txt") == b"a\nB\nc\n"


@pytest.mark.parametrize(("start", "end"), [(5, 5), (3, 1), (1, 4), (9, 8)])
def test_line_ranges_that_do_not_exist_are_told(desk: Desk, start: int, end: int) -> None:
    desk.put("l.txt", b"a\nb\nc\n")
    told = desk.fails("replace_lines", "not_found", path="l.txt", start=start, end=end, text="x")
    assert told == f"l.txt has 3 lines; there is no range {start}..{end}"


def test_paths_that_a_checkpoint_would_refuse_are_warned_of(repo: Repo, make_desk: MakeDesk) -> None:
    desk = make_desk(repo, scope=["lib/**"])
    told = desk.ok("edit_file", path="calc.py", old="-", new="+")
    assert "warning: calc.py: outside the scope of the task" in told


@pytest.mark.parametrize(
    "source", [b"x = '\\d'\n", b"def f(:\n", b"\0", b"(" * 5000, b"x = " + b"-" * 100_000 + b"1", b"a+" * 10**6]
)
def test_checking_syntax_survives_any_source(source: bytes) -> None:
    assert syntax("x.py", b"\xef\xbb\xbfx = 1\r\n") == "ok"
    assert syntax("x.py", source).startswith(("ok", "error", "not checked, it has 2000000 bytes"))


def test_measuring_names_the_lines_that_differ() -> None:
    assert measure("f", "a\nb\nc\n", "a\nX\nY\nc\n").model_dump() == {
        "path": "f", "before": 3, "after": 4, "first": 2, "last": 3,
    }  # fmt: skip
    assert measure("f", "a\nb\n", "a\nb\n").first == 0
    gone = measure("f", "a\nb\n", "")
    assert (gone.before, gone.after, gone.first, gone.last) == (2, 0, 0, 0)


pieces = st.text(st.sampled_from("ab é\t\x0c\r"), min_size=0, max_size=4).map(lambda piece: piece.replace("\r", ""))


@settings(deadline=None)
@given(
    lines=st.lists(pieces, min_size=1, max_size=8),
    ending=st.sampled_from(["\n", "\r\n"]),
    mark=st.sampled_from([b"", b"\xef\xbb\xbf"]),
    last=st.sampled_from(["", "\n"]),
    new=st.text(st.sampled_from("xyz\n"), min_size=1, max_size=6),
    data=st.data(),
)
def test_an_edit_and_its_inverse_restore_the_bytes(
    lines: list[str], ending: str, mark: bytes, last: str, new: str, data: st.DataObject
) -> None:
    raw = mark + ("\n".join(lines) + last).replace("\n", ending).encode()
    start = data.draw(st.integers(0, len(lines) - 1))
    stop = data.draw(st.integers(start, len(lines) - 1))
    old = "\n".join(lines[start : stop + 1])
    before = decode(raw, "f")
    plain = text.plain(before.body).body
    if old in ("", new) or _count(plain, old) != 1:
        return
    there = _edited(before, old, new)
    if _count(text.plain(there.body).body, new) != 1:
        return
    assume(ending == "\n" or "\r\n" in there.body)  # where no line ends any more, nobody can know how lines ended
    back = _edited(there, new, old)
    assert back.encode() == raw


@settings(deadline=None)
@given(
    lines=st.lists(st.tuples(pieces, st.sampled_from(["\n", "\r\n"])), min_size=2, max_size=8),
    news=st.lists(st.text("xyz", max_size=3), min_size=8, max_size=8),
    data=st.data(),
)
def test_mixed_line_endings_survive_an_edit_that_keeps_the_number_of_lines(
    lines: list[tuple[str, str]], news: list[str], data: st.DataObject
) -> None:
    raw = "".join(content + ending for content, ending in lines).encode()
    start = data.draw(st.integers(0, len(lines) - 1))
    stop = data.draw(st.integers(start, len(lines) - 1))
    old = "".join(f"{content}\n" for content, _ in lines[start : stop + 1])
    new = "".join(f"{content}\n" for content in news[: stop + 1 - start])
    assume(old != new and _plain_count(raw, old) == 1)
    there = _edited(decode(raw, "f"), old, new)
    assume(_plain_count(there.encode(), new) == 1)
    assert [line.endswith("\r\n") for line in there.lines] == [ending == "\r\n" for _, ending in lines]
    assert _edited(there, new, old).encode() == raw


def _plain_count(raw: bytes, piece: str) -> int:
    return _count(text.plain(decode(raw, "f").body).body, piece)


def _count(body: str, piece: str) -> int:
    return sum(body.startswith(piece, at) for at in range(len(body)))


def _edited(before: Text, old: str, new: str) -> Text:
    body, _ = _replace(before, EditFile(path="f", old=old, new=new), "f")
    after = Text(body, before.encoding, before.mark)
    return decode(after.encode(), "f")


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_decoding_loses_nothing_or_refuses(raw: bytes) -> None:
    try:
        found = decode(raw, "f")
    except ToolError:
        return
    assert found.encode() == raw
    assert "".join(found.lines) == found.body


@settings(deadline=None)
@given(st.lists(st.sampled_from(["a", "b\r\n", "c\n", "\r", "\r\n", "\n"]), max_size=12))
def test_plain_offsets_lead_back(parts: list[str]) -> None:
    body = "".join(parts)
    plain = text.plain(body)
    assert plain.body == body.replace("\r\n", "\n")
    for offset, character in enumerate(plain.body):
        at = plain.origin(offset)
        assert (
            body[at : at + 2] == "\r\n"
            if at < len(body) and body[at] == "\r" and character == "\n"
            else body[at] == character
        )


def test_edited_python_still_means_what_it_says(desk: Desk) -> None:
    desk.ok("edit_file", path="calc.py", old="return a - b", new="total = a + b\nreturn total".replace("\n", "\n    "))
    assert isinstance(ast.parse(desk.raw("calc.py")).body[0], ast.FunctionDef)
