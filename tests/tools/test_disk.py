"""Every tool that writes tells the workspace of each path first, and those that run commands that it may be any."""

import pytest
from pydantic import JsonValue

from bot.tools.catalog import ALL
from bot.tools.disk import Content, write
from bot.tools.paths import Place
from bot.tools.tool import Access
from tests.conftest import Repo
from tests.tools.conftest import Desk, MakeDesk

PATCH = """--- a/calc.py
+++ b/calc.py
@@ -1,2 +1,2 @@
 def add(a, b):
-    return a - b
+    return a + b
--- /dev/null
+++ b/new/made.py
@@ -0,0 +1 @@
+x = 1
--- a/old.py
+++ /dev/null
@@ -1 +0,0 @@
-old
"""
WRITING: dict[str, dict[str, JsonValue]] = {
    "edit_file": {"path": "calc.py", "old": "a - b", "new": "a + b"},
    "replace_lines": {"path": "link.py", "start": 2, "end": 2, "text": "    return a + b\n"},
    "create_file": {"path": "new/made.py", "content": "x = 1\n"},
    "delete_file": {"path": "old.py"},
    "move_file": {"source": "old.py", "destination": "new/place.py"},
    "apply_patch": {"patch": PATCH},
}
RUNNING: dict[str, dict[str, JsonValue]] = {
    "run_command": {"argv": ["python", "write.py"]},
    "run_check": {"name": "pytest"},
    "locate_fault": {"tests": ["test_calc.py::test_add"]},
    "try_patches": {"patches": [PATCH.partition("--- /dev/null")[0]], "tests": ["test_calc.py::test_add"]},
    "search_patch": {"tests": ["test_calc.py::test_add"], "seconds": 1},
}


@pytest.fixture
def desk(repo: Repo, make_desk: MakeDesk) -> Desk:
    repo.write({"old.py": "old\n", "write.py": "open('calc.py', 'a').write('x = 1\\n')\n"})
    (repo.path / "link.py").symlink_to("calc.py")
    repo.commit({})
    return make_desk(repo)


def test_no_tool_is_forgotten_here() -> None:
    named = {access: {tool.name for tool in ALL if tool.access is access} for access in Access}
    assert named[Access.WRITE] == set(WRITING)
    assert named[Access.EXECUTE] == set(RUNNING)


@pytest.mark.parametrize("name", WRITING)
def test_a_tool_that_writes_tells_of_all_that_it_writes(desk: Desk, name: str) -> None:
    before = desk.workspace.tree()
    desk.ok(name, **WRITING[name])
    told = desk.workspace.tree()
    desk.workspace.disturb()
    assert told == desk.workspace.tree() != before
    desk.workspace.rollback()
    assert desk.workspace.tree() == before


@pytest.mark.parametrize("name", RUNNING)
def test_after_commands_everything_is_looked_at(desk: Desk, name: str) -> None:
    before = desk.workspace.tree()
    desk.call(name, **RUNNING[name])
    # As a command would that nothing keeps from it
    (desk.workspace.root / "untold.py").write_text("x\n")
    if name == "run_command":
        assert "changed: calc.py" in desk.ok(name, **RUNNING[name])
    else:
        assert desk.workspace.tree() != before


def test_a_file_of_no_workspace_is_only_read(desk: Desk) -> None:
    with pytest.raises(AssertionError, match="only read"):
        write(Place(desk.workspace.root, ("calc.py",)), Content(b""))
