"""What each order does in the checkout of the job that works."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from bot.app.consent import Said
from bot.app.github.bases import Ground, bring, bring_up, final_branch, locate
from bot.app.github.door import Door
from bot.app.github.earlier import EarlierRun, Page, find_earlier, tell_earlier
from bot.app.github.followup import ask_again, go_on, undo_remote
from bot.app.github.memory import find_done, recall
from bot.app.github.redci import Inquiry, examine, find_base
from bot.app.github.stopping import Stop, watched
from bot.app.github.tasks import TRUST, assign
from bot.app.perform import perform, take_for_granted
from bot.core.allowance import SEAL
from bot.core.handover import Base, Handover
from bot.core.report import Report
from bot.errors import OrderError, UsageError
from bot.git.exposure import find_exposed
from bot.git.names import is_ours
from bot.git.repository import Repository
from bot.git.since import find_since


@dataclass(frozen=True, slots=True)
class Done:
    """What came of an order."""

    claim: Handover
    report: Report | None = None
    repository: Repository | None = None
    """Where the run's commits and record are."""


def carry_out(door: Door, repository: Repository) -> Done:
    """Do what was ordered. Raises UsageError, WorkspaceError, ForgeError."""
    if exposed := find_exposed(repository):
        text = f"a credential lies where commands could read it: {exposed[0]}"
        raise UsageError(text, "give actions/checkout `persist-credentials: false`")
    ground = locate(door)
    bring(repository, door, ground.commit)
    match door.order.verb:
        case "undo":
            return _undo(door, repository, ground)
        case "approve":
            return _approve(door, repository, ground)
        case "retry":
            return _retry(door, repository, ground)
        case _:
            return _follow(door, repository, ground) if door.trigger.cause else _fix(door, repository, ground)


def _follow(door: Door, repository: Repository, ground: Ground) -> Done:
    """Do what no person ordered, unless the same commit was worked on for the same reason before."""
    if done := find_done(door.github, door.trigger, door.rules, ground.commit):
        said = f"what was to be done about {ground.commit[:10]} is in pull request {done} already"
        return Done(claim_of(door, Base(ref=ground.ref, then=ground.commit), reason="nothing", said=said))
    return _red_ci(door, repository, ground) if door.trigger.run else _fix(door, repository, ground)


def _fix(door: Door, repository: Repository, ground: Ground) -> Done:
    """Make a run; on a branch of ours, with what was done there before as its background."""
    ours = ground.pull is not None and is_ours(ground.pull.head_ref)
    runs = find_runs(door, repository, ground) if ours else ()
    return _run(door, repository, ground, background=tell_earlier(runs))


def _retry(door: Door, repository: Repository, ground: Ground) -> Done:
    """Make a run anew from where the base is now, for what was asked before."""
    runs = find_runs(door, repository, ground)
    pull = ground.pull
    if pull is None or not is_ours(pull.head_ref):
        return _run(door, repository, ground, background=tell_earlier(runs))
    if not runs:
        raise OrderError(f"nothing is known of how {pull.head_ref} came about", "order a fix, in your own words")
    fresh = Ground(door.github.branch_tip(pull.base_ref), pull.base_ref, pull)
    bring(repository, door, fresh.commit)
    words = ask_again(runs[-1], door.order.words)
    return _run(door, repository, fresh, words=words, background=tell_earlier(runs))


def _red_ci(door: Door, repository: Repository, ground: Ground) -> Done:
    """Make a run only if what CI says is red here, too."""
    examination = examine(door.github, door.trigger)
    if not examination.goes_on:
        said = "\n".join(examination.said)
        return Done(claim_of(door, Base(ref=ground.ref, then=ground.commit), reason=examination.reason, said=said))
    inquiry = examination.inquire(repository, _start_of(door, repository, ground))
    done = _run(door, repository, ground, words=examination.goal, inquiry=inquiry)
    said = "\n".join(inquiry.tell(done.report)) if done.report is not None else ""
    return replace(done, claim=done.claim.model_copy(update={"said": said[:20_000], "reason": inquiry.reason}))


def _start_of(door: Door, repository: Repository, ground: Ground) -> str:
    """Bring where the base of a head stands; nothing for the default branch, which has none.

    Nor for a branch of ours: that its base is red is why there is one.
    """
    base = "" if is_ours(ground.ref) else find_base(door.trigger, ground.pull)
    tip = door.github.branch_tip(base) if base else ""
    if tip:
        bring(repository, door, tip)
    return tip


def _run(
    door: Door,
    repository: Repository,
    ground: Ground,
    *,
    words: str = "",
    background: str = "",
    inquiry: Inquiry | None = None,
) -> Done:
    given = assign(door, repository, ground.commit, words)
    since = find_since(repository, ground.commit, _left(ground, inquiry))
    task = given.request.task.model_copy(update={"since": since})
    request = given.request.model_copy(update={"task": task, "background": background})
    with watched(door.github, door.trigger, door.call.rules) as stop:
        report = perform(given.desk, request, premise=inquiry or take_for_granted)
    if request.mode.planning:
        base = Base(ref=ground.ref, then=ground.commit)
        claim = claim_of(door, base, reason="" if report.plan else "no-plan", said=report.detail)
        return Done(claim.model_copy(update={"plan": report.plan, "design": report.design}), report)
    return finish(door, repository, ground, report, given.flags, stop)


def _left(ground: Ground, inquiry: Inquiry | None) -> str:
    """Name a commit of the branch that a head is to be merged into, where the event or the forge told one."""
    if ground.pull is not None and not is_ours(ground.pull.head_ref):
        return ground.pull.base_sha
    return inquiry.base if inquiry is not None else ""


def finish(
    door: Door, repository: Repository, ground: Ground, report: Report, flags: Mapping[str, object], stop: Stop
) -> Done:
    """See what became of the base, and put into words what is handed over."""
    base = bring_up(repository, door, ground, report, flags)
    claim = claim_of(door, base, said=f"{stop.by} said stop" if stop.by and report.stop == "interrupted" else "")
    branch = final_branch(repository, report)
    return Done(claim.model_copy(update={"run": report.run, "branch": branch}), report, repository)


def claim_of(door: Door, base: Base, *, reason: str = "", said: str = "") -> Handover:
    """Begin a claim."""
    call = door.call
    return Handover(repository=call.repository, workflow_run=call.run_id, base=base, reason=reason, said=said[:20_000])


def find_runs(door: Door, repository: Repository, ground: Ground) -> tuple[EarlierRun, ...]:
    """Find the earlier runs of the place where an order stands, the newest first."""
    trigger, pull = door.trigger, ground.pull
    state = recall(door.github, trigger, door.rules).state
    base = ""
    if pull is not None and pull.base_sha:
        base = pull.base_sha
        bring(repository, door, base)
    branch = pull.head_ref if pull is not None else ""
    hints = tuple(attempt.run for attempt in reversed(state.attempts) if attempt.run)
    return find_earlier(repository, door.remote, Page(trigger.number, branch, base, hints))


def _approve(door: Door, repository: Repository, ground: Ground) -> Done:
    """Go on with the run that waits, by the word of whoever ordered it. Raises UsageError."""
    runs = find_runs(door, repository, ground)
    trigger, memory = door.trigger, recall(door.github, door.trigger, door.rules)
    named = SEAL.match(door.order.words)
    # Without the seal of what they saw, they can only have meant what was told before they wrote
    if not named and memory.comment is not None and memory.comment.updated > (trigger.created or 0.0):
        raise OrderError("what waits was told after the order was written", "look at it, then give the order again")
    said = Said(
        words=door.order.words[named.end() :].strip() if named else door.order.words,
        approve=True,
        who=trigger.author.login if trigger.author else "",
        seal=named["seal"] if named else "",
    )
    with watched(door.github, trigger, door.call.rules) as stop:
        went = go_on(repository, door.remote, runs, said, TRUST)
    begun = Ground(went.report.base, _base_of(ground), ground.pull)
    return finish(door, repository, begun, went.report, TRUST, stop)


def _undo(door: Door, repository: Repository, ground: Ground) -> Done:
    """Take steps back on the branch that the remote has."""
    runs = find_runs(door, repository, ground)
    pull = ground.pull
    base = pull.base_sha if pull is not None else ""
    page = Page(door.trigger.number, pull.head_ref if pull is not None else "", base)
    desk = assign(door, repository, ground.commit).desk
    try:
        back = undo_remote(desk, door.remote, page, runs, door.order.step)
    except UsageError as error:
        raise OrderError(error.message, error.hint) from error
    run = next(run for run in runs if run.run == back.run)
    then = back.before if back.how == "reverted" else run.report.base
    named = ", ".join(f"step {step.step} ({step.subject})" for step in back.steps)
    said = f"taken back: {named}" + (f"; {back.why}" if back.why else "")
    claim = claim_of(door, Base(ref=_base_of(ground), then=then, now=then), reason="undone", said=said)
    return Done(claim.model_copy(update={"run": back.run, "branch": back.branch}), None, repository)


def _base_of(ground: Ground) -> str:
    """Name the branch that a run is for: below a pull request of ours it is the one that that asks to take it."""
    pull = ground.pull
    return pull.base_ref if pull is not None and is_ours(pull.head_ref) else ground.ref
