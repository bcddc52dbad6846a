"""An issue at GitHub as a task for a run on a person's machine."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from bot.app.desk import Asked
from bot.app.github.home import Home, find_home
from bot.app.github.tasks import find_source, tell_goal
from bot.core.hub import Issue
from bot.core.publication.attention import HIDDEN
from bot.core.trigger.gate import WRITERS
from bot.core.trigger.order import Order
from bot.core.trigger.trigger import Trigger
from bot.core.untrusted import hides
from bot.errors import ForgeDenied, ForgeNotFound, UsageError
from bot.git.pull import Place, read_place
from bot.git.repository import open_repository

EXAMPLE = "--issue takes a number, or an address like https://github.com/OWNER/NAME/issues/12"

_NUMBER = re.compile(r"#?(?P<number>[1-9][0-9]{0,8})", re.ASCII)
_PAGE = re.compile(
    r"(?P<path>[^/]+/[^/]+)/(?P<kind>issues|pulls?)/(?P<number>[1-9][0-9]{0,8})(?:/.*)?", re.ASCII | re.IGNORECASE
)


class Named(NamedTuple):
    """An issue that a person named."""

    number: int
    page: Place | None = None
    """The repository that its address names."""


def read_issue(directory: Path, what: str, words: str, flags: Mapping[str, object]) -> Asked:
    """Make a task of an issue; words beside it say what is wanted. Raises UsageError, ForgeError."""
    named = read_name(what)
    home = find_home(open_repository(directory), named.page)
    issue = _fetch(home, named.number)
    trigger = Trigger(
        event="desk",
        repository=home.known.full_name,
        number=issue.number,
        title=issue.title,
        body=issue.body,
        author=issue.author,
        url=issue.url,
    )
    goal = tell_goal(trigger, Order(verb="fix", words=words))
    stranger = "" if flags.get("trust") else _doubt(home, issue)
    return Asked(
        goal=goal,
        flags={**flags, "trust": "untrusted"} if stranger else flags,
        source=find_source(trigger),
        notes=tuple(filter(None, (stranger, HIDDEN if hides(goal) else ""))),
    )


def read_name(what: str) -> Named:
    """Understand `12`, `#12` or the address of an issue. Raises UsageError."""
    short = _NUMBER.fullmatch(what)
    if short is not None:
        return Named(int(short["number"]))
    place = read_place(what) if re.match(r"https?://", what, re.IGNORECASE) else None
    page = _PAGE.fullmatch(place.path) if place is not None else None
    if place is None or page is None:
        raise UsageError(f"not an issue: {what[:200]!r}", EXAMPLE)
    if page["kind"] != "issues":
        raise _is_pull(int(page["number"]))
    return Named(int(page["number"]), place._replace(path=page["path"]))


def _is_pull(number: int) -> UsageError:
    hint = "say in words what is to be done, from its branch: git agent fix --base BRANCH TASK"
    return UsageError(f"#{number} is a pull request, not an issue", hint)


def _fetch(home: Home, number: int) -> Issue:
    """Read an issue that is to be worked on. Raises UsageError, ForgeError."""
    try:
        issue = home.github.issue(number)
    except ForgeNotFound as error:
        text = f"{home.known.full_name} has no issue {number}, or the token may not see it"
        raise UsageError(text, "give the address of the issue if it belongs to another remote") from error
    if issue.pull:
        raise _is_pull(number)
    if not issue.open:
        text = f"issue {number} of {home.known.full_name} is closed"
        raise UsageError(text, "reopen it, or say in words what is to be done")
    return issue


def _doubt(home: Home, issue: Issue) -> str:
    """Say why the text of an issue is not to be trusted; empty where its author may write to the repository."""
    login = issue.author.login if issue.author is not None else ""
    try:
        power = home.github.permission(login) if login else "none"
    except ForgeDenied:
        return f"what {login} may do here is not told to this token: the task is untrusted (--trust)"
    who = f"{login}, who may not write here" if login else "a deleted account"
    return "" if power in WRITERS else f"the issue is by {who}: the task is untrusted (--trust)"
