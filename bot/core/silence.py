"""Lines of a change that make checks say less, or tell code that it is being tested."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from bot.core.diff import Line
from bot.core.evidence import is_test
from bot.core.policy import glob_matches

IGNORING = (".gitignore", ".ignore")
"""A linter does not look at what these name."""

_MARK = re.compile(
    r"#\s*(?P<kind>noqa|(?:ruff|flake8)\s*:\s*(?:noqa|disable)|type\s*:\s*ignore|mypy\s*:\s*\S+|pyright\s*:\s*\S+"
    r"|pylint\s*:\s*\S+|fmt\s*:\s*(?:off|skip)|nosec)(?:\s*[:\[]\s*(?P<codes>[\w, -]+)\]?)?"
    r"|@(?:typing\.)?(?P<mark>no_type_check)\b",
    re.IGNORECASE,
)
_ASSERTION = re.compile(
    r"(?:(?:el)?if .*: *)?(?:assert\b|raise AssertionError\b|self\.(?:assert|fail)\w*\("
    r"|(?:with )?pytest\.(?:raises|fail|warns)\b)"
)
_WATCHING = re.compile(
    r"PYTEST_|GIT_AGENT_|PYTHONHASHSEED|PYTHONDONTWRITEBYTECODE|/home/agent\b"
    r"|\b_pytest\b|['\"][^'\" ]*pytest[^'\" ]*['\"]|['\"](?:unittest|conftest)['\"]"
    r"|^\s*(?:import|from) (?:pytest|unittest|hypothesis)\b"
    r"|\bfor\b.*\bin (?:\w+\()?sys\.modules\b"
    r"|\b(?:set|list|tuple|sorted|any|map|filter|dict|join)\(.*\bsys\.modules\b(?!\[)"
    r"|\bsys\.modules\.(?:keys|values|items|copy)\b|\bimport __main__\b|\bsys\.modules\[['\"]__main__"
    r"|\bdont_write_bytecode\b|\bpycache_prefix\b|/proc/(?:self|thread-self|1|[{%'\"])"
    r"|\binspect\.(?:stack|trace|get(?:outer|inner)frames)\b|\bfrom inspect import .*\b(?:stack|trace)\b"
    r"|\b(?:extract|walk|format|print)_stack\b|\b(?:f_back|tb_frame|gi_frame|cr_frame|_getframe|currentframe)\b"
    r"|\b(?:_current_frames|setprofile|settrace|addaudithook)\b|\bsys\.monitoring\b"
    r"|\bgc\.get_(?:objects|referrers)\b|\bos\._exit\b|\bTYPE_CHECKING\s*="
)
"""What code has no need of to do its work, and every need of to tell whether it is being tested."""


class Mark(NamedTuple):
    """A comment that silences a check."""

    kind: str
    codes: frozenset[str]
    """Empty when it silences all."""
    text: str

    def covers(self, other: "Mark") -> bool:
        """Tell whether it silenced all that another one does."""
        return self.kind == other.kind and (not self.codes or bool(other.codes and other.codes <= self.codes))

    def silences(self, finding: str) -> bool:
        """Tell whether a finding, named `path::code::message`, would not be told if this stood beside it."""
        return not self.codes or finding.partition("::")[2].partition("::")[0] in self.codes


def read_marks(text: str) -> Iterator[Mark]:
    """Find what silences checks in a line."""
    for found in _MARK.finditer(text):
        kind = re.sub(r"\s", "", found["kind"] or found["mark"]).lower()
        codes = frozenset(re.findall(r"[\w-]+", found["codes"] or ""))
        yield Mark(kind, codes, found.group().strip())


def lost(lines: Sequence[Line], paths: Collection[str]) -> Iterator[str]:
    """Name assertions that were taken out of files that tests may be using."""
    kept = Counter(line.text.strip() for line in lines if line.sign == "+")
    for line in lines:
        text = line.text.strip()
        if line.sign == "-" and line.path in paths and _ASSERTION.match(text):
            kept[text] -= 1
            if kept[text] < 0:
                yield f"{line.path} no longer says: {text}"


def watching(lines: Sequence[Line]) -> Iterator[str]:
    """Name added code that looks at who runs it."""
    spare = Counter(word for line in lines if line.sign == "-" for word in _WATCHING.findall(line.text))
    for line in lines:
        if line.sign == "+" and line.path.endswith(".py") and not is_test(line.path):
            for word in _WATCHING.findall(line.text):
                spare[word] -= 1
                if spare[word] < 0:
                    yield f"{line.path}:{line.number} looks at what runs it: {word.strip()}"


def ignores(line: Line, folder: str, path: str) -> bool:
    """Tell whether a line of an ignoring file, added or taken out, decides about a path below its folder."""
    pattern = line.text.strip().removeprefix("!")
    inside = path.removeprefix(f"{folder}/") if folder else path
    below = not folder or path.startswith(f"{folder}/")
    return below and bool(pattern) and not pattern.startswith("#") and glob_matches(pattern, inside)
