"""A reply that is coming, on the live line: what of it can be shown, and what must not be."""

import io

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from bot.core.event import Started
from bot.core.message import Progress, Reply, Searching, Usage
from bot.core.redact import Redactor
from bot.core.talk import Replied, Retried
from bot.core.task import Limits, Task
from bot.trace.incoming import WIDTH, Meter, tell
from bot.trace.terminal import Terminal

SECRET = "hunter2-hunter3-hunter4"
HIDING = Redactor((SECRET,))
KEPT = 400


def test_the_last_whole_words_are_shown_on_one_line_and_a_call_by_its_name_and_size() -> None:
    assert tell(Progress("I look at\nthe file no", "", 21), HIDING) == "I look at the file"
    assert tell(Progress("", "edit_file", 1234), HIDING) == "writing edit_file, 1.2 k characters"
    assert tell(Progress("", "\x1b]0;evil\x07rm", 3), HIDING) == "writing rm, 3 characters"
    assert (tell(Progress(), HIDING), tell(Progress("Wel", "", 3), HIDING)) == ("thinking", "thinking, 3 characters")
    long = tell(Progress("many words \x1b[31mand more " * 20, "", 900), HIDING)
    assert (long[0], len(long) <= WIDTH, "\x1b" in long, "\n" in long) == ("…", True, False, False)


@given(st.text(max_size=30), st.text(max_size=30), st.integers(1, 500))
def test_a_secret_that_comes_in_pieces_is_never_shown_in_any(before: str, after: str, padding: int) -> None:
    whole = f"{'word ' * padding}{before} {SECRET} {after}"
    for end in range(len(whole) - len(after) - len(SECRET) - 2, len(whole) + 1):
        shown = tell(Progress(whole[:end][-KEPT:], "", end), HIDING)
        assert not any(part in shown for part in ("hunter2", "hunter3", "hunter4"))


def test_a_search_tells_how_many_candidates_it_tried_where_it_looks_and_how_long_it_may_take() -> None:
    assert tell(Searching(0, "", 60.0), HIDING) == "searching: 0 candidates tried, 60 s left"
    told = tell(Searching(1234, f"calc\x1b[2J.py{SECRET}:12", 41.6, found=2), HIDING)
    assert told.startswith("searching: 1,234 candidates tried, 2 found, 42 s left, at calc.py")
    assert (SECRET in told, "\x1b" in told) == (False, False)


def test_a_live_line_tells_turns_tokens_and_money_so_far() -> None:
    meter = Meter()
    meter.most = 9
    assert (str(meter), meter.ahead) == ("", "turn 1 of 9")
    meter.add(Replied(reply=Reply(usage=Usage(input=1_500, output=100, cost=0.02))))
    meter.add(Retried(error="cut", message="", usage=Usage(input=1_000_000, cost=0.1)))
    assert str(meter) == "turn 1 of 9, 1.0 M tokens, $0.12"
    meter.most = 1
    assert meter.ahead == "turn 1 of 1, 1.0 M tokens, $0.12"


def test_what_comes_is_shown_to_a_person_and_to_nobody_else() -> None:
    started = Started(run="r1", task=Task(goal="g", base="b" * 40, limits=Limits(turns=7)), branch="agent/r1")
    for watched in (True, False):
        console = Console(file=io.StringIO(), force_terminal=watched, width=100, color_system=None)
        with Terminal(console).hiding(HIDING) as terminal:
            terminal.record(started)
            terminal.watch(Progress(f"the key is {SECRET} and more", "", 40))
            terminal.watch(Progress("", "edit_file", 1234))
        assert isinstance(console.file, io.StringIO)
        shown = console.file.getvalue()
        assert ("writing edit_file, 1.2 k characters  (turn 1 of 7)" in shown) is watched
        assert SECRET not in shown


def test_the_choice_of_a_model_is_told_where_nobody_named_it() -> None:
    console = Console(file=io.StringIO(), width=100)
    Terminal(console).tell_choice("offline", "no key of a service is set")
    Terminal(console).tell_choice("offline", "")
    assert isinstance(console.file, io.StringIO)
    assert console.file.getvalue() == "offline, since no key of a service is set\n"
