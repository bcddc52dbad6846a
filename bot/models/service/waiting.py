"""How long a service asks us to wait, out of what it says of that."""

import re
from collections.abc import Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime

LATEST = 1e6
"""Seconds of a wait that is still believed."""
MOMENT = 1e9
"""From here on a number is no duration but a moment, in seconds since 1970; from a thousand times that, in ms."""

_NUMBER = re.compile(r"\d{1,15}(?:\.\d{0,12})?", re.ASCII)
_SPAN = re.compile(
    r"(?=\d)(?:(\d{1,6})h)?(?:(\d{1,6})m(?!s))?(?:(\d{1,6}(?:\.\d{1,9})?)s)?(?:(\d{1,9}(?:\.\d{1,9})?)ms)?"
)
_SAID = re.compile(
    r"(?:try again|retry)(?: after| in)\s{1,3}(\d[\d.hms]{0,20}|\d[\d.]{0,12}(?= ?seconds))", re.IGNORECASE
)
_LIMITS = ("requests", "tokens", "input-tokens", "output-tokens")
_SPELLINGS = ("x-ratelimit-{what}-{limit}", "anthropic-ratelimit-{limit}-{what}")


def find_wait(headers: Mapping[str, str], message: str = "") -> float | None:
    """Return the seconds that an answer asks us to wait, by its own clock; None where it does not say."""
    told = {name.lower(): value.strip() for name, value in headers.items()}
    now = _moment(told.get("date", ""))
    exact = _number(told.get("retry-after-ms", ""))
    if exact is not None:
        return min(exact / 1000, LATEST)
    for wait in (_until(told.get("retry-after", ""), now), _reset(told, now), _spoken(message)):
        if wait is not None:
            return wait
    return None


def _reset(told: Mapping[str, str], now: float | None) -> float | None:
    """Return when the limits begin anew that are used up, or all of them where none says so."""
    waits, spent = list[float](), list[float]()
    for spelling in _SPELLINGS:
        for limit in _LIMITS:
            wait = _until(told.get(spelling.format(what="reset", limit=limit), ""), now)
            if wait is not None:
                waits.append(wait)
                if told.get(spelling.format(what="remaining", limit=limit)) == "0":
                    spent.append(wait)
    plain = _until(told.get("x-ratelimit-reset", ""), now)
    return max(spent or waits, default=plain)


def _until(text: str, now: float | None) -> float | None:
    """Read a duration or a moment; a moment says nothing without the time of the same clock."""
    number = _number(text)
    if number is not None and number < MOMENT:
        return min(number, LATEST)
    if number is None:
        span = _span(text)
        if span is not None:
            return span
    moment = _moment(text) if number is None else number if number < MOMENT * 1000 else number / 1000
    return None if moment is None or now is None else min(max(moment - now, 0.0), LATEST)


def _spoken(message: str) -> float | None:
    found = _SAID.search(message[:2000])
    if found is None:
        return None
    text = found[1].rstrip(".")
    number = _number(text)
    return _span(text) if number is None else min(number, LATEST)


def _number(text: str) -> float | None:
    return float(text) if _NUMBER.fullmatch(text) else None


def _span(text: str) -> float | None:
    """Read `6m0s`, `1.5s`, `20ms`."""
    found = _SPAN.fullmatch(text)
    if found is None:
        return None
    hours, minutes, seconds, thousandths = (float(part or 0) for part in found.groups())
    return min(hours * 3600 + minutes * 60 + seconds + thousandths / 1000, LATEST)


def _moment(text: str) -> float | None:
    """Read the date of a header, or one as RFC 3339 has it."""
    for read in (parsedate_to_datetime, datetime.fromisoformat):
        try:
            moment = read(text)
            return moment.timestamp() if moment.tzinfo is not None else None
        except (TypeError, ValueError, OverflowError, IndexError):
            continue
    return None
