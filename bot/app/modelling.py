"""Which model a run is given, and why."""

import os
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from bot.app.desk import Desk
from bot.app.secrecy import take_secrets
from bot.core.escape import line
from bot.errors import ConfigError
from bot.git.repository import Repository
from bot.git.runs import find_run, read_events
from bot.models.preload import preload
from bot.models.recorded import RecordedModel
from bot.models.scripted import read_script
from bot.protocols import Model, Watch

Service: TypeAlias = Literal["openai", "anthropic"]

KEYS: Mapping[Service, tuple[str, ...]] = {
    "anthropic": ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
    "openai": ("OPENAI_API_KEY",),
}
"""The variables with a service's key, in the order in which services are taken when nobody names a model."""
ADDRESSES: Mapping[Service, str] = {"anthropic": "ANTHROPIC_BASE_URL", "openai": "OPENAI_BASE_URL"}
"""The variables with its address, as its own SDK has them."""
KNOWN = (
    "offline, openai:NAME, anthropic:NAME, scripted:FILE and recorded:RUN are known; "
    "Ollama, vLLM, llama.cpp and gateways are openai:NAME with --base-url"
)
BARE: Mapping[str, Service] = {"claude-": "anthropic", "gpt-": "openai"}
"""How names begin that are often given without their service."""
LONGEST = 200
"""Characters of a model's name."""


class Chosen(NamedTuple):
    """A model, and what a person should know of it."""

    model: Model
    window: int = 0
    """Tokens that a prompt may have, with room left for the reply; 0 where nothing is known."""
    notes: tuple[str, ...] = ()
    """Where it is asked, and what had to be assumed."""
    why: str = ""
    """Why it is this one, where nobody named it."""
    priced: bool = True
    """Whether it is known what its tokens cost."""
    sdk: str = ""
    """The package that asks it; empty where none is needed."""
    known: str = ""
    """Where it is, what it takes at once and what it costs, in words; empty where it is on this machine by itself."""

    def load(self) -> None:
        """Begin to load what asks it, beside other work."""
        if self.sdk:
            preload(self.sdk)


class Where(NamedTuple):
    """A service's address, and who said so; empty for its own."""

    address: str = ""
    origin: str = ""


class Asked(NamedTuple):
    """A model of a service, as a person asks for it."""

    service: Service
    name: str
    """Empty for the one that is usual."""
    where: Where
    cost: float | None
    """US dollars that a run may cost."""


def choose_model(
    spec: str, desk: Desk, asked: int = 0, watch: Watch | None = None, cost: float | None = None
) -> Chosen:
    """Make the model that a spec names; without one, that of a service whose key is set, else the offline one.

    One that reads its replies from somewhere goes on after the `asked` ones that a run was given before; `watch` is
    told while a reply comes; `cost` is what the run may spend. Raises ConfigError, UsageError.
    """
    if not spec:
        return _choose(desk, watch, cost)
    kind, _, name = spec.partition(":")
    makers: dict[str, Callable[[], Chosen]] = {
        "offline": _offline,
        "scripted": lambda: Chosen(read_script(Path(name), asked), desk.settings.window or 0),
        "recorded": lambda: Chosen(_recorded(desk.repository, find_run(desk.repository, name), asked)),
        "openai": lambda: _ask("openai", name, desk, watch, cost),
        "anthropic": lambda: _ask("anthropic", name, desk, watch, cost),
    }
    if kind not in makers or bool(name) == (kind == "offline") or (kind in KEYS and not _is_name(name)):
        whose = next((service for start, service in BARE.items() if spec.startswith(start)), "")
        hint = f"name its service as well: {whose}:{line(spec, LONGEST)}" if whose else KNOWN
        raise ConfigError(f"there is no model {line(spec, LONGEST)!r}", hint)
    return makers[kind]()


def _is_name(name: str) -> bool:
    """Tell whether a name can stand in a request, a commit and on a terminal."""
    return len(name) <= LONGEST and name.isprintable() and not any(c.isspace() for c in name.strip())


def _choose(desk: Desk, watch: Watch | None, cost: float | None) -> Chosen:
    """Choose where nobody named a model. Raises ConfigError."""
    if desk.settings.base_url:
        raise ConfigError("base-url is set, and no model is named", "name it: --model openai:NAME")
    why = "no key of a service is set"
    for service, names in KEYS.items():
        found = next((name for name in names if take_secrets().get(name)), "")
        if found and find_address(service, "").origin:
            why = f"{ADDRESSES[service]} leads elsewhere, where a model has to be named"
        elif found:
            chosen = _ask(service, "", desk, watch, cost)
            return chosen._replace(why=f"{found} is set; to work without a service: --model offline")
    return _offline(why)


def _offline(why: str = "") -> Chosen:
    # It is a twentieth of all that is imported, and a run that asks a service has no use for it
    model: Model = import_module("bot.models.offline.model").OfflineModel()
    return Chosen(model, why=why)


def find_address(service: Service, given: str) -> Where:
    """Return where a service is asked: at a given address, else where its SDK would ask."""
    variable = ADDRESSES[service]
    told = os.environ.get(variable, "").strip()
    return Where(given, "base-url") if given else Where(told, variable) if told else Where()


def _ask(service: Service, name: str, desk: Desk, watch: Watch | None, cost: float | None) -> Chosen:
    asked = Asked(service, name, find_address(service, desk.settings.base_url), cost)
    # Takes a while to load, and whoever works offline needs none of it
    chosen: Chosen = import_module("bot.app.serving").serve(asked, desk.settings, watch)
    return chosen


def _recorded(repository: Repository, run: str, asked: int) -> Model:
    return RecordedModel(run, read_events(repository, run), asked)
