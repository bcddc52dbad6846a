"""Cases as the record will know them: a comparison with what was recorded needs the same names on both sides."""

from collections import Counter

from bot.core.check import CaseResult, CheckResult
from bot.core.redact import Redactor


def recorded(result: CheckResult, redactor: Redactor) -> CheckResult:
    """Redact the ids of a result's cases; those that become equal are numbered, so that each stays its own."""
    together = "\n".join(case.id for case in result.cases)
    if redactor.text(together) == together:
        return result
    seen: Counter[str] = Counter()
    return result.model_copy(update={"cases": tuple(_renamed(case, redactor, seen) for case in result.cases)})


def _renamed(case: CaseResult, redactor: Redactor, seen: Counter[str]) -> CaseResult:
    name = redactor.text(case.id)
    if name == case.id:
        return case
    seen[name] += 1
    return case.model_copy(update={"id": name if seen[name] == 1 else f"{name}#{seen[name]}"})
