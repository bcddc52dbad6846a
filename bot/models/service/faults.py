"""What an answer of a model service that is none of success means, and what a person can do about it."""

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from bot.core.escape import line
from bot.core.redact import Redactor
from bot.errors import (
    FREE,
    Billed,
    ContextOverflow,
    MalformedReply,
    ModelDenied,
    ModelError,
    ModelLimited,
    ModelOverloaded,
    ModelRefused,
    ModelRejected,
    ModelTimeout,
    ModelUnavailable,
    ModelUnknown,
    QuotaExhausted,
)
from bot.models.service.route import LOGIN
from bot.models.service.waiting import find_wait

LONGEST = 300
"""Characters of a service's own words in a message."""
SEARCHED = 20_000
"""Characters of them that are looked at."""
MOVED, WRONG, UNPAID, PROXY, TOO_LARGE, TOO_MANY, SERVER = 300, 400, 402, 407, 413, 429, 500

Kind: TypeAlias = type[ModelError]

_PAGE = re.compile(r"\s*<(?:!doctype|html|head|\?xml|body|center|h1|error)\b", re.IGNORECASE)
_XML = re.compile(r"\s*<(?:\?xml|error)\b", re.IGNORECASE)
_TITLE = re.compile(r"<(title|h1)[^>]{0,200}>(.{0,400}?)</\1", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<[^>]{0,500}>")
_OVERFLOW = re.compile(
    r"context[_ ]length[_ ]exceeded|exceed_context_size|request_too_large|string_above_max_length|model_context_window"
    r"|prompt is too long|input is too long|maximum (?:context|prompt|input) (?:length|size)|max_model_len"
    r"|(?:exceed\w*|greater than|larger than|longer than|beyond)(?: the| its| this)?(?: \w+){0,3}"
    r" (?:context (?:window|length|size|limit)|input token|token limit)"
    r"|context (?:window|length|size)(?: of \d+| limit)?(?: \w+)? (?:exceed|is full|overflow)|context overflow"
    r"|too many (?:input )?tokens|(?:input|prompt) token\w*(?: count)?.{0,40}exceed|model token limit"
    r"|reduce the length of (?:the|your) (?:messages|prompt|input)|request too large for|prompt (?:has|is) \d+ tokens",
    re.IGNORECASE,
)
_UNPAID = re.compile(
    r"insufficient[_ ](?:quota|balance|credit|fund)|credit balance is too low|billing_(?:hard_limit|not_active|error)"
    r"|payment[_ ]required|out of credits|(?:spend|spending|budget|usage)[_ ](?:limit|cap)\w* (?:reached|exceeded)",
    re.IGNORECASE,
)
_SPENT = re.compile(r"exceeded your current quota", re.IGNORECASE)
"""Said of what is paid for, and by some of what is given in a minute: those say when to come again."""
_REFUSED = re.compile(
    r"content[_ ](?:policy|filter|management)|_policy(?:_violation)?\b|responsible_?ai|safety (?:system|filter|reasons)"
    r"|moderation|flagged|prompt blocked",
    re.IGNORECASE,
)
_BUNGLED = re.compile(r"tool_use_failed|failed to (?:parse|call) (?:a )?(?:tool|function)", re.IGNORECASE)
"""A call of the model's that its server could not read."""
_UNKNOWN = re.compile(
    r"model_not_found|no such model|unknown[_ ]model|invalid[_ ]model\b|invalid model name"
    r"|\bmodel\b.{0,120}(?:not found|does not exist|is not supported|not a valid|is not available|not loaded)"
    r"|not a valid model|deployment ?not ?found",
    re.IGNORECASE,
)
_KEYLESS = re.compile(
    r"(?:invalid|incorrect|missing|no)[_ ](?:api[_ -]?key|x-api-key|credentials)|api[_ ]key[_ ]invalid"
    r"|authentication_error|api key (?:not valid|expired)",
    re.IGNORECASE,
)

_CODES: Mapping[str, int] = {
    "api_error": 500,
    "authentication_error": 401,
    "billing_error": 402,
    "content_filter": 400,
    "content_policy_violation": 400,
    "bio_policy": 400,
    "context_length_exceeded": 400,
    "engine_overloaded": 503,
    "insufficient_quota": 429,
    "invalid_api_key": 401,
    "invalid_prompt": 400,
    "invalid_request_error": 400,
    "misalignment_policy_violation": 400,
    "model_not_found": 404,
    "not_found_error": 404,
    "overloaded_error": 529,
    "permission_error": 403,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "request_too_large": 413,
    "server_is_overloaded": 503,
    "slow_down": 503,
    "timeout_error": 504,
}
"""The status that a service would have answered with, had it known in time what it says within a stream."""

_STATUSES: Mapping[int, Kind] = {
    401: ModelDenied,
    403: ModelDenied,
    404: ModelUnknown,
    405: ModelUnknown,
    407: ModelDenied,
    408: ModelTimeout,
    409: ModelUnavailable,
    410: ModelUnknown,
    421: ModelUnavailable,
    423: ModelUnavailable,
    424: ModelUnavailable,
    425: ModelUnavailable,
    429: ModelLimited,
    444: ModelUnavailable,
    449: ModelUnavailable,
    451: ModelDenied,
    460: ModelUnavailable,
    498: ModelOverloaded,
    499: ModelUnavailable,
    501: ModelRejected,
    503: ModelOverloaded,
    505: ModelRejected,
    511: ModelRejected,
    529: ModelOverloaded,
}

_SAID: Mapping[Kind, tuple[str, str]] = {
    ModelDenied: ("the service does not accept the key", "give a key that is valid for this service and this model"),
    QuotaExhausted: (
        "nothing is left to pay the service with",
        "add credit there, raise its limit, or choose another model",
    ),
    ModelUnknown: ("the service has no such model", "check --model, and base-url: it mostly ends in /v1"),
    ModelTimeout: ("the service took too long", ""),
    ContextOverflow: ("the prompt does not fit the model's window", "choose a model with a larger window"),
    MalformedReply: ("the model's call could not be read", ""),
    ModelRefused: ("the service refuses to answer this", "say the task in other words, or choose another model"),
    ModelLimited: ("the service takes no more requests for now", "try again later, or raise the limit there"),
    ModelOverloaded: ("the service is overloaded", "try again later, or choose another model"),
    ModelUnavailable: ("the service is at fault itself", "try again later"),
    ModelRejected: ("the service rejects the request", ""),
}
_MOVED = "the service is at another address", "set base-url to it: no redirect is followed, so that no key goes astray"
_FORBIDDEN = (
    "the service does not allow this key to do this",
    "allow it there: the model, the project, or the country that you are in",
)


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    code: str
    words: str
    """What it says, code and all."""
    wait: float | None


def from_status(
    status: int, headers: Mapping[str, str], code: str, message: str, billed: Billed = FREE, secret: str = ""
) -> ModelError:
    """Say what is wrong with an answer: its status, headers, its error's code and type, and its words or page.

    `secret` is our key, which must not be shown.
    """
    told = find_words(message)
    answer = _Answer(status, code, f"{code} {told}", find_wait(headers, told))
    return _explain(answer, f"{status}: {told}" if told else str(status), billed, secret)


def from_code(code: str, message: str, billed: Billed = FREE, secret: str = "") -> ModelError:
    """Say what an error within a stream means, by its code or type."""
    told = find_words(message)
    number = int(code) if re.fullmatch(r"[1-5]\d\d", code, re.ASCII) else 0
    status = number or next((value for name, value in _CODES.items() if name in code.lower()), SERVER)
    answer = _Answer(status, code, f"{code} {told}", find_wait({}, told))
    return _explain(answer, ": ".join(filter(None, (code[:60], told))), billed, secret)


def _explain(answer: _Answer, said: str, billed: Billed, secret: str) -> ModelError:
    kind, status = _kind(answer), answer.status
    summary, hint = _FORBIDDEN if kind is ModelDenied and status in (403, 451) else _SAID[kind]
    if MOVED <= status < WRONG:
        summary, hint = _MOVED
    elif status == PROXY:
        summary, hint = "the proxy asks for a login", LOGIN
    shown = Redactor((secret,) if secret else ()).text(f"{summary} ({said})" if said else summary)
    return kind(
        line(shown, LONGEST + 100),
        hint,
        wait=answer.wait if issubclass(kind, ModelUnavailable) else None,
        billed=billed,
    )


def find_words(message: str) -> str:
    """Bring a service's own words onto one short line: the title of a page, nothing where that has none."""
    head = message[:SEARCHED]
    if _PAGE.match(head):
        found = _TITLE.search(head)
        shown = found[2] if found else head if _XML.match(head) else ""
        head = html.unescape(_TAG.sub(" ", shown))
    return line(head, LONGEST)


def _kind(answer: _Answer) -> Kind:
    status = answer.status
    if MOVED <= status < WRONG:
        return ModelUnknown
    if status == TOO_LARGE or (status in (WRONG, 422, TOO_MANY, SERVER) and _OVERFLOW.search(answer.words)):
        return ContextOverflow
    if status == UNPAID or (WRONG <= status < SERVER and _is_unpaid(answer)):
        return QuotaExhausted
    if status in (WRONG, 422, SERVER) and _BUNGLED.search(answer.words):
        return MalformedReply
    if status in (WRONG, 403, 422, 451) and _REFUSED.search(answer.words):
        return ModelRefused
    return _by_status(answer)


def _is_unpaid(answer: _Answer) -> bool:
    return bool(_UNPAID.search(answer.words) or (answer.wait is None and _SPENT.search(answer.words)))


def _by_status(answer: _Answer) -> Kind:
    known = _STATUSES.get(answer.status)
    if known is not None:
        return known
    if answer.status >= SERVER:
        return ModelUnavailable
    if _KEYLESS.search(answer.words):
        return ModelDenied
    return ModelUnknown if _UNKNOWN.search(answer.words) else ModelRejected


def shield(error: ModelError, secret: str) -> None:
    """Take our key out of an error that holds a service's words, whatever header or page they come from."""
    shown = Redactor((secret,)).text(error.message) if secret else error.message
    if shown != error.message:
        error.message, error.args = shown, (shown,)
