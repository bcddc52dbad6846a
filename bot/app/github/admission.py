"""Asks the forge what decides whether an event is acted on."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.app.github.door import Door
from bot.app.github.memory import recall, recall_pulls
from bot.core.hub import Permission
from bot.core.publication.marker import Attempt
from bot.core.trigger.gate import Facts, Refusal, find_concerned, refuse, refuse_event
from bot.core.trigger.trigger import Head
from bot.errors import ForgeError, ForgeNotFound, OrderError
from bot.git.names import is_ours


def admit(door: Door) -> Refusal | None:
    """Judge an event by its payload and, only if that passes, by what the forge says of it."""
    early = refuse_event(door.trigger, door.order, door.call.rules)
    return early or refuse(door.trigger, door.order, door.call.rules, find_facts(door))


def find_facts(door: Door) -> Facts:
    """Ask everything that a judgement needs; what cannot be asked makes it a no."""
    now = time.time()
    try:
        permissions = _permissions(door)
        if any(permission in ("none", "read", "triage") for permission in permissions.values()):
            # It is a no already: nothing more is asked for a stranger's sake
            return Facts(now, permissions, door.call.actors)
        head = find_head(door)
        attempts = find_attempts(door)
        last = attempts[-1].at if attempts else None
        pushed, count = _pushed(door, head), count_attempts(door, attempts, head)
        return Facts(now, permissions, door.call.actors, head, pushed, count, last)
    except ForgeError as error:
        return Facts(now, failed=error.message)


def _permissions(door: Door) -> Mapping[str, Permission]:
    # Who started a job on a schedule is whoever last changed its file, and may have left
    actors = () if door.trigger.event in ("schedule", "workflow_run") else door.call.actors
    found: dict[str, Permission] = {}
    for login in find_concerned(door.trigger, door.call.rules, actors):
        found[login] = door.github.permission(login)
    return found


def find_head(door: Door) -> Head | None:
    """Say where the branch that an event is about stands now."""
    trigger = door.trigger
    if trigger.run is not None:
        tip = door.github.branch_tip(trigger.head.ref)
        return Head(sha=tip, ref=trigger.head.ref, repository=trigger.head.repository) if tip else None
    if not trigger.pull:
        return None
    try:
        pull = door.github.pull(trigger.number)
    except ForgeNotFound:
        return None
    return Head(sha=pull.head_sha, ref=pull.head_ref, repository=pull.head_repository)


def _pushed(door: Door, head: Head | None) -> float | None:
    if head is None or not door.trigger.pull:
        return None
    return door.github.pushed_at(head.ref)


def find_attempts(door: Door) -> tuple[Attempt, ...]:
    """Collect the earlier attempts for an issue, a pull request or a lineage of CI heads, oldest first."""
    found = _attempts(door)
    # The job that publishes asks once more: this very run of the workflow is no earlier one
    return tuple(attempt for attempt in found if not door.call.run_id or attempt.job != door.call.run_id)


def count_attempts(door: Door, attempts: Sequence[Attempt], head: Head | None) -> int:
    """Count the attempts that weigh on another: for a person those on the same commit, else all."""
    trigger = door.trigger
    now = head.sha if head is not None else door.call.sha
    # CI goes round by itself, and each round makes a new commit
    return sum(bool(trigger.cause) or attempt.head == now for attempt in attempts)


def _attempts(door: Door) -> tuple[Attempt, ...]:
    trigger, rules = door.trigger, door.rules
    if trigger.run is not None and not trigger.page and is_ours(trigger.head.ref):
        return recall_pulls(door.github.pulls(head=trigger.head.ref), rules)
    return recall(door.github, trigger, rules).state.attempts


def complete(door: Door) -> Door:
    """Add what the page says that an order by hand names, which its event does not. Raises OrderError, ForgeError."""
    trigger = door.trigger
    if trigger.event != "workflow_dispatch" or not trigger.number:
        return door
    try:
        page = door.github.issue(trigger.number)
    except ForgeNotFound as error:
        raise OrderError(f"there is no issue {trigger.number} here", "name one of this repository") from error
    told = {"title": page.title, "body": page.body, "writer": page.author, "url": page.url}
    return replace(door, trigger=trigger.model_copy(update={**told, "open": page.open, "pull": page.pull}))
