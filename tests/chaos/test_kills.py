"""A run is killed at any moment, again and again, and ends as if nothing had been."""

import itertools
import os
import random
from functools import cache
from pathlib import Path

import pytest

from bot.core.task import Isolation
from tests.app.kinds import need
from tests.chaos.campaign import Campaign, Ending

KILLS = int(os.environ.get("CHAOS_KILLS", "20"))
SEED = os.environ.get("CHAOS_SEED", "1")
EACH = 5
"""Kills in one test."""


@cache
def undisturbed(folder: Path) -> Ending:
    """Tell how the run ends when it is left alone."""
    (folder / "undisturbed").mkdir()
    campaign = Campaign(folder / "undisturbed")
    campaign.play(0, random.Random(0))
    look(campaign)
    return campaign.ending()


def look(campaign: Campaign) -> None:
    """Check everything that has to hold at the end."""
    campaign.look_tidy()
    campaign.look_untouched()
    campaign.look_complete()


@pytest.mark.parametrize("number", range(-(-KILLS // EACH)))
def test_a_run_that_is_killed_at_any_moment_ends_as_one_that_was_left_alone(
    tmp_path: Path, templates: Path, number: int
) -> None:
    chance = random.Random(f"{SEED} {number}")
    level: Isolation = "bubblewrap" if number % 4 == 3 else "process"
    expected, left = undisturbed(templates), EACH
    for attempt in itertools.count():
        (tmp_path / str(attempt)).mkdir()
        campaign = Campaign(tmp_path / str(attempt), level)
        if not attempt:
            need(level, campaign.repo)
        campaign.play(left, chance)
        left -= campaign.killed.total()
        print(level, *sorted(campaign.killed.items()))  # noqa: T201 - read with -rP
        look(campaign)
        assert campaign.ending() == expected
        if not left:
            break
