"""Where a check runs: a tree, an executor and the project's Python."""

import posixpath
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from bot.core.check import CaseResult, Check, CheckResult, Status
from bot.core.telling import squeeze
from bot.protocols import Command, Completed, Executor, Mount
from bot.verify.interpreter import Interpreter, libraries

Capture = Literal["none", "own", "output", "everything"]
"""What goes into the private pipe: nothing, what the program writes there itself, its output, or its errors too."""

_SHELL = {
    "output": 'pwd -P >"/dev/fd/$GIT_AGENT_REPORT_FD"; exec "$@" >"/dev/fd/$GIT_AGENT_REPORT_FD"',
    "everything": 'pwd -P >"/dev/fd/$GIT_AGENT_REPORT_FD"; exec "$@" >"/dev/fd/$GIT_AGENT_REPORT_FD" 2>&1',
}
"""The console is kept sanitised and cut; a report has to be whole, and starts with the folder as the program saw it."""

APART = frozenset({"process", "landlock"})
"""Isolation levels at which a tree stands under its own path, and not in the place of the person's checkout."""
_LAYOUTS = ("src", "", "lib", "python")
"""Folders that projects keep their packages in."""


@dataclass(frozen=True, slots=True)
class Place:
    """A tree and what it takes to run a check on it."""

    root: Path
    executor: Executor
    interpreter: Interpreter
    workers: int = 1
    """How many processes a check may spread its work over."""

    def execute(
        self,
        check: Check,
        argv: Sequence[str],
        capture: Capture = "none",
        *,
        writable: bool = False,
        environment: Sequence[tuple[str, str]] = (),
        mounts: Sequence[Mount] = (),
    ) -> Completed:
        """Run a command of a check in the check's own folder. Raises SandboxUnavailable."""
        wrapped = ["/bin/sh", "-c", _SHELL[capture], "sh", *argv] if capture in _SHELL else list(argv)
        return self.executor.execute(
            Command(
                argv=wrapped,
                cwd=self.root,
                timeout=check.timeout,
                network=check.network,
                writable=writable,
                environment=(*check.environment, *environment),
                report=capture != "none",
                folder=check.folder,
                mounts=tuple(mounts),
            )
        )

    def own_modules(self, check: Check) -> tuple[tuple[str, str], ...]:
        """Let a check of Python find the tree's modules first, as `modules_first` does."""
        return modules_first(self.root, self.executor.isolation, check.folder)

    def own_types(self, check: Check) -> tuple[tuple[str, str], ...]:
        """Let mypy find the tree's modules first, as `types_first` does."""
        return types_first(self.root, self.executor.isolation, self.interpreter, check.folder)


def modules_first(root: Path, isolation: str, folder: str = "") -> tuple[tuple[str, str], ...]:
    """Let Python find the tree's modules first, where nothing lies over the person's checkout.

    An editable install leads to that checkout, and a command that is not ours does not say what it imported.
    """
    if isolation not in APART:
        return ()
    roots = dict.fromkeys((root / folder, root))
    folders = [root / name for root in roots for name in _LAYOUTS if not (root / name / "__init__.py").exists()]
    found = [str(folder) for folder in folders if folder.is_dir()]
    return (("PYTHONPATH", ":".join(found)),) if found else ()


def types_first(root: Path, isolation: str, interpreter: Interpreter, folder: str = "") -> tuple[tuple[str, str], ...]:
    """Let mypy find in the tree what an editable install has it look for in the person's checkout.

    Only the folders that such an install leads to are named: what mypy would not find by itself, it is not shown.
    """
    led = {Path(line).name for line in _leads(interpreter)} if isolation in APART else set()
    places = [place / name for place in dict.fromkeys((root / folder, root)) for name in _LAYOUTS if name in led]
    found = [str(place) for place in places if place.is_dir()]
    return (("MYPYPATH", ":".join(found)),) if found else ()


def _leads(interpreter: Interpreter) -> Iterator[str]:
    """Read which folders the environment's `.pth` files lead to."""
    for library in libraries(interpreter.path.parent.parent):
        for file in library.glob("*.pth"):
            with suppress(OSError):
                yield from (line for line in file.read_text("utf-8", "replace").splitlines() if line.startswith("/"))


def from_root(folder: str, path: str) -> str:
    """Turn a path as seen from a check's folder into one seen from the root; empty for one outside of the tree."""
    steps = posixpath.normpath(posixpath.join(folder, path))
    return "" if steps in (".", "..") or steps.startswith(("/", "../")) else steps


def within(folder: str, targets: Sequence[str]) -> list[str] | None:
    """Turn targets as seen from the root into those of a folder; None when all that they name lies elsewhere."""
    if not folder:
        return list(targets)
    found = []
    for target in targets:
        option, equals, path = target.rpartition("=") if target.startswith("-") else ("", "", target)
        if path.startswith(f"{folder}/"):
            found.append(f"{option}{equals}{path[len(folder) + 1 :]}")
        elif not option and (path in (".", folder) or folder.startswith(f"{path.rstrip('/')}/")):
            found.append(".")
    asked = any(not target.startswith("-") for target in targets)
    return None if asked and all(target.startswith("-") for target in found) else found


def outside(check: Check) -> CheckResult:
    """Say that nothing of what was asked for is the business of a check."""
    return errored(check, f"none of what was asked for lies in {check.folder}, which is all that it looks at")


def trouble(done: Completed, check: Check) -> str | None:
    """Say what kept a command from ending by itself; None when it did."""
    match done.ended:
        case "timed_out":
            return f"timed out after {check.timeout:g} s"
        case "killed":
            return f"stopped for using more than it may{': ' if done.hit else ''}{', '.join(done.hit)}"
        case "signalled":
            return f"ended by signal {abs(done.returncode)}"
        case "exited":
            return None


def result(
    check: Check, done: Completed, status: Status, summary: str, cases: Sequence[CaseResult] = ()
) -> CheckResult:
    """Put together what a check said."""
    return CheckResult(
        check=check.name,
        rung=check.rung,
        status=status,
        cases=tuple(cases),
        summary=one_line(summary),
        output=clean(squeeze(done.output, OUTPUT)),
        seconds=done.seconds,
        isolation=done.isolation,
        hit=done.hit,
    )


def errored(check: Check, reason: str) -> CheckResult:
    """Say that a check could not be carried out at all."""
    return CheckResult(check=check.name, rung=check.rung, status="errored", summary=one_line(reason))


def clean(text: str) -> str:
    """Make text from outside valid UTF-8."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def one_line(text: str, limit: int = 400) -> str:
    """Fit text from outside on one bounded line."""
    line = " ".join(clean(text).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


OUTPUT = 8000
"""Bytes of console output kept with a result."""
