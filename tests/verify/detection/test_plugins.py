"""Plugins of mypy that are, or are not, part of the tree."""

from pathlib import Path

import pytest

from bot.verify.detection.plugins import foreign_plugins
from bot.verify.interpreter import own
from tests.verify.conftest import Files, write


@pytest.mark.parametrize(
    ("files", "foreign"),
    [
        ({}, False),
        ({"mypy.ini": "[mypy]\nplugins = pydantic.mypy\n"}, False),
        ({"pyproject.toml": '[tool.mypy]\nplugins = ["pydantic.mypy"]\n'}, False),
        ({"pyproject.toml": '[tool.mypy]\nplugins = ["pydantic.mypy", "mine"]\n'}, True),
        ({"setup.cfg": "[mypy]\nplugins =\n  pydantic.mypy,\n  ./pydantic/hook.py\n"}, True),
        ({".mypy.ini": "[mypy]\nplugins = mine:start\n"}, True),
        ({"mypy.ini": "plugins\n[["}, True),
        ({"pyproject.toml": "[tool.mypy\n"}, True),
        ({"pyproject.toml": '[tool.mypy]\nplugins = "mine"\n', "sub/mypy.ini": "[mypy]\n"}, True),
    ],
)
def test_plugins_are_trusted_only_from_libraries(tmp_path: Path, files: Files, *, foreign: bool) -> None:
    write(tmp_path, files)
    (tmp_path / "sub").mkdir(exist_ok=True)
    assert foreign_plugins(tmp_path, "sub", own()) is foreign
