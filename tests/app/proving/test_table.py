"""What a person sees of a proof, on terminals of several widths."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

from bot.app.proving.table import present
from bot.app.proving.values import Judged, Uncommitted
from bot.core.check import CaseResult, CheckResult, Comparison, Rung, Verdict
from tests.app.proving.judged import COMMITS, judged


def shown(width: int, *names: str, checks: int = 2) -> str:
    stream = io.StringIO()
    present(judged(*names, checks=checks), Console(file=stream, width=width, color_system=None))
    return stream.getvalue()


@pytest.mark.parametrize("width", [40, 80, 120, 200])
@pytest.mark.parametrize("checks", [1, 4, 12])
def test_nothing_is_wider_than_the_terminal_and_every_word_is_there(width: int, checks: int) -> None:
    text = shown(width, *COMMITS, checks=checks)
    assert max(map(len, text.splitlines())) <= width
    joined = " ".join(text.split())
    for word in ("(base)", "holds", "needs a person", "does not hold", "differs", "agrees", "2 reproduced"):
        assert word in joined, word


def test_wide_terminal_gets_a_row_a_commit() -> None:
    row = next(line for line in shown(120, "good").splitlines() if "Add adds" in line)
    assert row.split()[0] == COMMITS["good"].commit[:10]
    assert row.split()[-3:] == ["2", "reproduced", "holds"]


def test_bad_commit_tells_what_got_worse_and_where() -> None:
    text = shown(120, "bad")
    assert "✗ t.py::test_zero (t.py:9): assert 1 == 0\n" in text
    assert "✗ gone, skipped or expected to fail: t.py::test_gone" in text
    assert "→ unit passes only with plus.py, which is in your checkout and in no commit" in text
    assert text.rstrip().endswith("a check gave no evidence")


def test_long_lists_are_cut_and_counted() -> None:
    assert "… and 15 more" in shown(120, "weak")


def test_sentence_says_the_worst() -> None:
    assert "✓ proved: every check passes at the tip" in shown(80, "good")
    assert "● not proved by the checks alone" in shown(80, "good", "weak")
    assert "✗ not proved: a commit says something else" in shown(80, "weak", "liar")
    assert "✗ not proved: a commit makes a check worse" in shown(80, "liar", "bad")
    assert "✓ proved" not in shown(80, "good", "red")


def test_tests_that_fail_as_before_are_named_at_the_tip() -> None:
    proof = judged("good", "red")
    case = CaseResult(id="t.py", outcome="error", path="t.py", line=3, message="No module named 'sh'", cause="missing")
    unit = CheckResult(check="unit", rung=Rung.UNIT, status="failed", cases=(case,))
    verdict = Verdict(tree="t", results=(unit,), comparison=Comparison(failing=("t.py",)))
    stream = io.StringIO()
    present(replace(proof, verdicts=(verdict, verdict)), Console(file=stream, width=160, color_system=None))
    told = "fails as before, for want of something that is not installed: t.py (t.py:3): No module named 'sh'"
    assert stream.getvalue().count(told) == 1


def test_many_files_that_were_not_committed_are_counted() -> None:
    found = Uncommitted(check="unit", paths=tuple(f"f{n}.py" for n in range(9)), elsewhere="a" * 40)
    assert found.text == (
        "unit passes only with f0.py, f1.py, f2.py, f3.py and 5 more, "
        "which are in your checkout and not in this commit, but in aaaaaaaaaa"
    )


def test_answers_that_were_not_asked_for_again_are_counted() -> None:
    proof = judged("good")
    reused = tuple(result.model_copy(update={"reused": True}) for result in proof.verdicts[0].results)
    stream = io.StringIO()
    known = Judged(proof.proved, proof.base, (proof.verdicts[0].model_copy(update={"results": reused}),), proof.files)
    present(known, Console(file=stream, width=120, color_system=None))
    assert "2 of 4 answers were known from before" in stream.getvalue()
    assert "known from before" not in shown(120, "good")
