import re
from dataclasses import replace

import pytest

from bot.core.approval import Question
from bot.core.proof import Proof
from bot.core.publication.marker import read_marker
from bot.core.publication.progress import Progress, progress_comment
from bot.core.publication.replies import Standing, help_text, reply, status_text
from bot.core.publication.setting import Links
from bot.core.trigger.order import VERBS, read_order
from tests.core.publication.samples import EVIL, HOME, LATER, PARTIAL, SETTING, VERIFIED, besieged, hostile, pages
from tests.core.publication.structure import live

WAITING = VERIFIED.model_copy(
    update={
        "outcome": "gave_up",
        "stop": "needs_human",
        "steps": (),
        "waits": (Question(risk="protected", subject="ci.yml", why="would change ci.yml", shown="+ on: push"),),
        "seal": "ab12",
    }
)


def boxes(text: str) -> list[str]:
    return re.findall(r"^- \[[ x]\] .*$", text, re.MULTILINE)


def test_a_comment_is_first_a_list_of_what_is_to_come() -> None:
    text = progress_comment(Progress(SETTING))
    assert text.startswith("⏳ **At work.**")
    assert [box[:5] for box in boxes(text)] == ["- [x]", *["- [ ]"] * 5]


def test_a_comment_ends_as_a_list_of_what_was_done() -> None:
    text = progress_comment(Progress(SETTING, VERIFIED))
    assert text.startswith("✅ **Verified.**")
    judged = "`ruff` 3 failed, `mypy` 2 failed, `pytest` 2 failed, 51 passed"
    assert boxes(text)[1:] == [
        f"- [x] `main` at [`2d61283acc`]({HOME}/commit/{VERIFIED.base}) judged: {judged}",
        "- [x] Reproduced: 7 cases red on the base",
        "- [x] Mended in 5 verified commits, 7 cases red → green",
        "- [x] Verified",
        f"- [x] Pull request [#13]({HOME}/issues/13)",
    ]
    assert "[!" not in text
    state = read_marker(text)
    assert state is not None
    assert state.kind == "progress"


def test_a_comment_says_what_needs_a_person_and_what_was_tried_before() -> None:
    text = progress_comment(Progress(LATER, PARTIAL))
    assert boxes(text)[-2:] == ["- [ ] Not verified", f"- [x] Pull request [#13]({HOME}/issues/13), as a draft"]
    assert "> - 2 tests ask less than before\n> - 3 cases" in text
    assert "<summary>All runs here (2)</summary>" in text
    assert re.search(r"\| 2024-11-30 20:36 UTC \| `fix` \| `\w+` \| \[`2d61283acc`\]", text)


def test_a_comment_says_why_there_is_no_pull_request_and_where_the_commits_are() -> None:
    text = progress_comment(Progress(replace(SETTING, pull=0), VERIFIED, undelivered="the token may not open one"))
    assert f"- [ ] No pull request: the token may not open one; the commits are on [`{VERIFIED.branch}`]({HOME}" in text


def test_a_comment_shows_what_waits_for_a_yes_and_how_to_give_it() -> None:
    text = progress_comment(Progress(SETTING, WAITING))
    assert "- it would change ci.yml\n\n```diff\n+ on: push\n```" in text
    assert "`/agent approve ab12` allows exactly this, and the run goes on." in text
    assert "> [!CAUTION]" in text
    asked = WAITING.model_copy(update={"waits": (), "seal": "", "detail": "which of both?"})
    assert "with the answer behind it" in progress_comment(Progress(SETTING, asked))


def test_a_comment_says_why_nothing_was_done_and_what_would_be() -> None:
    told = progress_comment(Progress(SETTING, said="CI is red on main, too.\nFixes #9"))
    assert told.startswith("⚪ **Nothing was done.**")
    assert "> CI is red on main, too.\n>\n> Fixes #&#8203;9" in told
    assert len(boxes(told)) == 1
    plan = progress_comment(Progress(SETTING, plan=("read it", "mend it")))
    assert "1. read it\n2. mend it" in plan


def test_what_was_not_reproduced_is_not_ticked() -> None:
    report = VERIFIED.model_copy(update={"proof": Proof(reason="no reproduction: every check passed on the base")})
    text = progress_comment(Progress(SETTING, report))
    assert "- [ ] Not reproduced: every check passed on the base" in text


def test_help_names_every_verb_once() -> None:
    text = help_text()
    assert {verb for verb in VERBS if f"| `/agent {verb}` |" in text} == set(VERBS)
    assert "`/bot undo`" in help_text("/bot")


def test_status_says_what_was_tried_and_what_is_left() -> None:
    links = Links("octo-org/stockroom")
    assert status_text(Standing(), links).startswith("- Nothing was tried here yet.\n")
    standing = Standing(LATER.earlier, "", "agent/x", 13, left=1, wait=130, waits="ab12")
    text = status_text(standing, links)
    for line in (
        "- Nothing goes on; 1 run so far.",
        f"- The work is in [#13]({HOME}/issues/13), on [`agent/x`]({HOME}/tree/agent/x).",
        "- It waits for `/agent approve ab12`.",
        "- 1 more run may be made before a new commit has to come.",
        "- The next one may begin in 2 minutes.",
    ):
        assert f"{line}\n" in text
    assert status_text(Standing(busy="7"), links).startswith(f"- At work in [job 7]({HOME}/actions/runs/7).")


@pytest.mark.parametrize("said", ["/agent fix", "  /agent stop\nx", "\n\n/AGENT help", "```\nx\n```\n/agent fix"])
def test_no_reply_is_an_order(said: str) -> None:
    assert read_order(said) is not None or said.startswith("```") or "\n" in said
    text = reply(said)
    assert read_order(text) is None
    state = read_marker(text)
    assert state is not None
    assert state.kind == "reply"


def test_nothing_that_we_write_is_an_order_to_us() -> None:
    written = [markdown for _, markdown in pages().values()]
    written += [progress_comment(Progress(besieged("/agent fix"), hostile("/agent fix", 1), said="/agent fix"))]
    written += [status_text(Standing(branch="/agent fix", busy="/agent fix"), Links()), help_text()]
    assert [read_order(text) for text in written] == [None] * len(written)


def test_hostile_words_in_a_comment_do_nothing() -> None:
    text = progress_comment(Progress(besieged(EVIL), hostile(EVIL, 2), said=EVIL, plan=(EVIL,) * 90, undelivered=EVIL))
    assert live(text, ("#12 open",)) == []
    assert len(text) < 40_000
