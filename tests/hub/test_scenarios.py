"""The client does the same with our stand-in and with a GitHub that others wrote."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.errors import ForgeError
from tests.hub.fixtures import fill
from tests.hub.scenarios import NOT_IN_EMULATE, SCENARIOS, Scenario
from tests.hub.stage import Emulated, Ours, emulate, missing
from tests.hub.standin import Standin


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory, templates: Path) -> Iterator[Ours]:
    with Standin(tmp_path_factory.mktemp("hub") / "hub") as hub:
        fill(hub, templates)
        stage = Ours(hub)
        yield stage
        stage.github.close()


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulated]:
    if why := missing():
        pytest.skip(why)
    with emulate(tmp_path_factory.mktemp("emulate")) as stage:
        yield stage
        stage.github.close()


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.__name__)
def test_the_client_gets_on_with_the_stand_in(ours: Ours, scenario: Scenario) -> None:
    scenario(ours)
    assert ours.hub.violations == []
    assert ours.hub.lies == []


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.__name__)
def test_the_client_gets_on_with_emulate(theirs: Emulated, scenario: Scenario) -> None:
    if scenario not in NOT_IN_EMULATE:
        scenario(theirs)
        return
    # Its reason to be on the list; one that begins to pass is to be taken off
    with pytest.raises((AssertionError, ForgeError, pytest.fail.Exception)):
        scenario(theirs)
