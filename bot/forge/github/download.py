"""The log of a CI job, fetched from where GitHub keeps it, which may not see our token."""

import time
from collections import deque
from urllib.parse import urljoin, urlsplit

from bot.errors import ForgeUnavailable
from bot.forge.github.faults import SERVER, Answer
from bot.forge.github.limits import LOG
from bot.forge.github.line import open_session, pieces, within
from bot.forge.github.wire import ERROR, Wire

MOST = float("inf")


def download(answer: Answer, wire: Wire) -> str | None:
    """Follow GitHub's answer without the token; None where nothing is kept there any more. Raises ForgeUnavailable."""
    url = urljoin(wire.api_url, answer.headers.get("location", ""))
    if urlsplit(url).scheme not in ("https", urlsplit(wire.api_url).scheme):
        wire.log("the log of the job lies where only an open connection leads; left there")
        return None
    attempt = 0
    while True:
        attempt, started = attempt + 1, time.monotonic()
        try:
            return _fetch(url, answer, wire)
        except ForgeUnavailable as fault:
            if not wire.waiting.pause(fault, attempt, started):
                raise


def _fetch(url: str, answer: Answer, wire: Wire) -> str | None:
    try:
        status, end = within(wire.patience.log + wire.patience.connect, lambda: _tail(url, wire))
    except (OSError, ValueError):
        raise ForgeUnavailable(f"the log of the job cannot be fetched ({answer.path})") from None
    if status >= SERVER:
        raise ForgeUnavailable(f"the log of the job cannot be fetched ({status} after {answer.path})")
    if status >= ERROR:
        wire.log(f"the log of the job is not kept any more ({status} after {answer.path})")
        return None
    return end.decode("utf-8", "replace").removeprefix("\ufeff")


def _tail(url: str, wire: Wire) -> tuple[int, bytes]:
    """Return the status and the last bytes. Raises OSError."""
    deadline = time.monotonic() + wire.patience.log
    patience = (wire.patience.connect, wire.patience.read)
    with open_session() as session, session.get(url, timeout=patience, stream=True) as response:
        kept: deque[bytes] = deque()
        size = 0
        for piece in pieces(response, deadline, MOST):
            kept.append(piece)
            size += len(piece)
            while size - len(kept[0]) >= LOG:
                size -= len(kept.popleft())
        return response.status_code, b"".join(kept)[-LOG:]
