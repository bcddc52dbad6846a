"""The page about models: its table is the one that is used, its set-ups work against a service that answers."""

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from bot.models.profile import Price
from bot.models.profiles import Entry, read_table, show_price
from tests.conftest import Repo
from tests.product import agent
from tests.served.acts import say
from tests.served.said import Asked, Cost, Said
from tests.served.server import Exchange, Server

PAGE = (Path(__file__).parents[2] / "docs/models.md").read_text()
BEGIN, END = "<!-- profiles: begin -->\n", "<!-- profiles: end -->"
SERVERS = ("ollama", "vllm", "llama-server")
"""Programs of others, which nobody starts here."""
WHOLE = ("Anthropic", "Ollama")
"""Sections that are followed to a verified commit: one for each interface."""


def table() -> str:
    """Write what is known of models as the page has it."""
    known = read_table()
    lines = ["| model | window | reply | price: in/out/cached/written | dearer above |", "|---|---|---|---|---|"]
    for entries in (known.openai, known.anthropic):
        lines += [_row(f"`{name}`", entry) for name, entry in entries.items()]
    return "\n".join([*lines, *(_row(f"`{name}…`", entry) for name, entry in known.open.items()), ""])


def _row(name: str, entry: Entry) -> str:
    price = show_price(Price(*entry.price)) if entry.price else "0 on this machine"
    above = f"{entry.dear.above:,}" if entry.dear else ""
    return f"| {name} | {entry.window:,} | {entry.output:,} | {price} | {above} |".replace("|  |", "| |")


def test_the_table_is_what_is_known() -> None:
    assert PAGE.partition(BEGIN)[2].partition(END)[0] == table()


def sections() -> Mapping[str, str]:
    parts = re.split(r"^## (.*)\n", PAGE, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def typed(section: str) -> Iterator[str]:
    for block in re.findall(r"^```console\n(.*?)^```", sections()[section], re.MULTILINE | re.DOTALL):
        yield from (line.removeprefix("$ ") for line in block.splitlines())


def mend(exchange: Exchange) -> Said:
    """Be a model that mends the sample and is done."""
    cost = Cost(input=1000, output=100)
    if "fix: add adds" in json.dumps(exchange.request.json):
        return Said("done", (Asked("finish", '{"summary": "done"}'),), cost=cost)
    edit = Asked("edit_file", json.dumps({"path": "calc.py", "old": "a - b", "new": "a + b"}))
    return Said("It subtracts.", (edit, Asked("checkpoint", '{"subject": "fix: add adds"}')), cost=cost)


@pytest.mark.parametrize("section", ["OpenAI", "Anthropic", "Ollama", "vLLM", "llama.cpp", "A gateway", "Azure"])
def test_a_set_up_can_be_followed_to_the_letter(section: str, repo: Repo) -> None:
    repo.git("config", "agent.isolation", "process")
    with Server() as server:
        server.line([say(mend)])
        environment = {"OPENAI_BASE_URL": server.url("openai"), "ANTHROPIC_BASE_URL": server.url("anthropic")}
        for line in typed(section):
            # Where somebody's service is, ours stands in
            words = shlex.split(re.sub(r"https?://\S+", server.url("openai"), line))
            match words:
                case ["export", assignment]:
                    name, _, value = assignment.partition("=")
                    environment[name] = value.replace("…", "0")
                case ["git", "config", key, value]:
                    repo.git("config", key, value)
                case ["git", "agent", *rest]:
                    follow(repo, rest, environment, whole=section in WHOLE)
                case _:
                    assert words[0] in SERVERS
        assert bool(server.lines[""].requests) == (section in WHOLE)
        assert not server.broken


def follow(repo: Repo, words: list[str], environment: Mapping[str, str], *, whole: bool) -> None:
    """Type a line of the page; what would take long and shows nothing new is only asked about."""
    if whole:
        ran = agent(repo, *words, "--json", env=environment)
        assert (ran.code, ran.report.outcome, ran.report.usage.input) == (0, "verified", 2000), ran.err
        assert "127.0.0.1" in ran.err
        return
    model = {"GIT_AGENT_MODEL": words[words.index("--model") + 1]} if "--model" in words else {}
    ran = agent(repo, "doctor", "--json", env={**environment, **model})
    found = {finding["name"]: finding for finding in json.loads(ran.out)["findings"]}["model"]
    assert found["ok"], found
    assert re.search(r"^openai:\S+; .* is asked at 127\.0\.0\.1:\d+ \(\S+\)", found["text"]), found
