"""Holds what CI says that fails against what fails here, on the same commit: whether it is the same."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, TypeAlias

from bot.core.check import WORDS, CaseResult, Check, CheckResult, Rung, Verdict, file_of, function_of
from bot.core.redness.claim import Claim
from bot.core.trigger.diagnosis import Diagnosis

Word: TypeAlias = Literal[
    "reproduced", "unattributed", "other", "not-reproduced", "flaky", "prevented", "unjudged", "red-before"
]
"""`reproduced`: the same fails here. `unattributed`: something fails here, and CI does not tell what failed there.

`other`: what fails here is not what CI names. `not-reproduced`: nothing fails here. `flaky`: it fails only sometimes.
`prevented`: it fails here for want of something outside of the code. `unjudged`: the check could not be carried out.
`red-before`: it fails on the base as well.
"""

MOST_CLAIMS, MOST_CASES = 300, 1_000
"""What is compared with each other."""
GOES_ON: frozenset[Word] = frozenset({"reproduced", "unattributed"})


class Pair(NamedTuple):
    """What CI claims, and what fails here."""

    claim: Claim
    check: str
    case: CaseResult


@dataclass(frozen=True, slots=True)
class Reproduction:
    """What became of CI's claims when the head was judged here."""

    word: Word
    pairs: tuple[Pair, ...] = ()
    """What fails in both places."""
    missing: tuple[Claim, ...] = ()
    """What CI names and does not fail here."""
    red: tuple[str, ...] = ()
    """All that fails here."""
    detail: str = ""

    @property
    def goes_on(self) -> bool:
        """Whether there is something here that can be mended."""
        return self.word in GOES_ON

    @property
    def cases(self) -> tuple[str, ...]:
        """The cases here that CI names."""
        return tuple(dict.fromkeys(pair.case.id for pair in self.pairs))


class _Bad(NamedTuple):
    check: Check
    case: CaseResult


def hold(diagnosis: Diagnosis, checks: Sequence[Check], verdict: Verdict) -> Reproduction:
    """Compare CI's claims with the verdict of the same checks on the same commit."""
    known = {check.name: check for check in checks}
    told = [(known[result.check], result) for result in verdict.results if result.check in known]
    bad = [_Bad(check, case) for check, result in told for case in result.cases if case.bad]
    pairs = tuple(_pairs(diagnosis, bad))
    flaky = frozenset(verdict.comparison.flaky)
    sure = tuple(pair for pair in pairs if pair.case.id not in flaky and not pair.case.cause)
    red = tuple(case.id for _, case in bad)
    if sure:
        named = {pair.claim for pair in sure}
        missing = tuple(claim for claim in diagnosis.claims if claim.name and claim not in named)
        return Reproduction("reproduced", sure, missing, red)
    doubt = _doubt(pairs, flaky) or _unjudged(diagnosis, told) or _otherwise(diagnosis, checks, bad, flaky)
    return replace(doubt, missing=diagnosis.claims, red=red)


def _doubt(pairs: tuple[Pair, ...], flaky: frozenset[str]) -> Reproduction | None:
    """Tell of claims that fail here as well, and yet say nothing of the code."""
    if any(pair.case.id in flaky for pair in pairs):
        return Reproduction("flaky", pairs)
    causes = dict.fromkeys(WORDS[pair.case.cause] for pair in pairs if pair.case.cause)
    return Reproduction("prevented", pairs, detail=", ".join(causes)) if pairs else None


def _unjudged(diagnosis: Diagnosis, told: Sequence[tuple[Check, CheckResult]]) -> Reproduction | None:
    """Tell of the check that CI means, where it gave no evidence here, or of all where none did."""
    silent = [(check, result) for check, result in told if result.status == "errored"]
    meant = [result for check, result in silent if _is_meant(diagnosis, check)]
    if not meant and len(silent) < len(told):
        return None
    results = meant or [result for _, result in silent]
    why = "; ".join(f"{each.check}: {each.summary}" for each in results[:3])
    return Reproduction("unjudged", detail=why or "no check was found")


def _otherwise(
    diagnosis: Diagnosis, checks: Sequence[Check], bad: Sequence[_Bad], flaky: frozenset[str]
) -> Reproduction:
    """Tell of what fails here and was not named by CI."""
    sure = [case for _, case in bad if case.id not in flaky and not case.cause]
    meant = any(_is_meant(diagnosis, check) for check in checks)
    lacking = "" if meant or not diagnosis.tools else f"no check here is {' or '.join(diagnosis.tools[:3])}"
    if not sure:
        return Reproduction("flaky" if bad and not diagnosis.claims else "not-reproduced", detail=lacking)
    # Where CI names nothing that we know, nothing says that what fails here is something else
    return Reproduction("other" if meant or diagnosis.claims else "unattributed", detail=lacking)


def _pairs(diagnosis: Diagnosis, bad: Sequence[_Bad]) -> Iterator[Pair]:
    """Find for each claim what fails here as well."""
    claims, tools = diagnosis.claims[:MOST_CLAIMS], frozenset(diagnosis.tools)
    names = {check.name: names_of(check) for check, _ in bad}
    for check, case in bad[:MOST_CASES]:
        for claim in claims:
            if _fits(claim, check, case, names[check.name], tools):
                yield Pair(claim, check.name, case)
        if not claims and names[check.name] & tools:
            yield Pair(Claim(check.name, "tests"), check.name, case)


def _is_meant(diagnosis: Diagnosis, check: Check) -> bool:
    return not names_of(check).isdisjoint(diagnosis.tools)


def names_of(check: Check) -> frozenset[str]:
    """Return how a check may be called where CI speaks of it: by its name, its tool, its command."""
    words = [word.rpartition("/")[2] for word in check.argv[:6]]
    joined = (f"{words[0]}-{word}" for word in words[1:3] if words[0] in _STARTERS and word[:1].isalpha())
    tools = (word for word in words if word in _TOOLS)
    return frozenset((check.name.rpartition("/")[2], check.reader, *joined, *tools)) - {"exit", "lines"}


_STARTERS = frozenset({"go", "cargo", "npm", "pnpm", "yarn", "make", "just"})
_TOOLS = frozenset(
    {"pytest", "unittest", "mypy", "ruff", "flake8", "pylint", "black", "isort", "pyright", "eslint", "tsc"}
)


def _fits(claim: Claim, check: Check, case: CaseResult, names: frozenset[str], tools: frozenset[str]) -> bool:
    """Tell whether a case is what a claim means; one that stands for its whole check is all of that check's claims."""
    ours = claim.tool in names or (claim.tool == "unittest" and check.reader == "pytest")
    if case.id in (check.name, f"{check.name}::exit"):
        return ours or not names.isdisjoint(tools)
    if claim.fault == "tests":
        named = not claim.tool or (bool(claim.name) and claim.tool in _NAMED)
        if not named:
            return ours
        # What a linter finds in a file of tests is no failed test, also where CI names no more than the file
        return check.rung not in (Rung.STATIC, Rung.TYPES) and _is_same_test(claim, case)
    if not claim.path:
        return ours
    if check.rung not in _RUNGS[claim.fault] or not _is_same_path(claim.path, case.path or file_of(case.id)):
        return False
    coded = not claim.name or claim.name in case.id.split("::") or claim.name in case.message
    return coded or (not ours and claim.line == case.line)


_RUNGS = {
    "lint": (Rung.SYNTAX, Rung.STATIC),
    "types": (Rung.SYNTAX, Rung.TYPES),
    "build": tuple(Rung),
}
_NAMED = frozenset({"pytest", "unittest"})
"""Tools whose names of tests are those of our checks."""


def _is_same_test(claim: Claim, case: CaseResult) -> bool:
    path, _, name = claim.name.partition("::")
    ours, _, test = case.id.partition("::")
    if not claim.tool:
        return _is_same_path(claim.path, case.path or ours) or (bool(claim.name) and claim.name == case.id)
    if path and not _is_same_path(path, ours):
        return False
    # A file that could not be collected has no tests, and stands for all that it holds
    return not name or not test or name == test or (not path and function_of(name) == function_of(test))


def _is_same_path(one: str, other: str) -> bool:
    """Tell whether two paths end alike: a job may have started in a folder, or a check may have."""
    short, long = sorted((one, other), key=len)
    return bool(short) and (long == short or long.endswith(f"/{short}"))
