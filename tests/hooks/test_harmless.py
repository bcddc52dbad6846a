"""A hook never harms: locks, other hooks, operations in progress, tests that use git, signals."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import pytest

from tests.hooks.forms import FORMS
from tests.hooks.relay import relay
from tests.hooks.site import (
    EVERYTHING,
    LIGHT,
    MENDED,
    PASSES,
    STUCK,
    Edit,
    Place,
    Site,
    install,
    last_commit,
    lay_out_work,
    make_site,
    mend_by_script,
    offered,
    person,
    refuse_once,
    set_up,
)
from tests.product import Ran

COMMITS_ITSELF = """import os
import pathlib
import subprocess


def test_commits(tmp_path):
    def git(*args):
        return subprocess.run(["git", *args], cwd=tmp_path, check=True, capture_output=True, text=True).stdout

    assert [name for name in os.environ if name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "GIT_PREFIX")] == []
    git("init", "-q")
    git("config", "user.name", "fixture")
    git("config", "user.email", "fixture@example.invalid")
    (tmp_path / "made.txt").write_text("made\\n")
    git("add", "--all")
    git("commit", "-q", "-m", "fixture")
    assert git("ls-files") == "made.txt\\n"
"""


def laid_out(folder: Path, edit: Edit, place: Place = Place.PLAIN, more: Mapping[str, str] = LIGHT) -> Site:
    """Make a place with half-finished work and an edit that is staged."""
    site = make_site(folder, place, more)
    lay_out_work(site)
    FORMS["index"].prepare(site, edit)
    mend_by_script(folder / "script")
    return site


def by_hand(site: Site) -> Ran:
    """Run the hook as a person might who wonders what it would say."""
    return site.agent("hook", "run", "pre-commit")


# Locks


def test_a_lock_on_the_index_is_nothing_to_a_hook_that_is_run_by_hand_and_stays(tmp_path: Path) -> None:
    set_up({"agent.hook.fix": "off"})
    site = laid_out(tmp_path / "place", PASSES)
    lock = site.path / ".git/index.lock"
    lock.write_bytes(b"stale")
    before = site.all()
    assert by_hand(site).code == 0
    site.repo.write({STUCK.path: STUCK.content})
    lock.unlink()
    site.repo.git("add", STUCK.path)
    lock.write_bytes(b"stale")
    before = site.all()
    assert by_hand(site).code == 1
    assert site.changed(before) == ()
    assert lock.read_bytes() == b"stale"


def test_what_is_accepted_waits_for_who_holds_the_index_and_never_takes_their_lock(tmp_path: Path) -> None:
    site = laid_out(tmp_path / "place", MENDED)
    install(site)
    run = offered(site.commit("-m", "change"))
    lock = site.path / ".git/index.lock"
    lock.write_bytes(b"held")
    threading.Timer(0.7, lock.unlink).start()
    done = site.agent("accept", run)
    assert done.code == 0, done.err
    assert not lock.exists()
    assert site.commit("-m", "change").code == 0


# Hooks of others


def hook(site: Site, name: str, *lines: str) -> None:
    """Write a hook of somebody else's."""
    script = site.hooks / name
    script.parent.mkdir(exist_ok=True)
    script.write_text("\n".join(("#!/bin/sh", *lines, "")))
    script.chmod(0o755)


def test_a_foreign_hook_that_refuses_has_the_word_and_ours_is_not_asked(tmp_path: Path) -> None:
    site = laid_out(tmp_path / "place", PASSES)
    hook(site, "pre-commit", "echo foreign says no >&2", "exit 7")
    install(site)
    found = relay()
    started = 0 if found is None else len(found.calls)
    done = site.commit("-m", "change")
    assert (done.code, done.err) == (1, "foreign says no\n")
    assert found is None or len(found.calls) == started


def test_other_hooks_run_once_and_do_what_they_did(tmp_path: Path) -> None:
    set_up({"agent.hook.fix": "offer"})
    site = laid_out(tmp_path / "place", MENDED)
    marks = tmp_path / "marks"
    hook(site, "pre-commit", f"echo pre-commit >>{marks}")
    hook(site, "prepare-commit-msg", f"echo prepare-commit-msg >>{marks}", 'echo rewritten >"$1"')
    hook(site, "post-commit", f"echo post-commit >>{marks}")
    hook(site, "post-checkout", f"echo post-checkout >>{marks}")
    hook(site, "reference-transaction", f"echo reference-transaction >>{marks}")
    install(site)
    marks.write_text("")
    done = site.commit("-m", "change")
    assert done.code == 1
    # What was looked for, made and recorded meanwhile ran none of them
    assert marks.read_text() == "pre-commit\n"
    assert site.agent("accept", offered(done)).code == 0
    assert marks.read_text() == "pre-commit\n"
    assert site.commit("-m", "change").code == 0
    assert "\n\nrewritten" in last_commit(site)
    ran = [line for line in marks.read_text().splitlines() if line != "reference-transaction"]
    assert ran == ["pre-commit", "pre-commit", "prepare-commit-msg", "post-commit"]


def test_hooks_that_the_project_tracks_stay_as_they_are_and_still_run(tmp_path: Path) -> None:
    site = make_site(tmp_path / "place", Place.PLAIN)
    marks = tmp_path / "marks"
    site.repo.commit({".githooks/pre-commit": f"#!/bin/sh\necho tracked >>{marks}\n"}, "hooks")
    (site.path / ".githooks/pre-commit").chmod(0o755)
    site.repo.git("commit", "-q", "-a", "-m", "executable")
    site.repo.git("config", "core.hooksPath", ".githooks")
    lay_out_work(site)
    FORMS["index"].prepare(site, STUCK)
    before = site.all()
    told = site.agent("hook", "install", "pre-commit")
    # A hook that the project shares is not ours to replace in the working copy of one person
    assert site.changed(before) == (), told.err
    assert told.code == 2
    assert len(told.err.splitlines()) == 1
    site.commit("-q", "-m", "change")
    assert "tracked" in marks.read_text()


# Operations in progress


def test_in_the_middle_of_a_conflict_the_hook_says_so_and_touches_nothing(tmp_path: Path) -> None:
    site = make_site(tmp_path / "place", Place.PLAIN)
    site.repo.git("checkout", "-q", "-b", "side")
    site.repo.commit({"calc.py": "theirs = 1\n"}, "theirs")
    site.repo.git("checkout", "-q", "main")
    site.repo.commit({"calc.py": "ours = 1\n"}, "ours")
    site.repo.git("merge", "side", check=False)
    site.repo.write({"untracked": "mine\n"})
    install(site)
    before, seen = site.all(), site.seen()
    done = by_hand(site)
    assert (done.code, len(done.err.splitlines())) == (1, 1), done.err
    assert "conflict" in done.err
    assert site.commit("-m", "change").code == 128
    assert (site.seen(), site.changed(before)) == (seen, ())


# Tests that use git, and several at once


@pytest.mark.parametrize("form", ["index", "all", "path"] if EVERYTHING else ["all"])
def test_tests_that_commit_do_so_where_they_mean_to(tmp_path: Path, form: str) -> None:
    site = make_site(tmp_path / "place", Place.LINKED)
    lay_out_work(site)
    site.repo.git("add", "--intent-to-add", "untracked")
    edit = Edit("test_calc.py", COMMITS_ITSELF)
    FORMS[form].prepare(site, edit)
    install(site)
    head = site.repo.git("rev-parse", "HEAD")
    before = site.all()
    done = FORMS[form].commit(site, edit)
    assert done.code == 0, done.err
    assert "not judged" not in done.err
    assert site.repo.git("rev-parse", "HEAD^") == head
    assert site.repo.git("show", "HEAD:test_calc.py") + "\n" == COMMITS_ITSELF
    assert site.repo.git("ls-tree", "-r", "--name-only", "HEAD").count("made.txt") == 0
    assert [name for name in site.changed(before) if "config" in name or "hooks/" in name] == []


def test_commits_in_two_worktrees_at_once_do_not_meet(tmp_path: Path) -> None:
    linked = laid_out(tmp_path / "place", PASSES, Place.LINKED)
    main = Site(type(linked.repo)(linked.common.parent), Place.PLAIN, linked.common, linked.common / "hooks")
    set_up({"agent.hook.fix": "off"})
    FORMS["index"].prepare(main, STUCK)
    install(main)
    started = [
        subprocess.Popen(["git", "commit", "-m", "change"], cwd=site.path, env=person(), stderr=subprocess.PIPE)
        for site in (linked, main)
    ]
    said = [process.communicate(timeout=60)[1].decode() for process in started]
    assert [process.returncode for process in started] == [0, 1], said
    assert "not judged" not in "".join(said)
    assert linked.repo.git("log", "-1", "--format=%s") == "change"
    assert main.repo.git("log", "-1", "--format=%s") == "notes"


# Signals

LONG = "86399"
"""Seconds that a check sleeps, of which no other process knows."""
SLOW = f'[tool.git-agent.checks.pytest]\ncommand = "sleep {LONG}"\nrung = "unit"\ntimeout = 300\n'


def asleep() -> bool:
    """Say whether the check goes on."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if path.read_bytes().split(b"\0")[:2] == [b"sleep", LONG.encode()]:
                return True
    return False


def await_(condition: Callable[[], bool], seconds: float = 20.0) -> None:
    """Wait until something is so."""
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)


@pytest.fixture
def slow(tmp_path: Path) -> Iterator[Site]:
    """A place whose check takes very long."""
    site = laid_out(tmp_path / "place", PASSES, more={"pyproject.toml": SLOW})
    refuse_once(site, "-m", "change")
    yield site
    await_(lambda: not asleep())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_hook_that_is_shot_leaves_nothing_behind(slow: Site, number: signal.Signals) -> None:
    if (found := relay()) is None:
        pytest.skip("no warm interpreter here")
    install(slow)
    entries, files = slow.seen().entries, slow.files()
    process = subprocess.Popen(
        ["git", "commit", "-q", "-m", "change"], cwd=slow.path, env=person(), stderr=subprocess.PIPE, text=True
    )
    await_(asleep)
    found.running[-1].send_signal(number)
    _, said = process.communicate(timeout=60)
    seen = slow.seen()
    assert (seen.entries, seen.files, seen.going_on) == (entries, files, ())
    committed = slow.repo.git("log", "-1", "--format=%s") == "change"
    # Interrupted is refused; what fell over by itself is a failure of ours
    assert (process.returncode, committed) == ((0, True) if number == signal.SIGKILL else (1, False)), said
    assert len([line for line in said.splitlines() if "git agent" in line]) == 1, said


def test_control_c_ends_the_commit_and_everything_that_it_started(slow: Site) -> None:
    install(slow, real=True)
    before, everything = slow.seen(), slow.all()
    process = subprocess.Popen(
        ["git", "commit", "-q", "-m", "change"],
        cwd=slow.path,
        env=person(),
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    await_(asleep)
    os.killpg(process.pid, signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode != 0
    await_(lambda: not asleep())
    assert slow.seen() == before
    assert slow.changed(everything) == ()


# The script itself, down to its interpreter


def test_the_script_as_installed_refuses_and_passes_end_to_end(tmp_path: Path) -> None:
    site = laid_out(tmp_path / "place", MENDED)
    install(site, real=True)
    assert sys.executable in (site.hooks / "pre-commit").read_text()
    done = site.commit("-m", "change")
    assert done.code == 1, done.err
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    typed = site.run("sh", "-c", f"git agent accept {offered(done)} && git commit -q -m change", env={"PATH": path})
    assert typed.code == 0, typed.err
    assert site.repo.git("show", "HEAD:calc.py") + "\n" == PASSES.content
