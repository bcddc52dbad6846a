"""Requests to the stand-in without any client of ours."""

import base64
import http.client
import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from tests.conftest import Repo
from tests.hub.standin import WRITE_TOKEN, Standin

Json: TypeAlias = Any


@dataclass(frozen=True)
class Told:
    """An answer."""

    status: int
    value: Json
    headers: Mapping[str, str]
    """By name in lower case."""

    @property
    def words(self) -> str:
        """What is wrong, from wherever GitHub says it."""
        errors = self.value.get("errors", []) if isinstance(self.value, dict) else []
        return " ".join([self.value["message"], *(str(entry.get("message", entry["code"])) for entry in errors)])


def ask(
    hub: Standin, method: str, path: str, body: Json = None, *, token: str = WRITE_TOKEN,
    headers: Mapping[str, str] | None = None,
) -> Told:  # fmt: skip
    """Ask about the repository; a path that begins with two slashes is taken from the root of the interface."""
    url = (
        path
        if path.startswith("http")
        else hub.api + (path[1:] if path[:2] == "//" else f"/repos/{hub.full_name}{path}")
    )
    parts = urlsplit(url)
    sent = {"User-Agent": "test", **({"Authorization": f"Bearer {token}"} if token else {}), **(headers or {})}
    with_query = f"{parts.path}?{parts.query}" if parts.query else parts.path
    connection = http.client.HTTPConnection(parts.netloc, timeout=20)
    try:
        connection.request(method, with_query, None if body is None else json.dumps(body), sent)
        answer = connection.getresponse()
        text = answer.read()
    finally:
        connection.close()
    kind = answer.headers.get("Content-Type", "")
    value = json.loads(text) if "json" in kind and text else text.decode()
    return Told(answer.status, value, {name.lower(): told for name, told in answer.headers.items()})


def graph(hub: Standin, query: str, **variables: Json) -> Told:
    """Ask the graph interface."""
    return ask(hub, "POST", hub.graph, {"query": query, "variables": variables})


def push(hub: Standin, repo: Repo, *specs: str, token: str = WRITE_TOKEN) -> "subprocess.CompletedProcess[str]":
    """Push as a workflow would; return what git said, on both outputs, in the order of its lines."""
    secret = base64.b64encode(f"x-access-token:{token}".encode()).decode()
    settings = {"http.extraheader": f"Authorization: Basic {secret}"} if token else {}
    return subprocess.run(
        ["git", "push", "--porcelain", hub.clone_url, *specs],
        cwd=repo.path,
        env=_environment(settings),
        capture_output=True,
        text=True,
        check=False,
    )


def _environment(settings: Mapping[str, str]) -> dict[str, str]:
    made = {"PATH": "/usr/local/bin:/usr/bin:/bin", "GIT_TERMINAL_PROMPT": "0", "GIT_CONFIG_NOSYSTEM": "1"}
    made |= {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_COUNT": str(len(settings))}
    for index, (name, value) in enumerate(settings.items()):
        made |= {f"GIT_CONFIG_KEY_{index}": name, f"GIT_CONFIG_VALUE_{index}": value}
    return made
