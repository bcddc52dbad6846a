import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.publication.marker import LONGEST, Attempt, State, marker, read_marker

ATTEMPT = Attempt(run="r1", job="7", at=1_733_000_000.5, head="a" * 40, tip="b" * 40, outcome="verified")
STATE = State(kind="pull", issue=12, branch="agent/fix-r1", pull=13, attempts=(ATTEMPT,))


def test_a_state_is_read_back_from_the_text_around_it() -> None:
    assert read_marker(f"words\n\n{marker(STATE)}\nmore") == STATE
    assert read_marker(marker(State(issue=1)) + marker(STATE)) == STATE
    assert STATE.tried("a" * 40) == 1
    assert STATE.tried("c" * 40) == 0


@given(st.text(max_size=80), st.text(max_size=20))
def test_a_marker_cannot_be_left(branch: str, outcome: str) -> None:
    state = State(branch=branch, attempts=(Attempt(outcome=outcome),))
    text = marker(state)
    assert text.startswith("<!-- git-agent {")
    inner = text.removeprefix("<!--").removesuffix("-->")
    assert not set(inner) & set("<>&@#`*\n\r")
    assert "--" not in inner
    assert inner.isascii()
    read = read_marker(f"a\r\n{text}\r\n")
    assert read is not None
    assert (read.branch.encode("utf-16", "surrogatepass"), read.attempts) == (
        branch.encode("utf-16", "surrogatepass"),
        state.attempts,
    )


def test_the_oldest_attempts_are_forgotten_first() -> None:
    attempts = tuple(ATTEMPT.model_copy(update={"run": f"r{n}"}) for n in range(500))
    text = marker(State(attempts=attempts))
    assert len(text) <= LONGEST
    read = read_marker(text)
    assert read is not None
    assert read.attempts == attempts[-len(read.attempts) :]
    assert len(read.attempts) > 10


@pytest.mark.parametrize(
    "text",
    [
        "",
        "<!-- git-agent -->",
        "<!-- git-agent {} } -->",
        "<!-- git-agent {nonsense} -->",
        '<!-- git-agent {"issue": -1} -->',
        '<!-- git-agent {"kind": "other"} -->',
        '<!-- git-agent {"attempts": 3} -->',
        "<!-- git-agent {" + '"a":[' * 3_000 + " -->",
        "> quoted {}",
    ],
)
def test_what_is_no_marker_is_none(text: str) -> None:
    assert read_marker(text) is None


def test_what_a_later_version_added_is_passed_over() -> None:
    said = {"version": 2, "issue": 4, "new": [1], "attempts": [{"run": "r", "extra": 1}, {"head": "no commit"}, 7]}
    assert read_marker(f"<!-- git-agent {json.dumps(said)} -->") == State(
        version=2, issue=4, attempts=(Attempt(run="r"),)
    )


def test_a_mark_that_somebody_repeats_is_not_the_end_of_a_text_of_ours() -> None:
    mark = marker(STATE)
    assert read_marker(f"words\n\n{mark}\n", last=True) == STATE
    for text in (f"You said {mark}", f"{mark}\n\nThanks", f"{mark}\n{mark}", f"> {mark}", "words"):
        assert read_marker(text, last=True) is None
