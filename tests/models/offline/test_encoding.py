"""Encodings that nothing names, and escapes that mean nothing."""

import ast
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.models.offline.encoding import name_encoding
from bot.models.offline.escapes import escaped, mend_escapes

SAID = ', encoding="utf-8"'


@pytest.mark.parametrize(
    ("text", "new"),
    [
        ('x = open("a")\n', f'x = open("a"{SAID})\n'),
        ('x = open("a", mode="w", newline="")\n', f'x = open("a", mode="w", newline=""{SAID})\n'),
        ("x = p.read_text()\n", 'x = p.read_text(encoding="utf-8")\n'),
        ('p.write_text("a")\n', f'p.write_text("a"{SAID})\n'),
        ('x = p.open("w")\n', f'x = p.open("w"{SAID})\n'),
        ('import gzip; x = gzip.open("a", "rt")\n', f'import gzip; x = gzip.open("a", "rt"{SAID})\n'),
        (
            "import subprocess; subprocess.run(a, text=True)\n",
            f"import subprocess; subprocess.run(a, text=True{SAID})\n",
        ),
        ("x = b.decode('ascii')\n", "x = b.decode('utf-8')\n"),
        ('x = open("a", encoding="ascii")\n', 'x = open("a", encoding="utf-8")\n'),
    ],
)
def test_text_that_is_read_or_written_says_its_encoding(text: str, new: str) -> None:
    assert next(mend.text for mend in name_encoding(text, (1,))) == new


@pytest.mark.parametrize(
    "text",
    [
        'x = open("a", "rb")\n',
        'x = open("a", mode)\n',
        "x = open(*a)\n",
        'x = open("a", **b)\n',
        "x = p.read_text(e)\n",
        'import zipfile; x = zipfile.ZipFile("a").open("b", z)\n',
        'import gzip; x = gzip.open("a")\n',
        "def open(x): ...\nx = open(y)\n",
        "import webbrowser; webbrowser.open(x)\n",
        "x = open('a', encoding='latin-1')\n",
        "x = d.open(y)\n",
    ],
)
def test_what_is_binary_or_not_surely_a_file_is_left_alone(text: str) -> None:
    assert name_encoding(text, (1,)) == ()


def test_the_function_around_is_tried_after_the_line() -> None:
    text = "def f(p):\n    s = open(p)\n    return s.read()\n\n\ndef g(p):\n    return open(p)\n"
    near, whole = (mend.text.count("utf-8") for mend in name_encoding(text, (3,)))
    assert (near, whole) == (1, 2)


@pytest.mark.parametrize(
    ("literal", "new"),
    [
        (r'"\d+"', r'r"\d+"'),
        (r'"\d\n"', r'"\\d\n"'),
        (r"b'\N'", r"rb'\N'"),
        (r"'\N{DASH}\-'", r"'\N{DASH}\\-'"),
        (r'r"\d"', r'r"\d"'),
        (r'"\n\x41\u0041"', r'"\n\x41\u0041"'),
    ],
)
def test_a_backslash_before_nothing_to_escape_is_written_so_that_it_stays(literal: str, new: str) -> None:
    assert escaped(literal) == new


@given(st.lists(st.sampled_from([r"\d", r"\n", r"\\", r"\'", "a", '"', r"\x41", "{", "é"]), max_size=8), st.booleans())
def test_no_string_changes_what_it_says(parts: list[str], long: bool) -> None:  # noqa: FBT001 - drawn
    quote = "'''" if long else "'"
    literal = f"{quote}{''.join(parts)}{quote}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        before = ast.literal_eval(literal)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ast.literal_eval(escaped(literal)) == before


def test_all_strings_of_a_file_are_mended_and_nothing_else() -> None:
    found = mend_escapes("x = '\\d'  # \\d\ny = f(\n    '\\w', '\\n')\n")
    assert found is not None
    assert found.text == "x = r'\\d'  # \\d\ny = f(\n    r'\\w', '\\n')\n"
    assert mend_escapes("x = 1\n") is None
