"""The tables of what is gone: well formed, and true of the Python that runs here."""

import builtins
import importlib
import sys

import pytest

from bot.models.offline.outdated import (
    Target,
    advice_on,
    beside,
    gone,
    is_outdated,
    methods,
    once_of_python,
    successor,
    tables,
    target,
)

NEWER = ("importlib.resources.abc", "winreg", "msvcrt", "dbm.gnu", "tkinter")
"""Modules that not every Python has."""


def test_what_stands_in_the_place_of_something_is_there() -> None:
    missing = []
    for rows in tables().rows.values():
        for row in rows:
            new = target(row.new) if row.sort in ("names", "builtins") else None
            module = new.module if new else row.new if row.sort == "modules" else "-"
            top = module.partition(".")[0]
            if module.startswith(NEWER) or (module and top not in sys.stdlib_module_names):
                continue
            owner: object = importlib.import_module(module) if module else builtins
            for part in new.name.split(".") if new and new.name else ():
                owner = getattr(owner, part, None)
            missing += [row] if owner is None else []
    assert not missing


def test_what_this_python_lacks_is_not_offered_as_new() -> None:
    lacking = gone(sys.version_info[:2])
    wrong = [row for rows in tables().rows.values() for row in rows if row.sort == "names" and row.new in lacking]
    assert not wrong


@pytest.mark.parametrize(
    ("dotted", "new"),
    [
        ("collections.Mapping", Target("collections.abc", "Mapping")),
        ("ConfigParser", Target("configparser", "")),
        ("ConfigParser.ConfigParser", Target("configparser", "ConfigParser")),
        ("string.maketrans", Target("", "str.maketrans")),
        ("os.errno", Target("errno", "")),
        ("collections.OrderedDict", None),
    ],
)
def test_a_name_or_its_module_may_have_another_name(dotted: str, new: Target | None) -> None:
    assert successor(dotted) == new


def test_names_that_went_together_are_replaced_together() -> None:
    assert beside("collections.Mapping") >= {"collections.Sequence", "collections.Callable"}
    assert "asyncio.iscoroutinefunction" not in beside("asyncio.async")


def test_advice_is_found_for_a_module_and_for_what_is_in_it() -> None:
    assert "3.12" in advice_on("asyncore.dispatcher")
    assert "packaging" in advice_on("distutils.version.LooseVersion")
    assert advice_on("collections") == ""


def test_modules_that_python_once_had_are_nobody_elses() -> None:
    assert once_of_python() >= {"ConfigParser", "imp", "asyncore", "distutils"}
    assert not once_of_python() & {"numpy", "pkg_resources", "yaml", "unicode"}


def test_every_table_of_objects_names_an_owner() -> None:
    for table in (methods().names, methods().calls, methods().keywords, methods().advice):
        assert all("." in key for key in table)


def test_a_module_is_outdated_if_something_in_it_is() -> None:
    assert is_outdated("distutils")
    assert not is_outdated("json")
