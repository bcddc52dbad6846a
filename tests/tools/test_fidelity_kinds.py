"""Ignore rules, submodules, sparse checkouts and a person's index flags: what is edited is committed, or refused."""

from pathlib import Path

import pytest

from tests.conftest import Repo, make_repo
from tests.tools.conftest import MakeDesk
from tests.tools.trees import Leaf, differences, git


@pytest.fixture
def ignoring(tmp_path: Path) -> Repo:
    repo = make_repo(tmp_path / "ignoring")
    repo.write({"tracked.log": "one\n", "code.py": "one\n", "sub/.gitignore": "/local\n!kept.log\n"})
    repo.write({".gitignore": "*.log\nbuild/\n"})
    repo.git("add", "--force", "--all")
    repo.git("commit", "-q", "-m", "start")
    repo.write({".git/info/exclude": "*.mine\n", "../everywhere": "*.swp\n"})
    repo.git("config", "core.excludesFile", str(tmp_path / "everywhere"))
    return repo


def test_files_that_git_ignores_are_not_made_and_tracked_ones_are_edited(ignoring: Repo, make_desk: MakeDesk) -> None:
    desk = make_desk(ignoring)
    base = desk.workspace.tree()
    for path, rule in {
        "new.log": ".gitignore, line 1: *.log",
        "build/deep/x.py": ".gitignore, line 2: build/",
        "sub/local": ".gitignore, line 1: /local",
        "x.mine": "exclude, line 1: *.mine",
        "x.swp": "everywhere, line 1: *.swp",
    }.items():
        patch = f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+x\n"
        for tool, arguments in (
            ("create_file", {"path": path, "content": "x\n"}),
            ("move_file", {"source": "code.py", "destination": path}),
            ("apply_patch", {"patch": patch}),
        ):
            told = desk.fails(tool, "denied", **arguments)
            assert f"{path}: git ignores it ({rule})" in told, told
            assert not (desk.workspace.root / path).exists()
    desk.put("made.log", b"by a command\n")
    assert "ignores it" in desk.fails("edit_file", "denied", path="made.log", old="by", new="BY")
    assert desk.workspace.tree() == base
    desk.ok("edit_file", path="tracked.log", old="one", new="ONE")
    desk.ok("create_file", path="sub/kept.log", content="x\n")
    assert set(differences(ignoring, base, desk.workspace.tree())) == {b"tracked.log", b"sub/kept.log"}


def test_ignore_rules_and_the_files_that_they_are_about_change_in_any_order(
    ignoring: Repo, make_desk: MakeDesk
) -> None:
    desk = make_desk(ignoring)
    base = desk.workspace.tree()
    rules = "--- a/.gitignore\n+++ b/.gitignore\n@@ -1,2 +1,3 @@\n *.log\n build/\n+!seen.log\n"
    made = "--- /dev/null\n+++ b/seen.log\n@@ -0,0 +1 @@\n+x\n"
    hidden = made.replace("seen", "hidden")
    assert "hidden.log: git ignores it" in desk.fails("apply_patch", "denied", patch=hidden + rules)
    assert desk.workspace.tree() == base
    assert desk.raw(".gitignore") == b"*.log\nbuild/\n"
    desk.ok("apply_patch", patch=made + rules)
    assert set(differences(ignoring, base, desk.workspace.tree())) == {b".gitignore", b"seen.log"}
    desk.ok("create_file", path="note.tmp", content="x\n")
    assert b"note.tmp" in differences(ignoring, base, desk.workspace.tree())
    desk.ok("replace_lines", path=".gitignore", start=1, end=0, text="*.tmp\n*.py")
    desk.ok("edit_file", path="note.tmp", old="x", new="y")
    desk.ok("edit_file", path="code.py", old="one", new="ONE")
    changed = differences(ignoring, base, desk.workspace.tree())
    assert {path: after.data for path, (_, after) in changed.items()} == {
        b".gitignore": b"*.tmp\n*.py\n*.log\nbuild/\n!seen.log\n",
        b"code.py": b"ONE\n",
        b"note.tmp": b"y\n",
        b"seen.log": b"x\n",
    }


def test_a_submodule_is_neither_written_into_nor_replaced(repo: Repo, make_desk: MakeDesk) -> None:
    head = repo.git("rev-parse", "HEAD")
    repo.write({".gitmodules": '[submodule "lib"]\n\tpath = deep/lib\n\turl = ../lib\n'})
    repo.git("add", ".gitmodules")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{head},deep/lib")
    repo.git("commit", "-q", "-m", "submodule")
    (repo.path / "deep/lib").mkdir(parents=True)
    inside = Repo(repo.path / "deep/lib")
    inside.git("init", "-q", "-b", "main", "--template=")
    inside.commit({"dirty.py": "moved on\n"})
    desk = make_desk(repo)
    base = desk.workspace.tree()
    for path in ("deep/lib/new.py", "deep/lib/far/below/new.py"):
        patch = f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+x\n"
        for tool, arguments in (
            ("create_file", {"path": path, "content": "x\n"}),
            ("move_file", {"source": "calc.py", "destination": path}),
            ("apply_patch", {"patch": patch}),
        ):
            assert "a repository of its own" in desk.fails(tool, "denied", **arguments)
    for tool, arguments in (
        ("create_file", {"path": "deep/lib", "content": "x\n"}),
        ("delete_file", {"path": "deep/lib"}),
        ("move_file", {"source": "deep/lib", "destination": "lib"}),
        ("edit_file", {"path": "deep/lib", "old": "x", "new": "y"}),
    ):
        desk.fails(tool, "denied", **arguments)
    told = desk.ok("edit_file", path=".gitmodules", old="../lib", new="../evil")
    assert "warning: .gitmodules: protected" in told
    desk.ok("edit_file", path="calc.py", old="a - b", new="a + b")
    assert set(differences(repo, base, desk.workspace.tree())) == {b".gitmodules", b"calc.py"}


def test_what_a_person_hides_from_their_own_checkout_is_edited_all_the_same(repo: Repo, make_desk: MakeDesk) -> None:
    repo.commit({"in/a.txt": "one\n", "out/b.txt": "one\n", "flag.txt": "one\n", "assumed.txt": "one\n"})
    repo.git("sparse-checkout", "set", "--cone", "in")
    repo.git("update-index", "--skip-worktree", "flag.txt")
    repo.git("update-index", "--assume-unchanged", "assumed.txt")
    repo.write({"flag.txt": "local\n", "assumed.txt": "local\n", "later.txt": "later\n"})
    repo.git("add", "--intent-to-add", "later.txt")
    assert not (repo.path / "out").exists()
    before = (repo.state(), repo.git("ls-files", "-v"))
    desk = make_desk(repo)
    base = desk.workspace.tree()
    assert base == repo.git("rev-parse", "HEAD^{tree}")
    paths = ("in/a.txt", "out/b.txt", "flag.txt", "assumed.txt")
    for path in paths:
        desk.ok("edit_file", path=path, old="one", new="ONE")
    desk.ok("create_file", path="out/new.txt", content="new\n")
    edited = (Leaf("100644", b"one\n"), Leaf("100644", b"ONE\n"))
    assert differences(repo, base, desk.workspace.tree()) == {
        **{path.encode(): edited for path in paths},
        b"out/new.txt": (Leaf("000000", b""), Leaf("100644", b"new\n")),
    }
    assert (repo.state(), repo.git("ls-files", "-v")) == before


def test_rules_that_an_edit_sets_do_not_touch_other_files(tmp_path: Path, make_desk: MakeDesk) -> None:
    repo = make_repo(tmp_path / "repo")
    repo.commit({"a.txt": b"a\r\nb\r\n", "b.txt": b"a\nb\n", "c.md": "$Id: 1 $\n", ".gitattributes": "*.x text\n"})
    desk = make_desk(repo)
    base = desk.workspace.tree()
    told = desk.ok("replace_lines", path=".gitattributes", start=1, end=1, text="*.txt text eol=crlf\n*.md ident")
    assert "warning: .gitattributes: protected" in told
    desk.ok("edit_file", path="b.txt", old="b", new="B")
    assert "rewrite all its lines" in desk.fails("edit_file", "denied", path="a.txt", old="b", new="B")
    tree = desk.workspace.tree()
    assert sorted(differences(repo, base, tree)) == [b".gitattributes", b"b.txt"]
    assert git(repo, "cat-file", "blob", f"{tree}:b.txt") == b"a\nB\n"
    desk.workspace.rollback()
    assert desk.workspace.tree() == base
    assert desk.raw("a.txt") == b"a\r\nb\r\n"
