"""What a failing check says that it did not find."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from bot.core.check import CheckResult

MOST = 50
"""Things that are looked for."""

_QUOTED = r"['\"`](?P<{}>[^'\"`\n]{{1,300}})['\"`]"
_SAID = re.compile(
    r"No module named " + _QUOTED.format("module") + "|cannot import name " + _QUOTED.format("name")
    + r" from (?:partially initialized module )?" + _QUOTED.format("package")
    + "|(?:implementation or library stub for module named) " + _QUOTED.format("stub")
    + r"|No such file or directory: (?:b)?" + _QUOTED.format("file")
    + r"|can't open file " + _QUOTED.format("script")
    + "|Cannot find module " + _QUOTED.format("node")
)  # fmt: skip
_MODULE = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")


class Lack(NamedTuple):
    """Something that was looked for: a module by its dotted name, or a file by its path."""

    name: str
    is_module: bool


def read_lacks(result: CheckResult) -> tuple[Lack, ...]:
    """List what the failing cases of a check did not find; where they do not say, what its output names."""
    found: dict[Lack, None] = {}
    for case in result.cases:
        if case.bad:
            named = (_sort(case.lacks),) if case.lacks else ()
            found.update(dict.fromkeys((*named, *_said(case.message))))
    if not found and result.status in ("failed", "errored"):
        found.update(dict.fromkeys(_said(f"{result.summary}\n{result.output}")))
    return tuple(found)[:MOST]


def _sort(name: str) -> Lack:
    """Tell a module from a path: only a path holds a slash, or ends like a file."""
    return Lack(name, bool(_MODULE.fullmatch(name)) and "/" not in name)


def _said(text: str) -> Iterator[Lack]:
    for match in _SAID.finditer(text):
        if match["name"]:
            yield Lack(f"{match['package']}.{match['name']}", is_module=True)
        elif match["module"] or match["stub"]:
            yield Lack(match["module"] or match["stub"], is_module=True)
        else:
            yield Lack(match["file"] or match["script"] or match["node"], is_module=False)
