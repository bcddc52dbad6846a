"""What the tests leave open about a change is asked in the report, before anything else, and by nobody's word."""

from io import StringIO

import pytest
from rich.console import Console

from bot.core.account import findings
from bot.core.check import Comparison
from bot.core.event import Acted, Event, RolledBack, Verified
from bot.core.message import Metadata, ToolCall, ToolResult, Undecided
from bot.core.publication.checkrun import check_run
from bot.core.publication.pull import pull_body
from bot.core.render import markdown
from bot.core.report import Report
from bot.core.undecided import Undecideds, questions, quote_edit
from bot.forge.local import present
from bot.forge.words import headline
from tests.core.publication.samples import SETTING
from tests.core.test_summary import DONE, GREEN, RED, ZERO, committed, judged, report


def diff(added: str, removed: str = "    return a - b", path: str = "calc.py") -> str:
    return f"--- a/{path}\n+++ b/{path}\n@@ -1,2 +1,2 @@\n def add(a, b):\n-{removed}\n+{added}\n"


PLUS, OR = diff("    return a + b"), diff("    return a | b")
OPEN = Undecided(path="calc.py", line=2, patch=PLUS, others=2, other=OR, call="add(1, 1)", answers=("2", "1"))
ASKED = (
    "calc.py:2: the tests do not decide between `return a + b` and `return a | b`: "
    "for `add(1, 1)` the change gives 2, the other 1; which is right?"
)


def found(*undecided: Undecided) -> Acted:
    result = ToolResult(call_id="1", ok=True, output="", metadata=Metadata(undecided=undecided))
    return Acted(at=105.0, call=ToolCall(id="1", name="search_patch"), result=result)


def made(patch: str, event: Verified | None = None) -> Verified:
    event = event or judged(GREEN)
    return event.model_copy(update={"change": event.change.model_copy(update={"patch": patch})})


def told(*events: Event) -> Report:
    return report(*events, committed(), DONE)


def test_a_committed_edit_that_the_tests_do_not_decide_on_is_a_question() -> None:
    made_so = told(found(OPEN), made(PLUS))
    assert made_so.findings == (ASKED,)
    # The checks passed, and that is what the word says
    assert (made_so.outcome, made_so.exit_code) == ("verified", 0)
    assert questions(made_so.findings) == (ASKED,)
    assert ASKED not in findings(made_so)


@pytest.mark.parametrize(
    "patch",
    [
        "diff --git a/calc.py b/calc.py\n" + diff("    return (a + b)").replace("(a + b)", "a  +  b"),
        diff("    return a + b").replace("@@ -1,2 +1,2 @@", "@@ -11,2 +11,2 @@") + diff("y", "x", "other.py"),
    ],
    ids=["laid out otherwise", "among more"],
)
def test_the_edit_is_known_wherever_it_stands(patch: str) -> None:
    assert told(found(OPEN), made(patch)).findings == (ASKED,)


@pytest.mark.parametrize("patch", [OR, diff("    return a + b", path="other.py"), "", "p"])
def test_another_change_is_not_asked_about(patch: str) -> None:
    assert told(found(OPEN), made(patch)).findings == ()


def test_where_it_is_not_known_what_parts_them_the_others_are_counted() -> None:
    (finding,) = told(found(OPEN.model_copy(update={"call": "", "other": ""})), made(PLUS)).findings
    assert finding == (
        "calc.py:2: the tests do not decide between `return a + b` and 2 other small edits, which pass them as well; "
        "is it the right one?"
    )


def test_an_edit_that_the_checks_refuted_is_no_rival_any_more() -> None:
    rival = Undecided(path="calc.py", line=2, patch=OR, others=1, other=PLUS, call="add(1, 1)", answers=("1", "2"))
    one = OPEN.model_copy(update={"others": 1})
    refuted = made(OR, judged(RED.model_copy(update={"comparison": Comparison(broken=(ZERO,))})))
    back = RolledBack(at=107.0, to="b" * 40, kept="d" * 40, reason="no")
    assert not refuted.verdict.ok
    assert told(found(one, rival), refuted, back, made(PLUS)).findings == ()
    (left,) = told(found(OPEN, rival), refuted, back, made(PLUS)).findings
    assert "another small edit, which passes them as well" in left


def test_a_step_that_was_undone_asks_nothing() -> None:
    assert Undecideds().add(found(OPEN)).proposed == (OPEN,)
    assert list(Undecideds().add(found(OPEN)).ask([])) == []


def test_an_edit_is_quoted_by_what_it_puts_in_or_takes_away() -> None:
    assert quote_edit(PLUS) == "`return a + b`"
    assert quote_edit("--- a/x.py\n+++ b/x.py\n@@ -1,1 +1,0 @@\n-    n += 1\n") == "leaving out `n += 1`"
    assert len(quote_edit(diff("x" * 900))) < 100
    assert "\n" not in quote_edit(diff("    if `a`:\n+        b"))
    assert quote_edit("") == "leaving out ``"


def test_the_question_is_the_first_thing_that_is_read_everywhere() -> None:
    asked = told(found(OPEN), made(PLUS))
    glyph, style, sentence = headline(asked)
    assert (glyph, style) == ("✓", "bold yellow")
    assert sentence.startswith("verified, with 1 open question: every check passes")
    assert sentence.endswith("answer what the tests leave open before you merge")
    out = StringIO()
    Console(file=out, width=200).print(present(asked))
    assert out.getvalue().split("\n")[2].strip() == f"? {ASKED}"
    page = markdown(asked)
    assert page.index("### Answer before you merge") < page.index("### Asked")
    body = pull_body(asked, SETTING)
    assert body.startswith("> [!WARNING]\n> **Look at this first**\n>\n> - calc.py:&#8203;2: the tests do not decide")
    assert "⚠️ **Verified, with 1 open question.**" in body
    for text in (page, body):
        assert text.count("which is right?") == 1
    (remark,) = check_run(asked, SETTING).annotations
    assert (remark.path, remark.start) == ("calc.py", 2)


def test_hostile_answers_stay_on_their_line() -> None:
    hostile = OPEN.model_copy(update={"call": "f('`](x)\n\x1b[31m#12')" + "z" * 900, "answers": ("\u202e1", "2\n- x")})
    (finding,) = told(found(hostile), made(PLUS)).findings
    assert len(finding) < 500
    assert finding.isprintable()


def test_lines_that_are_apart_are_quoted_apart() -> None:
    patch = "--- a/m.py\n+++ b/m.py\n@@ -1,4 +1,4 @@\n-a = 1\n+a = 2\n x\n-b = 1\n-c = 1\n+b = 2\n+c = 2\n"
    assert quote_edit(patch) == "`a = 2 … b = 2 c = 2`"
