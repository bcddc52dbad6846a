import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.credentials import find_configured, find_values, find_variables, is_secret, secret_names
from tests.core.lines import mixed

TOKEN = mixed(32)
PEM = "-----BEGIN RSA " + "PRIVATE KEY-----"


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("export API_KEY=abcD1234efgh\n", ("abcD1234efgh",)),
        ("DB_PASSWORD=\"s3cr3t-Pass!word\"   # x\r\nB='x'", ("s3cr3t-Pass!word",)),
        ("DATABASE_URL=postgres://app:Zx81spectrum@db:5432/app", ("Zx81spectrum",)),
        (f"SESSION={TOKEN}\n", (TOKEN,)),
        ("machine github.com login me password abcDEF123456", ("abcDEF123456",)),
        (f"//registry.npmjs.org/:_authToken={TOKEN}", (TOKEN,)),
        ("https://me:abc12345XYZ@github.com\n", ("abc12345XYZ",)),
        (f"{TOKEN}\n", (TOKEN,)),
        (f"auths:\n  - token: {TOKEN}\n", (TOKEN,)),
        ('{"a": {"private_key_id": "9f3a7c01e5b84d62aa11"}}', ("9f3a7c01e5b84d62aa11",)),
        (f"{PEM}\nProc-Type: 4,ENCRYPTED\n\nMIIEpAIBAA\nabcdefgh12\n-----END", ("MIIEpAIBAAabcdefgh12",)),
        (f'"private_key": "{PEM}\\nMIIEvQIBAD\\nkiG9w0BAQ\\n-----END', ("MIIEvQIBADkiG9w0BAQ",)),
    ],
)
def test_values_are_read_from_files_made_to_hold_secrets(text: str, values: tuple[str, ...]) -> None:
    assert find_values(text) == values


def test_ordinary_values_are_no_secrets() -> None:
    plain = """
        DEBUG=true PORT=8000 ENV=development HOST=localhost:8000 DB_PASSWORD=postgres SECRET_KEY=changeme
        URL=https://example.org/a/b/c/d1234567890 KEY_FILE=/run/secrets/key1 REGION=eu-central-1 TOKEN=${OTHER_TOKEN}
        MAIL=me1234567890@example.org TIMEOUT_TOKEN=12345678 API_TOKEN=<your-token> SINCE=2024-01-01T00:00:00 PASSWORD=
        API_KEY=test_key_12345 SECRET=dev-secret-key-123 A_TOKEN=sk-not-needed-xxx1
    """
    assert find_values("\n".join(plain.split())) == ()


def test_git_settings_hold_logins_headers_and_passwords() -> None:
    settings = (
        ("remote.origin.url", "https://x-access-token:ghs_abcdef123@github.com/o/r"),
        ("url.https://me:pass12345@host/.insteadof", "gh:"),
        ("http.https://github.com/.extraheader", "AUTHORIZATION: basic eC1hY2Nlc3M6YWJj"),
        ("http.extraheader", "Accept: application/json"),
        ("user.signingkey", "ABCDEF1234567890"),
        ("credential.helper", "store"),
        ("sendemail.smtppass", "hunter22hunter"),
        ("core.editor", "vim"),
    )
    assert find_configured(settings) == ("ghs_abcdef123", "pass12345", "eC1hY2Nlc3M6YWJj", "hunter22hunter")


def test_variables_that_are_named_like_secrets_are_held() -> None:
    environ = {"MY_TOKEN": TOKEN, "KEY_FILE": "/run/secrets/key", "PATH": "/usr/bin", "SHORT_KEY": "abc"}
    assert find_variables(environ) == (TOKEN,)
    assert secret_names({**environ, "GIT_AGENT_MAX_TOKENS": "5"}) == ("MY_TOKEN", "SHORT_KEY")


def test_headers_that_an_sdk_adds_are_held_with_what_is_secret_in_them() -> None:
    environ = {
        "ANTHROPIC_CUSTOM_HEADERS": f"X-Team: tools\nX-Api-Key: {TOKEN}\nAccept: application/json",
        "OTEL_EXPORTER_OTLP_HEADERS": "authorization=Bearer%20x,api-key=Zx81spectrum",
        "NO_HEADERS_AT_ALL": "application/json",
    }
    assert find_variables(environ) == (TOKEN, "Bearer%20x", "Zx81spectrum")
    assert secret_names(environ) == ("ANTHROPIC_CUSTOM_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS")


def test_variables_that_are_only_about_a_secret_or_say_that_there_is_none_are_not_held() -> None:
    plain = {
        "TOKEN_URL": "https://auth.example.org/oauth/token",
        "KEYBOARD_LAYOUT": "standard",
        "SECRET_BACKEND": "environment",
        "TOKENIZER_NAME": "bert-base-uncased",
        "OPENAI_API_KEY": "not-needed",
        "MY_KEY": "placeholder",
        "KEY_FILE": "./secrets/key",
    }
    assert find_variables(plain) == ()
    for name in ("DB_PASSWORD_OLD", "MY_SECRET", "API_KEY_2", "ACCESS_TOKEN"):
        assert find_variables({name: "correcthorse"}) == ("correcthorse",)
    assert find_variables({"PROXY_KEY_URL": "http://me:Zx81spectrum@h"}) == ("Zx81spectrum",)


def test_of_a_variable_that_is_a_whole_file_only_what_is_secret_in_it_is_held() -> None:
    key = f'{{"type": "service_account",\n"private_key_id": "{TOKEN}",\n"token_uri": "https://a.example.org/token"\n}}'
    assert find_variables({"GOOGLE_CREDENTIALS": key}) == (TOKEN,)
    assert find_variables({"SSH_KEY": f"{PEM}\nMIIEpAIBAA\nabcdefgh12\n-----END"}) == ("MIIEpAIBAAabcdefgh12",)
    assert find_variables({"MY_SECRET": "one two\nthree four"}) == ("one two\nthree four",)


@given(st.text(max_size=200))
def test_any_file_and_any_setting_can_be_read(text: str) -> None:
    assert all(len(value) >= 8 for value in (*find_values(text), *find_configured([(text, text)])))
    assert is_secret("x", text) in (True, False)
