"""Make github.json.gz from GitHub's OpenAPI description, as npm has it: what we speak, and its schemas.

    npm install --prefix /tmp/openapi @octokit/openapi@23.0.2 @octokit/graphql-schema@15.26.1 \
        --ignore-scripts --no-audit --no-fund
    python -m tests.hub.contract.make /tmp/openapi/node_modules
"""

import gzip
import json
import sys
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, TypeAlias

from graphql import (
    ConstDirectiveNode,
    DirectiveNode,
    FieldDefinitionNode,
    NamedTypeNode,
    Node,
    TypeDefinitionNode,
    parse,
    print_ast,
)

HERE = Path(__file__).parent
Tree: TypeAlias = dict[str, Any]
REPOSITORY = "/repos/{owner}/{repo}"
OPERATIONS = {
    "/user": "get",
    "/users/{username}": "get",
    "/rate_limit": "get",
    REPOSITORY: "get",
    **{
        REPOSITORY + path: methods
        for path, methods in {
            "/actions/jobs/{job_id}": "get",
            "/actions/jobs/{job_id}/logs": "get",
            "/actions/runs": "get",
            "/actions/runs/{run_id}": "get",
            "/actions/runs/{run_id}/artifacts": "get",
            "/actions/runs/{run_id}/attempts/{attempt_number}": "get",
            "/actions/runs/{run_id}/attempts/{attempt_number}/jobs": "get",
            "/actions/runs/{run_id}/jobs": "get",
            "/actions/workflows": "get",
            "/actions/workflows/{workflow_id}": "get",
            "/actions/workflows/{workflow_id}/dispatches": "post",
            "/activity": "get",
            "/branches": "get",
            "/branches/{branch}": "get",
            "/check-runs": "post",
            "/check-runs/{check_run_id}": "get patch",
            "/check-runs/{check_run_id}/annotations": "get",
            "/collaborators/{username}": "get",
            "/collaborators/{username}/permission": "get",
            "/commits": "get",
            "/commits/{commit_sha}/pulls": "get",
            "/commits/{ref}": "get",
            "/commits/{ref}/check-runs": "get",
            "/commits/{ref}/status": "get",
            "/compare/{basehead}": "get",
            "/contents/{path}": "get",
            "/git/commits/{commit_sha}": "get",
            "/git/matching-refs/{ref}": "get",
            "/git/ref/{ref}": "get",
            "/git/refs": "post",
            "/git/refs/{ref}": "patch delete",
            "/issues": "get post",
            "/issues/comments": "get",
            "/issues/comments/{comment_id}": "get patch delete",
            "/issues/comments/{comment_id}/reactions": "get post",
            "/issues/comments/{comment_id}/reactions/{reaction_id}": "delete",
            "/issues/{issue_number}": "get patch",
            "/issues/{issue_number}/comments": "get post",
            "/issues/{issue_number}/events": "get",
            "/issues/{issue_number}/labels": "get post put",
            "/issues/{issue_number}/labels/{name}": "delete",
            "/issues/{issue_number}/reactions": "get post",
            "/issues/{issue_number}/reactions/{reaction_id}": "delete",
            "/labels": "get post",
            "/labels/{name}": "get",
            "/pulls": "get post",
            "/pulls/comments/{comment_id}": "get",
            "/pulls/comments/{comment_id}/reactions": "get post",
            "/pulls/{pull_number}": "get patch",
            "/pulls/{pull_number}/comments": "get",
            "/pulls/{pull_number}/comments/{comment_id}/replies": "post",
            "/pulls/{pull_number}/commits": "get",
            "/pulls/{pull_number}/files": "get",
            "/pulls/{pull_number}/requested_reviewers": "post",
            "/pulls/{pull_number}/reviews": "get",
            "/rules/branches/{branch}": "get",
            "/statuses/{sha}": "post",
        }.items()
    },
}
"""Path to its methods."""
NOISE = {"description", "summary", "example", "examples", "externalDocs", "title", "deprecated", "discriminator"}
GRAPH_FIELDS = {
    "Query": {"id", "node", "repository", "viewer"},
    "Mutation": {"markPullRequestReadyForReview", "convertPullRequestToDraft", "minimizeComment"},
    "MarkPullRequestReadyForReviewPayload": {"clientMutationId", "pullRequest"},
    "ConvertPullRequestToDraftPayload": {"clientMutationId", "pullRequest"},
    "MinimizeCommentPayload": {"clientMutationId", "minimizedComment"},
    "Minimizable": {"isMinimized", "minimizedReason"},
    "Repository": {"id", "databaseId", "nameWithOwner", "isPrivate", "issue", "pullRequest", "viewerPermission"},
    "Issue": {"id", "number", "title", "body", "state", "url", "lastEditedAt", "createdAt", "updatedAt"},
    "IssueComment": {
        "id", "databaseId", "body", "url", "lastEditedAt", "createdAt", "updatedAt", "isMinimized", "minimizedReason",
    },
    "PullRequest": {
        "id", "number", "title", "body", "state", "url", "isDraft", "merged", "headRefName", "headRefOid",
        "baseRefName", "baseRefOid", "lastEditedAt", "createdAt", "updatedAt",
    },
    "Node": {"id"},
    "User": {"id", "login", "databaseId"},
}  # fmt: skip
"""Of GitHub's graph: types and the fields of them that the stand-in answers; enums, scalars and inputs come whole."""


def main(modules: Path) -> None:
    """Write both files from what npm installed."""
    text = (modules / "@octokit/openapi/generated/api.github.com.json").read_text()
    whole: Tree = json.loads(text)
    version = json.loads((modules / "@octokit/openapi/package.json").read_text())["version"]
    made = {"source": f"@octokit/openapi {version}, MIT, see LICENSE", **subset(whole)}
    packed = json.dumps(made, separators=(",", ":"), sort_keys=True).encode()
    (HERE / "github.json.gz").write_bytes(gzip.compress(packed, mtime=0))
    (HERE / "LICENSE").write_text((modules / "@octokit/openapi/LICENSE").read_text())
    (HERE / "github.graphql").write_text(graph(modules))


def subset(whole: Tree) -> Tree:
    """Return the chosen operations and what they refer to, in the words of JSON Schema."""
    paths = {
        path: {method: operation(whole, path, method) for method in methods.split()}
        for path, methods in OPERATIONS.items()
    }
    schemas: Tree = {}
    wanted = list(references(paths))
    while wanted:
        name = wanted.pop()
        if name not in schemas:
            schemas[name] = plain(whole["components"]["schemas"][name])
            wanted += references(schemas[name])
    return {"paths": paths, "components": {"schemas": schemas}}


def operation(whole: Tree, path: str, method: str) -> Tree:
    """Return one operation: its parameters, what its body may be, and what its answers look like."""
    found = whole["paths"][path][method]
    parameters = [resolve(whole, entry) for entry in found.get("parameters", [])]
    body = resolve(whole, found.get("requestBody", {}))
    return {
        "parameters": {
            entry["name"]: {
                "in": entry["in"],
                "required": entry.get("required", False),
                "schema": plain(entry["schema"]),
            }
            for entry in parameters
            if entry["in"] in ("path", "query")
        },
        "body": plain(body.get("content", {}).get("application/json", {}).get("schema")) if body else None,
        "demanded": body.get("required", False),
        "answers": {status: answer(resolve(whole, entry)) for status, entry in found["responses"].items()},
        "categories": found.get("x-github", {}).get("category", ""),
    }


def answer(response: Tree) -> Any:
    """Return the schema of an answer; None for one without a body."""
    content = response.get("content", {})
    return plain(content["application/json"].get("schema")) if "application/json" in content else None


def resolve(whole: Tree, entry: Tree) -> Tree:
    """Follow a reference to another part than a schema."""
    if "$ref" not in entry:
        return entry
    _, _, kind, name = entry["$ref"].split("/")
    found: Tree = whole["components"][kind][name]
    return resolve(whole, found)


def plain(schema: Any) -> Any:
    """Return a schema without prose, and with `nullable` said as JSON Schema says it."""
    if isinstance(schema, list):
        return [plain(entry) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: value for key, value in schema.items() if key not in NOISE and not key.startswith("x-")}
    made = {key: named(value) if key == "properties" else plain(value) for key, value in kept.items()}
    nullable = made.pop("nullable", False)
    return nulled(made) if nullable else made


def named(properties: Tree) -> Tree:
    """Return properties, whose names may be the words that are noise elsewhere."""
    return {name: plain(value) for name, value in properties.items()}


def nulled(schema: Tree) -> Tree:
    """Return a schema that takes null as well."""
    if "enum" in schema and None not in schema["enum"]:
        schema = {**schema, "enum": [*schema["enum"], None]}
    if isinstance(schema.get("type"), str):
        return {**schema, "type": [schema["type"], "null"]}
    return {"anyOf": [schema, {"type": "null"}]}


def references(tree: Any) -> Iterator[str]:
    """Yield the names of all schemas that a tree refers to."""
    if isinstance(tree, dict):
        for key, value in tree.items():
            if key == "$ref" and isinstance(value, str):
                yield value.removeprefix("#/components/schemas/")
            else:
                yield from references(value)
    elif isinstance(tree, list):
        for entry in tree:
            yield from references(entry)


def graph(modules: Path) -> str:
    """Return the chosen part of the graph's schema."""
    folder = modules / "@octokit/graphql-schema"
    version = json.loads((folder / "package.json").read_text())["version"]
    whole = parse((folder / "schema.graphql").read_text(), no_location=True)
    types = {node.name.value: node for node in whole.definitions if isinstance(node, TypeDefinitionNode)}
    wanted, kept = list(GRAPH_FIELDS), dict[str, str]()
    while wanted:
        name = wanted.pop()
        if name in types and name not in kept:
            made = trimmed(types[name], GRAPH_FIELDS.get(name))
            kept[name] = print_ast(made)
            wanted += needs(made)
    head = f"# @octokit/graphql-schema {version}, MIT, see LICENSE; made by make.py\n\n"
    return head + "\n\n".join(kept[name] for name in sorted(kept)) + "\n"


def trimmed(node: Any, chosen: set[str] | None) -> Any:
    """Return a type without prose and directives, and with the chosen fields alone."""
    if isinstance(node, tuple):
        return tuple(trimmed(entry, chosen) for entry in node if ours(entry, chosen))
    if not isinstance(node, Node):
        return node
    parts = {entry.name: getattr(node, entry.name) for entry in fields(node) if entry.init}
    return replace(
        node, **{name: None if name == "description" else trimmed(value, chosen) for name, value in parts.items()}
    )


def ours(node: Any, chosen: set[str] | None) -> bool:
    """Tell whether a part of a type is to be kept."""
    if isinstance(node, FieldDefinitionNode):
        return chosen is None or node.name.value in chosen
    if isinstance(node, NamedTypeNode):
        return node.name.value in GRAPH_FIELDS
    return not isinstance(node, DirectiveNode | ConstDirectiveNode)


def needs(node: Any) -> Iterator[str]:
    """Yield the names of the types that a type refers to."""
    if isinstance(node, NamedTypeNode):
        yield node.name.value
    for part in node if isinstance(node, tuple) else (getattr(node, entry.name) for entry in fields(node)):
        if isinstance(part, Node | tuple):
            yield from needs(part)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
