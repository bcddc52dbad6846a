"""Ruff mends what it can mend safely, and what that brings about is cleared away in the same commit."""

from dataclasses import dataclass

from bot.models.offline.workshop import tidying
from tests.models.offline.desk import Desk

LISTED = "exit code 1\na.py:1:1: E713 [*] Test for membership\na.py:2:1: CPY001 Missing copyright notice"


@dataclass
class Ruff(Desk):
    """Mends E713 when it is asked to."""

    def _run_command(self, argv: list[str], **_: object) -> str:
        if "concise" in argv:
            return LISTED
        self.files["a.py"] = self.files["a.py"].replace("not x in y", "x not in y")
        return "exit code 0; changed: a.py"


def test_a_commit_names_only_the_rules_that_ruff_can_mend() -> None:
    told = [
        "a.py::E713::Test at a.py:1: E713 Test for membership",
        "a.py::CPY001::Missing at a.py:2: CPY001 Missing copyright notice",
    ]
    desk = Ruff(
        {"a.py": "z = not x in y\n"},
        {("ruff", "static"): lambda files: told[1:] if "x not in" in files["a.py"] else told},
    )
    desk.run()
    assert desk.subjects == ["style: apply ruff's safe fixes (ruff E713)"]


def test_an_import_that_a_mend_leaves_unused_goes_with_it_unless_others_may_import_it() -> None:
    refusal = "\n".join(f"FAILED ruff {path}::F401::`o` at {path}:3: F401 `o`" for path in ("a.py", "p/__init__.py"))
    assert tidying(refusal, ["ruff"], ["a.py", "p/__init__.py"]) == [
        ["ruff", "check", "--fix", "--quiet", "--select", "F401", "--", "a.py"]
    ]
