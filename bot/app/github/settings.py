"""What is known of a run beside its report, as the pages that tell of it need it."""

import time

from bot.app.github.door import Door
from bot.app.github.inspection import Inspection
from bot.core.event import Started
from bot.core.handover import Base
from bot.core.publication.marker import State
from bot.core.publication.setting import NOTHING, UNMOVED, Pusher, Setting


def describe(
    door: Door,
    base: Base = UNMOVED,
    found: Inspection | None = None,
    *,
    branch: str = "",
    pull: int = 0,
    known: State = NOTHING,
) -> Setting:
    """Put what this job knows into one value."""
    call = door.call
    # The job that publishes may be started again
    earlier = tuple(one for one in known.attempts if one.job != call.run_id or not one.job)
    again = known.pull == door.trigger.page and any(one.outcome == "verified" for one in known.attempts)
    started = found.events[0] if found is not None and found.events else None
    return Setting(
        trigger=door.trigger,
        server=call.server_url,
        job=call.run_id,
        at=time.time(),
        verb=door.order.verb,
        artifact=f"git-agent-{call.run_id}-{call.run_attempt}" if call.run_id else "",
        artifact_url=f"{call.page}#artifacts" if call.page else "",
        base=base,
        branch=branch,
        tip=found.tip if found is not None else "",
        checks=started.checks if isinstance(started, Started) else (),
        earlier=earlier,
        known=known,
        pull=pull,
        about=known.issue if again else 0,
        pusher=_pusher(door.rules.identity),
    )


def _pusher(identity: str) -> Pusher:
    if identity == "github-actions[bot]":
        return "job"
    return "app" if identity.endswith("[bot]") else "person"
