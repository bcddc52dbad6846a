import base64
import codecs
import html
import json
import time
from urllib.parse import quote

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bot.core.event import EVENT, Acted, Started
from bot.core.message import Reply, ToolCall, ToolResult
from bot.core.redact import MARK, Redactor, defuse, sanitize
from bot.core.talk import Happening, Replied, Told
from bot.core.task import Task

SECRET = "Zq8vK3-wP1xT7_mN5rB2yH9c"
ALPHABET = st.text(
    st.sampled_from("ABCDEFGHJKLMNPQRSTUVWXYZabcdfghjkmnpqrsuvwxyz23456789-_+/=.!%&\"\\'"), min_size=12, max_size=60
)


def spell(secret: str) -> dict[str, str]:
    raw = secret.encode()
    return {
        "plain": secret,
        "reversed": secret[::-1],
        "hex": raw.hex(),
        "HEX": raw.hex().upper(),
        "base64": base64.b64encode(raw).decode(),
        "base64 after one": base64.b64encode(b"u" + raw).decode()[2:],
        "base64 after two": base64.b64encode(b"u:" + raw + b"\n").decode()[3:],
        "url base64": base64.urlsafe_b64encode(raw).decode(),
        "url": quote(secret, safe=""),
        "percent": "".join(f"%{byte:02X}" for byte in raw),
        "json": json.dumps(secret)[1:-1],
        "json in json": json.dumps(json.dumps(secret))[3:-3],
        "base32": base64.b32encode(raw).decode(),
        "base85": base64.b85encode(raw).decode(),
        "ascii85": base64.a85encode(raw).decode(),
        "entities": html.escape(secret),
    }


def spread(secret: str) -> dict[str, str]:
    """Write a secret so that something stands between its letters and digits, or in another case."""
    raw = secret.encode()
    return {
        "dashes": "-".join(secret),
        "spaces": " ".join(secret),
        "quotes": "', '".join(secret),
        "halves": f"{secret[:10]}' + '{secret[10:]}",
        "hex with colons": raw.hex(":"),
        "hex with spaces": raw.hex(" ").upper(),
        "bytes": "".join(f"\\x{byte:02x}" for byte in raw),
        "C": ", ".join(f"0x{byte:02x}" for byte in raw),
        "numbers": str(list(raw)),
        "octal": "".join(f"\\{byte:03o}" for byte in raw),
        "unicode": "".join(f"\\u{byte:04x}" for byte in raw),
        "entities": "".join(f"&#{byte};" for byte in raw),
        "hex entities": "".join(f"&#x{byte:x};" for byte in raw),
        "rot13": codecs.encode(secret, "rot13"),
        "case": secret.swapcase(),
        "unseen": "\u200b".join(secret),
    }


def core(name: str, spelled: str) -> str:
    """Cut the end of base64, which depends on what follows the secret."""
    return spelled.rstrip("=")[:-5] if name.startswith(("base", "url base")) else spelled


@pytest.mark.parametrize("name", spell(SECRET))
def test_held_secret_survives_in_no_spelling(name: str) -> None:
    hidden = Redactor([SECRET]).text(f"before {spell(SECRET)[name]} after")
    assert core(name, spell(SECRET)[name]) not in hidden
    assert hidden.startswith("before [redacted]")
    assert hidden.endswith(" after")


@settings(max_examples=30)
@given(ALPHABET, st.text(max_size=30), st.text(max_size=30))
@example("g22222222222", "\\", "")
def test_any_secret_is_hidden_in_every_spelling_wherever_it_stands(secret: str, before: str, after: str) -> None:
    redactor = Redactor([secret])
    for name, spelled in spell(secret).items():
        hidden = redactor.text(before + spelled + after)
        assert core(name, spelled) not in hidden, name
        assert redactor.text(hidden) == hidden, name


@settings(max_examples=30)
@given(
    st.text(st.sampled_from("ABCDEFGHJKLMNPQRSTUVWXYZabcdfghjkmnpqrsuvwxyz23456789"), min_size=18, max_size=40),
    st.text(max_size=20),
)
def test_a_secret_is_hidden_whatever_stands_between_its_letters(secret: str, around: str) -> None:
    redactor = Redactor([secret])
    for name, spelled in spread(secret).items():
        hidden = redactor.text(f"{around} {spelled} {around}")
        assert spelled[6:-6] not in hidden, name
        assert redactor.text(hidden) == hidden, name
        assert redactor.event(Told(text=spelled)) != Told(text=spelled), name


def test_words_that_only_share_letters_with_a_secret_are_left() -> None:
    redactor = Redactor(["correct-horse", SECRET, "abcdef123456"])
    for text in ("Incorrect: horses", "abcdef, 12345", "a b c d e f", SECRET[8:14], "ab-cd-ef-12"):
        assert redactor.text(text) == text


@settings(max_examples=30)
@given(ALPHABET, st.data())
def test_beginnings_and_long_parts_are_hidden(drawn: str, data: st.DataObject) -> None:
    secret = drawn.replace("\\", "x")
    redactor = Redactor([secret])
    end = data.draw(st.integers(8, len(secret)))
    assert secret[:end] not in redactor.text(f"<{secret[:end]}>")
    assert secret[7:] not in redactor.text(f"<{secret[7:]}>") or len(secret) < 22


@settings(max_examples=30)
@given(ALPHABET, st.data(), st.sampled_from(["\n", "\r\n", " ", "\n  ", "\\n"]))
def test_secret_split_over_a_line_end_is_hidden(secret: str, data: st.DataObject, gap: str) -> None:
    at = data.draw(st.integers(1, len(secret) - 1))
    hidden = Redactor([secret]).text(f"<{secret[:at]}{gap}{secret[at:]}>")
    assert hidden == f"<{MARK}>" or secret[at - 1 : at + 1] == "\\n" or "\\" in secret
    assert secret[:8] not in hidden.replace(gap, "")


TOKENS = [
    "ghp_" + "a1B2c3D4" * 5,
    "gho_" + "a1B2c3D4" * 5,
    "ghu_" + "a1B2c3D4" * 5,
    "ghs_" + "a1B2c3D4" * 5,
    "github_pat_" + "11ABC_def456" * 4,
    "glpat-" + "a1B2c3D4" * 3,
    "sk-" + "a1b2c3d4" * 4,
    "sk-ant-api03-" + "a1B2-c3D4" * 6,
    "sk-proj-" + "a1B2_c3D4" * 6,
    "AKIA" + "ABCD1234" * 2,
    "xoxb-" + "1234567890-abcdef",
    "npm_" + "a1B2c3" * 6,
    "hf_" + "aBcDeF" * 6,
    "eyJ" + "hbGciOiJIUzI1NiJ9.eyJ" + "zdWIiOiIxMjM0NTY3.SflKxwRJSMeKKF2QT4",
]


AROUND = ["{}", "key={};", '"{}"', "\x1b[31m{}\x1b[0m", "a\\n{}\\nb", "https://x/?t={}&u=1", "line\n{}\n"]


@pytest.mark.parametrize("token", TOKENS)
def test_known_kinds_of_token_are_hidden_without_being_held(token: str) -> None:
    for around in AROUND:
        hidden = Redactor([]).text(around.format(token))
        assert token[4:] not in hidden, around
        assert MARK in hidden, around


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic [redacted]"),
        ('{"authorization": "Bearer abcd1234efgh"}', '{"authorization": "Bearer [redacted]"}'),
        ("AUTHORIZATION: bearer abcd1234efgh", "AUTHORIZATION: bearer [redacted]"),
        ("curl -H 'Bearer abcdefgh1234567890xyz'", "curl -H 'Bearer [redacted]'"),
        ("https://me:hunter22@host/x", "https://[redacted]@host/x"),
        ("https://x-access-token:abc@host", "https://[redacted]@host"),
        ("https://abcdefghij0123456789@host", "https://[redacted]@host"),
        ("postgres://u:p1@h,https://a:b2c@c", "postgres://[redacted]@h,https://[redacted]@c"),
        ("https://user:passw0rd@h", "https://[redacted]@h"),
    ],
)
def test_credentials_in_headers_and_urls_are_hidden(text: str, hidden: str) -> None:
    assert Redactor([]).text(text) == hidden


def test_private_key_block_is_hidden_whole() -> None:
    body = "\n".join(["MIIEpAIBAAKCAQEA0Z3VS5JJcds3xf" + "A" * 30] * 5)
    block = f"-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----"
    redactor = Redactor([])
    assert redactor.text(f"a\n{block}\nb") == f"a\n{MARK}\nb"
    assert "MIIE" not in redactor.text(json.dumps(block))
    assert "MIIE" not in redactor.text(block[:150])


@pytest.mark.parametrize(
    "text",
    [
        "risk-assessment-framework-module-name",
        "git@github.com:owner/repo.git and ssh://git@host/x",
        "headers = {'Authorization': f'Bearer {token}'}",
        "authorization: str = Field(...)",
        "def ghp_helper(): ...",
        "commit 0123456789abcdef0123456789abcdef01234567",
        "https://example.com/a@b",
        "A bearer of good news that comes in twenty letters",
        "skill sk-learn xoxo",
        "-----BEGIN PUBLIC KEY-----",
        "postgres://user:password@localhost/db and http://user:pass@h, http://a:b@c, redis://:secret@h",
        "amqp://guest:guest@localhost//",
        "Authorization: token authentication is required",
    ],
)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert Redactor([SECRET]).text(text) == text


def test_short_values_and_the_beginning_that_all_tokens_share_are_no_secrets() -> None:
    redactor = Redactor(["", "  ", "abc", "12345", "github_pat_" + "9xYz8wVu" * 4])
    assert redactor.text("abc 12345 github_publish github_pat_") == "abc 12345 github_publish github_pat_"


def test_redactor_does_not_show_what_it_holds() -> None:
    assert SECRET not in repr(Redactor([SECRET]))


@given(st.text(), st.lists(st.text(max_size=40), max_size=4))
def test_redacting_never_fails(text: str, secrets: list[str]) -> None:
    assert isinstance(Redactor(secrets).text(text), str)


def acted(output: str) -> Acted:
    call = ToolCall(
        id="c1",
        name="run_command",
        arguments={"argv": ["cat", output[:200]], output[:30]: {"kind": [output[:50], 1, None]}},
    )
    return Acted(at=1.5, call=call, result=ToolResult(call_id="c1", ok=True, output=output))


@pytest.mark.parametrize("name", spell(SECRET))
def test_event_leaves_without_the_secret_in_any_field(name: str) -> None:
    spelled = spell(SECRET)[name]
    hidden = Redactor([SECRET]).event(acted(spelled))
    assert core(name, spelled) not in hidden.model_dump_json()
    assert isinstance(hidden, Acted)
    assert hidden.at == 1.5
    assert hidden.call.name == "run_command"


def test_event_without_a_secret_is_the_same_object() -> None:
    event = acted("nothing to see\n" * 100)
    assert Redactor([SECRET, *TOKENS]).event(event) is event
    plain = acted("see https://example.com/a?b=c\n")
    assert Redactor(['awkward"secret\\value']).event(plain) is plain


@settings(max_examples=30)
@given(ALPHABET, st.text(max_size=40))
def test_every_string_of_an_event_is_redacted_as_text_is(secret: str, text: str) -> None:
    redactor = Redactor([secret])
    for spelled in (secret, secret[:9], f"{secret[:6]}\n{secret[6:]}", text):
        event = Told(text=f"{text}{spelled}")
        hidden = redactor.event(event)
        assert isinstance(hidden, Told)
        assert hidden.text == redactor.text(event.text)


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb " + SECRET])
def test_invalid_unicode_of_a_model_is_mended_before_it_is_recorded(text: str) -> None:
    call = ToolCall(id="c1", name="x", arguments={text: [text]}, raw=text)
    hidden = Redactor([SECRET]).event(Replied(reply=Reply(text=text, calls=(call,))))
    assert "\ufffd" in hidden.model_dump_json()
    assert SECRET not in hidden.model_dump_json()


@pytest.mark.parametrize(
    "secret", ["tool_calls", "rolled_back", "started", "rolled_back_token_99", "arguments", "truncated"]
)
def test_secret_that_reads_like_a_word_of_ours_breaks_no_event(secret: str) -> None:
    events: list[Happening] = [
        Started(run="r", task=Task(goal=secret, base="b"), branch="agent/x"),
        Replied(reply=Reply(text=f"the {secret} is", finish="tool_calls")),
        EVENT.validate_python({"event": "rolled_back", "to": "a", "kept": "", "reason": f"x {secret}"}),
    ]
    for event in events:
        hidden = Redactor([secret]).event(EVENT.validate_python(event))
        assert f" {secret}" not in hidden.model_dump_json()
        assert type(hidden) is type(event)


def test_large_clean_event_is_checked_quickly() -> None:
    event = acted(("def fail(x): return {'x': 1}  # a line like many others, right\n" * 1700)[:100_000])
    redactor = Redactor([SECRET, "another-Secret-value-42"])
    best = min(_seconds(redactor, event) for _ in range(15))
    assert best < 0.01, f"{best * 1000:.1f} ms for 100 kB; about 1 ms on an idle machine"


@pytest.mark.parametrize(
    "part",
    [
        "é",
        "\r",
        "\x1b[",
        "\x9d",
        "eyJ",
        "-eyJ",
        "://",
        "sk-",
        " ",
        "\n ",
        "-----BEGIN PRIVATE KEY-----\n",
        "::",
        "ghp_",
        "Bearer ",
    ],
)
def test_no_text_makes_it_slow(part: str) -> None:
    text = (part * 200_000)[:200_000]
    since = time.process_time()
    Redactor([SECRET]).text(defuse(sanitize(text)))
    Redactor([SECRET]).text(text)
    assert time.process_time() - since < 3


def _seconds(redactor: Redactor, event: Acted) -> float:
    since = time.process_time()
    assert redactor.event(event) is event
    return time.process_time() - since


def test_only_a_whole_secret_counts_as_shown() -> None:
    redactor = Redactor(("password-of-mine",))
    assert redactor.holds("x = 'password-of-mine'")
    assert redactor.holds(base64.b64encode(b"password-of-mine").decode())
    assert redactor.holds("password-\n  of-mine")
    assert not redactor.holds("password = getpass()")
