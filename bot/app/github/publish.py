"""The job that publishes: runs no model and no code of the repository, and trusts nothing of what it is handed."""

from bot.app.github.admission import admit
from bot.app.github.delivery import Delivery, explain_push
from bot.app.github.destination import aim
from bot.app.github.door import Call, Door, log, open_door, put_outputs, tell_error
from bot.app.github.grounds import Ground, find_grants, find_ground, read_kept
from bot.app.github.inspection import Expectation, inspect
from bot.app.github.reading import read_handover
from bot.app.github.tasks import assign
from bot.app.github.thread import Thread, open_thread
from bot.app.secrecy import take_secrets
from bot.core.handover import BUNDLE, Handover
from bot.core.trigger.gate import TALK, Refusal
from bot.errors import AgentError
from bot.git.quarantine import Quarantine, open_quarantine


def publish(call: Call) -> int:
    """Answer an order, with what the other job made of it; return the exit code. Raises UsageError, ForgeError."""
    door = open_door(call)
    if door is None:
        log("nothing in this event is an order for git agent")
        return 0
    refusal = admit(door)
    if refusal is not None:
        return _decline(door, refusal)
    thread = open_thread(door)
    if door.order.verb in TALK:
        thread.talk()
        return 0
    try:
        return _publish(door, thread)
    except AgentError as error:
        thread.fail(tell_error(error))
        raise


def _decline(door: Door, refusal: Refusal) -> int:
    log(f"refused ({refusal.code}): {refusal.text}")
    put_outputs(door.call, (("outcome", "refused"),))
    if refusal.reply:
        open_thread(door).correct(refusal)
    return 0


def _publish(door: Door, thread: Thread) -> int:
    claim = read_handover(door.call)
    if claim is None:
        thread.fail("the job that worked ended without a result")
        return 1
    if not claim.run:
        thread.tell(claim)
        return 1 if claim.reason == "failed" else 0
    with open_quarantine() as quarantine:
        return _inspect(door, thread, claim, quarantine)


def _inspect(door: Door, thread: Thread, claim: Handover, quarantine: Quarantine) -> int:
    """Look at what was handed over, and publish it only if nothing speaks against it."""
    ground = find_ground(door, claim, thread.memory)
    quarantine.bring(door.remote, sorted(ground.bases), ground.ref)
    quarantine.receive(door.call.handover / BUNDLE, run=claim.run, branch=claim.branch, bases=ground.bases)
    found = inspect(quarantine.repository, claim, _expect(door, quarantine, claim, ground))
    if found.faults or found.report is None:
        for fault in found.faults:
            log(f"not published: {fault}")
        thread.refuse(claim, found)
        return 1
    return _deliver(Delivery(door, quarantine, claim, found), thread, ground)


def _expect(door: Door, quarantine: Quarantine, claim: Handover, ground: Ground) -> Expectation:
    given = assign(door, quarantine.repository, claim.base.then)
    # What git takes orders from elsewhere is a matter of the machine that worked
    task = given.request.task.model_copy(update={"protected": given.desk.settings.protect})
    said = door.trigger.run is None and door.order.verb in ("fix", "plan")
    return Expectation(
        repository=door.call.repository,
        bases=ground.bases,
        task=task if said else task.model_copy(update={"goal": ""}),
        grants=find_grants(door, read_kept(door.remote, claim.run)),
        secrets=take_secrets().values,
        workflow_run=door.call.run_id,
    )


def _deliver(delivery: Delivery, thread: Thread, ground: Ground) -> int:
    claim, found = delivery.claim, delivery.found
    report = found.report
    assert report is not None, "asked for before"
    if not found.tip:
        return _end(delivery, thread)
    destination, pushed = delivery.push(aim(claim, ground.talked, ground.earlier))
    if pushed.kind != "ok":
        thread.keep(claim, found, explain_push(pushed))
        return 1
    delivered = delivery.open(destination, thread.page(claim, found, destination))
    thread.deliver(claim, found, delivered)
    return report.exit_code if delivered.pull is not None else 1


def _end(delivery: Delivery, thread: Thread) -> int:
    """Keep the record of a run that left no commits; a pull request whose steps were all taken back is closed."""
    report = delivery.found.report
    assert report is not None, "asked for before"
    pushed = delivery.push_record()
    if pushed.kind != "ok":
        log(f"the record was not pushed: {explain_push(pushed)}")
    thread.end(delivery.claim, delivery.found)
    return report.exit_code
