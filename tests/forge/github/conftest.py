"""Servers that play a forge."""

from collections.abc import Iterator

import pytest

from tests.forge.github.scripted import Scripted, serve
from tests.hub.fixtures import hub  # noqa: F401 - a fixture for the tests here


@pytest.fixture(scope="module")
def _servers() -> Iterator[tuple[Scripted, Scripted]]:
    with serve() as forge, serve() as store:
        yield forge, store


@pytest.fixture
def forge(_servers: tuple[Scripted, Scripted]) -> Scripted:
    """What plays GitHub."""
    return _servers[0]


@pytest.fixture
def store(_servers: tuple[Scripted, Scripted]) -> Scripted:
    """What plays the host that GitHub keeps logs on."""
    return _servers[1]
