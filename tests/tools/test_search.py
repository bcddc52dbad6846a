"""Searching text, definitions and history."""

import pytest

from tests.tools.conftest import Desk


def test_lines_are_found_with_their_places(desk: Desk) -> None:
    assert desk.ok("search_text", pattern="add(1") == "test_calc.py:5:     assert add(1, 2) == 3"
    assert desk.ok("search_text", pattern="def (add|sub)", regex=True).startswith("calc.py:1: def add")
    assert desk.ok("search_text", pattern="add", glob="test_*.py", limit=1).endswith(
        "… more than 1 lines match; narrow the search or raise limit"
    )


def test_no_match_is_an_answer_and_a_forgotten_flag_is_guessed(desk: Desk) -> None:
    assert desk.ok("search_text", pattern="nowhere", glob="*.md") == "no line holds 'nowhere' in *.md"
    assert "set regex" in desk.ok("search_text", pattern="sub|mul")


@pytest.mark.parametrize("pattern", ["(", "a\nb", "[z-a]", "((a{1,200}){1,200}){1,200}"])
def test_patterns_that_cannot_be_searched_for_are_told(desk: Desk, pattern: str) -> None:
    desk.fails("search_text", "bad_arguments", pattern=pattern, regex=True)


PYTHON = '''"""A module."""
LIMIT: int = 3
if LIMIT:
    def helper(): ...

class Engine(Base):
    name = "x"

    @property
    def speed(self) -> int:
        def inner():
            pass
        return 1

async def main(*args, **kwargs):
    local = 1
'''


def test_python_is_outlined_with_line_ranges(desk: Desk) -> None:
    desk.put("m.py", PYTHON.encode())
    assert desk.ok("outline", path="m.py").split("\n") == [
        "m.py:",
        "        2  LIMIT",
        "        4  def helper()",
        "     6-13  class Engine(Base)",
        "        7    name",
        "     9-13    def speed(self) -> int",
        "    11-12      def inner()",
        "    15-16  async def main(*args, **kwargs)",
    ]


def test_files_without_definitions_say_so(desk: Desk) -> None:
    desk.put("empty.py", b"")
    assert desk.ok("outline", path="empty.py") == "empty.py: no definitions"
    assert desk.ok("outline", path="calc.py") == "calc.py:\n      1-2  def add(a, b)"


def test_definitions_are_found_before_uses(desk: Desk) -> None:
    desk.put("m.py", PYTHON.encode())
    desk.put("use.py", b"from m import Engine\n\nEngine().speed\nEngineer = 1\n")
    assert desk.ok("find_symbol", name="Engine").split("\n") == [
        "m.py:6: class Engine(Base)  (to line 13)",
        "2 other lines name it:",
        "use.py:1: from m import Engine",
        "use.py:3: Engine().speed",
    ]
    assert desk.ok("find_symbol", name="Engine.speed").startswith("m.py:9: def speed(self) -> int")
    assert "no definition of kwargs was found" in desk.ok("find_symbol", name="kwargs")
    assert "search_text finds parts" in desk.fails("find_symbol", "not_found", name="Missing")
    desk.fails("find_symbol", "not_found", name="a b; c")


def test_history_is_that_of_the_base(desk: Desk) -> None:
    assert desk.ok("history").endswith("a small project")
    assert desk.ok("history", path="calc.py", limit=1).endswith("a small project")
    assert desk.ok("history", path="nothing.py") == "no commit touched nothing.py"
    desk.fails("history", "denied", path="../x")


def test_changes_are_shown_as_a_list_and_a_patch(desk: Desk) -> None:
    assert desk.ok("show_changes") == "nothing changed since the last verified commit"
    desk.ok("edit_file", path="calc.py", old="-", new="+")
    desk.ok("create_file", path="n.txt", content="x\n")
    shown = desk.ok("show_changes")
    assert shown.startswith("modified calc.py +1 -1\nadded n.txt +1 -0\n\ndiff --git a/calc.py b/calc.py\n")
    assert "-    return a - b\n+    return a + b\n" in shown
