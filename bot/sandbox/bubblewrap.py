"""Runs commands in namespaces of their own: they see one tree in the repository's place, and little else."""

import json
import os
import platform
import re
import shutil
import signal
from pathlib import Path

from bot.errors import SandboxUnavailable
from bot.protocols import Command, Completed
from bot.sandbox.carrying import find_carried, vacant
from bot.sandbox.environment import REPORT, compose
from bot.sandbox.footholds import Foothold, Footholds
from bot.sandbox.gitview import view
from bot.sandbox.launch import Launcher, Plan
from bot.sandbox.limits import Bounds
from bot.sandbox.mounts import (
    HOME,
    PACKAGE,
    PACKAGE_INSIDE,
    TEMPORARY,
    Tree,
    lay_out,
    lend,
    options,
)
from bot.sandbox.outcome import Ran, tell
from bot.sandbox.rewriting import Rewriting
from bot.sandbox.scratch import Scratch, private_folders
from bot.sandbox.seccomp import MACHINES, make_thin_filter
from bot.sandbox.site import Site
from bot.sandbox.start import refuse, refused

_NOT_RUN = re.compile(r"bwrap: execvp (.*): (No such file or directory|Not a directory|.*)\n?\Z")
_ENDING_SIGNALS = frozenset(range(1, 16)) | {signal.SIGXCPU, signal.SIGXFSZ, signal.SIGSYS}


class BubblewrapExecutor:
    """Mount, process, network, IPC and host-name namespaces, by way of the bwrap program."""

    isolation = "bubblewrap"

    def __init__(self, site: Site, bounds: Bounds | None = None) -> None:
        self.bounds = bounds or Bounds()
        self._common = site.common_dir.absolute()
        self._carry = tuple(site.carry)
        self._search = tuple(site.search)
        self._alias = str(site.repository.absolute())
        self._layout = lay_out(site)
        self._launcher = Launcher(self.bounds)
        self._footholds = Footholds()
        # For other machines we know no numbers of system calls
        self._filter = make_thin_filter() if platform.machine() in MACHINES else b""

    def prepare(self, number: int) -> None:
        """Do beforehand what so many commands at the same time would wait for. Raises SandboxUnavailable."""
        self._launcher.prepare(number)

    def execute(self, command: Command) -> Completed:
        """Run a command to its end and sweep its whole tree. Raises SandboxUnavailable."""
        program = shutil.which("bwrap")
        if program is None:
            raise SandboxUnavailable("bubblewrap is not installed", "for example: apt install bubblewrap")
        if command.folder and (reason := refuse(command)):
            return refused(reason, self.isolation)
        root = command.cwd.absolute()
        carried = self._carried(root)
        footholds = [Foothold(root / place, source.is_dir()) for source, place in carried]
        with private_folders() as scratch, self._footholds.hold(footholds):
            lent = lend(self._layout, command.mounts)
            git = view(root, self._common)
            tree = Tree(root, command.writable, command.network, git, carried, command.folder, lent)
            return self._read(self._launcher.launch(self._plan(program, command, tree, scratch)), command)

    def _carried(self, root: Path) -> tuple[tuple[Path, Path], ...]:
        repository = self._layout.repository
        inside = [path.relative_to(repository) for path in self._layout.readable if self._layout.within(path)]
        places = dict.fromkeys([*inside, *find_carried(repository, self._carry)])
        return tuple(
            (repository / place, place)
            for place in places
            if root == repository or self._footholds.ours(root / place) or vacant(root, place)
        )

    def _plan(self, program: str, command: Command, tree: Tree, scratch: Scratch) -> Plan:
        environment = compose(command.argv, command.environment, os.environ, HOME, TEMPORARY, self._search)
        status, told = (4, {REPORT: "3"}) if command.report else (3, {})
        names = (self._alias, str(tree.root), str(tree.root.resolve()))
        places = dict.fromkeys(names, str(self._layout.repository))
        if self._layout.within(PACKAGE) or PACKAGE.is_relative_to(tree.root):
            places[str(PACKAGE)] = PACKAGE_INSIDE
        places |= {str(loan.path): loan.inside for loan in tree.lent}
        rewriting = Rewriting(places)
        closed = ("--seccomp", str(status + 1)) if self._filter else ()
        prefix = [program, *options(self._layout, tree, scratch), "--json-status-fd", str(status), *closed, "--"]
        return Plan(
            [*prefix, *rewriting.rewrite_all(command.argv)],
            "/",
            rewriting.rewrite_values(environment) | told,
            command.timeout,
            pipes=1 + len(told),
            given=[self._filter] if self._filter else [],
            locked=False,
            tree=str(tree.root),
            heard=command.heard if command.report else None,
        )

    def _read(self, ran: Ran, command: Command) -> Completed:
        *report, status = ran.pipes
        code = exit_code(status)
        # It says first whom it has started: killed before that, it was no command that ended
        if code is None and ran.answer.ending == "exited" and (ran.returncode >= 0 or not status):
            ran, code = explain_failure(ran)
        returncode = ran.returncode if code is None or ran.answer.ending != "exited" else as_signal(code)
        return tell(ran, returncode, self.bounds, command.timeout, isolation=self.isolation, report=b"".join(report))


def exit_code(status: bytes) -> int | None:
    """Read the exit code out of bubblewrap's own account; None when the command never ran or never ended."""
    for line in status.decode("utf-8", "replace").splitlines():
        if '"exit-code"' in line:
            return int(json.loads(line)["exit-code"])
    return None


def as_signal(code: int) -> int:
    """Read 128 + n as signal n: bubblewrap tells an end by signal so, and an exit with such a code looks the same."""
    return 128 - code if code - 128 in _ENDING_SIGNALS else code


def explain_failure(ran: Ran) -> tuple[Ran, int]:
    """Tell a program that could not be started from a sandbox that could not be made. Raises SandboxUnavailable."""
    failed = _NOT_RUN.search(ran.printed.text)
    if failed is None:
        lines = [line for line in ran.printed.text.splitlines() if line.strip()]
        raise SandboxUnavailable(f"the sandbox could not be made: {lines[-1] if lines else 'bubblewrap said nothing'}")
    name, why = failed.groups()
    missing = why in ("No such file or directory", "Not a directory")
    text = f"{name}: {'no such program' if missing else f'cannot be run: {why}'}\n"
    return ran._replace(printed=ran.printed._replace(text=text)), 127 if missing else 126
