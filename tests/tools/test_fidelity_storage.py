"""What git converts on its way into a commit: the edit arrives alone, as the person's own `git add` would make it."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from pydantic import JsonValue

from tests.conftest import Repo, make_repo
from tests.tools.conftest import MakeDesk
from tests.tools.trees import added, counts, differences

CONTENTS = {
    "lf": b"a\nb\nc\n",
    "crlf": b"a\r\nb\r\nc\r\n",
    "mixed": b"a\r\nb\nc\r\n",
    "bare": b"a\nb",
    "barecrlf": b"a\r\nb",
    "cr": b"a\rx\nb\nc\n",
    "bom": b"\xef\xbb\xbfa\nb\n",
    "control": b"a\x01\x02\nb\x0c\x1c\x1d\xe2\x80\xa8z\n",
}
ATTRIBUTES = {
    "none": "",
    "auto": "text=auto",
    "autocrlf": "text=auto eol=crlf",
    "text": "text",
    "textcrlf": "text eol=crlf",
    "eollf": "eol=lf",
    "off": "-text",
    "binary": "binary",
    "old": "crlf=input",
    "drivers": "merge=union diff=python export-subst whitespace=cr-at-eol",
}
AGAINST = {"text", "textcrlf", "eollf", "old"}
"""Attributes under which git rewrites a file that is stored with CRLF as soon as it is added."""
WAYS: list[tuple[str, Mapping[str, JsonValue]]] = [
    ("edit_file", {"old": "b", "new": "B"}),
    ("replace_lines", {"start": 2, "end": 2, "text": "B"}),
]


@pytest.mark.parametrize(
    "setting",
    [(), ("core.autocrlf", "true"), ("core.autocrlf", "input"), ("core.eol", "crlf"), ("core.safecrlf", "true")],
)
def test_one_line_is_one_line_under_all_rules_for_line_endings(
    tmp_path: Path, make_desk: MakeDesk, setting: tuple[str, ...]
) -> None:
    repo = make_repo(tmp_path / "repo")
    names = [f"{kind}/{name}" for kind in ATTRIBUTES for name in CONTENTS]
    repo.write({name: CONTENTS[name.partition("/")[2]] for name in names})
    repo.git("-c", "core.autocrlf=false", "add", "-A")
    for kind, said in ATTRIBUTES.items():
        repo.write({f"{kind}/.gitattributes": f"* {said}\n"})
    repo.git("add", "--", *(f"{kind}/.gitattributes" for kind in ATTRIBUTES))
    repo.git("commit", "-q", "-m", "start")
    if setting:
        repo.git("config", *setting)
    desk = make_desk(repo)
    base, root = desk.workspace.tree(), desk.workspace.root
    assert base == repo.git("rev-parse", "HEAD^{tree}")
    edited: dict[bytes, bytes] = {}
    for number, name in enumerate(names):
        before, refused = desk.raw(name), is_against(name)
        tool, arguments = WAYS[number % 2]
        if tool == "edit_file" and name.endswith("/bom"):
            tool, arguments = WAYS[1]
        result = desk.call(tool, path=name, **arguments)
        assert result.ok != refused, (name, result.output)
        if refused:
            assert "git would rewrite all its lines" in result.output
            assert desk.raw(name) == before
        else:
            edited[name.encode()] = desk.raw(name)
            assert only_line_differs(before, edited[name.encode()]), name
    tree = desk.workspace.tree()
    assert counts(repo, base, tree) == dict.fromkeys(edited, (1, 1))
    assert tree == added(repo, edited)
    with desk.workspace.clean(tree) as folder:
        assert {name: (folder / name).read_bytes() for name in names} == {
            name: (root / name).read_bytes() for name in names
        }


def is_against(name: str) -> bool:
    kind, _, content = name.partition("/")
    return kind in AGAINST and b"\r\n" in CONTENTS[content]


def only_line_differs(before: bytes, after: bytes) -> bool:
    old, new = before.split(b"\n"), after.split(b"\n")
    return len(old) == len(new) and sum(a != b for a, b in zip(old, new, strict=True)) == 1


def test_files_that_are_always_dirty_do_not_come_along(tmp_path: Path, make_desk: MakeDesk) -> None:
    repo = make_repo(tmp_path / "repo")
    repo.write({"dirty.txt": b"a\r\nb\r\n", "sub/dirty.md": b"$Id: 1 $\n", "x.py": b"a\n"})
    set_rules(repo, "*.txt text\n*.md ident\n*.py text=auto\n")
    desk = make_desk(repo)
    base = desk.workspace.tree()
    assert base == repo.git("rev-parse", "HEAD^{tree}")
    desk.ok("edit_file", path="x.py", old="a", new="b")
    assert list(differences(repo, base, desk.workspace.tree())) == [b"x.py"]
    desk.workspace.disturb()
    assert list(differences(repo, base, desk.workspace.tree())) == [b"x.py"]
    desk.workspace.rollback()
    desk.workspace.disturb()
    assert desk.workspace.tree() == base
    assert "$Id$" in desk.fails("edit_file", "denied", path="sub/dirty.md", old="$Id", new="$Ie")


def set_rules(repo: Repo, rules: str) -> None:
    """Commit what is there, and only then the attributes that it goes against."""
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "start")
    repo.write({".gitattributes": rules})
    repo.git("add", ".gitattributes")
    repo.git("commit", "-q", "-m", "rules")


def test_an_edit_that_would_end_the_conversion_of_a_file_is_refused(tmp_path: Path, make_desk: MakeDesk) -> None:
    repo = make_repo(tmp_path / "repo")
    repo.commit({"f.txt": "a\nb\n", "g.txt": "a\nb\n"})
    repo.git("config", "core.autocrlf", "true")
    desk = make_desk(repo)
    base = desk.workspace.tree()
    assert desk.raw("f.txt") == b"a\r\nb\r\n"
    for new in ("B\rB", "B\x01"):
        assert "all its lines with CRLF" in desk.fails("edit_file", "denied", path="f.txt", old="b", new=new)
    assert desk.workspace.tree() == base
    desk.ok("move_file", source="g.txt", destination="h.txt")
    assert counts(repo, base, desk.workspace.tree()) == {b"g.txt": (0, 2), b"h.txt": (2, 0)}


def test_a_move_to_where_other_rules_hold_is_refused_when_it_changes_lines(tmp_path: Path, make_desk: MakeDesk) -> None:
    repo = make_repo(tmp_path / "repo")
    repo.write({"w.txt": b"a\r\nb\r\n", "crlf/l.txt": b"a\nb\n", "plain/p.txt": b"a\r\n"})
    set_rules(repo, "*.txt text=auto\ncrlf/* eol=crlf\nplain/* -text\n")
    desk = make_desk(repo)
    base = desk.workspace.tree()
    assert "rewrite all its lines" in desk.fails("move_file", "denied", source="w.txt", destination="v.txt")
    assert "all its lines with CRLF" in desk.fails(
        "move_file", "denied", source="crlf/l.txt", destination="plain/l.txt"
    )
    patch = "diff --git a/w.txt b/v.txt\nsimilarity index 100%\nrename from w.txt\nrename to v.txt\n"
    assert "rewrite all its lines" in desk.fails("apply_patch", "denied", patch=patch)
    assert desk.workspace.tree() == base
    desk.ok("move_file", source="plain/p.txt", destination="plain/q.txt")
    desk.ok("move_file", source="w.txt", destination="plain/w.txt")
    changed = differences(repo, base, desk.workspace.tree())
    assert {path: after.data for path, (_, after) in changed.items() if after.data} == {
        b"plain/q.txt": b"a\r\n",
        b"plain/w.txt": b"a\r\nb\r\n",
    }


def test_text_that_is_kept_in_another_encoding_is_edited_in_it_or_refused(tmp_path: Path, make_desk: MakeDesk) -> None:
    repo = make_repo(tmp_path / "repo")
    wide = "eins\r\nzwei ü\r\ndrei\r\n"
    encodings = {"*.u16 text eol=crlf": "UTF-16", "*.le": "UTF-16LE-BOM", "*.l1": "ISO-8859-1"}
    rules = "".join(f"{glob} working-tree-encoding={encoding}\n" for glob, encoding in encodings.items())
    repo.write(
        {".gitattributes": rules, "a.u16": wide.encode("utf-16"), "b.le": b"\xff\xfe" + wide.encode("utf-16-le")}
    )
    repo.commit({"c.l1": "ü\n".encode("latin-1"), "d.txt": wide.encode("utf-16")})
    desk = make_desk(repo)
    base = desk.workspace.tree()
    assert "drei" in desk.ok("read_file", path="a.u16")
    desk.ok("edit_file", path="a.u16", old="zwei ü", new="zwei €")
    desk.ok("replace_lines", path="b.le", start=3, end=3, text="DREI")
    assert desk.raw("a.u16") == wide.replace("ü", "€").encode("utf-16")
    tree = desk.workspace.tree()
    assert counts(repo, base, tree) == {b"a.u16": (1, 1), b"b.le": (1, 1)}
    assert tree == added(repo, {b"a.u16": desk.raw("a.u16"), b"b.le": desk.raw("b.le")})
    assert "ISO-8859-1" in desk.fails("create_file", "denied", path="e.l1", content="é\n")
    assert "UTF-16" in desk.fails("create_file", "denied", path="e.u16", content="é\n")
    assert "not utf-8" in desk.fails("edit_file", "failed", path="c.l1", old="x", new="y")
    assert "git keeps as binary" in desk.fails("edit_file", "denied", path="d.txt", old="eins", new="one")
    assert desk.workspace.tree() == tree


POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n"


@pytest.mark.parametrize("parts", [(), ("clean", "smudge"), ("clean", "smudge", "process")])
def test_filtered_files_are_refused_by_name_and_otherwise_left_alone(
    tmp_path: Path, make_desk: MakeDesk, parts: tuple[str, ...]
) -> None:
    repo = make_repo(tmp_path / "repo")
    repo.commit(
        {".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n", "a.bin": POINTER, "b.txt": b"size 1\n"}
    )
    mark = tmp_path / "ran"
    for part in parts:
        repo.git("config", f"filter.lfs.{part}", f"touch {mark}; cat")
        repo.git("config", "filter.lfs.required", "true")
    desk = make_desk(repo)
    base = desk.workspace.tree()
    patch = "--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-size 1\n+size 2\n"
    patch += "--- a/a.bin\n+++ b/a.bin\n@@ -3 +3 @@\n-size 12345\n+size 2\n"
    for tool, arguments in (
        ("edit_file", {"path": "a.bin", "old": "12345", "new": "1"}),
        ("replace_lines", {"path": "a.bin", "start": 3, "end": 3, "text": "size 1"}),
        ("create_file", {"path": "deep/new.bin", "content": "x\n"}),
        ("move_file", {"source": "a.bin", "destination": "c.txt"}),
        ("move_file", {"source": "b.txt", "destination": "b.bin"}),
        ("apply_patch", {"patch": patch}),
    ):
        told = desk.fails(tool, "denied", **arguments)
        assert ".bin: it is stored through the filter lfs" in told or "c.txt: it is stored through the filter" in told
        assert desk.workspace.tree() == base
    assert sorted(path.name for path in desk.workspace.root.iterdir()) == [".git", ".gitattributes", "a.bin", "b.txt"]
    desk.ok("edit_file", path="b.txt", old="1", new="2")
    assert list(differences(repo, base, desk.workspace.tree())) == [b"b.txt"]
    desk.ok("delete_file", path="a.bin")
    assert sorted(differences(repo, base, desk.workspace.tree())) == [b"a.bin", b"b.txt"]
    assert not mark.exists()
