"""What Python's own functions take is known without the project."""

import pytest

from bot.models.offline.keywords import keywords_of
from tests.models.offline.desk import Desk


@pytest.mark.parametrize(
    ("owner", "keyword"),
    [
        ("sort", "reverse"), ("open", "encoding"), ("int", "base"), ("print", "end"), ("Path.mkdir", "parents"),
        ("JSONEncoder.__init__", "sort_keys"), ("Popen.__init__", "capture_output"), ("__new__", "hours"),
    ],
)  # fmt: skip
def test_the_keywords_of_a_function_are_known(owner: str, keyword: str) -> None:
    assert keyword in keywords_of(owner)
    assert "self" not in keywords_of(owner)


def test_of_a_function_that_python_does_not_bring_nothing_is_known() -> None:
    assert keywords_of("frobnicate") == frozenset()
    assert keywords_of("Shelf.frobnicate") == frozenset()


def test_a_misspelt_keyword_of_pythons_own_is_respelt_and_not_left_out() -> None:
    message = (
        "tests/test_a.py::test_a at a.py:5: TypeError: JSONEncoder.__init__() got an unexpected keyword argument"
        " 'sort_kyes'"
    )
    text = "import json\n\n\ndef dump(x):\n    return json.dumps(x, sort_kyes=True)\n"
    desk = Desk({"a.py": text}, {("pytest", "unit"): lambda files: [message] if "kyes" in files["a.py"] else []})
    desk.run()
    assert desk.files["a.py"] == text.replace("kyes", "keys")
