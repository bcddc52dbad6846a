"""The secrets that this process was started with: read once, and from then on nowhere but here."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from bot.core.credentials import find_userinfo, find_variables, secret_names
from bot.core.redact import Redactor, defuse
from bot.sandbox.secrecy import conceal, withdraw


@dataclass(frozen=True, slots=True)
class Secrets:
    """What the environment held of secrets."""

    held: Mapping[str, str] = field(repr=False)
    """By name of the variable."""
    more: tuple[str, ...] = field(default=(), repr=False)
    """Those in variables that had to stay, such as the login in the address of a proxy."""

    @property
    def values(self) -> tuple[str, ...]:
        """Everything that must not show up anywhere."""
        return tuple(dict.fromkeys((*find_variables(self.held), *self.more)))

    def get(self, name: str) -> str:
        """Return one, such as the key of a model; empty when there is none."""
        return self.held.get(name, "")


@cache
def take_secrets() -> Secrets:
    """Take the secrets out of our environment and close our memory, before anything foreign runs; later, tell them."""
    held = withdraw(secret_names(os.environ))
    conceal()
    return Secrets(held, tuple(password for value in os.environ.values() for _, password in find_userinfo(value)))


def clean(text: str) -> str:
    """Take our secrets out of a text, whatever looks like one, and in a workflow's log what its runner obeys."""
    plain = Redactor(take_secrets().values).text(text)
    return defuse(plain) if os.environ.get("GITHUB_ACTIONS") else plain
