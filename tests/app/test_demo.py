"""The demonstration, as a newcomer runs it."""

import re
from pathlib import Path

import pytest

from tests.product import run

README = Path(__file__).parents[2] / "README.md"


def rows(text: str) -> set[str]:
    """Find the rows of a proof, without the ids of commits, which differ each time."""
    found = re.findall(r"^[0-9a-f]{10}  (.*(?:holds|✗ \d))$", text, re.MULTILINE)
    assert found
    return {" ".join(row.split()) for row in found}


def test_the_demonstration_mends_its_project_and_proves_it(tmp_path: Path) -> None:
    ran = run("demo", str(tmp_path / "new" / "shop"))
    assert ran.code == 0, ran.err
    for words in ("$ git agent fix", "✓ verified", "$ git log ", "Agent-Tree: ", "$ git agent verify", "✓ proved"):
        assert words in ran.out
    assert "Traceback" not in ran.out + ran.err
    assert rows(README.read_text(encoding="utf-8")) <= rows(ran.out)
    assert not [line for line in ran.out.splitlines() if line != line.rstrip()]
    assert str(tmp_path / "new" / "shop") in ran.out.splitlines()[-1]


def test_a_folder_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    ran = run("demo", str(tmp_path))
    assert (ran.code, ran.out) == (2, "")
    assert "is not empty" in ran.err
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


@pytest.mark.parametrize("name", ["file", "file/below"])
def test_a_place_where_no_folder_can_be_is_refused_in_a_line(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("")
    ran = run("demo", str(tmp_path / name))
    assert (ran.code, ran.out) == (2, "")
    assert len(ran.err.splitlines()) == 1
    assert "name a new folder" in ran.err
