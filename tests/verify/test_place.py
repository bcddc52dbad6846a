"""Where a check runs, and how its paths are told."""

import posixpath
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.check import Check, Rung
from bot.sandbox.limits import Bounds
from bot.sandbox.process import ProcessExecutor
from bot.verify.interpreter import Interpreter
from bot.verify.place import Place, from_root, types_first, within
from bot.verify.plain import run
from bot.verify.shards import merge
from tests.conftest import executor
from tests.verify.conftest import bare, write


@pytest.mark.parametrize(
    ("folder", "path", "told"),
    [
        ("", "a.py", "a.py"),
        ("pkg", "a.py", "pkg/a.py"),
        ("pkg", "./tests//test_a.py", "pkg/tests/test_a.py"),
        ("pkg/one", "../two/a.py", "pkg/two/a.py"),
        ("pkg", "../a.py", "a.py"),
        ("pkg", "../../a.py", ""),
        ("pkg", "..", ""),
        ("pkg", "/etc/passwd", ""),
        ("", "../a.py", ""),
    ],
)
def test_a_path_of_a_package_is_told_from_the_root(folder: str, path: str, told: str) -> None:
    assert from_root(folder, path) == told


def test_targets_are_seen_from_the_folder_of_the_check() -> None:
    targets = ["one/test_a.py::test_x", "two/test_b.py", "--ignore=one/test_c.py", "--ignore=two/test_d.py", "one"]
    assert within("one", targets) == ["test_a.py::test_x", "--ignore=test_c.py", "."]
    assert within("", targets) == targets
    assert within("one", []) == []


@pytest.mark.parametrize(
    ("target", "wanted"),
    [
        ("one/two/a.py", ["a.py"]), ("one", ["."]), ("one/", ["."]), (".", ["."]), ("one/two", ["."]), ("on", None),
        ("one/twofold/a.py", None), ("other", None), ("--ignore=one", []), ("--ignore=other/a.py", []),
    ],
)  # fmt: skip
def test_target_above_a_folder_is_all_of_it_and_one_beside_it_nothing(target: str, wanted: list[str] | None) -> None:
    assert within("one/two", [target]) == wanted


_STEPS = st.lists(st.sampled_from(["..", ".", "a", "b", "", "...", "-"]), max_size=8).map("/".join)


@given(st.sampled_from(["", "a", "a/b"]), _STEPS)
def test_a_told_path_is_normal_and_stays_in_the_tree(folder: str, path: str) -> None:
    told = from_root(folder, path)
    assert not told.startswith(("/", "../"))
    assert told not in (".", "..")
    assert not told or posixpath.normpath(told) == told


def test_a_check_starts_in_its_own_folder(tmp_path: Path) -> None:
    root = write(tmp_path / "tree", {"one/here.txt": "one", "two/here.txt": "two"})
    place = Place(root, executor(), bare())
    check = Check(name="look", rung=Rung.UNIT, folder="two")
    assert place.execute(check, ["cat", "here.txt"]).output == "two"
    told = place.execute(check, ["cat", "here.txt"], "output").report.decode()
    assert told == f"{(root / 'two').resolve()}\ntwo"
    nowhere = check.model_copy(update={"folder": "three"})
    assert place.execute(nowhere, ["cat", "here.txt"]).returncode == 127
    assert replace(place, workers=4).workers == 4


def test_limits_that_a_check_ran_into_are_named(tmp_path: Path) -> None:
    check = Check(name="flood", rung=Rung.BUILD, argv=("cat", "/dev/zero"))
    place = Place(tmp_path, ProcessExecutor(Bounds(output=1 << 18, file=1 << 20)), bare())
    told = run(check, place, ())
    assert (told.status, told.hit) == ("errored", ("output",))
    assert told.summary == "stopped for using more than it may: output"
    merged = merge([told, told.model_copy(update={"hit": ("memory", "output")})])
    assert merged.hit == ("output", "memory")


def test_mypy_is_led_to_the_tree_where_an_editable_install_leads_elsewhere(tmp_path: Path) -> None:
    root = write(tmp_path / "tree", {"src/deep/__init__.py": "", "one/src/deep.py": "", "lib/x.py": ""})
    python = tmp_path / "venv/bin/python"
    write(
        tmp_path / "venv", {"pyvenv.cfg": "home = /usr/bin\n", "lib/python3.11/site-packages/_x.pth": "/elsewhere/src"}
    )
    found = Interpreter(python, "test", frozenset())
    assert types_first(root, "landlock", found) == (("MYPYPATH", str(root / "src")),)
    assert types_first(root, "process", found, "one") == (("MYPYPATH", f"{root / 'one/src'}:{root / 'src'}"),)
    assert types_first(root, "bubblewrap", found) == ()
    (tmp_path / "venv/lib/python3.11/site-packages/_x.pth").write_text("import os\nsrc\n")
    assert types_first(root, "landlock", found) == ()
