"""What GitHub's own description says against requests and answers."""

from typing import Any

import pytest

from tests.hub.calls import ROUTES
from tests.hub.contract.openapi import Operation, load
from tests.hub.standin import ANSWERS

REPOSITORY = "/repos/ann/widgets"


def operation(method: str, path: str) -> tuple[Operation, dict[str, str]]:
    found = load().find(method, REPOSITORY + path)
    assert found
    return found


def test_every_operation_has_an_answer_and_every_answer_an_operation() -> None:
    assert ANSWERS
    assert {(entry.method, entry.path) for entry in load().operations} == set(ROUTES)


@pytest.mark.parametrize(
    ("path", "template", "params"),
    [
        ("/git/ref/heads/agent/fix-1", "/git/ref/{ref}", {"ref": "heads/agent/fix-1"}),
        ("/compare/main...agent/fix", "/compare/{basehead}", {"basehead": "main...agent/fix"}),
        ("/commits/agent/x/check-runs", "/commits/{ref}/check-runs", {"ref": "agent/x"}),
        ("/labels/good%20first%2Fissue", "/labels/{name}", {"name": "good first/issue"}),
        ("/issues/comments/7", "/issues/comments/{comment_id}", {"comment_id": "7"}),
        ("/issues/7/comments", "/issues/{issue_number}/comments", {"issue_number": "7"}),
        ("/contents/src/a.py", "/contents/{path}", {"path": "src/a.py"}),
    ],
)
def test_paths_lead_to_their_operation(path: str, template: str, params: dict[str, str]) -> None:
    found, told = operation("GET", path)
    assert found.path == "/repos/{owner}/{repo}" + template
    assert told == {"owner": "ann", "repo": "widgets", **params}


@pytest.mark.parametrize(
    ("method", "path", "query", "body", "said"),
    [
        ("POST", "/pulls", {}, {"head": "x", "title": "t"}, '"base" is a required property'),
        ("POST", "/pulls", {}, None, "needs a body"),
        ("POST", "/pulls", {}, {"head": "x", "base": "main", "title": "t", "drafts": True}, "body has no drafts"),
        ("PATCH", "/pulls/1", {}, {"state": "merged"}, 'body/state: "merged" is not one of'),
        ("PATCH", "/pulls/1", {}, {"draft": False}, "body has no draft"),
        ("GET", "/pulls", {"state": "merged"}, None, 'query state: "merged" is not one of'),
        ("GET", "/pulls", {"sate": "open"}, None, "query has no sate"),
        ("GET", "/issues/x", {}, None, "path issue_number:"),
        ("GET", "/issues/1", {}, {"body": "x"}, "takes no body"),
        ("POST", "/issues/1/comments", {}, {"body": None}, "body/body: null is not of type"),
        ("POST", "/issues/1/reactions", {}, {"content": "tada"}, "body/content"),
        ("POST", "/check-runs", {}, {"name": "x", "head_sha": "0", "conclusion": "fine"}, "body"),
    ],
)
def test_a_request_that_github_does_not_describe_is_a_fault(
    method: str, path: str, query: dict[str, str], body: Any, said: str
) -> None:
    found, params = operation(method, path)
    faults = found.faults(params, query, body)
    assert any(fault.startswith(said) or said in fault for fault in faults), faults


def test_right_requests_have_no_fault() -> None:
    for method, path, query, body in (
        ("POST", "/pulls", {}, {"head": "x", "base": "main", "title": "t", "body": None, "draft": True}),
        ("GET", "/pulls", {"state": "all", "head": "ann:x", "per_page": "100", "page": "2"}, None),
        ("POST", "/issues/1/labels", {}, {"labels": ["a"]}),
        ("GET", "/issues/1/comments", {"since": "2024-01-01T00:00:00Z"}, None),
    ):
        found, params = operation(method, path)
        if body is None or None not in body.values():
            assert found.faults(params, query, body) == []


def test_a_remark_list_is_bounded_as_github_bounds_it() -> None:
    found, params = operation("POST", "/check-runs")
    remark = {"path": "a", "start_line": 1, "end_line": 1, "annotation_level": "notice", "message": "m"}
    body = {"name": "x", "head_sha": "0", "output": {"title": "t", "summary": "s", "annotations": [remark] * 51}}
    assert "50" in "".join(found.faults(params, {}, body))


def test_answers_are_completed_with_plain_values_and_checked() -> None:
    found, _ = operation("GET", "/labels/a")
    made = found.complete(200, {"name": "a", "color": "ededed"}, "http://hub")
    assert made == {
        "name": "a", "color": "ededed", "id": 0, "node_id": "", "url": "http://hub/nowhere", "default": False,
        "description": None,
    }  # fmt: skip
    assert found.lies(200, made) == []
    assert "color" in found.lies(200, {**made, "color": 1})[0]
    assert "no status 299" in found.lies(299, made)[0]
