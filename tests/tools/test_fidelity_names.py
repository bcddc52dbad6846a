"""Exactly the named file is edited, whatever its name is."""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from bot.core.change import readable
from tests.conftest import Repo, make_repo
from tests.tools.conftest import Desk, MakeDesk
from tests.tools.trees import Leaf, added, differences, git

BEFORE, AFTER = b"one\ntwo\nthree\n", b"one\nTWO\nthree\n"
NAMES = [
    b" lead",
    b"trail ",
    b"--",
    b"-f",
    b"tab\tname",
    b"new\nline",
    b'"q".py',
    "naïve ü.py".encode(),
    b"nai\xcc\x88ve u\xcc\x88.py",
    b"caf\xe9.py",
    b"\xff\xfe",
    b"a[1].py",
    b"a1.py",
    b":y.py",
    b"y.py",
    b":(top)z",
    b"*.py",
    b"?",
    b"!x",
    b"#x",
    b"$(x)",
    b"a'b",
    b"n" * 255,
    b"/".join([b"d" * 200] * 18) + b"/deep",
    b"\\x41",
    b"A",
    b"CON",
    b"x:y",
    b"dot.",
    b"~",
    b"\x7f",
    b"u\xe2\x80\x8bz",
    b"l\xe2\x80\xa8s",
    b"bi\xe2\x80\xaedi",
    b"\xed\xa0\x80 half",
    b"Twin",
    b"twin",
]


def by_text(name: bytes) -> tuple[str, Mapping[str, str | int]]:
    return "edit_file", {"path": readable(name), "old": "two", "new": "TWO"}


def by_line(name: bytes) -> tuple[str, Mapping[str, str | int]]:
    return "replace_lines", {"path": readable(name), "start": 2, "end": 2, "text": "TWO"}


def by_patch(name: bytes) -> tuple[str, Mapping[str, str | int]]:
    old, new = quote(b"a/" + name), quote(b"b/" + name)
    return "apply_patch", {"patch": f"--- {old}\n+++ {new}\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n"}


def quote(name: bytes) -> str:
    return '"' + "".join(chr(c) if 32 <= c < 127 and c not in b'"\\' else f"\\{c:03o}" for c in name) + '"'


@pytest.fixture
def odd(tmp_path: Path) -> Repo:
    repo = make_repo(tmp_path / "odd")
    repo.commit({os.fsdecode(name): BEFORE for name in NAMES})
    return repo


@pytest.mark.parametrize("edit", [by_text, by_line, by_patch])
def test_exactly_the_file_of_an_odd_name_is_edited(
    odd: Repo, make_desk: MakeDesk, edit: Callable[[bytes], tuple[str, Mapping[str, str | int]]]
) -> None:
    desk = make_desk(odd)
    base = desk.workspace.tree()
    assert base == odd.git("rev-parse", "HEAD^{tree}")
    for name in NAMES:
        tool, arguments = edit(name)
        told = desk.ok(tool, **arguments)
        assert told.startswith(f"{'patched ' if edit is by_patch else ''}{readable(name)}: "), told
        assert json.loads(json.dumps(told).encode()) == told
    changed = differences(odd, base, desk.workspace.tree())
    assert changed == {name: (Leaf("100644", BEFORE), Leaf("100644", AFTER)) for name in NAMES}
    assert sorted(desk.workspace.diff().paths) == sorted(map(readable, NAMES))


def test_a_name_that_two_files_share_when_shown_is_refused(desk: Desk) -> None:
    desk.put("x\\xff", BEFORE)
    desk.put(os.fsdecode(b"x\xff"), BEFORE)
    before = desk.workspace.tree()
    for tool, arguments in (by_text(b"x\xff"), by_line(b"x\xff"), by_patch(b"x\xff")):
        assert "no telling which is meant" in desk.fails(tool, "denied", **arguments)
    assert "no telling" in desk.fails("delete_file", "denied", path="x\\xff")
    assert desk.workspace.tree() == before


def test_a_path_as_long_as_the_system_allows_is_edited(tmp_path: Path, make_desk: MakeDesk) -> None:
    repo = make_repo(tmp_path / "long")
    name = "/".join(["d" * 98] * 39) + "/" + "f" * 138
    blob = git(repo, "hash-object", "-w", "--stdin", stdin=BEFORE).decode().strip()
    repo.git("update-index", "--add", "--cacheinfo", f"100644,{blob},{name}")
    repo.git("commit", "-q", "-m", "long")
    desk = make_desk(repo)
    base = desk.workspace.tree()
    desk.ok("edit_file", path=name, old="two", new="TWO")
    assert differences(repo, base, desk.workspace.tree()) == {
        name.encode(): (Leaf("100644", BEFORE), Leaf("100644", AFTER))
    }


@pytest.mark.parametrize(
    "path",
    [
        *(".GIT/x", "git~1/x", ".g\u200cit/x", "a/.git/hooks/x", ".git", ".git\u200b", ".gitmodules", "GITMOD~1"),
        *("CON", "aux.txt", "com1", "a:b", "dot.", "sp ", " lead", "-f", "~x", "a\\b", "tab\tname", "x" * 201),
        *("CALC.PY", "Calc.py", "\uff43alc.py\u200b", "e\ud800"),
    ],
)
def test_names_that_are_something_else_elsewhere_are_not_made(desk: Desk, path: str) -> None:
    base = desk.workspace.tree()
    patch = f"--- /dev/null\n+++ {quote(path.encode('utf-8', 'surrogatepass'))}\n@@ -0,0 +1 @@\n+x\n"
    for tool, arguments in (
        ("create_file", {"path": path, "content": "x\n"}),
        ("move_file", {"source": "test_calc.py", "destination": path}),
        ("apply_patch", {"patch": patch}),
    ):
        assert not desk.call(tool, **arguments).ok, tool
    assert desk.workspace.tree() == base


def test_composed_and_decomposed_names_are_not_made_beside_each_other(desk: Desk) -> None:
    desk.ok("create_file", path="naïve.txt", content="x\n")
    assert "composition" in desk.fails("create_file", "denied", path="nai\u0308ve.txt", content="x\n")
    desk.ok("move_file", source="naïve.txt", destination="nai\u0308ve.txt")
    assert desk.workspace.diff().paths == ("nai\u0308ve.txt",)


def test_what_git_writes_of_an_odd_name_is_read_back(odd: Repo, make_desk: MakeDesk) -> None:
    desk = make_desk(odd)
    base = desk.workspace.tree()
    wanted = added(odd, dict.fromkeys(NAMES, AFTER))
    desk.ok("apply_patch", patch=git(odd, "diff-tree", "-p", "-r", base, wanted).decode())
    assert desk.workspace.tree() == wanted
