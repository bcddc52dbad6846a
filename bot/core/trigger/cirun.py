"""Which finished CI runs are about a failed check of the commit that they name."""

from collections.abc import Mapping

from bot.core import escape
from bot.core.trigger.trigger import CiRun

CAUSES = frozenset({"push", "pull_request", "schedule", "workflow_dispatch"})
"""Events whose CI runs are about the commit that they name, and not about one that a stranger chose."""

_ENDS: Mapping[str, str] = {
    "success": "every job passed",
    "timed_out": "it ran out of time, which is no failed check",
    "startup_failure": "its workflow file could not be started",
    "cancelled": "somebody or something ended it",
    "action_required": "it waits for a maintainer to let it run",
}


def find_unfit(run: CiRun, workflow: str, name: str) -> tuple[str, str] | None:
    """Tell why a CI run is nothing to mend, as a short word and a text; None when it is.

    `workflow` is the path of our own, or OWNER/NAME/PATH@REF, and `name` its name: we never answer to ourselves.
    """
    if (run.path and _path(run.path) == _path(workflow)) or (run.name and run.name == name):
        return "own-workflow", "it is a run of our own workflow"
    if run.conclusion != "failure":
        why = _ENDS.get(run.conclusion, f"it ended as {escape.line(run.conclusion, 40)!r}")
        return "not-failed", f"the CI run has no failed check: {why}"
    if run.cause not in CAUSES:
        return "cause", f"CI that {escape.line(run.cause, 40)!r} started is not about its own commit"
    return None


def _path(workflow: str) -> str:
    """Return the path of a workflow's file, whatever is told around it."""
    path = workflow.partition("@")[0]
    return path[path.find(".github/") :] if ".github/" in path else path
