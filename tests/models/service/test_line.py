from collections.abc import Iterator

import httpx2
import pytest

from bot.errors import ModelTimeout, ModelUnreachable, StreamCut
from bot.models.service.guard import Guard, Timing
from bot.models.service.line import explain, open_line
from tests.served.acts import cut, ignore, say, send
from tests.served.said import Said
from tests.served.server import Exchange, Server

PATIENT = Timing(connect=5, first=5, idle=5)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server() as made:
        yield made


def speak(exchange: Exchange) -> Said:
    return Said("hello")


def ask(url: str, seconds: float = 5, **fields: str) -> httpx2.Response:
    guard = Guard(PATIENT)
    guard.begin(seconds)
    with open_line(url, guard) as client:
        return client.post(f"{url}/chat/completions", content=b'{"stream": true}', **fields)  # type: ignore[arg-type]


def test_a_whole_answer_comes_as_it_is(server: Server) -> None:
    server.line([say(speak)], "good")
    assert "hello" in ask(server.url("openai", "good")).text


def test_a_proxy_of_the_environment_is_used_but_for_this_machine(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxied = server.line([say(speak)], "http:")
    monkeypatch.setenv("http_proxy", f"http://name:pass%20word@127.0.0.1:{server.port}")
    assert "hello" in ask("http://models.invalid/v1").text
    assert proxied.requests[0].path == "http://models.invalid/v1/chat/completions"
    assert proxied.requests[0].headers["proxy-authorization"].startswith("Basic ")
    server.line([say(speak)], "near")
    ask(server.url("openai", "near"))
    assert len(proxied.requests) == 1
    monkeypatch.setenv("no_proxy", "models.invalid")
    with pytest.raises(ModelUnreachable, match="no such host"):
        ask("http://models.invalid/v1")


def test_a_proxy_that_is_none_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "socks5://127.0.0.1:1080")
    with pytest.raises(ModelUnreachable, match="proxy"):
        ask("https://models.invalid/v1")


def test_errors_below_http_are_ours_and_bounded(server: Server) -> None:
    server.line([ignore], "silent")
    with pytest.raises(ModelTimeout):
        ask(server.url("openai", "silent"), 0.05)
    server.line([cut(speak, lambda events: 2, "drop")], "cut")
    with pytest.raises(StreamCut):
        ask(server.url("openai", "cut"))


def test_what_an_sdk_makes_of_an_error_of_ours_is_that_error() -> None:
    guard = Guard()
    guard.begin()
    ours = ModelTimeout("too late")
    wrapped = RuntimeError("connection error")
    wrapped.__cause__ = ours
    assert explain(wrapped, guard) is ours
    other = explain(RuntimeError("odd\x1b[2J"), guard)
    assert other.kind == "unreachable"
    assert other.message.isprintable()


def test_no_cookie_or_redirect_leads_anywhere(server: Server) -> None:
    server.line([send(302, b"", {"Location": "/good/v1/chat/completions", "Set-Cookie": "a=b"}), say(speak)], "moved")
    assert ask(server.url("openai", "moved")).status_code == 302
