"""Sends a run's record and branches to a remote, and says in words what keeps them from it."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from bot.git.plumbing import Plumbing
from bot.git.remote import Move, Pushed, Remote, push_all
from bot.git.run import Git
from bot.git.trail import PREFIX

WHY: Mapping[str, str] = {
    "moved": "the branch was pushed to by somebody else meanwhile",
    "protected": "rules of the repository protect the branch",
    "workflows": "the token may not change workflow files",
    "too-large": "it holds a file that is larger than GitHub takes",
    "denied": "the token may not push: the job needs `contents: write`",
    "hooked": "a rule of the repository refused the push",
    "shallow": "the server does not take commits whose history it does not know",
    "unreachable": "GitHub could not be reached, or broke off",
}


class Sent(NamedTuple):
    """What became of all of it."""

    pushed: Pushed
    bare: bool = False
    """Whether the record was sent without the commits of its steps above it."""


def send(git: Git, remote: Remote, moves: Sequence[Move]) -> Sent:
    """Push a record and branches, all of them or none. Raises GitFailed."""
    pushed = _send(git, remote, moves)
    records = [move for move in moves if move.ref.startswith(PREFIX)]
    if pushed.kind != "workflows" or not records:
        return Sent(pushed)
    # A record holds none of the project's files, which may look as if it took them away
    slim = [move._replace(sha=_bare(git, move.sha)) if move in records else move for move in moves]
    return Sent(_send(git, remote, slim), bare=True)


def _send(git: Git, remote: Remote, moves: Sequence[Move]) -> Pushed:
    told = push_all(git, remote, moves)
    return next((each for each in told if each.kind != "ok"), told[-1])


def _bare(git: Git, record: str) -> str:
    """Make the same record without the commits of its steps above it, which a branch has as well. Raises GitFailed."""
    message = git.output("log", "-1", "--no-show-signature", "--format=%B", record, "--").decode("utf-8", "replace")
    return Plumbing(git).commit(git.line("rev-parse", f"{record}^{{tree}}"), [], message)


def explain_push(pushed: Pushed) -> str:
    """Say why nothing was pushed."""
    said = f" ({pushed.detail})" if pushed.detail else ""
    return f"{WHY.get(pushed.kind, 'the push was refused')}{said}"
