import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue, ValidationError

from bot.core.message import Reply, ToolCall, Usage

USAGES = st.builds(Usage, input=st.integers(0, 10**9), output=st.integers(0, 10**9), cached=st.integers(0, 10**9))


@given(USAGES, USAGES, USAGES)
def test_usage_adds_up_in_any_order(a: Usage, b: Usage, c: Usage) -> None:
    assert a + b == b + a
    assert (a + b) + c == a + (b + c)
    assert a + Usage() == a


def test_calls_do_not_share_their_arguments() -> None:
    first, second = ToolCall(id="a", name="x"), ToolCall(id="b", name="x")
    first.arguments["path"] = "y"
    assert second.arguments == {}


def test_unknown_field_is_refused() -> None:
    with pytest.raises(ValidationError):
        Reply.model_validate({"txt": "x"})


@pytest.mark.parametrize(
    ("arguments", "about"),
    [
        ({}, ""),
        ({"path": "a.py", "old": "x"}, "a.py"),
        ({"argv": ["ruff", "check", "."]}, "ruff check ."),
        ({"patch": "--- a/my file.py\n+++ b/my file.py\n@@ -1 +1 @@\n"}, "my file.py"),
        ({"patch": "diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n"}, "x"),
        ({"patch": "--- a/gone\n+++ /dev/null\n"}, "gone"),
        ({"subject": "one\ntwo"}, "one"),
    ],
)
def test_a_call_says_what_it_is_about(arguments: dict[str, JsonValue], about: str) -> None:
    assert ToolCall(id="a", name="x", arguments=arguments).about == about
