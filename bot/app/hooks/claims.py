"""Holds what a message claims against the tree that is about to be committed, and against what was recorded here."""

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from rich.text import Text

from bot.app import consoles
from bot.core.copies import trace_copies
from bot.core.escape import line
from bot.core.event import Committed, Event, Verified
from bot.core.trailers import parse_trailers, state_checks
from bot.errors import UsageError, WorkspaceError
from bot.git.candidate import find_candidate
from bot.git.hooked import read_hooked
from bot.git.repository import Repository, open_repository
from bot.git.runs import read_events
from bot.git.store import open_store

COMMAND = "bold cyan"
SHORT = 10

_SCISSORS = re.compile(r"^\S{1,20} -{24} >8 -{24}[ \t]*$.*", re.MULTILINE | re.DOTALL)
_TRAILER = re.compile(r"agent-(tree|run): ?(.*)", re.IGNORECASE)
_CANDIDATES = tuple("#;@!$%^&|:")
"""What git chooses from where it is to choose how a comment begins."""


class Claims(NamedTuple):
    """What a message says of its commit."""

    text: str
    """The message without what git takes out of it."""
    trees: tuple[str, ...]
    runs: tuple[str, ...]


def check_claims(directory: Path, written: bytes) -> int:
    """Refuse a message that is false of the commit which git is about to make. Raises AgentError."""
    hooked = read_hooked(os.environ, directory)
    repository = open_repository(directory, hooked, unborn=True)
    claims = read_claims(written.decode("utf-8", "replace"), _comments(repository))
    if not (claims.trees or claims.runs):
        return 0
    candidate = find_candidate(repository, hooked)
    lie = next(_find_lies(repository, claims, candidate.tree), "")
    if not lie:
        return 0
    stale = candidate.base in claims.trees
    for told in _tell(lie, stale=stale):
        consoles.progress().print(told, soft_wrap=True)
    return 1


def read_claims(message: str, comments: Sequence[str] = ("#",)) -> Claims:
    """Read the claims at the end of a message as git will have it, once comments and a diff below are cut away."""
    whole = _SCISSORS.sub("", "\n".join(message.splitlines()))
    kept = (part.rstrip() for part in whole.split("\n") if not part.startswith(tuple(comments)))
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip() + "\n"
    found = [_TRAILER.fullmatch(part) for part in text.rstrip().rpartition("\n\n")[2].split("\n")]
    values = [(match[1].lower(), match[2].strip()) for match in found if match]
    trees, runs = (tuple(value for key, value in values if key == wanted) for wanted in ("tree", "run"))
    return Claims(text, trees, runs)


def _comments(repository: Repository) -> tuple[str, ...]:
    """Ask how comments begin here."""
    told = repository.git.ask("config", "--get-regexp", r"^core\.comment(char|string)$").output
    lines = told.decode("utf-8", "replace").splitlines()
    mark = lines[-1].partition(" ")[2] if lines else ""
    return _CANDIDATES if mark == "auto" else (mark or "#",)


def _find_lies(repository: Repository, claims: Claims, tree: str) -> Iterator[str]:
    """Say what is false, the plainest first."""
    for said in claims.trees:
        if said != tree:
            yield f"the message says Agent-Tree: {said[:SHORT]}, but this commit holds {tree[:SHORT]}"
    for run in claims.runs:
        if objection := _object(repository, run, claims.text, tree):
            yield objection


def _object(repository: Repository, run: str, message: str, tree: str) -> str:
    """Say what the record of a run knows better; empty where it agrees, or where there is none."""
    try:
        events = read_events(repository, run)
    except (UsageError, WorkspaceError):
        return ""
    steps = {event.step for event in events if isinstance(event, Committed) and event.tree == tree}
    if not steps:
        # A step that was made again elsewhere has a tree of its own, which the record knows by its commit
        known = tree in _copied(repository, events)
        return "" if known else f"the message says Agent-Run: {run}, which made nothing that holds {tree[:SHORT]}"
    claim = parse_trailers(message)
    if claim is None or claim.run != run:
        return ""
    if claim.step not in steps:
        return f"the message says Agent-Step: {claim.step}, which in {run} held something else"
    judged = [event.verdict for event in events if isinstance(event, Verified) and event.verdict.tree == tree]
    stated = [state_checks(verdict) for verdict in judged if verdict.ok]
    if claim.checks in stated:
        return ""
    found = " ".join(stated[-1]) if stated else "nothing of them"
    return f"the message says Agent-Checks: {' '.join(claim.checks) or 'none'}, and the record of {run} says {found}"


def _copied(repository: Repository, events: Sequence[Event]) -> Iterator[str]:
    store = open_store(repository)
    for commit in trace_copies(events).commits:
        try:
            yield store.tree(commit)
        except WorkspaceError:
            continue


def _tell(lie: str, *, stale: bool) -> Iterator[Text]:
    yield Text(f"git agent: not committed: {line(lie, 400)}", style="bold red")
    if not stale:
        yield Text("take its lines that begin with Agent- out of the message")
        yield Text.assemble("commit it as is:  ", ("git commit --no-verify", COMMAND))
        return
    # Amended or only copied from: the hook is not told, and who takes one for the other loses a commit
    yield Text("with what is staged, this is no longer what its Agent- lines were written about", style="dim")
    for words, option in (("take them out:  ", "--edit"), ("commit it as is:", "--no-verify")):
        yield Text.assemble(f"{words}  the same command with ", (option, COMMAND))
