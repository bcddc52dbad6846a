"""What git agent finds on this machine and in this repository."""

import platform
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

from rich.table import Table
from rich.text import Text

from bot import __version__
from bot.app import consoles
from bot.app.bay import Bay, choose_bay
from bot.app.desk import Desk, open_desk
from bot.app.hooks.installing import status
from bot.app.modelling import choose_model
from bot.app.signals import interruptible
from bot.core.change import readable
from bot.core.check import Check
from bot.core.report import ABOUT_MODEL
from bot.core.task import Record
from bot.errors import AgentError, ConfigError, SandboxUnavailable
from bot.git.launch import discover
from bot.git.results import GitShelf
from bot.git.snapshot import open_snapshots
from bot.verify.detection.detect import look


class Finding(Record):
    """One thing that was looked at."""

    name: str
    ok: bool
    text: str
    hint: str = ""
    aside: bool = False
    """Whether it is there to be known, and neither good nor bad."""


class Diagnosis(Record):
    """Everything that was looked at."""

    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether a run could start here."""
        return all(finding.ok for finding in self.findings)


def examine(directory: Path) -> Diagnosis:
    """Look at the machine, the repository, the isolation, the interpreter, the checks and the model."""
    found = (*_machine(), *_repository(directory))
    # A folder's name may hold bytes that are no text
    told = (readable(finding.text.encode("utf-8", "surrogateescape")) for finding in found)
    return Diagnosis(findings=tuple(f.model_copy(update={"text": text}) for f, text in zip(found, told, strict=True)))


def _machine() -> Iterator[Finding]:
    yield Finding(
        name="git agent", ok=True, text=f"{__version__}, Python {platform.python_version()} ({sys.executable})"
    )
    version = discover(Path("/"), "--version").output.decode().strip()
    yield Finding(name="git", ok=True, text=version)


def _repository(directory: Path) -> Iterator[Finding]:
    try:
        desk = open_desk(directory, {})
        yield Finding(name="repository", ok=True, text=_place(desk))
    except AgentError as error:
        name = "settings" if isinstance(error, ConfigError) else "repository"
        yield Finding(name=name, ok=False, text=error.message, hint=error.hint)
        return
    yield from (Finding(name="note", ok=True, text=note) for note in desk.notes)
    try:
        bay = choose_bay(desk)
    except AgentError as error:
        name = "isolation" if isinstance(error, SandboxUnavailable) else "settings"
        yield Finding(name=name, ok=False, text=error.message, hint=error.hint)
        return
    yield Finding(name="isolation", ok=True, text=_isolation(bay))
    modules = ", ".join(sorted(bay.interpreter.modules)) or "nothing that we know"
    yield Finding(name="interpreter", ok=True, text=f"{bay.interpreter.path}, {bay.interpreter.origin}; has {modules}")
    yield from map(bay.redactor.record, _checks(desk, bay))
    yield _model(desk)
    yield Finding(name="reuse", ok=True, text=GitShelf(desk.repository).count().text, aside=True)
    yield _hooks(directory)


def _place(desk: Desk) -> str:
    repository = desk.repository
    branch = repository.current_branch() or "detached HEAD"
    return f"{repository.root}, {branch}, {'uncommitted work' if repository.dirty() else 'nothing uncommitted'}"


def _isolation(bay: Bay) -> str:
    return f"{bay.executor.isolation}" + "".join(f"; {note}" for note in bay.notes)


def _checks(desk: Desk, bay: Bay) -> Iterator[Finding]:
    tree = desk.repository.default_base()
    with interruptible(), open_snapshots(desk.repository) as snapshots, snapshots.clean(tree) as root:
        found = look(root, bay.interpreter, desk.settings.checks)
    for check in found.checks:
        yield Finding(name=f"check {check.name}", ok=True, text=_describe(check))
    if not found.checks:
        hint = "declare one: --check NAME=COMMAND, or checks in [tool.git-agent]"
        yield Finding(name="checks", ok=False, text="none was found", hint=hint)
    yield from (Finding(name="not a check", ok=True, text=note, aside=True) for note in found.notes)


def _describe(check: Check) -> str:
    """Tell why there is a check, where it stands, and what it runs when that does not follow from its name."""
    words = [f"{check.rung}: {check.reason or 'declared'}"]
    given = check.argv[3:] if check.reader in ("pytest", "unittest") else check.argv if check.reader == "exit" else ()
    if given:
        words.append(f"with {shlex.join(given)}" if check.reader != "exit" else f"runs {shlex.join(given)}")
    if check.environment:
        words.append(f"sets {', '.join(name for name, _ in check.environment)}")
    if check.folder:
        words.append(f"in {check.folder}")
    if check.needs:
        words.append(f"needs {', '.join(check.needs)}")
    return "; ".join(words)


def _model(desk: Desk) -> Finding:
    """Say which model would be asked, and why; nothing is sent to it."""
    try:
        chosen = choose_model(desk.settings.model, desk, cost=desk.settings.max_cost)
    except AgentError as error:
        return Finding(name="model", ok=False, text=error.message, hint=error.hint)
    why = f"{chosen.model.name}, since {chosen.why}" if chosen.why else chosen.model.name
    notes = (note.removeprefix(ABOUT_MODEL) for note in chosen.notes)
    return Finding(name="model", ok=True, text="; ".join(filter(None, (why, chosen.known, *notes))))


def _hooks(directory: Path) -> Finding:
    """Say which hooks are ours, and whether they can run; a run needs none of them."""
    try:
        states = status(directory, ()).hooks
    except AgentError as error:
        return Finding(name="hooks", ok=True, text=error.message, hint=error.hint, aside=True)
    ours = [hook for hook in states if hook.state not in ("foreign", "missing")]
    odd = any(hook.state not in ("installed", "framed") for hook in ours)
    hint = "git agent hook status tells what is wrong" if odd else "" if ours else "git agent hook install"
    return Finding(name="hooks", ok=True, text=", ".join(hook.hook for hook in ours) or "none", hint=hint, aside=True)


def present(diagnosis: Diagnosis) -> None:
    """Print a diagnosis for a person."""
    table = Table(box=None, padding=(0, 2, 0, 0), show_edge=False, show_header=False)
    for finding in diagnosis.findings:
        glyph = Text("✓", style="green") if finding.ok else Text("✗", style="red")
        glyph = Text("·", style="dim") if finding.aside else glyph
        table.add_row(glyph, Text(finding.name), Text(finding.text + (f" ({finding.hint})" if finding.hint else "")))
    consoles.results().print(table)
