"""Lets a project's own formatter write the files that it complains of."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pydantic import JsonValue

from bot.models.offline.briefing import Finding
from bot.models.offline.dialogue import Talk
from bot.models.offline.replay import Act
from bot.models.offline.workshop import Workshop, tool_of

MOST_PATHS = 40
MOST_ALONE = 5
"""Files that are tried one by one when all together are refused."""
ASKED = re.compile(
    r"(?<![\w-])(?:(?P<short>-l|-t)[ =]?(?P<value>\w{1,10})|(?P<long>--line-length|--target-version|--profile)[ =]"
    r"(?P<given>\w{1,20})|(?P<flag>--skip-string-normalization|--skip-magic-trailing-comma|--preview|-S|-C))(?![\w-])"
)
PLACES = "{Makefile,*.toml,*.cfg,*.ini,*.yml,*.yaml,*.sh,noxfile.py,tasks.py,justfile}"


class Formatter(NamedTuple):
    """A program that writes files anew."""

    tool: str
    code: str
    """Of the findings that it clears away."""
    command: tuple[str, ...]
    subject: str


FORMATTERS = (
    Formatter("isort", "imports", ("isort", "--quiet"), "style: sort imports with isort"),
    Formatter("black", "format", ("black", "--quiet"), "style: format with black"),
    Formatter("ruff-format", "format", ("ruff", "format", "--quiet"), "style: format with ruff"),
)


def format_files(shop: Workshop, found: Sequence[Finding]) -> Talk[bool]:
    """Format the files that the project's own formatter would change, each kind in one commit."""
    committed = False
    for formatter in FORMATTERS:
        mine = [one for one in found if tool_of(one.check) == formatter.tool and one.code == formatter.code]
        paths = sorted({one.path for one in mine if not one.evidence and "cannot be" not in one.message})[:MOST_PATHS]
        if paths and not shop.talk.spent:
            committed = (yield from _format(shop, formatter, paths)) or committed
    return committed


def _format(shop: Workshop, formatter: Formatter, paths: Sequence[str]) -> Talk[bool]:
    message = formatter.subject, ""
    if (yield from shop.command([*formatter.command, "--", *paths], message)):
        return True
    options = yield from _options(shop, formatter)
    if options and (yield from shop.command([*formatter.command, *options, "--", *paths], message)):
        return True
    committed = False
    for path in paths[:MOST_ALONE] if len(paths) > 1 else ():
        if not shop.talk.spent:
            committed = (yield from shop.command([*formatter.command, *options, "--", path], message)) or committed
    return committed


def _options(shop: Workshop, formatter: Formatter) -> Talk[tuple[str, ...]]:
    """Return the options that the project's own commands give a formatter."""
    if formatter.tool == "ruff-format" or not shop.talk.can("search_text") or shop.talk.spent:
        return ()
    pattern = rf"{formatter.tool}.*[ \[]-|args:.*-"
    arguments: dict[str, JsonValue] = {"pattern": pattern, "glob": PLACES, "regex": True, "limit": 40}
    (answer,) = yield from shop.talk.ask(
        Act("search_text", arguments), text=f"Looking for how {formatter.tool} is run."
    )
    rows = [row.partition(": ")[2] for row in answer.split("\n")]
    named = [row for row in rows if re.search(rf"\b{formatter.tool}\b", row)]
    return tuple(dict.fromkeys(word for row in named or rows for word in read_options(row)))


def read_options(row: str) -> Iterator[str]:
    """Read the options of a formatter from a command line, or from a list of arguments."""
    for found in ASKED.finditer(row):
        if found["flag"]:
            yield found["flag"]
        else:
            yield f"{found['long']}={found['given']}" if found["long"] else f"{found['short']}{found['value']}"
