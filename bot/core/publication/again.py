"""How anybody runs a proof again: with git agent, and with nothing but git and the project's own tools."""

import re
import shlex
from collections.abc import Iterator, Sequence

from bot.core.account import live
from bot.core.check import Check, Rung
from bot.core.escape import fence, size
from bot.core.publication.sections import join, tell_command
from bot.core.publication.setting import Setting
from bot.core.report import Report

CASES = 3
"""Cases that are named in a command."""
LONGEST_CASE = 200
ROOM = 4_000
"""Characters of all commands together."""

# What needs no thought of a shell, a page or a terminal
_WORD = re.compile(r"[A-Za-z0-9_./:@+=,\[\]-]{1,200}")
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


def show_again(report: Report, setting: Setting) -> str:
    """Say which commands run the proof again, in the words of a shell."""
    ours = "\n".join(_ours(report, setting))
    theirs = "\n".join(_theirs(report, setting))
    said = "With git agent, which asks no model and changes nothing of your repository:"
    plain = "Without it, in a worktree of its own and with the project's environment active:"
    block = join((said, fence(ours, "sh"), plain, fence(theirs, "sh"))) if theirs else fence(ours, "sh")
    return block if size(block) <= ROOM else fence(ours, "sh")


def _ours(report: Report, setting: Setting) -> Iterator[str]:
    branch, run = setting.branch or report.branch, _quote(report.run)
    if _is_moved(report, setting):
        yield f"git fetch origin {_quote(branch)}"
        yield f"git agent verify {_quote(setting.base.now)}..{_quote(setting.tip)}"
    else:
        ref = f"refs/agent/runs/{run}"
        yield f"git fetch origin {ref}:{ref}"
        yield f"git agent verify {run}"
    if setting.pull:
        yield f"git agent verify {shlex.quote(f'#{setting.pull}')}  # or whatever this pull request holds by now"


def _is_moved(report: Report, setting: Setting) -> bool:
    return bool(setting.base.now) and setting.tip not in ("", report.tip)


def _theirs(report: Report, setting: Setting) -> Iterator[str]:
    moved = _is_moved(report, setting)
    base, tip = (setting.base.now, setting.tip) if moved else (report.base, report.tip)
    red = [*_tests(report, setting), *_readings(report, setting)]
    if not (red and live(report) and _COMMIT.fullmatch(base) and _COMMIT.fullmatch(tip)):
        return
    branch = setting.branch or report.branch
    yield f"git fetch origin {_quote(branch)}"
    yield f"git worktree add --detach ../proof {base} && cd ../proof"
    brought = _brought(report)
    if brought:
        yield "# The tests as they are with the change:"
        yield f"git checkout {tip} -- {shlex.join(brought)}"
    yield from ("# Without the change, these fail:", *red)
    yield f"git checkout --force --detach {tip}"
    yield from ("# With it, they pass:", *red)


def _tests(report: Report, setting: Setting) -> Iterator[str]:
    """Name the tests that were red and are green, where a test runner takes their names."""
    runners = [check for check in setting.checks if check.reader == "pytest" and not check.folder]
    named = [case for case in report.proof.green if "::" in case and _WORD.fullmatch(case) and ".py::" in case]
    if runners and named:
        yield f"{tell_command(_narrow(runners[0], named))} {shlex.join(named[:CASES])}"


def _narrow(check: Check, cases: Sequence[str]) -> Check:
    """Leave out folders and files that the command names and the cases are in: named beside them, all would run."""
    holds = {word for word in check.argv for case in cases if case.startswith((f"{word.rstrip('/')}/", f"{word}::"))}
    return check.model_copy(update={"argv": tuple(word for word in check.argv if word not in holds)})


def _readings(report: Report, setting: Setting) -> Iterator[str]:
    """Name the commands of checks that read the code, failed on the base and pass now."""
    failed = {check.name for check in report.baseline if check.status == "failed"}
    steps = live(report)
    passed = {check.name for check in (steps[-1].checks if steps else ()) if check.status == "passed"}
    for check in setting.checks:
        if check.name in failed & passed and check.rung.height < Rung.UNIT.height and (command := tell_command(check)):
            yield command


def _brought(report: Report) -> Sequence[str]:
    """Name the files of tests that the change itself brought or adapted."""
    if report.proof.mode not in ("written", "reverted"):
        return ()
    files = (case.partition("::")[0] for case in report.proof.green[:CASES])
    return tuple(path for path in dict.fromkeys(files) if _WORD.fullmatch(path))


def _quote(word: str) -> str:
    """Quote a word for a shell; one that is none of ours becomes a place to be filled in."""
    return word if _WORD.fullmatch(word) and not word.startswith("-") else "RUN"
