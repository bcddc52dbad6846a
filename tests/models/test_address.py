"""Addresses that a key and a project's code can be sent to."""

import pytest

from bot.errors import ConfigError
from bot.models.address import check_address, is_loopback, is_near, show_host


@pytest.mark.parametrize(
    "url",
    [
        "https://api.example.com/v1/",
        "http://localhost:11434/v1",
        "http://127.0.0.1:8080",
        "http://[::1]:8080/v1",
        "http://192.168.1.4:8000/v1",
        "http://100.101.102.103/v1",
        "http://ollama:11434/v1",
        "http://box.local/v1",
    ],
)
def test_https_goes_anywhere_and_http_stays_near(url: str) -> None:
    assert check_address(url) == url.rstrip("/")


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://api.example.com/v1", "over http anybody on the way to api.example.com reads the key"),
        ("http://8.8.8.8/v1", "over http"),
        ("http://0.0.0.0/v1", "over http"),
        ("http://134744072/v1", "over http"),
        ("https://me:hunter2hunter2@example.com/v1", "there is a login in the address"),
        ("https://example.com/v1?key=hunter2hunter2", "something behind ? or #"),
        ("ftp://example.com", "is not the address of a service"),
        ("localhost:11434", "is not the address of a service"),
        ("https://", "is not the address of a service"),
        ("https://exa mple.com", "is not the address of a service"),
        ("https://example.com:99999/v1", "is not the address of a service"),
        ("me:hunter2hunter2@example.com", "is not the address of a service"),
        ("https://ex\u0430mple.com", "is not the address of a service"),
    ],
)
def test_what_is_refused_is_said_in_one_line_without_what_may_be_secret(url: str, words: str) -> None:
    with pytest.raises(ConfigError) as error:
        check_address(url, "OPENAI_BASE_URL")
    assert words in error.value.message
    assert error.value.message.startswith("OPENAI_BASE_URL: ")
    assert "hunter2" not in error.value.message + error.value.hint


def test_only_this_machine_is_this_machine() -> None:
    assert all(
        map(is_loopback, ("http://localhost", "http://a.localhost:1", "https://127.9.9.9", "http://[::ffff:127.0.0.1]"))
    )
    assert not any(
        map(is_loopback, ("http://localhost.example.com", "http://10.0.0.1", "", "http://127.0.0.1.example.com"))
    )
    assert not is_near("http://127.0.0.1.example.com")
    assert show_host("https://a:b@example.com:8443/v1") == "example.com:8443"
