"""What Python and mypy complain of is read by strict patterns."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.models.offline.complaints import Complaint, read

MESSAGES = [
    ("NameError: name 'x' is not defined", Complaint("name", "x")),
    ("NameError: name 'jsn' is not defined. Did you mean: 'json'?", Complaint("name", "jsn", "", ("json",))),
    (
        "NameError: name 'json' is not defined. Did you forget to import 'json'?",
        Complaint("name", "json", "", ("json",)),
    ),
    ("F821 Undefined name `nmae`", Complaint("name", "nmae")),
    ('name-defined Name "lnn" is not defined; did you mean "lenn"?', Complaint("name", "lnn", "", ("lenn",))),
    (
        "AttributeError: module 'shop.money' has no attribute 'totl'. Did you mean: 'total'?",
        Complaint("module_member", "totl", "shop.money", ("total",)),
    ),
    ("AttributeError: 'Account' object has no attribute 'x'", Complaint("attribute", "x", "Account")),
    ("AttributeError: type object 'Account' has no attribute 'x'", Complaint("attribute", "x", "Account")),
    ('attr-defined "Box" has no attribute "labl"; maybe "label"?', Complaint("attribute", "labl", "Box", ("label",))),
    ('attr-defined "list[int]" has no attribute "appnd"', Complaint("attribute", "appnd", "list")),
    ('attr-defined Module "m" has no attribute "y"; maybe "z" or "w"?', Complaint("import_name", "y", "m", ("z", "w"))),
    ("ImportError: cannot import name 'a' from 'b.c' (/x/b/c.py)", Complaint("import_name", "a", "b.c")),
    ("ModuleNotFoundError: No module named 'a.b'", Complaint("module", "a.b")),
    ("TypeError: f() got an unexpected keyword argument 'x'", Complaint("keyword", "x", "f")),
    (
        "TypeError: Account.__init__() got an unexpected keyword argument 'x'",
        Complaint("keyword", "x", "Account.__init__"),
    ),
    (
        'call-arg Unexpected keyword argument "lable" for "Box"; did you mean "label"?',
        Complaint("keyword", "lable", "Box", ("label",)),
    ),
    ("TypeError: A.show() takes 0 positional arguments but 1 was given", Complaint("too_many", "0", "A.show")),
    (
        "TypeError: f() takes from 1 to 2 positional arguments but 3 were given",
        Complaint("too_many", "from 1 to 2", "f"),
    ),
    (
        'assignment Incompatible default for parameter "x" (default has type "None", parameter has type "str")',
        Complaint("optional", "x", "str"),
    ),
    (
        'assignment Incompatible types in assignment (expression has type "None", variable has type "str")',
        Complaint("optional", "", "str"),
    ),
    ("no-untyped-def Function is missing a return type annotation", Complaint("returns_nothing", "")),
    ('unused-ignore Unused "type: ignore" comment', Complaint("unused_ignore", "")),
    ('unused-ignore Unused "type: ignore[a, b-c]" comment', Complaint("unused_ignore", "a, b-c")),
]


@pytest.mark.parametrize(("message", "complaint"), MESSAGES)
def test_a_message_is_read(message: str, complaint: Complaint) -> None:
    assert read(message) == complaint


@pytest.mark.parametrize(
    "message",
    [
        "AssertionError: assert 1 == 2",
        "ImportError: cannot import name 'a' from 'b; rm -rf /'",
        "NameError: name '../x' is not defined",
        "",
    ],
)
def test_other_messages_are_no_complaints(message: str) -> None:
    assert read(message) is None


@given(st.text(max_size=200))
def test_only_identifiers_come_out_of_a_hostile_message(text: str) -> None:
    found = read(f"NameError: name '{text}' is not defined, {text}")
    assert found is None or found.kind != "name" or found.wanted.isidentifier()
