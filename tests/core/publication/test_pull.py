import json
import re
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.core.escape import size
from bot.core.handover import Base
from bot.core.proof import Audit, Proof, TestChange
from bot.core.publication.checkrun import check_run
from bot.core.publication.marker import read_marker
from bot.core.publication.progress import Progress, progress_comment
from bot.core.publication.pull import LONGEST, pull_body, pull_title
from bot.core.publication.statement import Statement
from bot.core.publication.summary import job_summary, refusal_summary
from bot.core.report import Report
from bot.core.trailers import LONGEST_SUBJECT
from bot.core.trigger.trigger import Account, CiRun, EventName, Head, Spot, Trigger
from tests.core.publication.samples import (
    CHECKS,
    EVIL,
    HOME,
    ISSUE,
    LATER,
    PARTIAL,
    SETTING,
    VERIFIED,
    besieged,
    hostile,
)
from tests.core.publication.structure import PARSER, live, read

SUBJECT = "fix: write \\`earliest\\` for \\`earlist\\` in stockroom/report.py"
OWN = ("Fixes #12", "#12 open")
EMOJI = "\U0001f469\U0001f3fd\u200d\U0001f680"


@cache
def verified() -> str:
    return pull_body(VERIFIED, SETTING)


@cache
def partial() -> str:
    return pull_body(PARTIAL, LATER)


def titles(text: str) -> list[str]:
    return re.findall(r"^### (.+)$", text, re.MULTILINE)


def test_a_verified_change_begins_with_its_verdict_and_shows_all_of_its_evidence() -> None:
    text = verified()
    assert text.startswith(
        "✅ **Verified.** Every check passes on exactly what the branch holds, in a clean checkout.\n"
    )
    assert titles(text) == [
        "Asked",
        "Failed before, passes now",
        "Changed",
        "Checks",
        "Steps",
        "Prove it again",
        "Not verified",
        "What next",
    ]
    for line in (
        "> **The reorder list forgets items that are at their reorder point**",
        f"Asked by `octocat` in [a comment]({ISSUE.url}) on [#12]({HOME}/issues/12): `/agent fix`",
        "| `pytest` | `python -m pytest` | ❌ 2 failed, 51 passed | **✅ 53 passed** | 0.2 → 0.2 s |",
        "| `mypy` | `python -m mypy` | ❌ 2 failed | **✅ no findings** | 0.6 → 0.1 s |",
        f"| 1 | [`9906610209`]({HOME}/commit/{VERIFIED.steps[0].commit}) | {SUBJECT} | +1 -1 | 2 |",
        f"git fetch origin refs/agent/runs/{VERIFIED.run}:refs/agent/runs/{VERIFIED.run}",
        f"git agent verify {VERIFIED.run}",
        "- `/agent undo` takes back the last step; `undo 2` takes back that one and all after it",
    ):
        assert f"\n{line}\n" in text
    assert "\nFixes #12\n" in text
    assert "[!" not in text
    assert live(text, OWN) == []


def test_a_partial_change_begins_with_what_needs_a_person() -> None:
    text = partial()
    frame, _, rest = text.partition(
        "\n\n⚠️ **Partial.** No commit made a check worse, but what the evidence rests on was"
    )
    assert frame.startswith("> [!CAUTION]\n> **Look at this first**\n>\n> - 2 tests ask less than before\n")
    assert all(line.startswith(">") for line in frame.split("\n"))
    points = [line for line in frame.split("\n") if line.startswith("> - ")]
    assert points == [
        "> - 2 tests ask less than before",
        "> - 3 cases that failed on the base do not pass",
        "> - the text of the task hides something that its page does not show: it was left out",
        "> - checks were isolated by landlock only, which is weaker than bubblewrap",
    ]
    assert "ask less" not in rest
    assert "- ✅ red → green: 4 cases failed on the base, and pass with the change" in rest
    assert "Merging this leaves #12 open, since not all of it is verified." in rest
    assert "delete the tests" not in text
    assert "<summary>Earlier runs here (1)</summary>" in rest
    assert live(text, OWN) == []


def test_a_program_reads_the_same_from_the_page() -> None:
    blocks = [block for block in read(verified()).fences if block.startswith("{")]
    told = Statement.model_validate_json(blocks[0])
    assert (told.run, told.base, told.tip, told.mode) == (VERIFIED.run, VERIFIED.base, VERIFIED.tip, "reproduction")
    assert {case.id for case in told.cases if case.red and case.green} == set(VERIFIED.proof.green)
    assert [tree.tree for tree in told.trees] == [step.tree for step in VERIFIED.steps]
    pytest_check = next(check for check in told.checks if check.name == "pytest")
    assert pytest_check.base is not None
    assert pytest_check.result is not None
    assert (pytest_check.command, pytest_check.base.failed, pytest_check.result.passed) == ("python -m pytest", 2, 53)


def test_a_page_remembers_what_was_done() -> None:
    state = read_marker(verified())
    assert state is not None
    assert (state.kind, state.issue, state.pull, state.branch) == ("pull", 12, 13, VERIFIED.branch)
    assert [attempt.run for attempt in state.attempts] == [VERIFIED.run]
    assert verified().rstrip().endswith("-->")


@pytest.mark.parametrize(
    ("state", "passes", "closes", "said"),
    [
        ("same", False, True, ""),
        ("unknown", False, True, "> - where main stands by now could not be asked"),
        (
            "rebased",
            True,
            True,
            "- ✅ main moved from 2d61283acc to 9999999999 meanwhile; the steps were made",
        ),
        (
            "rebased",
            False,
            False,
            "> - main moved from 2d61283acc to 9999999999 meanwhile; the steps were made",
        ),
        ("conflicts", False, False, "meanwhile, and the change conflicts with that: in src/a.py"),
        ("unverified", False, False, "meanwhile, and on top of that the change is not verified: in src/a.py"),
    ],
)
def test_what_is_not_verified_where_it_is_to_be_merged_closes_nothing(
    state: str, *, passes: bool, closes: bool, said: str
) -> None:
    base = Base.model_validate(
        {
            "ref": "main",
            "then": VERIFIED.base,
            "now": "9" * 40,
            "state": state,
            "passes": passes,
            "detail": "in src/a.py",
        }
    )
    setting = replace(SETTING, base=base, tip="8" * 40 if state == "rebased" else "")
    text = pull_body(VERIFIED, setting)
    assert ("\nFixes #12\n" in text) is closes
    assert ("✅ **Verified.**" in text) is closes
    assert ("⚠️ **Verified on 2d61283acc only.**" in text) is not closes
    assert said in text
    assert (f"git agent verify {'9' * 40}..{'8' * 40}" in text) is (state == "rebased")
    assert (check_run(VERIFIED, setting).conclusion == "success") is closes


@pytest.mark.parametrize(
    ("event", "more", "said"),
    [
        (
            "issues",
            {"label": "agent", "sender": Account(login="ann")},
            "Asked by `ann` with the label `agent` on",
        ),
        (
            "pull_request_review_comment",
            {"spot": Spot(path="a.py", line=3), "pull": True},
            f"in [a review comment]({ISSUE.url}) about `a.py` on [#12]",
        ),
        (
            "workflow_run",
            {"run": CiRun(id=7, name="CI", url=f"{HOME}/actions/runs/7"), "head": Head(sha="a" * 40, ref="topic")},
            f"Started by CI: [CI]({HOME}/actions/runs/7) failed on `topic` at [`aaaaaaaaaa`]",
        ),
        ("workflow_dispatch", {"number": 0, "text": "mend it"}, "Started by `octocat` by hand: `mend it`"),
        ("schedule", {"number": 0, "text": ""}, "Started by the schedule"),
        (
            "desk",
            {"text": "only the list"},
            f"Started by `octocat` on their own machine, about [#12]({HOME}/issues/12): `only",
        ),
    ],
)
def test_who_asked_and_where_is_said_for_every_event(event: EventName, more: dict[str, object], said: str) -> None:
    trigger = Trigger.model_validate(ISSUE.model_dump() | {"event": event} | more)
    text = pull_body(VERIFIED, replace(SETTING, trigger=trigger))
    assert said in text
    assert ("\nFixes #12\n" in text) is (event in ("issues", "desk"))


def test_a_title_of_nothing_that_can_be_seen_is_said_to_be_none() -> None:
    unseen = replace(SETTING, trigger=ISSUE.model_copy(update={"title": "\u202e\u200b"}))
    assert "\n> **without a title**\n" in pull_body(VERIFIED, unseen)


def test_an_address_of_another_server_is_no_link() -> None:
    trigger = ISSUE.model_copy(update={"url": "https://github.com.evil.example/x"})
    setting = replace(SETTING, trigger=trigger, artifact_url="javascript:alert(1)", job="1/../../x")
    assert all(link.startswith(f"{HOME}/") for link in read(pull_body(VERIFIED, setting)).links)
    enterprise = replace(SETTING, server="https://ghe.example:8443")
    assert f"(https://ghe.example:8443/octo-org/stockroom/commit/{VERIFIED.tip})" in pull_body(VERIFIED, enterprise)


def test_why_ci_does_not_start_is_said_only_where_the_token_of_the_job_pushes() -> None:
    assert "**CI has not started by itself.**" in verified()
    assert "CI has not started" not in pull_body(VERIFIED, replace(SETTING, pusher="app"))


def test_title_is_made_from_a_template() -> None:
    one = VERIFIED.model_copy(update={"steps": VERIFIED.steps[-1:]})
    red = replace(SETTING, trigger=Trigger(event="workflow_run", repository="o/r", run=CiRun(id=1)))
    assert pull_title(one, SETTING) == "fix: use `<=` instead of `<` in orders._due"
    assert pull_title(VERIFIED, SETTING) == "fix: The reorder list forgets items that are at their reorder point"
    assert pull_title(VERIFIED, red) == "fix: 7 failing cases in 5 steps"
    assert pull_title(VERIFIED.model_copy(update={"proof": Proof()}), red).endswith(" (and 4 more steps)")
    evil = pull_title(hostile(EVIL, 1), besieged(EVIL))
    assert len(evil) <= LONGEST_SUBJECT
    assert not re.search(r"@\w|#\d|\[skip|\u202e", evil)


def every_page(report: Report, setting: object) -> dict[str, str]:
    given = setting if isinstance(setting, type(SETTING)) else SETTING
    run = check_run(report, given)
    return {
        "pull": pull_body(report, given),
        "progress": progress_comment(Progress(given, report)),
        "summary": job_summary(report, given),
        "check": run.summary,
        "check text": run.text,
    }


@pytest.mark.parametrize("copies", [1, 6])
def test_hostile_text_everywhere_is_shown_and_does_nothing(copies: int) -> None:
    for name, text in every_page(hostile(EVIL, copies), besieged(EVIL)).items():
        assert size(text) <= LONGEST, name
        assert live(text, OWN) == [], name
        assert "Fixes #12\n" not in text, name
        assert read(text).links == (), name


LETTERS = st.one_of(st.characters(codec="utf-8"), st.sampled_from("`@#<>[]()!*_~|\\\n\r&:/1a-=$ \u202e\u200b"))
WORDS = ("</details>", "<!-- x", "-->", "fixes #1", "GH-1", "| - |", ":-: | :-:", "```\n", EMOJI * 400, "\\")
NASTY = st.text(LETTERS, max_size=60) | st.sampled_from(WORDS)


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(NASTY, min_size=1, max_size=4).map("".join), st.integers(1, 300))
def test_no_text_leaves_its_place(text: str, times: int) -> None:
    evil = text * times
    reports = (
        (hostile(evil, 2).model_copy(update={"base": "b" * 40, "tip": "c" * 40}), SETTING),
        (VERIFIED, besieged(evil)),
    )
    for report, setting in reports:
        for name, page in every_page(report, setting).items():
            assert size(page) <= LONGEST, name
            assert live(page, OWN) == [], name


def test_cells_of_a_hostile_table_stay_in_their_columns() -> None:
    step = VERIFIED.steps[0].model_copy(update={"subject": "a|b\\|c `|` \\"})
    tokens = PARSER.parse(pull_body(VERIFIED.model_copy(update={"steps": (step,)}), SETTING))
    opened = "".join(token.type[1] for token in tokens if token.type in ("tr_open", "td_open", "th_open"))
    assert {len(cells) for cells in opened.replace("h", "d").split("r")[1:]} == {3, 5}


def test_a_huge_report_is_cut_at_line_ends_and_says_so() -> None:
    files = VERIFIED.steps[0].files * 1
    many = tuple(files[0].model_copy(update={"path": f"src/f{n}.py"}) for n in range(4_000))
    big = VERIFIED.steps[0].model_copy(update={"files": many, "patch": "+ line\n" * 50_000})
    report = VERIFIED.model_copy(
        update={
            "steps": (big,) * 40,
            "proof": VERIFIED.proof.model_copy(update={"green": tuple(f"t.py::test_{n}" for n in range(3_000))}),
            "audit": Audit(tests=tuple(TestChange(path="t.py", name=f"t{n}", kind="removed") for n in range(500))),
        }
    )
    text = pull_body(report, SETTING)
    assert 50_000 < size(text) <= LONGEST
    assert re.search(r"\n…and 3,\d\d\d more files\n", text)
    assert "…and 2,992 more cases" in text
    assert "…and 492 more" in text
    assert "The remaining diffs are in the commits." in text
    told = Statement.model_validate_json(next(block for block in read(text).fences if block.startswith("{")))
    assert told.left_out > 2_900
    assert live(text, OWN) == []


def test_job_summary_of_a_refusal_says_why_and_quotes_nothing_alive() -> None:
    text = refusal_summary("not-allowed", f"@team may only read\n{EVIL[:300]}", SETTING)
    assert text.startswith("⚪ **Nothing was done** (not-allowed).\n\n> @")
    assert live(text) == []


def test_commands_are_those_of_the_project() -> None:
    assert json.loads(CHECKS[2].model_dump_json())["argv"][0].endswith("/python")
    assert "/opt/git-agent/bin/python -m" not in verified()
