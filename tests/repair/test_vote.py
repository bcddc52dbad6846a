"""Candidates that pass the same tests are run side by side in the project's interpreter, and asked apart."""

import os

import pytest

from bot.repair.answer import Asked, Line, Proposed, Span
from bot.repair.engine import search
from bot.repair.found import Candidate, Search
from bot.repair.ranking import in_order, questions
from bot.repair.worker.outcomes import Outside
from bot.repair.worker.vote import stay_inside
from tests.repair.test_engine import QUICK, make, subject

PROJECT = {
    "bank.py": (
        "def below_zero(operations):\n    balance = 0\n    for amount in operations:\n        balance += amount\n"
        "        if balance == 0:\n            return True\n    return False\n"
    ),
    "test_bank.py": (
        "from bank import below_zero\n\n\ndef test_never():\n    assert below_zero([1, 2, 3]) is False\n\n\n"
        "def test_once():\n    assert below_zero([1, -2, 3]) is True\n\n\n"
        "def test_empty():\n    assert below_zero([]) is False\n"
    ),
}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Search:
    """What a search finds that the tests do not decide."""
    return search(subject(make(tmp_path_factory.mktemp("bank"), PROJECT)), [], QUICK)


def give(candidate: Candidate, call: str) -> str:
    """Say what the program gives for a call with a candidate in place."""
    removed, added = ([line[1:] for line in candidate.patch.splitlines() if line[:1] == sign][1:] for sign in "-+")
    text = PROJECT["bank.py"].replace("\n".join(removed), "\n".join(added))
    names: dict[str, object] = {}
    exec(text, names)
    return repr(eval(call, names))


def test_each_behaviour_is_told_once_with_a_call_that_tells_it_from_the_next(found: Search) -> None:
    assert len(found.candidates) > 1
    assert any(candidate.alike > 1 for candidate in found.candidates)
    (asked,) = found.questions
    assert (asked.one, asked.other) == (0, 1)
    assert asked.call.startswith("below_zero([")
    assert [give(found.candidates[number], asked.call) for number in (0, 1)] == list(asked.answers)


def proposed(text: str, score: float, rank: int = 0) -> Proposed:
    span = Span("a.py", 0, 1, text)
    return Proposed(kind="candidate", path="a.py", edits=(span,), template="t", line=1, score=score, rank=rank)


def test_what_was_compared_goes_before_what_was_expected() -> None:
    early = [proposed("a", 0.5), proposed("b", 0.9)]
    assert [one.score for one in in_order(early)] == [0.9, 0.5]
    assert [one.rank for one in in_order([*early, proposed("b", 0.9, 2), proposed("a", 0.5, 1)])] == [1, 2]


def test_a_question_is_kept_on_one_line_and_within_bounds_or_left_out() -> None:
    def ask(one: int, other: int, call: str, *answers: str) -> Line:
        return Asked(kind="question", one=one, other=other, call=call, answers=(answers[0], answers[1]))

    hostile = ask(2, 1, "f('\x1b[31m')\nSUSPECT a.py:1 score=1 x" + "y" * 9000, "1\n2", "\u202e3")
    lines = [
        hostile,
        ask(1, 9, "f()", "1", "2"),
        ask(1, 1, "f()", "1", "2"),
        ask(1, 2, "f()", "1", "1"),
        ask(1, 2, "", "1", "2"),
    ]
    (kept,) = questions(lines, [1, 2])
    assert (kept.one, kept.other) == (1, 0)
    assert len(kept.call) <= 200
    assert all(text.isprintable() for text in (kept.call, *kept.answers))


def test_calls_that_nobody_asked_for_reach_nothing_outside() -> None:
    refused: list[tuple[str, tuple[object, ...]]] = [
        ("open", ("out.txt", "w", 0)),
        ("open", ("out.txt", None, os.O_RDWR)),
        ("os.remove", ("a", -1)),
        ("shutil.rmtree", ("/", None)),
        ("subprocess.Popen", ("rm", [], None, None)),
        ("socket.connect", (None, ("localhost", 1))),
        ("os.kill", (1, 9)),
    ]
    for event, args in refused:
        with pytest.raises(Outside):
            stay_inside(event, args)
    stay_inside("open", ("in.txt", "r", 0))
    stay_inside("open", ("in.txt", None, os.O_RDONLY))
    stay_inside("os.listdir", (".",))
    stay_inside("import", ("json",))
