"""Which reader understands which check."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bot.core.check import Check, CheckResult, Reader, file_of
from bot.core.redact import Redactor
from bot.errors import SandboxUnavailable
from bot.protocols import Executor
from bot.verify import findings, lines, plain, suite, syntax, typed
from bot.verify.bytecode import Bytecode
from bot.verify.interpreter import Interpreter
from bot.verify.needs import lacking
from bot.verify.place import Place, errored
from bot.verify.recorded import recorded

READERS: Mapping[Reader, Callable[[Check, Place, Sequence[str]], CheckResult]] = {
    "syntax": syntax.run,
    "ruff": findings.ruff,
    "ruff-format": findings.ruff_format,
    "mypy": typed.run,
    "pytest": suite.run,
    "unittest": suite.run,
    "lines": lines.run,
    "exit": plain.run,
}


@dataclass(frozen=True, slots=True)
class Runner:
    """Runs checks in a folder, whatever tree it holds."""

    executor: Executor
    interpreter: Interpreter
    redactor: Redactor
    workers: int = 1
    bytecode: Bytecode = field(default_factory=Bytecode, compare=False, repr=False)

    def run(self, check: Check, root: Path, targets: Sequence[str] = ()) -> CheckResult:
        """Run a check; one that cannot be started is errored."""
        if check.reader in ("pytest", "unittest"):
            return self.guard(check, root, targets, lambda place, asked: self.bytecode.run(check, place, asked))
        return self.guard(check, root, targets, lambda place, asked: READERS[check.reader](check, place, asked))

    def guard(
        self, check: Check, root: Path, targets: Sequence[str], run: Callable[[Place, Sequence[str]], CheckResult]
    ) -> CheckResult:
        """Run a check in another way, under the same conditions."""
        asked = _present(check, root, targets)
        if asked is None:
            return absent(check)
        try:
            place = Place(root, self.executor, self.interpreter, self.workers)
            missing = lacking(check, place)
            result = run(place, asked) if not missing else errored(check, missing)
        except SandboxUnavailable as error:
            return errored(check, error.message)
        return recorded(result, self.redactor)


def absent(check: Check) -> CheckResult:
    """Say of a tree that holds nothing of what a check is narrowed to that nothing in it speaks against it."""
    told = "nothing of what is asked is in this tree"
    return CheckResult(check=check.name, rung=check.rung, status="passed", summary=told)


def _present(check: Check, root: Path, targets: Sequence[str]) -> Sequence[str] | None:
    """Return what to ask of a tree; None when it holds nothing of what the check is narrowed to."""
    if not check.targets or any(not target.startswith("-") for target in targets):
        return targets
    present = [target for target in check.targets if os.path.lexists(root / file_of(target))]
    return (*targets, *present) if present else None
