"""What GitHub hands to a workflow when something happens in the stand-in: the file behind GITHUB_EVENT_PATH."""

from typing import Any, TypeAlias

from tests.hub.standin import Standin
from tests.hub.world import Account, Comment, Run

Json: TypeAlias = Any


def comment_event(hub: Standin, comment: Comment, action: str = "created", sender: str = "") -> Json:
    """`issue_comment`: somebody wrote on an issue or a pull request."""
    return {
        "action": action,
        "issue": hub.shapes.issue(hub.world.issues[comment.number]),
        "comment": hub.shapes.comment(comment),
        **_rest(hub, hub.account(sender) if sender else comment.author),
    }


def review_event(hub: Standin, comment: Comment, action: str = "created") -> Json:
    """`pull_request_review_comment`: somebody wrote on lines of a pull request."""
    return {
        "action": action,
        "comment": hub.shapes.review_comment(comment),
        "pull_request": hub.shapes.pull(hub.world.issues[comment.number], whole=False),
        **_rest(hub, comment.author),
    }


def label_event(hub: Standin, number: int, label: str, sender: str = "ann") -> Json:
    """`issues`, action `labeled`: somebody put a label on."""
    return {
        "action": "labeled",
        "issue": hub.shapes.issue(hub.world.issues[number]),
        "label": hub.shapes.label(hub.world.label(label)),
        **_rest(hub, hub.account(sender)),
    }


def run_event(hub: Standin, run: Run) -> Json:
    """`workflow_run`, action `completed`: a run of a workflow ended."""
    return {
        "action": "completed",
        "workflow_run": hub.shapes.run(run),
        "workflow": {"id": 161335, "name": run.name, "path": run.path, "state": "active"},
        **_rest(hub, run.triggering),
    }


def dispatch_event(hub: Standin, inputs: Json, sender: str = "ann", branch: str = "main") -> Json:
    """`workflow_dispatch`: somebody started a workflow by hand."""
    return {
        "inputs": inputs,
        "ref": f"refs/heads/{branch}",
        "workflow": ".github/workflows/agent.yml",
        **_rest(hub, hub.account(sender)),
    }


def schedule_event(hub: Standin) -> Json:
    """`schedule`: it is time."""
    return {
        "schedule": "0 4 * * *",
        "workflow": ".github/workflows/agent.yml",
        **_rest(hub, hub.account(hub.world.owner)),
    }


def _rest(hub: Standin, sender: Account | None) -> Json:
    return {"repository": hub.shapes.repository(), "sender": hub.shapes.account(sender)}
