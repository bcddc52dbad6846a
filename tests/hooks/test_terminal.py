"""On a terminal a person is asked, and what they agree to is staged into the very commit."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.hooks.forms import FORMS
from tests.hooks.site import (
    CALC,
    EVERYTHING,
    LIGHT,
    MENDED,
    PASSES,
    Place,
    Site,
    install,
    last_commit,
    lay_out_work,
    make_site,
    mend_by_script,
    person,
    set_up,
)

QUESTION = "[y/N] "
ON_TERMINAL = """import fcntl, os, sys, termios
os.setsid()
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execvp(sys.argv[1], sys.argv[1:])
"""
"""Makes the terminal that it was started on the one that `/dev/tty` is."""


def asked(site: Site, *args: str, answer: str, env: Mapping[str, str] | None = None) -> tuple[int, str]:
    """Commit on a terminal, answer the question if there is one, and return how it ended and what was shown."""
    ours, theirs = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-IS", "-c", ON_TERMINAL, "git", "commit", *args],
        cwd=site.path,
        env={**person(), "TERM": "xterm", **(env or {})},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    shown = ""
    while piece := _read(ours):
        if QUESTION in shown + piece and QUESTION not in shown:
            os.write(ours, answer.encode())
        shown += piece
    os.close(ours)
    return process.wait(60), shown


def _read(terminal: int) -> str:
    try:
        return os.read(terminal, 1 << 16).decode(errors="replace")
    except OSError:  # nobody has it open any more
        return ""


def laid_out(folder: Path, form: str) -> Site:
    """Make a plain repository where a commit that fails is the next thing."""
    site = make_site(folder / "place", Place.PLAIN, LIGHT)
    lay_out_work(site)
    FORMS[form].prepare(site, MENDED)
    mend_by_script(folder / "script")
    set_up({"agent.hook.fix": "stage"})
    install(site, real=True)
    return site


@pytest.mark.parametrize("form", ["index", "all", "include", "amend"] if EVERYTHING else ["all"])
def test_what_a_person_agrees_to_is_in_the_commit_at_once(tmp_path: Path, form: str) -> None:
    without = make_site(tmp_path / "without", Place.PLAIN, LIGHT)
    lay_out_work(without)
    FORMS[form].prepare(without, PASSES)
    assert FORMS[form].commit(without, PASSES).code == 0
    site = laid_out(tmp_path, form)
    args = [MENDED.path if arg == "PATH" else arg for arg in FORMS[form].args]
    code, shown = asked(site, *args, answer="y\n")
    assert code == 0, shown
    assert last_commit(site) == last_commit(without)
    assert site.seen() == without.seen()


@pytest.mark.parametrize("answer", ["n\n", "\n", "\x03", "\x04"] if EVERYTHING else ["n\n"])
def test_whoever_does_not_agree_has_what_they_had(tmp_path: Path, answer: str) -> None:
    site = laid_out(tmp_path, "index")
    before = site.seen()
    code, shown = asked(site, "-m", "change", answer=answer)
    assert code != 0, shown
    assert QUESTION in shown
    assert site.seen() == before


@pytest.mark.parametrize("form", ["part", "path"] if EVERYTHING else ["part"])
def test_where_it_would_touch_other_work_nobody_is_asked(tmp_path: Path, form: str) -> None:
    site = laid_out(tmp_path, form)
    before = site.seen()
    args = [MENDED.path if arg == "PATH" else arg for arg in FORMS[form].args]
    code, shown = asked(site, *args, answer="y\n")
    assert code == 1, shown
    assert QUESTION not in shown
    assert "git agent accept" in shown
    assert site.seen() == before
    assert CALC not in (site.path / MENDED.path).read_text()
