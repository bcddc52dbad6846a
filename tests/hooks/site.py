"""Places where people commit, each with unfinished work of a person's, and a small project whose tests pass."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from tests.conftest import IDENTITY, Repo, make_repo
from tests.hooks.relay import hook_python
from tests.product import FINISH, Ran, calls, checkpoint, edit, run, script
from tests.untouched import difference, print_of

EVERYTHING = "HOOK_SEQUENCES" in os.environ
"""Whether all is tried, and not only so much that nothing is left out altogether."""
PATIENCE = 120.0
"""Seconds within which a commit has to have ended."""

CALC = "def add(a, b):\n    return a + b\n"
DOUBLE = "\n\ndef double(a):\n    return add(a, a)\n"
TESTS = (
    "from calc import add\n\n\n"
    "def test_add():\n    assert add(1, 2) == 3\n\n\n"
    "def test_zero():\n    assert add(0, 0) == 0\n"
)
UNMENDABLE = '\n\ndef test_moon():\n    assert __name__ == "moon"\n'
"""Asks nothing of the project, so that nothing in it can be mended for this test to pass."""

PROJECT = {
    "calc.py": CALC,
    "test_calc.py": TESTS,
    "notes.txt": "".join(f"{n}\n" for n in range(1, 21)),
    "sub/deep.txt": "deep\n",
    ".gitignore": ".env\n__pycache__/\n",
}


LIGHT = {
    "pyproject.toml": """[tool.git-agent.checks.pytest]
command = "sh -c '! grep -q -e a.-.b calc.py && ! grep -q moon test_calc.py'"
rung = "unit"
"""
}
"""Has the tests be read instead of run, for where it is not they that matter."""


class Edit(NamedTuple):
    """What a person did to one file."""

    path: str
    content: str

    @property
    def draft(self) -> str:
        """The file on the way there, which differs from what it was and from what it will be."""
        return f"{PROJECT[self.path]}# a draft\n"


PASSES = Edit("calc.py", CALC + DOUBLE)
MENDED = Edit("calc.py", CALC.replace("+", "-") + DOUBLE)
"""Fails; put right it is what passes, so that one commit is to be expected of both."""
STUCK = Edit("test_calc.py", TESTS + UNMENDABLE)


class Place(StrEnum):
    """Where a person commits."""

    PLAIN = "plain"
    LINKED = "linked"
    SUBMODULE = "submodule"
    HOOKS_PATH = "hooks-path"
    FRAMEWORK = "framework"


class Seen(NamedTuple):
    """What commit, index and files are, told so that it is the same in every place."""

    head: str
    branch: str
    entries: str
    files: Mapping[str, str]
    going_on: tuple[str, ...]
    """What git says is in progress."""
    stash: str


@dataclass(frozen=True)
class Site:
    """A working copy in a place, spoken to as a person would."""

    repo: Repo
    place: Place
    common: Path
    """The git folder that its worktrees share."""
    hooks: Path
    around: Path | None = None
    """The repository that this one is a part of."""

    @property
    def path(self) -> Path:
        """The root of the working copy."""
        return self.repo.path

    def at(self, path: Path) -> "Site":
        """Return the copy of a plain site in another folder."""
        return Site(Repo(path), self.place, path / ".git", path / ".git/hooks")

    def commit(self, *args: str, stdin: str = "", below: str = "", env: Mapping[str, str] | None = None) -> Ran:
        """Run git commit as a person does, in a folder below the root, and wait for its end."""
        return self.run("git", "commit", *args, stdin=stdin, below=below, env=env)

    def run(self, *argv: str, stdin: str = "", below: str = "", env: Mapping[str, str] | None = None) -> Ran:
        """Run a command here."""
        done = subprocess.run(
            argv,
            cwd=self.path / below,
            env={**person(), **(env or {})},
            input=stdin,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    def agent(self, *args: str) -> Ran:
        """Run git agent here."""
        return run("-C", str(self.path), *args)

    def seen(self) -> Seen:
        """Look at commit, index, files and what is in progress."""
        git = Path(self.repo.git("rev-parse", "--absolute-git-dir"))
        return Seen(
            self.repo.git("rev-parse", "--verify", "-q", "HEAD", check=False),
            self.repo.git("symbolic-ref", "-q", "HEAD", check=False),
            self.repo.git("ls-files", "-s", "-v", "-t"),
            self.files(),
            tuple(name for name in ("MERGE_HEAD", "CHERRY_PICK_HEAD", "index.lock") if (git / name).exists()),
            self.repo.git("stash", "list", "--format=%H %gs"),
        )

    def files(self) -> Mapping[str, str]:
        """Tell mode and content of each file of the working copy, ignored ones too."""
        names = [path for path in sorted(self.path.rglob("*")) if path.relative_to(self.path).parts[0] != ".git"]
        return {
            str(path.relative_to(self.path)): f"{path.lstat().st_mode:o} {path.read_text()}"
            for path in names
            if path.is_file()
        }

    def all(self) -> Mapping[str, str]:
        """Describe every file of the working copy, its git folder, its configuration and its hooks."""
        found = {
            **print_of(self.path, self.common),
            **{f"hooks/{name}": told for name, told in print_of(self.hooks).items()},
            **{f"around/{name}": told for name, told in self._surroundings().items()},
        }
        return {name: _untimed(told) if self.place is Place.FRAMEWORK else told for name, told in found.items()}

    def _surroundings(self) -> Mapping[str, str]:
        if self.around is None:
            return {}
        own = (str(self.path.relative_to(self.around)), str(self.common.relative_to(self.around)))
        return {name: told for name, told in print_of(self.around).items() if not name.startswith(own)}

    def changed(self, before: Mapping[str, str]) -> tuple[str, ...]:
        """List what is not as it was before, short of what git writes at every commit that it begins."""
        return tuple(name for name in difference(before, self.all()) if not _comes_and_goes(name, self.place))


def _untimed(told: str) -> str:
    # The framework itself takes unstaged work away and lays it in again
    return " ".join(told.split(" ")[:2])


def _comes_and_goes(name: str, place: Place) -> bool:
    # The framework's own `git add` writes the times of files into the index; what its entries are, `seen` tells
    return name.endswith("index time") or (place is Place.FRAMEWORK and name.endswith("/index"))


def person() -> dict[str, str]:
    """Return the environment of a person whose commits have one date."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {**kept, **IDENTITY, "GIT_EDITOR": "true", "NO_COLOR": "1"}


def make_site(folder: Path, place: Place, more: Mapping[str, str] = MappingProxyType({})) -> Site:
    """Lay out a project in a place, with a commit to amend and unfinished work in the stash."""
    folder.mkdir(parents=True)
    first = make_repo(folder / "repo")
    first.git("config", "my.own", "setting")
    first.commit({**PROJECT, **more}, "a project")
    first.commit({"notes.txt": PROJECT["notes.txt"] + "21\n"}, "notes")
    match place:
        case Place.LINKED:
            first.git("worktree", "add", "-q", "-b", "topic", str(folder / "linked"))
            return _site(Repo(folder / "linked"), place, first.path / ".git")
        case Place.SUBMODULE:
            outer = make_repo(folder / "outer")
            allowed = ("-c", "protocol.file.allow=always", "submodule", "--quiet", "add")
            outer.commit({"outer.txt": "outer\n"}, "around")
            outer.git(*allowed, str(first.path), "inner")
            outer.git("commit", "-q", "-m", "a submodule")
            inner = Repo(outer.path / "inner")
            return replace(_site(inner, place, outer.path / ".git/modules/inner"), around=outer.path)
        case Place.HOOKS_PATH:
            (folder / "elsewhere").mkdir()
            first.git("config", "core.hooksPath", str(folder / "elsewhere"))
            return _site(first, place, first.path / ".git", folder / "elsewhere")
        case Place.PLAIN | Place.FRAMEWORK:
            return _site(first, place, first.path / ".git")


def _site(repo: Repo, place: Place, common: Path, hooks: Path | None = None) -> Site:
    asked = repo.git("rev-parse", "--path-format=absolute", "--git-path", "hooks")
    repo.write({"sub/deep.txt": "put aside\n"})
    repo.git("stash", "-q")
    return Site(repo, place, common, hooks or Path(asked))


def lay_out_work(site: Site) -> None:
    """Leave work of a person's of every kind: staged, unstaged, untracked, ignored."""
    lines = (site.path / "notes.txt").read_text().splitlines(keepends=True)
    site.repo.write({"notes.txt": "".join(["staged\n", *lines[1:]])})
    site.repo.git("add", "notes.txt")
    site.repo.write(
        {
            "notes.txt": "".join(["staged\n", *lines[1:-1], "unstaged\n"]),
            "untracked": "mine\n",
            ".env": "TOKEN=abc\n",
        }
    )


def install(site: Site, *hooks: str, real: bool = False) -> None:
    """Install hooks as a person does, or pre-commit; `real` leaves them the interpreter that they found."""
    if site.place is Place.FRAMEWORK:
        return _install_framework(site, sys.executable if real else hook_python())
    names = hooks or ("pre-commit",)
    done = site.agent("hook", "install", *names)
    assert done.code == 0, done.err
    for name in () if real else names:
        lighten(site.hooks / name)
    return None


def lighten(script: Path) -> None:
    """Have an installed hook start the interpreter of the tests."""
    text = script.read_text()
    assert sys.executable in text, text
    script.write_text(text.replace(sys.executable, hook_python()))


def _install_framework(site: Site, python: str) -> None:
    config = site.path.parent / "pre-commit-config.yaml"
    config.write_text(_CONFIG.format(python=python))
    done = site.run(framework(), "install", "--config", str(config))
    assert done.code == 0, done.out + done.err


_CONFIG = """repos:
- repo: local
  hooks:
  - id: git-agent
    name: git agent
    entry: {python} -I -m bot hook run pre-commit
    language: system
    pass_filenames: false
    always_run: true
    verbose: true
"""


@cache
def framework() -> str:
    """Find the pre-commit framework beside the interpreter of the tests; "" where there is none."""
    beside = Path(sys.executable).parent / "pre-commit"
    return str(beside) if beside.exists() else shutil.which("pre-commit") or ""


def set_up(settings: Mapping[str, str]) -> None:
    """Set what a person has set for all of their repositories."""
    for name, value in settings.items():
        subprocess.run(["git", "config", "--global", name, value], check=True)


def mend_by_script(path: Path) -> None:
    """Have the edit that can be mended be mended by a script, which takes no time to look for it."""
    spec = script(path, calls(edit("a - b", "a + b"), checkpoint()), calls(FINISH))
    set_up({"agent.hook.model": spec})


def last_commit(site: Site) -> str:
    """Show the commit at HEAD, byte for byte."""
    return site.repo.git("cat-file", "commit", "HEAD", check=False)


def offered(done: Ran) -> str:
    """Return the run that a refusal offers to accept; "" where it offers none."""
    found = re.search(r"git agent accept (\w+)", done.err)
    return found[1] if found else ""


def refuse_once(site: Site, *args: str, stdin: str = "") -> None:
    """Have another hook refuse a commit, so that git has written by itself what it writes at a refusal."""
    script = site.path.parent / "refusing/pre-commit"
    script.parent.mkdir(exist_ok=True)
    script.write_text("#!/bin/sh\nexit 1\n")
    script.chmod(0o755)
    done = site.run("git", "-c", f"core.hooksPath={script.parent}", "commit", *args, stdin=stdin)
    assert done.code == 1, done.err
