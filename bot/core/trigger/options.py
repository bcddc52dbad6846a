"""Reads what stands behind the verb of an order: limits, paths, and words."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Literal, NamedTuple, TypeAlias, get_args

from bot.core import escape

LimitName: TypeAlias = Literal["cost", "turns", "steps", "seconds", "tokens"]

MOST_GLOBS = 50
LONGEST_GLOB = 200

_WHOLE = frozenset({"turns", "steps", "tokens"})
_LIMITS = {f"max-{name}": name for name in get_args(LimitName)}
_NAMES = (*_LIMITS, "scope")
_TOKEN = re.compile(r"(?:`[^`]*`|\"[^\"]*\"|\u201c[^\u201c\u201d]*\u201d|\S)+")
_OPTION = re.compile(r"--(?=\w)|[\u2013\u2014](?=(?:max-|scope\b))", re.IGNORECASE)
"""Phones make one long dash of two short ones."""
_NUMBER = re.compile(r"\$?(\d{1,9}(?:\.\d{1,6})?)", re.ASCII)
_QUOTES = "`\"'\u201c\u201d\u2018\u2019"
_AND = frozenset({"and", "or", "&"})
_PATH = re.compile(r"[`\"\u201c].+|.*[/*].*|.*\w\.\w.*|\.\w.*")
"""A word that is plainly a path."""
_ODD = re.compile(r"[\x00-\x1f\x7f-\x9f\\]|(?:^|/)\.\.(?:/|$)")


class Limit(NamedTuple):
    """How much a run may spend of something, at most."""

    name: LimitName
    most: float


@dataclass(frozen=True, slots=True)
class Options:
    """What stands behind a verb."""

    words: str = ""
    limits: tuple[Limit, ...] = ()
    scope: tuple[str, ...] = ()
    """Globs of the only paths that may change."""
    fault: str = ""
    """What cannot be understood, as a sentence in Markdown; empty when all can."""


def read_options(text: str) -> Options:
    """Read the options of an order, wherever they stand among its words, and `only touch PATH, PATH and PATH`.

    Code in backticks is never an option. Of two limits of one name, the last one counts.
    """
    reading = _Reading(_TOKEN.findall(text))
    try:
        while reading.tokens:
            reading.step()
    except _Fault as fault:
        return Options(fault=str(fault))
    if len(reading.scope) > MOST_GLOBS:
        return Options(fault=f"An order may name {MOST_GLOBS} paths at most.")
    limits = tuple(Limit(name, most) for name, most in reading.limits.items())
    told = reading.words if any(not word.touched for word in reading.words) else ()
    return Options(" ".join(word.text for word in told), limits, tuple(dict.fromkeys(reading.scope)))


def close_name(name: str, names: Sequence[str]) -> str:
    """Return the name that was probably meant; empty where none is near."""
    near = get_close_matches(name.lower(), names, n=1, cutoff=0.6)
    return near[0] if near else next((known for known in names if name.lower().startswith(known)), "")


class _Fault(Exception):
    """What a person is told of an order that cannot be understood."""


class _Word(NamedTuple):
    text: str
    touched: bool = False
    """Whether it belongs to a phrase that was understood, and says nothing new to a reader."""


@dataclass(slots=True)
class _Reading:
    tokens: list[str]
    words: list[_Word] = field(default_factory=list)
    limits: dict[LimitName, float] = field(default_factory=dict)
    scope: list[str] = field(default_factory=list)

    def step(self) -> None:
        token = self.tokens.pop(0)
        dash = _OPTION.match(token)
        if dash:
            self._option(token, token[dash.end() :])
        elif token.lower() == "only" and self.tokens and self.tokens[0].lower().rstrip(":") == "touch":
            self._phrase(token, self.tokens.pop(0))
        else:
            self.words.append(_Word(token))

    def _option(self, token: str, spelled: str) -> None:
        name, given, value = spelled.partition("=")
        name = name.lower()
        if name not in _NAMES:
            raise _Fault(_tell_unknown(token.partition("=")[0], name))
        if not given:
            value = self.tokens.pop(0) if self.tokens and not _OPTION.match(self.tokens[0]) else ""
        bare = value.strip(_QUOTES)
        if name == "scope":
            self.scope.append(_glob(bare, "`--scope`"))
        else:
            limit = _LIMITS[name]
            self.limits[limit] = _number(name, bare, whole=limit in _WHOLE)

    def _phrase(self, *spelled: str) -> None:
        """Read `only touch a/, b.py and c`: what is plainly a path, or a single word that ends the phrase."""
        said = list(spelled)
        paths = self._paths(said)
        if not paths:
            raise _Fault("What may be touched has to be named by its path, as in `only touch src/, tests/test_it.py`.")
        self.scope += paths
        self.words += [_Word(word, touched=True) for word in said]

    def _paths(self, said: list[str]) -> list[str]:
        paths = list[str]()
        while True:
            skip = 1 if paths and self.tokens and self.tokens[0].lower() in _AND else 0
            following = self.tokens[skip:]
            if not following or not _is_path(following):
                return paths
            said += self.tokens[: skip + 1]
            token = following[0]
            del self.tokens[: skip + 1]
            paths.append(_folder(_glob(_trim(token), "`only touch`")))
            if not token.endswith(",") and not (self.tokens and self.tokens[0].lower() in _AND):
                return paths


def _is_path(tokens: Sequence[str]) -> bool:
    token = tokens[0]
    if _OPTION.match(token):
        return False
    if _PATH.fullmatch(token) or token.endswith(",") or len(tokens) == 1:
        return True
    return tokens[1].lower() in _AND or _OPTION.match(tokens[1]) is not None


def _trim(token: str) -> str:
    return token.rstrip(",;:!?.)").strip(_QUOTES).rstrip(",;")


def _folder(path: str) -> str:
    return f"{path}**" if path.endswith("/") else path


def _glob(text: str, where: str) -> str:
    if not text.strip("/. ") or len(text) > LONGEST_GLOB or _ODD.search(text):
        raise _Fault(f"{escape.code(text, 40)} behind {where} is no path below the top of this repository.")
    return text


def _number(name: str, text: str, *, whole: bool) -> float:
    found = _NUMBER.fullmatch(text)
    if found is None or (whole and "." in found[1]):
        kind = "a whole number" if whole else "a number"
        got = f", not {escape.code(text, 40)}" if text else ""
        raise _Fault(f"`--{name}` takes {kind} from 0 up{got}.")
    return float(found[1])


def _tell_unknown(token: str, name: str) -> str:
    near = close_name(name, _NAMES)
    meant = f"did you mean `--{near}`?" if near else f"there are {', '.join(f'`--{known}`' for known in _NAMES)}."
    return f"There is no option {escape.code(token, 40)} (what belongs to the task goes between backticks); {meant}"
