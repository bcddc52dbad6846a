"""What a person allowed is what they saw: the questions that their order names, if it names any."""

import pytest

from bot.app.github.door import Call, Door
from bot.app.github.grounds import find_grants
from bot.core.allowance import seal
from bot.core.approval import Decision, Question
from bot.core.event import Decided, Started
from bot.core.task import Task
from bot.core.trigger.order import read_order
from bot.core.trigger.trigger import Account, Trigger
from bot.errors import UsageError

ASKED = Question(risk="delete", subject="old.py", why="deletes old.py")
WAITS = Decided(at=2.0, call_id="c1", decision=Decision(question=ASKED, answer="wait", by="policy", tree="a" * 40))
KEPT = (Started(at=1.0, run="r1", task=Task(goal="x", base="b" * 40), branch="agent/x-r1", model="none"), WAITS)


def door(words: str) -> Door:
    order = read_order(words)
    assert order is not None
    author = Account(id=1, login="ann", kind="User")
    trigger = Trigger(event="issue_comment", repository="o/n", number=1, text=words, author=author)
    return Door(Call("issue_comment", b"{}", "o/n", "http://localhost", "http://localhost"), trigger, order)


@pytest.mark.parametrize("words", ["/agent approve", f"/agent approve {seal([WAITS])}", "/agent approve looks good"])
def test_what_waits_is_allowed_by_whoever_says_so(words: str) -> None:
    (given,) = find_grants(door(words), KEPT)
    assert (given.allowed, given.by, given.who, given.question) == (True, "person", "ann", ASKED)


def test_an_order_for_other_questions_allows_nothing() -> None:
    with pytest.raises(UsageError, match="not what the run waits for"):
        find_grants(door(f"/agent approve {'0' * 10}"), KEPT)
    assert find_grants(door("/agent fix"), KEPT) == ()
    assert find_grants(door("/agent approve 0000000000"), ()) == ()
