"""The prompt: what a model is told, and that foreign text stays data."""

from bot.agent import context
from bot.agent.context import View
from bot.core.check import Check, Rung, Verdict
from bot.core.event import Acted, Baselined, Event, Started
from bot.core.message import Message, Reply, ToolCall, ToolResult
from bot.core.talk import Compressed, Planned, Replied, Surveyed, Told
from bot.core.task import Task
from bot.tools.catalog import ALL
from bot.tools.files import number

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


def test_a_summary_stands_for_the_turns_before_it() -> None:
    old = [Replied(reply=Reply(text=f"old {n}")) for n in range(3)]
    events: list[Event] = [STARTED, *old, Compressed(until=4, summary="three <<< turns"), Told(text="go on")]
    summary, last = [message.text for message in context.prompt(events, ()).messages][1:]
    assert summary.startswith(f"{context.EARLIER}\n<<<")
    assert "\nthree <\\<< turns\n" in summary
    assert last == "go on"
    later = [*events, Compressed(until=2, summary="less"), Compressed(until=4), Compressed(until=4, summary="other")]
    assert "other" in context.prompt(later, ()).messages[1].text


def test_the_first_message_has_its_layers_in_order_and_is_settled_with_the_first_reply() -> None:
    base = Baselined(verdict=Verdict(tree="t", results=()))
    surveyed = Surveyed(map="a.py: def f", hints=("a.py:3 f: named in the task",))
    head: list[Event] = [STARTED, base, surveyed, Planned(steps=("look", "mend"), by="person")]
    titles = ("# Task", "# Checks", "# The plan", "# Project", "# Map", "# Places", "# The base, judged")
    text = context.opening(head)
    places = [text.index(title) for title in titles]
    assert places == sorted(places)
    view = View(())
    for event in [*head, Replied(reply=Reply(text="so"))]:
        view.add(event)
    late: list[Event] = [base, Surveyed(map="other"), Planned(steps=("else",))]
    for event in late:
        view.add(event)
    assert view.prompt().messages[0].text == text


def test_a_prompt_says_whether_the_reply_before_was_cut_off() -> None:
    cut = Replied(reply=Reply(finish="length"))
    assert context.prompt([STARTED, cut, Told(text="shorter")], ()).longer
    assert not context.prompt([STARTED, cut, Replied(reply=Reply())], ()).longer


READ = ToolCall(id="c", name="read_file", arguments={"path": "a.py"})


def acted(text: str) -> list[Event]:
    return [Replied(reply=Reply(calls=(READ,))), Acted(call=READ, result=ToolResult(call_id="c", ok=True, output=text))]


def test_what_was_sent_stays_as_it_was_and_a_file_read_again_is_shown_by_what_changed() -> None:
    lines = [f"line {n} of many" for n in range(60)]
    texts = ["\n".join(["a.py: lines 1-60 of 60", *number([*lines[:n], "new", *lines[n + 1 :]], 1)]) for n in range(4)]
    view, before = View(()), tuple[Message, ...]()
    for event in [STARTED, *(event for text in texts for event in acted(text))]:
        view.add(event)
        now = view.prompt().messages
        assert all(one is other for one, other in zip(before, now, strict=False))
        assert view.size == context.size(view.prompt())
        before = now
    shown = [message.text for message in before if message.role == "tool"]
    assert shown[0] == texts[0]
    assert shown[3].endswith("but for:]\n    1│line 0 of many\n    4│new")
    last = len(view.events) - 2
    view.add(Compressed(until=last, summary="s"))
    assert view.prompt().messages[-1].text == texts[3]


def test_the_fixed_part_stays_small() -> None:
    prompt = context.prompt([STARTED], tuple(tool.spec for tool in ALL))
    characters = len(prompt.system) + sum(len(spec.model_dump_json()) for spec in prompt.tools)
    assert characters < 6200  # about 1,400 tokens
