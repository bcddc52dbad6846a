"""What was taken out of a file, or changed in it, is among the pieces that are put back."""

import ast

import pytest

from bot.repair.worker.facts import Crash
from bot.repair.worker.moved import Definition, Move, follow
from bot.repair.worker.restore import restore
from bot.repair.worker.source import Source, replace_span, replace_spans

LOST = [
    (
        "loop",
        "def f(xs):\n    t = 0\n    for x in xs:\n        t += x\n    return t\n",
        "    for x in xs:\n        t += x\n",
        "",
    ),
    (
        "condition",
        "def f(a):\n    if a < 0:\n        return 0\n    return a\n",
        "    if a < 0:\n        return 0\n",
        "",
    ),
    ("assignment", "def f(a):\n    # doubled\n    a = a * 2\n    return a\n", "    # doubled\n    a = a * 2\n", ""),
    ("only statement", "def f(a):\n    a.sort(key=len)\n", "a.sort(key=len)", "pass"),
    (
        "function",
        "def g(a):\n    return a + 1\n\n\ndef f(a):\n    return g(a)\n",
        "def g(a):\n    return a + 1\n\n\n",
        "",
    ),
    (
        "method",
        "class A:\n    x = 1\n\n    def f(self):\n        return 1\n",
        "\n    def f(self):\n        return 1\n",
        "",
    ),
    (
        "try",
        "def f(d):\n    try:\n        v = d[0]\n    except IndexError:\n        v = None\n    return v\n",
        "    try:\n        v = d[0]\n    except IndexError:\n        v = None\n",
        "    v = d[0]\n",
    ),
    (
        "else",
        "def f(a):\n    if a:\n        x = 1\n    else:\n        x = 2\n    return x\n",
        "    else:\n        x = 2\n",
        "",
    ),
    ("clause", "def f(a, b):\n    if a and b > 1:\n        return 1\n", "a and b > 1", "a"),
    ("argument", "def f(a, b):\n    return sorted(a, key=len, reverse=b)\n", "key=len, ", ""),
    ("call around", "def f(a, b):\n    return max(0, a - b)\n", "max(0, a - b)", "a - b"),
    ("parameter", "def f(a, b=2):\n    return a + b\n", "(a, b=2)", "(a)"),
    (
        "depth of a method",
        "class A:\n    def f(self, xs):\n        for x in xs:\n            del x\n",
        "for x in xs:\n            del x",
        "pass",
    ),
]
"""What, the old version, and the text in it that became another one."""


def versions(old: str, new: str) -> list[str]:
    """Return what becomes of the new version by each piece that is put back, the most promising first."""
    now, then = Source("m.py", new.encode()), Source("m.py", old.encode())
    ranked = sorted(restore(now, then), key=lambda candidate: -candidate.prior)
    return [replace_span(new.encode(), candidate.edit).decode() for candidate in ranked]


@pytest.mark.parametrize(("old", "gone", "left"), [case[1:] for case in LOST], ids=[case[0] for case in LOST])
def test_what_was_removed_is_put_back(old: str, gone: str, left: str) -> None:
    found = versions(old, old.replace(gone, left))
    assert ast.dump(ast.parse(old)) in [ast.dump(ast.parse(text)) for text in found if parses(text)]


def parses(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def test_a_changed_operator_among_new_lines_is_put_back_first_and_alone() -> None:
    old = "def f(a, b):\n    t = a + b\n    return t\n"
    new = "def f(a, b, log=None):\n    t = a - b\n    if log:\n        log(t)\n    return t\n"
    assert versions(old, new)[0] == new.replace("a - b", "a + b")


def test_a_lost_condition_comes_back_around_what_its_body_became() -> None:
    old = "def f(a, b):\n    if b:\n        a += 1\n        a *= 2\n    return a\n"
    assert versions(old, "def f(a, b):\n    a += 1\n    a *= 3\n    return a\n")[0] == old.replace("*= 2", "*= 3")


def test_a_new_condition_is_taken_away_and_its_body_kept() -> None:
    old = "def f(a):\n    a += 1\n    return a\n"
    assert old in versions(old, "def f(a):\n    if a:\n        a += 1\n    return a\n")


def test_nothing_is_put_back_where_nothing_changed() -> None:
    text = "def f(a):\n    return a\n"
    assert versions(text, text.replace("return a", "return a  # the same")) == []


def moved(text: str, crash: str, old: tuple[str, str], new: tuple[str, str]) -> list[str]:
    move = Move(Definition(*old, "", ""), Definition(*new, "", ""))
    source = Source("m.py", text.encode())
    line = next((n for n, row in enumerate(text.splitlines(), 1) if old[1] in row), 1)
    found = follow(source, Crash("m.py", line, crash.partition(":")[0], crash), [move], ("src/", ""))
    return [replace_spans(text.encode(), candidate.edits).decode() for candidate in found]


def test_a_renamed_helper_is_followed_in_one_line_and_in_the_whole_file() -> None:
    text = "import lib\n\n\ndef f(a):\n    return lib.total(a) + lib.total(1)\n\n\ndef g(a):\n    return lib.total(a)\n"
    crash = "AttributeError: module 'lib' has no attribute 'total'"
    one, every = moved(text, crash, ("lib.py", "total"), ("lib.py", "sum_of"))
    assert one == text.replace("lib.total", "lib.sum_of", 2)
    assert every == text.replace("lib.total", "lib.sum_of")
    assert moved(text, "AttributeError: no attribute 'totals'", ("lib.py", "total"), ("lib.py", "sum_of")) == []


@pytest.mark.parametrize(("named", "wanted"), [("pkg.text", "pkg.words"), (".text", ".words"), ("pkg.texts", "")])
def test_a_module_that_was_moved_is_imported_from_where_it_is(named: str, wanted: str) -> None:
    text = f"import os\nfrom {named} import shorten, title\n"
    crash = "ModuleNotFoundError: No module named 'pkg.text'"
    found = moved(text, crash, ("src/pkg/text.py", "shorten"), ("src/pkg/words.py", "shorten"))
    assert (text.replace(f"from {named}", f"from {wanted}") in found) is bool(wanted)


def test_a_moved_name_is_imported_from_its_new_home() -> None:
    text = "from pkg.lib import other, total as t\n\nprint(t(other))\n"
    crash = "ImportError: cannot import name 'total' from 'pkg.lib'"
    one, _ = moved(text, crash, ("src/pkg/lib.py", "total"), ("src/pkg/new/sums.py", "total"))
    assert one == text.replace(", total as t", "\nfrom pkg.new.sums import total as t")
    renamed, _ = moved(text, crash, ("src/pkg/lib.py", "total"), ("src/pkg/lib.py", "sum_of"))
    assert renamed == text.replace("total as t", "sum_of as t")
