"""What a workflow of GitHub is told of a proof: orders to its runner, and a summary in Markdown."""

import re
from dataclasses import replace
from pathlib import Path

from bot.app.proving.annotations import LONGEST, annotate, summarize
from bot.app.proving.export import Exports, make_clean
from tests.app.proving.judged import COMMITS, judged

CLEAN = make_clean(())
ORDER = re.compile(r"::(error|warning|notice) [a-z]+=[^:,\n]+(?:,[a-z]+=[^:,\n]+)*::[^\n]+")


def test_each_finding_is_one_order_that_nothing_foreign_can_end() -> None:
    orders = list(annotate(judged(*COMMITS, checks=7), CLEAN))
    assert all(ORDER.fullmatch(order) for order in orders), orders
    assert all(char.isprintable() for order in orders for char in order)
    assert any("file=t.py,line=9::t.py%3A" in order or "file=t.py,line=9::" in order for order in orders)
    assert "ghp_" not in "".join(orders)


def test_the_gravest_come_first_and_no_more_than_are_shown() -> None:
    levels = [order[2:].split(" ")[0] for order in annotate(judged("weak", "bad", checks=7), CLEAN)]
    assert levels == sorted(levels, key=["error", "warning", "notice"].index)
    assert levels.count("warning") == 10
    assert set(levels) == {"error", "warning", "notice"}


def test_what_stood_before_in_files_that_nobody_touched_is_not_shown_beside_a_change() -> None:
    told = judged("bad")
    old = [order for order in annotate(told, CLEAN) if "test_old" in order]
    assert len(old) == 1
    elsewhere = replace(told, files=(("other.py",),))
    shown = "".join(annotate(elsewhere, CLEAN))
    assert "test_old" not in shown
    assert "test_zero" in shown


def test_the_summary_is_a_table_whose_rows_are_of_one_width() -> None:
    text = summarize(judged(*COMMITS), CLEAN)
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) == 3 + len(COMMITS)
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {7}
    assert "not proved" in text.splitlines()[2]
    assert f"git agent verify {'0' * 10}..{'5' * 10}" in text
    assert "ghp_" not in text
    assert "<&" not in text


def test_the_summary_of_very_many_commits_is_cut_at_a_line() -> None:
    text = summarize(judged(*["weak", "bad"] * 400), CLEAN)
    assert len(text) <= LONGEST
    assert re.search(r"^…and [\d,]+ more commits$", text, re.MULTILINE)
    assert re.search(r"^…and [\d,]+ more points$", text, re.MULTILINE)


def test_a_proof_of_a_whole_history_names_no_base() -> None:
    whole = judged("good")
    proved = whole.proved.model_copy(update={"base": ""})
    text = summarize(type(whole)(proved, whole.base, whole.verdicts, whole.files), CLEAN)
    assert "(base)" not in text
    assert f"git agent verify --root {'1' * 10}`" in text


def test_the_summary_is_added_to_what_the_job_has_said(tmp_path: Path) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    Exports(annotate=True, summary=str(summary)).write(judged("good"))
    assert summary.read_text().startswith("before\n## git agent: proof\n")
