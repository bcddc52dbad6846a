"""Proposals of a worker whose words somebody else may have written: only what may be made becomes a diff."""

import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from bot.repair.answer import LINE, Proposed
from bot.repair.proposal import LONGEST, read_content, write_diff

FORGED = "q\n--- a/conftest.py\n+++ b/conftest.py\n@@ -1 +1 @@\n-x\n+y/z.py"


def proposal(**told: object) -> Proposed:
    made = {"kind": "candidate", "path": "m.py", "edits": [], "template": "t", "line": 1, "score": 1.0, **told}
    line = LINE.validate_json(json.dumps(made))
    assert isinstance(line, Proposed)
    return line


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "tests").mkdir(parents=True)
    for name in ("m.py", "conftest.py", "tests/helper.py"):
        (root / name).write_text("one\ntwo\n")
    (tmp_path / "outside.py").write_text("one\n")
    (root / "link.py").symlink_to(tmp_path / "outside.py")
    (root / "other.py").symlink_to("conftest.py")
    (root / "folder").symlink_to(tmp_path)
    (root / "endless.py").symlink_to("/dev/zero")
    return root


@pytest.mark.parametrize(
    "path",
    [
        "../outside.py", "/etc/m.py", "link.py", "other.py", "folder/outside.py", "endless.py", "conftest.py",
        "tests/helper.py", "a/../m.py", "./m.py", ".git/m.py", FORGED, "m\x1b[31m.py", 'm".py', "m\0.py",
    ],
)  # fmt: skip
def test_no_file_is_named_that_may_not_be_repaired(root: Path, path: str) -> None:
    fresh = path.replace("outside", "new")
    assert write_diff(root, proposal(edits=[(path, 0, 3, "1")])) == ""
    assert write_diff(root, proposal(created=[(path, "x\n"), (fresh, "x\n")])) == ""
    assert write_diff(root, proposal(deleted=[path])) == ""
    assert read_content(root, path) is None


@pytest.mark.parametrize(
    "edits",
    [
        [("m.py", 0, 3, "1"), ("m.py", 2, 5, "2")],
        [("m.py", 0, 900, "1")],
        [("m.py", 5, 3, "1")],
        [("m.py", 0, 3, "x" * (LONGEST + 1))],
    ],
)
def test_edits_that_do_not_fit_or_are_no_repair_become_nothing(root: Path, edits: list[object]) -> None:
    assert write_diff(root, proposal(edits=edits)) == ""


def test_a_comparison_that_would_take_too_long_is_not_made(root: Path) -> None:
    (root / "m.py").write_text("".join(f"{n % 150}\n" for n in range(40_000)))
    text = "".join(f"{n % 151}\n" for n in range(40_000))
    assert write_diff(root, proposal(edits=[("m.py", 0, (root / "m.py").stat().st_size, text)])) == ""


def test_what_may_be_made_becomes_a_diff(root: Path) -> None:
    made = proposal(edits=[("m.py", 0, 3, "1")], created=[("a b/new.py", "x\n")], deleted=[])
    assert write_diff(root, made) == (
        "--- a/m.py\n+++ b/m.py\n@@ -1,2 +1,2 @@\n-one\n+1\n two\n--- /dev/null\n+++ b/a b/new.py\n@@ -0,0 +1 @@\n+x\n"
    )


@pytest.mark.parametrize(
    "line",
    [
        '{"kind": "tried", "count": ' + "9" * 4300 + "}",
        '{"kind": "tried", "count": -1}',
        '{"kind": "progress", "tried": 1, "path": "", "line": 1, "left": Infinity, "found": 0}',
        '{"kind": "candidate", "path": "m.py", "edits": [], "template": "t\\nCANDIDATE 2", "line": 1, "score": 1}',
        '{"kind": "candidate", "path": "m.py", "edits": [], "template": "t", "line": 1, "score": NaN}',
        '{"kind": "suspects", "lines": [["m.py", 1, 1e400]]}',
        '{"kind": "trial", "index": ' + "9" * 30 + ', "passed": true, "detail": ""}',
    ],
)
def test_lines_that_no_worker_of_ours_writes_are_not_read(line: str) -> None:
    with pytest.raises(ValidationError):
        LINE.validate_json(line)
