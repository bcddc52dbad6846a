"""What the quick checks say of a change."""

from pathlib import Path

import pytest

from bot.core.check import Check, Rung
from bot.core.hook import Unjudged
from bot.verify.interpreter import own_script
from bot.verify.ladder import Ladder
from tests.conftest import executor
from tests.verify.conftest import PYTEST, bare, climb, write
from tests.verify.fast.conftest import Late, judge

SYNTAX = Check(name="syntax", rung=Rung.SYNTAX, reader="syntax")
RUFF = Check(
    name="ruff", rung=Rung.STATIC, reader="ruff", argv=(str(own_script("ruff")), "check", "--isolated", "--", "src")
)
SHELL = Check(name="shell", rung=Rung.UNIT, argv=("/bin/sh", "-c", "test ! -e broken"))
SLOW = Check(name="slow", rung=Rung.UNIT, argv=("/bin/sh", "-c", "sleep 20"))
BUILD = SHELL.model_copy(update={"name": "build", "rung": Rung.BUILD})
SHOP = {
    "src/shop/__init__.py": "",
    "src/shop/prices.py": "def price():\n    return 3\n",
    "src/shop/cart.py": "from shop.prices import price\n\n\ndef total():\n    return price() * 2\n",
    "src/shop/old.py": "import os\n",
    "tests/test_cart.py": "from shop.cart import total\n\n\ndef test_total():\n    assert total() == 6\n",
    "tests/test_old.py": "def test_old():\n    assert False\n\n\ndef test_other():\n    pass\n",
    "pytest.ini": "[pytest]\npythonpath = src\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "tree"


def test_only_what_a_change_reaches_is_asked_and_a_broken_test_is_told(root: Path) -> None:
    after = SHOP | {
        "src/shop/prices.py": "def price():\n    return 4\n",
        "tests/test_old.py": "\n\n" + SHOP["tests/test_old.py"],
    }
    asked, sieve = judge(root, SHOP, after, SYNTAX, RUFF, PYTEST, BUILD)
    told = {check.name: check.targets for check in asked}
    assert told == {
        "syntax": ("src/shop/prices.py", "tests/test_old.py"),
        "ruff": ("src/shop/prices.py",),
        "pytest": ("tests/test_old.py", "tests/test_cart.py"),
    }
    sifted = sieve.sifted
    assert sifted.verdict.comparison.broken == ("tests/test_cart.py::test_total",)
    assert not sifted.ok
    assert (sifted.old, sifted.unjudged) == (("tests/test_old.py::test_old",), ())
    assert [check.name for check in sieve.asked] == ["syntax", "ruff", "pytest"]


def test_what_failed_before_is_held_against_nobody_and_what_is_asked_again_is_as_narrow(root: Path) -> None:
    after = SHOP | {"src/shop/old.py": "\n\nimport os\nimport sys\n", "tests/test_cart.py": ""}
    _, sieve = judge(root, SHOP, after, SYNTAX, RUFF, PYTEST)
    compared = sieve.sifted.verdict.comparison
    assert [name.split("::")[2] for name in compared.broken] == ["`sys` imported but unused"]
    assert [name.split("::")[2] for name in sieve.sifted.old] == ["`os` imported but unused"]
    # Nothing above the rung that got worse is asked
    assert [result.check for result in sieve.sifted.verdict.results] == ["syntax", "ruff"]
    moved = {path: text for path, text in SHOP.items() if path != "src/shop/old.py"} | {
        "src/shop/new.py": "import os\n"
    }
    _, sieve = judge(root, SHOP, moved, RUFF)
    assert sieve.sifted.ok
    assert sieve.sifted.old == ("src/shop/new.py::F401::`os` imported but unused",)


def test_a_module_that_is_gone_is_missed_by_those_that_import_it(root: Path) -> None:
    after = {path: text for path, text in SHOP.items() if path != "src/shop/prices.py"}
    asked, sieve = judge(root, SHOP, after, SYNTAX, PYTEST)
    assert [(check.name, check.targets) for check in asked] == [("pytest", ("tests/test_cart.py",))]
    assert "tests/test_cart.py" in sieve.sifted.verdict.comparison.broken


def test_before_a_first_commit_everything_that_fails_is_new_and_documents_ask_for_nothing(root: Path) -> None:
    _, sieve = judge(root, {}, SHOP, RUFF)
    assert len(sieve.sifted.verdict.comparison.broken) == 1
    asked, sieve = judge(root, SHOP, SHOP | {"README.md": "shop\n"}, SYNTAX, RUFF, PYTEST)
    assert asked == []
    assert sieve.sifted.ok
    assert sieve.sifted.unjudged == ()


def test_what_is_not_finished_in_time_is_said_to_be_unknown(root: Path) -> None:
    asked, sieve = judge(root, SHOP, SHOP | {"broken": ""}, SLOW, seconds=0.3)
    assert [check.name for check in asked] == ["slow"]
    assert sieve.sifted.ok
    assert sieve.sifted.unjudged == (Unjudged(check="slow", why="not finished within 0.3 s"),)
    missing = SHELL.model_copy(update={"argv": ("/nowhere/tool",)})
    _, sieve = judge(root, SHOP, SHOP | {"broken": ""}, missing, SHELL)
    assert [one.check for one in sieve.sifted.unjudged] == ["shell"]
    assert sieve.sifted.verdict.comparison.broken == ("shell",)


def test_a_sandbox_that_is_lost_on_the_way_speaks_against_nobody(root: Path) -> None:
    _, sieve = judge(root, SHOP, SHOP | {"broken": ""}, SHELL, executor=Late())
    assert sieve.sifted.ok
    assert sieve.sifted.unjudged == (Unjudged(check="shell", why="the sandbox could not be made: no more of it"),)


def test_a_test_that_passes_the_second_time_is_flaky_and_not_broken(root: Path, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    test = f"from pathlib import Path\n\n\ndef test_it():\n    mark = Path({str(mark)!r})\n    seen = mark.exists()\n"
    test += "    mark.touch()\n    assert seen\n"
    _, sieve = judge(root, SHOP, SHOP | {"tests/test_new.py": test}, PYTEST)
    assert sieve.sifted.verdict.comparison.flaky == ("tests/test_new.py::test_it",)
    assert sieve.sifted.ok


def test_a_narrowed_check_climbs_like_any_other(root: Path) -> None:
    fresh = "from shop.cart import total\n\n\ndef test_fresh():\n    assert total() == 7\n"
    after = SHOP | {"tests/test_fresh.py": fresh, "src/shop/more.py": "import os\n"}
    _, sieve = judge(root, SHOP, after, RUFF)
    narrowed = PYTEST.model_copy(update={"targets": ("tests/test_fresh.py", "tests/test_gone.py")})
    ladder = Ladder((*sieve.asked, narrowed), executor(), bare())
    _, before = climb(ladder, root)
    assert [(result.check, result.status, len(result.cases)) for result in before.results] == [
        ("ruff", "failed", 1),
        ("pytest", "failed", 1),
    ]
    write(root, {"tests/test_fresh.py": fresh.replace("7", "6"), "src/shop/more.py": ""})
    _, verdict = climb(ladder, root, before)
    assert verdict.better
    assert len(verdict.comparison.fixed) == 2
    (root / "src/shop/more.py").unlink()
    assert climb(Ladder(sieve.asked, executor(), bare()), root, before)[1].ok


MANY = {
    f"tests/test_n{number:02}.py": "from shop.prices import price\n\n\ndef test_it():\n    assert price()\n"
    for number in range(22)
}


def test_what_failed_before_keeps_nobody_from_asking_the_tests_behind_it(root: Path) -> None:
    tests = {"tests/test_n01.py": MANY["tests/test_n01.py"].replace("price()", "price() > 9")}
    tests |= {"tests/test_n21.py": MANY["tests/test_n21.py"].replace("price()", "price() == 3")}
    before = SHOP | MANY | tests
    _, sieve = judge(root, before, before | {"src/shop/prices.py": "def price():\n    return 4\n"}, PYTEST)
    assert sieve.sifted.old == ("tests/test_n01.py::test_it",)
    assert "tests/test_n21.py::test_it" in sieve.sifted.verdict.comparison.broken
    assert sieve.sifted.unjudged == ()


def test_a_test_that_fails_on_is_held_against_nobody_under_another_name(root: Path) -> None:
    after = {path: text for path, text in SHOP.items() if path != "tests/test_old.py"}
    _, sieve = judge(root, SHOP, after | {"tests/test_moved.py": SHOP["tests/test_old.py"] + "\n\nX = 1\n"}, PYTEST)
    assert sieve.sifted.ok
    assert sieve.sifted.old == ("tests/test_moved.py::test_old",)


def test_what_a_merge_brings_in_failed_already_and_what_it_breaks_did_not(root: Path) -> None:
    bad = "def test_theirs():\n    assert False\n"
    theirs = SHOP | {"tests/test_theirs.py": bad}
    merged = theirs | {"tests/test_ours.py": bad.replace("theirs", "ours")}
    _, sieve = judge(root, SHOP, merged, PYTEST, others=(theirs,))
    assert sieve.sifted.verdict.comparison.broken == ("tests/test_ours.py::test_ours",)
    assert sieve.sifted.old == ("tests/test_theirs.py::test_theirs",)


def test_what_there_is_no_time_to_ask_of_the_tree_before_is_not_known_to_be_new(root: Path) -> None:
    slow = "import time\nfrom shop.prices import price\n\n\ndef test_slow():\n    time.sleep({})\n    assert False\n"
    before = SHOP | {"tests/test_slow.py": slow.format(60)}
    after = before | {"tests/test_slow.py": slow.format(0), "src/shop/prices.py": "def price():\n    return 3.0\n"}
    _, sieve = judge(root, before, after, PYTEST, seconds=1.0)
    assert sieve.sifted.ok
    assert [one.check for one in sieve.sifted.unjudged] == ["pytest"]
