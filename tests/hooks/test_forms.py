"""A commit of any form in any place: it goes through as it would have, or nothing at all has happened."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.hooks.forms import FORMS, Form
from tests.hooks.site import (
    EVERYTHING,
    LIGHT,
    MENDED,
    PASSES,
    STUCK,
    Edit,
    Place,
    Seen,
    Site,
    framework,
    install,
    last_commit,
    lay_out_work,
    make_site,
    mend_by_script,
    offered,
    set_up,
)
from tests.product import Ran

COMMITTING = re.compile(
    r"/(?:index|(?:[A-Z_]+_)?HEAD|[A-Z]+_(?:EDITMSG|MSG|MODE)|AUTO_MERGE|refs/heads/(?:main|topic|fresh)|logs/.*)$"
)
"""What git writes when it makes a commit."""
EDITS = {"passes": PASSES, "mended": MENDED, "stuck": STUCK}


class Case(NamedTuple):
    """One commit of the matrix."""

    form: str
    outcome: str
    place: Place

    @property
    def real(self) -> bool:
        """Whether tests are run and the offline model mends; each is tried in one place if not in all."""
        return EVERYTHING or self.place is Place.PLAIN


def cases() -> list[Case]:
    """List every commit of the matrix, or so many that each form is tried, and each outcome in each place."""
    if EVERYTHING:
        return [Case(form, outcome, place) for form in FORMS for outcome in EDITS for place in Place]
    pairs = [(outcome, place) for place in Place for outcome in EDITS]
    names = [*FORMS, *FORMS]
    return [Case(names[number], *pair) for number, pair in enumerate(pairs)]


class Done(NamedTuple):
    """How things are after a commit that no hook saw."""

    commit: str
    seen: Seen


@cache
def undisturbed(folder: Path, form: str, *, real: bool) -> Done:
    """Make the commit of an edit that passes where there are no hooks."""
    site = begin(folder / f"undisturbed-{form}{real}", PASSES, Case(form, "passes", Place.PLAIN), real=real)
    done = FORMS[form].commit(site, PASSES)
    assert done.code == 0, done.err
    return Done(last_commit(site), site.seen())


def begin(folder: Path, edit: Edit, case: Case, *, real: bool) -> Site:
    """Bring a place to where a commit of a form is the next thing."""
    site = make_site(folder, case.place, {} if real else LIGHT)
    before = FORMS[case.form].begin
    if before is not None:
        before(site)
    lay_out_work(site)
    FORMS[case.form].prepare(site, edit)
    return site


def check_passed(site: Site, done: Ran, expected: Done, *, parted: bool = False) -> None:
    """Check that the commit is the very one that is made without a hook, and everything else as it is then."""
    assert done.code == 0, done.err
    assert "not judged" not in done.err
    assert last_commit(site) == expected.commit
    # On the way to it unfinished work may have been put aside
    apart: dict[str, Any] = {"branch": "", "stash": "", **({"files": {}} if parted else {})}
    assert site.seen()._replace(**apart) == expected.seen._replace(**apart)


def check_refused(site: Site, done: Ran, before: tuple[Seen, Mapping[str, str]]) -> None:
    """Check that nothing has happened."""
    assert done.code == 1, done.err
    assert site.seen() == before[0]
    assert site.changed(before[1]) == ()
    assert "\x1b" not in done.out + done.err


@pytest.mark.parametrize("case", cases(), ids="-".join)
def test_a_commit_is_the_very_one_it_would_have_been_or_nothing_has_happened(
    tmp_path: Path, templates: Path, case: Case
) -> None:
    if case.place is Place.FRAMEWORK and not framework():
        pytest.skip("the pre-commit framework is not installed")
    form, wrote = FORMS[case.form], EDITS[case.outcome]
    site = begin(tmp_path / "place", wrote, case, real=case.real)
    if not case.real:
        mend_by_script(tmp_path / "script")
        set_up({"agent.hook.fix": "off" if case.outcome == "stuck" else "offer"})
    install(site)
    form.refuse_once(site, wrote)
    before = site.seen(), site.all()
    done = form.commit(site, wrote)
    expected = undisturbed(templates, case.form, real=case.real)
    if case.outcome == "passes":
        check_passed(site, done, expected)
        assert [name for name in site.changed(before[1]) if not COMMITTING.search(name)] == []
        return
    check_refused(site, done, before)
    if case.outcome == "stuck":
        assert not offered(done)
        assert ("test_moon" if case.real else "fails pytest") in done.err
        return
    accept(site, form, offered(done))
    check_passed(site, form.commit(site, wrote), expected, parted=form.parted)


def accept(site: Site, form: Form, run: str) -> None:
    """Accept what mends the commit, out of the way of unfinished work on the same file."""
    if form.parted:
        before = site.seen(), site.all()
        refused = site.agent("accept", run)
        assert (refused.code, len(refused.err.splitlines())) == (2, 1), refused.err
        assert (site.seen(), site.changed(before[1])) == (before[0], ())
        assert "git stash push --keep-index" in refused.err
        site.repo.git("stash", "push", "-q", "--keep-index")
    accepted = site.agent("accept", run)
    assert accepted.code == 0, accepted.err
