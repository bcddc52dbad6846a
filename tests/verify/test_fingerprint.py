"""What results depend on besides the tree."""

import json
import os
import venv
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.verify.fingerprint import MOST, Outside, fingerprint, program
from bot.verify.interpreter import Interpreter, find, own
from tests.verify.conftest import write


@pytest.fixture
def home(tmp_path: Path) -> Path:
    venv.create(tmp_path / "env", symlinks=True)
    return write(tmp_path, {"project/a.py": "", "other/b.py": "x = 1\n"})


def libraries(home: Path) -> Path:
    return next((home / "env/lib").glob("python3*/site-packages"))


def install(home: Path, target: Path, name: str = "mine") -> None:
    url = {"url": target.as_uri(), "dir_info": {"editable": True}}
    write(libraries(home), {f"{name}-1.0.dist-info/direct_url.json": json.dumps(url)})


def take(home: Path, isolation: str = "sealed", *carried: Path) -> str | None:
    interpreter = find(Path("/nowhere"), "", {"VIRTUAL_ENV": str(home / "env")})
    return fingerprint(Outside(home / "project", carried), interpreter, isolation)


def test_it_is_the_same_as_long_as_nothing_happens(home: Path) -> None:
    assert take(home) == take(home) is not None
    write(home, {"project/a.py": "x = 2\n", "other/b.py": "x = 22\n"})
    assert take(home) == take(home)


@pytest.mark.parametrize(
    "happening",
    [
        lambda home: write(libraries(home), {"thing-1.0.dist-info/METADATA": ""}),
        lambda home: write(libraries(home), {"old.egg-info": ""}),
        lambda home: write(libraries(home), {"more.pth": str(home / "other")}),
        lambda home: install(home, home / "other"),
        lambda home: (home / "env/bin/python").unlink() or (home / "env/bin/python").symlink_to("/bin/sh"),
    ],
)
def test_it_changes_with_the_environment(home: Path, happening: Callable[[Path], object]) -> None:
    before = take(home)
    happening(home)
    assert take(home) != before


def test_it_changes_with_the_isolation_and_with_a_new_version_of_something(home: Path) -> None:
    assert take(home) != take(home, "other")
    write(libraries(home), {"thing-1.0.dist-info/METADATA": ""})
    before = take(home)
    (libraries(home) / "thing-1.0.dist-info").rename(libraries(home) / "thing-1.1.dist-info")
    assert take(home) != before


def test_what_is_installed_from_elsewhere_is_part_of_it_and_the_tree_itself_is_not(home: Path) -> None:
    install(home, home / "other")
    install(home, home / "project", "tree")
    before = take(home)
    write(home, {"project/a.py": "x = 2\n"})
    assert take(home) == before
    write(home, {"other/b.py": "x = 22\n"})
    assert take(home) != before


def test_variables_that_commands_see_are_part_of_it(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = take(home)
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    assert take(home) != before


def test_what_is_carried_is_part_of_it(home: Path) -> None:
    data = write(home / "data", {"x/y": "1"})
    before = take(home, "sealed", data)
    assert before == take(home, "sealed", data) != take(home)
    write(data, {"x/y": "22"})
    assert take(home, "sealed", data) != before


def test_what_is_known_of_what_is_carried_is_part_of_it(home: Path) -> None:
    told = [fingerprint(Outside(home, (), facts), own(), "sealed") for facts in ((), ("a 1",), ("a 2",))]
    assert len(set(told)) == 3


def test_a_carried_environment_is_told_by_what_is_installed_in_it(home: Path) -> None:
    before = take(home, "sealed", home / "env")
    write(libraries(home), {f"big/{n}.py": "" for n in range(10)})
    assert take(home, "sealed", home / "env") == before
    write(libraries(home), {"big-1.0.dist-info/METADATA": ""})
    assert take(home, "sealed", home / "env") != before


@pytest.mark.parametrize("url", ["{", "[]", '{"url": 3}', "{}"])
def test_what_cannot_be_told_is_not_guessed(home: Path, url: str) -> None:
    write(libraries(home), {"mine-1.0.dist-info/direct_url.json": url})
    assert take(home) is None


def test_too_much_to_look_at_is_not_guessed_either(home: Path) -> None:
    (home / "many").mkdir()
    for number in range(MOST + 1):
        os.mknod(home / "many" / str(number))
    assert take(home, "sealed", home / "many") is None
    assert take(home, "sealed", home / "gone") is None
    gone = Interpreter(home / "none/bin/python", "--python", frozenset())
    assert fingerprint(Outside(home), gone, "sealed") is None


def test_a_program_that_is_replaced_is_another_one(tmp_path: Path) -> None:
    tool = write(tmp_path, {"tool": "1"}) / "tool"
    before = program(str(tool))
    tool.write_text("22")
    assert program(str(tool)) != before
    assert program("tool") == program(str(tmp_path / "none")) == ""


def test_our_own_environment_can_be_told() -> None:
    assert fingerprint(Outside(Path("/nowhere")), own(), "sealed") is not None
