"""Mends backslashes that stand before nothing that can be escaped."""

import io
import re
import tokenize
from collections.abc import Iterator

from bot.models.offline.edits import Edit, Ruler, splice
from bot.models.offline.source import Mend

STRING = re.compile(r"(?P<prefix>[A-Za-z]{0,2})(?P<quote>\"\"\"|'''|\"|')(?P<body>.*)(?P=quote)", re.DOTALL)
KNOWN = frozenset("\n\\'\"abfnrtv01234567x")
TEXT_ONLY = frozenset("NuU")


def mend_escapes(text: str) -> Mend | None:
    """Keep what strings say, in a way that Python does not complain of."""
    ruler = Ruler(text)
    new = splice(text, _edits(ruler))
    return Mend(new, "write backslashes that Python takes as they are") if new != text else None


def _edits(ruler: Ruler) -> Iterator[Edit]:
    try:
        for token in tokenize.generate_tokens(io.StringIO(ruler.text).readline):
            if token.type == tokenize.STRING and "\\" in token.string:
                start = ruler.starts[token.start[0] - 1] + token.start[1]
                new = escaped(token.string)
                if new != token.string:
                    yield Edit(start, start + len(token.string), new)
    except (tokenize.TokenError, SyntaxError, ValueError):
        return


def escaped(literal: str) -> str:
    """Write a string literal without escapes that mean nothing; a raw one where all of its escapes mean nothing."""
    found = STRING.fullmatch(literal)
    if found is None or "r" in found["prefix"].lower():
        return literal
    known = KNOWN if "b" in found["prefix"].lower() else KNOWN | TEXT_ONLY
    pairs = list(re.finditer(r"\\(.)", found["body"], re.DOTALL))
    stray = [pair for pair in pairs if pair[1] not in known]
    if not stray:
        return literal
    if len(stray) == len(pairs) and "u" not in found["prefix"].lower():
        return f"r{literal}"
    body = re.sub(
        r"\\(.)", lambda pair: pair[0] if pair[1] in known else f"\\{pair[0]}", found["body"], flags=re.DOTALL
    )
    return f"{found['prefix']}{found['quote']}{body}{found['quote']}"
