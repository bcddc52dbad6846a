"""Prose from outside is read as its page shows it, and says where something was left out."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.untrusted import NOTE, bare, clean, hides

HIDDEN = (
    "a <!-- evil words --> b",
    "a <!-- evil words, never closed",
    "a <!--\n\n```\nevil words\n```\n--> b",
    "<pre>\n\n```\n<!-- evil words -->\n```\n</pre>",
    "<div>\n`<!-- evil words -->`\n</div>",
    "a \\`<!-- evil words -->\\` b",
    '<a title="`"><!-- evil words --> `x`',
    '<b title="evil words here">bold</b>',
    "<b data-x='evil words'>bold</b>",
    "<evil words here> b",
    "<div hidden><div>a</div>evil words</div> b",
    "<span style='display: none'>evil words</span> b",
    '<font color="white">evil words</font> b',
    "<script>evil.words()</script> b",
    "<?evil words?> b",
    '[a](https://x.org "evil words") b',
    "[//]: # (evil words)\nb",
    "[evil words]: https://x.org\nb",
    '[1]: https://x.org "evil words"\n[b][1]',
    "b " + "".join(chr(0xE0000 + ord(c)) for c in "evil words"),
    "b \u202eevil-not-words\u202c".replace("evil-not-words", "sdrow"),
    "b &#x202E;&#8238; c",
    "b " + "\u200b\u200c" * 8,
    "b " + "".join(chr(0xE0100 + ord(c)) for c in "evil words"),
    "text\n    ```\n<!-- evil words -->\n    ```\n",
    "> ```\n<!-- evil words -->\n> ```",
    "<p style='height: 0px'>evil words</p> b",
    "[^9]: evil words\nb",
)
SEEN = (
    "plain text, `code`, **bold** & 1 < 2 > 0",
    "```html\n<!-- seen -->\n```\nafter",
    "Example:\n~~~\n<b title='seen by all'>\n~~~",
    "the parser drops `<!-- this one -->` today",
    "List<int> and vector<vector<str>> and x <- y",
    "&lt;!-- seen --&gt; and &amp; and &nbsp;",
    "[docs](https://x.org/a_(b)) and <https://x.org>",
    "see [the page][1]\n\n[1]: https://x.org",
    "<details><summary>Log</summary>\n\n```\nKeyError: 'x'\n```\n\n</details>",
    'File "a.py", line 3, in <module>',
    "naïve 日本 🎉 ❤\ufe0f",
    "1. Do:\n\n    ```html\n    <!-- seen -->\n    ```\n2. end",
    "- a\n  - b\n\n    ~~~\n    <p hidden>seen by all</p>\n    ~~~",
    "> ```html\n> <p title='seen by all'>x</p>\n> ```",
    "The page is:\n\n    <div hidden>seen</div>\n\n\t<!-- seen too -->\n\nafter",
    "Text[^1].\n\n[^1]: The note that all see.",
    "opacity: <b>x</b>",
)


@pytest.mark.parametrize("text", HIDDEN)
def test_what_a_page_hides_is_left_out_with_a_note(text: str) -> None:
    told = clean(text)
    assert not any(word in told for word in ("evil words", "evil.words", "\u202e", "\U000e0065", "\u200b"))
    assert NOTE in told
    assert hides(text)


@pytest.mark.parametrize("text", SEEN)
def test_what_a_page_shows_stays_to_the_letter(text: str) -> None:
    assert clean(text) == text


def test_pictures_layout_and_single_invisible_letters_go_without_a_note() -> None:
    assert clean('![evil words](https://x.org/a.png) <img width="3" alt="evil words" src="a.png">') == "[image] [image]"
    assert clean('<h1 align="center">Title</h1> so\u00adft e\u200dx &#8203;y\ufeff') == "<h1>Title</h1> soft ex y"


def test_what_other_languages_are_written_with_goes_without_a_note() -> None:
    told = clean(
        "\u2068foo.py\u2069 \u202b中文\u202c 葛\U000e0100 \U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e"
        "\U000e0067\U000e007f"
    )
    assert told == "foo.py 中文 葛 \U0001f3f4"
    assert clean("<i style='opacity: 0.5; background-color: white'>half seen</i>") == "<i>half seen</i>"


def test_plain_text_keeps_what_is_markup_elsewhere() -> None:
    assert (
        bare("<Function test_x> <!-- seen --> \x1b[8mseen\x1b[0m \u202ex")
        == f"<Function test_x> <!-- seen --> seen {NOTE}x"
    )


PIECES = st.sampled_from([*"ab <>!-`~\n[]()\"'=/:#&;x", "<!--", "-->", "```", " hidden", "\u202e"])


@given(st.lists(PIECES, max_size=30).map("".join))
def test_no_comment_is_left_outside_of_code_and_nothing_breaks(text: str) -> None:
    told = clean(text)
    assert "\u202e" not in told
    if "`" not in text and "~~~" not in text:
        assert "<!--" not in told


@pytest.mark.parametrize(
    "unit", ["<!--", "<?", "![", "```\n<a>\n", "[a]: x\n", "<pre\n```\n", "`<!-- a`", "<a x ", "]( "]
)
def test_a_text_that_is_made_to_take_long_does_not(unit: str) -> None:
    begun = time.process_time()
    clean((unit * 20_000)[:20_000])
    assert time.process_time() - begun < 1
