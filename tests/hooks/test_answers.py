"""What a hook says, to whom, and what a person's word does."""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.hooks.forms import FORMS
from tests.hooks.relay import relay
from tests.hooks.site import (
    LIGHT,
    MENDED,
    PASSES,
    STUCK,
    Edit,
    Place,
    Site,
    install,
    lay_out_work,
    make_site,
    mend_by_script,
    refuse_once,
    set_up,
)
from tests.product import Ran

ODD = {
    b" lead.py": r"lead\.py",
    b"--.py": r"(?<!-)--\.py",
    b"tab\tname.py": r"tab\S{0,6} ?name\.py",
    b"new\nline.py": r"new\S{0,6} ?line\.py",
    b'"q".py': r"\"q\S?\"\.py",
    "naïve ü.py".encode(): r"naïve ü\.py",
    b"caf\xe9.py": r"caf\S{1,6}\.py",
    b"a[1].py": r"a\[1\]\.py",
    b"a1.py": r"a1\.py",
    b":y.py": r"(?:x3a|:)y\.py",
    b"\x1b[31mred.py": r"\S\[31mred\.py",
    b"sub/--help.py": r"sub/--help\.py",
}
"""Names, and how each may look where it is told."""


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """A plain repository with the hook and half-finished work, whose tests are read; nothing is mended."""
    return _laid_out(tmp_path / "place", LIGHT)


def _laid_out(folder: Path, more: Mapping[str, str]) -> Site:
    set_up({"agent.hook.fix": "off"})
    made = make_site(folder, Place.PLAIN, more)
    lay_out_work(made)
    install(made)
    return made


def stage(site: Site, edit: Edit) -> None:
    """Stage an edit."""
    FORMS["index"].prepare(site, edit)


def refused(site: Site, *args: str, env: Mapping[str, str] | None = None) -> Ran:
    """Commit what is staged, see that it is refused and that nothing has happened, and return what was said."""
    refuse_once(site, "-m", "change")
    before, all_before = site.seen(), site.all()
    done = site.commit("-m", "change", *args, env=env)
    assert done.code == 1, done.err
    assert (site.seen(), site.changed(all_before)) == (before, ())
    return done


def ours(said: str) -> Sequence[str]:
    """List the lines that speak in our name."""
    return [line for line in said.splitlines() if line.startswith("git agent:")]


def test_a_refusal_says_in_a_few_plain_lines_what_failed_and_how_to_pass(tmp_path: Path) -> None:
    site = _laid_out(tmp_path / "place", {})
    stage(site, STUCK)
    done = refused(site)
    assert done.out == ""
    assert re.search(r"^git agent: this commit fails .*test", done.err)
    assert re.search(r"test_moon +test_calc\.py:\d+", done.err)
    assert "git commit --no-verify" in done.err
    assert len(done.err.splitlines()) <= 8
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]|\[y/N\]", done.err)


def test_a_verdict_that_is_known_is_the_same_words_again(site: Site) -> None:
    stage(site, STUCK)
    first = refused(site)
    assert refused(site) == first


def test_colour_is_for_terminals_alone(site: Site) -> None:
    stage(site, MENDED)
    set_up({"color.ui": "always"})
    assert "\x1b" not in refused(site, env={"TERM": "xterm-256color", "NO_COLOR": ""}).err


def test_a_commit_from_a_folder_below_the_root_is_judged_all_the_same(site: Site) -> None:
    stage(site, STUCK)
    done = site.commit("-m", "change", below="sub")
    assert done.code == 1
    assert "this commit fails" in done.err
    stage(site, PASSES)
    assert site.commit("-m", "change", "../calc.py", below="sub").code == 0


@pytest.mark.parametrize(
    ("args", "env"), [(("--no-verify",), {}), ((), {"GIT_AGENT": "off"}), ((), {"GIT_AGENT": "OFF"})]
)
def test_a_person_who_says_no_hears_nothing(site: Site, args: Sequence[str], env: Mapping[str, str]) -> None:
    stage(site, STUCK)
    found = relay()
    started = 0 if found is None else len(found.calls)
    done = site.commit("-q", "-m", "change", *args, env=env)
    assert (done.code, done.out, done.err) == (0, "", "")
    # The script itself answers, and starts nothing
    assert found is None or len(found.calls) == started


BROKEN = {
    "agent.hook.fix": "bogus",
    "agent.hook.seconds": "soon",
    "agent.isolation": "nonsense",
    "agent.check": "no command",
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_setting_lets_the_commit_through_with_one_line_unless_strict(site: Site, name: str) -> None:
    stage(site, STUCK)
    site.repo.git("config", name, BROKEN[name])
    site.repo.git("config", "agent.hook.strict", "true")
    done = refused(site)
    assert len(done.err.splitlines()) == 1, done.err
    site.repo.git("config", "--unset", "agent.hook.strict")
    done = site.commit("-q", "-m", "change")
    assert (done.code, done.out) == (0, ""), done.err
    assert len(done.err.splitlines()) == 1, done.err
    assert done.err.startswith("git agent: not judged: ")
    assert "the commit goes through" in done.err


def test_isolation_that_cannot_be_had_is_a_failure_of_ours(site: Site) -> None:
    stage(site, STUCK)
    site.repo.git("config", "agent.python", "/nowhere/python")
    done = site.commit("-q", "-m", "change")
    assert (done.code, len(ours(done.err))) == (0, 1), done.err


def test_odd_names_that_fail_are_told_each_readably(site: Site) -> None:
    """Four names a commit: that many failures are shown."""
    for start in range(0, len(ODD), 4):
        names = [*ODD][start : start + 4]
        site.repo.git("reset", "-q")
        for name in map(os.fsdecode, names):
            site.repo.write({name: "x = (\n"})
            site.repo.git("add", "--", f"./{name}")
        done = refused(site)
        assert [name for name in names if not re.search(ODD[name], done.err)] == [], done.err
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", done.err)


def test_where_nobody_can_be_asked_what_mends_it_is_offered(site: Site) -> None:
    set_up({"agent.hook.fix": "stage"})
    mend_by_script(site.path.parent / "script")
    stage(site, MENDED)
    done = refused(site)
    assert re.search(r"git agent accept \S+ && git commit", done.err)
    assert "[y/N]" not in done.err
    assert "+    return a + b" in done.err
