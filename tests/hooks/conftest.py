"""Hooks get the time that they need here, however busy the machine is."""

import pytest

from tests.hooks.site import set_up


@pytest.fixture(autouse=True)
def _patient() -> None:
    """Let judging and mending take long."""
    set_up({"agent.hook.seconds": "120"})
