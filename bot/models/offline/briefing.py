"""Reads the opening message and the answers of checks: goal, checks, failures."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from bot.core.change import FileChange
from bot.core.check import Rung
from bot.core.evidence import evidence_paths
from bot.core.globs import any_matches
from bot.core.message import Prompt
from bot.core.plan import FIRST

FENCE = re.compile(r"<<<(?P<mark>[0-9a-f]{8,64})\n(?P<text>.*?)\n?<<<end (?P=mark)", re.DOTALL)
CHECK = re.compile(r"^- (?P<name>.{1,100}) \((?P<rung>syntax|static|types|unit|integration|build)\)$", re.MULTILINE)
FAILED = re.compile(
    r"^FAILED (?P<check>\S{1,200}) (?P<id>.{1,400}?) at (?P<path>(?:(?! at )[^:]){1,500}):(?P<line>\d{1,7}): "
    r"(?P<message>.{0,2000})$"
)
SAME = re.compile(r"^SAME (?P<check>\S{1,200}) \d{1,7} more fail alike: (?P<ids>.{1,2000})$")
PASSED = re.compile(r"^(?P<status>PASSED|ERRORED|SKIPPED) (?P<check>\S{1,200}): ", re.MULTILINE)
MORE = re.compile(r"^MORE \d+ further failures|^ALIKE |^SAME .*; …$", re.MULTILINE)
LIMITS = re.compile(
    r"^(?P<which>Only these paths may change|These paths must not change): (?P<globs>.{1,4000})$", re.MULTILINE
)
NO_GOAL = "Make the failing checks pass."
MOST_FINDINGS = 500


@dataclass(frozen=True, slots=True)
class Finding:
    """One failure that a check reported."""

    check: str
    id: str
    path: str
    line: int
    message: str

    @property
    def code(self) -> str:
        """The rule of a static finding; empty for a test."""
        parts = self.id.split("::")
        told = len(parts) > 2 and self.message.startswith((f"{parts[1]} ", f"{parts[1]}: "))  # noqa: PLR2004 - path, code, message
        return parts[1] if told else ""

    @property
    def evidence(self) -> bool:
        """Whether it lies in a test or in configuration, which are never changed."""
        return is_evidence(self.path)


@dataclass(frozen=True, slots=True)
class Briefing:
    """What the run is about."""

    goal: str
    """Empty when nothing but the checks says what to do."""
    checks: tuple[tuple[str, Rung], ...]
    """In the order of the ladder."""
    baseline: str
    """What the checks said of the base; empty when that is not told."""
    tools: frozenset[str] = field(default_factory=frozenset)
    plans: bool = False
    """Whether it has to be said first what is to be done."""
    scope: tuple[str, ...] = ()
    """Globs of the only paths that may change; empty stands for all."""
    protected: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the checks."""
        return tuple(name for name, _ in self.checks)

    def may_change(self, path: str) -> bool:
        """Whether the task leaves a path open to change."""
        return (not self.scope or any_matches(self.scope, path)) and not any_matches(self.protected, path)


def is_evidence(path: str) -> bool:
    """Whether a path is part of what a verdict rests on."""
    return bool(evidence_paths((FileChange(path=path, kind="modified"),)))


def brief(prompt: Prompt) -> Briefing:
    """Read what the run is about from a prompt."""
    text = prompt.messages[0].text if prompt.messages else ""
    fenced = [(found.start(), found["text"]) for found in FENCE.finditer(text)]
    bare = FENCE.sub("\n", text)
    checks = tuple((found["name"], Rung(found["rung"])) for found in CHECK.finditer(bare))
    goal = _section(text, fenced, "# Task").strip()
    limits = {found["which"]: (*found["globs"].split(" "), found["globs"]) for found in LIMITS.finditer(bare)}
    return Briefing(
        goal="" if goal == NO_GOAL else goal,
        checks=tuple(sorted(checks, key=lambda check: check[1].height)),
        baseline=_section(text, fenced, "# The base, judged"),
        tools=frozenset(tool.name for tool in prompt.tools),
        plans=FIRST in bare,
        scope=limits.get("Only these paths may change", ()),
        protected=limits.get("These paths must not change", ()),
    )


def _section(text: str, fenced: Sequence[tuple[int, str]], title: str) -> str:
    """Return the fenced text that follows a heading of ours; a heading inside foreign text does not count."""
    for start, inside in fenced:
        if text[:start].rstrip("\n").endswith(title):
            return inside
    return ""


def findings(text: str, checks: Sequence[str]) -> tuple[Finding, ...]:
    """Read the failures of some checks out of a digest."""
    known = {"-".join(name.split()): name for name in checks}
    found: list[Finding] = []
    for line in text.split("\n")[: 20 * MOST_FINDINGS]:
        failed, same = FAILED.match(line), SAME.match(line)
        if failed and failed["check"] in known:
            path = "" if failed["path"] == "-" else failed["path"]
            found.append(Finding(known[failed["check"]], failed["id"], path, int(failed["line"]), failed["message"]))
        elif same and found and known.get(same["check"]) == found[-1].check:
            alike = [name for name in same["ids"].split("; ") if name != "…"]
            found += [replace(found[-1], id=name) for name in alike]
    return tuple(dict.fromkeys(found))[:MOST_FINDINGS]


def whole(text: str) -> bool:
    """Whether a digest tells all failures."""
    return MORE.search(text) is None


def settled(text: str) -> dict[str, str]:
    """Return which checks a digest calls passed, errored or skipped."""
    return {found["check"]: found["status"].lower() for found in PASSED.finditer(text)}
