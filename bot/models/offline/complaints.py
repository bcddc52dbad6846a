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
    "outdated",
    "missing",
    "coding",
    "escape",
    "untyped",
]

WORD = r"[^\W\d]\w{0,80}"
DOTTED = rf"{WORD}(?:\.{WORD}){{0,8}}"
LONGEST_MESSAGE = 1_000
THING = r"(?:method|function|class|attribute|property|argument|parameter|keyword|alias|module|package)"
WENT = (
    r"(?: in [\w.]{1,40})?,? (?:is|was|are|has been|have been|is now|will be) (?:a )?(?:been )?"
    r"(?:deprecated|removed|renamed|moved|pending deprecation|no longer|(?=available as ))"
)
"""How messages say that something has another name, or none."""
NOW = re.compile(
    r"(?:[Uu]se|[Pp]refer|[Cc]all|favou?r of|[Rr]eplaced (?:by|with)|[Rr]enamed to|[Mm]oved to|available as|switch to)"
    rf"(?: the)?(?: method| function)? ([`'\"]*)({DOTTED})(\(\))?[`'\"]*(?P<tail> instead)?(?=[.,;:)\s]|$)"
)
"""How messages name what is there instead."""


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
    (
        "module_member",
        re.compile(rf'Module "(?P<owner>{DOTTED})" does not explicitly export attribute "(?P<wanted>{WORD})"'),
    ),
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
    ("optional", re.compile(r"(?P<wanted>)(?P<owner>PEP 484 prohibits implicit `Optional`)")),
    ("returns_nothing", re.compile(r"(?P<wanted>)Missing return type annotation for (?:\w+ )*function `")),
    ("returns_nothing", re.compile(r"(?P<wanted>)Function is missing a return type annotation")),
    ("untyped", re.compile(rf'Need type annotation for "(?P<wanted>{WORD})"')),
    ("unused_ignore", re.compile(r'Unused "type: ignore(?:\[(?P<wanted>[\w, -]{0,200})\])?" comment')),
    ("coding", re.compile(r"(?P<wanted>)Unicode(?:De|En)codeError: '(?P<owner>[\w-]{1,40})' codec can't")),
    (
        "coding",
        re.compile(r"(?P<wanted>)(?:EncodingWarning: 'encoding' argument not specified|without explicit `encoding`)"),
    ),
    ("coding", re.compile(r"(?P<wanted>)Using open without explicitly specifying an encoding")),
    ("escape", re.compile(r"invalid escape sequence [`'\"]?(?P<wanted>\\\\?.)")),
    ("missing", re.compile(rf"(?P<owner>{DOTTED})\(\) missing 1 required positional argument: '(?P<wanted>{WORD})'")),
    ("outdated", re.compile(r"(?P<wanted>)There is no current event loop")),
    ("outdated", re.compile(rf'Module has no attribute "(?P<wanted>{WORD})"')),
    (
        "outdated",
        re.compile(rf"(?:[Tt]he )?[`'\"]*(?P<wanted>{DOTTED})(?:\([^)]{{0,80}}\))?[`'\"]*(?: {THING})?{WENT}"),
    ),
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
            hints = _successors(text, found.end()) if kind == "outdated" else _hints(text, found.end())
            complaint = Complaint(kind, groups["wanted"], groups.get("owner", ""), hints)
            return complaint if kind not in NAMING or _dotted(complaint.wanted) else None
    return None


def _dotted(name: str) -> bool:
    """Whether a name is one to Python too: some characters of words are not."""
    return all(part.isidentifier() for part in name.split("."))


def _hints(text: str, start: int) -> tuple[str, ...]:
    proposed = (name for found in HINT.finditer(text, start) for name in re.findall(r"[\"'`]([\w.]+)[\"'`]", found[1]))
    return tuple(dict.fromkeys(name.removeprefix("self.") if name.startswith("self.") else name for name in proposed))


def _successors(text: str, start: int) -> tuple[str, ...]:
    """Return what a message names in the place of something, not what may be an ordinary word."""
    told = (found for found in NOW.finditer(text, start))
    return tuple(dict.fromkeys(found[2] for found in told if _is_code(found)))


def _is_code(found: re.Match[str]) -> bool:
    return bool(found[1] or found[3] or found["tail"] or "." in found[2] or "_" in found[2])
