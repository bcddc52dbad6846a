"""Answers that stand above already: what is shown of them is shorter, and tells all the same."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.message import ToolCall
from bot.core.repeats import SAME, Reader, Writer
from bot.tools.files import number

READ = ToolCall(id="c1", name="read_file", arguments={"path": "a.py"})
LINES = tuple(f"value_{n} = compute({n})" for n in range(1, 41))


def answer(lines: tuple[str, ...], first: int = 1, last: int = 0, path: str = "a.py") -> str:
    last = min(last or len(lines), len(lines))
    more = [f"… go on with start={last + 1}"] if last < len(lines) else []
    head = f"{path}: lines {first}-{last} of {len(lines)}"
    return "\n".join([head, *number(lines[first - 1 : last], first), *more])


def changed(at: int, *new: str, instead: int = 1) -> tuple[str, ...]:
    return (*LINES[: at - 1], *new, *LINES[at - 1 + instead :])


def test_a_file_that_is_read_again_is_shown_by_what_changed() -> None:
    writer = Writer()
    assert writer.write(READ, answer(LINES)) == answer(LINES)
    head = "a.py: lines 1-{0} of {0}\n[as shown above, lines 1-40 of 40, {1}]"
    assert writer.write(READ, answer(changed(7, "x = 1"))) == f"{head.format(40, 'but for:')}\n    7│x = 1"
    longer = writer.write(READ, answer(changed(7, "x = 1", "y = 2")))
    assert longer == f"{head.format(41, 'but for:')}\n    7│x = 1\n    8│y = 2\n[lines 9-41 are lines 8-40 there]"
    shorter = writer.write(READ, answer(changed(7, instead=2)))
    assert shorter == f"{head.format(38, 'but for:')}\n[lines 7-38 are lines 9-40 there]"
    assert writer.write(READ, answer(LINES)) == head.format(40, "unchanged")


def test_a_page_of_what_was_read_is_shown_by_it_with_its_last_line() -> None:
    writer = Writer()
    writer.write(READ, answer(LINES))
    shown = writer.write(READ, answer(LINES, 10, 30))
    assert shown == "a.py: lines 10-30 of 40\n[as shown above, lines 1-40 of 40, unchanged]\n… go on with start=31"


def test_a_file_is_shown_whole_where_most_of_it_changed_or_the_model_asks_again_at_once() -> None:
    writer = Writer()
    writer.write(READ, answer(LINES))
    other = answer(tuple(line.upper() if n % 3 else line for n, line in enumerate(LINES)))
    assert writer.write(READ, other) == other
    assert writer.write(READ, other) != other
    assert writer.write(READ, other) == other
    assert writer.write(READ, other) != other
    elsewhere = answer(LINES, path="b.py")
    assert writer.write(READ, elsewhere) == elsewhere


def test_the_same_answer_to_the_same_call_is_named() -> None:
    writer, reader, found = Writer(), Reader(), "\n".join(LINES)
    calls = [ToolCall(id=f"c{n}", name="search_text", arguments={"pattern": p}) for n, p in enumerate("aab")]
    shown = [writer.write(call, found) for call in calls]
    assert shown == [found, SAME, found]
    assert [reader.read(call, text) for call, text in zip(calls, shown, strict=True)] == [found] * 3
    assert writer.write(calls[0], f"{found}\nmore") == f"{found}\nmore"
    assert writer.write(ToolCall(id="c", name="show_changes"), "nothing changed") == "nothing changed"
    assert writer.write(ToolCall(id="c", name="show_changes"), "nothing changed") == "nothing changed"


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_all_of_a_file_can_be_made_out_from_what_is_shown_after_any_edits(data: st.DataObject) -> None:
    words = st.sampled_from(
        ["", "x = 1", "  │ y", "    1│x", "[lines 1-2 are lines 3-4 there]", "a" * 30, "b" * 30, "… go on with start=3"]
    )
    lines = tuple(data.draw(st.lists(words, min_size=1, max_size=40)))
    writer, reader, shorter = Writer(), Reader(), 0
    for _ in range(8):
        first = data.draw(st.integers(1, len(lines)))
        last = data.draw(st.integers(first, len(lines)))
        whole = answer(lines, *data.draw(st.sampled_from([(1, 0), (first, last)])))
        shown = writer.write(READ, whole)
        assert reader.read(READ, shown) == whole
        shorter += shown != whole
        at = data.draw(st.integers(0, len(lines)))
        new = data.draw(st.lists(words, max_size=3))
        lines = (*lines[:at], *new, *lines[at + data.draw(st.integers(0, 3)) :]) or ("",)


@given(st.text(max_size=80), st.integers(0, 10**12), st.integers(0, 10**12))
def test_what_looks_like_a_shorter_answer_and_is_none_is_left_as_it_is(text: str, first: int, last: int) -> None:
    for odd in (
        text,
        "\n".join(
            (
                f"a.py: lines 1-{last} of 9",
                "[as shown above, lines 1-40 of 40, but for:]",
                f"[lines {first}-{last} are lines 1-2 there]",
            )
        ),
    ):
        assert Reader().read(READ, odd) == odd
    reader = Reader()
    reader.read(READ, answer(LINES))
    assert len(reader.read(READ, odd)) < 100_000
    assert re.search("value_1", reader.read(READ, answer(LINES)))
