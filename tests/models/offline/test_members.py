"""Names that their owner does not have are respelt where they are used, or where they are defined."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.models.offline import members as rules
from bot.models.offline.scopes import members
from bot.models.offline.source import parse

MODULE = """class Base:
    kind = "x"


class Account(Base):
    size: int = 0

    def __init__(self):
        self.balance = 0

    def deposit(self, amount, fee=0):
        return amount + fee


def total(items):
    return sum(items)
"""


def test_the_members_of_a_class_include_those_of_its_bases() -> None:
    tree = parse(MODULE)
    assert tree is not None
    assert members(tree, "Account") == {"size", "__init__", "balance", "deposit", "kind"}


def test_an_attribute_is_respelt_on_the_reported_line() -> None:
    text = "a.depoist(1)\nb = 1\na.depoist(2)\n"
    found = rules.mend_attribute(text, 1, "depoist", ["deposit", "balance"])
    assert [one.text for one in found] == ["a.deposit(1)\nb = 1\na.depoist(2)\n"]


def test_a_private_name_is_no_guess_for_a_public_one() -> None:
    assert rules.mend_attribute("a.depoist\n", 1, "depoist", ["_deposit"]) == ()


def test_what_tests_ask_for_can_be_renamed_where_it_is_defined() -> None:
    (found,) = rules.rename_member(MODULE, "shop.Account", "deposits")
    assert "def deposits(self" in found.text
    assert rules.rename_member(MODULE, "Account", "balance") == ()
    (top,) = rules.rename_top(MODULE, "totals")
    assert "def totals(items)" in top.text


def test_an_imported_name_is_respelt_wherever_it_is_used() -> None:
    text = "from shop import totl\n\nprint(totl([1]), x.totl)\n"
    (found,) = rules.mend_imported(text, "totl", ["total"])
    assert found.text == "from shop import total\n\nprint(total([1]), x.totl)\n"


def test_a_name_that_moved_is_imported_from_its_new_home() -> None:
    (found,) = rules.move_import("from shop import total\n", "shop", "total", "shop.money")
    assert found.text == "from shop.money import total\n"
    assert rules.move_import("from shop import total, other\n", "shop", "total", "shop.money") == ()


def test_a_misspelt_module_is_respelt_with_its_uses() -> None:
    (found,) = rules.mend_module("import jsno\n\nprint(jsno.dumps(1))\n", "jsno", ["json", "ast"])
    assert found.text == "import json\n\nprint(json.dumps(1))\n"
    (other,) = rules.mend_module("from shop.mony import total\n", "shop.mony", ["shop.money"])
    assert other.text == "from shop.money import total\n"


def test_a_keyword_is_respelt_in_the_call() -> None:
    (found,) = rules.mend_keyword("x = account.deposit(1, fe=2)\n", 1, "Account.deposit", "fe", ["amount", "fee"])
    assert found.text == "x = account.deposit(1, fee=2)\n"
    assert rules.mend_keyword("x = other(1, fe=2)\n", 1, "Account.deposit", "fe", ["fee"]) == ()


def test_a_parameter_is_renamed_in_its_function_only() -> None:
    text = "def f(amuont):\n    return amuont\n\n\ndef g(amuont):\n    return amuont\n"
    (found,) = rules.rename_parameter(text, "f", "amount")
    assert found.text == "def f(amount):\n    return amount\n\n\ndef g(amuont):\n    return amuont\n"


def test_a_method_gets_its_self_back() -> None:
    (found,) = rules.add_self("class A:\n    def show():\n        return 1\n", "A", "show")
    assert found.text == "class A:\n    def show(self):\n        return 1\n"
    assert rules.add_self("class A:\n    @staticmethod\n    def show():\n        return 1\n", "A", "show") == ()


def test_a_lost_parameter_comes_back_with_the_likeliest_place_first() -> None:
    found = rules.add_parameter("def f(a: int):\n    return a + fee\n", "f", "fee")
    heads = [one.text.split("\n")[0] for one in found]
    assert heads[0] == "def f(a: int, fee):"
    assert "def f(a: int, fee: int = 0):" in heads
    assert all(parse(one.text) for one in found)
    assert rules.add_parameter("def f(a):\n    return a\n", "f", "fee") == ()


def test_parameters_of_a_class_without_constructor_are_its_fields() -> None:
    assert rules.parameters_of(MODULE, "Account.deposit") == {"amount", "fee"}
    assert "size" in rules.parameters_of("class P:\n    size: int\n", "P.__init__")


@pytest.mark.parametrize("base", [MODULE, ""])
@given(text=st.text(max_size=50), line=st.integers(-2, 9), name=st.text(max_size=6))
def test_no_text_makes_a_rule_fail(base: str, text: str, line: int, name: str) -> None:
    whole = base + text
    known = ["deposit", "fee", name]
    rules.mend_attribute(whole, line, name, known)
    rules.mend_imported(whole, name, known)
    rules.mend_module(whole, name, known)
    rules.mend_keyword(whole, line, name, name, known)
    rules.rename_member(whole, name, name)
    rules.rename_top(whole, name)
    rules.rename_parameter(whole, name, name)
    rules.add_parameter(whole, name, name)
    rules.add_self(whole, name, name)
    rules.move_import(whole, name, name, name)
