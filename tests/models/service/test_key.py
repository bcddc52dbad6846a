import pytest

from bot.errors import ModelDenied
from bot.models.service.key import check_key


@pytest.mark.parametrize("key", ["", " sk-a", "sk-a\n", "sk a", "sk-é", "sk-\u200b", "sk-\x00"])
def test_a_key_that_no_header_can_hold_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(ModelDenied) as caught:
        check_key(key)
    assert "sk" not in caught.value.message
    assert "\n" not in caught.value.message


def test_a_key_is_used_as_it_is() -> None:
    assert check_key("sk-proj-1_2") == "sk-proj-1_2"
