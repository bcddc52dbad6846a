"""Extension modules that were built before a change."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.stale import stale_builds, tell_stale

SPEED = "src/fast/_speed.cpython-311-x86_64-linux-gnu.so"
OTHER = "src/fast/_other.abi3.so"


@pytest.mark.parametrize(
    ("changed", "stale"),
    [
        (["src/fast/_speed.c"], (SPEED,)),
        (["csrc/_speed.pyx", "csrc/_other.pyx"], (OTHER, SPEED)),
        (["src/fast/common.h"], (OTHER, SPEED)),
        (["src/fast/_speed.c", "src/fast/common.h"], (OTHER, SPEED)),
        (["rust/src/lib.rs"], (OTHER, SPEED)),
        (["setup.py"], (OTHER, SPEED)),
        (["src/fast/_speed.py"], (SPEED,)),
        (["src/fast/__init__.py", "tests/test_speed.py", "docs/_speed.md"], ()),
        (["elsewhere/_speed.py"], ()),
        ([], ()),
    ],
)
def test_a_changed_source_makes_what_may_be_built_from_it_stale(changed: list[str], stale: tuple[str, ...]) -> None:
    assert stale_builds(changed, [SPEED, OTHER, ".venv", "src/fast/_version.py"]) == stale


@given(st.lists(st.sampled_from(["a.c", "b/x.rs", "x.py", "src/fast/_speed.pyx", "CMakeLists.txt"])))
def test_a_compiled_source_never_changes_unnoticed(changed: list[str]) -> None:
    assert bool(stale_builds(changed, [SPEED])) == any(not path.endswith(".py") for path in changed)
    assert stale_builds(changed, [".venv"]) == ()


def test_a_submodule_that_a_change_moves_is_stale_and_no_other_is() -> None:
    carried = [SPEED, "deps/data/", "deps/more/"]
    assert stale_builds(["deps/data", "src/a.py"], carried) == ("deps/data/",)
    assert stale_builds(["deps/data/x", "deps"], carried) == ()
    assert stale_builds(["setup.py", "deps/more"], carried) == ("deps/more/", SPEED)


def test_what_is_stale_is_told_by_its_kind() -> None:
    assert tell_stale("deps/data/") == "submodule deps/data was carried as the base has it, and the change moves it"
    assert tell_stale(SPEED) == f"{SPEED} was built before its source was changed"
