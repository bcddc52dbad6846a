"""Payloads that GitHub sends and its published examples lack, made of the ones that they have."""

import copy
import gzip
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

Json: TypeAlias = dict[str, Any]
Examples: TypeAlias = Mapping[str, Sequence[Json]]

FOLDER = Path(__file__).parent / "payloads"
EVENTS = (
    "issue_comment",
    "issues",
    "pull_request",
    "pull_request_review_comment",
    "workflow_dispatch",
    "workflow_run",
)
ORDER = "/agent fix"
STRANGER = {"login": "stranger", "id": 7000001, "type": "User"}
FORK = {"id": 9000001, "full_name": "stranger/Hello-World", "name": "Hello-World"}
BOTS: Mapping[str, Json] = {
    "by_an_unknown_bot": {"login": "evil[bot]", "id": 7000002, "type": "Bot"},
    "by_actions": {"login": "github-actions[bot]", "id": 41898282, "type": "Bot"},
    "by_copilot": {"login": "Copilot", "id": 198982749, "type": "Bot"},
    "by_dependabot_as_graphql_spells_it": {"login": "dependabot", "id": 49699333, "type": "Bot"},
    "by_a_user_named_like_a_bot": {"login": "x[bot]", "id": 7000003, "type": "User"},
    "by_an_organization": {"login": "octo-org", "id": 7000004, "type": "Organization"},
}


class Derived(NamedTuple):
    """A payload that was made."""

    event: str
    payload: Json


def load(event: str) -> list[Json]:
    """Read the published examples of an event."""
    loaded: list[Json] = json.loads(gzip.decompress((FOLDER / f"{event}.json.gz").read_bytes()))
    return loaded


def load_derived() -> dict[str, Derived]:
    """Read the payloads that were made of them."""
    loaded = json.loads(gzip.decompress((FOLDER / "derived.json.gz").read_bytes()))
    return {name: Derived(*made) for name, made in loaded.items()}


def derive(examples: Examples) -> dict[str, Derived]:
    """Make the payloads that the examples lack, by name."""
    events = {
        "comment": ("issue_comment", _comments),
        "review": ("pull_request_review_comment", _reviews),
        "label": ("issues", _labels),
        "ci": ("workflow_run", _runs),
        "dispatch": ("workflow_dispatch", _dispatches),
    }
    made = {
        f"{kind}_{name}": Derived(event, payload)
        for kind, (event, function) in events.items()
        for name, payload in function(examples)
    }
    repository = examples["workflow_dispatch"][0]["repository"]
    clock = {"schedule": "0 3 * * 1", "workflow": ".github/workflows/agent.yml", "repository": repository}
    return {**made, "schedule_weekly": Derived("schedule", clock)}


Named: TypeAlias = Iterator[tuple[str, Json]]


def _change(payload: Json, *changes: Callable[[Json], object]) -> Json:
    changed = copy.deepcopy(payload)
    for change in changes:
        change(changed)
    return changed


def _put(path: str, value: object) -> Callable[[Json], object]:
    """Set what stands at a dotted path; of two objects, the first one's keys remain."""

    def put(payload: Json) -> None:
        *way, last = path.split(".")
        for key in way:
            payload = payload[key]
        before = payload.get(last)
        payload[last] = {**before, **value} if isinstance(before, dict) and isinstance(value, dict) else value

    return put


def _on_pull(examples: Examples) -> Callable[[Json], object]:
    def put(payload: Json) -> None:
        pull = examples["pull_request"][0]["pull_request"]
        links = {name: pull[name] for name in ("url", "html_url", "diff_url", "patch_url")}
        payload["issue"]["pull_request"] = {**links, "merged_at": None}
        payload["issue"]["number"] = pull["number"]

    return put


def _comments(examples: Examples) -> Named:
    created = next(p for p in examples["issue_comment"] if p["action"] == "created")
    edited = next(p for p in examples["issue_comment"] if p["action"] == "edited")
    base = _change(created, _put("comment.body", ORDER))
    stranger = (_put("comment.user", STRANGER), _put("sender", STRANGER))
    yield "on_issue", base
    yield "on_pull", _change(base, _on_pull(examples))
    yield "edited", _change(edited, _put("comment.body", ORDER))
    yield "changed_since", _change(base, _put("comment.updated_at", "2019-05-15T15:20:59Z"))
    yield "without_times", _change(base, _put("comment.created_at", None))
    yield "by_stranger", _change(base, *stranger, _put("comment.author_association", "NONE"))
    yield "by_member", _change(base, *stranger, _put("comment.author_association", "MEMBER"))
    yield "by_deleted_account", _change(base, _put("comment.user", None), _put("comment.author_association", "NONE"))
    yield "sent_by_stranger", _change(base, _put("sender", STRANGER))
    yield "without_body", _change(base, _put("comment.body", None))
    yield "on_issue_without_body", _change(base, _put("issue.body", None), _put("issue.user", None))
    yield "on_closed_issue", _change(base, _put("issue.state", "closed"))
    yield "with_order_in_title", _change(base, _put("issue.title", ORDER), _put("comment.body", "Any news?"))
    for name, account in BOTS.items():
        yield name, _change(base, _put("comment.user", account), _put("sender", account))


def _reviews(examples: Examples) -> Named:
    created = next(p for p in examples["pull_request_review_comment"] if p["action"] == "created")
    lines = {"line": 1, "original_line": 1, "side": "RIGHT", "start_line": None}
    base = _change(created, _put("comment.body", ORDER), _put("comment", lines))
    fork = _put("pull_request.head.repo", FORK)
    yield "on_own_branch", base
    yield "on_fork", _change(base, fork, _put("pull_request.head.label", "stranger:changes"))
    yield "on_fork_that_is_gone", _change(base, _put("pull_request.head.repo", None))
    yield "on_outdated_line", _change(base, _put("comment.line", None), _put("comment.position", None))


def _labels(examples: Examples) -> Named:
    labeled = next(p for p in examples["issues"] if p["action"] == "labeled")
    base = _change(labeled, _put("label.name", "agent"))
    yield "put_on", base
    yield "put_on_by_a_bot", _change(base, _put("sender", BOTS["by_an_unknown_bot"]))
    yield "put_on_a_strangers_issue", _change(base, _put("issue.user", STRANGER), _put("issue.body", ORDER))


def _runs(examples: Examples) -> Named:
    full = next(p for p in examples["workflow_run"] if p["workflow_run"]["pull_requests"])
    base = _change(
        full,
        _put("workflow_run.conclusion", "failure"),
        _put("workflow_run.event", "push"),
        _put("workflow_run.name", "CI"),
        _put("workflow_run.pull_requests", []),
    )
    pulls = full["workflow_run"]["pull_requests"]
    own = copy.deepcopy(pulls)
    for pull in own:
        for side in ("head", "base"):
            pull[side]["repo"]["id"] = base["repository"]["id"]
    bot = BOTS["by_an_unknown_bot"]
    yield "failed", base
    yield (
        "failed_on_pull",
        _change(base, _put("workflow_run.pull_requests", own), _put("workflow_run.event", "pull_request")),
    )
    yield "failed_on_pull_elsewhere", _change(base, _put("workflow_run.pull_requests", pulls))
    yield "failed_on_fork", _change(base, _put("workflow_run.head_repository", FORK))
    yield "failed_on_fork_that_is_gone", _change(base, _put("workflow_run.head_repository", None))
    yield "failed_for_a_bot", _change(base, _put("workflow_run.actor", bot))
    yield "failed_again_for_a_bot", _change(base, _put("workflow_run.triggering_actor", bot))
    yield "failed_for_a_deleted_account", _change(base, _put("workflow_run.triggering_actor", None))
    yield "failed_for_us", _change(base, _put("workflow_run.actor", BOTS["by_actions"]))
    yield "failed_by_a_comment", _change(base, _put("workflow_run.event", "issue_comment"))
    yield "failed_in_our_own", _change(base, _put("workflow_run.path", ".github/workflows/agent.yml"))
    for conclusion in ("success", "timed_out", "startup_failure", "cancelled", "action_required", "skipped", None):
        yield f"ended_{conclusion}", _change(base, _put("workflow_run.conclusion", conclusion))


def _dispatches(examples: Examples) -> Named:
    base = examples["workflow_dispatch"][0]
    inputs = {"task": "mend the parser", "issue": "#12", "base": "release/2"}
    yield "with_task", _change(base, _put("inputs", inputs))
    yield "with_order", _change(base, _put("inputs", {"task": "/agent plan the parser"}))
    yield "without_inputs", _change(base, _put("inputs", None))
    yield "by_a_bot", _change(base, _put("sender", BOTS["by_an_unknown_bot"]))
