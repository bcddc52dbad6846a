"""Attributes, methods and keyword arguments that objects have no longer."""

import pytest

from bot.models.offline.methods import advice_on, rename_keyword, replace_keyword, replace_method


@pytest.mark.parametrize(
    ("owner", "wanted", "text", "new"),
    [
        ("dict", "iteritems", "for k, v in d.iteritems(): pass\n", "for k, v in d.items(): pass\n"),
        ("dict", "has_key", "x = not d.has_key(k)\n", "x = k not in d\n"),
        ("dict", "has_key", "x = d.has_key(k) == True\n", "x = (k in d) == True\n"),
        ("Thread", "getName", "x = t.getName() + 'a'\n", "x = t.name + 'a'\n"),
        ("Thread", "setDaemon", "t.setDaemon(True)\n", "t.daemon = True\n"),
        ("Element", "getchildren", "x = a.b.getchildren()[0]\n", "x = list(a.b)[0]\n"),
        ("HTMLParser", "unescape", "x = p.unescape(y)\n", "import html\n\nx = html.unescape(y)\n"),
        ("array.array", "tostring", "x = a.tostring()\n", "x = a.tobytes()\n"),
    ],
)
def test_what_an_object_has_now_is_used(owner: str, wanted: str, text: str, new: str) -> None:
    found = replace_method(text, (1,), owner, wanted)
    assert found is not None
    assert found.text == new


@pytest.mark.parametrize(
    ("owner", "wanted", "text"),
    [
        ("Thread", "setDaemon", "x = t.setDaemon(True)\n"),
        ("dict", "has_key", "x = d.has_key(*k)\n"),
        ("dict", "has_key", "x = map(d.has_key, y)\n"),
        ("Element", "tostring", "x = e.tostring()\n"),
        ("dict", "iteritems", "\nx = d.iteritems()\n"),
    ],
)
def test_what_is_used_in_another_way_or_elsewhere_is_left_alone(owner: str, wanted: str, text: str) -> None:
    assert replace_method(text, (1,), owner, wanted) is None


@pytest.mark.parametrize(
    ("wanted", "text", "new"),
    [
        ("encoding", "import json\nx = json.loads(y, encoding='a')\n", "import json\nx = json.loads(y)\n"),
        (
            "loop",
            "import asyncio\nq = asyncio.Queue(loop=a, maxsize=3)\n",
            "import asyncio\nq = asyncio.Queue(maxsize=3)\n",
        ),
        ("loop", "import asyncio\nq = asyncio.Lock(\n    loop=a,\n)\n", "import asyncio\nq = asyncio.Lock()\n"),
        ("cmp", "x.sort(cmp=f)\n", "from functools import cmp_to_key\n\nx.sort(key=cmp_to_key(f))\n"),
        ("encoding", "x = y.loads(z, encoding='a')\n", ""),
    ],
)
def test_a_keyword_that_a_function_takes_no_longer_is_left_out_or_renamed(wanted: str, text: str, new: str) -> None:
    found = replace_keyword(text, (), wanted)
    assert (found.text if found else "") == new


def test_a_keyword_is_renamed_as_a_message_says() -> None:
    found = rename_keyword("f(old=1, b=2)\n", (1,), "old", "new")
    assert found is not None
    assert found.text == "f(new=1, b=2)\n"


def test_what_changes_the_meaning_is_explained() -> None:
    assert "pandas.concat" in advice_on("DataFrame", "append")
    assert advice_on("list", "append") == ""
