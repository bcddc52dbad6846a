"""How large a task is, as far as its words tell: whether one step will do, or a plan has to come first."""

import re
from collections.abc import Iterator
from functools import lru_cache

from bot.core.task import Task

ENOUGH = 2
"""Points from which on a task is large."""
MANY_WORDS = 9
"""Words from which on a task that speaks of something wide says more than a name for it."""
LONG = 150
"""Words of prose that nobody writes about one small thing."""
READ = 20_000
"""Characters of a task that are looked at."""


def _any_of(*words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(words)})\b", re.IGNORECASE)


_BUILDS = _any_of(
    *("add", "allow", "build", "change", "convert", "create", "deprecate", "design", "document", "drop", "enable"),
    *("expose", "extend", "extract", "generali[sz]e", "implement", "integrate", "introduce", "let", "make", "merge"),
    *("migrate", "moderni[sz]e", "move", "offer", "optimi[sz]e", "port", "provide", "redesign", "refactor", "remove"),
    *("rename", "reorgani[sz]e", "replace", "restructure", "rewrite", "separate", "split", "store", "support"),
    *("switch", "teach", "unify", "update", "upgrade", "use", "wire", "write", "adopt", "apply", "enforce", "simplify"),
)
_MENDS = _any_of(
    *("fix\\w*", "mend\\w*", "repair\\w*", "fail\\w*", "broke\\w*", "bugs?", "errors?", "crash\\w*", "lint\\w*"),
    *("wrong", "typos?", "regressions?", "traceback", "(?:ruff|mypy|pytest|tests?|ci|checks?) (?:\\w+ )?pass\\w*"),
)
_PLACES = (
    "(?:callers?|call sites?|usages?|users?|modules?|files?|places?|packages?|commands?|endpoints?|handlers?"
    "|class(?:es)?|back-?ends?|services?)"
)
_WIDE = _any_of(
    *(
        "(?:add|implement) (?:an?|the|this) (?:new )?feature",
        "everywhere",
        "throughout",
        "code ?base",
        "migrat\\w+",
        "rewrit\\w+",
        "re-?architect\\w*",
        "end[- ]to[- ]end",
    ),
    *(
        "across (?:the|all|every)",
        "project[- ]wide",
        "(?:whole|entire) (?:package|project|repository|library|application|test suite)",
        f"into (?:several|separate|multiple|many|smaller) {_PLACES}",
        f"(?:all|every|each)(?: of)?(?: the| its| our)?(?: \\w+)? {_PLACES}",
    ),
)
_PARTS = "(?:sub)?commands?|modules?|packages?|endpoints?|apis?|back-?ends?|services?|pages?|layers?|parsers?"
_WEIGHTY = _any_of(
    *("refactor\\w*", "restructur\\w*", "redesign\\w*", "reorgani[sz]\\w*", "moderni[sz]\\w*", "features?"),
    *("plug-?ins?", "pluggable", "architecture"),
    f"new (?:\\w+ )?(?:{_PARTS})",
)
_MUST = _any_of("must", "should", "shall", "needs? to", "ha(?:s|ve) to")
_FILE = re.compile(
    r"(?<![\w/.-])(?:[\w.-]+/)*[\w-]+\.(?:[cm]?[jt]sx?|pyi?|go|rs|java|kt|rb|php|c|cc|cpp|h|md|toml|ya?ml|sql)\b"
)
_BLOCK = re.compile(
    r"^[ ]{0,3}(?P<mark>```|~~~).*?(?:^[ ]{0,3}(?P=mark)|\Z)|^Traceback \(most recent.*?(?:\n\n|\Z)",
    re.MULTILINE | re.DOTALL,
)
_QUOTED = re.compile(r" {4}|\t|>")
_HEAD = re.compile(r"(?:#{1,6} +|\*\*)(?P<name>.*)|(?P<plain>[A-Z][\w ]{3,40}):?")
_ASIDE = _any_of(
    *("reproduc\\w*", "environment", "version", "actual", "observed", "current", "traceback", "system", "logs?"),
    *("output", "background", "context", "example"),
)
_PREFIX = re.compile(r"^(?:Issue|Pull request) #\d+: ", re.MULTILINE)
_CLAUSE = re.compile(r"[.;:!?](?:\s|$)|[\n,]|\b(?:and|then|also|or)\b", re.IGNORECASE)
_BEFORE = re.compile(
    r"(?:\s|[-*+>•#]|\d{1,2}[.)]|\[[ x]\])*"
    r"(?:(?:please|finally|first|second|lastly|next|to|we|you|i|it|would|like|want|should|must|shall|can|could|needs?)\s+)*",
    re.IGNORECASE,
)
_TESTS = re.compile(
    r"\w+\s+(?:(?:a|an|some|the|more|new|unit|regression|matching|for|it|its)\s+)*tests?\b", re.IGNORECASE
)


def is_large(task: Task) -> bool:
    """Say whether a task wants a plan; what only mends what fails, and what is soon said, does not."""
    return task.source.kind not in ("ci", "hook") and _is_large(task.goal[:READ])


@lru_cache(maxsize=4)
def _is_large(goal: str) -> bool:
    prose = "\n".join(_prose(_PREFIX.sub("", goal)))
    wanted = len(set(_wants(prose)))
    if not wanted:
        return all(words.search(prose) for words in (_WIDE, _MUST)) and not _MENDS.search(prose)
    words = len(prose.split())
    points = wanted - 1
    points += ENOUGH if _WIDE.search(prose) else 0
    points += (1 + (words >= MANY_WORDS)) if _WEIGHTY.search(prose) else 0
    points += max(0, len(_MUST.findall(prose)) - 1)
    points += len(set(_FILE.findall(prose))) // 3
    return points + (words >= LONG) >= ENOUGH


def _prose(text: str) -> Iterator[str]:
    """Return what asks for something: no code, no quotations, nothing of how to see what is wrong."""
    aside = False
    for row in _BLOCK.sub("", text).split("\n"):
        head = _HEAD.fullmatch(row)
        if head is not None:
            aside = bool(_ASIDE.search(head["name"] or head["plain"] or ""))
        if not aside and not _QUOTED.match(row):
            yield row


def _wants(prose: str) -> Iterator[str]:
    """Return each thing that is to be made or changed; tests belong to what they prove."""
    for part in _CLAUSE.split(prose):
        clause = _BEFORE.sub("", part, count=1).strip()
        if _BUILDS.match(clause) and not _TESTS.match(clause):
            yield clause.casefold()
