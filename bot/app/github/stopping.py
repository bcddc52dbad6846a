"""Listens to a page while a run works for it, and ends the run as ^C does when somebody who may says stop."""

import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Protocol

from bot.app.github.door import log
from bot.core.escape import line
from bot.core.hub import Comment, Permission
from bot.core.trigger.gate import Facts, Rules, find_concerned, refuse, refuse_event
from bot.core.trigger.order import read_order
from bot.core.trigger.trigger import Trigger
from bot.errors import AgentError, ForgeError

INTERVAL = 15.0
"""Seconds between two looks."""
AGAIN = 1.0
"""Seconds after which a run that did not hear it is told again: it may not have begun."""
QUEUE = 600.0
"""Seconds that a job may have waited before it began; what was said before that is not about it."""
PATIENCE = 1.0
"""Seconds that a look which is going on may delay the end."""


class Talk(Protocol):
    """What is said on a page, and by whom. Raises ForgeError."""

    def comments(self, number: int, since: float = 0.0) -> Sequence[Comment]:
        """List the comments that were written or changed since a moment."""
        ...

    def permission(self, login: str) -> Permission:
        """Say what somebody may do."""
        ...


@dataclass(slots=True)
class Stop:
    """What was heard."""

    by: str = ""
    """Login of who said stop; empty while nobody has."""
    comment: int = 0


@contextmanager
def watched(talk: Talk, trigger: Trigger, rules: Rules, *, interval: float = INTERVAL) -> Iterator[Stop]:
    """Listen for a stop on the page of an order for as long as the body works."""
    number = trigger.page
    now = time.time()
    # It may have been said while the job was waiting; a job that is started again is wanted again, whatever was said
    since = max(trigger.created or now, now - QUEUE)
    ear = Ear(talk, trigger.model_copy(update={"number": number}), rules, since)
    with listening(ear.hear, interval if number else None) as stop:
        yield stop


@dataclass(slots=True)
class Ear:
    """Finds an order to stop among new comments."""

    talk: Talk
    trigger: Trigger
    """The order that is carried out."""
    rules: Rules
    since: float
    """Seconds since 1970."""
    known: set[int] = field(default_factory=set)
    """Comments that were judged, by id."""

    def hear(self) -> Stop | None:
        """Look once. Raises ForgeError."""
        for comment in self.talk.comments(self.trigger.number, since=self.since):
            if comment.id in (*self.known, self.trigger.comment):
                continue
            stops = comment.created >= int(self.since) and self._stops(comment)
            # What could not be asked is judged the next time
            self.known.add(comment.id)
            if stops and comment.author is not None:
                return Stop(comment.author.login, comment.id)
        return None

    def _stops(self, comment: Comment) -> bool:
        order = read_order(comment.body)
        if order is None or order.verb != "stop" or order.fault:
            return False
        said = Trigger(
            event="issue_comment",
            action="created",
            repository=self.trigger.repository,
            number=self.trigger.number,
            comment=comment.id,
            text=comment.body,
            author=comment.author,
            sender=comment.author,
            created=comment.created,
            updated=comment.updated or comment.created,
        )
        refusal = refuse_event(said, order, self.rules)
        if refusal is None:
            asked = {login: self.talk.permission(login) for login in find_concerned(said, self.rules)}
            refusal = refuse(said, order, self.rules, Facts(time.time(), asked))
        if refusal is not None:
            log(f"not stopped by comment {comment.id} ({refusal.code}): {refusal.text}")
        return refusal is None


@contextmanager
def listening(hear: Callable[[], Stop | None], interval: float | None = INTERVAL) -> Iterator[Stop]:
    """Interrupt the body once something is heard; None for an interval listens to nothing.

    What the body does not hear, because it has not begun or is over, interrupts nobody else.
    """
    heard = Stop()
    if interval is None or threading.current_thread() is not threading.main_thread():
        yield heard
        return
    before = signal.getsignal(signal.SIGINT)

    def pass_on(number: int, frame: FrameType | None) -> None:
        if not heard.by and before is not signal.SIG_IGN:
            (before if callable(before) else signal.default_int_handler)(number, frame)

    signal.signal(signal.SIGINT, pass_on)
    watch = _Watch(hear, interval, heard)
    thread = threading.Thread(target=watch.run, name="git-agent-stop", daemon=True)
    try:
        thread.start()
        yield heard
    finally:
        watch.close()
        # What was sent by then arrives here, where it does no harm
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        signal.signal(signal.SIGINT, signal.SIG_DFL if before is None else before)
        thread.join(PATIENCE)


class _Watch:
    """Looks again and again, in a thread of its own."""

    def __init__(self, hear: Callable[[], Stop | None], interval: float, heard: Stop) -> None:
        self._hear, self._interval, self._heard = hear, interval, heard
        self._over, self._lock = threading.Event(), threading.Lock()
        self._deaf = False

    def run(self) -> None:
        """Look until it is over, and interrupt until that was heard."""
        wait = 0.0
        while not self._over.wait(wait):
            if not self._heard.by:
                self._look()
            if self._heard.by:
                self._interrupt()
            wait = min(AGAIN, self._interval) if self._heard.by else self._interval

    def _look(self) -> None:
        try:
            found = self._hear()
        except (ForgeError, OSError) as error:
            if not self._deaf:
                why = error.message if isinstance(error, AgentError) else str(error)
                log(f"the page cannot be read now, so nobody can stop the run there: {line(why)}")
            self._deaf = True
            return
        self._deaf = False
        if found is not None:
            log(f"{line(found.by, 60)} said stop")
            self._heard.comment, self._heard.by = found.comment, found.by

    def _interrupt(self) -> None:
        main = threading.main_thread().ident
        with self._lock:
            if main is not None and not self._over.is_set():
                signal.pthread_kill(main, signal.SIGINT)

    def close(self) -> None:
        """Let nothing be sent any more."""
        with self._lock:
            self._over.set()
