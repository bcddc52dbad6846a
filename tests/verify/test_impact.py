"""Which tests are near to a change."""

from pathlib import Path

import pytest

from bot.core.check import CaseResult, CheckResult, Rung
from bot.verify.impact import nearest, read_graph
from tests.verify.conftest import Files, write

SHOP: Files = {
    "src/shop/__init__.py": "from shop.cart import Cart\nfrom shop.prices import price\n",
    "src/shop/cart.py": "from .prices import price\n\n\nclass Cart: ...\n",
    "src/shop/prices.py": "def price(): ...\n",
    "src/shop/users.py": "from shop import names\n",
    "src/shop/names.py": "",
    "tests/__init__.py": "",
    "tests/tools.py": "from shop.names import full\n",
    "tests/test_cart.py": "from shop.cart import Cart\n",
    "tests/test_top.py": "from shop import Cart\n",
    "tests/test_price.py": "import shop.prices as prices\n",
    "tests/test_users.py": "from shop.users import User\n",
    "tests/test_tools.py": "from .tools import full\n",
    "tests/test_patched.py": "def test(mocker): mocker.patch('shop.names.full')\n",
    "tests/test_run.py": "import subprocess\n",
    "tests/test_all.py": "import shop\n",
    "tests/db/conftest.py": "from shop.users import User\n",
    "tests/db/test_store.py": "def test_store(user): ...\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path, SHOP)


def near_to(root: Path, *paths: str) -> set[str]:
    graph = read_graph(root)
    assert graph is not None
    found = {Path(path).stem.removeprefix("test_") for path in graph.reached(paths) if Path(path).match("test_*.py")}
    return found - {"run"}


def test_tests_are_reached_through_all_that_imports_a_file(root: Path) -> None:
    assert near_to(root, "src/shop/cart.py") == {"cart", "top", "all"}
    assert near_to(root, "src/shop/prices.py") == {"cart", "top", "price", "all"}
    assert near_to(root, "src/shop/users.py") == {"users", "store"}
    assert near_to(root, "src/shop/names.py") == {"users", "store", "tools", "patched"}
    assert near_to(root, "tests/test_price.py") == {"price"}


def test_a_package_counts_for_all_that_load_it(root: Path) -> None:
    assert near_to(root, "src/shop/__init__.py") >= {"cart", "top", "price", "users", "all"}


def test_a_conftest_counts_for_all_below_it(root: Path) -> None:
    assert near_to(root, "tests/db/conftest.py") == {"store"}


def test_a_file_that_is_gone_is_still_asked_for(root: Path) -> None:
    (root / "src/shop/cart.py").unlink()
    assert near_to(root, "src/shop/cart.py") >= {"cart", "top"}


def test_a_test_that_starts_other_programs_is_always_near(root: Path) -> None:
    graph = read_graph(root)
    assert graph is not None
    assert "tests/test_run.py" in graph.reached(["src/shop/names.py"])


def before(*, seconds: float = 10.0, heavy: str = "", each: float = 1.0) -> CheckResult:
    cases = tuple(
        CaseResult(id=f"{path}::test", outcome="passed", seconds=5.0 if path == heavy else each)
        for path in SHOP
        if Path(path).match("test_*.py")
    )
    return CheckResult(check="pytest", rung=Rung.UNIT, status="passed", cases=cases, seconds=seconds)


def test_the_nearest_are_chosen_when_there_is_something_to_gain(root: Path) -> None:
    assert nearest(root, ["src/shop/users.py"], before()) == (
        "tests/test_users.py",
        "tests/test_run.py",
        "tests/db/test_store.py",
    )
    write(root, {"tests/test_new.py": ""})
    fresh = nearest(root, ["src/shop/users.py", "tests/test_new.py"], before())
    assert fresh[-1] == "tests/test_new.py"


@pytest.mark.parametrize(
    ("paths", "told"),
    [
        ([], before()),
        (["src/shop/users.py"], before(seconds=1.5)),
        (["src/shop/users.py"], before(each=0.1)),
        (["src/shop/users.py"], before(seconds=2.5, each=0.2)),
        (["src/shop/users.py"], before(heavy="tests/db/test_store.py")),
        (["src/shop/users.py", "data.json"], before()),
        (["src/shop/users.py", "pyproject.toml"], before()),
        (["src/shop/users.py", "tests/db/conftest.py"], before()),
        (["src/shop/prices.py"], before()),
        (["src/shop/users.py"], before().model_copy(update={"narrowed": True})),
    ],
)
def test_all_are_asked_where_that_is_unsure_or_gains_nothing(root: Path, paths: list[str], told: CheckResult) -> None:
    assert nearest(root, paths, told) == ()


def test_a_tree_that_cannot_be_read_is_asked_as_a_whole(root: Path) -> None:
    (root / "src/shop/linked.py").symlink_to("/etc/passwd")
    assert nearest(root, ["src/shop/users.py"], before()) == ()


def test_what_counted_for_a_folder_and_is_gone_is_still_missed_there(root: Path) -> None:
    (root / "tests/db/conftest.py").unlink()
    assert near_to(root, "tests/db/conftest.py") == {"store"}


def test_modules_whose_name_is_put_together_are_reached_as_far_as_it_is_known(root: Path) -> None:
    loads = "from importlib import import_module\n\n\ndef load(name):\n    return import_module({})\n"
    write(root, {"src/shop/load.py": loads.format('f"shop.na{name}"'), "src/shop/any.py": loads.format("name")})
    write(root, {"tests/test_load.py": "from shop.load import load\n", "tests/test_any.py": "import shop.any\n"})
    assert near_to(root, "src/shop/names.py") >= {"load", "any"}
    assert near_to(root, "src/shop/cart.py") >= {"any"}
