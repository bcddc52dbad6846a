"""Only who may write, in a fresh and exact order about commits of this repository, gets a run."""

import json
from dataclasses import replace
from typing import NamedTuple

import pytest

from bot.core.hub import Permission
from bot.core.publication.marker import State, marker
from bot.core.trigger.gate import Facts, Refusal, Rules, find_concerned, refuse, refuse_event
from bot.core.trigger.order import Order, read_order
from bot.core.trigger.payload import read_trigger
from bot.core.trigger.trigger import Account, Head, Trigger
from tests.core.trigger.derived import load, load_derived

DERIVED = load_derived()
FIX = Order("fix")
WRITTEN = 1557933621.0
"""When the comments of the examples were written."""
NOW = WRITTEN + 60
HELLO, OCTO = "Codertocat/Hello-World", "octo-org/octo-repo"
RULES = Rules(label="Agent", workflow="octo-org/octo-repo/.github/workflows/agent.yml@refs/heads/main")
OWNER: dict[str, Permission] = {"Codertocat": "admin", "octocat": "write"}
FACTS = Facts(NOW, OWNER)
PULL = replace(FACTS, head=Head(sha="a" * 40, ref="changes", repository=HELLO), pushed=WRITTEN - 1)
REVIEWED = replace(
    PULL, head=Head(sha="ec26c3e57ca3a959ca5aad62de7213c562f8c821", ref="changes", repository=HELLO), now=NOW + 16
)
FORKED = replace(PULL, head=Head(sha="a" * 40, ref="changes", repository="stranger/Hello-World"))
TIP = "3484a3fb816e0859fd6e1cea078d76385ff50625"
RUN_ENDED = read_trigger("workflow_run", json.dumps(DERIVED["ci_failed"].payload).encode()).updated or 0.0
CI = Facts(RUN_ENDED + 60, OWNER, head=Head(sha=TIP, ref="master", repository=OCTO))


def read(name: str) -> Trigger:
    event, payload = DERIVED[name]
    return read_trigger(event, json.dumps(payload).encode())


def code(found: Refusal | None) -> str:
    return found.code if found else ""


def judge(trigger: Trigger, facts: Facts, rules: Rules = RULES) -> Refusal | None:
    spoken = trigger.event in ("issue_comment", "pull_request_review_comment")
    return refuse(trigger, read_order(trigger.text) if spoken else FIX, rules, facts)


class Case(NamedTuple):
    """An event, and the word for its refusal; empty when it is acted on."""

    name: str
    facts: Facts
    code: str = ""


def allowing(permission: Permission) -> Facts:
    return replace(FACTS, permissions={"Codertocat": permission})


CASES = (
    Case("comment_on_issue", allowing("admin")),
    Case("comment_on_issue", allowing("maintain")),
    Case("comment_on_issue", allowing("write")),
    Case("comment_on_issue", allowing("triage"), "permission"),
    Case("comment_on_issue", allowing("read"), "permission"),
    Case("comment_on_issue", allowing("none"), "permission"),
    Case("comment_on_issue", replace(FACTS, permissions={}), "not-asked"),
    Case("comment_on_issue", replace(FACTS, failed="HTTP 500"), "not-asked"),
    Case("comment_on_issue", replace(FACTS, actors=("someone",)), "not-asked"),
    Case("comment_on_issue", replace(FACTS, actors=("s",), permissions={**OWNER, "s": "read"}), "permission"),
    Case("comment_by_member", replace(FACTS, permissions={"stranger": "read"}), "permission"),
    Case("comment_by_stranger", replace(FACTS, permissions={"stranger": "write"})),
    Case("comment_sent_by_stranger", replace(FACTS, permissions={**OWNER, "stranger": "none"}), "permission"),
    Case("comment_by_deleted_account", FACTS, "nobody"),
    Case("comment_without_body", FACTS, "no-order"),
    Case("comment_with_order_in_title", FACTS, "no-order"),
    Case("comment_on_issue_without_body", FACTS),
    Case("comment_edited", FACTS, "action"),
    Case("comment_changed_since", FACTS, "edited"),
    Case("comment_without_times", FACTS, "no-time"),
    Case("comment_on_closed_issue", FACTS, "closed"),
    Case("comment_by_an_unknown_bot", FACTS, "bot"),
    Case("comment_by_actions", FACTS, "own"),
    Case("comment_by_copilot", FACTS, "bot"),
    Case("comment_by_dependabot_as_graphql_spells_it", FACTS, "bot"),
    Case("comment_by_a_user_named_like_a_bot", replace(FACTS, permissions={"x[bot]": "admin"}), "bot"),
    Case("comment_by_an_organization", replace(FACTS, permissions={"octo-org": "admin"}), "not-a-person"),
    Case("comment_on_issue", replace(FACTS, now=WRITTEN + 90_000), "old"),
    Case("comment_on_issue", replace(FACTS, now=WRITTEN - 301), "old"),
    Case("comment_on_issue", replace(FACTS, attempts=3), "attempts"),
    Case("comment_on_issue", replace(FACTS, attempts=2, last=NOW - 59), "pause"),
    Case("comment_on_issue", replace(FACTS, attempts=2, last=NOW - 60)),
    Case("comment_on_pull", PULL),
    Case("comment_on_pull", FORKED, "fork"),
    Case("comment_on_pull", replace(PULL, head=Head(sha="a" * 40)), "fork"),
    Case("comment_on_pull", replace(PULL, head=None), "no-head"),
    Case("comment_on_pull", replace(PULL, pushed=None), "push-unknown"),
    Case("comment_on_pull", replace(PULL, pushed=WRITTEN), "pushed"),
    Case("comment_on_pull", replace(PULL, pushed=WRITTEN + 0.9), "pushed"),
    Case("comment_on_pull", replace(PULL, pushed=WRITTEN + 30), "pushed"),
    Case("review_on_own_branch", REVIEWED),
    Case("review_on_own_branch", replace(REVIEWED, head=Head(sha="b" * 40, repository=HELLO)), "moved"),
    Case("review_on_outdated_line", REVIEWED),
    Case("review_on_fork", REVIEWED, "fork"),
    Case("review_on_fork_that_is_gone", REVIEWED, "fork"),
    Case("label_put_on", FACTS),
    Case("label_put_on_a_strangers_issue", FACTS),
    Case("label_put_on_by_a_bot", FACTS, "bot"),
    Case("ci_failed", CI),
    Case("ci_failed_on_pull", CI),
    Case("ci_failed", replace(CI, permissions={"Codertocat": "read"}), "permission"),
    Case("ci_failed", replace(CI, head=Head(sha="b" * 40, ref="master", repository=OCTO)), "moved"),
    Case("ci_failed", replace(CI, head=None), "no-head"),
    Case("ci_failed", replace(CI, attempts=3), "attempts"),
    Case("ci_failed", replace(CI, last=CI.now - 1), "pause"),
    Case("ci_failed", replace(CI, now=CI.now + 90_000), "old"),
    Case("ci_failed_on_fork", CI, "fork"),
    Case("ci_failed_on_fork_that_is_gone", CI, "fork"),
    Case("ci_failed_for_a_bot", CI, "bot"),
    Case("ci_failed_again_for_a_bot", CI, "bot"),
    Case("ci_failed_for_a_deleted_account", CI, "nobody"),
    Case("ci_failed_for_us", CI, "own"),
    Case("ci_failed_by_a_comment", CI, "cause"),
    Case("ci_failed_in_our_own", CI, "own-workflow"),
    *(
        Case(f"ci_ended_{end}", CI, "not-failed")
        for end in ("success", "timed_out", "startup_failure", "cancelled", "action_required", "skipped", None)
    ),
    Case("dispatch_with_task", FACTS),
    Case("dispatch_with_task", replace(FACTS, permissions={"octocat": "read"}), "permission"),
    Case("dispatch_by_a_bot", FACTS, "bot"),
    Case("schedule_weekly", Facts(NOW)),
    Case("schedule_weekly", Facts(NOW, actors=("gone",))),
    Case("schedule_weekly", Facts(NOW, failed="HTTP 500"), "not-asked"),
    Case("schedule_weekly", Facts(NOW, attempts=3), "attempts"),
)
TOLD = frozenset({"mistake", "closed", "old", "moved", "pushed", "attempts", "pause"})
"""Refusals that a person hears of, who may write and said something."""


def test_only_orders_that_may_be_carried_out_are() -> None:
    judged = [(case, judge(read(case.name), case.facts)) for case in CASES]
    assert [(case.name, code(found), case.code) for case, found in judged if code(found) != case.code] == []
    for case, found in judged:
        if found is not None:
            assert found.text
            assert "\n" not in found.text
            assert bool(found.reply) == (found.code in TOLD and not case.name.startswith(("ci_", "schedule_")))
            assert read_order(found.reply) is None
    assert {case.name for case in CASES} == DERIVED.keys() - {
        "dispatch_with_order",
        "dispatch_without_inputs",
        "ci_failed_on_pull_elsewhere",
    }


@pytest.mark.parametrize(
    "text", ["> /agent fix", "```\n/agent fix\n```", "/agents fix", "Please /agent fix", "", "<!-- /agent fix -->"]
)
def test_what_is_no_order_is_not_asked_about(text: str) -> None:
    trigger = read("comment_on_issue").model_copy(update={"text": text})
    assert code(refuse_event(trigger, read_order(text), RULES)) == "no-order"


def test_published_examples_are_refused_by_their_payload_alone() -> None:
    for event in ("issue_comment", "issues", "pull_request_review_comment", "workflow_run"):
        for payload in load(event):
            trigger = read_trigger(event, json.dumps(payload).encode())
            order = read_order(trigger.text) if "comment" in event else FIX
            assert refuse_event(trigger, order, RULES) is not None


def test_a_mistake_is_answered_to_those_who_may_write_and_to_nobody_else() -> None:
    trigger = read("comment_on_issue").model_copy(update={"text": "/agent fixture"})
    order = read_order(trigger.text)
    assert order is not None
    assert refuse_event(trigger, order, RULES) is None
    found = refuse(trigger, order, RULES, FACTS)
    assert found is not None
    assert (found.code, found.reply) == ("mistake", order.fault)
    quiet = refuse(trigger, order, RULES, allowing("none"))
    assert quiet is not None
    assert (quiet.code, quiet.reply) == ("permission", "")
    on_fork = refuse(read("comment_on_pull").model_copy(update={"text": trigger.text}), order, RULES, FORKED)
    assert on_fork is not None
    assert (on_fork.code, on_fork.reply) == ("fork", "")


def test_talk_needs_neither_a_fresh_head_nor_an_open_issue_nor_a_run_that_is_left() -> None:
    for verb, pushed, again, closed in (
        ("status", "", "", ""),
        ("stop", "", "", ""),
        ("help", "", "", ""),
        ("undo", "pushed", "", ""),
        ("approve", "pushed", "attempts", "closed"),
        ("retry", "pushed", "attempts", "closed"),
        ("plan", "pushed", "attempts", "closed"),
    ):
        order = read_order(f"/agent {verb}")
        pull = read("comment_on_pull")
        assert code(refuse(pull, order, RULES, replace(PULL, pushed=WRITTEN + 1))) == pushed
        assert code(refuse(pull, order, RULES, replace(PULL, attempts=9))) == again
        assert code(refuse(read("comment_on_closed_issue"), order, RULES, FACTS)) == closed


def test_a_bot_may_order_only_by_its_id() -> None:
    trigger = read("comment_by_an_unknown_bot")
    listed = RULES.model_copy(update={"bots": (7000002,)})
    assert refuse(trigger, FIX, listed, Facts(NOW, {})) is None
    assert refuse(trigger, FIX, listed, Facts(NOW, {}, actors=("evil[bot]",))) is None
    assert find_concerned(trigger, listed, ("evil[bot]", "octocat")) == ("octocat",)
    assert find_concerned(trigger, RULES) == ("evil[bot]",)
    renamed = trigger.model_copy(update={"author": Account(id=1, login="evil[bot]", kind="Bot")})
    assert code(refuse(renamed, FIX, listed, Facts(NOW, {}))) == "bot"
    person = Account(id=7000002, login="evil", kind="User")
    posing = trigger.model_copy(update={"author": person, "sender": person})
    assert code(refuse(posing, FIX, listed, Facts(NOW, {"evil": "read"}))) == "permission"
    nobody = trigger.model_copy(update={"author": Account(id=7000002, login="evil", kind="other")})
    assert code(refuse(nobody, FIX, listed, FACTS)) == "not-a-person"


def test_our_own_account_never_orders_but_ci_of_what_it_pushed_may_be_followed() -> None:
    listed = RULES.model_copy(update={"bots": (41898282,)})
    assert code(judge(read("comment_by_actions"), FACTS, listed)) == "own"
    assert judge(read("ci_failed_for_us"), CI, listed) is None
    token = RULES.model_copy(update={"identity": "CODERTOCAT"})
    assert code(judge(read("comment_on_issue"), FACTS, token)) == "own"
    app = RULES.model_copy(update={"own": (21031067,)})
    assert code(judge(read("comment_on_issue"), FACTS, app)) == "own"


def test_a_label_orders_only_where_one_is_named() -> None:
    assert code(judge(read("label_put_on"), FACTS, Rules())) == "label"
    assert code(judge(read("label_put_on"), FACTS, Rules(label="other"))) == "label"
    opened = read("label_put_on").model_copy(update={"action": "opened"})
    assert code(judge(opened, FACTS)) == "action"


def test_our_own_workflow_is_known_by_its_path_or_its_name() -> None:
    for rules in (
        Rules(workflow=".github/workflows/test.yml"),
        Rules(workflow_name="CI"),
        Rules(workflow=f"{OCTO}/.github/workflows/test.yml@refs/x"),
    ):
        assert code(judge(read("ci_failed"), CI, rules)) == "own-workflow"
    assert judge(read("ci_failed"), CI, Rules()) is None


def test_our_own_texts_are_never_an_order_whoever_writes_them() -> None:
    mistakes = (
        "/agent",
        "/agent fixture",
        "/agent fix --x",
        "/agent undo x",
        "/agent fix --scope ..",
        "/agent nothing",
    )
    faults = [order.fault for order in map(read_order, mistakes) if order]
    replies = [found.reply for found in (judge(read(case.name), case.facts) for case in CASES) if found]
    state = marker(State(kind="progress", issue=1))
    for text in (*faults, *replies):
        assert read_order(text) is None
        for whole in (f"{text}\n\n{state}", f"{state}\n{text}", f"{state}\n\n/agent fix", f"/agent fix\n{state}"):
            trigger = read("comment_on_issue").model_copy(update={"text": whole})
            assert code(judge(trigger, FACTS)) == "marker"
            ours = Account(id=41898282, login="github-actions[bot]", kind="Bot")
            own = trigger.model_copy(update={"author": ours, "sender": ours, "text": text or "/agent fix"})
            assert code(judge(own, FACTS)) == "own"


def test_reasons_show_foreign_names_on_one_line() -> None:
    trigger = read("comment_on_issue").model_copy(
        update={"author": Account(id=5, login="a\n::set-env name=x::\x1b[31m\u202e" + "b" * 500, kind="Bot")}
    )
    found = judge(trigger, FACTS)
    assert found is not None
    assert found.code == "bot"
    assert found.text.isprintable()
    assert len(found.text) < 200
