from bot.core.event import Ended, Started
from bot.core.message import Prompt, Reply, ToolCall
from bot.core.talk import Replied, Retried, Told
from bot.core.task import Task
from bot.models.recorded import RecordedModel

PROMPT = Prompt(system="", messages=())


def test_replies_of_a_trace_come_back_in_order_and_then_nothing() -> None:
    first = Reply(
        text="look", calls=(ToolCall(id="c1", name="read_file", arguments={"path": "a"}),), finish="tool_calls"
    )
    second = Reply(text="done")
    events = (
        Started(run="r1", task=Task(base="b"), branch="x"),
        Replied(reply=first),
        Retried(error="unavailable", message="m"),
        Told(text="go on"),
        Replied(reply=second),
        Ended(stop="done"),
    )
    model = RecordedModel("r1", events)
    assert [model.reply(PROMPT) for _ in range(4)] == [first, second, Reply(), Reply()]
    assert model.name == "recorded:r1"
    assert model.asked == 4


def test_trace_may_be_read_only_once() -> None:
    events = (Replied(reply=Reply(text=str(n))) for n in range(2))
    model = RecordedModel("r1", events)
    assert [model.reply(PROMPT).text for _ in range(3)] == ["0", "1", ""]


def test_run_without_replies_says_nothing() -> None:
    assert RecordedModel("r1", ()).reply(PROMPT) == Reply()
