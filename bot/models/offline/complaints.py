"""Reads what Python and mypy say is wrong: strict patterns, because the texts come from the code under repair."""

import re
from typing import Literal, NamedTuple, TypeAlias

Kind: TypeAlias = Literal[
    "name",
    "attribute",
    "module_member",
    "import_name",
    "module",
    "keyword",
    "too_many",
    "optional",
    "returns_nothing",
    "unused_ignore",
]

WORD = r"[^\W\d]\w{0,80}"
DOTTED = rf"{WORD}(?:\.{WORD}){{0,8}}"
LONGEST_MESSAGE = 1_000


class Complaint(NamedTuple):
    """Something that a tool misses, in a form that a rule can work with."""

    kind: Kind
    wanted: str
    """The name that is not there; for `unused_ignore` the codes that are not needed."""
    owner: str = ""
    """The module, type or function that was asked for it."""
    hints: tuple[str, ...] = ()
    """Names that the tool itself proposed."""


PATTERNS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("name", re.compile(rf"(?:free variable|name) '(?P<wanted>{WORD})' (?:is not defined|referenced before)")),
    ("name", re.compile(rf"Undefined name `(?P<wanted>{WORD})`")),
    ("name", re.compile(rf'Name "(?P<wanted>{WORD})" is not defined')),
    ("import_name", re.compile(rf"cannot import name '(?P<wanted>{WORD})' from '(?P<owner>{DOTTED})'")),
    ("module", re.compile(rf"No module named '(?P<wanted>{DOTTED})'")),
    ("module", re.compile(rf'Cannot find implementation or library stub for module named "(?P<wanted>{DOTTED})"')),
    ("module_member", re.compile(rf"module '(?P<owner>{DOTTED})' has no attribute '(?P<wanted>{WORD})'")),
    ("attribute", re.compile(rf"type object '(?P<owner>{DOTTED})' has no attribute '(?P<wanted>{WORD})'")),
    ("attribute", re.compile(rf"'(?P<owner>{DOTTED})' object has no attribute '(?P<wanted>{WORD})'")),
    ("import_name", re.compile(rf'Module "(?P<owner>{DOTTED})" has no attribute "(?P<wanted>{WORD})"')),
    (
        "attribute",
        re.compile(rf'"(?:type\[)?(?P<owner>{DOTTED})(?:\[[^"]*\])?\]?" has no attribute "(?P<wanted>{WORD})"'),
    ),
    (
        "keyword",
        re.compile(
            rf"(?P<owner>{DOTTED}(?:\.<locals>\.{DOTTED})?)\(\) got an unexpected keyword argument '(?P<wanted>{WORD})'"
        ),
    ),
    ("keyword", re.compile(rf"'(?P<wanted>{WORD})' is an invalid keyword argument for (?P<owner>{DOTTED})\(\)")),
    ("keyword", re.compile(rf'Unexpected keyword argument "(?P<wanted>{WORD})" for "(?P<owner>{DOTTED})"')),
    (
        "too_many",
        re.compile(
            rf"(?P<owner>{DOTTED})\(\) takes (?P<wanted>(?:from \d+ to )?\d+) positional arguments? "
            r"but \d+ (?:was|were) given"
        ),
    ),
    (
        "optional",
        re.compile(
            rf'Incompatible default for (?:argument|parameter) "(?P<wanted>{WORD})" \(default has type "None", '
            r'(?:argument|parameter) has type "(?P<owner>[^"]{1,200})"\)'
        ),
    ),
    (
        "optional",
        re.compile(
            r'(?P<wanted>)Incompatible types in assignment \(expression has type "None", '
            r'variable has type "(?P<owner>[^"]{1,200})"\)'
        ),
    ),
    ("returns_nothing", re.compile(r"(?P<wanted>)Function is missing a return type annotation")),
    ("unused_ignore", re.compile(r'Unused "type: ignore(?:\[(?P<wanted>[\w, -]{0,200})\])?" comment')),
)

NAMING = frozenset({"name", "attribute", "module_member", "import_name", "module", "keyword"})
"""Kinds whose wanted thing is a name."""

HINT = re.compile(
    rf"(?:[Mm]aybe|[Dd]id you mean:?|forget to import)((?:,? ?(?:or )?[\"'`]{WORD}(?:\.{WORD})?[\"'`]){{1,5}})"
)


def read(message: str) -> Complaint | None:
    """Find the first complaint that a rule knows in a message."""
    text = message[:LONGEST_MESSAGE]
    for kind, pattern in PATTERNS:
        found = pattern.search(text)
        if found:
            groups = found.groupdict(default="")
            complaint = Complaint(kind, groups["wanted"], groups.get("owner", ""), _hints(text, found.end()))
            return complaint if kind not in NAMING or _dotted(complaint.wanted) else None
    return None


def _dotted(name: str) -> bool:
    """Whether a name is one to Python too: some characters of words are not."""
    return all(part.isidentifier() for part in name.split("."))


def _hints(text: str, start: int) -> tuple[str, ...]:
    proposed = (name for found in HINT.finditer(text, start) for name in re.findall(r"[\"'`]([\w.]+)[\"'`]", found[1]))
    return tuple(dict.fromkeys(name.removeprefix("self.") if name.startswith("self.") else name for name in proposed))
