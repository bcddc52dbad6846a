import pytest

from bot.core.change import ChangeSet
from bot.core.policy import secret_findings
from bot.core.redact import MARK, Redactor
from bot.core.tokens import name_secrets
from tests.core.lines import HONEST, SECRETS, mixed


@pytest.mark.parametrize("kind", SECRETS)
def test_a_secret_of_a_known_kind_is_named_and_hidden(kind: str) -> None:
    line = SECRETS[kind]
    assert list(name_secrets(line)), line
    longest = max(line.replace("\\n", " ").split(), key=len)
    block = f"{line}\n{mixed(64)}\n" if "private key" in kind.casefold() else line
    hidden = Redactor(()).text(f"before {block} after")
    assert MARK in hidden
    assert longest not in hidden
    assert hidden.startswith("before ")


def test_honest_lines_are_added_without_a_word() -> None:
    assert len(HONEST) >= 60
    patch = f"--- a/x\n+++ b/x\n@@ -0,0 +1,{len(HONEST)} @@\n" + "".join(f"+{line}\n" for line in HONEST)
    assert secret_findings(ChangeSet(base="b", tree="t", patch=patch)) == ()


def test_a_value_that_is_named_a_secret_and_looks_random_is_hidden_but_may_be_committed() -> None:
    line = f"SECRET_KEY = '{mixed(40)}'"
    assert Redactor(()).text(line) == f"SECRET_KEY = '{MARK}'"
    assert not list(name_secrets(line))
    for plain in (
        "secret_name = 'projects/my-project/secrets/my-secret'",
        "token_url = 'https://x.example.org/oauth2/v2'",
    ):
        assert Redactor(()).text(plain) == plain
