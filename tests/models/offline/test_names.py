"""Undefined names become imports, attributes of the instance, or names that are known."""

from hypothesis import given
from hypothesis import strategies as st

from bot.models.offline.imports import Import
from bot.models.offline.names import mend_name
from bot.models.offline.near import nearest, slipped
from bot.models.offline.source import parse

CLASS = "class A:\n    def __init__(self):\n        self.balance = 0\n\n    def show(self):\n        return balance\n"


def test_a_misspelt_local_name_is_respelt() -> None:
    text = "def f(items):\n    result = 0\n    return reslut\n"
    (found,) = mend_name(text, "reslut", [3])
    assert found.text == "def f(items):\n    result = 0\n    return result\n"
    assert found.what == "write `result` for `reslut`"


def test_every_use_of_a_name_that_nothing_binds_is_respelt() -> None:
    text = "def f(count):\n    print(cuont)\n    return cuont\n"
    assert mend_name(text, "cuont", [2])[0].text == "def f(count):\n    print(count)\n    return count\n"


def test_a_name_that_another_function_binds_is_respelt_where_it_was_reported() -> None:
    text = "def f(value, valeu=1):\n    return valeu\n\n\ndef g(value):\n    return valeu\n"
    assert (
        mend_name(text, "valeu", [6])[0].text
        == "def f(value, valeu=1):\n    return valeu\n\n\ndef g(value):\n    return value\n"
    )


def test_a_well_known_name_is_imported() -> None:
    assert mend_name("x = Path('.')\n", "Path", [1])[0].text == "from pathlib import Path\n\nx = Path('.')\n"


def test_a_standard_module_is_imported_only_when_it_is_used_as_one() -> None:
    assert mend_name("x = json.dumps(1)\n", "json", [1])[0].text == "import json\n\nx = json.dumps(1)\n"
    assert mend_name("x = statistics\n", "statistics", [1]) == ()


def test_the_way_the_project_imports_a_name_comes_first() -> None:
    found = mend_name("x = Path('.')\n", "Path", [1], [Import("shop.paths", "Path")])
    assert [one.text.split("\n")[0] for one in found] == ["from shop.paths import Path", "from pathlib import Path"]


def test_an_attribute_of_the_instance_gets_its_self_back() -> None:
    found = mend_name(CLASS, "balance", [6])
    assert "return self.balance" in found[0].text


def test_the_hint_of_a_tool_beats_our_own_guess() -> None:
    text = "def f(lenn):\n    return lnn\n"
    assert [one.what for one in mend_name(text, "lnn", [2], hints=["lenn"])] == ["write `lenn` for `lnn`"]


def test_offsets_count_characters_and_not_bytes() -> None:
    assert mend_name("größe = 1\nx = 'ä', größs\n", "größs", [2])[0].text == "größe = 1\nx = 'ä', größe\n"


def test_a_swapped_a_missing_an_extra_and_a_wrong_letter_are_slips() -> None:
    assert all(slipped("item", other) for other in ("itme", "itm", "iteem", "itam"))
    assert not slipped("item", "time")
    assert nearest("itme", ["item", "other"]) == ("item",)
    assert nearest("totalAmount", ["total_amount"]) == ("total_amount",)


@given(st.text(max_size=60), st.text(max_size=8), st.lists(st.integers(-2, 9), max_size=3))
def test_no_text_makes_it_fail(text: str, name: str, lines: list[int]) -> None:
    assert all(parse(one.text) is not None for one in mend_name(text, name, lines))


@given(st.text(max_size=12), st.lists(st.text(max_size=12), max_size=6))
def test_a_name_is_never_near_itself(name: str, known: list[str]) -> None:
    assert name not in nearest(name, known)
