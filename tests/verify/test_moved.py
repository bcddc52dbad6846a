"""Findings of files that a change moves."""

from pathlib import Path

import pytest

from bot.core.check import CaseResult, CheckResult, Rung, Verdict
from bot.verify.compare import compare
from bot.verify.moved import follow, recognise
from tests.verify.conftest import write

TEXT = "import os\nimport sys\n\n\ndef f():\n    return 1\n"


def found(rung: Rung, *names: str) -> CheckResult:
    cases = tuple(CaseResult(id=name, outcome="failed", path=name.partition("::")[0]) for name in names)
    return CheckResult(check="check", rung=rung, status="failed", cases=cases)


def broken(root: Path, before: CheckResult, after: CheckResult, old: dict[str, str]) -> tuple[str, ...]:
    paths = [*old, *(path.relative_to(root).as_posix() for path in root.rglob("*.py"))]
    known = {path: text.encode() for path, text in old.items()}
    verdict = follow(Verdict(tree="a", results=(before,)), root, paths, known.get)
    return compare(verdict, [after]).broken


@pytest.mark.parametrize("text", [TEXT, TEXT.replace("return 1", "return 2")])
def test_findings_of_a_file_that_moved_are_not_new(tmp_path: Path, text: str) -> None:
    write(tmp_path, {"pkg/b.py": text})
    before = found(Rung.STATIC, "a.py::F401::os", "a.py::F401::sys")
    assert broken(tmp_path, before, found(Rung.STATIC, "pkg/b.py::F401::os"), {"a.py": TEXT}) == ()
    worse = found(Rung.STATIC, "pkg/b.py::F401::os", "pkg/b.py::E999::x")
    assert broken(tmp_path, before, worse, {"a.py": TEXT}) == ("pkg/b.py::E999::x",)


def test_findings_of_a_file_that_is_only_like_it_in_name_are_new(tmp_path: Path) -> None:
    write(tmp_path, {"pkg/a.py": "import os\n\nx = 1\ny = 2\nz = 3\nprint(x)\nprint(y)\nprint(z)\n"})
    before = found(Rung.STATIC, "a.py::F401::os")
    after = found(Rung.STATIC, "pkg/a.py::F401::os")
    assert broken(tmp_path, before, after, {"a.py": TEXT}) == ("pkg/a.py::F401::os",)


def test_findings_of_a_copy_are_new(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": TEXT, "b.py": TEXT})
    before = found(Rung.STATIC, "a.py::F401::os")
    after = found(Rung.STATIC, "a.py::F401::os", "b.py::F401::os")
    assert broken(tmp_path, before, after, {"a.py": TEXT}) == ("b.py::F401::os",)


def test_one_file_stands_for_one_other(tmp_path: Path) -> None:
    write(tmp_path, {"b.py": TEXT, "c.py": TEXT})
    before = found(Rung.STATIC, "a.py::F401::os")
    after = found(Rung.STATIC, "b.py::F401::os", "c.py::F401::os")
    assert len(broken(tmp_path, before, after, {"a.py": TEXT})) == 1


def test_tests_are_left_alone(tmp_path: Path) -> None:
    write(tmp_path, {"test_b.py": TEXT})
    before = Verdict(tree="a", results=(found(Rung.UNIT, "test_a.py::t"),))
    assert follow(before, tmp_path, ["test_a.py", "test_b.py"], {"test_a.py": b""}.get) == before


def failing(**codes: str) -> CheckResult:
    cases = tuple(CaseResult(id=f"test_a.py::{name}", outcome="failed", code=code) for name, code in codes.items())
    return CheckResult(check="check", rung=Rung.UNIT, status="failed", cases=cases)


def test_a_test_that_failed_before_fails_under_another_name_as_well() -> None:
    before = Verdict(tree="a", results=(failing(one="1", two="2", three="2", four="4"),))
    after = failing(four="4", uno="1", dos="2", new="9", anew="4")
    told = recognise(before, after)
    assert compare(told, [after]).broken == ("test_a.py::dos", "test_a.py::new", "test_a.py::anew")
    assert recognise(before, failing(one="1")) is before
