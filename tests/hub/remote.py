"""Git over HTTP: the real git-http-backend, and in front of it what GitHub refuses."""

import base64
import binascii
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.hub.store import Store
from tests.hub.world import ROLES, Token, World

PATH = re.compile(
    r"/(?P<name>[^/]+/[^/]+?)(?:\.git)?/(?P<rest>info/refs|git-upload-pack|git-receive-pack|HEAD|objects/.*)"
)
WRITES = "git-receive-pack"
APP_WORKFLOWS = "a GitHub App|`workflows` permission"
PERSON_WORKFLOWS = "a Personal Access Token|`workflow` scope"
"""Who is refused, and what is missing."""


class Reply(NamedTuple):
    """What is sent back."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


@dataclass(frozen=True)
class GitRequest:
    """One request of git."""

    method: str
    path: str
    query: str
    headers: dict[str, str]
    body: bytes

    @property
    def writes(self) -> bool:
        """Whether it is part of a push."""
        return self.path.endswith(WRITES) or f"service={WRITES}" in self.query


def is_git(path: str) -> bool:
    """Tell whether a path is git's."""
    return PATH.fullmatch(path) is not None


def credential(headers: dict[str, str]) -> str | None:
    """Return the password of a Basic credential; None for no credential at all."""
    kind, _, text = headers.get("authorization", "").partition(" ")
    if not kind:
        return None
    try:
        decoded = base64.b64decode(text, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return ""
    return decoded.partition(":")[2] if kind.lower() == "basic" else ""


def answer(world: World, request: GitRequest) -> Reply:
    """Let git in, or refuse as GitHub does."""
    match = PATH.fullmatch(request.path)
    assert match
    name = match["name"]
    if name.lower() in world.former:
        return _moved(world, request, match["rest"])
    store = world.store if name.lower() == world.full_name.lower() else world.forks.get(name)
    token = world.tokens.get(credential(request.headers) or "")
    refused = refuse(world, request, token, store)
    if refused is not None or store is None:
        return refused or _plain(404, "Repository not found.")
    return serve(world, request, store, token, match["rest"])


def refuse(world: World, request: GitRequest, token: Token | None, store: Store | None) -> Reply | None:
    """Return the refusal of a request by who sends it."""
    if token is None:
        public = store is not None and not world.settings.private and not request.writes
        if public and credential(request.headers) is None:
            return None
        return _plain(401, "Invalid username or token. Password authentication is not supported for Git operations.")
    if store is None or not may(world, token, "read"):
        return _plain(404, "Repository not found.")
    if request.writes and not (store == world.store and may(world, token, "write")):
        return _plain(403, f"Permission to {world.full_name}.git denied to {token.account.login}.")
    if request.writes and world.settings.archived:
        return _plain(403, "This repository was archived so it is read-only.")
    return None


def may(world: World, token: Token, level: str) -> bool:
    """Tell whether a token may read or write content."""
    if token.permissions is not None:
        granted = token.permissions.get("contents", "none")
        allowed = granted in ("write", level) or (level == "read" and not world.settings.private)
        if token.installation or not allowed:
            return allowed
    permission = ROLES[world.role(token.account.login)[0]]
    return permission in ("admin", "write") or (level == "read" and permission == "read")


def serve(world: World, request: GitRequest, store: Store, token: Token | None, rest: str) -> Reply:
    """Run git-http-backend."""
    with tempfile.TemporaryDirectory() as folder:
        reasons = Path(folder) / "reasons"
        environment = _environment(request, store, rest) | (_policy(world, token, reasons) if request.writes else {})
        done = subprocess.run([backend()], input=request.body, env=environment, capture_output=True, check=False)
        said = reasons.read_text() if reasons.exists() else ""
    head, _, body = done.stdout.partition(b"\r\n\r\n")
    headers = [tuple(line.split(": ", 1)) for line in head.decode().split("\r\n") if ": " in line]
    status = next((int(value.split()[0]) for name, value in headers if name == "Status"), 200)
    kept = tuple((name, value) for name, value in headers if name != "Status")
    if said:
        body = reworded(body, dict(line.split("\t", 1) for line in said.splitlines()))
    return Reply(status if head else 500, kept, body)


@cache
def backend() -> str:
    """Return where git has its server."""
    folder = subprocess.run(["git", "--exec-path"], capture_output=True, text=True, check=True).stdout.strip()
    return f"{folder}/git-http-backend"


def reworded(body: bytes, reasons: dict[str, str]) -> bytes:
    """Say why each ref was refused: git itself has one reason for all that a hook refuses."""
    made = b"".join(
        _packet(b"\x01" + _reworded_report(line[1:], reasons)) if line[:1] == b"\x01" else _packet(line)
        for line in _packets(body)
    )
    return made + b"0000"


def _reworded_report(report: bytes, reasons: dict[str, str]) -> bytes:
    lines = []
    for line in _packets(report):
        told = re.fullmatch(rb"ng (\S+) pre-receive hook declined\n", line)
        reason = reasons.get(told[1].decode(), "pre-receive hook declined") if told else ""
        lines.append(_packet(b"ng %s %s\n" % (told[1], reason.encode()) if told else line))
    return b"".join(lines) + b"0000"


def _packets(data: bytes) -> Iterator[bytes]:
    while data:
        size = int(data[:4], 16)
        if size:
            yield data[4:size]
        data = data[max(size, 4) :]


def _packet(line: bytes) -> bytes:
    return b"%04x" % (len(line) + 4) + line


def _environment(request: GitRequest, store: Store, rest: str) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "safe.directory",
        "GIT_CONFIG_VALUE_0": "*",
        "GIT_PROJECT_ROOT": str(store.path),
        "GIT_HTTP_EXPORT_ALL": "1",
        "REMOTE_USER": "hub",
        "PATH_INFO": f"/{rest}",
        "REQUEST_METHOD": request.method,
        "QUERY_STRING": request.query,
        "CONTENT_TYPE": request.headers.get("content-type", ""),
        "CONTENT_LENGTH": str(len(request.body)),
        "HTTP_CONTENT_ENCODING": request.headers.get("content-encoding", ""),
        "GIT_PROTOCOL": request.headers.get("git-protocol", ""),
    }


def _policy(world: World, token: Token | None, reasons: Path) -> dict[str, str]:
    free = token is not None and (token.permissions or {"workflows": "write"}).get("workflows") == "write"
    words = APP_WORKFLOWS if token is None or token.installation else PERSON_WORKFLOWS
    return {
        "HUB_REASONS": str(reasons),
        "HUB_PROTECTED": "\n".join(f"refs/heads/{name}" for name in sorted(world.settings.protected)),
        "HUB_LARGEST": str(world.settings.largest_file),
        "HUB_NO_WORKFLOWS": "" if free else words,
    }


def _plain(status: int, text: str) -> Reply:
    headers = [("Content-Type", "text/plain")]
    if status == 401:
        headers.append(("WWW-Authenticate", 'Basic realm="GitHub"'))
    return Reply(status, tuple(headers), text.encode())


def _moved(world: World, request: GitRequest, rest: str) -> Reply:
    query = f"?{request.query}" if request.query else ""
    return Reply(301, (("Location", f"/{world.full_name}.git/{rest}{query}"),), b"")
