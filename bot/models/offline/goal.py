"""Reads a person's goal as far as rules can: which checks it is about, and whether it asks for more than mending."""

import re
from collections.abc import Sequence

from bot.core.check import Rung
from bot.models.offline.briefing import Briefing, Finding, findings

MENDING = re.compile(
    r"\b(?:fix\w*|mend\w*|repair\w*|fail\w*|broke\w*|break\w*|bug\w*|error\w*|crash\w*|lint\w*|wrong\w*|red|green|ci|regression\w*"
    r"|typo\w*|incorrect\w*|traceback|exception\w*|pass\w*|clean\w*|format\w*|imports?|issue\w*|problem\w*|ruff|mypy|pytest)\b",
    re.IGNORECASE,
)
BUILDING = re.compile(
    r"\b(?:add|implement|create|support|introduce|write|build|design|develop|extend|document|refactor|rewrite|migrate|port|"
    r"rename|optimi[sz]e|upgrade|remove|delete|feature|allow|enable|make it possible|change|replace)\b",
    re.IGNORECASE,
)
TOPICS: tuple[tuple[re.Pattern[str], frozenset[Rung]], ...] = (
    (
        re.compile(r"\b(?:lint\w*|ruff|flake8|style|format\w*|unused|imports?|pep ?8)\b", re.IGNORECASE),
        frozenset({Rung.STATIC}),
    ),
    (re.compile(r"\b(?:mypy|types?|typing|annotations?)\b", re.IGNORECASE), frozenset({Rung.TYPES})),
    (
        re.compile(
            r"\b(?:tests?|pytest|bugs?|assert\w*|wrong|incorrect|crash\w*|regression\w*|traceback)\b",
            re.IGNORECASE,
        ),
        frozenset({Rung.UNIT, Rung.INTEGRATION}),
    ),
)


def asks_for_more(goal: str) -> bool:
    """Whether a goal asks for something that no failing check could describe."""
    return bool(goal) and BUILDING.search(goal) is not None and MENDING.search(goal) is None


def topics(goal: str) -> frozenset[Rung]:
    """Return the rungs that a goal speaks of, all when it names none; what does not parse stands in the way of each."""
    named = [rungs for pattern, rungs in TOPICS if pattern.search(goal)]
    return frozenset({Rung.SYNTAX}).union(*named) if named else frozenset(Rung)


def meant(briefing: Briefing, found: Sequence[Finding]) -> tuple[Finding, ...]:
    """Keep the findings of a check that the goal names by test or by file; all when it named none of them."""
    checks = {finding.check for finding in found}
    known = [one for one in findings(briefing.baseline, briefing.names) if one.check in checks]
    named = any(_names(briefing.goal, finding) for finding in (*known, *found))
    return tuple(finding for finding in found if not named or _names(briefing.goal, finding))


def barred(briefing: Briefing, finding: Finding) -> bool:
    """Whether what a finding complains of lies in a file that the task wants left alone."""
    return bool(finding.code) and not briefing.may_change(finding.path)


def _names(goal: str, finding: Finding) -> bool:
    test = finding.id.rpartition("::")[2] if not finding.code else ""
    words = [word for word in (finding.id, finding.path, test) if len(word) > 3]  # noqa: PLR2004 - short words mean nothing
    return any(re.search(rf"(?<![\w/.-]){re.escape(word)}(?![\w/-])", goal) for word in words)
