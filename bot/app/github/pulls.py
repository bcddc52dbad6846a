"""Opens the pull request that asks for a branch, or updates the one that is there."""

from typing import NamedTuple
from urllib.parse import quote

from bot.app.github.destination import Destination
from bot.app.github.door import log
from bot.core.hub import PullRequest
from bot.errors import ForgeDenied, ForgeError, ForgeRejected
from bot.forge.github.client import GitHub


class Page(NamedTuple):
    """What a pull request is to say."""

    title: str
    body: str
    draft: bool


class Opened(NamedTuple):
    """What became of a pull request."""

    pull: PullRequest | None = None
    compare: str = ""
    """Where a person can open it by hand, where we could not."""
    trouble: str = ""
    """What kept us from it; one line for a person."""


def open_pull(github: GitHub, destination: Destination, page: Page) -> Opened:
    """Open the pull request, or update the one that is there; where that is not allowed, say where to do it."""
    known = destination.pull
    try:
        return Opened(_create(github, destination, page) if known is None else _update(github, known, page))
    except ForgeError as error:
        return Opened(compare=_compare(github, destination), trouble=_explain(error))


def _create(github: GitHub, destination: Destination, page: Page) -> PullRequest:
    pull = github.create_pull(page.title, page.body, destination.branch, destination.base, draft=page.draft)
    # One that was there already says what an earlier run found
    return pull if pull.body == page.body else _update(github, pull, page)


def _update(github: GitHub, pull: PullRequest, page: Page) -> PullRequest:
    edited = github.edit_pull(pull.number, title=page.title, body=page.body)
    if edited.draft != page.draft and not (github.to_draft(edited) if page.draft else github.mark_ready(edited)):
        log(f"whether #{pull.number} is a draft could not be changed")
    return edited


def _compare(github: GitHub, destination: Destination) -> str:
    there = f"{quote(destination.base, safe='')}...{quote(destination.branch, safe='')}"
    return f"{github.site}/{github.name}/compare/{there}?expand=1"


def _explain(error: ForgeError) -> str:
    if isinstance(error, ForgeDenied) and error.setting:
        return "the repository does not let workflows open pull requests (Settings, Actions, General)"
    if isinstance(error, ForgeRejected) and error.reason == "nothing":
        return "there is nothing between the two branches"
    return " ".join(filter(None, (error.message, error.hint and f"({error.hint})")))
