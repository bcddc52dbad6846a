import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.change import FileChange
from bot.core.check import Rung
from bot.core.proof import Audit, Proof, Red, TestChange
from bot.core.render import LONGEST, markdown
from bot.core.report import CheckSummary, Report, Spent, Step
from bot.core.task import Source, Task

PATCH = """\
diff --git a/calc.py b/calc.py
--- a/calc.py
+++ b/calc.py
@@ -1,2 +1,2 @@
 def add(a, b):
-    return a - b
+    return a + b
"""
BASELINE = (
    CheckSummary(name="ruff", rung=Rung.STATIC, status="passed", seconds=0.1, isolation="bubblewrap"),
    CheckSummary(
        name="pytest", rung=Rung.UNIT, status="failed", passed=1, failed=1, seconds=0.4, isolation="bubblewrap"
    ),
)
AFTER = (
    BASELINE[0],
    CheckSummary(
        name="pytest", rung=Rung.UNIT, status="passed", passed=2, skipped=3, seconds=0.52, isolation="bubblewrap"
    ),
)
STEP = Step(
    subject="agent: mend add",
    number=1,
    commit="c" * 40,
    tree="d" * 40,
    checks=AFTER,
    fixed=("test_calc.py::test_add",),
    files=(FileChange(path="calc.py", kind="modified", added=1, removed=1, old_mode="100644"),),
    patch=PATCH,
)
ROLLED_BACK = Step(subject="rolled back: 3 attempts did not pass", tree="e" * 40, kept="f" * 40)
REPORT = Report(
    run="20240101-a1b2c3",
    branch="agent/mend-add-20240101-a1b2c3",
    base="b" * 40,
    tip="c" * 40,
    outcome="verified",
    stop="done",
    task=Task(goal="fix the failing test", base="b" * 40),
    model="offline",
    python="python3",
    steps=(ROLLED_BACK, STEP),
    baseline=BASELINE,
    proof=Proof(
        red=("test_calc.py::test_add",),
        green=("test_calc.py::test_add",),
        mode="reproduction",
        shown=(Red(id="test_calc.py::test_add", error="AssertionError", message="assert -1 == 3"),),
    ),
    notes=("uncommitted work is not included", "model: it is asked at llm.internal (base-url)"),
    usage=Spent(turns=3, calls=5, input=1200, output=300, cached=100, cost=0.0123, seconds=4.2),
)


def changed(**update: object) -> Report:
    return REPORT.model_copy(update=update)


def test_verified_report_shows_all_of_its_evidence() -> None:
    assert (
        markdown(REPORT)
        == """\
**Verified.** Every check passes on exactly what the branch holds, in a clean checkout.

### Asked

> fix the failing test

### Changed

| file | what | lines |
| --- | --- | --- |
| `calc.py` | modified | +1 -1 |

<details><summary>Diffs, step by step</summary>

**Step 1**

```diff
diff --git a/calc.py b/calc.py
--- a/calc.py
+++ b/calc.py
@@ -1,2 +1,2 @@
 def add(a, b):
-    return a - b
+    return a + b
```

</details>

### Checks

| check | base | result | time |
| --- | --- | --- | --- |
| `ruff` | ✅ passed | **✅ passed** | 0.1 → 0.1 s |
| `pytest` | ❌ 1 failed, 1 passed | **✅ 2 passed, 3 skipped** | 0.4 → 0.5 s |

Each ran in a clean checkout of its tree; isolation: `bubblewrap`.

### Proof

- ✅ red → green: 1 case failed on the base, and passes with the change

| case | before | now |
| --- | --- | --- |
| `test_calc.py::test_add`<br>`AssertionError: assert -1 == 3` | ❌ | ✅ |

- ✅ no earlier test and no configuration of the checks was touched

### Not verified

- uncommitted work is not included
- The checks ran inside the project's own processes; code made to deceive them could. Read the diff.

### Steps

| step | commit | what | lines | mended |
| --- | --- | --- | --- | --- |
| ↩ | kept as `ffffffffff` | rolled back: 3 attempts did not pass | +0 -0 |  |
| 1 | `cccccccccc` | agent: mend add | +1 -1 | 1 |

### Cost

Model `offline` · 3 turns · 5 calls · 1,200 tokens in (100 cached), 300 out · 0.0123 USD · 4.2 s · checks with python3

### Run again

```sh
git agent verify 20240101-a1b2c3
git agent show 20240101-a1b2c3
git agent undo 20240101-a1b2c3
```
"""
    )


@pytest.mark.parametrize(
    ("update", "line"),
    [
        (
            {"task": Task(goal="x", base="b", acceptance=("pytest",))},
            "**Verified.** The required checks (pytest) pass on exactly",
        ),
        (
            {"outcome": "partial", "stop": "limit:turns"},
            "**Partial.** No commit made a check worse, but the limit on turns was reached.",
        ),
        (
            {"outcome": "partial", "findings": ("needs a person: test_calc.py is …",)},
            "but what the evidence rests on was changed, so you have to look.",
        ),
        (
            {"outcome": "partial", "findings": ("needs a person: partial revert: 1 change of …",)},
            "but earlier changes are taken back, so you have to say whether they were meant.",
        ),
        (
            {"outcome": "partial"},
            "**Partial.** No commit made a check worse, but not every check passes.",
        ),
        ({"outcome": "nothing", "steps": ()}, "**Nothing to do.** Every check passes (ruff, pytest)."),
        (
            {"outcome": "partial", "stop": "needs_human", "usage": Spent(turns=2)},
            "**Partial.** No commit made a check worse, but there is a question first.",
        ),
        (
            {"outcome": "partial", "stop": "limit:loop"},
            "**Partial.** No commit made a check worse, but the model got nowhere any more.",
        ),
        (
            {"outcome": "gave_up", "steps": (), "stop": "limit:loop"},
            "**Gave up.** No verified change, and the model got nowhere any more.",
        ),
        (
            {"outcome": "gave_up", "steps": (), "stop": "limit:rollbacks"},
            "**Gave up.** No verified change within the limit on rollbacks.",
        ),
        (
            {"outcome": "failed", "steps": (), "stop": "model", "detail": "no key"},
            "**Failed.** The model gave no answer.",
        ),
    ],
)
def test_first_line_tells_the_outcome_and_why(update: dict[str, object], line: str) -> None:
    first, _, rest = markdown(changed(**update)).partition("\n")
    assert line in first
    assert ("\n> no key\n" in rest) is ("detail" in update)
    assert ("**Verified.**" in first) == (update.get("outcome", "verified") == "verified")


def test_where_a_model_is_asked_stands_on_no_page() -> None:
    assert "llm.internal" not in markdown(REPORT)


def test_run_without_steps_claims_no_change_and_no_proof() -> None:
    text = markdown(
        changed(outcome="gave_up", steps=(), proof=Proof(reason="no reproduction: every check passed on the base"))
    )
    assert "### Changed" not in text
    assert "None: no reproduction: every check passed on the base." in text
    assert "| `pytest` | ❌ 1 failed, 1 passed | not run | 0.4 s |" in text
    assert "git agent undo" not in text


AUDIT = Audit(
    tests=(
        TestChange(path="test_calc.py", name="test_add", kind="weakened", detail="`assert x == 1` became `assert x`"),
        TestChange(path="test_calc.py", name="test_sub", kind="added"),
        TestChange(path="pyproject.toml", name="addopts", kind="configuration", detail="-k @team was added"),
    ),
    read=("test_calc.py",),
    kept=("test_calc.py", "pyproject.toml"),
    unkept=("test_calc.py::test_add",),
)


def test_proof_and_audit_are_told_point_by_point() -> None:
    text = markdown(
        changed(
            outcome="partial",
            audit=AUDIT,
            proof=Proof(
                red=("test_calc.py::test_sub", "test_calc.py::test_other"),
                green=("test_calc.py::test_sub",),
                mode="written",
                shown=(Red(id="test_calc.py::test_sub", error="AssertionError", message="assert 1 == -1"),),
            ),
            findings=("could not be judged, for want of a network: test_calc.py::test_net",),
        )
    )
    assert (
        text.partition("### Proof\n\n")[2].partition("\n\n###")[0]
        == """\
- ✅ red → green: 1 case that is new fails on the base, and passes with the change

| case | before | now |
| --- | --- | --- |
| `test_calc.py::test_sub`<br>`AssertionError: assert 1 == -1` | ❌ | ✅ |

- ⚠️ 1 case that failed on the base does not pass
  - `test_calc.py::test_other`
- ❌ 1 test asks less than before
  - `` test_calc.py::test_add: `assert x == 1` became `assert x` ``
- ❌ 1 setting of the checks was changed
  - `pyproject.toml: addopts: -k @team was added`
- ✅ 1 test was added
- ❌ base versions of 2 files were run against the result: these do not pass
  - `test_calc.py::test_add`
- ⚠️ 1 case could not be judged, for want of a network
  - `test_calc.py::test_net`"""
    )


def test_tests_that_were_changed_without_harm_are_not_called_unchanged() -> None:
    renamed = Audit(tests=(TestChange(path="t.py", name="test_b", kind="renamed"),), read=("t.py",))
    text = markdown(changed(audit=renamed))
    assert "no earlier test" not in text
    assert "- ✅ 1 test was renamed, and is the same otherwise\n  - `t.py::test_b`" in text


def test_undone_steps_count_for_nothing() -> None:
    text = markdown(changed(outcome="gave_up", steps=(STEP.model_copy(update={"undone": True}),)))
    assert "| 1 | `cccccccccc` | ~~agent: mend add~~ undone | +1 -1 | 1 |" in text
    assert "### Changed" not in text
    assert "```diff" not in text


def test_steps_keep_their_own_numbers_whatever_was_undone() -> None:
    text = markdown(changed(steps=(STEP.model_copy(update={"undone": True}), STEP.model_copy(update={"number": 7}))))
    assert "**Step 7**\n\n```diff" in text
    assert "| 7 | `cccccccccc` | agent: mend add |" in text


def test_what_linters_found_before_is_not_called_passed() -> None:
    ruff = CheckSummary(name="ruff", rung=Rung.STATIC, status="failed", failed=1)
    first = markdown(changed(steps=(STEP.model_copy(update={"checks": (*STEP.checks, ruff)}),))).partition("\n")[0]
    assert "Every check" not in first
    assert "Every test passes, and static checks (ruff) find only what they found on the base," in first


def test_files_of_several_steps_are_added_up() -> None:
    first = STEP.model_copy(update={"files": (FileChange(path="a.py", kind="added", added=5, old_mode="000000"),)})
    second = STEP.model_copy(
        update={"files": (FileChange(path="a.py", kind="modified", added=2, removed=1, old_mode="100644"),)}
    )
    text = markdown(changed(steps=(first, second)))
    assert "| `a.py` | added | +7 -1 |" in text
    assert text.count("<details>") == text.count("</details>") == 1
    assert text.count("```diff") == 2


@pytest.mark.parametrize(("outcome", "closes"), [("verified", True), ("partial", False)])
def test_issue_is_closed_only_by_verified_work(outcome: str, *, closes: bool) -> None:
    task = Task(goal="x", base="b", source=Source(kind="issue", ref="12", author="someone"))
    text = markdown(changed(outcome=outcome, task=task))
    assert ("\nFixes #12\n" in text) is closes
    assert "From issue by `someone`." in text


def test_goal_that_was_not_given_is_said_to_be_that() -> None:
    assert "To mend what the checks say is broken." in markdown(changed(task=Task(base="b")))


HOSTILE = (
    "Fix #12 @team [skip ci] </details> ```` <!-- x --> \u202e ![p](http://t) | `a` ::error::x\n```\n~~~\n"
    + "log line\n" * 10_000
)


def test_hostile_text_everywhere_stays_text_within_the_limit() -> None:
    step = STEP.model_copy(
        update={
            "subject": HOSTILE,
            "files": tuple(FileChange(path=f"{n}{HOSTILE[:90]}", kind="added") for n in range(500)),
            "patch": HOSTILE + "`" * 40,
            "checks": (
                CheckSummary(name=HOSTILE, rung=Rung.UNIT, status="passed", isolation=HOSTILE, summary=HOSTILE),
            ),
        }
    )
    text = markdown(
        changed(
            task=Task(goal=HOSTILE, base="b", source=Source(kind="issue", ref="x", author=HOSTILE)),
            steps=(step,) * 30,
            findings=(HOSTILE,) * 200,
            notes=(HOSTILE,) * 200,
            plan=(HOSTILE,) * 200,
            proof=Proof(red=(HOSTILE,) * 999, green=(HOSTILE,) * 999, shown=(Red(id=HOSTILE, message=HOSTILE),)),
            audit=Audit(
                tests=(TestChange(path=HOSTILE, name=HOSTILE, kind="weakened", detail=HOSTILE),) * 300,
                kept=(HOSTILE,),
                unkept=(HOSTILE,) * 300,
                reason=HOSTILE,
            ),
            stop=HOSTILE,
            detail=HOSTILE,
            model=HOSTILE,
            python=HOSTILE,
        )
    )
    assert len(text) <= LONGEST
    assert "…and " in text
    assert "\u202e" not in text
    prose = outside_code(text)
    assert not re.search(r"@team|#12|<!--|(?<!\\)\]\(|http://", prose)
    assert prose.count("<details>") == prose.count("</details>") > 0


def outside_code(text: str) -> str:
    """Drop fenced blocks and code spans as a Markdown reader would; an open fence is an error."""
    prose, ticks = [], ""
    for line in text.split("\n"):
        fence = re.match(r"(`{3,})(\w*)$", line)
        if not ticks and fence:
            ticks = fence[1]
        elif ticks:
            ticks = "" if re.fullmatch(rf"{ticks}`*\s*", line) else ticks
        else:
            prose.append(re.sub(r"(?<![`\\])(`+)(?!`).*?(?<!`)\1(?!`)", "", line))
    assert not ticks, "a fence was left open"
    return "\n".join(prose)


@settings(max_examples=25)
@given(st.text(max_size=200), st.integers(0, 3))
def test_any_patch_leaves_the_rest_of_the_report_whole(patch: str, copies: int) -> None:
    text = markdown(changed(steps=(STEP.model_copy(update={"patch": patch * (40 * copies + 1)}),) * 3))
    assert len(text) <= LONGEST
    assert "### Run again" in outside_code(text)


@pytest.mark.parametrize(
    "patch", ["x" * 200_000, "`" * 200_000, "\n" * 200_000, "a\n" * 200_000, "\r\n" * 70_000, "é" * 59_000]
)
def test_oversized_diff_is_cut_and_says_so(patch: str) -> None:
    text = markdown(changed(steps=(STEP.model_copy(update={"patch": patch}), STEP)))
    assert len(text) <= LONGEST
    assert "### Run again" in outside_code(text)


def test_every_step_after_the_room_is_used_up_is_left_to_the_commits() -> None:
    big = STEP.model_copy(update={"patch": "+ line\n" * 20_000})
    text = markdown(changed(steps=(big, STEP, STEP)))
    assert "more lines\n```" in text
    assert "The remaining diffs are in the commits." in text


def test_thousands_of_changed_files_are_cut_with_the_number_of_the_rest() -> None:
    files = tuple(FileChange(path=f"src/d{n}/f{n}.py", kind="added", added=1) for n in range(5000))
    text = markdown(changed(steps=(STEP.model_copy(update={"files": files, "patch": PATCH * 3000}),)))
    listed = text.count("| `src/d")
    assert 50 < listed < 5000
    assert f"…and {5000 - listed:,} more files" in text
    assert len(text) <= LONGEST


def test_money_that_is_not_known_is_said_to_be_unknown() -> None:
    for cost, words in ((0.0, "300 out · price unknown"), (0.5, "300 out · 0.5000 USD · price unknown")):
        spent = REPORT.usage.model_copy(update={"cost": cost, "priced": False})
        assert words in markdown(REPORT.model_copy(update={"usage": spent}))
