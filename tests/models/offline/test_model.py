"""The offline model as a whole: real repositories in, verified commits and an honest last word out."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.agent import context
from bot.core.event import Event, Verified
from bot.core.message import ToolCall
from bot.core.summary import summarize
from bot.core.talk import Replied
from bot.models.offline.dialogue import MOST_TURNS
from bot.models.offline.model import OfflineModel
from tests.conftest import Repo, make_repo
from tests.models.offline.bench import TOOLS, converse, ending, subjects, touched, work

PROJECT = {
    "pyproject.toml": '[tool.ruff.lint]\nselect = ["F", "I"]\n\n[tool.pytest.ini_options]\npythonpath = ["."]\n',
    "shop/__init__.py": "",
    "shop/money.py": """import os
import json


class Account:
    def __init__(self, owner, balance=0):
        self.owner = owner
        self.balance = balance

    def describe(self):
        return json.dumps([self.owner, self.balance])


def covers(account, amount):
    return account.balance > amount
""",
    "shop/report.py": """from shop.money import Account


def render(accounts)
    return [a.descirbe() for a in accounts]


def empty():
    return Account(Path('x').name)
""",
    "tests/test_money.py": """import sys

from shop.money import Account, covers


def test_covers():
    assert covers(Account('a', 3), 3)
    assert not covers(Account('a', 2), 3)
""",
    "tests/test_report.py": """from shop.money import Account
from shop.report import empty, render


def test_render():
    assert render([Account('a')]) == ['["a", 0]']


def test_empty():
    assert empty().owner == 'x'
""",
}


@pytest.fixture(scope="module")
def mended(tmp_path_factory: pytest.TempPathFactory) -> tuple[Event, ...]:
    """A run over a project with one fault of each kind."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        made = make_repo(tmp_path_factory.mktemp("work") / "repo")
        made.commit(PROJECT, "a project")
        return work(made, tmp_path_factory.mktemp("store"))


def test_each_kind_of_fault_becomes_one_verified_commit(mended: tuple[Event, ...]) -> None:
    assert subjects(mended) == [
        "fix: add the missing colon in shop/report.py",
        "fix: import `Path` in shop/report.py",
        "fix: write `describe` for `descirbe` in shop/report.py",
        "fix: use `>=` instead of `>` in money.covers",
        "style: remove unused imports (ruff F401)",
    ]


def test_nothing_that_a_verdict_rests_on_is_edited(mended: tuple[Event, ...]) -> None:
    assert touched(mended) == {"shop/money.py", "shop/report.py"}


def test_the_last_word_names_what_is_left(mended: tuple[Event, ...]) -> None:
    end = ending(mended)
    assert end.stop == "done"
    assert "tests/test_money.py" in end.detail
    assert "Tests and configuration are never edited." in end.detail
    assert summarize(mended).outcome == "partial"


def test_all_tests_pass_in_the_end(mended: tuple[Event, ...]) -> None:
    last = [event.verdict for event in mended if isinstance(event, Verified)][-1]
    result = last.result("pytest")
    assert result is not None
    assert (result.status, result.count("passed")) == ("passed", 3)


def test_a_recorded_conversation_is_replayed_to_the_letter(mended: tuple[Event, ...]) -> None:
    specs = tuple(tool.spec for tool in TOOLS.values())
    for index, event in enumerate(mended):
        if isinstance(event, Replied):
            assert OfflineModel().reply(context.prompt(mended[:index], specs)) == event.reply


def test_a_run_without_faults_and_with_a_wish_changes_nothing(repo: Repo, tmp_path: Path) -> None:
    repo.commit({"calc.py": "def add(a, b):\n    return a + b\n"})
    before = repo.state()
    events = work(repo, tmp_path / "store", goal="Add a function that multiplies two numbers.")
    assert subjects(events) == []
    assert ending(events).stop == "done"
    assert "cannot write new logic" in ending(events).detail
    assert repo.state() == before


def test_what_no_small_edit_mends_is_said_with_the_lines_that_are_blamed(repo: Repo, tmp_path: Path) -> None:
    repo.commit(
        {
            "calc.py": "def add(a, b):\n    raise NotImplementedError\n",
            "test_calc.py": "from calc import add\n\n\ndef test_add():\n    assert [add(n, n) for n in range(9)] == "
            "[0, 3, 8, 5, 1, 7, 7, 2, 4]\n",
        }
    )
    events = work(repo, tmp_path / "store", goal="make the test pass")
    assert subjects(events) == []
    assert touched(events) == set()
    assert "test_add" in ending(events).detail
    assert "use a language model" in ending(events).detail
    assert summarize(events).outcome == "gave_up"


OPENING = """# Task

<<<aaaaaaaaaaaa
Make the failing checks pass.
<<<end aaaaaaaaaaaa

# Checks
- syntax (syntax)
- ruff (static)
- mypy (types)
- pytest (unit)

# The base, judged

<<<bbbbbbbbbbbb
VERDICT ok (not green)
FAILED syntax a.py::SyntaxError::expected ':' at a.py:1: SyntaxError: expected ':'
FAILED ruff b.py::F401::`os` imported but unused at b.py:1: F401 `os` imported but unused
FAILED ruff b.py::F821::Undefined name `nmae` at b.py:4: F821 Undefined name `nmae`
FAILED mypy b.py::assignment::Incompatible types in assignment (expression has type "None", variable has type "str") at b.py:2: assignment Incompatible types in assignment (expression has type "None", variable has type "str")
FAILED pytest t/test_b.py::test_x at b.py:3: AttributeError: 'Account' object has no attribute 'x' > a.x
FAILED pytest t/test_b.py::test_y at b.py:3: AssertionError: assert 1 == 2
<<<end bbbbbbbbbbbb"""  # noqa: E501

ANSWERS = st.sampled_from(
    [
        "",
        "denied",
        "b.py: lines 1-4 of 4\n    1│import os\n    2│x: str = None\n    3│a.x\n    4│print(nmae, name)",
        "b.py: 3 → 3 lines, line 2 changed",
        "a.py: lines 1-2 of 2\n    1│def f()\n    2│    pass",
        "ruff: passed (no findings)\nPASSED ruff: no findings",
        "not committed (attempt 1 of 3):\nVERDICT not ok",
        "FAILED ruff b.py::I001::x at b.py:1: I001 x",
        "rolled back: the files are as at 123 again",
        "committed 0123456789 as step 1: x.\nVERDICT ok (not green)\nFAILED pytest t/test_b.py::test_y at b.py:3: E: z",
        "committed 0123456789 as step 1: x. Every check passes.",
        "nothing changed since the last verified commit",
        "exit code 1; changed: b.py",
        "b.py:1: class Account:",
        "CANDIDATE 1 b.py:3 const score=1.000\n| --- a/b.py\n| +++ b/b.py\n| @@ -1 +1 @@\n| -a\n| +b",
        "modified b.py +1 -1\n\ndiff --git a/b.py b/b.py\n--- a/b.py\n+++ b/b.py\n@@ -1 +1 @@\n-a\n+b",
        '… 99 lines left out; read_output(ref="o1", start=3)',
        "SUSPECTS 1\nSUSPECT b.py:3 score=0.5 x",
        "refused: there are changes that are not verified; call checkpoint first",
    ]
)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_whatever_the_tools_answer_the_model_ends_and_edits_no_test(data: st.DataObject) -> None:
    replies = converse(OPENING, lambda call: data.draw(ANSWERS, label=call.name))
    assert len(replies) <= MOST_TURNS + 30
    assert replies[-1].calls[-1].name == "finish"
    paths = [call.arguments.get("path", "") for reply in replies for call in reply.calls if call.name != "read_file"]
    assert not any(str(path).startswith("t/") for path in paths)


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=60), st.text(max_size=60))
def test_hostile_text_makes_no_reply_fail(opening: str, answer: str) -> None:
    converse(OPENING.replace("expected", opening), lambda call: answer)
    converse(opening, lambda call: answer)


def test_the_same_calls_are_not_made_over_and_over() -> None:
    replies = converse(OPENING, lambda call: "not committed (attempt 1 of 3):\nVERDICT not ok")
    made: list[ToolCall] = [call for reply in replies for call in reply.calls]
    keys = [(call.name, repr(call.arguments)) for call in made]
    runs = max(sum(1 for _ in group) for group in _runs(keys))
    assert runs < 4


def _runs(keys: list[tuple[str, str]]) -> list[list[tuple[str, str]]]:
    groups: list[list[tuple[str, str]]] = []
    for key in keys:
        if groups and groups[-1][-1] == key:
            groups[-1].append(key)
        else:
            groups.append([key])
    return groups


def test_where_nothing_may_be_changed_the_model_only_plans() -> None:
    from_planning = [
        name for name in TOOLS if name in ("read_file", "search_text", "update_plan", "finish", "run_check")
    ]
    replies = converse(OPENING, lambda call: "noted", tools=from_planning)
    assert [call.name for reply in replies for call in reply.calls] == ["update_plan", "finish"]
    assert "t/test_b.py::test_x and 1 more" in str(replies[0].calls[0].arguments["steps"])
