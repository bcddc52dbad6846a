"""Which model a run is given: by name, by a key that is set, and when none can be."""

import json
from collections.abc import Mapping

import pytest

from bot.app.desk import open_desk
from bot.app.modelling import Asked, Where, choose_model
from bot.app.serving import serve
from bot.core.message import Progress
from bot.errors import ConfigError
from bot.models.profiles import default_name
from bot.settings import Settings
from tests.conftest import Repo
from tests.product import agent, run

CLAUDE, GPT = f"anthropic:{default_name('anthropic')}", f"openai:{default_name('openai')}"
KEY = "sk-test-1234567890abcdefghij"
QUICK = {"GIT_AGENT_ISOLATION": "process"}


def look(repo: Repo, environment: Mapping[str, str]) -> str:
    """Ask the doctor which model would work."""
    ran = run("-C", str(repo.path), "doctor", "--json", env={**QUICK, **environment})
    assert KEY not in ran.out + ran.err
    found = {finding["name"]: finding for finding in json.loads(ran.out)["findings"]}["model"]
    return ("" if found["ok"] else "no: ") + str(found["text"])


def test_a_key_chooses_where_nobody_names_a_model_and_the_choice_is_told(repo: Repo) -> None:
    both = {"ANTHROPIC_API_KEY": KEY, "OPENAI_API_KEY": KEY}
    told = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": "http://localhost:1"}
    tried = {
        f"{CLAUDE}, since ANTHROPIC_API_KEY is set": both,
        f"{GPT}, since OPENAI_API_KEY is set": {"OPENAI_API_KEY": KEY},
        "offline, since OPENAI_BASE_URL leads elsewhere": told,
    }
    for words, environment in tried.items():
        assert look(repo, environment).startswith(words), environment


@pytest.mark.parametrize(
    ("words", "flags", "environment"),
    [
        ("there is no key for openai:gpt-5.5 (export OPENAI_API_KEY=…;", ("--model", "openai:gpt-5.5"), {}),
        ("no key for anthropic:x at 10.0.0.1 ", ("--model", "anthropic:x", "--base-url", "http://10.0.0.1"), {}),
        ("over http anybody", ("--model", "openai:x", "--base-url", "http://example.com"), {}),
        ("ANTHROPIC_API_KEY holds spaces", ("--model", "anthropic:x"), {"ANTHROPIC_API_KEY": f"{KEY} {KEY}"}),
        ("what x costs is not known", ("--model", "openai:x", "--max-cost", "1"), {"OPENAI_API_KEY": KEY}),
        ("base-url is set, and no model is named", ("--base-url", "https://example.com"), {"OPENAI_API_KEY": KEY}),
        ("there is no model 'openai:'", ("--model", "openai:"), {}),
        ("there is no model 'openai:a b'", ("--model", "openai:a b"), {}),
        ("name its service as well: anthropic:claude-x", ("--model", "claude-x"), {}),
    ],
)
def test_what_cannot_be_asked_is_said_in_one_line_before_anything_is_made(
    repo: Repo, words: str, flags: tuple[str, ...], environment: Mapping[str, str]
) -> None:
    before = repo.state(), repo.git("for-each-ref")
    ran = agent(repo, "fix", *flags, env=environment)
    assert (ran.code, ran.out, ran.err.count("\n"), words in ran.err) == (2, "", 1, True), ran.err
    assert KEY not in ran.err
    assert (repo.state(), repo.git("for-each-ref")) == before


def asked(name: str, address: str = "http://localhost:1/v1", cost: float | None = None) -> Asked:
    return Asked("openai", name, Where(address, "base-url"), cost)


def test_what_is_assumed_of_a_model_is_told_with_what_sets_it() -> None:
    chosen = serve(asked("mine"), Settings(), None)
    assert (chosen.window, chosen.priced, chosen.sdk) == (24_576, False, "openai")
    assumed = "a window of 32,768 tokens and replies of up to 8,192"
    assert chosen.known == "32,768 tokens at once, price unknown"
    assert chosen.notes == (
        "model: it is asked at localhost:1 (base-url)",
        f"model: assumed is {assumed} (git config agent.window and agent.output to say what it has)",
        "model: its price is not known (git config agent.price IN/OUT to say it)",
    )
    told = serve(asked("mine", cost=2.0), Settings(window=9_000, output=1_000, price="0"), None)
    assert (told.window, told.priced) == (8_000, True)
    assert told.notes[1:] == ("model: taken to cost 0 dollars for a million tokens (price)",)
    assert serve(asked("qwen3-coder:30b", cost=2.0), Settings(), None).priced


def test_a_limit_on_money_is_refused_where_no_price_is_known() -> None:
    with pytest.raises(ConfigError) as error:
        serve(asked("mine", cost=0.0), Settings(), None)
    assert "no limit on money could be kept" in error.value.message
    with pytest.raises(ConfigError):
        serve(Asked("anthropic", "", Where("http://localhost:1", "base-url"), None), Settings(calls="schema"), None)


def test_a_model_that_is_asked_nothing_is_offline(repo: Repo) -> None:
    def watch(progress: Progress) -> None:
        raise AssertionError(progress)

    chosen = choose_model("", open_desk(repo.path, {}), watch=watch, cost=0.0)
    assert (chosen.model.name, chosen.sdk, chosen.notes) == ("offline", "", ())
    assert chosen.why == "no key of a service is set"
    chosen.load()
