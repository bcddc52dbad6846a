"""No tool shows, or tells anything of, a file that is made to hold secrets, unless the scope names it."""

import shutil
from dataclasses import replace

from bot.core.redact import Redactor
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


def test_history_and_links_do_not_tell_of_it_either(repo: Repo, make_desk: MakeDesk) -> None:
    repo.commit({"old/.env.prod": "KEY=plain-gone\n", "a.py": "KEY = 0\n"})
    gone = repo.git("rev-parse", "HEAD:old/.env.prod")
    repo.git("rm", "-q", "old/.env.prod")
    (repo.path / "d").mkdir()
    (repo.path / "d/link").symlink_to("../.env")
    arm(repo)
    repo.git("tag", "-a", "-m", "a file", "lone", gone)
    repo.commit({"naïve ü.py": "KEY = 2\n"})
    desk = make_desk(repo)
    for command in (
        "git grep KEY HEAD~3",
        "git grep -h KEY HEAD~3 -- old",
        "git grep KEY HEAD~3:old",
        "git log -p --graph",
        "git log -p --graph --oneline --color",
        "git log -p --raw -z",
        "git log -p -z --format=",
        "git log -p --word-diff",
        "git log -G plain-gone --oneline",
        "grep -R KEY .",
        "diff -r -N d old",
    ):
        assert "plain-" not in desk.ok("run_command", argv=[*command.split()]), command
    for command in (f"git show {gone}", f"git show {gone[:9]}", "git show lone", f"git diff {gone} HEAD:a.py"):
        refused = desk.fails("run_command", "denied", argv=[*command.split()])
        assert "name it as REVISION:PATH" in refused, command
    for command, told in (
        ("git show HEAD", "+KEY = 2"),
        ("git log --follow -p a.py", "+KEY = 1"),
        ("git log -L1,1:a.py", "+KEY = 1"),
        ("git diff HEAD~3:a.py HEAD:a.py", "+KEY = 1"),
        ("git log --oneline -3", "change"),
    ):
        shown = desk.ok("run_command", argv=[*command.split()])
        assert told in shown, f"{command}: {shown}"
        assert shown.startswith("exit code 0"), command


def test_what_the_scope_names_is_read_and_changed(repo: Repo, make_desk: MakeDesk) -> None:
    desk: Desk = make_desk(arm(repo), scope=["conf/.env.test", "**"])
    assert "plain-test" in desk.ok("read_file", path="conf/.env.test")
    assert desk.ok("search_text", pattern="plain") == "conf/.env.test:1: KEY=plain-test"
    assert "plain-test" in desk.ok("run_command", argv=["cat", "conf/.env.test"])
    assert "plain-test" in desk.ok("run_command", argv=["git", "grep", "plain"])
    desk.ok("edit_file", path="conf/.env.test", old="plain-test", new="plain-new")
    assert "+KEY=plain-new" in desk.ok("show_changes")
    assert HIDDEN in desk.fails("read_file", "denied", path=".env")


def test_a_secret_that_is_shown_as_a_mark_is_not_overwritten_by_the_mark(repo: Repo, make_desk: MakeDesk) -> None:
    held = "Zq8vK3" + "wP1xT7mN5rB2yH9cLd"
    repo.commit({"conf.py": f'KEY = "{held}"\nDEBUG = True\n'})
    desk = make_desk(repo)
    desk = replace(desk, bench=replace(desk.bench, ladder=replace(desk.bench.ladder, redactor=Redactor((held,)))))
    assert 'KEY = "[redacted]"' in desk.ok("read_file", path="conf.py")
    told = desk.fails("edit_file", "no_match", path="conf.py", old='"[redacted]"\nDEBUG = True', new="x")
    assert told.endswith("[redacted] stands for a secret that is not shown: leave its lines out")
    desk.fails("replace_lines", "denied", path="conf.py", start=1, end=1, text='OTHER = "[redacted]"')
    desk.ok("replace_lines", path="conf.py", start=1, end=2, text='KEY = "[redacted]"\nDEBUG = False\n')
    assert desk.raw("conf.py").decode() == f'KEY = "{held}"\nDEBUG = False\n'
    desk.put("copy.py", b"open('new.txt', 'w').write(open('conf.py').read())\n")
    assert "put back" in desk.fails("run_command", "denied", argv=["python", "copy.py"])
    assert not (desk.workspace.root / "new.txt").exists()
    desk.put("same.py", b"text = open('conf.py').read()\nopen('conf.py', 'w').write(text + 'A = 1\\n')\n")
    desk.ok("run_command", argv=["python", "same.py"])
