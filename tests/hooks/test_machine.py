"""Whatever somebody does to a repository, with a hook whose checks pass it is what it would have been without."""

import os
import shutil
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from tests.hooks.site import EVERYTHING, LIGHT, Place, Site, install, make_site
from tests.product import Ran

SEQUENCES = int(os.environ.get("HOOK_SEQUENCES", "4"))
PARTS = 8 if EVERYTHING else 2
"""Tests that the sequences are spread over."""
STEPS = 40 if EVERYTHING else 16

NAMES = ("old.py", "new.py", "notes.txt", "sub/deep.txt", "sub/ü 1.txt", "-m")
CONTENTS = ("", "one = 1\n", "one = 1\ntwo = 2\n", "# mine\n", "one = 1\n\n\ndef two():\n    return one\n")
BRANCHES = ("side", "other")

names = st.sampled_from(NAMES)


class View(NamedTuple):
    """What somebody sees of a repository."""

    refs: str
    head: str
    entries: str
    files: dict[str, str]
    going_on: tuple[str, ...]


def view(site: Site) -> View:
    """Look at commits, index and files."""
    git = site.path / ".git"
    return View(
        site.repo.git("for-each-ref", "refs/heads", "refs/stash", "--format=%(refname) %(objectname)"),
        (git / "HEAD").read_text(),
        site.repo.git("ls-files", "-s", "-v", "-t"),
        dict(site.files()),
        tuple(sorted(path.name for path in git.iterdir() if path.name.endswith(("_HEAD", ".lock", "_MSG")))),
    )


def make_executable(path: Path) -> None:
    """Set the bit, where there is a file."""
    if path.exists():
        path.chmod(0o755)


class Twins(RuleBasedStateMachine):
    """Two repositories to which the same is done; one has our hook."""

    folder: Path
    number = 0

    def __init__(self) -> None:
        super().__init__()
        type(self).number += 1
        place = self.folder / f"sequence{self.number}"
        self.hooked, self.plain = (_copy(site, place / name) for name, site in _pair(self.folder)._asdict().items())

    def teardown(self) -> None:
        """Make room."""
        shutil.rmtree(self.hooked.path.parent)

    @invariant()
    def they_are_the_same(self) -> None:
        """Compare everything that somebody sees."""
        assert view(self.hooked) == view(self.plain)

    @initialize(content=st.sampled_from(CONTENTS))
    def begin(self, content: str) -> None:
        """Have something to commit."""
        self.write("new.py", content)
        self.git("add", "new.py")

    @rule(name=names, content=st.sampled_from(CONTENTS))
    def edit(self, name: str, content: str) -> None:
        self.write(name, content)

    @rule(name=names)
    def delete(self, name: str) -> None:
        self.files(lambda site: (site.path / name).unlink(missing_ok=True))

    @rule(name=names)
    def make_executable(self, name: str) -> None:
        self.files(lambda site: make_executable(site.path / name))

    @rule(old=names, new=names)
    def rename(self, old: str, new: str) -> None:
        self.git("mv", "--", old, new)

    @rule(name=names)
    def stage(self, name: str) -> None:
        self.git("add", "--", name)

    @rule(name=names)
    def intend(self, name: str) -> None:
        self.git("add", "--intent-to-add", "--", name)

    @rule(name=names)
    def unstage(self, name: str) -> None:
        self.git("reset", "-q", "--", name)

    @rule(name=names)
    def forget(self, name: str) -> None:
        self.git("rm", "-q", "--cached", "--", name)

    @rule()
    def commit(self) -> None:
        self.git("commit", "-m", "index")

    @rule()
    def commit_all(self) -> None:
        self.git("commit", "-a", "-m", "all")

    @rule(name=names, way=st.sampled_from(("--only", "--include")))
    def commit_path(self, name: str, way: str) -> None:
        self.git("commit", "-m", "path", way, "--", name)

    @rule(name=names, answer=st.sampled_from(("y\n", "n\n", "q\n")))
    def commit_part(self, name: str, answer: str) -> None:
        self.git("commit", "-p", "-m", "part", "--", name, stdin=answer * 4)

    @rule(extra=st.sampled_from(((), ("-a",), ("--only",))))
    def amend(self, extra: Sequence[str]) -> None:
        self.git("commit", "--amend", "-m", "amended", *extra)

    @rule()
    def commit_nothing(self) -> None:
        self.git("commit", "--allow-empty", "-m", "nothing")

    @rule(branch=st.sampled_from(BRANCHES))
    def branch_off(self, branch: str) -> None:
        self.git("checkout", "-q", "-b", branch)

    @rule(branch=st.sampled_from((*BRANCHES, "main")))
    def switch(self, branch: str) -> None:
        self.git("checkout", "-q", branch)

    @rule(branch=st.sampled_from((*BRANCHES, "main")), way=st.sampled_from(("merge", "cherry-pick")))
    def bring(self, branch: str, way: str) -> None:
        self.git(way, *(("--no-ff", "--no-edit") if way == "merge" else ()), branch)

    @rule()
    def solve(self) -> None:
        self.git("checkout", "-q", "--ours", ".")
        self.git("add", "-u")

    @rule()
    def stash(self) -> None:
        self.git("stash", "push", "-q")

    @rule()
    def unstash(self) -> None:
        self.git("stash", "pop", "-q")

    @rule()
    def take_back(self) -> None:
        self.git("reset", "-q", "--soft", "HEAD~1")

    def write(self, name: str, content: str) -> None:
        """Write a file in both."""
        self.files(lambda site: site.repo.write({name: content}))

    def files(self, change: Callable[[Site], object]) -> None:
        """Do something to the files of both."""
        for site in (self.hooked, self.plain):
            change(site)

    def git(self, *args: str, stdin: str = "") -> None:
        """Run a git command in both, which has to end in the same way."""
        ends: list[Ran] = [site.run("git", *args, stdin=stdin) for site in (self.hooked, self.plain)]
        assert ends[0].code == ends[1].code, ends
        assert "goes through" not in ends[0].err, ends[0].err
        assert ends[0].out.replace("hooked", "plain") == ends[1].out


class Pair(NamedTuple):
    """What each sequence begins with."""

    hooked: Site
    plain: Site


@cache
def _pair(folder: Path) -> Pair:
    more = {} if EVERYTHING else LIGHT
    made = Pair(*(make_site(folder / name, Place.PLAIN, more) for name in Pair._fields))
    for site in made:
        # A conflict leaves no marks in a program, which would fail the checks
        site.repo.commit({".gitattributes": "*.py -merge\n", "old.py": CONTENTS[1]}, "more")
    install(made.hooked, "pre-commit", "pre-merge-commit")
    return made


def _copy(site: Site, folder: Path) -> Site:
    shutil.copytree(site.path, folder, symlinks=True)
    copied = site.at(folder)
    copied.repo.git("update-index", "-q", "--refresh")
    return copied


@pytest.mark.parametrize("part", range(PARTS))
def test_the_same_sequence_gives_the_same_commits_with_the_hook_and_without(tmp_path: Path, part: int) -> None:
    machine = type("Sequence", (Twins,), {"folder": tmp_path})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=-(-SEQUENCES // PARTS),
            stateful_step_count=STEPS,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
