"""No tool shows, or tells anything of, a file that is made to hold secrets, unless the scope names it."""

import shutil

from tests.conftest import Repo
from tests.tools.conftest import Desk, MakeDesk

HIDDEN = ".env is named like a file that holds secrets"


def arm(repo: Repo) -> Repo:
    """Commit a secret twice, so that both the tree and the history hold it."""
    repo.commit({".env": "KEY=plain-old\n", "conf/.env.test": "KEY=plain-test\n"})
    repo.commit({".env": "KEY=plain-value\n", "a.py": "KEY = 1\n"})
    return repo


def test_no_tool_shows_a_file_made_to_hold_secrets(repo: Repo, make_desk: MakeDesk) -> None:
    desk = make_desk(arm(repo))
    desk.bench.workspace.disturb()
    (desk.workspace.root / "link.txt").symlink_to(".env")
    for path in (".env", "./.env", "link.txt"):
        for tool, rest in (
            ("read_file", {}),
            ("outline", {}),
            ("edit_file", {"old": "x", "new": "y"}),
            ("replace_lines", {"start": 1, "end": 1, "text": "x"}),
        ):
            assert "plain" not in desk.fails(tool, "denied", path=path, **rest)
    (desk.workspace.root / "link.txt").unlink()
    assert HIDDEN in desk.fails("move_file", "denied", source=".env", destination="x.txt")
    patch = "--- a/.env\n+++ b/.env\n@@ -1 +1 @@\n-KEY=guess\n+x\n"
    assert desk.fails("apply_patch", "denied", patch=patch) == HIDDEN
    assert HIDDEN in desk.fails("try_patches", "denied", patches=[patch], tests=[])
    assert desk.ok("search_text", pattern="KEY").split("\n") == ["a.py:1: KEY = 1"]
    assert desk.ok("search_text", pattern="^KEY", regex=True, limit=1) == "a.py:1: KEY = 1"
    assert desk.ok("find_symbol", name="KEY").split("\n") == ["a.py:1: KEY"]
    assert ".env" in desk.ok("list_files")
    desk.ok("delete_file", path=".env")
    shown = desk.ok("show_changes")
    assert "deleted .env" in shown
    assert "plain" not in shown


def test_no_program_that_looks_through_folders_tells_of_it(repo: Repo, make_desk: MakeDesk) -> None:
    desk = make_desk(arm(repo))
    for command in (
        "grep -r plain .",
        "grep -rhq plain .",
        "grep -rl plain . --include=*env",
        "git grep -h plain",
        "git grep plain -- .",
        "git log -p",
        "git log -p -1 --color",
        "git log -S plain-value --oneline",
        "git show HEAD",
        "git diff HEAD~1 HEAD",
        "git show HEAD:a.py",
        *(("rg --hidden plain", "rg --hidden -g * plain") if shutil.which("rg") else ()),
    ):
        shown = desk.ok("run_command", argv=command.split())
        assert "plain" not in shown, command
        quiet = "exit code 1" if "grep" in command or command.startswith("rg") else "exit code 0"
        assert shown.startswith(quiet), f"{command}: {shown}"
    assert HIDDEN in desk.fails("run_command", "denied", argv=["cat", ".env"])


def test_what_the_scope_names_is_read_and_changed(repo: Repo, make_desk: MakeDesk) -> None:
    desk: Desk = make_desk(arm(repo), scope=["conf/.env.test", "**"])
    assert "plain-test" in desk.ok("read_file", path="conf/.env.test")
    assert desk.ok("search_text", pattern="plain") == "conf/.env.test:1: KEY=plain-test"
    assert "plain-test" in desk.ok("run_command", argv=["cat", "conf/.env.test"])
    assert "plain-test" in desk.ok("run_command", argv=["git", "grep", "plain"])
    desk.ok("edit_file", path="conf/.env.test", old="plain-test", new="plain-new")
    assert "+KEY=plain-new" in desk.ok("show_changes")
    assert HIDDEN in desk.fails("read_file", "denied", path=".env")
