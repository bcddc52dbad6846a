"""Tries calls that are no edits of lines: keeps what they did where the check is better off, else takes it back."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from bot.models.offline.dialogue import Talk
from bot.models.offline.replay import Act
from bot.models.offline.workshop import Workshop

MADE = ("created ", "patched ")


class Trial(NamedTuple):
    """Calls that change files, and those that take that back."""

    check: str
    acts: Sequence[Act]
    back: Sequence[Act]
    message: tuple[str, str]
    """Subject and body of the commit that it is to become."""


def try_out(shop: Workshop, trial: Trial, helps: Callable[[str], bool]) -> Talk[bool]:
    """Keep a change only when `helps` says so of what the check then answers, and the ladder agrees."""
    if not shop.fresh(repr(trial.acts)):
        return False
    shop.talk.texts.clear()
    *made, told = yield from shop.talk.ask(*trial.acts, shop.talk.check_act(trial.check), text=trial.message[0])
    told = yield from shop.talk.page(told)
    good = [answer.startswith(MADE) for answer in made]
    if all(good) and helps(told):
        outcome = yield from shop.talk.checkpoint(*trial.message)
        if outcome == "committed":
            shop.done.append(trial.message[0])
            return True
        if outcome != "refused":
            return False
    yield from _take_back(shop, trial, good)
    return False


def _take_back(shop: Workshop, trial: Trial, made: Sequence[bool]) -> Talk[None]:
    """Undo the calls that did something."""
    acts = [act for act, done in zip(trial.back, made, strict=True) if done]
    if acts:
        yield from shop.talk.ask(*acts, text="Taking that back.")
    yield from shop.talk.restore()
