import gzip
import logging
import zlib
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from bot.errors import (
    MalformedReply,
    ModelDenied,
    ModelError,
    ModelRejected,
    ModelTimeout,
    ModelUnreachable,
    StreamCut,
)
from bot.models.service.guard import MOST, Guard, Timing
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


@pytest.mark.parametrize(
    ("proxy", "kind", "said"),
    [
        ("socks5://127.0.0.1:1080", ModelRejected, "none that we can use"),
        ("http://name:hidden-word@host:abc", ModelRejected, "none that we can use"),
        ("http://[::1", ModelRejected, "none that we can use"),
        ("http://", ModelRejected, "none that we can use"),
        ("http://n%C3%A4me:hidden-word@127.0.0.1", ModelRejected, "cannot be sent"),
        ("http://name:hidden-word@127.0.0.1:{port}", ModelDenied, "asks for a login"),
        (" 127.0.0.1:{port} ", ModelDenied, "asks for a login"),
    ],
)
def test_a_proxy_that_is_none_is_told_at_once(
    server: Server, monkeypatch: pytest.MonkeyPatch, proxy: str, kind: type[ModelError], said: str
) -> None:
    server.line([send(407, b"")], "")
    monkeypatch.setenv("https_proxy", proxy.format(port=server.port))
    with pytest.raises(kind, match=said) as caught:
        ask("https://models.invalid/v1")
    assert "hidden-word" not in f"{caught.value.message}{caught.value.hint}"


def test_certificates_that_cannot_be_read_are_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for place in (tmp_path / "none.pem", Path(__file__)):
        monkeypatch.setenv("SSL_CERT_FILE", str(place))
        with pytest.raises(ModelRejected, match="certificates of authorities cannot be read"):
            ask("https://models.invalid/v1")


def test_an_answer_that_is_packed_all_the_same_is_unpacked_within_bounds(server: Server) -> None:
    for name, status, body in (("gzip", 200, gzip.compress(b"hello")), ("deflate", 429, zlib.compress(b"hello"))):
        server.line([send(status, body, {"Content-Encoding": name})], name)
        assert ask(server.url("openai", name)).text == "hello"
    bomb = gzip.compress(bytes(MOST + 1), 1)
    for name, body in (("gzip", bomb), ("gzip", b"what?"), ("br", b"hello"), ("gzip, gzip", gzip.compress(bomb))):
        server.line([send(200, body, {"Content-Encoding": name})], "odd")
        with pytest.raises(MalformedReply):
            ask(server.url("openai", "odd"))
    server.line([send(200, b"hello", {"Content-Encoding": "Identity"})], "plain")
    assert ask(server.url("openai", "plain")).text == "hello"


def test_nothing_below_writes_to_the_terminal_past_us(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    server.line([say(speak)], "good")
    ask(server.url("openai", "good"))
    assert caplog.records == []


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


def test_a_server_nearby_that_closes_what_it_said_it_keeps_is_not_met_in_the_act(server: Server) -> None:
    def close_behind(exchange: Exchange) -> None:
        say(speak)(exchange)
        exchange.hold(0.02)
        exchange.close()

    told = server.line([close_behind], "closing")
    guard, url = Guard(PATIENT), server.url("openai", "closing")
    with open_line(url, guard) as client:
        for _ in range(5):
            guard.begin(5)
            assert "hello" in client.post(f"{url}/chat/completions", content=b"{}").text
    assert len(told.requests) == 5


def test_no_cookie_or_redirect_leads_anywhere(server: Server) -> None:
    server.line([send(302, b"", {"Location": "/good/v1/chat/completions", "Set-Cookie": "a=b"}), say(speak)], "moved")
    assert ask(server.url("openai", "moved")).status_code == 302
