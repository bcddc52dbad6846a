"""Findings of mypy, in packages and where only some files are asked."""

from pathlib import Path

import pytest

from bot.core.check import Check, Rung
from bot.verify.interpreter import own
from tests.verify.conftest import Files, ladder_for, write

BAD = "x: int = 'a'\n"
TREE: Files = {"pkg/src/a.py": BAD, "pkg/src/b.py": BAD, "other/c.py": BAD}
OPTIONS = ("--output", "json", "--no-incremental", "--cache-dir=/dev/null", "--no-error-summary", "--show-error-codes")


def check(*words: str) -> Check:
    argv = (str(own().path), "-I", "-m", "mypy", *OPTIONS, *words)
    return Check(name="mypy", rung=Rung.TYPES, reader="mypy", argv=argv, folder="pkg", timeout=60)


@pytest.mark.parametrize("words", [("--", "src"), ("-p", "src", "--strict"), ("--module=src.a",)])
def test_targets_are_looked_at_in_the_place_of_all(tmp_path: Path, words: tuple[str, ...]) -> None:
    root = write(tmp_path, TREE)
    found = ladder_for(root, check(*words)).run(check(*words), root, ["pkg/src/b.py", "other/c.py"])
    assert (found.status, [case.path for case in found.cases]) == ("failed", ["pkg/src/b.py"])


def test_targets_of_other_packages_are_nothing_to_ask_for(tmp_path: Path) -> None:
    root = write(tmp_path, TREE)
    for reader in ("mypy", "ruff", "ruff-format", "pytest"):
        asked = check("--", "src").model_copy(update={"reader": reader})
        found = ladder_for(root, asked).run(asked, root, ["other/c.py"])
        assert (found.status, found.summary) == (
            "errored", "none of what was asked for lies in pkg, which is all that it looks at",
        )  # fmt: skip
