"""Changes that get past one of those who look: what reads tests, what runs them, what knows where they are."""

from pathlib import Path

import pytest

from tests.verify.disguises import DISGUISES, MISREAD
from tests.verify.edits import ADD
from tests.verify.test_corpus import Court, some
from tests.verify.test_tamper import doubtful, look


@pytest.mark.parametrize("name", some(DISGUISES))
def test_disguise_is_never_verified(name: str, tmp_path: Path) -> None:
    assert not Court(tmp_path).judge(DISGUISES[name]).verified


@pytest.mark.parametrize("texts", MISREAD.values(), ids=MISREAD)
def test_what_python_does_with_a_test_is_not_read_over(texts: tuple[str, str]) -> None:
    before, after = texts
    assert doubtful(look({"test_calc.py": before}, {"test_calc.py": after}))


@pytest.mark.parametrize(
    "text",
    [
        f"from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from collections.abc import Sequence\n{ADD}",
        ADD.replace("test_add():", "test_add() -> None:"),
        f"# coding: utf-8\n{ADD}",
        f"# -*- coding: latin-1 -*-\n{ADD}",
    ],
)
def test_what_only_annotates_is_nothing_new(text: str) -> None:
    assert not doubtful(look({"test_calc.py": ADD}, {"test_calc.py": text}))


@pytest.mark.parametrize(
    ("before", "after", "wanted"),
    [
        ("", "test_calc.py working-tree-encoding=ISO-2022-JP\n", True),
        ("*.py ident\n", "", True),
        ("", "*.py  -text\tfilter=x\n", True),
        ("", "[attr]plain ident\n", True),
        ("", "*.txt text eol=crlf\n", True),
        ("", "# *.py ident\n*.py text=auto eol=lf diff=python\n*.png binary linguist-vendored\n\n", False),
        ("*.py ident\n", "*.png binary\n*.py ident\n", False),
    ],
)
def test_git_that_lays_files_out_otherwise_is_seen(before: str, after: str, *, wanted: bool) -> None:
    assert doubtful(look({".gitattributes": before}, {".gitattributes": after})) is wanted
