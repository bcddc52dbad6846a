"""Whatever a file holds, an edit of one line changes that line; what cannot be kept so is refused."""

import codecs
import re
from collections.abc import Mapping
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from tests.conftest import Repo
from tests.tools.conftest import Desk, MakeDesk
from tests.tools.trees import Leaf, count_lines, differences

PIECES = [
    "a",
    "é",
    "\t",
    "\x0b",
    "\x0c",
    "\x1c",
    "\x1d",
    "\x1e",
    "\x1f",
    "\x85",
    "\u2028",
    "\u2029",
    "\ufeff",
    "\x1b[0m",
    "\x7f",
]
PIECES += ["\u202e", "\U0001f600", "e\u0301", '"', "\\", "@@ -1 +1 @@", "--- a/f", "+++ b/f", "-", "+", " ", "\r"]


FILES = ("replaced", "lines", "patched")


class Sample(NamedTuple):
    """A file, and the line of it that is to be changed."""

    lines: list[str]
    endings: list[str]
    final: bool
    codec: str
    mark: bytes
    number: int

    def data(self, line: str) -> bytes:
        """Return the bytes with something else on that line."""
        lines = [*self.lines[: self.number], line, *self.lines[self.number + 1 :]]
        ends = [*self.endings[: len(lines) - 1], self.endings[len(lines) - 1] if self.final else ""]
        return self.mark + "".join(map("".join, zip(lines, ends, strict=True))).encode(self.codec)


CRLF_WITHOUT_END = Sample(
    lines=["xmarker", "b"], endings=["\r\n", "\r\n"], final=False, codec="utf-8", mark=codecs.BOM_UTF8, number=0
)
HALF_CRLF = Sample(lines=["", "xmarker"], endings=["\n", "\r\n"], final=True, codec="utf-8", mark=b"", number=1)


@st.composite
def samples(draw: st.DrawFn) -> Sample:
    codec, mark, head = draw(
        st.sampled_from(
            [
                ("utf-8", b"", ""),
                ("utf-8", codecs.BOM_UTF8, ""),
                ("latin-1", b"", "# -*- coding: latin-1 -*-"),
                ("cp1252", b"", "# vim: set fileencoding=cp1252 :"),
                ("shift_jis", b"", "# coding=shift_jis"),
            ]
        )
    )
    text = st.lists(st.sampled_from(PIECES), max_size=4).map("".join).filter(lambda line: is_in(line, codec))
    lines = draw(st.lists(text, min_size=2, max_size=6))
    number = draw(st.integers(0, len(lines) - 1))
    lines[number] = f"x{lines[number]}marker"
    if head:
        lines, number = [head, *lines], number + 1
    usual = draw(st.sampled_from(["\n", "\r\n", ""]))
    endings = [usual or draw(st.sampled_from(["\n", "\r\n"])) for _ in lines]
    # A carriage return before the line feed would be a part of the ending
    lines = [line.rstrip("\r") for line in lines]
    return Sample(lines, endings, draw(st.booleans()), codec, mark, number)


def is_in(line: str, codec: str) -> bool:
    try:
        return line.encode(codec).decode(codec) == line
    except UnicodeError:
        return False


def ways(sample: Sample, new: str) -> list[tuple[str, Mapping[str, JsonValue]]]:
    old, number = sample.lines[sample.number], sample.number + 1
    bare = "" if sample.final or number < len(sample.lines) else "\n\\ No newline at end of file"
    patch = f"--- a/patched\n+++ b/patched\n@@ -{number} +{number} @@\n-{old}{bare}\n+{new}{bare}\n"
    return [
        ("edit_file", {"path": "replaced", "old": "marker", "new": new.removeprefix(old.removesuffix("marker"))}),
        ("replace_lines", {"path": "lines", "start": number, "end": number, "text": new}),
        ("apply_patch", {"patch": patch}),
    ]


@pytest.fixture
def drafts(repo: Repo, make_desk: MakeDesk) -> Desk:
    repo.commit(dict.fromkeys(FILES, "start\n"))
    return make_desk(repo)


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(sample=samples(), added=st.sampled_from(["", "y", "\x0c", "z \t"]))
@example(sample=CRLF_WITHOUT_END, added="")
@example(sample=HALF_CRLF, added="")
def test_all_bytes_but_those_of_the_edited_line_stay(drafts: Desk, repo: Repo, sample: Sample, added: str) -> None:
    old = sample.lines[sample.number]
    before, new = sample.data(old), f"{old.removesuffix('marker')}edited{added}"
    for name in FILES:
        drafts.put(name, before)
        drafts.workspace.touch(name)
    base = drafts.workspace.tree()
    for tool, arguments in ways(sample, new):
        drafts.ok(tool, **arguments)
    assert {name: drafts.raw(name) for name in FILES} == dict.fromkeys(FILES, sample.data(new))
    changed = differences(repo, base, drafts.workspace.tree())
    assert changed == {name.encode(): (Leaf("100644", before), Leaf("100644", sample.data(new))) for name in FILES}
    assert count_lines(before, sample.data(new)) == (1, 1)


REFUSED = {
    "undecodable": b"one\n\xff\xfe bad\n",
    "latin": b"one\ncaf\xe9\n",
    "late": b"one\n" + b"x" * 120_000 + b"\n\xe9\n",
    "nul": b"one\n\0\n",
    "far-nul": b"one\n" + b"x" * 150_000 + b"\0\n",
    "cut": "one\né".encode()[:-1],
    "surrogate": b"one\n\xed\xa0\x80\n",
    "overlong": b"one\n\xc0\xaf\n",
    "wide": "one\n\0".encode("utf-16"),
    "odd-wide": "one\n".encode("utf-16") + b"x",
    "cookie": b"# coding: zlib\none \xe9\n",
    "unknown": b"# coding: no-such\none \xe9\n",
    "wrong": b"# coding: ascii\none \xe9\n",
    "pickled": b"# coding: unicode_escape\none \xe9\n",
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_cannot_be_decoded_without_loss_is_refused_and_stays(desk: Desk, kind: str) -> None:
    desk.put("f.txt", REFUSED[kind])
    patch = "--- a/f.txt\n+++ b/f.txt\n@@ -1 +1 @@\n-one\n+ONE\n"
    for tool, arguments in (
        ("edit_file", {"path": "f.txt", "old": "one", "new": "ONE"}),
        ("replace_lines", {"path": "f.txt", "start": 1, "end": 1, "text": "ONE"}),
        ("apply_patch", {"patch": patch}),
    ):
        told = desk.fails(tool, "failed", **arguments)
        assert told.startswith(("f.txt is not ", "f.txt is binary ")), told
        assert told.isprintable()
    assert desk.raw("f.txt") == REFUSED[kind]


def test_no_tool_makes_a_file_binary(desk: Desk) -> None:
    desk.put("f.txt", b"one\ntwo\n")
    desk.put("wide.txt", "one\n".encode("utf-16"))
    patch = "--- a/f.txt\n+++ b/f.txt\n@@ -1 +1 @@\n-one\n+o\0ne\n"
    for tool, arguments in (
        ("edit_file", {"path": "f.txt", "old": "one", "new": "o\0ne"}),
        ("replace_lines", {"path": "f.txt", "start": 1, "end": 1, "text": "o\0ne"}),
        ("apply_patch", {"patch": patch}),
        ("create_file", {"path": "g.txt", "content": "\0"}),
    ):
        assert "NUL" in desk.fails(tool, "failed", **arguments)
    assert "UTF-16" in desk.fails("edit_file", "denied", path="wide.txt", old="one", new="two")
    for tool, arguments in (
        ("edit_file", {"path": "f.txt", "old": "one", "new": "o\ud800ne"}),
        ("replace_lines", {"path": "f.txt", "start": 1, "end": 1, "text": "\udcff"}),
        ("create_file", {"path": "g.txt", "content": "\udfff"}),
        ("create_file", {"path": "g\ud800.txt", "content": ""}),
        ("apply_patch", {"patch": patch.replace("\0", "\ud83d")}),
    ):
        assert re.search("half a character|unicode string", desk.fails(tool, "bad_arguments", **arguments))
    assert desk.raw("f.txt") == b"one\ntwo\n"
    assert not (desk.workspace.root / "g.txt").exists()


def test_files_beyond_the_bound_are_neither_read_nor_made(desk: Desk, repo: Repo) -> None:
    desk.put("big.txt", b"one\n" * 2_500_001)
    for tool, arguments in (
        ("edit_file", {"path": "big.txt", "old": "one", "new": "two"}),
        ("replace_lines", {"path": "big.txt", "start": 1, "end": 1, "text": "two"}),
        ("create_file", {"path": "huge.txt", "content": "x" * 10_000_001}),
    ):
        assert "at most 10000000" in desk.fails(tool, "too_large", **arguments)
    assert "at most 200000 characters" in desk.fails(
        "edit_file", "bad_arguments", path="calc.py", old="x" * 200_001, new="y"
    )
    desk.put("edge.txt", b"one\n" + b"x" * 9_999_996)
    assert "at most 10000000" in desk.fails(
        "replace_lines", "too_large", path="edge.txt", start=1, end=1, text="longer"
    )
    assert not (desk.workspace.root / "huge.txt").exists()
    assert desk.raw("edge.txt").startswith(b"one\nx")
