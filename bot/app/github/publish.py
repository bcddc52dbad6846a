"""The job that publishes: runs no model and no code of the repository, and trusts nothing of what it is handed."""

from collections.abc import Sequence

from bot.app.github.admission import admit, complete
from bot.app.github.delivery import Delivery
from bot.app.github.destination import Work, aim
from bot.app.github.door import Call, Door, log, open_door, put_outputs, tell_error, tell_order
from bot.app.github.drift import look_again
from bot.app.github.grounds import Ground, find_grants, find_ground, read_kept
from bot.app.github.inspection import Expectation, inspect
from bot.app.github.pushing import explain_push
from bot.app.github.reading import read_handover
from bot.app.github.tasks import assign
from bot.app.github.thread import Thread, open_thread
from bot.app.secrecy import take_secrets
from bot.core.copies import trace_copies
from bot.core.event import Event, Started
from bot.core.handover import BUNDLE, Handover
from bot.core.publication.sections import quote_plain
from bot.core.publication.words import count
from bot.core.task import Task
from bot.core.trigger.gate import TALK, Refusal
from bot.errors import AgentError, UsageError
from bot.git.names import is_ours
from bot.git.quarantine import Quarantine, open_quarantine


def publish(call: Call) -> int:
    """Answer an order, with what the other job made of it; return the exit code. Raises UsageError, ForgeError."""
    door = open_door(call)
    if door is None:
        log("nothing in this event is an order for git agent")
        put_outputs(call, (("outcome", "ignored"),))
        return 0
    door = complete(door)
    refusal = admit(door)
    if refusal is not None:
        return _decline(door, refusal)
    log(f"admitted: {tell_order(door)}")
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
        thread.fail("the job that worked ended without a result; its log may say why")
        return 1
    if claim.reason == "refused" and not claim.run:
        thread.correct(Refusal("refused", claim.said, quote_plain(claim.said)))
        put_outputs(door.call, (("outcome", "refused"),))
        return 0
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
    log(f"inspected: run {claim.run} with {count(len(found.commits), 'commit')}; nothing speaks against publishing it")
    claim = claim.model_copy(update={"base": look_again(door, quarantine, found, claim.base)})
    return _deliver(Delivery(door, quarantine, claim, found), thread, ground)


def _expect(door: Door, quarantine: Quarantine, claim: Handover, ground: Ground) -> Expectation:
    given = assign(door, quarantine.repository, claim.base.then)
    # What git takes orders from elsewhere is a matter of the machine that worked
    task = given.request.task.model_copy(update={"protected": given.desk.settings.protect})
    kept = read_kept(door.remote, claim.run)
    return Expectation(
        repository=door.call.repository,
        bases=ground.bases,
        task=_recall(task, kept, ground) if kept else task if _says(door) else task.model_copy(update={"goal": ""}),
        grants=find_grants(door, kept),
        kept=kept,
        secrets=take_secrets().values,
        workflow_run=door.call.run_id,
    )


def _says(door: Door) -> bool:
    """Tell whether an order says by itself all that a run is asked."""
    return door.trigger.run is None and door.order.verb in ("fix", "plan")


def _recall(task: Task, kept: Sequence[Event], ground: Ground) -> Task:
    """Expect of a run that was published before what it was asked then. Raises UsageError for one of another page."""
    first = kept[0]
    assert isinstance(first, Started), "a record that was vetted begins with its start"
    if first.run not in ground.runs:
        raise UsageError("what was handed over goes on with a run of another page")
    return task.model_copy(update={name: getattr(first.task, name) for name in ("source", "goal", "scope")})


def _deliver(delivery: Delivery, thread: Thread, ground: Ground) -> int:
    claim, found = delivery.claim, delivery.found
    if not found.tip:
        return _end(delivery, thread, ground)
    destination, pushed = delivery.push(aim(claim, _weigh(delivery), ground.talked, ground.earlier))
    if pushed.kind != "ok":
        thread.keep(claim, found, explain_push(pushed))
        return 1
    log(f"pushed: {destination.branch} at {found.tip[:10]}, and the record of the run")
    delivered = delivery.open(destination, thread.page(claim, found, destination))
    pull = delivered.pull
    log(f"pull request: {pull.url}" if pull is not None else f"no pull request: {delivered.trouble}")
    thread.deliver(claim, found, delivered)
    return 0 if pull is not None else 1


def _weigh(delivery: Delivery) -> Work:
    found = delivery.found
    deeds = frozenset(trace_copies(found.events).commits)
    back = delivery.door.order.verb == "undo"
    return Work(frozenset((found.base, *found.commits)), deeds, back=back)


def _end(delivery: Delivery, thread: Thread, ground: Ground) -> int:
    """Keep the record of a run that left no commits, and take from a pull request of ours what it took back."""
    if _is_idle(delivery):
        thread.end(delivery.claim, delivery.found)
        return 0
    claim = delivery.claim
    mine = ground.talked if ground.talked is not None and is_ours(ground.talked.head_ref) else ground.earlier.pull
    if delivery.door.order.verb == "undo" and mine is not None:
        pushed, said = delivery.go_back(mine, _weigh(delivery).deeds)
    else:
        pushed, said = delivery.push_record(), ""
    report = delivery.found.report
    if report is not None and report.waits:
        said = pushed.detail
    if pushed.kind != "ok":
        said = f"the record was not pushed, so that nothing can go on from it: {explain_push(pushed)}"
        log(said)
    told = claim.model_copy(update={"said": "\n".join(filter(None, (claim.said, said)))})
    thread.end(told, delivery.found)
    return 0 if pushed.kind == "ok" else 1


def _is_idle(delivery: Delivery) -> bool:
    """Tell whether nothing was to be done and nobody asked, so that nothing is left behind either."""
    report = delivery.found.report
    return report is not None and report.outcome == "nothing" and bool(delivery.door.trigger.cause)
