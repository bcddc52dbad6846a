"""Says what a hook found out about a commit, and refuses what makes something worse."""

from collections.abc import Sequence
from importlib import import_module

from rich.text import Text

from bot.app import consoles
from bot.app.hooks import telling
from bot.app.hooks.given import Given
from bot.app.hooks.sealing import keep_seal
from bot.app.hooks.seals import Seal
from bot.core.check import Check
from bot.core.hook import Sifted
from bot.verify.fast.sift import Sieve


def answer(given: Given, sieve: Sieve, checks: Sequence[Check]) -> int:
    """Say what there is to say; 1 refuses the commit. `checks` are all that could be asked of it."""
    # What a test says may hold what nobody else is to read
    sifted = given.bay.redactor.record(sieve.sifted)
    if sifted.ok:
        return _pass(given, sifted, checks)
    lines = [*telling.tell_failure(sifted), *telling.tell_notes(sifted)]
    _show(lines)
    mended = () if given.desk.settings.hook_fix == "off" else _mend(given, sieve, checks)
    if mended is None:
        # It is staged, as a person wished
        return 0
    rest = [*mended, telling.tell_way_out()]
    _show(rest)
    # Who wants to be asked whether to stage it is asked each time
    if given.desk.settings.hook_fix != "stage":
        _seal(given, checks, 1, [*lines, *rest])
    return 1


def _mend(given: Given, sieve: Sieve, checks: Sequence[Check]) -> Sequence[Text] | None:
    # A whole run is a lot to load, and what failed is shown before
    told: Sequence[Text] | None = import_module("bot.app.hooks.mend").mend(given, sieve, checks)
    return told


def _pass(given: Given, sifted: Sifted, checks: Sequence[Check]) -> int:
    """Let the commit through, with a word on what was not looked at; who is strict wants all to be."""
    notes = list(telling.tell_notes(sifted))
    if consoles.progress().is_interactive:
        _show(list(telling.tell_pass(sifted)))
    _show(notes)
    if not sifted.unjudged:
        _seal(given, checks, 0, notes)
    elif given.desk.settings.hook_strict:
        _show([telling.tell_strict(), telling.tell_way_out()])
        return 1
    return 0


def _show(lines: Sequence[Text]) -> None:
    console = consoles.progress()
    for line in lines:
        console.print(line, soft_wrap=True)


def _seal(given: Given, checks: Sequence[Check], code: int, lines: Sequence[Text]) -> None:
    text = "".join(f"{line.plain.rstrip()}\n" for line in lines)
    keep_seal(given.desk.repository, given.bay, given.candidate, Seal(code, text), checks=checks, begun=given.begun)
