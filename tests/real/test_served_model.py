"""What passes between git agent and a real model: both wires, forced calls, a full window, a server that dies."""

import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import jsonschema_rs
import pytest

from bot.app.modelling import Asked, Service, Where
from bot.app.serving import serve
from bot.core.event import Ended, Event
from bot.core.message import Message, Progress, Prompt, ToolCall
from bot.core.report import Report
from bot.core.talk import Compressed, Replied, Retried
from bot.errors import ModelUnavailable
from bot.git.repository import open_repository
from bot.git.runs import read_events
from bot.models.dialect.model import FlexibleModel
from bot.settings import Settings
from bot.tools.catalog import ALL
from tests.conftest import Repo
from tests.product import agent, calls, script, start
from tests.real.server import MODEL, RealServer, why_not

pytestmark = [pytest.mark.real, pytest.mark.skipif(bool(why_not()), reason=why_not())]

TOOLS = tuple(tool.spec for tool in ALL)
COUNT = Prompt(system="You are brief.", messages=(Message(role="user", text="Count from 1 to 20."),))
STOPS = ("done", "needs_human", "limit:turns", "limit:seconds", "limit:context", "loop", "model")
"""How a run with a model that is of no use may end."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealServer]:
    with RealServer(8192, tmp_path_factory.mktemp("real") / "log") as made:
        yield made


class Made(NamedTuple):
    """A run that came to its end."""

    report: Report
    events: Sequence[Event]

    def all(self, *kinds: type[Event]) -> list[Event]:
        return [event for event in self.events if isinstance(event, kinds)]


def settings(server: RealServer, **more: str) -> Mapping[str, str]:
    told = {"base_url": server.url, "window": "8192", "output": "100", "price": "1/2", "calls": "schema"} | more
    return {f"GIT_AGENT_{name.upper()}": value for name, value in told.items()}


def read(repo: Repo, out: str) -> Made:
    report = Report.model_validate_json(out)
    return Made(report, read_events(open_repository(repo.path), report.run))


def fix(repo: Repo, server: RealServer, *args: str, **more: str) -> Made:
    """Make a run, look at all that holds of any, and print what it took."""
    before, since = repo.state(), time.monotonic()
    env = settings(server, **more)
    ran = agent(repo, *args, "--json", "--model", f"openai:{MODEL}", env=env)
    assert "Traceback" not in ran.err
    assert repo.state() == before
    made = read(repo, ran.out)
    assert made.report.stop in STOPS
    assert not made.report.steps
    spent = made.report.usage
    took = f"{time.monotonic() - since:.1f} s, {spent.turns} turns, {spent.input} + {spent.output} tokens"
    print(f"{made.report.stop}: {took}")  # noqa: T201 - read with -rP
    return made


@pytest.mark.parametrize("service", ["openai", "anthropic"])
def test_a_reply_streams_is_counted_and_ends_at_its_cap(server: RealServer, service: Service) -> None:
    address = server.url if service == "openai" else server.url.removesuffix("/v1")
    looks = list[Progress]()
    told = Settings(window=8192, output=60, price="1/2")
    model = serve(Asked(service, MODEL, Where(address, "base-url"), None), told, looks.append).model
    since = time.monotonic()
    reply = model.reply(COUNT)
    took = time.monotonic() - since
    assert reply.text
    assert reply.finish == ("stop" if reply.usage.output < 60 else "length")
    assert 20 <= reply.usage.input < 60
    assert 0 < reply.usage.output <= 60
    assert reply.usage.cost == pytest.approx((reply.usage.input + 2 * reply.usage.output) / 1e6, rel=0.3)
    assert [look.characters for look in looks] == sorted({look.characters for look in looks})
    assert len(looks) > 1
    again = model.reply(COUNT)
    assert again.usage.input == reply.usage.input
    assert again.usage.cached > 0
    print(f"{service}: {reply.usage.output / took:.0f} tokens/s, {server.memory()} MB")  # noqa: T201 - read with -rP


def test_a_reply_that_is_not_streamed_is_read_as_well(server: RealServer) -> None:
    told = Settings(window=8192, output=20)
    model = serve(Asked("openai", MODEL, Where(server.url, "base-url"), None), told, None).model
    assert isinstance(model, FlexibleModel)
    reply = model.transport.answer(COUNT, None, {"stream": False})
    assert reply.text
    assert 0 < reply.usage.output <= 20 <= reply.usage.input


def test_calls_that_a_schema_forces_are_calls_and_nothing_of_the_persons_is_touched(
    repo: Repo, server: RealServer
) -> None:
    made = fix(repo, server, "fix", "--max-turns", "3", "--max-seconds", "200")
    replies = [event.reply for event in made.events if isinstance(event, Replied)]
    assert replies
    for reply in replies:
        whole = [call for call in reply.calls if call is not reply.calls[-1] or reply.finish != "length"]
        assert [_faults(call) for call in whole] == [[] for _ in whole]
        assert reply.usage.input > 500
        assert not reply.text.lstrip().startswith("{")
    assert made.report.usage.cost > 0


def _faults(call: ToolCall) -> list[str]:
    spec = next((tool for tool in TOOLS if tool.name == call.name), None)
    if spec is None or call.raw:
        return [f"{call.name}: {call.raw}"]
    return [error.message for error in jsonschema_rs.validator_for(spec.parameters).iter_errors(call.arguments)]


def test_tools_that_its_template_leaves_out_are_told_in_words_instead(repo: Repo, server: RealServer) -> None:
    told = Settings(window=8192, output=40)
    model = serve(Asked("openai", MODEL, Where(server.url, "base-url"), None), told, None).model
    assert isinstance(model, FlexibleModel)
    reply = model.reply(COUNT.model_copy(update={"tools": TOOLS}))
    assert model.manner.form == "schema"
    assert reply.usage.input > 500
    made = fix(repo, server, "fix", "--max-turns", "1", calls="auto", output="40")
    assert len(made.all(Replied)) == 1


def test_a_task_that_no_window_holds_ends_the_run_with_what_is_wrong(repo: Repo, server: RealServer) -> None:
    made = fix(repo, server, "fix", "mend add " * 4000, window="200000")
    assert made.report.stop == "limit:context"
    (retried,) = made.all(Retried)
    assert isinstance(retried, Retried)
    assert retried.error == "overflow"
    assert "exceeds the available context size" in retried.message
    assert "window" in made.report.detail


def test_a_conversation_that_outgrew_the_window_is_told_shorter_and_goes_on(
    repo: Repo, server: RealServer, tmp_path: Path
) -> None:
    repo.commit({f"notes{number}.md": f"All is well with part {number}.\n" * 150 for number in range(8)})
    reads = [calls(("read_file", {"path": f"notes{number}.md"})) for number in range(8)]
    begun = agent(repo, "fix", "--json", "--max-turns", "8", "--model", script(tmp_path / "script", *reads))
    run = read(repo, begun.out).report.run
    made = fix(repo, server, "resume", run, "--max-turns", "9", window="200000", output="20")
    news = [event for event in made.events if isinstance(event, Retried | Compressed | Ended)][1:]
    assert [type(event) for event in news] == [Retried, Compressed, Ended]
    shorter = news[1]
    assert isinstance(shorter, Compressed)
    assert shorter.after < 0.6 * shorter.before
    assert made.report.usage.turns == 9


def test_a_server_that_dies_in_the_middle_of_a_reply_is_asked_again(repo: Repo, tmp_path: Path) -> None:
    out, err = tmp_path / "out", tmp_path / "err"
    with RealServer(4096, tmp_path / "log") as server, out.open("wb") as to, err.open("wb") as beside:
        env = settings(server, window="4096", output="120")
        args = ("-C", str(repo.path), "fix", "--json", "--max-turns", "1", "--model", f"openai:{MODEL}")
        running = start(*args, cwd=repo.path, env=env, out=to.fileno(), err=beside.fileno())
        server.await_words(10)
        server.kill()
        print(f"ready again after {server.start():.1f} s")  # noqa: T201 - read with -rP
        running.wait(timeout=120)
        made = read(repo, out.read_text())
    kinds = [event.error for event in made.events if isinstance(event, Retried)]
    assert kinds[0] == "cut"
    assert set(kinds[1:]) <= {"unreachable", "overloaded"}
    assert len(made.all(Replied)) == 1


def test_a_reply_that_takes_longer_than_it_may_is_hung_up_on(server: RealServer) -> None:
    told = Settings(window=8192, output=8000)
    model = serve(Asked("openai", MODEL, Where(server.url, "base-url"), None), told, None).model
    assert isinstance(model, FlexibleModel)
    with pytest.raises(ModelUnavailable, match="left for it"):
        model.transport.answer(COUNT, 1, {"ignore_eos": True})
    until = time.monotonic() + 10
    while server.look("/slots")[0]["is_processing"]:
        assert time.monotonic() < until, "it goes on for nobody"
        time.sleep(0.05)
