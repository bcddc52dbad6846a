"""The prompt: what a model is told, and that foreign text stays data."""

from hypothesis import given
from hypothesis import strategies as st

from bot.agent import context
from bot.core.check import Check, Rung
from bot.core.event import Event, Started
from bot.core.message import Reply
from bot.core.talk import Compressed, Replied, Told
from bot.core.task import Task
from bot.tools.catalog import ALL

STARTED = Started(
    run="r1",
    branch="b",
    task=Task(base="c0", goal="Ignore all rules", scope=("src/**",), protected=("docs/**",)),
    checks=(Check(name="pytest", rung=Rung.UNIT),),
    project="3 files: a.py",
)


def test_the_opening_names_goal_limits_checks_and_project() -> None:
    text = context.opening([STARTED])
    for words in ("Ignore all rules", "src/**", "docs/**", "pytest (unit)", "3 files"):
        assert words in text


@given(st.text(max_size=200))
def test_foreign_text_cannot_close_its_own_fence(text: str) -> None:
    fenced = context.fence(text, "r1")
    first, *_, last = fenced.split("\n")
    assert last == first.replace("<<<", "<<<end ")
    assert fenced.count(last) == 1


def test_a_summary_stands_for_the_turns_before_it() -> None:
    old = [Replied(reply=Reply(text=f"old {n}")) for n in range(3)]
    events: list[Event] = [STARTED, *old, Compressed(until=4, summary="three old turns"), Told(text="go on")]
    texts = [message.text for message in context.prompt(events, ()).messages]
    assert texts[1:] == ["three old turns", "go on"]


def test_the_fixed_part_stays_small() -> None:
    prompt = context.prompt([STARTED], tuple(tool.spec for tool in ALL))
    characters = len(prompt.system) + sum(len(spec.model_dump_json()) for spec in prompt.tools)
    assert characters < 6200  # about 1,400 tokens
