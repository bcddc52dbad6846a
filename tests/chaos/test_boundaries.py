"""A run that was killed right after each of its events, laid out event by event, ends as one that was left alone."""

import itertools
import os
import random
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from bot.core.event import Committed, Event
from bot.core.lineage import follow
from bot.core.summary import summarize
from bot.git import journal, owner, written
from tests.chaos.campaign import Campaign
from tests.chaos.scenario import three_steps

MOST = 9 if "CHAOS_KILLS" in os.environ else 1
"""Ways in which each kill is laid out, the hardest first."""
STRIDE = 1 if "CHAOS_KILLS" in os.environ else 3
"""From one event that is the last to the next; the loop itself is cut after every one of them in its own tests."""
PARTS = 3
"""Tests that the events are spread over."""


class Entry(NamedTuple):
    """A state of the run's ref, and how many events it holds."""

    commit: str
    events: int


@cache
def finished(folder: Path) -> Campaign:
    """Make one run and leave it alone."""
    (folder / "finished").mkdir()
    campaign = Campaign(folder / "finished", write_script=three_steps)
    campaign.play(0, random.Random(0))
    return campaign


def entries(campaign: Campaign, ref: str) -> Iterator[Entry]:
    """Follow the run's ref from its first entry on; an entry holds what is new since the one before, or all."""
    number = 0
    for commit in campaign.repo.git("rev-list", "--first-parent", "--reverse", ref, "^HEAD").split():
        lines = campaign.repo.git("show", f"{commit}:trace.jsonl").splitlines()
        number = len(lines) if '"event":"started"' in lines[0] else number + len(lines)
        yield Entry(commit, number)


class Cut(NamedTuple):
    """A kill after so many events."""

    events: tuple[Event, ...]
    entry: str
    """What the ref stood at."""
    branch: str
    half: bytes = b""
    """What was written of the next line."""


def cuts(campaign: Campaign, number: int) -> Iterator[Cut]:
    """Tell how the repository may look after the kill: git may be ahead of the record, and the ref behind it."""
    events = campaign.events()
    past = events[:number]
    ref = f"refs/agent/runs/{summarize(events).run}"
    saved = [entry for entry in entries(campaign, ref) if entry.events <= number]
    head = follow(past).head
    following = events[number] if number < len(events) else None
    if isinstance(following, Committed):
        yield Cut(past, saved[-1].commit, following.commit, half=journal.encode(following)[:40])
    if len(saved) > 1 and saved[-1].events == number:
        yield Cut(past, saved[-2].commit, head)
    yield Cut(past, saved[-1].commit, head)


def lay_out(campaign: Campaign, cut: Cut) -> None:
    """Make a repository with a finished run one in which it was killed."""
    told = summarize(cut.events)
    campaign.repo.git("update-ref", f"refs/agent/runs/{told.run}", cut.entry)
    campaign.repo.git("update-ref", f"refs/heads/{told.branch}", cut.branch)
    folder = journal.runs_folder(campaign.repository) / told.run
    folder.mkdir(parents=True)
    (folder / journal.FILE).write_bytes(b"".join(map(journal.encode, cut.events)) + cut.half)
    written.note(campaign.repository, f"refs/agent/runs/{told.run}", "", going=True)
    owner.write(folder, owner.current(common_dir=campaign.repository.common_dir).model_copy(update={"started": "1"}))


@pytest.mark.parametrize("part", range(PARTS))
def test_a_run_that_was_killed_after_one_of_its_events_ends_as_one_that_was_left_alone(
    tmp_path: Path, templates: Path, part: int
) -> None:
    original = finished(templates)
    for number in range(1 + part * STRIDE, len(original.events()) + 1, PARTS * STRIDE):
        for variant, cut in enumerate(itertools.islice(cuts(original, number), MOST)):
            place = tmp_path / f"{number}-{variant}"
            shutil.copytree(original.folder, place, symlinks=True)
            campaign = Campaign(place, write_script=three_steps)
            lay_out(campaign, cut)
            campaign.play(0, random.Random(0))
            # Where the run goes on, it tidies up itself
            campaign.killed.update(["over"] if number == len(original.events()) else [])
            where = (number, variant, cut.events[-1].event)
            assert campaign.ending() == original.ending(), where
            campaign.look_tidy()
            campaign.look_untouched()
            campaign.look_complete()
