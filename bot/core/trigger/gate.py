"""Who may order what, and when: each no has a reason for the log, and few have an answer for the person."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from bot.core import escape
from bot.core.hub import Permission
from bot.core.task import Record
from bot.core.trigger.cirun import find_unfit
from bot.core.trigger.order import Order, Verb
from bot.core.trigger.trigger import Account, Head, Trigger

WRITERS: frozenset[Permission] = frozenset({"admin", "maintain", "write"})
TALK: frozenset[Verb] = frozenset({"help", "status", "stop"})
"""Verbs that neither read code nor start a run."""
RUNS: frozenset[Verb] = frozenset({"fix", "plan", "retry", "approve"})
"""Verbs that start a run, of which there are only so many."""
COMMENTS = frozenset({"issue_comment", "pull_request_review_comment"})
SKEW = 300.0
"""Seconds by which clocks may differ."""

_ACTIONS: Mapping[str, str] = {
    "issue_comment": "created",
    "pull_request_review_comment": "created",
    "issues": "labeled",
    "workflow_run": "completed",
}
_MARKER = re.compile(r"<!--\s{0,20}git-agent\b", re.IGNORECASE)
_AGAIN = (
    "The branch was pushed to meanwhile, so it may hold what you have not seen; look at it and give the order again."
)


class Rules(Record):
    """What the maintainers of a repository have settled."""

    bots: tuple[int, ...] = ()
    """Ids of the bots that may order; all others never do."""
    identity: str = "github-actions[bot]"
    """Login that we write as."""
    own: tuple[int, ...] = (41898282,)
    """Ids of the accounts that we write as; by itself the one of every workflow's own token."""
    label: str = ""
    """The label that orders a fix of its issue; empty for none."""
    workflow: str = ""
    """Our own workflow: a path, or OWNER/NAME/PATH@REF as its runner says it."""
    workflow_name: str = ""
    attempts: int = 3
    """Runs for one issue, pull request or lineage of a head."""
    pause: float = 60.0
    """Seconds between two runs for one of them."""
    age: float = 86_400.0
    """Seconds after which an order is no longer carried out, as when an old job is started again."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What only the forge can tell of an event; times are in seconds since 1970."""

    now: float
    permissions: Mapping[str, Permission] = field(default_factory=dict)
    """By login, of all that `find_concerned` names; one that is missing could not be asked, one unknown has `none`."""
    actors: tuple[str, ...] = ()
    """Logins of those who started this job, as its runner says."""
    head: Head | None = None
    """Where the branch of the pull request or of the CI run stands now; None for neither, or when it is gone."""
    pushed: float | None = None
    """When the pull request's branch was last pushed to; None when that is not known."""
    attempts: int = 0
    """Earlier runs for this issue, pull request or lineage of the head, this one not counted."""
    last: float | None = None
    """When the last of them began."""
    failed: str = ""
    """Why the forge could not be asked; empty when it answered everything."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why an event is not acted on."""

    code: str
    """A short word that does not change."""
    text: str
    """For the log."""
    reply: str = ""
    """A sentence in Markdown for a person with the right to write, who ordered what cannot be done; else empty."""


def refuse_event(trigger: Trigger, order: Order | None, rules: Rules) -> Refusal | None:
    """Judge an event by its payload alone, before anything is asked; None lets it pass so far."""
    return (
        _refuse_kind(trigger, rules)
        or _refuse_accounts(trigger, rules)
        or _refuse_text(trigger, order)
        or _refuse_run(trigger, rules)
        or _refuse_time(trigger)
    )


def refuse(trigger: Trigger, order: Order | None, rules: Rules, facts: Facts) -> Refusal | None:
    """Judge an event by its payload and by what the forge says; None means that it is acted on."""
    early = (
        refuse_event(trigger, order, rules) or _refuse_permission(trigger, rules, facts) or _refuse_fork(trigger, facts)
    )
    if early is not None or order is None:
        return early
    return (
        _refuse_mistake(trigger, order)
        or _refuse_head(trigger, order, rules, facts)
        or _refuse_again(trigger, order, rules, facts)
    )


def find_concerned(trigger: Trigger, rules: Rules, actors: Iterable[str] = ()) -> tuple[str, ...]:
    """Name the logins whose permission decides: author, sender and actors, without bots that are listed by their id.

    `actors` are those who started this job. The clock has no one behind it: there, the workflow file on the default
    branch is the order; and a CI run names its own actors.
    """
    accounts = [account for account in _accounts(trigger) if account is not None]
    listed = {account.login for account in accounts if _is_listed(account, rules)}
    started = () if trigger.event in ("schedule", "workflow_run") else tuple(actors)
    return tuple(dict.fromkeys(name for name in (*(a.login for a in accounts), *started) if name not in listed))


def _accounts(trigger: Trigger) -> tuple[Account | None, ...]:
    """Return everyone whom an event names as its cause; None for each who is needed and missing."""
    match trigger.event:
        case "schedule":
            return ()
        case "workflow_run":
            missing = (None,) * max(0, 2 - len(trigger.actors))
            return (*trigger.actors, *missing, *((trigger.sender,) if trigger.sender else ()))
        case _:
            return (trigger.author, trigger.sender)


def _is_listed(account: Account, rules: Rules) -> bool:
    return account.kind == "Bot" and account.id in rules.bots


def _is_own(account: Account, rules: Rules) -> bool:
    return account.id in rules.own or account.login.casefold() == rules.identity.casefold()


def _refuse_kind(trigger: Trigger, rules: Rules) -> Refusal | None:
    wanted = _ACTIONS.get(trigger.event, trigger.action)
    if trigger.action != wanted:
        return Refusal("action", f"{_said(trigger.action)} is no action of {trigger.event} that orders anything")
    if trigger.event != "issues":
        return None
    if not rules.label or trigger.label.casefold() != rules.label.casefold():
        return Refusal("label", f"the label {_said(trigger.label)} orders nothing")
    return None


def _refuse_accounts(trigger: Trigger, rules: Rules) -> Refusal | None:
    for account in _accounts(trigger):
        if account is None:
            return Refusal("nobody", "it does not say who is behind it, or that account is deleted")
        # CI of what we pushed is followed only where that is wished for: it could go round for ever
        if _is_own(account, rules) and not (trigger.event == "workflow_run" and _is_listed(account, rules)):
            return Refusal("own", f"{_said(account.login)} is our own account")
        if _is_listed(account, rules):
            continue
        if account.kind == "Bot" or account.login.casefold().endswith("[bot]"):
            return Refusal("bot", f"{_said(account.login)} is a bot (id {account.id}), and not one that may order")
        if account.kind != "User":
            return Refusal("not-a-person", f"{_said(account.login)} is no person's account")
    return None


def _refuse_text(trigger: Trigger, order: Order | None) -> Refusal | None:
    if _MARKER.search(trigger.text):
        return Refusal("marker", "it holds the mark of our own texts")
    return Refusal("no-order", "there is no order in it") if order is None else None


def _refuse_run(trigger: Trigger, rules: Rules) -> Refusal | None:
    """Judge the finished CI run of an event, and where its commit is from."""
    run = trigger.run
    if trigger.event == "workflow_run" and (run is None or not (trigger.head.sha and trigger.head.ref)):
        return Refusal("no-head", "it does not say which commit of which branch it is about")
    unfit = find_unfit(run, rules.workflow, rules.workflow_name) if run else None
    if unfit is not None:
        return Refusal(*unfit)
    if run is not None or trigger.event == "pull_request_review_comment":
        return _refuse_elsewhere(trigger.head, trigger)
    return None


def _refuse_elsewhere(head: Head, trigger: Trigger) -> Refusal | None:
    if head.repository.casefold() == trigger.repository.casefold():
        return None
    where = _said(head.repository) if head.repository else "a repository that is gone"
    return Refusal("fork", f"its commits are from {where}: code of forks is never run here")


def _refuse_time(trigger: Trigger) -> Refusal | None:
    """Refuse an order without a time, and one that was changed: its readers may have seen another one."""
    if trigger.event in ("schedule", "workflow_dispatch"):
        return None
    if trigger.created is None or trigger.updated is None:
        return Refusal("no-time", "it does not say when it was written")
    # A comment of a review is written when it is drafted, and changed when the review is sent
    if trigger.event == "issue_comment" and trigger.updated > trigger.created:
        return Refusal("edited", "the comment was edited after it was written")
    return None


def _refuse_permission(trigger: Trigger, rules: Rules, facts: Facts) -> Refusal | None:
    if facts.failed:
        return Refusal("not-asked", f"GitHub could not be asked: {escape.line(facts.failed)}")
    for login in find_concerned(trigger, rules, facts.actors):
        permission = facts.permissions.get(login)
        if permission is None:
            return Refusal("not-asked", f"what {_said(login)} may do could not be asked")
        if permission not in WRITERS:
            return Refusal("permission", f"{_said(login)} may not write here (permission: {permission})")
    return None


def _refuse_fork(trigger: Trigger, facts: Facts) -> Refusal | None:
    if not (trigger.pull or trigger.run):
        return None
    if facts.head is None:
        return Refusal("no-head", "the branch that it is about is gone, or could not be asked for")
    return _refuse_elsewhere(facts.head, trigger)


def _refuse_mistake(trigger: Trigger, order: Order) -> Refusal | None:
    if order.fault:
        return _answer(trigger, "mistake", "the order cannot be understood", order.fault)
    if order.verb in RUNS and not trigger.open:
        return _answer(trigger, "closed", "it is closed", "This is closed; reopen it first.")
    return None


def _refuse_head(trigger: Trigger, order: Order, rules: Rules, facts: Facts) -> Refusal | None:
    """Refuse to work on commits that whoever ordered it has not seen."""
    if order.verb in TALK:
        return None
    moment = trigger.updated if trigger.event == "workflow_run" else trigger.created
    if moment is not None and not -SKEW <= facts.now - moment <= rules.age:
        text = "the order is too old, or from the future"
        return _answer(trigger, "old", text, "That order is too old by now; give it again in a new comment.")
    if facts.head is not None and trigger.head.sha and facts.head.sha != trigger.head.sha:
        return _answer(trigger, "moved", "its branch stands on another commit by now", _AGAIN)
    return _refuse_pushed(trigger, facts) if trigger.pull and trigger.event in COMMENTS else None


def _refuse_pushed(trigger: Trigger, facts: Facts) -> Refusal | None:
    if facts.pushed is None:
        return Refusal("push-unknown", "when its branch was last pushed to could not be asked")
    # GitHub tells whole seconds
    if trigger.created is None or int(facts.pushed) >= int(trigger.created):
        return _answer(trigger, "pushed", "its branch was pushed to when or after the order was written", _AGAIN)
    return None


def _refuse_again(trigger: Trigger, order: Order, rules: Rules, facts: Facts) -> Refusal | None:
    if order.verb not in RUNS:
        return None
    if facts.attempts >= rules.attempts:
        text = f"{facts.attempts} runs were made for it, and {rules.attempts} is the most"
        return _answer(trigger, "attempts", text, f"There will be no further run here: {text}.")
    if facts.last is not None and facts.now - facts.last < rules.pause:
        text = f"the last run for it began less than {rules.pause:g} seconds ago"
        return _answer(trigger, "pause", text, f"Not so soon: {text}.")
    return None


def _answer(trigger: Trigger, code: str, text: str, reply: str) -> Refusal:
    """Refuse what a person with the right to write ordered, who is told so where it was a comment."""
    return Refusal(code, text, reply if trigger.event in COMMENTS else "")


def _said(text: str) -> str:
    return repr(escape.line(text, 60))
