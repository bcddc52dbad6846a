"""What a comment orders: the grammar of `/agent VERB …`."""

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from bot.core import escape
from bot.core.trigger.opening import Opening, find_opening
from bot.core.trigger.options import Limit, close_name, read_options

Verb: TypeAlias = Literal["fix", "plan", "approve", "undo", "retry", "stop", "status", "help"]

VERBS: tuple[Verb, ...] = get_args(Verb)
BARE: frozenset[Verb] = frozenset({"stop", "status", "help"})
"""Verbs that take nothing: what stands behind them is never a mistake."""

_GAP = r"[ \t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]"
_TRIGGER = re.compile(rf"/agent(?:{_GAP}+(?P<rest>.*))?", re.ASCII | re.IGNORECASE)
_VERB = re.compile(rf"(?P<verb>[a-z]+)(?:$|(?={_GAP})|[:,.;!?]+(?:$|(?={_GAP})))(?P<rest>.*)", re.ASCII | re.IGNORECASE)
_STEP = re.compile(r"(?:step\s{1,9})?#?(?P<step>[1-9]\d{0,3})[.!]?", re.ASCII | re.IGNORECASE)
_ALL = ", ".join(f"`{verb}`" for verb in VERBS)


@dataclass(frozen=True, slots=True)
class Order:
    """What somebody wants of us."""

    verb: Verb
    words: str = ""
    """What is said of the task beside the options, as it is written: the order's line, and what follows it."""
    limits: tuple[Limit, ...] = ()
    """Each limit that the order names, once."""
    scope: tuple[str, ...] = ()
    """Globs of the only paths that may change; empty where the order names none."""
    step: int | None = None
    """The step to undo."""
    quoted: str = ""
    """What the comment quotes, with its marks: words of others, that the order may be about."""
    fault: str = ""
    """Why the order cannot be understood, as a sentence in Markdown that is safe to show; empty when it can."""


def read_order(text: str) -> Order | None:
    """Read a comment: None where nothing in it is meant for us, an order with a `fault` where that is not understood.

    An order is the first line that the page shows as plain text, at the margin, below quotes, blocks of code and hidden
    comments only. Upper and lower case are one, since phones capitalise; characters that show as nothing are not there,
    and those that turn letters around make it no order. Options stand on that line, in any place, or begin the lines
    right below it. The rest of the line and all that follows are words for the task, without quotes: those are words of
    others, and kept apart.
    """
    opening = find_opening(text) if "agent" in text.lower() or not text.isascii() else None
    found = _TRIGGER.fullmatch(opening.line) if opening else None
    if opening is None or found is None:
        return None
    rest = (found["rest"] or "").strip()
    if not rest:
        return Order("help", fault=f"There is nothing behind the name; it may be {_ALL}.")
    named = _VERB.fullmatch(rest)
    verb = next((verb for verb in VERBS if named and named["verb"].lower() == verb), None)
    if named is None or verb is None:
        return Order("help", fault=_tell_unknown(rest.split()[0]))
    return _fill(verb, named["rest"].strip(), opening)


def _tell_unknown(word: str) -> str:
    near = close_name(word, VERBS)
    return f"There is no {escape.code(word, 40)}; {f'did you mean `{near}`?' if near else f'it may be {_ALL}.'}"


def _fill(verb: Verb, behind: str, opening: Opening) -> Order:
    if verb in BARE:
        return Order(verb, _join(behind, opening.rest), quoted=opening.quoted)
    if verb == "undo":
        return _undo(behind, opening)
    options = read_options(behind)
    if options.fault:
        return Order(verb, fault=options.fault)
    words = _join(options.words, opening.rest)
    return Order(verb, words, options.limits, options.scope, quoted=opening.quoted)


def _undo(behind: str, opening: Opening) -> Order:
    found = _STEP.fullmatch(behind)
    if behind and not found:
        return Order("undo", fault=f"`undo` takes the number of a step or nothing, not {escape.code(behind, 40)}.")
    step = int(found["step"]) if found else None
    return Order("undo", _join("", opening.rest), step=step, quoted=opening.quoted)


def _join(line: str, rest: str) -> str:
    return "\n\n".join(part for part in (line, rest) if part)
