"""The job that works: carries an order out without any right to write, and hands over what came of it."""

from bot.app.github.admission import admit, complete
from bot.app.github.carrying import Done, carry_out
from bot.app.github.door import Call, Door, log, open_door, put_outputs, put_summary, tell_error, tell_order
from bot.app.github.handing import empty, hand_over
from bot.app.github.settings import describe
from bot.core.account import live
from bot.core.handover import Handover
from bot.core.publication.attention import tell_outcome
from bot.core.publication.outputs import tell_outputs
from bot.core.publication.summary import job_summary, refusal_summary
from bot.core.publication.words import count
from bot.core.trigger.gate import COMMENTS, TALK, Refusal
from bot.errors import AgentError, OrderError
from bot.git.repository import open_repository

SETTLED = frozenset({"verified", "nothing", "planned"})
"""What a run may come to without anybody having to look at its job."""


def gate(call: Call) -> int:
    """Say whether an event is an order that is worked on, before anything is set up for that. Raises UsageError."""
    put_outputs(call, (("work", "true" if _enter(call) is not None else "false"),))
    return 0


def work(call: Call) -> int:
    """Carry out what an event orders, if it does and may; return the exit code. Raises UsageError, ForgeError."""
    door = _enter(call)
    return 0 if door is None else _hand_over(door)


def _enter(call: Call) -> Door | None:
    """Judge an event; None where there is nothing to work on. Raises UsageError."""
    try:
        door = open_door(call)
        door = complete(door) if door is not None else None
    except AgentError:
        put_outputs(call, (("admitted", "false"), ("outcome", "failed")))
        raise
    if door is None:
        log("nothing in this event is an order for git agent")
        put_outputs(call, (("admitted", "false"), ("outcome", "ignored")))
        return None
    refusal = admit(door)
    if refusal is not None:
        _decline(door, refusal)
        return None
    put_outputs(call, (("admitted", "true"),))
    log(f"admitted: {tell_order(door)}")
    if door.order.verb in TALK:
        log(f"{door.order.verb} needs no run: the job that publishes answers it")
        return None
    return door


def _decline(door: Door, refusal: Refusal) -> None:
    log(f"refused ({refusal.code}): {refusal.text}")
    # A mistake of somebody who may order is answered, by the other job
    put_outputs(door.call, (("admitted", "true" if refusal.reply else "false"), ("outcome", "refused")))
    put_summary(door.call, refusal_summary(refusal.code, refusal.text, describe(door)))


def _hand_over(door: Door) -> int:
    """Carry the order out, and leave word of whatever came of it. Raises what made it impossible."""
    call = door.call
    empty(call.handover)
    try:
        done = carry_out(door, open_repository(call.folder))
    except AgentError as error:
        # Whoever ordered it in a comment is told so there, and elsewhere by the job alone
        told = isinstance(error, OrderError) and door.trigger.event in COMMENTS
        done = Done(_fail(call, tell_error(error), "refused" if told else "failed"))
        if not told:
            hand_over(call, done)
            put_outputs(call, (("outcome", "failed"),))
            raise
    hand_over(call, done)
    if done.claim.said:
        log(done.claim.said)
    return _tell(door, done)


def _fail(call: Call, said: str, reason: str) -> Handover:
    return Handover(repository=call.repository, workflow_run=call.run_id, reason=reason, said=said)


def _tell(door: Door, done: Done) -> int:
    report, claim = done.report, done.claim
    setting = describe(door, claim.base)
    if report is None:
        put_outputs(door.call, (("outcome", claim.reason or "nothing"),))
        put_summary(door.call, refusal_summary(claim.reason or "nothing", claim.said, setting))
        return 0
    outcome = "planned" if claim.plan else claim.reason or tell_outcome(report, setting)
    put_outputs(door.call, tell_outputs(report, folder=str(door.call.handover), outcome=outcome))
    put_summary(door.call, job_summary(report, setting, claim.said))
    log(f"{outcome.replace('_', ' ')}, {count(len(live(report)), 'commit')}: the job that publishes looks at it next")
    # What stopped for a reason before a model was asked is no failure of ours
    return 0 if outcome in SETTLED or claim.reason else report.exit_code or 1
