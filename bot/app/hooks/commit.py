"""Judges the commit that git is about to make, and holds a mended one ready where it fails."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

from rich.text import Text

from bot.app import consoles
from bot.app.bay import choose_bay
from bot.app.desk import settle
from bot.app.hooks import telling
from bot.app.hooks.given import Given, Terminal, open_terminal
from bot.app.hooks.sealing import keep_seal
from bot.app.hooks.seals import Seal
from bot.app.proving.judge import finish
from bot.app.signals import interruptible
from bot.core.check import Check
from bot.core.hook import Sifted
from bot.git.audit import changes
from bot.git.candidate import find_candidate
from bot.git.contents import GitContents
from bot.git.hooked import read_hooked
from bot.git.repository import open_repository
from bot.git.stand import open_stand
from bot.verify.fast.sift import Question, Sieve, sift


def judge_commit(directory: Path, terminal: Terminal = open_terminal) -> int:
    """Judge what is about to be committed; 1 refuses it. Raises UsageError."""
    with interruptible():
        hooked = read_hooked(os.environ, directory)
        repository = open_repository(directory, hooked, unborn=True)
        candidate = find_candidate(repository, hooked)
        if candidate.tree == candidate.base:
            return 0
        # Before a first commit the project can only speak through what is about to be one
        desk = settle(repository, {}, candidate.head or candidate.tree)
        given = Given(hooked, candidate, desk, choose_bay(desk), time.time(), terminal)
        sieve, asked = _sift(given)
        if sieve.sifted.ok:
            return _pass(given, sieve.sifted, asked)
        lines = [*telling.tell_failure(sieve.sifted), *telling.tell_notes(sieve.sifted)]
        _show(lines)
        if desk.settings.hook_fix == "off":
            return _refuse(given, asked, lines, ())
        # What mends takes a while to load, and most commits need none
        return _refuse(given, asked, lines, import_module("bot.app.hooks.mend").mend(given, sieve, asked))


def _sift(given: Given) -> tuple[Sieve, Sequence[Check]]:
    """Ask the quick checks, with a live line where a person looks on; return as well all that could be asked."""
    desk, candidate = given.desk, given.candidate
    with open_stand(desk.repository) as stand, _live("judging the commit") as tell:
        with stand.clean(candidate.tree) as root:
            ladder = given.bay.ladder(root, desk.settings.checks, reuse=True)
        files = changes(desk.repository, candidate.base, candidate.tree).files
        contents, wish = GitContents(desk.repository), desk.settings
        question = Question(
            candidate.tree, candidate.base, files, wish.hook_seconds, stand.kept, contents, wish.hook_rung
        )
        return finish(sift(ladder, stand, question), lambda check: tell(check.name)), ladder.checks


@contextmanager
def _live(words: str) -> Iterator[Callable[[str], None]]:
    console = consoles.progress()
    if not console.is_interactive:
        yield lambda _: None
        return
    with console.status(words) as status:
        yield lambda name: status.update(f"{words}: {name}")


def _pass(given: Given, sifted: Sifted, asked: Sequence[Check]) -> int:
    """Let the commit through, with a word on what was not looked at."""
    notes = list(telling.tell_notes(sifted))
    _show(notes)
    if consoles.progress().is_interactive and not notes:
        _show([telling.tell_pass(sifted)])
    if not sifted.unjudged:
        _seal(given, asked, 0, notes)
    return 0


def _refuse(given: Given, asked: Sequence[Check], lines: Sequence[Text], mended: Sequence[Text] | None) -> int:
    """Refuse the commit; None for what would mend it means that it is mended already."""
    if mended is None:
        return 0
    rest = [*mended, telling.tell_way_out()]
    _show(rest)
    _seal(given, asked, 1, [*lines, *rest])
    return 1


def _show(lines: Sequence[Text]) -> None:
    console = consoles.progress()
    for line in lines:
        console.print(line, soft_wrap=True)


def _seal(given: Given, asked: Sequence[Check], code: int, lines: Sequence[Text]) -> None:
    text = "".join(f"{line.plain.rstrip()}\n" for line in lines)
    seal = Seal(code, text)
    keep_seal(given.desk.repository, given.bay, given.candidate, seal, checks=asked, begun=given.begun)
