import pytest

from bot.core.message import Prompt
from bot.models.profile import Profile
from bot.models.service.cap import cap_reply


@pytest.mark.parametrize(
    ("window", "output", "longer", "size", "tokens"),
    [
        (200_000, 64_000, False, 30_000, 16_384),
        (200_000, 64_000, True, 30_000, 64_000),
        (200_000, 4_000, True, 30_000, 4_000),
        (200_000, 64_000, True, 450_000, 50_000),
        (200_000, 64_000, True, 900_000, 6_250),
        (8_000, 4_000, False, 21_000, 1_024),
        (8_000, 500, False, 90_000, 500),
    ],
)
def test_a_reply_may_get_as_long_as_there_is_room_and_use_for(
    window: int, output: int, *, longer: bool, size: int, tokens: int
) -> None:
    prompt = Prompt(system="", messages=(), longer=longer)
    assert cap_reply(Profile("any", window, output), prompt, size) == tokens
