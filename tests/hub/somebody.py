"""Somebody who works on the same remote."""

from collections.abc import Mapping
from pathlib import Path

from tests.conftest import Repo
from tests.hub.standin import Standin


def commit(hub: Standin, folder: Path, branch: str, files: Mapping[str, str], onto: str = "") -> str:
    """Commit to a branch of the remote, by a desk in a folder; return the commit."""
    desk = Repo(folder / "somebody")
    if not desk.path.exists():
        desk.path.mkdir(parents=True)
        desk.git("init", "-q")
    desk.git("fetch", "-q", str(hub.git_folder), f"+refs/heads/{onto or branch}:refs/heads/work")
    desk.git("checkout", "-q", "--detach", "work")
    made = desk.commit(files, "somebody's change")
    hub.git.git("fetch", "-q", str(desk.path), f"+{made}:refs/heads/{branch}")
    hub.world.settle()
    return made
