"""Reads a page as GitHub's renderer does, and tells what in it does more than to be read."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
OURS = re.compile(
    r"<details><summary>[\w ,()]+</summary>\n?|</details>\n?|<br>|</?sub>|<!-- git-agent \{[^<>\n]*\} -->\n?"
)
LIVE = re.compile(r"@\w|#\d|\bgh-\d|://|\bwww\.\w|\bmailto:\w|:\w+:", re.IGNORECASE)
ORDERS = (
    re.compile(r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+(?:[\w./-]*#|gh-|https?://\S+/)\d", re.IGNORECASE),
    re.compile(r"\[\s*(?:skip|no)[ -]?ci\s*\]|\*\*\*NO_CI\*\*\*", re.IGNORECASE),
)
"""What is obeyed in the message of a commit, which a page can become as it is, code and all."""
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200c-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")


class Page(NamedTuple):
    """What a page holds."""

    prose: str
    """All text outside of code and of links."""
    links: tuple[str, ...]
    fences: tuple[str, ...]
    faults: tuple[str, ...]
    """What should not be there: pictures, HTML that is not ours, elements that are not closed."""


def read(text: str) -> Page:
    """Take a page apart."""
    tokens = list(_flat(PARSER.parse(text)))
    links = tuple(str(token.attrs["href"]) for token in tokens if token.type == "link_open")
    faults = [token.content for token in tokens if token.type == "image"]
    html = [token.content for token in tokens if token.type in ("html_block", "html_inline")]
    faults += [one for one in html if OURS.sub("", one).strip()]
    opened = sum(one.count("<details>") - one.count("</details>") for one in html)
    faults += ["details"] if opened else []
    fences = tuple(token.content for token in tokens if token.type == "fence")
    return Page("\n".join(_prose(tokens)), links, fences, tuple(faults))


def _flat(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _flat(token.children or [])


def _prose(tokens: list[Token]) -> Iterator[str]:
    linked = 0
    for token in tokens:
        linked += (token.type == "link_open") - (token.type == "link_close")
        if token.type == "text" and not linked:
            yield token.content


def live(text: str, own: tuple[str, ...] = ()) -> list[str]:
    """List what of a page GitHub would act upon, beside words of our own."""
    page = read(text)
    prose, raw = _without(page.prose, own), _without(text, own)
    acted = [*LIVE.finditer(prose), *UNSEEN.finditer(raw), *(found for each in ORDERS for found in each.finditer(raw))]
    return [*page.faults, *(repr(found[0]) for found in acted)]


def _without(text: str, own: tuple[str, ...]) -> str:
    for word in own:
        text = text.replace(word, "")
    return text
