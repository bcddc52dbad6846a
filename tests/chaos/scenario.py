"""A project full of half-finished work, and a run of twelve steps over it with every way of changing a file."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.conftest import Repo, make_repo
from tests.product import FINISH, calls, checkpoint, edit, script

CHECK = "sound=grep -q sound state.txt"

PROJECT: Mapping[str, str | bytes] = {
    "state.txt": "sound\n",
    "list.txt": "".join(f"{n}\n" for n in range(1, 41)),
    "old/name.txt": "a file that moves\n",
    "old/gone.txt": "a file that goes\n",
    "crlf.txt": b"one\r\ntwo\r\nthree",
    ".gitignore": "*.log\nsecret/\n",
}
PROGRAM = """import pathlib

pathlib.Path("made").mkdir()
for n in range(5):
    pathlib.Path(f"made/{n}.txt").write_text(f"{n}\\n")
"""
"""Writes over nothing: were it run again over what it wrote, it would fail."""

Call = tuple[str, Mapping[str, Any]]

BREAK = edit("sound", "broken", "state.txt")


def make_project(path: Path) -> Repo:
    """Make the repository and leave half-finished work of every kind in it."""
    made = make_repo(path)
    made.commit(PROJECT, "a project")
    made.git("branch", "side")
    made.write({"list.txt": "mine, put aside\n"})
    made.git("stash", "-q")
    made.write({"list.txt": "staged\n"})
    made.git("add", "list.txt")
    made.write(
        {
            "list.txt": "staged, then changed\n",
            "crlf.txt": b"mine\r\n",
            "untracked": "mine\n",
            "old/new.txt": "mine as well\n",
            "run.log": "ignored\n",
            "secret/.env": "TOKEN=abc\n",
            ".git/hooks/pre-commit": "#!/bin/sh\ntouch hook-ran\n",
        }
    )
    (path / "old/name.txt").unlink()
    (path / ".git/hooks/pre-commit").chmod(0o755)
    made.git("update-index", "--assume-unchanged", "state.txt")
    made.git("config", "my.own", "setting")
    return made


def twelve_steps(path: Path) -> str:
    """Write the script: ten steps that count, and two attempts that never pass and are rolled back."""
    late = [calls(edit(f"{n}\n", f"{n} changed\n", "list.txt"), checkpoint(f"change {n}")) for n in (27, 28)]
    return script(
        path,
        calls(_create("new/one.txt", "one\n"), checkpoint("add a file")),
        calls(edit("21\n", "21, edited\n", "list.txt"), edit("two", "zwei", "crlf.txt")),
        calls(_create("new/two.txt", "two\n"), checkpoint("edit two files and add one")),
        calls(_delete("old/gone.txt"), checkpoint("delete a file")),
        calls(_move("old/name.txt", "fresh/name.txt"), checkpoint("move a file")),
        calls(BREAK, _create("new/draft.txt", "not to be kept\n"), checkpoint("break it")),
        *[calls(checkpoint("break it"))] * 2,
        calls(_create("program.py", PROGRAM), ("run_command", {"argv": ["python", "program.py"]})),
        calls(("read_file", {"path": "made/3.txt"}), _delete("program.py"), checkpoint("run a program that writes")),
        calls(("replace_lines", {"path": "list.txt", "start": 1, "end": 3, "text": "the beginning\n"})),
        calls(("read_file", {"path": "list.txt"}), ("list_files", {}), text="What is there now?"),
        calls(checkpoint("replace lines")),
        calls(edit("nowhere to be found", "x", "list.txt"), edit("22\n", "22, edited\n", "list.txt")),
        calls(("run_check", {"name": "sound"}), checkpoint("edit once more")),
        calls(_delete("made/0.txt"), BREAK, *[checkpoint("break again")] * 3),
        calls(("update_plan", {"steps": ["three more"]})),
        calls(_delete("made/0.txt"), _move("new/one.txt", "made/0.txt/one.txt")),
        calls(checkpoint("a folder where a file was")),
        *late,
        calls(FINISH),
    )


def three_steps(path: Path) -> str:
    """Write a script of two steps that count and one attempt that is rolled back."""
    return script(
        path,
        calls(_create("new/one.txt", "one\n"), edit("21\n", "21, edited\n", "list.txt"), checkpoint("the first")),
        calls(_move("old/name.txt", "fresh/name.txt"), BREAK, *[checkpoint("never")] * 3),
        calls(_create("program.py", PROGRAM), ("run_command", {"argv": ["python", "program.py"]})),
        calls(("read_file", {"path": "made/3.txt"}), _delete("program.py"), checkpoint("the second")),
        calls(FINISH),
    )


def _create(path: str, content: str) -> Call:
    return ("create_file", {"path": path, "content": content})


def _delete(path: str) -> Call:
    return ("delete_file", {"path": path})


def _move(source: str, destination: str) -> Call:
    return ("move_file", {"source": source, "destination": destination})
