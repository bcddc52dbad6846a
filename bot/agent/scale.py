"""How large a task is, as far as its words tell: whether one step will do, or a plan has to come first."""

import re
from collections.abc import Iterator

from bot.core.task import Task

ENOUGH = 2
"""Points from which on a task is large."""
MANY_WORDS = 9
"""Words from which on a task that speaks of something wide says more than a name for it."""
LONG = 150
"""Words of prose that nobody writes about one small thing."""

_BUILDS = frozenset(
    "add allow build change convert create deprecate design document drop enable expose extend extract extend generalise "
    "generalize implement integrate introduce let make merge migrate modernise modernize move offer optimise optimize "
    "port provide redesign refactor reimplement remove rename reorganise reorganize replace restructure rewrite separate "
    "split store support switch teach unify update upgrade wire write".split()
)
_MENDS = re.compile(
    r"\b(?:fix\w*|mend\w*|repair\w*|fail\w*|broke\w*|bugs?|errors?|crash\w*|lint\w*|wrong|typos?|regressions?|traceback)\b"
    r"|\b(?:ruff|mypy|pytest|tests?|ci|checks?)\b.{0,20}\bpass\w*",
    re.IGNORECASE,
)
_WIDE = re.compile(
    r"\b(?:everywhere|throughout|codebase|code base|migrat\w+|rewrit\w+|re-?architect\w*|end[- ]to[- ]end"
    r"|across (?:the|all|every)|project[- ]wide"
    r"|(?:all|every|each)(?: of)?(?: the| its| our)? (?:\w+ )?(?:callers?|call sites?|usages?|users?|modules?|files?|places?"
    r"|packages?|commands?|endpoints?|handlers?|classes|class|backends?|services?))\b",
    re.IGNORECASE,
)
_WEIGHTY = re.compile(
    r"\b(?:refactor\w*|restructur\w*|redesign\w*|reorgani[sz]\w*|moderni[sz]\w*|features?|plug-?ins?|pluggable|architecture"
    r"|new (?:\w+ )?(?:(?:sub)?commands?|modules?|packages?|endpoints?|apis?|back-?ends?|services?|pages?|layers?|parsers?))\b",
    re.IGNORECASE,
)
_MUST = re.compile(r"\b(?:must|should|shall|needs? to|has to|have to)\b", re.IGNORECASE)
_FILE = re.compile(
    r"(?<![\w/.-])(?:[\w.-]+/)*[\w-]+\.(?:[cm]?[jt]sx?|py|pyi|go|rs|java|kt|rb|php|cs?|cc|cpp|hpp?|md|toml|ya?ml|sql)\b"
)
_CODE = re.compile(
    r"^(?:```|~~~).*?(?:^(?:```|~~~)|\Z)|^Traceback \(most recent.*?(?:\n\n|\Z)|^(?: {4}|\t|>).*$", re.M | re.S
)
_HEAD = re.compile(r"^(?:#{1,6} +|\*\*)(?P<name>.*)$|^(?P<plain>[A-Z][\w ]{3,40}):?$", re.MULTILINE)
_ASIDE = re.compile(
    r"reproduc|environment|version|actual|observed|current|traceback|system|logs?\b|output|background|context|example",
    re.IGNORECASE,
)
_PREFIX = re.compile(r"^(?:Issue|Pull request) #\d+: ", re.MULTILINE)
_CLAUSE = re.compile(r"[.;:!?](?:\s|$)|[\n,]|\b(?:and|then|also|or)\b", re.IGNORECASE)
_BEFORE = re.compile(
    r"^(?:\s|[-*+>•]|\d{1,2}[.)]|\[[ x]\]|#{1,6})*"
    r"(?:(?:please|finally|first|second|lastly|next|to|we|you|i|it|would|like|want|should|must|shall|can|could|need|needs)\s+)*",
    re.IGNORECASE,
)
_TESTS = re.compile(
    r"^(?:\w+)\s+(?:(?:a|an|some|the|more|new|unit|regression|matching|for|it|its)\s+)*tests?\b", re.IGNORECASE
)


def is_large(task: Task) -> bool:
    """Say whether a task wants a plan; what only mends what fails, and what is soon said, does not."""
    if task.source.kind in ("ci", "hook"):
        return False
    prose = "\n".join(_prose(_PREFIX.sub("", task.goal)))
    wanted = len(set(_wants(prose)))
    if not wanted:
        return bool(_WIDE.search(prose)) and not _MENDS.search(prose)
    return _weigh(prose, wanted) >= ENOUGH


def _weigh(prose: str, wanted: int) -> int:
    words = len(prose.split())
    points = wanted - 1
    points += ENOUGH if _WIDE.search(prose) else 0
    points += (1 + (words >= MANY_WORDS)) if _WEIGHTY.search(prose) else 0
    points += max(0, len(_MUST.findall(prose)) - 1)
    points += len(set(_FILE.findall(prose))) // 3
    return points + (words >= LONG)


def _prose(text: str) -> Iterator[str]:
    """Return what asks for something: no code, no quotations, nothing of how to see what is wrong."""
    aside = False
    for row in _CODE.sub("", text).split("\n"):
        head = _HEAD.match(row)
        if head:
            aside = bool(_ASIDE.search(head["name"] or head["plain"]))
        if not aside:
            yield row


def _wants(prose: str) -> Iterator[str]:
    """Return each thing that is to be made or changed; tests belong to what they prove."""
    for part in _CLAUSE.split(prose):
        clause = _BEFORE.sub("", part).strip()
        verb = clause.partition(" ")[0].casefold()
        if verb in _BUILDS and not _TESTS.match(clause):
            yield clause.casefold()
