import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.commands import VARIABLES, refuse_variable
from bot.sandbox.environment import FIXED, PASSED, compose, search_path

NAMES = st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ_", min_size=1)


@given(st.dictionaries(NAMES, st.just("secret")))
def test_only_listed_variables_pass(environ: dict[str, str]) -> None:
    made = compose(("true",), (), environ, home="/h", temporary="/t")
    assert set(made) <= {*PASSED, *FIXED, "PATH", "HOME", "TMPDIR"}
    assert {name for name, value in made.items() if value == "secret"} <= set(PASSED)


def test_what_passes_is_what_the_policy_lets_through() -> None:
    environ = dict.fromkeys((*PASSED, *VARIABLES, "GIT_DIR", "X_TOKEN", "LD_PRELOAD"), "x")
    made = compose(("true",), (), environ, home="/h", temporary="/t")
    assert [name for name in made if name not in FIXED and refuse_variable(name) is not None] == []


@pytest.mark.parametrize(
    "name",
    [
        "GIT_DIR",
        "GITHUB_TOKEN",
        "OPENAI_API_KEY",
        "PYTHONPATH",
        "PYTHONSTARTUP",
        "VIRTUAL_ENV",
        "PYTEST_ADDOPTS",
        "LD_PRELOAD",
    ],
)
def test_dangerous_variables_do_not_pass(name: str) -> None:
    assert name not in compose(("true",), (), {name: "x"}, home="/h", temporary="/t")


def test_what_the_caller_sets_wins() -> None:
    made = compose(("true",), (("PYTHONHASHSEED", "7"), ("NEW", "x")), {}, home="/h", temporary="/t")
    assert (made["PYTHONHASHSEED"], made["NEW"], made["HOME"], made["TMPDIR"]) == ("7", "x", "/h", "/t")


def test_relative_folders_are_no_place_to_find_programs() -> None:
    assert search_path(("true",), {"PATH": "::.:bin:/usr/bin:./x:/bin"}) == "/usr/bin:/bin"


def test_git_agents_own_programs_are_not_found_by_accident() -> None:
    own, apart = f"{sys.prefix}/bin", sys.prefix != sys.base_prefix
    assert (own in search_path(("true",), {"PATH": f"{own}:/usr/games"}).split(":")) is not apart


def test_an_interpreter_brings_the_programs_of_its_environment(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "pyvenv.cfg").touch()
    python = str(tmp_path / "bin/python")
    assert search_path((python, "-V"), {"PATH": f"/usr/bin:{tmp_path}/bin"}) == f"{tmp_path}/bin:/usr/bin"


def test_without_a_search_path_there_is_the_systems() -> None:
    assert "/usr/bin" in search_path((), {}).split(":")
