"""A hint is one clean line about a file of the tree, and comes in time whatever a task is made of."""

import time
from collections.abc import Sequence

import pytest

from bot.core.check import CaseResult, CheckResult, Rung, Verdict
from bot.core.retrieval.evidence import Failing, gather
from bot.core.retrieval.hints import MOST, Source, locate
from bot.core.retrieval.index import Index
from bot.core.retrieval.mentions import Places, find_mentions
from bot.core.retrieval.pages import Page
from bot.core.retrieval.spots import Definition, enclosing, find_phrases
from bot.core.retrieval.words import find_words

GREEN = Verdict(tree="")
TEXT = """class Quota:
    def __init__(self):
        self.left = 3

    def retry(self, seconds):
        if seconds < 0:
            raise ValueError("the quota is used up already")
        return seconds


def send(mail):
    return mail
"""
FILES = {
    "shop/quota.py": (
        TEXT,
        (
            Definition("Quota", 1, 8),
            Definition("Quota.__init__", 2, 3),
            Definition("Quota.retry", 5, 8),
            Definition("send", 11, 12),
        ),
    ),
    "shop/orders.py": ("def place(order):\n    return order.quota\n", (Definition("place", 1, 2),)),
    "shop/models.py": ("class Order:\n    pass\n", (Definition("Order", 1, 2),)),
}
PLACES = Places((*FILES, "tests/test_quota.py", "README.md", "web/models.py", "Makefile"))


def read(paths: Sequence[str]) -> dict[str, Source]:
    return {path: Source(*FILES[path]) for path in paths if path in FILES}


def make_index() -> Index:
    pages = []
    for path, (text, definitions) in FILES.items():
        words = sorted(set(find_words(text)))
        pages.append(Page(path, words, [1] * len(words), [each.name for each in definitions]))
    return Index(pages)


INDEX = make_index()


def hint(goal: str, verdict: Verdict = GREEN, tests: Failing = Failing()) -> list[str]:  # noqa: B008 - frozen
    return [place.text for place in locate(INDEX, gather(goal, verdict, PLACES, tests), read)]


def test_a_place_says_why() -> None:
    assert hint("a retry is refused too early")[0] == "shop/quota.py:5 Quota.retry — its words: retry"
    assert hint("Quota.retry(5) does nothing")[0] == "shop/quota.py:5 Quota.retry — named in the task"
    assert "shop/orders.py:1 place — named in the task; its words: order, quota" in hint("orders.py: quota of an order")
    assert hint("It says 'the quota is used up already', but why?")[0] == (
        "shop/quota.py:7 Quota.retry — has a text of the task"
    )


def test_the_last_line_of_a_stack_trace_comes_first() -> None:
    trace = (
        "Traceback (most recent call last):\n"
        '  File "/srv/app/shop/orders.py", line 2, in place\n    return order.quota\n'
        '  File "/srv/app/shop/quota.py", line 3, in __init__\n'
        '  File "/usr/lib/python3/json/decoder.py", line 9, in f\n'
    )
    told = hint(f"orders crash\n\n{trace}")
    assert told[0] == "shop/quota.py:3 Quota.__init__ — in a stack trace of the task"
    assert "shop/orders.py:2 place — in a stack trace of the task" in told
    assert not any("json" in each for each in told)


def fail(*cases: CaseResult, rung: Rung = Rung.UNIT, output: str = "") -> Verdict:
    return Verdict(
        tree="", results=(CheckResult(check="pytest", rung=rung, status="failed", cases=cases, output=output),)
    )


def test_without_a_task_only_failures_count() -> None:
    case = CaseResult(
        id="tests/test_quota.py::test_retry_is_counted",
        outcome="failed",
        message="ValueError: negative",
        path="shop/quota.py",
        line=7,
    )
    told = hint("", fail(case, case.model_copy(update={"id": "tests/test_quota.py::test_more"})))
    assert told[0] == "shop/quota.py:7 Quota.retry — where 2 failing tests ended"
    twin = case.model_copy(update={"path": "tests/test_quota.py", "line": 3})
    tests = Failing({"tests/test_quota.py": ("shop/models.py", "shop/quota.py")}, "assert Quota().retry(-1)")
    told = hint("", fail(twin, output="shop/orders.py:2: AttributeError"), tests)
    assert told[0].startswith("shop/quota.py:5 Quota.retry — named in failing tests")
    assert any(each.startswith("shop/models.py") and "imported by failing tests" in each for each in told)
    assert any(each.startswith("shop/orders.py:2 place — in what pytest printed") for each in told)
    finding = CaseResult(id="shop/orders.py::F821::undefined", outcome="failed", path="shop/orders.py", line=2)
    assert hint("", fail(finding, rung=Rung.STATIC))[0] == "shop/orders.py:2 place — 1 finding of pytest"
    assert hint("", GREEN) == []


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("see shop/quota.py:5", {"shop/quota.py"}),
        ("see ./shop\\quota.py.", {"shop/quota.py"}),
        ("https://host.example/x/y/blob/main/shop/quota.py#L5-L7", {"shop/quota.py"}),
        ("models.py", {"shop/models.py", "web/models.py"}),
        ("other/models.py", set()),
        ("../../etc/passwd /etc/shadow .. / . ./ ~/.ssh/id_rsa", set()),
        ("shop.quota.Quota.retry fails", {"shop/quota.py"}),
        ("quota.Quota", set()),
        ("the makefile, or Makefile", {"Makefile"}),
        ("Quota and order", set()),
    ],
)
def test_only_files_of_the_tree_are_mentioned(text: str, paths: set[str]) -> None:
    assert {each.path for each in find_mentions(text, PLACES)} == paths


HOSTILE = {
    "one word": "a" * 1_000_000,
    "a million words": " ".join(f"w{number}Xy_{number}" for number in range(100_000)),
    "dots": "a." * 500_000,
    "backticks": "`" * 1_000_000,
    "fences": "```\n~~~\n" * 120_000,
    "line breaks": "\n" * 1_000_000,
    "quotes": "'a b c d e f" * 90_000,
    "letters that are many": "\ufdfa" * 100_000,
    "no letters": "\udcff\x00 \x1b[31m\u202e quota " * 50_000,
    "paths": "shop/quota.py:1: Error " * 50_000,
    "spaces": " " * 1_000_000 + "```",
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_text_takes_no_longer_and_makes_clean_lines(kind: str) -> None:
    since = time.process_time()
    told = hint(HOSTILE[kind])
    assert time.process_time() - since < 0.5
    assert len(told) <= MOST
    for each in told:
        assert each.isprintable()
        assert len(each) <= 200
        assert each.partition(":")[0].split(" ")[0] in PLACES.paths


def test_phrases_are_what_a_message_is_filled_around() -> None:
    assert find_phrases("It says \"cannot open file 'a.txt' for writing\"") == ("cannot open file", "for writing")
    assert find_phrases("ValueError: no such column as 12 in the table") == ("no such column as", "in the table")
    assert find_phrases("x" * 1000) == ()


def test_a_line_is_of_the_innermost_definition_around_it() -> None:
    definitions = FILES["shop/quota.py"][1]
    assert [found.name if (found := enclosing(definitions, line)) else "" for line in (1, 3, 7, 9, 12)] == [
        "Quota", "Quota.__init__", "Quota.retry", "", "send",
    ]  # fmt: skip


def test_a_file_whose_path_would_not_be_told_as_it_is_is_left_out() -> None:
    odd = ("shop/two  blanks.py", f"shop/{'x' * 200}.py", "shop/\u202eyp.py", "shop/one.py")
    index = Index(Page(path, ("quota",), (1,), ()) for path in odd)
    assert [place.path for place in locate(index, gather("quota", GREEN, Places(odd), Failing()), read)] == [
        "shop/one.py"
    ]
