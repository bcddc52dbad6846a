"""The graph interface, held against GitHub's own schema of it."""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from tests.hub.calls import Call, Refused
from tests.hub.world import Comment, Issue, stamp

if TYPE_CHECKING:
    from graphql import GraphQLSchema

Json: TypeAlias = Any
FILE = Path(__file__).parents[1] / "contract/github.graphql"


@cache
def schema() -> "GraphQLSchema":
    """Read the schema; once."""
    from graphql import build_schema  # noqa: PLC0415 - it takes as long to load as all the rest

    return build_schema(FILE.read_text())


class Refusal(Exception):
    """An error in GitHub's manner: its type stands beside the message."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def run(call: Call) -> tuple[Json, list[str]]:
    """Answer a query; return the answer and what the schema says against the query."""
    from graphql import graphql_sync  # noqa: PLC0415

    told = call.body if isinstance(call.body, dict) else {}
    done = graphql_sync(schema(), told.get("query") or "", Root(call), variable_values=told.get("variables"))
    faults, errors = [], []
    for error in done.errors or ():
        original = error.original_error
        if isinstance(original, Refusal):
            errors.append({"type": original.kind, "path": error.path, "message": original.args[0]})
        else:
            faults.append(f"graphql: {error.message}")
            errors.append({"message": error.message})
    value = {"data": done.data} if done.data is not None or not faults else {}
    return ({**value, "errors": errors} if errors else value), faults


class Root:
    """What queries and changes begin with."""

    def __init__(self, call: Call) -> None:
        self.call = call
        self.id = "Q"

    def viewer(self, _: Any) -> Json:
        """Who asks."""
        account = self.call.token.account
        return {"login": account.login, "id": f"U_{account.id}", "databaseId": account.id}

    def repository(self, _: Any, owner: str, name: str, **_others: Json) -> Json:
        """The repository."""
        world = self.call.world
        if f"{owner}/{name}".lower() != world.full_name.lower():
            raise Refusal("NOT_FOUND", f"Could not resolve to a Repository with the name '{owner}/{name}'.")
        return {
            "id": self.call.shapes.node("R", world.id),
            "databaseId": world.id,
            "nameWithOwner": world.full_name,
            "isPrivate": world.settings.private,
            "viewerPermission": None,
            "issue": self._issue,
            "pullRequest": self._pull,
        }

    def node(self, _: Any, id: str) -> Json:  # noqa: A002
        """Anything by its id."""
        return self._found(id)

    def markPullRequestReadyForReview(self, _: Any, input: Json) -> Json:  # noqa: A002, N802
        """A draft is none any more."""
        return self._set_draft(input, draft=False)

    def convertPullRequestToDraft(self, _: Any, input: Json) -> Json:  # noqa: A002, N802
        """A pull request is a draft again."""
        return self._set_draft(input, draft=True)

    def minimizeComment(self, _: Any, input: Json) -> Json:  # noqa: A002, N802
        """A comment is folded."""
        for comment in self.call.world.comments.values():
            if self.call.shapes.node("IC", comment.id) == input["subjectId"]:
                self._demand("issues=write; pull_requests=write")
                comment.minimized = input["classifier"]
                return {"minimizedComment": self._comment(comment), "clientMutationId": None}
        raise Refusal("NOT_FOUND", f"Could not resolve to a node with the global id of '{input['subjectId']}'.")

    def _set_draft(self, given: Json, *, draft: bool) -> Json:
        wanted = given["pullRequestId"]
        issue = next((entry for entry in self._pulls() if self.call.shapes.node("PR", entry.number) == wanted), None)
        if issue is None or issue.pull is None:
            raise Refusal("NOT_FOUND", f"Could not resolve to a node with the global id of '{wanted}'.")
        self._demand("pull_requests=write")
        issue.pull.draft = draft
        return {"pullRequest": self._words(issue), "clientMutationId": given.get("clientMutationId")}

    def _demand(self, wanted: str) -> None:
        try:
            self.call.demand(wanted)
        except Refused as refused:
            raise Refusal("FORBIDDEN", refused.answer.value["message"]) from None

    def _pulls(self) -> list[Issue]:
        return [entry for entry in self.call.world.issues.values() if entry.pull]

    def _issue(self, _: Any, number: int) -> Json:
        found = self.call.world.issues.get(number)
        if found is None or found.pull:
            raise Refusal("NOT_FOUND", f"Could not resolve to an Issue with the number of {number}.")
        return self._words(found)

    def _pull(self, _: Any, number: int) -> Json:
        found = self.call.world.issues.get(number)
        if found is None or found.pull is None:
            raise Refusal("NOT_FOUND", f"Could not resolve to a PullRequest with the number of {number}.")
        return self._words(found)

    def _found(self, node: str) -> Json:
        shapes = self.call.shapes
        for issue in self.call.world.issues.values():
            if node == shapes.node("PR" if issue.pull else "I", issue.number):
                return self._words(issue)
        for comment in self.call.world.comments.values():
            if node == shapes.node("IC", comment.id):
                return self._comment(comment)
        raise Refusal("NOT_FOUND", f"Could not resolve to a node with the global id of '{node}'.")

    def _words(self, issue: Issue) -> Json:
        shapes, pull = self.call.shapes, issue.pull
        made = {
            "__typename": "PullRequest" if pull else "Issue",
            "id": shapes.node("PR" if pull else "I", issue.number),
            "number": issue.number,
            "title": issue.title,
            "body": issue.body or "",
            "state": "OPEN" if issue.open else "MERGED" if pull and pull.merged else "CLOSED",
            "url": shapes.issue_page(issue),
            "createdAt": stamp(issue.created),
            "updatedAt": stamp(issue.updated),
            "lastEditedAt": None,
        }
        if pull:
            made |= {"isDraft": pull.draft, "merged": pull.merged, "headRefName": pull.head_ref,
                     "headRefOid": pull.head_sha, "baseRefName": pull.base_ref,
                     "baseRefOid": pull.base_sha}  # fmt: skip
        return made

    def _comment(self, comment: Comment) -> Json:
        edited = stamp(comment.updated) if comment.updated != comment.created else None
        return {
            "__typename": "IssueComment",
            "id": self.call.shapes.node("IC", comment.id),
            "databaseId": comment.id,
            "body": comment.body,
            "url": self.call.shapes.comment(comment)["html_url"],
            "createdAt": stamp(comment.created),
            "updatedAt": stamp(comment.updated),
            "lastEditedAt": edited,
            "isMinimized": bool(comment.minimized),
            "minimizedReason": comment.minimized.lower() or None,
        }
