"""Two implementations of GitHub for the same scenarios: our stand-in, and `emulate`, which others wrote."""

import base64
import itertools
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeAlias

from bot.forge.github.client import GitHub
from bot.forge.github.patience import Patience
from tests.hub.standin import WRITE_TOKEN, Standin

Json: TypeAlias = Any
MODULES = Path(os.environ.get("EMULATE_MODULES") or f"{sys.prefix}/share/emulate/node_modules")
"""Where npm put it: `npm install --prefix .venv/share/emulate emulate@0.11.2 --ignore-scripts`."""
SEED = """
tokens:
  write: {login: ann, scopes: [repo, user]}
github:
  users: [{login: ann}, {login: bob}, {login: eve}]
  repos: [{owner: ann, name: widgets, auto_init: true}]
"""
HURRY = Patience(attempts=2, first=0.0, waiting=5.0, connect=5.0, read=5.0)


class Stage(ABC):
    """A repository `ann/widgets`, in which ann is the owner, bob may write, and eve may nothing."""

    name: str
    github: GitHub
    numbers: "itertools.count[int]"

    @abstractmethod
    def issue(self, title: str, body: str = "") -> int:
        """Open an issue as ann."""

    @abstractmethod
    def comment(self, number: int, body: str) -> None:
        """Comment as ann."""

    @abstractmethod
    def branch(self) -> str:
        """Make a branch with a commit that `main` has not."""

    @abstractmethod
    def label(self, name: str) -> None:
        """Make a label."""


class Ours(Stage):
    """The stand-in."""

    name = "stand-in"

    def __init__(self, hub: Standin) -> None:
        self.hub = hub
        hub.allow("bob", "write")
        hub.account("eve")
        self.numbers = itertools.count(1)
        self.github = GitHub(hub.api, WRITE_TOKEN, hub.full_name, server_url=hub.server, patience=HURRY)

    def issue(self, title: str, body: str = "") -> int:
        """Open an issue as ann."""
        return self.hub.issue(title, body).number

    def comment(self, number: int, body: str) -> None:
        """Comment as ann."""
        self.hub.comment(number, body)

    def branch(self) -> str:
        """Make a branch with a commit that `main` has not."""
        name, git = f"agent/{next(self.numbers)}", self.hub.git
        made = git.git("commit-tree", "-p", "main", "-m", name, "main^{tree}")
        git.git("update-ref", f"refs/heads/{name}", made)
        return name

    def label(self, name: str) -> None:
        """Make a label."""
        self.hub.world.label(name)


class Emulated(Stage):
    """`emulate`, prepared through its own interface."""

    name = "emulate"

    def __init__(self, url: str) -> None:
        self.url = f"{url}/repos/ann/widgets"
        self.numbers = itertools.count(1)
        self.github = GitHub(url, "write", "ann/widgets", patience=HURRY)
        self.ask("PUT", "/collaborators/bob", {"permission": "push"})

    def ask(self, method: str, path: str, body: Mapping[str, Json]) -> Json:
        """Send what prepares a scenario."""
        headers = {"Authorization": "Bearer write", "Content-Type": "application/json"}
        asked = urllib.request.Request(self.url + path, json.dumps(body).encode(), headers, method=method)
        with urllib.request.urlopen(asked, timeout=10) as answer:
            return json.loads(answer.read() or b"null")

    def issue(self, title: str, body: str = "") -> int:
        """Open an issue as ann."""
        return int(self.ask("POST", "/issues", {"title": title, "body": body})["number"])

    def comment(self, number: int, body: str) -> None:
        """Comment as ann."""
        self.ask("POST", f"/issues/{number}/comments", {"body": body})

    def branch(self) -> str:
        """Make a branch with a commit that `main` has not."""
        name = f"agent/{next(self.numbers)}"
        self.ask("POST", "/git/refs", {"ref": f"refs/heads/{name}", "sha": self.github.branch_tip("main")})
        content = base64.b64encode(name.encode()).decode()
        self.ask("PUT", f"/contents/{name}.txt", {"message": name, "content": content, "branch": name})
        return name

    def label(self, name: str) -> None:
        """Make a label."""
        self.ask("POST", "/labels", {"name": name, "color": "ededed"})


def missing() -> str:
    """Tell why `emulate` cannot be used here; empty when it can."""
    if shutil.which("node") is None:
        return "there is no node"
    if not (MODULES / "emulate/package.json").exists():
        return f"{MODULES} has no emulate; `make emulate` puts it there"
    return ""


@contextmanager
def emulate(folder: Path) -> Iterator[Emulated]:
    """Run it."""
    (folder / "seed.yaml").write_text(SEED)
    port = _free_port()
    command = ["node", str(MODULES / "emulate/dist/index.js"), "--service", "github", "--port", str(port)]
    with subprocess.Popen(
        [*command, "--seed", "seed.yaml"], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            _wait(process, port)
            # Its own addresses say localhost
            yield Emulated(f"http://localhost:{port}")
        finally:
            process.terminate()


def _wait(process: "subprocess.Popen[bytes]", port: int) -> None:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and process.poll() is None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.02)
    raise AssertionError("emulate does not start")


def _free_port() -> int:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return int(bound.getsockname()[1])
