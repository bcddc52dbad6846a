"""Searches in projects whose last commit is known: what it took away comes back, and it is blamed if it is at fault."""

import sys
from collections.abc import Mapping
from pathlib import Path

from bot.git.repository import open_repository
from bot.git.since import find_since, read_changes
from bot.repair.engine import search
from bot.repair.found import Search
from bot.repair.subject import Subject
from bot.verify.interpreter import own
from tests.conftest import Repo, executor, make_repo

Files = Mapping[str, str]


def change(folder: Path, before: Files, after: Files, *gone: str) -> Subject:
    """Commit one version of a project and then what became of some of its files."""
    repo = make_repo(folder)
    repo.commit(before)
    for name in gone:
        (repo.path / name).unlink()
    return lately(repo, repo.commit(after))


def lately(repo: Repo, base: str) -> Subject:
    repository = open_repository(repo.path)
    past = read_changes(repository, find_since(repository, base), base)
    return Subject(repo.path, Path(sys.executable), executor(), own().variables, past=past)


def added(found: Search, number: int = 0) -> list[str]:
    """List the lines that a candidate adds."""
    return [row[1:].strip() for row in found.candidates[number].patch.split("\n") if row.startswith("+ ")]


TEST = (
    "from shop import total, label, rate\n\n\n"
    "def test_total():\n    assert total([2, 3], 7) == 12\n\n\n"
    "def test_label():\n    assert label('a') == 'A!'\n\n\n"
    "def test_rate():\n    assert rate('x') == 17\n\n\n"
    "def test_new():\n    assert label('b', mark='?') == 'B?'\n"
)
GREEN = (
    "RATES = {'y': 3}\n\n\n"
    "def total(prices, extra):\n    result = extra\n    for price in prices:\n        result += price\n"
    "    return result\n\n\n"
    "def label(name):\n    return name.upper() + '!'\n\n\n"
    "def rate(name):\n    try:\n        return RATES[name] * 2\n    except KeyError:\n        return 17\n"
)
RED = (
    "RATES = {'y': 3}\n\n\n"
    "def total(prices, extra):\n    result = extra\n    for price in prices:\n        result -= price\n"
    "        if price is None:\n            continue\n    return result\n\n\n"
    "def label(name, mark='!'):\n    return name.upper() + mark\n\n\n"
    "def rate(name):\n    return RATES[name] * 2\n"
)


def test_one_fault_in_a_commit_is_mended_and_what_else_it_brought_is_kept(tmp_path: Path) -> None:
    subject = change(tmp_path / "shop", {"shop.py": GREEN, "test_shop.py": TEST}, {"shop.py": RED})
    found = search(subject, ["test_shop.py::test_total"], 15, limit=1)
    assert added(found) == ["result += price"]
    assert found.candidates[0].history.startswith("as it was before ")
    assert found.candidates[0].template != "revert"


def test_a_test_that_failed_before_the_change_as_well_is_said_to(tmp_path: Path) -> None:
    test = {"test_m.py": "from m import f\n\n\ndef test_f():\n    assert f(3) == 'nobody knows'\n"}
    before, after = ({"m.py": f"def f(a):\n    return {text}\n"} for text in ("a", "[a]"))
    found = search(change(tmp_path / "m", {**before, **test}, after), ["test_m.py::test_f"], 15, most=20)
    assert (found.candidates, found.before, found.flaky) == ((), ("test_m.py::test_f",), ())


def test_changes_that_belong_together_are_taken_back_and_no_others(tmp_path: Path) -> None:
    before = {
        "m.py": "import c\n\n\ndef f(a, b):\n    return c.mix(a, b, 3)\n\n\ndef g():\n    return 1\n",
        "c.py": "def mix(a, b, n):\n    return (a * n + b * b) ^ 21\n",
        "d.py": "def old():\n    return 2\n",
        "test_m.py": "from m import f\n\n\ndef test_f():\n    assert f(3, 2) == 24\n",
    }
    after = {
        "m.py": "import c\n\n\ndef f(a, b):\n    return c.mix({'a': a, 'b': b})\n\n\ndef g():\n    return 1 + 1\n",
        "c.py": "def mix(d):\n    return sorted(d.items())\n",
    }
    found = search(change(tmp_path / "m", before, after, "d.py"), ["test_m.py::test_f"], 12, most=20)
    (candidate,) = found.candidates
    assert candidate.template == "revert"
    assert added(found) == ["return (a * n + b * b) ^ 21", "return c.mix(a, b, 3)"]
    assert candidate.history.startswith("partial revert: 2 changes of ")


def test_a_caller_that_was_forgotten_follows_a_new_name(tmp_path: Path) -> None:
    text = "import lib\n\n\ndef f(a):\n    return lib.{}(a)\n\n\ndef g(a):\n    return lib.compute_total(a) + 1\n"
    test = "from m import f, g\n\n\ndef test_f():\n    assert f(1) == 2\n\n\ndef test_g():\n    assert g(1) == 3\n"
    before = {
        "lib.py": "def compute_total(a):\n    return a * 2\n",
        "m.py": text.format("compute_total"),
        "test_m.py": test,
    }
    after = {"lib.py": "def sum_of(a):\n    return a * 2\n", "m.py": text.format("sum_of")}
    found = search(change(tmp_path / "m", before, after), ["test_m.py::test_g"], 15, limit=1)
    assert (found.candidates[0].template, added(found)) == ("renamed", ["return lib.sum_of(a) + 1"])
