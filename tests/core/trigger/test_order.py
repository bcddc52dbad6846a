"""Which comments are orders, and what they say."""

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bot.core.trigger.options import MOST_GLOBS, Limit
from bot.core.trigger.order import VERBS, Order, read_order
from bot.core.unseen import INVISIBLE

ORDER = Order("fix")
LIVE = re.compile(r"^\s*/agent\b", re.MULTILINE | re.IGNORECASE)


def read(text: str) -> Order:
    order = read_order(text)
    assert order is not None
    return order


ORDERS = (
    "/agent fix",
    "/Agent Fix",
    "/AGENT FIX",
    "  /agent   fix  ",
    "/agent\tfix",
    "/agent\u00a0fix",
    "\n\n/agent fix\n\n",
    "\r\n/agent fix\r\n",
    "<!-- a note\n/agent plan -->\n/agent fix",
    "```\n/agent plan\n```\n/agent fix",
    "    /agent plan\n\n/agent fix",
    "\u200b/agent fix",
    "\ufeff/ag\u2060ent fix\u200b",
    "\u200b\n/agent fix",
    "[a]: https://x.example\n\n/agent fix",
    "/agent fix\n---",
    "/agent fix.",
)


def test_the_first_line_that_shows_as_plain_text_is_an_order() -> None:
    assert [text for text in ORDERS if read_order(text) != ORDER] == []


NOTHING = (
    "",
    "Could you please /agent fix this?",
    "Hello\n/agent fix",
    "Hello\n\n/agent fix",
    "Hello\r/agent fix",
    "Hello\u2028/agent fix",
    "Hello\x0b/agent fix",
    "Hello\x0c/agent fix",
    "> /agent fix",
    "> Somebody said\n/agent fix",
    ">/agent fix",
    "> > /agent fix",
    "   > /agent fix",
    "```\n/agent fix\n```",
    "```\n/agent fix",
    "~~~ text\n/agent fix\n~~~",
    "    /agent fix",
    "\t/agent fix",
    "`/agent fix`",
    "- /agent fix",
    "1. /agent fix",
    "- a\n\n  /agent fix",
    "# /agent fix",
    "**/agent fix**",
    "[/agent fix](https://x.example)",
    "\\/agent fix",
    "&#47;agent fix",
    "&#8203;/agent fix",
    "<!-- /agent fix -->",
    "<!--\n/agent fix\n-->",
    "<!-- --> /agent fix",
    "<!--\n\n/agent fix",
    "<details>\n/agent fix\n</details>",
    "<p hidden>\n\n/agent fix",
    "<!-- a --> b\n/agent fix",
    "| a |\n/agent fix",
    "[^1]: /agent fix",
    "***\n/agent fix",
    "/agents fix",
    "/agentfix",
    "/agent\u200bfix",
    "/agent-fix",
    "/agent/fix",
    "//agent fix",
    "@agent fix",
    "/\u0430gent fix",
    "\u202e/agent fix",
    "/agent\u202e fix",
    "\u200f/agent fix",
    "\u2066/agent fix\u2069",
    "".join(chr(0xE0000 + ord(c)) for c in "/agent fix"),
    "\x00/agent fix",
)


def test_all_else_is_nothing_for_us() -> None:
    assert [text for text in NOTHING if read_order(text)] == []


def test_each_verb_is_known() -> None:
    assert [read(f"/agent {verb}") for verb in VERBS] == [Order(verb) for verb in VERBS]


MISTAKES = (
    ("/agent", "There is nothing behind the name"),
    ("/agent  \n\nfix", "There is nothing behind the name"),
    ("/agent fixture", "There is no `fixture`; did you mean `fix`?"),
    ("/agent fix-it", "There is no `fix-it`; did you mean `fix`?"),
    ("/agent fi\u3164x", "did you mean `fix`?"),
    ("/agent \u017ftop", "did you mean `stop`?"),
    ("/agent deploy", "it may be `fix`, `plan`"),
    ("/agent /agent fix", "There is no `/agent`"),
    ("/agent `x<img>@you`", "There is no `` `x<img>@you` ``"),
    ("/agent fix --max-cots 2", "There is no option `--max-cots`"),
    ("/agent fix --max-cots 2", "did you mean `--max-cost`?"),
    ("/agent fix what pytest --lf says", "what belongs to the task goes between backticks"),
    ("/agent fix --max-cost", "`--max-cost` takes a number from 0 up."),
    ("/agent fix --max-cost --max-turns 3", "`--max-cost` takes a number from 0 up."),
    ("/agent fix --max-cost=", "`--max-cost` takes a number from 0 up."),
    ("/agent fix --max-cost two", "not `two`."),
    ("/agent fix --max-cost -1", "not `-1`."),
    ("/agent fix --max-cost nan", "not `nan`."),
    ("/agent fix --max-cost inf", "not `inf`."),
    ("/agent fix --max-cost 1e999", "not `1e999`."),
    ("/agent fix --max-cost \u0662", "not `\u0662`."),
    ("/agent fix --max-turns 2.5", "`--max-turns` takes a whole number from 0 up, not `2.5`."),
    ("/agent fix --max-tokens " + "9" * 5_000, "`--max-tokens` takes a whole number"),
    ("/agent fix --scope", "behind `--scope` is no path"),
    ("/agent fix --scope ../secrets", "`../secrets` behind `--scope` is no path"),
    ("/agent fix --scope /", "is no path"),
    ("/agent fix --scope a\\b", "is no path"),
    ("/agent fix only touch .", "is no path"),
    ("/agent fix only touch", "has to be named by its path"),
    ("/agent fix only touch the parser", "has to be named by its path"),
    ("/agent fix " + "--scope x " * (MOST_GLOBS + 1), f"{MOST_GLOBS} paths at most"),
    ("/agent undo two", "`undo` takes the number of a step or nothing, not `two`."),
    ("/agent undo 0", "not `0`."),
    ("/agent undo 1 2", "not `1 2`."),
    ("/agent undo --max-cost 2", "`undo` takes the number"),
)


def test_a_mistake_is_told_in_one_sentence_that_is_no_order_itself() -> None:
    faults = [read(text).fault for text, _ in MISTAKES]
    assert [(fault, told) for fault, (_, told) in zip(faults, MISTAKES, strict=True) if told not in fault] == []
    for fault in faults:
        assert "\n" not in fault
        assert len(fault) < 400
        assert not LIVE.search(fault)
        assert read_order(fault) is None


def test_options_stand_anywhere_behind_the_verb_and_right_below() -> None:
    limits = (Limit("cost", 2.5), Limit("turns", 9.0), Limit("seconds", 0.5))
    for text in (
        "/agent fix --max-cost 2.5 --max-turns 9 --max-seconds .5",
        "/agent fix --max-cost=$2.50 the parser --max-turns=`9` --max-seconds 0.5",
        "/agent fix the parser\n--max-cost 2.5\n--max-turns 9 --max-seconds 0.5",
        "/agent fix \u2014max-cost 2.5 --MAX-TURNS 9 --max-seconds \u201c0.5\u201d the parser",
    ):
        order = read(text.replace(" .5", " 0.5"))
        assert (order.limits, order.fault) == (limits, "")
        assert order.words in ("", "the parser")
    assert read("/agent fix --max-steps 3 --max-steps 0").limits == (Limit("steps", 0.0),)


def test_code_is_never_an_option_and_words_stay_as_they_are_written() -> None:
    order = read("/agent fix: what `pytest --lf` says\nand `x--`\n\n```\n--max-cost 1\n```\n\n<b>**Now**</b>")
    assert order.words == "what `pytest --lf` says\n\nand `x--`\n\n```\n--max-cost 1\n```\n\n<b>**Now**</b>"
    assert order.limits == ()


@pytest.mark.parametrize(
    ("said", "scope", "words"),
    [
        ("only touch src/", ("src/**",), ""),
        ("only touch src/.", ("src/**",), ""),
        ("Only touch: `src/`, tests/test_it.py and docs", ("src/**", "tests/test_it.py", "docs"), ""),
        ("only touch README.md & .github/", ("README.md", ".github/**"), ""),
        ("only touch src", ("src",), ""),
        ("the parser, only touch src/ please", ("src/**",), "the parser, only touch src/ please"),
        ("only touch a/b.py --max-cost 1", ("a/b.py",), ""),
        ('--scope "a b/**" --scope=x/*.py --scope x/*.py', ("a b/**", "x/*.py"), ""),
        ("--scope x only touch y/", ("x", "y/**"), ""),
        ("what only touches the parser", (), "what only touches the parser"),
    ],
)
def test_what_may_be_touched_becomes_the_scope(said: str, scope: tuple[str, ...], words: str) -> None:
    order = read(f"/agent fix {said}")
    assert (order.scope, order.words, order.fault) == (scope, words, "")


def test_quotes_are_kept_apart_from_the_words() -> None:
    order = read("> This is wrong.\n\n/agent fix this\n\nSoon.\n\n> > older\n\n- a list\n  > kept inside")
    assert order.words == "this\n\nSoon.\n\n\n- a list\n  > kept inside"
    assert order.quoted == "> This is wrong.\n> > older"


def test_undo_takes_a_step_and_others_take_what_they_do_not_need() -> None:
    assert [read(f"/agent undo {said}").step for said in ("", "2", "step 3", "#4", "5.")] == [None, 2, 3, 4, 5]
    for text in ("/agent stop!!", "/agent stop --now", "/agent status please --verbose", "/agent help me"):
        assert read(text).fault == ""


LINES = st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=30)
PIECES = st.sampled_from(
    (
        "/agent",
        "fix",
        " ",
        "\n",
        ">",
        "`",
        "```",
        "--max-cost",
        "=",
        "2",
        "only touch",
        "src/",
        ",",
        "and",
        "<!--",
        "-->",
        "\t",
        "- ",
        "#",
        "\u200b",
        "\u202e",
        '"',
    )
)


@settings(max_examples=80)
@given(st.lists(PIECES | st.text(max_size=4), max_size=25).map("".join))
@example("/agent " + "x" * 80_000)
@example(">" * 70_000 + "/agent fix")
@example("/agent fix only touch " + "a/, " * 15_000)
@example("/agent fix " + '"`' * 30_000)
@example("<!--" * 17_000 + "/agent fix")
def test_no_text_breaks_the_reader_and_no_answer_is_an_order(text: str) -> None:
    order = read_order(text)
    if order is not None and order.fault:
        assert "\n" not in order.fault
        assert read_order(order.fault) is None


@settings(max_examples=60)
@given(st.lists(LINES, max_size=4), st.sampled_from(VERBS))
def test_a_quoted_or_fenced_order_is_never_one(before: list[str], verb: str) -> None:
    said = [*before, f"/agent {verb}"]
    assert read_order("\n".join(f"> {line}" for line in said)) is None
    ticks = "`" * 40
    assert read_order("\n".join((ticks, *said, ticks))) is None
    assert read_order("\n".join(f"    {line}" for line in ["x", *said])) is None


@settings(max_examples=60)
@given(
    st.dictionaries(st.sampled_from(("turns", "steps", "tokens")), st.integers(0, 999_999_999)),
    st.dictionaries(st.sampled_from(("cost", "seconds")), st.integers(0, 99_999_999).map(lambda n: n / 100)),
    st.lists(st.from_regex(r"[a-z*][a-z_*]{0,9}(/[a-z.*]{1,8}[a-z*])?", fullmatch=True), unique=True, max_size=5),
    st.sampled_from("= "),
)
def test_options_come_back_as_they_were_written(
    whole: dict[str, int], parts: dict[str, float], scope: list[str], gap: str
) -> None:
    wanted = {**whole, **parts}
    said = [f"--max-{name}{gap}{number}" for name, number in wanted.items()]
    said += [f"--scope{gap}{glob}" for glob in scope]
    order = read(f"/agent retry {' '.join(said)} now")
    assert dict(order.limits) == wanted
    assert (list(order.scope), order.words, order.fault) == (scope, "now", "")


@given(
    st.text(
        st.sampled_from(sorted(set(re.findall(f"[{INVISIBLE}]", "".join(map(chr, range(0x20, 0x2100))))))),
        min_size=1,
        max_size=3,
    )
)
def test_what_nobody_sees_alone_makes_no_order(hidden: str) -> None:
    """It may be overlooked, or make a line none; it never turns into letters or gaps of an order."""
    assert read_order(f"/agent{hidden}fix") is None
    assert read_order(f"{hidden}/agent fix") in (ORDER, None)
    assert read_order(f"x{hidden}/agent fix") is None
