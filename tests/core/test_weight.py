"""Token counts, held against what three tokenizers found for the same texts."""

import base64
import random

import pytest

from bot.core.weight import weigh

RANDOM = random.Random(1)
PROSE = "The check failed because the value of the first argument was negative, as on the base before the change. "


@pytest.mark.parametrize(
    ("text", "counted"),
    [
        (PROSE * 20, 421),
        (base64.b64encode(bytes(RANDOM.randrange(256) for _ in range(3000))).decode(), 2857),
        ("".join(chr(RANDOM.randrange(0x4E00, 0x9FFF)) for _ in range(2000)), 4743),
        ("".join(chr(RANDOM.randrange(0xAC00, 0xD7A3)) for _ in range(2000)), 5182),
        ("".join(chr(RANDOM.randrange(0x20000, 0x2A6D0)) for _ in range(2000)), 7940),
        ("測試失敗期望得到三個元素。" * 50, 1000),
        ("".join(RANDOM.choice("0123456789abcdef") for _ in range(4000)), 2346),
    ],
    ids=["prose", "base64", "CJK", "Korean", "rare", "Chinese", "hexadecimal"],
)
def test_no_tokenizer_finds_more(text: str, counted: int) -> None:
    assert counted <= weigh(text)


def test_prose_is_not_counted_as_noise() -> None:
    assert weigh(PROSE * 20) <= 421 * 1.6


def test_nothing_weighs_almost_nothing() -> None:
    assert weigh("") == 1
