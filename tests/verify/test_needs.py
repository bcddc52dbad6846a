"""What a check needs and is not here."""

from pathlib import Path

import pytest

from bot.core.check import Check, Rung
from tests.verify.conftest import ladder_for, write

CHECK = Check(name="web", rung=Rung.UNIT, argv=("/bin/sh", "-c", "touch ran"), timeout=60)


@pytest.mark.parametrize(
    ("needs", "summary"),
    [
        (("sh", "python:json", "data/", "./data/x.txt"), ""),
        (("no-such-program",), "it needs the program no-such-program, which is not here"),
        (("python:no_such_module", "sh"), "it needs the Python module no_such_module, which is not here"),
        (("python:json.tool.no.such",), "it needs the Python module json.tool.no.such, which is not here"),
        (("node_modules/",), "it needs the path node_modules/, which is not here"),
        (("$(touch ran)", "; touch ran", "-e"),
         "it needs the program $(touch ran), the program ; touch ran, the program -e, which is not here"),
    ],
)  # fmt: skip
def test_what_is_missing_is_said_before_anything_runs(tmp_path: Path, needs: tuple[str, ...], summary: str) -> None:
    write(tmp_path, {"data/x.txt": ""})
    check = CHECK.model_copy(update={"needs": needs})
    result = ladder_for(tmp_path, check).run(check, tmp_path)
    assert (tmp_path / "ran").exists() == (not summary)
    assert result.status == ("errored" if summary else "passed")
    if summary:
        assert result.summary == summary


def test_path_is_looked_for_in_the_folder_of_the_check(tmp_path: Path) -> None:
    write(tmp_path, {"web/data/x": ""})
    check = CHECK.model_copy(update={"needs": ("data/x",), "folder": "web"})
    assert ladder_for(tmp_path).run(check, tmp_path).status == "passed"
    assert ladder_for(tmp_path).run(check.model_copy(update={"folder": ""}), tmp_path).status == "errored"


def test_module_of_the_tree_is_not_taken_for_an_installed_one(tmp_path: Path) -> None:
    write(tmp_path, {"mine.py": "open('ran', 'w')\n"})
    check = CHECK.model_copy(update={"needs": ("python:mine",)})
    assert ladder_for(tmp_path).run(check, tmp_path).status == "errored"
    assert not (tmp_path / "ran").exists()
