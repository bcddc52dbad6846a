"""What a person reads when a run is over."""

import io
from typing import Any

import pytest
from rich.console import Console

from bot.core.change import FileChange
from bot.core.check import Rung
from bot.core.plan import Design
from bot.core.proof import Audit, Proof, Red, TestChange
from bot.core.report import CheckSummary, Report, Spent, Step
from bot.core.task import Source, Task
from bot.errors import ForgeError
from bot.forge.local import DIFF_LINES, FINDINGS, LocalForge, coloured, present_plan

PATCH = "diff --git a/a.py b/a.py\nindex 1..2 100644\n--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n x\n-old\n+new\n"
TEST = "tests/test_a.py::test_it"


def check(name: str, status: str = "passed", rung: Rung = Rung.UNIT, **counts: Any) -> CheckSummary:
    return CheckSummary.model_validate({"name": name, "rung": rung, "status": status, "isolation": "process", **counts})


def step(**more: Any) -> Step:
    files = (FileChange(path="a.py", kind="modified", added=1, removed=1),)
    given: dict[str, Any] = {"subject": "fix: it", "commit": "c" * 40, "files": files, "patch": PATCH, **more}
    given.setdefault("checks", (check("pytest", passed=2),))
    return Step(**given)


def report(**more: Any) -> Report:
    task = Task(goal=more.pop("goal", ""), source=Source(kind="local"), base="a" * 40)
    given: dict[str, Any] = {
        "run": "r1",
        "branch": "agent/fix-r1",
        "base": "a" * 40,
        "tip": "c" * 40,
        "outcome": "verified",
        "stop": "done",
        "task": task,
        "model": "offline",
        "steps": (step(),),
        "baseline": (check("pytest", "failed", failed=1, passed=1),),
        "proof": Proof(red=(TEST,), green=(TEST,)),
        **more,
    }
    return Report(**given)


def unfinished(**more: Any) -> Report:
    return report(**{"outcome": "gave_up", "steps": (), "tip": "a" * 40, "proof": Proof(red=(TEST,)), **more})


def shown(told: Report, width: int = 100) -> str:
    console = Console(file=io.StringIO(), width=width, highlight=False)
    assert LocalForge(console).publish(told) == told.branch
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def planned(told: Report) -> str:
    console = Console(file=io.StringIO(), width=100, highlight=False)
    console.print(present_plan(told))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_a_verified_run_says_what_was_wrong_what_changed_and_what_comes_next() -> None:
    text = shown(report())
    parts = (
        "✓ verified",
        "Proof",
        "✓ red → green: 1 case failed on the base, and passes with the change",
        TEST,
        "What changed",
        "fix: it",
        "Checks",
        "Branch",
        "git agent accept r1",
    )
    places = [text.find(part) for part in parts]
    assert -1 not in places
    assert places == sorted(places)
    assert "✗ 1 failed, 1 passed" in text
    assert "✓ 2 passed" in text


@pytest.mark.parametrize("width", [20, 60, 80, 120])
def test_every_width_is_kept(width: int) -> None:
    long = report(goal="x " * 300, findings=("word " * 60,), detail="y" * 500)
    assert all(len(line) <= width for line in shown(long, width).splitlines())


def test_what_the_report_lists_is_not_said_twice() -> None:
    text = shown(report(detail="Mended, each in a commit of its own:\n- fix: it\n\nLook at it closely."))
    assert text.count("fix: it") == 1
    assert "Mended" not in text
    assert "Look at it closely." in text


def test_a_case_that_still_fails_is_red_and_is_said_once() -> None:
    text = shown(unfinished(findings=(f"still failing, as on the base: {TEST}",)))
    assert text.count(TEST) == 1
    assert f"✗ {TEST}" in text


def test_a_file_that_can_be_read_again_is_no_longer_red() -> None:
    text = shown(report(proof=Proof(red=("tests/test_a.py", TEST), green=(TEST,))))
    assert "tests/test_a.py\n" not in text
    assert "does not pass" not in text


def test_findings_are_written_as_tools_write_them_and_tests_are_left_alone() -> None:
    red = (("a.py::F401::`os` imported but unused", "t.py::T::test_x[two words]", "a.py::test_y"),)
    text = shown(unfinished(proof=Proof(red=red[0])))
    assert "a.py: `os` imported but unused (F401)" in text
    assert "t.py::T::test_x[two words]" in text
    assert "✗ a.py::test_y" in text


def test_a_limit_names_itself_and_how_to_raise_it() -> None:
    text = shown(unfinished(stop="limit:turns", detail="the limit on turns is reached"))
    assert "within the limit on turns" in text
    assert "git agent resume r1 --max-turns N" in text
    assert "limit on attempts" in shown(unfinished(stop="limit:attempts"))
    assert "--max-attempts" not in shown(unfinished(stop="limit:attempts"))


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"stop": "interrupted"}, "● interrupted: no verified change"),
        (
            {"stop": "needs_human", "detail": "which one?", "usage": Spent(turns=1)},
            "● waits for you: no verified change\n  which one?",
        ),
        ({"stop": "needs_human", "detail": "red before, too"}, "● left alone: no model was asked to change anything"),
        ({"outcome": "failed", "stop": "model"}, "✗ failed"),
        ({"outcome": "partial", "stop": "interrupted", "steps": (step(),)}, "but the run was interrupted"),
        ({"outcome": "partial", "stop": "limit:cost", "steps": (step(),)}, "but the limit on cost was reached"),
        ({"outcome": "partial", "steps": (step(),)}, "but not every check passes"),
        (
            {"outcome": "partial", "steps": (step(),), "findings": ("needs a person: t.py was changed",)},
            "so you have to",
        ),
    ],
)
def test_the_first_line_says_how_it_ended(more: dict[str, Any], words: str) -> None:
    text = "\n".join(line.rstrip() for line in shown(unfinished(**more)).splitlines())
    assert words in text


def test_nothing_to_do_names_the_checks_that_it_rests_on() -> None:
    done = unfinished(outcome="nothing", baseline=(check("syntax", rung=Rung.SYNTAX),), proof=Proof())
    text = shown(done)
    assert "nothing to do: every check passes (syntax)" in text
    assert "no test was found" in text
    assert "git agent" not in text
    hooked = done.task.model_copy(update={"source": Source(kind="hook")})
    text = shown(done.model_copy(update={"task": hooked}))
    assert ("no test was found" in text, "no test was asked" in text) == (False, True)


def test_without_a_check_there_is_nothing_to_look_at() -> None:
    assert "git agent log" not in shown(unfinished(baseline=(), proof=Proof(), stop="needs_human"))


def test_many_findings_and_cases_are_cut_with_their_number() -> None:
    cases = tuple(f"t.py::test_{number}" for number in range(14))
    text = shown(unfinished(findings=tuple(f"finding {n}" for n in range(FINDINGS + 3)), proof=Proof(red=cases)))
    assert "and 3 more findings" in text
    assert "and 4 more" in text


def test_steps_are_shown_with_the_numbers_that_undo_takes() -> None:
    steps = (step(number=9), step(commit="", subject="rolled back: worse"), step(number=10, undone=True))
    rows = [line.split()[:2] for line in shown(report(steps=steps)).splitlines() if "+1 -1" in line]
    assert rows == [["9", "cccccccccc"], ["rolled", "back"], ["10", "cccccccccc"]]


def test_checks_that_fail_as_before_are_not_said_to_pass() -> None:
    text = shown(report(steps=(step(checks=(check("ruff", "failed", Rung.STATIC, failed=1),)),)), width=200)
    assert text.strip().startswith("✓ verified: every test passes, and static checks (ruff) find only what they found")


def test_an_undone_step_and_a_rolled_back_one_show_no_diff() -> None:
    text = shown(report(steps=(step(undone=True), step(commit="", subject="rolled back: worse"))))
    assert "undone" in text
    assert "rolled back  worse" in text
    assert "+new" not in text


def test_a_check_that_only_the_result_knows_has_a_row() -> None:
    text = shown(report(steps=(step(checks=(check("pytest", passed=2), check("build"))),)))
    assert any(line.split()[:2] == ["build", "-"] for line in text.splitlines())


def test_money_is_shown_when_it_was_spent() -> None:
    assert "1,500 tokens, $0.25" in shown(report(usage=Spent(input=1000, output=500, cost=0.25)))
    assert "$" not in shown(report())
    spent = Spent(input=1000, output=500, priced=False)
    assert "1,500 tokens, price unknown" in shown(report(usage=spent))
    assert "$0.25 and more, price unknown" in shown(report(usage=spent.model_copy(update={"cost": 0.25})))


def test_markup_in_foreign_text_is_shown_and_not_obeyed() -> None:
    text = shown(report(findings=("[red]not a colour[/red]",), steps=(step(subject="fix: [b]x[/b]"),)))
    assert "[red]not a colour[/red]" in text
    assert "fix: [b]x[/b]" in text


def test_a_diff_keeps_every_line_of_its_hunks() -> None:
    patch = PATCH.replace("-old", "--- a comment in SQL").replace("+new", "+++ more\n+index of all")
    assert coloured(patch).plain.split("\n") == [
        "a.py",
        "@@ -1,2 +1,2 @@",
        " x",
        "--- a comment in SQL",
        "+++ more",
        "+index of all",
    ]


def test_a_diff_names_files_that_are_new_gone_empty_or_have_blanks() -> None:
    gone = (
        "diff --git a/my file b/my file\ndeleted file mode 100644\nindex 1..0\n"
        "--- a/my file\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
    )
    empty = "diff --git a/new b/new\nnew file mode 100644\nindex 0..1\n"
    assert coloured(gone + empty).plain.split("\n") == [
        "my file",
        "deleted file mode 100644",
        "@@ -1 +0,0 @@",
        "-x",
        "new",
        "new file mode 100644",
    ]


def test_only_line_feeds_end_a_line_of_a_diff() -> None:
    assert "+a\x1cb\u2028c" in coloured(PATCH.replace("+new", "+a\x1cb\u2028c")).plain


def test_a_long_diff_is_cut_with_the_number_of_lines_that_are_left() -> None:
    patch = PATCH + "".join(f"+line {n}\n" for n in range(100))
    assert coloured(patch).plain.endswith(f"… {105 - DIFF_LINES} more lines")
    assert coloured(patch, limit=None).plain.endswith("+line 99")


def_ = None


def test_a_plan_says_what_would_be_done_and_how_to_do_it() -> None:
    text = planned(unfinished(plan=("look", "mend"), detail="not for here"))
    assert "The plan; nothing was changed" in text
    assert "2. mend" in text
    assert "git agent fix --plan r1" in text
    assert "git agent plan --edit r1" in text
    assert "not for here" not in text
    assert shown(unfinished(plan=("look", "mend"), planning=True)) == planned(unfinished(plan=("look", "mend")))


def test_a_plan_shows_what_it_rests_on() -> None:
    text = planned(unfinished(plan=("look",), design=Design(modules=("a.py",), tests=("it adds\nand more",))))
    assert "Modules\n  • a.py\n\nTests\n  • it adds \n    and more\n" in text
    assert "Requirements" not in text


def test_a_run_that_stopped_early_tells_what_is_done_of_its_plan_and_what_remains() -> None:
    plan = ("read", "mend", "document")
    text = shown(report(outcome="partial", stop="limit:steps", plan=plan, plan_done=1))
    assert "The plan, 1 of 3 done\n  ✓ 1. read\n  · 2. mend\n  · 3. document\n" in text
    assert "The plan" not in shown(report(plan=plan, plan_done=1))


def test_where_no_plan_came_of_it_the_task_is_repeated_in_a_form_that_a_shell_reads() -> None:
    text = planned(unfinished(planning=True, goal="it's wrong"))
    assert "git agent fix 'it'\"'\"'s wrong'" in text
    assert "gave up: no plan" in text
    assert "git agent fix TASK" in planned(unfinished(goal="x" * 100))
    assert "git agent resume r1 --tell" in planned(unfinished(planning=True, stop="needs_human", usage=Spent(turns=1)))


def test_where_there_is_nothing_to_do_a_plan_proposes_nothing() -> None:
    assert "git agent fix" not in planned(unfinished(outcome="nothing", proof=Proof(), plan=()))


def test_there_are_no_issues_on_a_desk() -> None:
    forge = LocalForge(Console(file=io.StringIO()))
    with pytest.raises(ForgeError, match="issue 7"):
        forge.brief(Source(kind="issue", ref="7"))


def test_a_text_is_said_as_it_is() -> None:
    said = io.StringIO()
    LocalForge(Console(file=said)).say(Source(kind="local"), "[b]hello[/b]")
    assert said.getvalue() == "[b]hello[/b]\n"


def test_the_proof_says_how_a_test_failed_and_what_became_of_the_others() -> None:
    shown_red = (Red(id=TEST, error="AssertionError", message="AssertionError: assert -1 == 3"),)
    audit = Audit(
        tests=(TestChange(path="t.py", name="test_a", kind="weakened", detail="\x1b[2Jgone"),),
        kept=("t.py",),
        unkept=tuple(f"t.py::test_{n}" for n in range(20)),
    )
    proof = Proof(red=(TEST,), green=(TEST,), mode="written", shown=shown_red)
    text = shown(report(outcome="partial", proof=proof, audit=audit))
    lines = [line.strip() for line in text.partition("Proof")[2].partition("What changed")[0].splitlines()]
    assert lines[1:9] == [
        "✓ red → green: 1 case that is new fails on the base, and passes with the change",
        TEST,
        "AssertionError: assert -1 == 3",
        "✗ 1 test asks less than before",
        "t.py::test_a: gone",
        "✗ base versions of 1 file were run against the result: these do not pass",
        "t.py::test_0",
        "t.py::test_1",
    ]
    assert "… and 12 more" in lines


def test_cases_that_could_not_be_judged_are_not_counted_as_failed() -> None:
    text = shown(report(baseline=(check("pytest", "failed", failed=2, prevented=2, passed=3),)))
    assert "! 2 not judged, 3 passed" in text
