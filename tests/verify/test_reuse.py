"""Results that were kept: believed for what they say, or as if they were not there."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from bot.core.check import CaseResult, Check, CheckResult, Rung, Verdict
from bot.core.redact import Redactor
from bot.verify.compare import compare
from bot.verify.digest import digest
from bot.verify.reuse import OLDEST, Reuse, is_reusable

PYTEST = Check(name="pytest", rung=Rung.UNIT, reader="pytest")
PASSED = CheckResult(
    check="pytest",
    rung=Rung.UNIT,
    status="passed",
    cases=(CaseResult(id="t.py::test_a", outcome="passed", path="t.py", line=3),),
    isolation="bubblewrap",
)


@dataclass
class Box:
    """A shelf in memory."""

    things: dict[str, bytes] = field(default_factory=dict)

    def get(self, key: str, /) -> bytes | None:
        return self.things.get(key)

    def put(self, key: str, value: bytes, /) -> None:
        self.things[key] = value


def kept() -> tuple[Reuse, Box, dict[str, Any]]:
    """Keep a result; return where it lies and what was written."""
    box = Box()
    reuse = Reuse(box, "environment", Redactor(()))
    reuse.keep("tree", PYTEST, PASSED, steady=True)
    (value,) = box.things.values()
    return reuse, box, json.loads(value)


def forge(box: Box, document: Any) -> None:
    box.things = dict.fromkeys(box.things, json.dumps(document).encode())


def test_linters_that_are_known_are_believed_and_commands_of_a_project_are_not() -> None:
    lines = Check(name="flake8", rung=Rung.STATIC, reader="lines", argv=("/venv/bin/flake8", "src"))
    assert is_reusable(lines)
    others: list[dict[str, Any]] = [
        {"argv": ("flake8",)},
        {"argv": ("/venv/bin/own",)},
        {"argv": ()},
        {"network": True},
    ]
    assert not any(is_reusable(lines.model_copy(update=each)) for each in others)
    assert not is_reusable(lines.model_copy(update={"reader": "exit"}))


def test_what_was_kept_comes_back_for_the_same_tree_check_and_environment_alone() -> None:
    reuse, box, _ = kept()
    found = reuse.find("tree", PYTEST)
    assert found is not None
    assert found.result == PASSED.model_copy(update={"reused": True})
    assert reuse.find("other", PYTEST) is None
    assert reuse.find("tree", PYTEST.model_copy(update={"argv": ("x",)})) is None
    assert Reuse(box, "another", Redactor(())).find("tree", PYTEST) is None


def test_every_beginning_of_a_result_is_absent() -> None:
    reuse, box, _ = kept()
    (whole,) = box.things.values()
    for length in range(len(whole)):
        box.things = dict.fromkeys(box.things, whole[:length])
        assert reuse.find("tree", PYTEST) is None
    for more in (b"x", b"{}", b"\0"):
        box.things = dict.fromkeys(box.things, whole + more)
        assert reuse.find("tree", PYTEST) is None


def test_a_result_that_contradicts_itself_or_says_that_it_is_not_whole_is_absent() -> None:
    reuse, box, document = kept()
    bad = [{"id": "t.py::test_a", "outcome": "failed"}]
    changes: tuple[Mapping[str, Any], ...] = (
        {"cases": bad},
        {"status": "errored"},
        {"status": "skipped"},
        {"narrowed": True},
        {"check": "other"},
        {"rung": 2},
        {"flakes": [{"id": "x", "passed": 1, "failed": 1}]},
    )
    for change in changes:
        forge(box, document | {"result": document["result"] | change})
        assert reuse.find("tree", PYTEST) is None, change
    for at in (0, time.time() + 60, time.time() - OLDEST - 1, float("nan"), float("inf"), -1e999, "now", None, True):
        forge(box, document | {"at": at})
        assert reuse.find("tree", PYTEST) is None, at
    forge(box, document | {"more": 1})
    assert reuse.find("tree", PYTEST) is None
    for depth in (100, 100_000):
        box.things = dict.fromkeys(box.things, b"[" * depth)
        assert reuse.find("tree", PYTEST) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
CASE = st.fixed_dictionaries(
    {"id": st.text(), "outcome": st.sampled_from(["passed", "failed", "error", "skipped", "xpassed"])},
    optional={"message": st.text(), "path": st.text(), "line": st.integers(), "seconds": st.floats(), "code": JSON},
)


@given(st.sampled_from(["key", "at", "steady", "kind", "result"]), JSON)
def test_any_value_anywhere_is_survived(name: str, value: Any) -> None:
    reuse, box, document = kept()
    forge(box, document | {name: value})
    found = reuse.find("tree", PYTEST)
    assert found is None or found.result == PASSED.model_copy(update={"reused": True})


@given(st.sampled_from(["passed", "failed"]), st.lists(CASE, max_size=4), st.text())
def test_a_forged_result_says_what_it_says_and_breaks_nothing(
    status: str, cases: list[dict[str, Any]], summary: str
) -> None:
    reuse, box, document = kept()
    forge(box, document | {"result": document["result"] | {"status": status, "cases": cases, "summary": summary}})
    found = reuse.find("tree", PYTEST)
    if found is None:
        return
    base = Verdict(tree="b", results=(PASSED,))
    verdict = Verdict(tree="t", results=(found.result,), comparison=compare(base, (found.result,)))
    assert isinstance(digest(verdict), str)
    assert not (verdict.green and verdict.bad)


def test_a_path_that_is_no_text_keeps_nothing_from_being_found_again() -> None:
    odd = PYTEST.model_copy(update={"argv": ("/venv\udcff/bin/pytest",)})
    reuse = Reuse(Box(), "environment\udcff", Redactor(()))
    reuse.keep("tree", odd, PASSED, steady=True)
    assert reuse.find("tree", odd) is not None
    assert reuse.find("tree", PYTEST) is None
