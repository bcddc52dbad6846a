"""Results that were found before of the same tree, by the same check, in the same environment.

Kept is only what is whole: passed or failed, asked of everything, and the same each time. Results that may rest on the
world outside are not: of checks that use the network, and of commands that nobody but the project understands. Nor are
those of a run whose isolation leaves the shelf open to the code that is judged.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import PurePosixPath
from typing import Literal

from pydantic import ValidationError

from bot.core.check import Check, CheckResult, Reader
from bot.core.redact import Redactor
from bot.core.task import Record
from bot.protocols import Shelf
from bot.verify.detection.linters import LINTERS
from bot.verify.fingerprint import program

READERS: frozenset[Reader] = frozenset({"syntax", "ruff", "ruff-format", "mypy", "pytest", "unittest"})
_LINTERS = frozenset(linter.name for linter in LINTERS)
OPEN = frozenset({"process", "none", ""})
"""Isolation levels that hide nothing of ours."""
OLDEST = 24 * 3600.0
"""Seconds; what tests say may depend on the day."""


class Kept(Record):
    """A result as it lies on the shelf."""

    kind: Literal["result"] = "result"
    key: str
    at: float
    steady: bool
    """Whether its failures were asked for twice, and failed twice."""
    result: CheckResult


@dataclass(frozen=True, slots=True)
class Reuse:
    """A shelf, and the environment that its results have to come from."""

    shelf: Shelf
    environment: str
    redactor: Redactor

    def find(self, tree: str, check: Check) -> Kept | None:
        """Look for what a check said of a tree."""
        if not is_reusable(check):
            return None
        key = self._key(tree, check)
        value = self.shelf.get(key)
        try:
            kept = Kept.model_validate_json(value) if value is not None else None
        except ValidationError:
            return None
        if kept is None or kept.key != key or not 0 <= time.time() - kept.at < OLDEST:
            return None
        result = kept.result
        if (result.check, result.rung) != (check.name, check.rung) or not _is_whole(result):
            return None
        return kept.model_copy(update={"result": result.model_copy(update={"reused": True})})

    def keep(self, tree: str, check: Check, result: CheckResult, *, steady: bool) -> None:
        """Put what a check said of a tree on the shelf, if it is worth it."""
        if result.reused or result.isolation in OPEN or not (is_reusable(check) and _is_whole(result)):
            return
        if self.redactor.holds("\n".join(_texts(result))):
            return
        key = self._key(tree, check)
        kept = Kept(key=key, at=time.time(), steady=steady, result=result)
        self.shelf.put(key, kept.model_dump_json(exclude_defaults=True).encode())

    def _key(self, tree: str, check: Check) -> str:
        asked = check.model_copy(update={"reason": ""}).spelled
        where = program(check.argv[0]) if check.argv else ""
        told = f"{tree}\0{self.environment}\0{where}\0{asked}"
        return blake2b(told.encode("utf-8", "surrogateescape"), digest_size=32).hexdigest()


def is_reusable(check: Check) -> bool:
    """Tell whether what a check says rests on nothing but the tree and what is installed."""
    known = check.reader in READERS or (check.reader == "lines" and bool(check.argv) and _is_linter(check.argv[0]))
    return known and not check.network


def _is_linter(program: str) -> bool:
    """Tell a linter that is known and lies in an environment from a command that somebody declared."""
    return program.startswith("/") and PurePosixPath(program).name in _LINTERS


def _is_whole(result: CheckResult) -> bool:
    caused = any(case.cause for case in result.cases)
    contradictory = result.status == "passed" and any(case.bad for case in result.cases)
    told = result.status in ("passed", "failed") and not contradictory
    return told and not (result.flakes or result.narrowed or caused)


def _texts(result: CheckResult) -> Iterator[str]:
    yield from (result.summary, result.output, *result.hidden, *result.rewritten, *result.imported)
    for case in result.cases:
        yield from (case.id, case.message, case.path, case.lacks)
