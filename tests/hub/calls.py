"""One request to the interface, and what may answer it."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import urlencode

from tests.hub.shapes import Shapes
from tests.hub.world import ROLES, Issue, Token, World

Json: TypeAlias = Any
REPOSITORY = "/repos/{owner}/{repo}"
LONGEST_BODY = 65_536
"""Characters of a comment or of the text of an issue."""
DOCUMENTATION = "https://docs.github.com/rest"


class Answer(NamedTuple):
    """An answer of the interface."""

    status: int
    value: Json = None
    headers: tuple[tuple[str, str], ...] = ()


class Refused(Exception):
    """A request that GitHub does not do."""

    def __init__(self, status: int, message: str, errors: Json = None, headers: Sequence[tuple[str, str]] = ()) -> None:
        super().__init__(message)
        self.answer = Answer(status, refusal(status, message, errors), tuple(headers))


@dataclass(frozen=True)
class Call:
    """A request that the contract knows, from a token that may see the repository."""

    world: World
    token: Token
    method: str
    path: str
    params: dict[str, str]
    query: dict[str, str]
    body: Json
    api: str
    """Root of the interface."""
    server: str
    """Root of the pages that a person sees."""
    logs: str
    """Root of the place where logs lie."""

    @property
    def shapes(self) -> Shapes:
        """Values in the words of GitHub."""
        return Shapes(self.world, self.api, self.server)

    def number(self, name: str) -> int:
        """Return a number in the path."""
        return int(self.params[name])

    def issue(self, name: str = "issue_number") -> Issue:
        """Return the issue in the path."""
        found = self.world.issues.get(self.number(name))
        if found is None or (name == "pull_number" and found.pull is None):
            raise Refused(404, "Not Found")
        return found

    def listing(self, items: Sequence[Json], shape: Callable[[Any], Json], key: str = "") -> Answer:
        """Return one page, and where the others are."""
        page, size = int(self.query.get("page", 1)), min(int(self.query.get("per_page", 30)), 100)
        chosen = [shape(entry) for entry in items[(page - 1) * size : page * size]]
        last = max(1, -(-len(items) // size))
        value = {"total_count": len(items), key: chosen} if key else chosen
        return Answer(200, value, self._links(page, last))

    def since(self, items: Sequence[Json]) -> list[Json]:
        """Return what was touched since the moment that the query names."""
        told = self.query.get("since")
        moment = datetime.fromisoformat(told).timestamp() if told else 0.0
        return [entry for entry in items if entry.updated >= moment]

    def _links(self, page: int, last: int) -> tuple[tuple[str, str], ...]:
        wanted: dict[str, int] = {}
        if page > 1:
            wanted |= {"prev": page - 1, "first": 1}
        if page < last:
            wanted |= {"next": page + 1, "last": last}
        path = re.sub(r"^/repos/[^/]+/[^/]+", f"/repositories/{self.world.id}", self.path)
        links = ", ".join(
            f'<{self.api}{path}?{urlencode({**self.query, "page": number})}>; rel="{name}"'
            for name, number in wanted.items()
        )
        return (("Link", links),) if links else ()

    def demand(self, wanted: str) -> None:
        """Refuse what the token may not do; `wanted` as GitHub says it: `issues=write; pull_requests=write`."""
        if not any(self._has(choice) for choice in wanted.split("; ")):
            kind = "integration" if self.token.installation else "personal access token"
            headers = [("X-Accepted-GitHub-Permissions", wanted)]
            raise Refused(403, f"Resource not accessible by {kind}", headers=headers)

    def _has(self, choice: str) -> bool:
        area, _, level = choice.partition("=")
        if area == "metadata":
            return True
        permissions = self.token.permissions
        if permissions is not None:
            granted = permissions.get(area, "none")
            open_to_all = level == "read" and not self.world.settings.private and area != "actions"
            if granted not in (level, "write") and not open_to_all:
                return False
        return self.token.installation or self._person_may(area, level)

    def _person_may(self, area: str, level: str) -> bool:
        permission = ROLES[self.world.role(self.token.account.login)[0]]
        needed = (
            ("admin", "write")
            if level == "write" and area not in ("issues", "pull_requests")
            else ("admin", "write", "read")
        )
        return permission in needed


Handler: TypeAlias = Callable[[Call], Answer]


class Route(NamedTuple):
    """What answers an operation, and what it asks of a token."""

    handler: Handler
    wanted: str


ROUTES: dict[tuple[str, str], Route] = {}


def route(method: str, path: str, wanted: str = "") -> Callable[[Handler], Handler]:
    """Register what answers a method of a path of the repository; an absolute path begins with two slashes."""
    template = path[1:] if path.startswith("//") else REPOSITORY + path

    def register(handler: Handler) -> Handler:
        ROUTES[method, template] = Route(handler, wanted)
        return handler

    return register


def refusal(status: int, message: str, errors: Json = None) -> Json:
    """Return what GitHub says when it does not do something."""
    told = {"message": message, "documentation_url": DOCUMENTATION, "status": str(status)}
    return told if errors is None else {"message": message, "errors": errors, **told}


def invalid(resource: str, field_name: str, code: str = "invalid", message: str = "") -> Refused:
    """Return a failed validation of one field."""
    told = {"resource": resource, "code": code, "field": field_name}
    return Refused(422, "Validation Failed", [{**told, "message": message} if message else told])


def check_text(resource: str, name: str, text: str | None, longest: int = LONGEST_BODY) -> None:
    """Refuse a text that is too long; counted in characters."""
    if text is not None and len(text) > longest:
        raise invalid(resource, name, "custom", f"{name} is too long (maximum is {longest} characters)")
