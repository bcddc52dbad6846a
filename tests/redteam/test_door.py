"""A small part of what the red team tries at the door, and that its marks see harm; `make redteam` tries all of it."""

import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.hub.events import comment_event
from tests.redteam.campaign import AT_THE_DOOR, WELCOME
from tests.redteam.cases.handovers import CASES as LIES
from tests.redteam.cases.handovers import Lie, ours
from tests.redteam.cases.knocks import CASES as KNOCKS
from tests.redteam.cases.wires import CASES as TRIALS
from tests.redteam.cases.wires import Trial
from tests.redteam.door import WRITING, Entrance, Heard, find_harm, look, open_entrance
from tests.redteam.marks import Evidence

SAMPLE = [knock for knock in KNOCKS if knock.fault is None][::9]
ONCE = (
    "1.6 it takes a person's commit back, as a step of its own, on top of ours",
    "1.7 a mark at the end by another workflow, on our pull request",
    "1.18 an outcome of its own: 'verified'",
    "1.21 the token in a plan: hex",
    "1.26 a pipe in place of run.bundle",
    "1.6 on a person's pull request, it asks for the branch below",
    "1.17 environment is given hostile inputs, 7",
)
"""What got through once."""


@pytest.fixture(scope="module")
def entrance(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Entrance]:
    with open_entrance(tmp_path_factory.mktemp("door") / "door") as made:
        yield made


def test_nothing_comes_of_events_that_are_no_orders_of_people_who_may(entrance: Entrance) -> None:
    harm = {knock.name: knock.play(entrance) for knock in SAMPLE}
    assert {name: found for name, found in harm.items() if found} == {}
    # The same door lets in who may
    asked = entrance.hub.comment(1, "/agent help", "write-er")
    entrance.both("issue_comment", comment_event(entrance.hub, asked), ("write-er",))
    assert "An order is the first line" in entrance.hub.comments(1)[-1].body
    assert entrance.hub.violations == []


def test_what_got_through_once_does_no_more(tmp_path: Path) -> None:
    known: dict[str, Lie | Trial] = {case.name: case for case in LIES}
    known |= {case.name: case for case in TRIALS}
    harm: dict[str, tuple[Evidence, ...]] = {}
    for number, name in enumerate(ONCE):
        with open_entrance(tmp_path / f"{number}") as door:
            harm[name] = known[name].play(door)
    assert {name: found for name, found in harm.items() if found} == {}


def test_every_mark_at_the_door_sees_its_harm(tmp_path: Path) -> None:
    with open_entrance(tmp_path / "door") as door:
        hub = door.hub
        there = ours(door)
        assert find_harm(door, look(door), silent=True) == ()
        before = look(door)
        hub.git.git("update-ref", f"refs/heads/{there.branch}", there.tip)
        hub.git.git("update-ref", "refs/heads/main", there.tip)
        there.page.open = False
        hub.comment(1, f"@redteam {WRITING[::-1]}", "github-actions[bot]")
        with suppress(OSError):
            urllib.request.urlopen(door.thief.url, timeout=5)
        door.heard.append(Heard(99, "\n::set-env name=A::b\n", "outcome<<x\nverified\nx\n", WRITING, "KeyError: 1"))
        found = find_harm(door, before, silent=True, lie=True)
    assert {kind for kind, _ in found} == {"write", "connect", "leak", "terminal", "verdict", "hindered"}
    told = " ".join(proof for _, proof in found)
    signs = ("refs/heads/main", "commit is gone", "was closed", "arrived elsewhere", "@redteam", "a workflow runner")
    for sign in signs:
        assert sign in told, sign


def test_names_tell_cases_apart_and_honest_work_is_among_them() -> None:
    names = [case.name for case in (*AT_THE_DOOR, *WELCOME)]
    assert len(set(names)) == len(names)
    assert len(AT_THE_DOOR) >= 400
    assert len(WELCOME) >= 15
    assert any(isinstance(case, Lie) and not case.lie for case in AT_THE_DOOR)
