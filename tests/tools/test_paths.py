"""Paths: nothing outside the worktree is ever read, written, moved or removed."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from bot.errors import Denied
from bot.tools import disk, paths
from tests.conftest import Repo
from tests.tools.conftest import Desk, MakeDesk

HOSTILE = [
    "/etc/passwd",
    "//etc/passwd",
    "/",
    "..",
    "../outside.txt",
    "a/../../outside.txt",
    "./../outside.txt",
    "calc.py/../../outside.txt",
    "C:\\outside.txt",
    "\\\\server\\share",
    "a\\b.txt",
    "..\\outside.txt",
    ".git",
    ".git/config",
    ".git/hooks/pre-commit",
    "./.git/config",
    ".GIT/config",
    ".Git",
    ".git./config",
    ".git /config",
    "git~1/config",
    ".g\u200cit/config",
    ".\u200dgit/config",
    "\ufeff.git/config",
    ".git::$INDEX_ALLOCATION/config",
    "sub/.git/config",
    "sub/.git",
    "\\x2egit/config",
    "\\x2e\\x2e/outside.txt",
    "\\x2fetc/passwd",
    "nul\0byte",
    "out/secret.txt",
    "out_file",
    "gone_file",
    "loop",
    "loop/x",
    "into_git/config",
    "x" * 5000,
]
TOUCHING: list[tuple[str, dict[str, JsonValue]]] = [
    ("read_file", {}),
    ("outline", {}),
    ("edit_file", {"old": "mine", "new": "theirs"}),
    ("replace_lines", {"start": 1, "end": 1, "text": "theirs"}),
    ("create_file", {"content": "theirs"}),
]


@pytest.fixture
def trap(desk: Desk, tmp_path: Path) -> Desk:
    """A worktree full of links that lead out of it."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text("mine\n")
    (desk.workspace.root.parent / "outside.txt").write_text("mine\n")
    lay_links(desk.workspace.root, outside)
    return desk


def lay_links(root: Path, outside: Path) -> None:
    targets = ("out", outside), ("out_file", outside / "secret.txt"), ("gone_file", outside / "new.txt")
    for name, target in (*targets, ("loop", Path("loop")), ("into_git", Path(".git"))):
        (root / name).unlink(missing_ok=True)
        (root / name).symlink_to(target)


@pytest.mark.parametrize("path", HOSTILE)
def test_hostile_paths_touch_nothing_outside(trap: Desk, tmp_path: Path, path: str) -> None:
    pointer = trap.raw(".git")
    for name, arguments in TOUCHING:
        result = trap.call(name, path=path, **arguments)
        assert not result.ok, (name, result)
        assert result.error in ("denied", "not_found", "failed", "bad_arguments"), result
        assert "mine" not in result.output
    assert not trap.call("move_file", source="calc.py", destination=path).ok
    if path not in ("out_file", "gone_file", "loop", "into_git"):  # a link itself may go
        assert not trap.call("move_file", source=path, destination="here.txt").ok
        assert not trap.call("delete_file", path=path).ok
    patch = f"--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-mine\n+theirs\n"
    assert not trap.call("apply_patch", patch=patch).ok
    assert not trap.call("apply_patch", patch=f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+theirs\n").ok
    assert {p.name: p.read_text() for p in (tmp_path / "outside").iterdir()} == {"secret.txt": "mine\n"}
    assert (trap.workspace.root.parent / "outside.txt").read_text() == "mine\n"
    assert trap.raw(".git") == pointer
    assert trap.raw("calc.py").startswith(b"def add")


PARTS = [
    *("..", ".", "", "a", "~", "C:", "outside.txt", "secret.txt", "config", "\\..", "%2e%2e", "\\x2e\\x2e"),
    *("out", "out_file", "gone_file", "into_git", "loop", ".git", ".GiT", "git~1", ".git.", ".g\u200cit"),
    *("\uff0e\uff0e", "\u2024\u2024", "\u2215etc"),
]
ALSO: list[tuple[str, dict[str, JsonValue]]] = [("move_file", {"destination": "a/moved"}), ("delete_file", {})]


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(parts=st.lists(st.sampled_from(PARTS), min_size=1, max_size=5), head=st.sampled_from(["", "/", "./", "//"]))
def test_no_spelling_of_a_path_reaches_outside(trap: Desk, tmp_path: Path, parts: list[str], head: str) -> None:
    path, pointer = head + "/".join(parts), trap.raw(".git")
    lay_links(trap.workspace.root, tmp_path / "outside")
    for name, arguments in TOUCHING + ALSO:
        given_as = {"source" if name == "move_file" else "path": path}
        assert "mine" not in trap.call(name, **{**given_as, **arguments}).output, (name, path)
    trap.call("apply_patch", patch=f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+theirs\n")
    assert {p.name: p.read_text() for p in (tmp_path / "outside").iterdir()} == {"secret.txt": "mine\n"}
    assert (trap.workspace.root.parent / "outside.txt").read_text() == "mine\n"
    assert trap.raw(".git") == pointer


def test_links_themselves_can_be_moved_and_removed(trap: Desk, tmp_path: Path) -> None:
    trap.ok("move_file", source="out_file", destination="moved")
    assert (trap.workspace.root / "moved").is_symlink()
    trap.ok("delete_file", path="moved")
    trap.ok("delete_file", path="loop")
    assert (tmp_path / "outside" / "secret.txt").read_text() == "mine\n"


def test_devices_and_pipes_are_not_opened(desk: Desk) -> None:
    os.mkfifo(desk.workspace.root / "pipe")
    (desk.workspace.root / "null").symlink_to("/dev/null")
    for path in ("pipe", "null"):
        desk.fails("read_file", "denied", path=path)
        desk.fails("edit_file", "denied", path=path, old="x", new="y")
    desk.fails("read_file", "denied", path=".")


def test_a_folder_swapped_for_a_link_is_noticed_while_opening(desk: Desk, tmp_path: Path) -> None:
    desk.put("sub/x.txt", b"inside\n")
    place = paths.follow(desk.workspace, "sub/x.txt")
    (desk.workspace.root / "sub").rename(desk.workspace.root / "old")
    (tmp_path / "evil").mkdir()
    (tmp_path / "evil" / "x.txt").write_text("outside\n")
    (desk.workspace.root / "sub").symlink_to(tmp_path / "evil")
    with pytest.raises(Denied, match="is not a folder"):
        disk.read(place)
    with pytest.raises(Denied, match="is not a folder"):
        disk.write(place, disk.Content(b"theirs"))
    assert (tmp_path / "evil" / "x.txt").read_text() == "outside\n"


ODD = [
    " lead",
    "trail ",
    "--",
    "-n",
    "tab\tname.py",
    "new\nline.py",
    '"q".py',
    "naïve ü.py",
    "a[1].py",
    ":y.py",
    "a'b.txt",
    "*",
]


@pytest.mark.parametrize("name", [*(odd.encode() for odd in ODD), b"caf\xe9.py", b"d\xff/caf\xe9.py"])
def test_odd_names_are_listed_on_one_line_and_open_the_very_file(desk: Desk, name: bytes) -> None:
    target = desk.put(os.fsdecode(name), b"x = 1\n")
    listed = [file for file in desk.ok("list_files", depth=9).split("\n") if file not in ("calc.py", "test_calc.py")]
    assert len(listed) == 1
    assert "x = 1" in desk.ok("read_file", path=listed[0])
    desk.ok("edit_file", path=listed[0], old="1", new="2")
    assert target.read_bytes() == b"x = 2\n"
    changed = desk.ok("show_changes").split("\n")[0]
    assert changed == f"added {listed[0]} +1 -0"


@pytest.mark.parametrize("path", ["Calc.py", "CALC.PY"])
def test_names_that_differ_in_case_only_are_not_made(desk: Desk, path: str) -> None:
    assert "only in case" in desk.fails("create_file", "denied", path=path, content="")
    assert "only in case" in desk.fails("move_file", "denied", source="test_calc.py", destination=path)
    desk.ok("move_file", source="calc.py", destination=path)
    assert (desk.workspace.root / path).exists()


def test_nothing_is_written_into_a_repository_within(desk: Desk) -> None:
    desk.put("vendor/.git", b"gitdir: elsewhere\n")
    desk.put("vendor/x.txt", b"x\n")
    assert "repository of its own" in desk.fails("edit_file", "denied", path="vendor/x.txt", old="x", new="y")
    assert "repository of its own" in desk.fails("create_file", "denied", path="vendor/lib/y.txt", content="")


def test_paths_that_are_not_there_are_answered_with_the_nearest(desk: Desk) -> None:
    desk.put("src/deep/engine.py", b"x = 1\n")
    assert "nearest: src/deep/engine.py" in desk.fails("read_file", "not_found", path="engine.py")
    assert "nearest: calc.py" in desk.fails("edit_file", "not_found", path="clac.py", old="x", new="y")
    assert "nearest: src/deep" in desk.fails("list_files", "not_found", path="src/deap")


@pytest.mark.parametrize("path", [".env", "deploy/id_rsa", "config/secrets.yaml"])
def test_files_made_to_hold_secrets_are_not_shown(desk: Desk, path: str) -> None:
    desk.put(path, b"KEY=needle\n")
    for name, arguments in TOUCHING[:3]:
        assert "needle" not in desk.fails(name, "denied", path=path, **arguments)
    assert "needle\n" not in desk.ok("search_text", pattern="KEY=") + "\n"


def test_read_only_folders_are_told_not_thrown(repo: Repo, make_desk: MakeDesk) -> None:
    desk = make_desk(repo)
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    desk.put("locked/x.txt", b"x\n").parent.chmod(0o500)
    desk.fails("edit_file", "denied", path="locked/x.txt", old="x", new="y")
