import pytest

from bot.errors import (
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
from bot.models.service.faults import from_code, from_status, shield

Kind = type[ModelError]

STATUSES: list[tuple[int, Kind]] = [
    (301, ModelUnknown),
    (308, ModelUnknown),
    (400, ModelRejected),
    (401, ModelDenied),
    (402, QuotaExhausted),
    (403, ModelDenied),
    (404, ModelUnknown),
    (408, ModelTimeout),
    (409, ModelUnavailable),
    (413, ContextOverflow),
    (421, ModelUnavailable),
    (422, ModelRejected),
    (425, ModelUnavailable),
    (426, ModelRejected),
    (429, ModelLimited),
    (451, ModelDenied),
    (498, ModelOverloaded),
    (499, ModelUnavailable),
    (500, ModelUnavailable),
    (501, ModelRejected),
    (502, ModelUnavailable),
    (503, ModelOverloaded),
    (504, ModelUnavailable),
    (520, ModelUnavailable),
    (526, ModelUnavailable),
    (529, ModelOverloaded),
    (530, ModelUnavailable),
    (599, ModelUnavailable),
]

OVERFLOWS = (
    (400, "context_length_exceeded", "Your input exceeds the context window of this model."),
    (400, "", "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."),
    (400, "invalid_request_error", "prompt is too long: 213462 tokens > 200000 maximum"),
    (400, "invalid_request_error", "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000"),
    (400, "exceed_context_size_error", "request (124315 tokens) exceeds the available context size (123904 tokens)"),
    (500, "server_error", "the request exceeds the available context size. try increasing the context size"),
    (500, "api_error", "the input length exceeds the context length"),
    (400, "", "Input is too long for requested model."),
    (400, "", "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)."),
    (400, "", "This model's maximum prompt length is 131072 but the request contains 537812 tokens."),
    (400, "", "Please reduce the length of the messages or completion."),
    (400, "", "prompt has 11543 tokens but the model's window is 4096 tokens"),
    (422, "", "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Too many input tokens"),
    (429, "rate_limit_exceeded", "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 40000."),
)

SAID: list[tuple[int, str, str, Kind]] = [
    *((status, code, words, ContextOverflow) for status, code, words in OVERFLOWS),
    (429, "insufficient_quota", "You exceeded your current quota, please check your plan.", QuotaExhausted),
    (400, "invalid_request_error", "Your credit balance is too low to access the API.", QuotaExhausted),
    (403, "", "Your monthly spending limit reached.", QuotaExhausted),
    (429, "RESOURCE_EXHAUSTED", "You exceeded your current quota. Please retry in 32.5s.", ModelLimited),
    (400, "content_policy_violation", "Your request was rejected.", ModelRefused),
    (400, "content_filter", "The response was filtered due to the content management policy.", ModelRefused),
    (403, "unsupported_country_region_territory", "Country, region, or territory not supported", ModelDenied),
    (400, "", "API key not valid. Please pass a valid API key.", ModelDenied),
    (400, "", "Invalid model name passed in model=gpt-9", ModelUnknown),
    (400, "model_not_found", "The model `x` does not exist", ModelUnknown),
    (400, "tool_use_failed", "Failed to call a function. Please adjust your prompt.", MalformedReply),
    (500, "server_error", "Failed to parse tool call arguments as JSON", MalformedReply),
    (400, "invalid_value", "Invalid value: 'x'. Supported values are: 'auto'.", ModelRejected),
]


@pytest.mark.parametrize(("status", "kind"), STATUSES)
def test_a_status_alone_says_what_it_means(status: int, kind: Kind) -> None:
    fault = from_status(status, {}, "", "")
    assert type(fault) is kind
    assert str(status) in fault.message


@pytest.mark.parametrize(("status", "code", "words", "kind"), SAID)
def test_words_and_codes_say_more_than_the_status(status: int, code: str, words: str, kind: Kind) -> None:
    fault = from_status(status, {}, code, words)
    assert type(fault) is kind
    assert fault.message.count("\n") == 0


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("overloaded_error", ModelOverloaded),
        ("rate_limit_exceeded", ModelLimited),
        ("429", ModelLimited),
        ("insufficient_quota", QuotaExhausted),
        ("invalid_request_error", ModelRejected),
        ("context_length_exceeded", ContextOverflow),
        ("authentication_error", ModelDenied),
        ("server_error", ModelUnavailable),
        ("", ModelUnavailable),
        ("whatever it is", ModelUnavailable),
    ],
)
def test_errors_within_a_stream_have_no_status_and_mean_the_same(code: str, kind: Kind) -> None:
    assert type(from_code(code, "something")) is kind


def test_only_those_that_may_be_asked_again_tell_how_long_to_wait() -> None:
    headers = {"Retry-After": "7"}
    assert from_status(429, headers, "", "").wait == 7
    assert from_status(500, headers, "", "").wait == 7
    assert from_status(401, headers, "", "").wait is None
    assert from_status(429, headers, "insufficient_quota", "").wait is None


def test_a_page_of_a_proxy_is_told_by_its_title() -> None:
    page = "<!DOCTYPE html><html><head><title>502 Bad&nbsp;Gateway</title></head><body>secret</body></html>"
    fault = from_status(502, {}, "", page)
    assert fault.message == "the service is at fault itself (502: 502 Bad Gateway)"
    assert from_status(502, {}, "", "<html><body>nothing to see</body></html>").message.endswith("(502)")


def test_what_a_service_says_is_one_short_line_without_our_key_or_what_a_terminal_obeys() -> None:
    key = "my-own-key-0123456789abcdef"
    words = f"Incorrect API key provided: {key}.\r\n\x1b[2J\x1b]0;owned\x07 \u202egnp \ud800 " + "long " * 1000
    fault = from_status(401, {}, "invalid_api_key", words, secret=key)
    assert key not in fault.message
    assert "[redacted]" in fault.message
    assert fault.message.isprintable()
    assert len(fault.message) < 500
    assert fault.hint
    shown = from_status(400, {}, key, "").message + from_code(key, "", secret=key).message
    assert key not in shown


def test_where_a_service_moved_we_are_told_but_do_not_follow() -> None:
    fault = from_status(307, {"Location": "https://elsewhere.example/"}, "", "")
    assert "base-url" in fault.hint


def test_a_proxy_that_asks_for_a_login_is_not_the_service() -> None:
    fault = from_status(407, {}, "", "")
    assert (fault.kind, fault.message) == ("credentials", "the proxy asks for a login (407)")
    assert "HTTPS_PROXY" in fault.hint


def test_an_error_within_an_answer_has_no_status_that_never_came() -> None:
    assert from_code("", "boom").message == "the service is at fault itself (boom)"
    assert from_code("rate_limit_error", "slow").message.endswith("(rate_limit_error: slow)")


def test_a_page_of_xml_is_told_by_its_words() -> None:
    page = '<?xml version="1.0"?>\n<Error><Code>AccessDenied</Code><Message>not from here</Message></Error>'
    assert from_status(403, {}, "", page).message.endswith("(403: AccessDenied not from here)")


def test_a_key_is_taken_out_of_an_error_wherever_it_came_from() -> None:
    error = MalformedReply("the service answered with text/my-own-key-0123456789abcdef", "check base-url")
    shield(error, "my-own-key-0123456789abcdef")
    assert error.message == str(error) == "the service answered with text/[redacted]"
    shield(error, "")
