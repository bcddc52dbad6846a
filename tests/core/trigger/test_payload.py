"""What GitHub sends becomes the few things that we go by, and junk becomes one clear line."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.core.trigger.payload import LARGEST, read_trigger
from bot.core.trigger.trigger import Account, Head, Trigger
from bot.errors import ConfigError
from tests.core.trigger.derived import EVENTS, derive, load, load_derived

ANSWERED = tuple(event for event in EVENTS if event != "pull_request")
DERIVED = load_derived()
COMMENT = DERIVED["comment_on_issue"].payload
HELLO = "Codertocat/Hello-World"


def read(name: str, repository: str = "") -> Trigger:
    event, payload = DERIVED[name]
    return read_trigger(event, json.dumps(payload).encode(), repository)


def changed(path: str, value: object) -> bytes:
    payload = copy.deepcopy(COMMENT)
    *way, last = path.split(".")
    place = payload
    for key in way:
        place = place[key]
    place[last] = value
    return json.dumps(payload).encode()


def is_clear(event: str, value: object) -> bool:
    """Whether something is read, or refused in one line."""
    try:
        read_trigger(event, json.dumps(value).encode("utf-8", "surrogatepass"), "a/b")
    except ConfigError as error:
        return "\n" not in error.message
    return True


def test_every_published_example_of_the_events_that_we_answer_is_read() -> None:
    found = [
        (read_trigger(event, json.dumps(payload).encode()), payload) for event in ANSWERED for payload in load(event)
    ]
    assert len(found) == 50
    assert all(trigger.action == payload.get("action", "") for trigger, payload in found)
    assert all(trigger.repository == payload["repository"]["full_name"] for trigger, payload in found)
    assert all(trigger.sender and trigger.sender.login == payload["sender"]["login"] for trigger, payload in found)


def test_payloads_that_the_examples_lack_are_made_of_them_and_read() -> None:
    assert derive({event: load(event) for event in EVENTS}) == DERIVED
    for name in DERIVED:
        assert read(name).event == DERIVED[name].event


def test_a_comment_holds_its_order_and_the_issue_it_is_on() -> None:
    trigger = read("comment_on_issue", HELLO)
    assert (trigger.number, trigger.pull, trigger.open) == (1, False, True)
    assert (trigger.text, trigger.comment) == ("/agent fix", 492700400)
    assert trigger.author == trigger.sender == Account(id=21031067, login="Codertocat", kind="User")
    assert trigger.created == trigger.updated == 1557933621.0
    assert (trigger.title, trigger.repository_id, trigger.default_branch) == (
        "Spelling error in the README file",
        186853002,
        "master",
    )
    assert trigger.url.endswith("/issues/1#issuecomment-492700400")


def test_a_comment_on_a_pull_request_says_so_and_names_no_commit() -> None:
    trigger = read("comment_on_pull")
    assert (trigger.pull, trigger.number, trigger.head) == (True, 2, Head())


def test_what_is_null_is_left_out() -> None:
    assert read("comment_without_body").text == ""
    assert read("comment_by_deleted_account").author is None
    bare = read("comment_on_issue_without_body")
    assert (bare.body, bare.writer) == ("", None)
    assert read("review_on_fork_that_is_gone").head.repository == ""
    assert read("dispatch_without_inputs").text == ""


def test_a_review_comment_holds_its_lines_and_the_head() -> None:
    trigger = read("review_on_own_branch")
    assert trigger.spot is not None
    assert (trigger.spot.path, trigger.spot.line) == ("README.md", 1)
    assert trigger.spot.hunk.startswith("@@ -1 +1 @@")
    assert trigger.head == Head(sha="ec26c3e57ca3a959ca5aad62de7213c562f8c821", ref="changes", repository=HELLO)
    assert (trigger.base, trigger.pull) == ("master", True)
    outdated = read("review_on_outdated_line")
    assert outdated.spot is not None
    assert outdated.spot.line == 1
    assert read("review_on_fork").head.repository == "stranger/Hello-World"


def test_a_finished_ci_run_names_its_commit_its_actors_and_pull_requests_of_this_repository_only() -> None:
    trigger = read("ci_failed_on_pull")
    assert trigger.run is not None
    assert (trigger.run.conclusion, trigger.run.cause, trigger.run.attempt) == ("failure", "pull_request", 1)
    assert (trigger.run.path, trigger.run.pulls) == (".github/workflows/test.yml", (2,))
    assert trigger.head == Head(
        sha="3484a3fb816e0859fd6e1cea078d76385ff50625", ref="master", repository="octo-org/octo-repo"
    )
    assert [account.login for account in trigger.actors] == ["Codertocat", "Codertocat"]
    elsewhere = read("ci_failed_on_pull_elsewhere")
    assert elsewhere.run is not None
    assert elsewhere.run.pulls == ()


def test_a_dispatch_holds_what_was_filled_in() -> None:
    trigger = read("dispatch_with_task")
    assert (trigger.text, trigger.number, trigger.base, trigger.head.ref) == (
        "mend the parser",
        12,
        "release/2",
        "main",
    )
    assert trigger.author == trigger.sender
    for given_, number, pull in (
        (7, 7, False),
        (" 8 ", 8, False),
        ("", 0, False),
        ("https://x.example/octo-org/octo-repo/pull/9#x", 9, True),
    ):
        payload = {**DERIVED["dispatch_with_task"].payload, "inputs": {"issue": given_}}
        found = read_trigger("workflow_dispatch", json.dumps(payload).encode(), "octo-org/octo-repo")
        assert (found.number, found.pull) == (number, pull)
    for wrong in ("twelve", "-1", "https://x.example/other/repo/issues/1", True, [1]):
        payload = {**DERIVED["dispatch_with_task"].payload, "inputs": {"issue": wrong}}
        with pytest.raises(ConfigError):
            read_trigger("workflow_dispatch", json.dumps(payload).encode())


def test_the_clock_needs_no_more_than_its_repository() -> None:
    assert read_trigger("schedule", b'{"schedule": "0 3 * * 1"}', "a/b").repository == "a/b"
    with pytest.raises(ConfigError, match="names no repository"):
        read_trigger("schedule", b"{}")


def test_a_label_is_an_order_of_whoever_put_it_on() -> None:
    trigger = read("label_put_on_a_strangers_issue")
    assert (trigger.label, trigger.text) == ("agent", "")
    assert trigger.author == trigger.sender != trigger.writer
    assert trigger.body == "/agent fix"


JUNK = {
    "nothing": (b"", "EOF"),
    "a list": (b"[]", "the whole of it: input should be a valid dictionary"),
    "null": (b"null", "the whole of it: input should be a valid dictionary"),
    "not JSON": (b"action=created", "not JSON"),
    "not UTF-8": (b'{"action": "\xff"}', "not JSON"),
    "deep": (b'{"a":' * 50_000, "recursion"),
    "deep lists": (b'{"a":' + b"[" * 50_000, "recursion"),
    "too large": (b" " * (LARGEST + 1), "more than GitHub sends"),
    "NaN": (b'{"id": NaN}', "not JSON"),
    "infinity": (b'{"id": -Infinity}', "not JSON"),
    "half a character": (b'{"x": "\\ud83d"}', "not JSON"),
    "two of a name": (b'{"action": "created", "action": "edited"}', "'action' is given twice"),
    "two of a name inside": (b'{"x": [{"\\u0061": 1, "a": 2}]}', "'a' is given twice"),
    "a huge number": (b'{"x": ' + b"9" * 5_000 + b"}", "out of range"),
    "no issue": (b'{"action": "created"}', "issue: field required"),
    "a number as text": (changed("issue.number", "1"), "issue.number: input should be a valid integer"),
    "a number as truth": (changed("issue.number", value=True), "issue.number"),
    "a large number": (changed("comment.id", 1 << 70), "comment.id"),
    "a negative number": (changed("issue.number", -1), "issue.number"),
    "no number": (changed("issue.number", 0.5), "issue.number"),
    "text as a list": (changed("comment.body", ["/agent fix"]), "comment.body: input should be a valid string"),
    "a user as text": (changed("comment.user", "root"), "comment.user: input should be a valid dictionary"),
    "no moment": (changed("comment.created_at", "yesterday"), "comment.created_at: invalid isoformat"),
    "a moment without a zone": (changed("comment.created_at", "2019-05-15T15:20:21"), "no time zone"),
    "a moment as a list": (changed("comment.created_at", [1]), "comment.created_at: this is no moment"),
    "a name with a line end": (changed("repository.full_name", "a/b\n::set-output::x"), "names no repository"),
    "another repository": (changed("repository.full_name", "other/one"), "it is about other/one"),
}


@pytest.mark.parametrize("name", JUNK)
def test_junk_is_one_clear_line(name: str) -> None:
    payload, told = JUNK[name]
    with pytest.raises(ConfigError) as caught:
        read_trigger("issue_comment", payload, HELLO)
    assert told in caught.value.message
    assert caught.value.hint
    assert "\n" not in caught.value.message
    assert len(caught.value.message) < 300


@pytest.mark.parametrize("event", ["push", "pull_request", "", "issue_comment\n", "x" * 500, "check_suite"])
def test_other_events_are_said_not_to_be_answered(event: str) -> None:
    with pytest.raises(ConfigError, match="there is nothing to do for the event") as caught:
        read_trigger(event, b"{}")
    assert "issue_comment" in caught.value.hint
    assert "\n" not in caught.value.message
    assert len(caught.value.message) < 120


def test_a_payload_is_read_whatever_stands_before_it_and_in_whatever_letters_its_repository_is_written() -> None:
    payload = b"\xef\xbb\xbf" + json.dumps(COMMENT).encode()
    assert read_trigger("issue_comment", payload, HELLO.upper()).repository == HELLO


KEYS = st.sampled_from(
    (
        "action",
        "issue",
        "comment",
        "pull_request",
        "workflow_run",
        "repository",
        "full_name",
        "number",
        "id",
        "user",
        "inputs",
        "head",
        "base",
        "repo",
        "body",
        "state",
        "created_at",
        "pull_requests",
        "sender",
        "login",
        "label",
    )
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(("a/b", "open")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=15,
)


@settings(max_examples=80)
@given(event=st.sampled_from((*ANSWERED, "schedule")), value=VALUES | st.dictionaries(KEYS, VALUES))
def test_whatever_is_sent_is_read_or_is_one_clear_line(event: str, value: object) -> None:
    assert is_clear(event, value)


@settings(max_examples=80)
@given(data=st.data())
def test_a_real_payload_with_one_wrong_value_is_read_or_is_one_clear_line(data: st.DataObject) -> None:
    name = data.draw(
        st.sampled_from(
            ("comment_on_pull", "review_on_own_branch", "label_put_on", "ci_failed_on_pull", "dispatch_with_task")
        )
    )
    event, payload = DERIVED[name]
    place = copied = copy.deepcopy(payload)
    while True:
        key = data.draw(st.sampled_from(sorted(place)))
        if not isinstance(place[key], dict) or not place[key] or data.draw(st.booleans()):
            break
        place = place[key]
    place[key] = data.draw(VALUES)
    copied["repository"] = copied["repository"] and {"full_name": "a/b"}
    assert is_clear(event, copied)
