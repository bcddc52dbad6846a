"""Asks the quick checks of a commit, and answers git where nothing has to be said."""

import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from importlib import import_module

from bot.app.bay import choose_bay
from bot.app.desk import settle
from bot.app.hooks.asked import Asked
from bot.app.hooks.given import Given
from bot.app.hooks.sealing import keep_seal
from bot.app.hooks.seals import Seal
from bot.app.onlooker import on_terminal
from bot.app.stepping import finish
from bot.core.check import Check
from bot.core.hook import Sifted
from bot.git.contents import GitContents
from bot.git.listing import list_changes
from bot.git.stand import Stand
from bot.sandbox.trial import Trial
from bot.verify.fast.sift import Question, Side, Sieve, sift


def judge(asked: Asked, stand: Stand) -> int:
    """Judge a commit in a folder that is made ready for it; 1 refuses it. Raises UsageError."""
    repository, candidate = asked.repository, asked.candidate
    # Before a first commit the project can only speak through what is about to be one
    desk = settle(repository.plain, {}, candidate.head or candidate.tree)
    trial = Trial(stand.kept / "isolation") if stand.kept is not None else None
    given = Given(asked.hooked, candidate, desk, choose_bay(desk, trial), asked.begun, asked.terminal)
    sieve, checks = _sift(given, stand)
    if sieve.sifted.unjudged and trial is not None:
        trial.forget()
    if sieve.sifted.ok and not _has_to_be_told(sieve.sifted):
        keep_seal(desk.repository, given.bay, candidate, Seal(0, ""), checks=checks, begun=given.begun)
        return 0
    # What speaks and mends takes a while to load, and of most commits nothing has to be said
    answering = import_module("bot.app.hooks.answering")
    code: int = answering.answer(given._replace(desk=replace(desk, repository=repository)), sieve, checks)
    return code


def _has_to_be_told(sifted: Sifted) -> bool:
    compared = sifted.verdict.comparison
    return on_terminal(sys.stderr) or bool(sifted.unjudged or sifted.old or compared.flaky or compared.complained)


def _sift(given: Given, stand: Stand) -> tuple[Sieve, Sequence[Check]]:
    """Ask the quick checks, with a live line where a person looks on; return as well all that could be asked."""
    desk, candidate = given.desk, given.candidate
    with stand.clean(candidate.tree) as root:
        ladder = given.bay.ladder(root, desk.settings.checks, reuse=True)
    with _live("judging the commit") as tell:
        steps = sift(ladder, stand, _question(given, stand))
        return finish(steps, lambda check: tell(check.name)), ladder.checks


def _question(given: Given, stand: Stand) -> Question:
    repository, candidate, wish = given.desk.repository, given.candidate, given.desk.settings

    def held_against(tree: str) -> Side:
        return Side(tree, list_changes(repository, tree, candidate.tree))

    others = [repository.git.line("rev-parse", "--verify", f"{other}^{{tree}}") for other in candidate.others]
    return Question(
        candidate.tree,
        candidate.base,
        list_changes(repository, candidate.base, candidate.tree),
        wish.hook_seconds,
        stand.kept,
        GitContents(repository),
        wish.hook_rung,
        tuple(map(held_against, others)),
    )


def _live(words: str) -> AbstractContextManager[Callable[[str], None]]:
    if not on_terminal(sys.stderr):
        return nullcontext(lambda _: None)
    line: AbstractContextManager[Callable[[str], None]] = import_module("bot.app.hooks.live").live(words)
    return line
