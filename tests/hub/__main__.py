"""`python -m tests.hub FOLDER [--port N] [--seed FILE]`: the stand-in as a process, until it is told to end."""

import argparse
import json
import signal
import sys
import threading
from pathlib import Path
from typing import Any, TypeAlias

from tests.hub.standin import READ_TOKEN, WRITE_TOKEN, JobSeed, Standin

Json: TypeAlias = Any
SEEDS = ("allow", "issue", "comment", "label", "pull", "fork", "token", "review_comment")
"""Methods that a seed may name."""


def main() -> None:
    """Serve, and say where as one line of JSON."""
    parser = argparse.ArgumentParser(prog="python -m tests.hub", description=__doc__)
    parser.add_argument("folder", type=Path, help="for the bare repository; made new, or one that was used before")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--repository", default="ann/widgets", metavar="OWNER/NAME")
    parser.add_argument("--git", type=Path, help="a repository whose branches are taken over")
    parser.add_argument(
        "--seed", type=Path, help='JSON: [["issue", {"title": "…"}], ["allow", {"login": "…", "role": "write"}]]'
    )
    told = parser.parse_args()
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.set())
    owner, _, name = told.repository.partition("/")
    with Standin(told.folder, owner, name, port=told.port) as hub:
        if told.git:
            hub.git.git("fetch", "-q", str(told.git.resolve()), "+refs/heads/*:refs/heads/*")
        seed(hub, json.loads(told.seed.read_text()) if told.seed else [])
        addresses = {"api": hub.api, "server": hub.server, "graph": hub.graph, "clone": hub.clone_url}
        sys.stdout.write(json.dumps({**addresses, "read": READ_TOKEN, "write": WRITE_TOKEN}) + "\n")
        sys.stdout.flush()
        ended.wait()


def seed(hub: Standin, steps: Json) -> None:
    """Do what a file says, in its order."""
    for what, values in steps:
        if what == "run":
            hub.run(values.pop("branch", "main"), *(JobSeed(**job) for job in values.pop("jobs", [])), **values)
        elif what in SEEDS:
            getattr(hub, what)(**values)
        else:
            raise SystemExit(f"a seed is one of {', '.join((*SEEDS, 'run'))}, not {what}")


if __name__ == "__main__":
    main()
