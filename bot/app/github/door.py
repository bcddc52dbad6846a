"""One event at the GitHub door: what the runner says, what is ordered, and where it is answered."""

import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from urllib.parse import quote

from rich.text import Text

from bot.app import consoles
from bot.app.secrecy import clean, take_secrets
from bot.core.publication.outputs import outputs
from bot.core.trigger.gate import Rules
from bot.core.trigger.order import Order, read_order
from bot.core.trigger.payload import read_trigger
from bot.core.trigger.trigger import Trigger
from bot.errors import AgentError, UsageError
from bot.forge.github.client import GitHub
from bot.git.remote import Remote

TOKENS = ("GITHUB_TOKEN", "GH_TOKEN")
UNSPOKEN = frozenset({"issues", "workflow_run", "schedule"})
"""Events that order a fix without a word."""


@dataclass(frozen=True, slots=True)
class Call:
    """What the runner of a workflow says of one of our jobs."""

    event: str
    payload: bytes
    repository: str
    """OWNER/NAME."""
    api_url: str
    server_url: str
    graphql_url: str = ""
    run_id: str = ""
    run_attempt: str = "1"
    actors: tuple[str, ...] = ()
    """Logins of who caused the workflow's run, and of who started it again."""
    sha: str = ""
    folder: Path = Path()
    """The checkout."""
    handover: Path = Path("git-agent-handover")
    output: Path | None = None
    """Where outputs of the step go."""
    summary: Path | None = None
    """Where what a person reads of the job goes."""
    rules: Rules = field(default_factory=Rules)

    @property
    def page(self) -> str:
        """Address of this run of the workflow."""
        return f"{self.server_url}/{self.repository}/actions/runs/{self.run_id}" if self.run_id else ""


@dataclass(frozen=True)
class Door:
    """An event that is an order, and the forge that it came from."""

    call: Call
    trigger: Trigger
    order: Order

    @cached_property
    def token(self) -> str:
        """The job's token. Raises UsageError where there is none."""
        token = next(filter(None, map(take_secrets().get, TOKENS)), "")
        if not token:
            raise UsageError("there is no token to ask GitHub with", "set GITHUB_TOKEN in the step's env")
        return token

    @cached_property
    def github(self) -> GitHub:
        """The forge, as this job may see it."""
        call = self.call
        return GitHub(
            call.api_url,
            self.token,
            call.repository,
            server_url=call.server_url,
            graphql_url=call.graphql_url,
            log=log,
            secrets=take_secrets().values,
        )

    @cached_property
    def rules(self) -> Rules:
        """The rules, with whoever a person's token writes as: what that account left is ours. Raises ForgeError."""
        rules = self.call.rules
        person = self.github.whoami() if rules.identity == Rules().identity else None
        if person is None:
            return rules
        return rules.model_copy(update={"identity": person.login, "own": (*rules.own, person.id)})

    @cached_property
    def remote(self) -> Remote:
        """The repository, as git reaches it."""
        return Remote(f"{self.call.server_url}/{quote(self.call.repository)}.git", self.token)


def open_door(call: Call) -> Door | None:
    """Read an event; None where nothing in it is for us. Raises UsageError."""
    trigger = read_trigger(call.event, call.payload, call.repository)
    order = find_order(trigger)
    return None if order is None else Door(call, trigger, order)


def find_order(trigger: Trigger) -> Order | None:
    """Find what an event orders."""
    if trigger.event in UNSPOKEN:
        return Order(verb="fix")
    if trigger.event == "workflow_dispatch":
        # Whoever may start a workflow has no need of a word in front
        return read_order(trigger.text) or read_order(f"/agent fix {trigger.text}")
    return read_order(trigger.text)


def tell_order(door: Door) -> str:
    """Say in a few words what is ordered, where, and by what."""
    trigger = door.trigger
    by = f" by {trigger.author.login}" if trigger.author is not None else ""
    where = f" on #{trigger.number}" if trigger.number else f" for {trigger.head.ref}" if trigger.head.ref else ""
    return f"{door.order.verb}{where}, ordered by {trigger.event}{by}"


def log(text: str) -> None:
    """Tell whoever reads the log of the job."""
    consoles.progress().print(Text(clean(text)), soft_wrap=True)


def tell_error(error: AgentError) -> str:
    """Put what went wrong into one line without secrets."""
    return clean(" ".join(filter(None, (error.message, error.hint and f"({error.hint})"))))[:20_000]


def put_outputs(call: Call, pairs: Iterable[tuple[str, str]]) -> None:
    """Give the step its outputs."""
    if call.output is not None:
        _append(call.output, outputs(pairs, secrets.token_hex(16)))


def put_summary(call: Call, text: str) -> None:
    """Give the job its summary."""
    if call.summary is not None:
        _append(call.summary, f"{clean(text)}\n")


def _append(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8", errors="replace") as file:
        file.write(text)
