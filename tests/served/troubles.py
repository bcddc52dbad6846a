"""What goes wrong before there is an answer: the connection, and answers that are errors."""

import time
from collections.abc import Iterator, Mapping
from email.utils import formatdate

from tests.served.acts import HTML, JSON, PAGE, fail, hang_up, ignore, late, mumble, reset, send, tell, trickle
from tests.served.row import Row, always
from tests.served.said import Json
from tests.served.server import Act, Exchange, Wire

MAX = 32768
"""Tokens of the window in what services say of it."""


def connection() -> Iterator[Row]:
    """Yield what happens below HTTP, or before its head is whole."""
    yield Row("refuses the connection", "unreachable", always(reset), place="closed")
    yield Row("has a name that does not exist", "unreachable", always(reset), place="nowhere")
    yield Row("answers a secure connection with garbage", "unreachable", always(mumble), place="tls")
    yield Row("resets the connection before it answers", "unreachable", always(reset))
    yield Row("closes the connection before it answers", "unreachable", always(hang_up))
    yield Row("speaks another protocol", "unreachable", always(mumble))
    yield Row("sends the head of its answer byte by byte, without end", "timeout", always(trickle))
    yield Row("never answers", "timeout", always(ignore))
    yield Row("answers when the run's time is up", "late", lambda speaker: late(speaker, 2), seconds=0.3)


def limits() -> Iterator[Row]:
    """Yield what services say to those who ask too often, or have not paid."""
    said = ("rate_limit_error", "Rate limit reached for requests", "rate_limit_exceeded")

    def limited(**headers: str) -> Act:
        return fail(429, *said, headers={name.replace("_", "-"): value for name, value in headers.items()})

    def dated(skew: float) -> Act:
        def act(exchange: Exchange) -> None:
            now = time.time() + skew
            headers = {"Date": formatdate(now, usegmt=True), "Retry-After": formatdate(now + 30, usegmt=True)}
            fail(429, *said, headers=headers)(exchange)

        return act

    yield Row("429, Retry-After: 7", "limited", always(limited(Retry_After="7")), wait=7)
    yield Row("429, Retry-After: a date in 30 s", "limited", always(dated(0)), wait=30)
    yield Row("429, the same, and its clock is an hour late", "limited", always(dated(-3600)), wait=30)
    yield Row("429, retry-after-ms: 1500", "limited", always(limited(retry_after_ms="1500")), wait=1.5)
    yield Row(
        "429, x-ratelimit-reset-tokens: 6m0s", "limited", always(limited(x_ratelimit_reset_tokens="6m0s")), wait=360
    )
    yield Row("429, no word on when", "limited", always(limited()))
    yield Row("429, Retry-After: 86400", "limited", always(limited(Retry_After="86400")), wait=86400)
    yield Row("429, Retry-After: -5", "limited", always(limited(Retry_After="-5")))
    yield Row("429, Retry-After: soon", "limited", always(limited(Retry_After="soon")))
    broke = "You exceeded your current quota, please check your plan and billing details."
    quota = fail(429, "insufficient_quota", broke, "insufficient_quota")
    yield Row("429, the quota is used up", "quota", always(quota))
    low = "Your credit balance is too low to access the API. Please go to Plans & Billing to purchase credits."
    yield Row("400, the credit balance is too low", "quota", always(fail(400, "invalid_request_error", low)))
    yield Row("402", "quota", always(fail(402, "billing_error", "Insufficient credits")))


def faults() -> Iterator[Row]:
    """Yield errors that are the service's own."""
    for status, kind, means in (
        (529, "overloaded_error", "overloaded"),
        (503, "service_unavailable", "overloaded"),
        (500, "api_error", "unavailable"),
        (504, "timeout_error", "unavailable"),
        (408, "timeout_error", "timeout"),
    ):
        yield Row(str(status), means, always(fail(status, kind, "Something went wrong")))  # type: ignore[arg-type]
    yield Row("502, with a page of HTML", "unavailable", always(send(502, PAGE.encode(), HTML)))


def rejections() -> Iterator[Row]:
    """Yield errors that are ours: the key, the model, the address, the request."""
    yield Row("401, and shows the key", "credentials", always(_betray))
    yield Row("403", "credentials", always(fail(403, "permission_error", "Not allowed to use this model")))
    unknown = fail(404, "not_found_error", "The model `smal` does not exist", "model_not_found")
    yield Row("404, no such model", "unknown_model", always(unknown))
    yield Row("404, with a page of HTML", "unknown_model", always(send(404, PAGE.encode(), HTML)))
    yield Row("307, to another host", "unknown_model", always(_send_elsewhere))
    for wording, error in OVERFLOWS.items():
        learned: tuple[Wire, ...] = (
            ("openai", "responses") if "in the completion" in wording or "max_tokens" in wording else ()
        )
        yield Row(f"400, “{wording}”", "overflow", always(_overflow(error)), learned=learned)
    yield Row("413", "overflow", always(fail(413, "request_too_large", "Request exceeds the maximum size")))
    filtered = fail(400, "invalid_request_error", "Output blocked by content filtering policy", "content_filter")
    yield Row("400, the content filter", "refused", always(filtered))
    other = fail(400, "invalid_request_error", "tools.0.function.parameters: unknown keyword")
    yield Row("400, anything else", "rejected", always(other))
    unprocessable = fail(422, "unprocessable_entity", "tools: Input should be a valid list")
    yield Row("422", "rejected", always(unprocessable))
    capped = fail(400, "invalid_request_error", "max_tokens is too large: 4000. This model supports at most 2048")
    yield Row("400, the cap on length is too high", "rejected", always(capped), learned=("openai", "responses"))


OVERFLOWS: Mapping[str, Json] = {
    "maximum context length": {
        "error": {
            "message": f"This model's maximum context length is {MAX} tokens. However, your messages resulted in 40021"
            " tokens. Please reduce the length of the messages.",
            "type": "invalid_request_error",
            "param": "messages",
            "code": "context_length_exceeded",
        }
    },
    "you requested … in the completion": {
        "object": "error",
        "message": f"This model's maximum context length is {MAX} tokens. However, you requested 40021 tokens (39021 in"
        " the messages, 1000 in the completion).",
        "type": "BadRequestError",
        "param": None,
        "code": 400,
    },
    "exceeds the available context size": {
        "error": {
            "code": 400,
            "message": "the request exceeds the available context size, try increasing it",
            "type": "exceed_context_size_error",
            "n_prompt_tokens": 40021,
            "n_ctx": MAX,
        }
    },
    "prompt is too long": {
        "type": "error",
        "error": {"type": "invalid_request_error", "message": f"prompt is too long: 40021 tokens > {MAX} maximum"},
    },
    "input length and max_tokens exceed": {
        "type": "error",
        "error": {
            "type": "invalid_request_error",
            "message": f"input length and `max_tokens` exceed context limit: 32021 + 8000 > {MAX}, decrease input"
            " length or `max_tokens` and try again",
        },
    },
    "input token count … exceeds": {
        "error": {
            "code": 400,
            "message": f"The input token count (40021) exceeds the maximum number of tokens allowed ({MAX}).",
            "status": "INVALID_ARGUMENT",
        }
    },
    "Input is too long": {"message": "Input is too long for requested model."},
}
"""What services of all kinds answer to a prompt that does not fit."""


def _overflow(error: Json) -> Act:
    return lambda exchange: tell(exchange, error, 400)


def key_of(exchange: Exchange) -> str:
    """Return the key that came with a request."""
    headers = exchange.request.headers
    return headers.get("x-api-key") or headers.get("authorization", "").removeprefix("Bearer ")


def _betray(exchange: Exchange) -> None:
    said = f"Incorrect API key provided: {key_of(exchange)}. You can find your key in the console."
    fail(401, "authentication_error", said, "invalid_api_key")(exchange)


def _send_elsewhere(exchange: Exchange) -> None:
    """Send the client to the same server by another name, where the line `elsewhere` notes who comes."""
    port = exchange.socket.getsockname()[1]
    where = f"http://localhost:{port}/elsewhere{exchange.request.path}"
    exchange.answer(307, b"", JSON | {"Location": where})
