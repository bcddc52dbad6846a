"""Models of services: their keys, their addresses, what is known of them."""

import os
from collections.abc import Iterator
from importlib import import_module

from bot.app.modelling import KEYS, Asked, Chosen
from bot.app.secrecy import take_secrets
from bot.core.message import Progress
from bot.core.report import ABOUT_MODEL
from bot.errors import ConfigError, ModelDenied
from bot.models.address import check_address, is_loopback, show_host
from bot.models.dialect.manner import Manner
from bot.models.dialect.model import FlexibleModel
from bot.models.profile import Profile
from bot.models.profiles import FREE, HOMES, Overrides, default_name, find_profile, read_price, show_price
from bot.models.service.cap import leave_room
from bot.models.service.guard import Timing
from bot.models.service.key import check_key
from bot.protocols import Model, Watch
from bot.settings import Settings

PRICE = "IN/OUT"
"""How a price is written, in dollars for a million tokens."""
NO_KEY = "none"
"""Stands for the key of a server that asks for none."""


def serve(asked: Asked, settings: Settings, watch: Watch | None) -> Chosen:
    """Make a model of a service. Raises ConfigError."""
    name = asked.name or default_name(asked.service)
    address = check_address(asked.where.address, asked.where.origin) if asked.where.address else HOMES[asked.service]
    if asked.service == "anthropic" and settings.calls == "schema":
        raise ConfigError("calls = schema is for models of openai:NAME only", "leave it out for anthropic:NAME")
    profile = find_profile(asked.service, name, _overrides(address, settings))
    if asked.cost is not None and profile.price is None:
        text = f"what {name} costs is not known, so that no limit on money could be kept"
        raise ConfigError(text, f"say it: git config agent.price {PRICE}, or 0 where it is free")
    make = _make_openai if asked.service == "openai" else _make_anthropic
    model = make(f"{asked.service}:{name}", profile, address, settings, watch)
    notes = tuple(_notes(profile, address, asked, settings))
    where = f"at {show_host(address)}, " if address in HOMES.values() else ""
    known = f"{where}{profile.window:,} tokens at once, {_tell_price(profile)}"
    return Chosen(model, leave_room(profile), notes, priced=profile.price is not None, sdk=asked.service, known=known)


def _tell_price(profile: Profile) -> str:
    if profile.price is None:
        return "price unknown"
    free = profile.price == FREE
    return "free" if free else f"{show_price(profile.price)} dollars for a million tokens in/out/cached/written"


def _overrides(address: str, settings: Settings) -> Overrides:
    return Overrides(
        address=address,
        window=settings.window,
        output=settings.output,
        price=read_price(settings.price) if settings.price else None,
        calls=None if settings.calls == "auto" else settings.calls,
    )


def _make_openai(spec: str, profile: Profile, address: str, settings: Settings, watch: Watch | None) -> Model:
    own = address == HOMES["openai"]
    manner = Manner(profile.calls, settled=settings.calls == "native", parallel=profile.parallel, proven=own)

    def show(progress: Progress) -> None:
        if watch is not None:
            watch(manner.show(progress))

    transport = import_module("bot.models.openai.model").OpenAIModel(
        name=spec,
        profile=profile,
        key=_find_key("openai", spec, address)[0],
        base_url=address,
        # Whose bill it is says nothing to another server, and is none of its business
        organization=os.environ.get("OPENAI_ORG_ID", "") if own else "",
        project=os.environ.get("OPENAI_PROJECT_ID", "") if own else "",
        watch=show if watch is not None else None,
        timing=_timing(settings),
    )
    return FlexibleModel(transport, manner)


def _make_anthropic(spec: str, profile: Profile, address: str, settings: Settings, watch: Watch | None) -> Model:
    key, bearer = _find_key("anthropic", spec, address)
    model: Model = import_module("bot.models.anthropic.model").AnthropicModel(
        name=spec,
        profile=profile,
        key=key,
        base_url=address,
        watch=watch,
        timing=_timing(settings),
        bearer=bearer,
    )
    return model


def _timing(settings: Settings) -> Timing:
    usual = Timing()
    return Timing(first=min(usual.first, settings.answer_seconds), whole=settings.answer_seconds)


def _find_key(service: str, spec: str, address: str) -> tuple[str, bool]:
    """Return the key of a service, and whether it is a token. Raises ConfigError."""
    names = next(names for known, names in KEYS.items() if known == service)
    name = next((name for name in names if take_secrets().get(name)), "")
    if not name:
        if is_loopback(address):
            return NO_KEY, False
        where = f" at {show_host(address)}" if address not in HOMES.values() else ""
        text = f"there is no key for {spec}{where}"
        raise ConfigError(text, f"export {names[0]}=…; without one there is --model offline")
    try:
        return check_key(take_secrets().get(name), name), name == "ANTHROPIC_AUTH_TOKEN"
    except ModelDenied as error:
        raise ConfigError(error.message, error.hint) from error


def _notes(profile: Profile, address: str, asked: Asked, settings: Settings) -> Iterator[str]:
    """Say where a model is asked, and what of it is assumed."""
    if address not in HOMES.values():
        yield f"{ABOUT_MODEL}it is asked at {show_host(address)} ({asked.where.origin})"
    assumed = {} if settings.window else {"window": f"a window of {profile.window:,} tokens"}
    if not profile.known and not settings.output:
        assumed["output"] = f"replies of up to {profile.output:,}"
    if assumed and (not profile.known or is_loopback(address)):
        keys = " and ".join(f"agent.{key}" for key in assumed)
        yield f"{ABOUT_MODEL}assumed is {' and '.join(assumed.values())} (git config {keys} to say what it has)"
    if profile.price is None:
        yield f"{ABOUT_MODEL}its price is not known (git config agent.price {PRICE} to say it)"
    elif settings.price:
        yield f"{ABOUT_MODEL}taken to cost {show_price(profile.price)} dollars for a million tokens (price)"
