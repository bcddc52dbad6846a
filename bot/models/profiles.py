"""What is known of models, read from the table beside this module, and what is assumed of others."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal, TypeAlias

from bot.core.task import Record
from bot.models.address import is_loopback
from bot.models.profile import Calls, Price, Profile, Wire

Service: TypeAlias = Literal["openai", "anthropic"]

WINDOW, LOCAL_WINDOW, OUTPUT = 128_000, 32_768, 8_192
"""Tokens assumed where nothing is known: of a hosted model, of one on this machine, and of a reply."""
FREE = Price(0, 0, 0, 0)
WRITTEN = 1.25
"""What writing to a cache costs, as a multiple of the input's price, where a person does not say."""
HOMES: Mapping[Service, str] = {"openai": "https://api.openai.com/v1", "anthropic": "https://api.anthropic.com"}
"""The addresses of the services themselves."""

_DATED = re.compile(r"[-@](?:\d{8}|\d{4}-\d\d-\d\d|latest)")
"""What may stand behind a name: the day that a model is from."""


class Dear(Record):
    """What a request costs whose prompt is long."""

    above: int
    """Tokens of the prompt."""
    price: tuple[float, float, float, float]


class Entry(Record):
    """One model in the table."""

    window: int
    output: int = OUTPUT
    price: tuple[float, float, float, float] | None = None
    dear: Dear | None = None
    wire: Wire = "chat"


class Table(Record):
    """All that is known, by service and name; `open` by the beginnings of names."""

    defaults: Mapping[Service, str]
    openai: Mapping[str, Entry]
    anthropic: Mapping[str, Entry]
    open: Mapping[str, Entry]


@dataclass(frozen=True, slots=True)
class Overrides:
    """What a person says of a model, and where it is; None where nothing is said."""

    address: str = ""
    """Empty for the service's own."""
    window: int | None = None
    output: int | None = None
    price: Price | None = None
    calls: Calls | None = None


@cache
def read_table() -> Table:
    """Read the table."""
    return Table.model_validate(
        tomllib.loads(resources.files("bot.models").joinpath("profiles.toml").read_text("utf-8"))
    )


def default_name(service: Service) -> str:
    """Return which model of a service is taken when nobody names one."""
    return read_table().defaults[service]


def find_profile(service: Service, name: str, overrides: Overrides = Overrides()) -> Profile:
    """Return what is known of a model, with what a person says of it instead."""
    near = is_loopback(overrides.address)
    hosted, weights = _find_hosted(name), _find_open(name)
    entry = hosted or weights or Entry(window=LOCAL_WINDOW if near else WINDOW)
    # A server at home takes what it was started with, whatever the model was made for
    usual = min(entry.window, LOCAL_WINDOW) if near and not hosted else entry.window
    limited = min(usual, entry.dear.above) if entry.dear else usual
    window = overrides.window or limited
    price = overrides.price or _price(entry, window) or (FREE if near and weights and not hosted else None)
    own = overrides.address in ("", HOMES[service])
    return Profile(
        name=name,
        window=window,
        output=min(overrides.output or entry.output, window),
        price=price,
        calls=overrides.calls or "native",
        wire=entry.wire if own else "chat",
        known=bool(hosted or weights),
    )


def _price(entry: Entry, window: int) -> Price | None:
    """Return what the dearest request costs that fits the window."""
    if entry.dear is not None and window > entry.dear.above:
        return Price(*entry.dear.price)
    return Price(*entry.price) if entry.price else None


def _find_hosted(name: str) -> Entry | None:
    """Find a model by its name, as the service or a gateway before it calls it."""
    table = read_table()
    entries = {_fold(known): entry for known, entry in (*table.openai.items(), *table.anthropic.items())}
    vendor, _, rest = name.rpartition("/")
    folded = _fold(rest)
    if vendor and vendor.rpartition("/")[2].casefold() not in HOMES:
        return None
    dated = (known for known in entries if folded.startswith(known) and _DATED.fullmatch(folded, len(known)))
    known = folded if folded in entries else max(dated, key=len, default="")
    return entries.get(known)


def _find_open(name: str) -> Entry | None:
    """Find open weights by the beginning of their name, whoever serves them under whatever tag or file name."""
    folded = _fold(name.rpartition("/")[2])
    entries = {_fold(known): entry for known, entry in read_table().open.items()}
    fitting = (known for known in entries if re.match(rf"{re.escape(known)}(?![a-z\d])", folded))
    return entries.get(max(fitting, key=len, default=""))


def _fold(name: str) -> str:
    """Write a name as gateways may spell it otherwise: small letters, no points."""
    return name.casefold().replace(".", "-")


def read_price(told: str) -> Price:
    """Read `IN/OUT[/CACHED[/WRITTEN]]`, US dollars for a million tokens, or `0`; what is left out is rather dear."""
    given = dict(enumerate(float(part) for part in told.split("/")))
    first = given[0]
    return Price(first, given.get(1, first), given.get(2, first), given.get(3, first * WRITTEN))


def show_price(price: Price | None) -> str:
    """Write a price as it can be set."""
    return "unknown" if price is None else "0" if price == FREE else "/".join(f"{part:g}" for part in price)
