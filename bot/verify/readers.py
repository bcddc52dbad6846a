"""Which reader understands which check."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bot.core.check import Check, CheckResult, Reader
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
            return self.guard(check, root, lambda place: self.bytecode.run(check, place, targets))
        return self.guard(check, root, lambda place: READERS[check.reader](check, place, targets))

    def guard(self, check: Check, root: Path, run: Callable[[Place], CheckResult]) -> CheckResult:
        """Run a check in another way, under the same conditions."""
        try:
            place = Place(root, self.executor, self.interpreter, self.workers)
            missing = lacking(check, place)
            result = run(place) if not missing else errored(check, missing)
        except SandboxUnavailable as error:
            return errored(check, error.message)
        return recorded(result, self.redactor)
