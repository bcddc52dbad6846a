"""Reads the payload of an event, as GitHub sends it, into the `Trigger` that we go by."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, TypeVar

from pydantic import ValidationError
from pydantic_core import from_json

from bot.core import escape
from bot.core.trigger.trigger import Account, AccountKind, CiRun, EventName, Head, Spot, Trigger
from bot.core.trigger.webhook import (
    Delivery,
    Dispatch,
    End,
    IssueComment,
    Issues,
    Page,
    Remark,
    Repo,
    ReviewComment,
    Run,
    Schedule,
    User,
    WorkflowRun,
)
from bot.errors import ConfigError

LARGEST = 25 << 20
"""Bytes of a payload; GitHub sends no larger one."""

_HINT = "the file that GITHUB_EVENT_PATH names must be the payload as GitHub sent it"
_FULL_NAME = re.compile(r"[\w.-]{1,100}/[\w.-]{1,100}", re.ASCII)
_ISSUE = re.compile(
    r"(?:#?|https?://[^\s/?#]+/(?P<repository>[^\s?#]+)/(?P<kind>issues|pull)/)(?P<number>\d{1,9})(?:[/?#]\S*)?"
)
_BRANCH = "refs/heads/"
_BOM = b"\xef\xbb\xbf"

D = TypeVar("D", bound=Delivery)


def read_trigger(event: str, payload: bytes, repository: str = "") -> Trigger:
    """Read an event.

    `repository` is OWNER/NAME as the runner says it, against which the payload is held; empty takes the payload's word.
    Raises ConfigError for events that we do not answer and for whatever is no payload of theirs.
    """
    fold = _FOLDS.get(event)
    if fold is None:
        raise ConfigError(f"there is nothing to do for the event {escape.line(event, 40)!r}", f"it may be {_named()}")
    return fold(_parse(event, payload), repository)


def _named() -> str:
    return ", ".join(_FOLDS)


def _parse(event: str, payload: bytes) -> object:
    if len(payload) > LARGEST:
        raise ConfigError(f"the payload of {event} has {len(payload):,} bytes, more than GitHub sends", _HINT)
    text = payload.removeprefix(_BOM)
    try:
        value: object = from_json(text, allow_inf_nan=False)
        # The strict reader takes the last of two values of one name, and others the first
        json.loads(text, object_pairs_hook=_no_twins)
    except (ValueError, RecursionError) as error:
        _reject(event, f"it is not JSON as GitHub writes it: {error}")
    return value


def _no_twins(pairs: Sequence[tuple[str, object]]) -> None:
    names = [name for name, _ in pairs]
    if len(set(names)) != len(names):
        twin = next(name for at, name in enumerate(names) if name in names[:at])
        raise ValueError(f"{escape.line(twin, 40)!r} is given twice")


def _reject(event: str, why: str) -> NoReturn:
    raise ConfigError(f"the payload of {event} cannot be read: {escape.line(why)}", _HINT) from None


def _fit(kind: type[D], event: str, value: object) -> D:
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "the whole of it"
        said = first["msg"].removeprefix("Value error, ").partition(" or instance of")[0]
        _reject(event, f"{where}: {said[:1].lower()}{said[1:]}")


def _trigger(event: EventName, delivery: Delivery, repository: str, **rest: Any) -> Trigger:
    """Make a trigger, for the one repository that payload and runner agree on. Raises ConfigError."""
    told = delivery.repository
    name = told.full_name or repository
    if not _FULL_NAME.fullmatch(name):
        _reject(event, "it names no repository, OWNER/NAME")
    if repository and name.casefold() != repository.casefold():
        _reject(event, f"it is about {name}, and this is {repository}")
    known = {
        "event": event,
        "action": delivery.action,
        "repository": name,
        "repository_id": told.id,
        "default_branch": told.default_branch,
        "sender": _account(delivery.sender),
        "url": told.html_url,
    }
    return Trigger.model_validate({**known, **rest})


def _issue_comment(value: object, repository: str) -> Trigger:
    told = _fit(IssueComment, "issue_comment", value)
    pull = told.issue.pull_request is not None
    return _trigger("issue_comment", told, repository, **_page(told.issue), **_remark(told.comment), pull=pull)


def _issues(value: object, repository: str) -> Trigger:
    """Read what happened to an issue: whoever did it gives the order, when the issue changed last."""
    told = _fit(Issues, "issues", value)
    page, moment = told.issue, told.issue.updated_at
    return _trigger(
        "issues",
        told,
        repository,
        **_page(page),
        pull=page.pull_request is not None,
        author=_account(told.sender),
        created=moment,
        updated=moment,
        label=told.label.name,
        url=page.html_url,
    )


def _review_comment(value: object, repository: str) -> Trigger:
    told = _fit(ReviewComment, "pull_request_review_comment", value)
    page, comment = told.pull_request, told.comment
    return _trigger(
        "pull_request_review_comment",
        told,
        repository,
        **_page(page),
        **_remark(comment),
        pull=True,
        head=_end(page.head),
        base=page.base.ref,
        spot=Spot(path=comment.path, line=comment.line or comment.original_line, hunk=comment.diff_hunk),
    )


def _workflow_run(value: object, repository: str) -> Trigger:
    told = _fit(WorkflowRun, "workflow_run", value)
    run = told.workflow_run
    actors = [account for account in map(_account, (run.actor, run.triggering_actor)) if account]
    return _trigger(
        "workflow_run",
        told,
        repository,
        title=run.display_title,
        actors=actors,
        created=run.run_started_at or run.created_at,
        updated=run.updated_at,
        head=Head(sha=run.head_sha, ref=run.head_branch, repository=_full_name(run.head_repository)),
        run=_ci(run, told.repository),
        url=run.html_url,
    )


def _dispatch(value: object, repository: str) -> Trigger:
    told = _fit(Dispatch, "workflow_dispatch", value)
    named = told.inputs.issue
    found = _ISSUE.fullmatch(str(named).strip())
    # The first name on a server of one's own may be that of a folder
    elsewhere = found and found["repository"] and f"/{found['repository']}".casefold()
    if str(named).strip() and not found:
        raise ConfigError(f"the input issue, {escape.line(str(named), 60)!r}, names no issue", "give its number")
    if elsewhere and not elsewhere.endswith(f"/{told.repository.full_name or repository}".casefold()):
        raise ConfigError("the input issue is one of another repository", "give the number of an issue of this one")
    return _trigger(
        "workflow_dispatch",
        told,
        repository,
        number=int(found["number"]) if found else 0,
        pull=found is not None and found["kind"] == "pull",
        text=told.inputs.task,
        author=_account(told.sender),
        head=Head(ref=_branch(told.ref), repository=told.repository.full_name or repository),
        base=_branch(told.inputs.base) or told.inputs.base,
    )


def _schedule(value: object, repository: str) -> Trigger:
    return _trigger("schedule", _fit(Schedule, "schedule", value), repository)


def _page(page: Page) -> Mapping[str, Any]:
    return {
        "number": page.number,
        "title": page.title,
        "body": page.body,
        "writer": _account(page.user),
        "open": page.state.casefold() == "open",
    }


def _remark(comment: Remark) -> Mapping[str, Any]:
    return {
        "comment": comment.id,
        "text": comment.body,
        "author": _account(comment.user),
        "created": comment.created_at,
        "updated": comment.updated_at,
        "url": comment.html_url,
    }


def _ci(run: Run, repository: Repo) -> CiRun:
    own = [pull.number for pull in run.pull_requests if pull.base.repo and 0 < pull.base.repo.id == repository.id]
    return CiRun(
        id=run.id,
        attempt=run.run_attempt,
        name=run.name,
        path=run.path,
        conclusion=run.conclusion,
        cause=run.event,
        url=run.html_url,
        pulls=tuple(own),
    )


def _account(user: User | None) -> Account | None:
    if user is None or not (user.id and user.login):
        return None
    kind: AccountKind = "other"
    if user.type in ("User", "Bot", "Organization"):
        kind = user.type  # type: ignore[assignment] # looked up in the line above
    return Account(id=user.id, login=user.login, kind=kind)


def _end(end: End) -> Head:
    return Head(sha=end.sha, ref=end.ref, repository=_full_name(end.repo))


def _full_name(repo: Repo | None) -> str:
    return repo.full_name if repo else ""


def _branch(ref: str) -> str:
    return ref.removeprefix(_BRANCH) if ref.startswith(_BRANCH) else ""


_FOLDS: Mapping[str, Callable[[object, str], Trigger]] = {
    "issue_comment": _issue_comment,
    "issues": _issues,
    "pull_request_review_comment": _review_comment,
    "workflow_run": _workflow_run,
    "workflow_dispatch": _dispatch,
    "schedule": _schedule,
}
