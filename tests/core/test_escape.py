import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.escape import GAP, THIN, clip, code, fence, inline, line, plain, size, table

NASTY = st.text(st.one_of(st.characters(codec="utf-8"), st.sampled_from("`@#<>[]()!*_~|\\\n\r&:/1a ")), max_size=80)


def test_line_is_one_bounded_line() -> None:
    assert line("  a\n\tb\u2028c\x1b[31m d  ") == "a b c d"
    assert line("x" * 300) == "x" * 199 + "…"
    assert line("word " * 50, 10) == "word word…"


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("@team/core", f"@{GAP}team/core"),
        ("a@b.example", f"a@{GAP}b.example"),
        ("Fixes #12", f"Fixes #{GAP}12"),
        ("owner/repo#12", f"owner/repo#{GAP}12"),
        ("GH-12", f"GH-{GAP}12"),
        ("closes https://github.com/o/r/issues/1", f"closes https:{GAP}//github.com/o/r/issues/1"),
        ("www.example.com", f"www&#46;{GAP}example.com"),
        ("mailto:x", f"mailto:{GAP}x"),
        ("1http://a _www.a", f"1http:{GAP}//a \\_www&#46;{GAP}a"),
        ("<img src=x onerror=y>", "&lt;img src=x onerror=y&gt;"),
        ("</details>", "&lt;/details&gt;"),
        ("<!-- hidden -->", "&lt;!-- hidden --&gt;"),
        ("![x](y)", "!\\[x\\](y)"),
        ("a & b", "a &amp; b"),
        ("&#64;team", f"&amp;#{GAP}64;team"),
        ("# title", "\\# title"),
        (":- | x", "\\:- \\| x"),
        ("so :tada: it", f"so :{GAP}tada: it"),
        ("- item", "\\- item"),
        ("1. item", f"1{GAP}. item"),
        ("a|b", "a\\|b"),
        ("`code` *b* _i_ ~s~ $m$", "\\`code\\` \\*b\\* \\_i\\_ \\~s\\~ \\$m\\$"),
        ("back\\slash", "back\\\\slash"),
        ("evil\u202etxt\u200b", "eviltxt"),
        ("red-green (fine)", "red-green (fine)"),
    ],
)
def test_inline_text_shows_as_it_is_and_calls_nobody(text: str, escaped: str) -> None:
    assert inline(text) == escaped


@given(NASTY)
def test_inline_text_holds_nothing_that_a_forge_acts_on(text: str) -> None:
    escaped = inline(text)
    assert "\n" not in escaped
    assert not re.search(r"@\w|#\d(?!\d*;)|<|>|(?<!\\)\||://", escaped.replace(GAP, "\0"))
    assert not re.search(r"(?<!\\)(?:\\\\)*[`*_\[\]]", escaped)


def shown(block: str) -> str:
    ticks = len(block) - len(block.lstrip("`"))
    assert block.startswith("`" * ticks)
    assert block.endswith("`" * ticks)
    return block[ticks:-ticks]


@given(NASTY)
def test_code_cannot_be_left(text: str) -> None:
    span = code(text)
    ticks = len(span) - len(span.lstrip("`"))
    assert not re.search(rf"(?<!`)`{{{ticks}}}(?!`)", shown(span))
    assert "\n" not in span


def test_code_keeps_the_text() -> None:
    assert code("a/b.py") == "`a/b.py`"
    assert code("`x`") == "`` `x` ``"
    assert code("a|b") == "`a|b`"
    assert code("") == "` `"


@given(NASTY, NASTY)
def test_fence_cannot_be_left(first: str, second: str) -> None:
    block = fence(f"{first}\n```\n~~~~\n{second}", "diff")
    head, *body, tail = block.split("\n")
    ticks = head.removesuffix("diff")
    assert set(ticks) == {"`"}
    assert tail == ticks
    assert not any(text.strip().startswith(ticks) for text in body)


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ("x [skip ci] y", f"x [{THIN}skip ci] y"),
        ("# Fixes #12, resolves: o/r#3", f"# Fixes{THIN} #12, resolves{THIN}: o/r#3"),
        ("closes https://github.com/o/r/issues/5", f"closes{THIN} https://github.com/o/r/issues/5"),
        ("fix the parser; x[skip] of #12", "fix the parser; x[skip] of #12"),
        ("@property", "@property"),
    ],
)
def test_code_that_becomes_a_commit_message_orders_nothing(text: str, broken: str) -> None:
    assert code(text) == f"`{broken}`"
    assert fence(text) == f"```\n{broken}\n```"


@given(st.lists(st.tuples(NASTY, NASTY), min_size=1, max_size=5))
def test_every_text_stays_in_its_cell_of_a_table(texts: list[tuple[str, str]]) -> None:
    rows = [(code(one), inline(two)) for one, two in texts]
    head, rule, *lines = table(("one", "two"), rows, "rows", 100_000).split("\n")
    assert (head, rule) == ("| one | two |", "| --- | --- |")
    assert [len(re.findall(r"(?<!\\)\|", text)) for text in lines] == [3] * len(texts)


def test_a_table_is_cut_between_rows_and_says_how_many_are_missing() -> None:
    text = table(("n",), [(str(n),) for n in range(1000)], "cases", 300)
    assert len(text) <= 300
    shown = text.count("\n| ") - 1
    assert text.endswith(f"|\n\n…and {1000 - shown} more cases")
    assert table(("n",), [("x" * 500,)], "cases", 100) == "| n |\n| --- |\n\n…and 1 more case"


def test_size_is_counted_as_a_forge_may() -> None:
    assert (size("abc"), size("é…"), size("🎉")) == (3, 2, 2)
    assert len(clip(["🎉" * 10] * 10, 120)) == 5


@pytest.mark.parametrize(
    ("text", "harmless"),
    [
        ("fix [skip ci]", "fix "),
        ("fix [ci skip] [no ci] [skip actions] [Actions Skip] [skip-ci]", "fix     "),
        ("***NO_CI*** x", " x"),
        ("[skip [skip ci]ci]", ""),
        ("skip-checks: true", ""),
        ("ask @team", "ask @ team"),
        ("Fixes #12", "Fixes # 12"),
        ("closes o/r#3", "closes o/r# 3"),
        ("resolves GH-4", "resolves GH 4"),
        ("fixes https://github.com/o/r/issues/5", "fixes github.com/o/r/issues/5"),
        ("array[skip] stays", "array[skip] stays"),
    ],
)
def test_plain_text_orders_nothing(text: str, harmless: str) -> None:
    assert plain(text) == harmless


@given(NASTY)
def test_plain_text_is_stable(text: str) -> None:
    assert plain(plain(text)) == plain(text)


def test_clip_says_how_much_is_missing() -> None:
    assert clip(["a", "b"], 100) == ["a", "b"]
    clipped = clip([f"line {n}" for n in range(1000)], 100, "cases")
    assert clipped[-1] == f"…and {1000 - len(clipped) + 1:,} more cases"
    assert clip(["x" * 500], 60) == ["…and 1 more line"]


@given(st.lists(st.text(max_size=30), max_size=40), st.integers(60, 400))
def test_clip_stays_within_its_room(lines: list[str], room: int) -> None:
    assert len("\n".join(clip(lines, room))) <= room
