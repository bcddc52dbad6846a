"""What an answer of GitHub that is none of success means, and what a person can do about it."""

import math
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import NamedTuple

from pydantic import JsonValue, TypeAdapter, ValidationError

from bot.core.escape import line
from bot.errors import (
    ForgeDenied,
    ForgeError,
    ForgeLimited,
    ForgeNotFound,
    ForgeRejected,
    ForgeUnavailable,
    RejectedFor,
)

LONGEST = 300
"""Characters of GitHub's own words in a message."""
LATEST = 1e6
"""Seconds of a wait that is still believed."""
SERVER = 500
TOO_MANY = 429
CHARS = 200_000
"""Characters of an answer that are searched for its reason."""

_LIMIT = re.compile(r"rate limit|abuse detection|retry your request again later|submitted too quickly", re.IGNORECASE)
_SETTING = re.compile(r"not permitted to create or approve pull requests", re.IGNORECASE)
_PERMISSION = re.compile(r"resource not accessible by|must have \w+ rights|forbidden", re.IGNORECASE)
_REASONS: Mapping[RejectedFor, re.Pattern[str]] = {
    "nothing": re.compile(r"no commits between|no new commits", re.IGNORECASE),
    "exists": re.compile(r"already[ _]exists", re.IGNORECASE),
    "too_long": re.compile(r"too[ _](?:long|large)|exceeds (?:the|a) maximum", re.IGNORECASE),
    "unresolved": re.compile(r"could not resolve to an? ", re.IGNORECASE),
    "protected": re.compile(r"protected (?:branch|ref)|rule violation|branch protection", re.IGNORECASE),
    "draft": re.compile(r"draft pull requests? (?:is|are) not supported", re.IGNORECASE),
}
_AREAS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(path), area)
    for path, area in (
        (r"/pulls\b", "pull-requests"),
        (r"/issues\b|/labels\b", "issues"),
        (r"/check-runs\b", "checks"),
        (r"/actions\b", "actions"),
        (r"/(?:git|branches|compare|activity|commits)\b", "contents"),
        (r"/graphql$", "pull-requests"),
    )
)


class Answer(NamedTuple):
    """What GitHub answered to what."""

    verb: str
    path: str
    """Below the repository, where it is."""
    status: int
    headers: Mapping[str, str]
    """By name in lower case."""
    body: str

    @property
    def asked(self) -> str:
        """What was asked, and the number that it was answered with, for a message."""
        return f"{self.status} at {self.verb} {self.path}"

    @property
    def date(self) -> float | None:
        """What GitHub's clock says."""
        return _date(self.headers.get("date", ""))


def find_fault(answer: Answer) -> ForgeError:
    """Say what is wrong with an answer that is no success."""
    words = find_words(answer.body)
    said = f"{answer.asked}: {words}" if words else answer.asked
    limited = _limited(answer, words, said)
    if limited is not None:
        return limited
    match answer.status:
        case 401:
            return ForgeDenied(
                f"GitHub does not accept the token ({said})",
                "give the job a token that is valid: the job's own GITHUB_TOKEN, an App's, or a personal one",
                cause="token",
            )
        case 403 | 451:
            return _denied(answer, words, said)
        case 404 | 410:
            return ForgeNotFound(f"GitHub has nothing there, or hides it from this token ({said})")
        case status if status >= SERVER:
            return ForgeUnavailable(f"GitHub is at fault itself ({said})", wait=_retry_after(answer))
    return _rejected(answer, words, said)


def _limited(answer: Answer, words: str, said: str) -> ForgeLimited | None:
    if answer.status not in (403, TOO_MANY, 422):
        return None
    told = _retry_after(answer)
    spent = answer.headers.get("x-ratelimit-remaining", "") == "0"
    reset = _number(answer.headers.get("x-ratelimit-reset", ""))
    if told is None and spent and reset is not None:
        told = _until(answer, reset)
    if answer.status == TOO_MANY or (answer.status != 422 and (told is not None or spent)) or _LIMIT.search(words):  # noqa: PLR2004 - a request that is wrong in itself
        end = "" if told is None else f" until {_clock(answer, told)}"
        return ForgeLimited(f"GitHub takes no more requests of this token{end} ({said})", "try again then", wait=told)
    return None


def _denied(answer: Answer, words: str, said: str) -> ForgeDenied:
    if _SETTING.search(words):
        return ForgeDenied(
            f"a setting of the repository keeps workflows from opening pull requests ({said})",
            "under Settings, Actions, General, allow GitHub Actions to create and approve pull requests",
            cause="setting",
        )
    if "x-github-sso" in answer.headers:
        return ForgeDenied(
            f"the organization asks for single sign-on ({said})", "authorize the token for it in your settings"
        )
    missing = find_permission(answer)
    if not missing or not (words == "" or _PERMISSION.search(words)):
        return ForgeDenied(f"GitHub does not allow this ({said})")
    return ForgeDenied(
        f"the token may not do this: it lacks {missing} ({said})",
        f"write `{missing}` below `permissions:` of the job; an App or a personal token has it in its own settings",
        cause="permission",
        permission=missing,
    )


def find_permission(answer: Answer) -> str:
    """Say which permission a request takes, as a workflow writes it; empty where nothing tells."""
    told = answer.headers.get("x-accepted-github-permissions", "")
    # Sets of permissions, of which one is enough, stand between semicolons
    named = re.findall(r"([a-z_]{2,40})=(read|write|admin)\b", told.split(";")[0])
    if named:
        return ", ".join(f"{area.replace('_', '-')}: {level}" for area, level in named)
    level = "read" if answer.verb == "GET" else "write"
    return next((f"{area}: {level}" for path, area in _AREAS if path.search(answer.path)), "")


def _rejected(answer: Answer, words: str, said: str) -> ForgeRejected:
    reason = next((name for name, pattern in _REASONS.items() if pattern.search(words)), None)
    if reason is None:
        reason = "conflict" if answer.status == 409 else "other"  # noqa: PLR2004 - the number of a conflict
    return ForgeRejected(f"GitHub does not carry this out ({said})", reason=reason)


def find_words(body: str) -> str:
    """Return what an error says of itself, on one line; empty for a page that is no JSON."""
    try:
        told = _JSON.validate_json(body[:CHARS])
    except ValidationError:
        return ""
    return line("; ".join(dict.fromkeys(_words(told))), LONGEST)


_JSON: TypeAdapter[JsonValue] = TypeAdapter(JsonValue)


def _words(told: JsonValue) -> Iterator[str]:
    if isinstance(told, str):
        yield told
    elif isinstance(told, list):
        for item in told:
            yield from _words(item)
    elif isinstance(told, dict):
        if isinstance(told.get("message"), str):
            yield str(told["message"])
        elif isinstance(told.get("code"), str):
            yield f"{told.get('field') or told.get('resource') or ''} {told['code']}".strip()
        yield from _words(told.get("errors"))


def _retry_after(answer: Answer) -> float | None:
    told = answer.headers.get("retry-after", "")
    seconds = _number(told)
    if seconds is not None:
        return min(seconds, LATEST)
    moment = _date(told)
    return None if moment is None else _until(answer, moment)


def _until(answer: Answer, moment: float) -> float:
    """Count the seconds until a moment by GitHub's clock, or ours where it tells none."""
    now = answer.date
    return min(max(moment - (datetime.now(UTC).timestamp() if now is None else now), 0.0), LATEST)


def _clock(answer: Answer, wait: float) -> str:
    now = datetime.now(UTC) if answer.date is None else datetime.fromtimestamp(answer.date, UTC)
    return f"{now + timedelta(seconds=wait):%H:%M:%S} UTC, in {math.ceil(wait)} s"


def _number(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\d{1,15}(?:\.\d{1,6})?", text, re.ASCII) else None


def _date(text: str) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp()
    except (TypeError, ValueError, OverflowError, IndexError):
        return None
