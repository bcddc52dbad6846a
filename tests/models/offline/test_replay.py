"""A script is played from the conversation alone."""

from bot.core.message import Message, Prompt, Reply
from bot.core.repeats import Writer
from bot.models.offline.replay import Act, Script, Turn, play

OPENING = Message(role="user", text="opening")


def _script(_: Prompt, torn: bool) -> Script:  # noqa: FBT001 - as the real one
    first = yield Turn((Act("read_file", {"path": "a"}), Act("read_file", {"path": "b"})), "reading")
    second = yield Turn((Act("run_check", {"name": " ".join(first.results), "torn": torn}),), "checking")
    yield Turn((Act("finish", {"summary": second.results[0] + second.told}),))


def _said(reply: Reply, *answers: str, told: str = "") -> tuple[Message, ...]:
    results = (Message(role="tool", text=t, call_id=c.id) for c, t in zip(reply.calls, answers, strict=False))
    remark = (Message(role="user", text=told),) if told else ()
    return (Message(role="assistant", text=reply.text, calls=reply.calls), *results, *remark)


def _play(*messages: Message) -> Reply:
    return play(Prompt(system="", messages=(OPENING, *messages)), _script)


def test_answers_reach_the_script_by_the_ids_of_their_calls() -> None:
    first = _play()
    assert [call.id for call in first.calls] == ["offline-1-1-1", "offline-1-1-2"]
    spoken = _said(first, "A", "B")
    second = _play(spoken[0], spoken[2], spoken[1])
    assert second.calls[0].arguments == {"name": "A B", "torn": False}


def test_what_the_loop_says_besides_reaches_the_script() -> None:
    first = _play()
    history = _said(first, "A", "B")
    second = _play(*history)
    third = _play(*history, *_said(second, "passed", told=" and a remark"))
    assert third.calls[0].arguments == {"summary": "passed and a remark"}
    assert third.finish == "tool_calls"


def test_a_script_that_has_ended_has_nothing_more_to_say() -> None:
    history: tuple[Message, ...] = ()
    for _ in range(3):
        reply = _play(*history)
        history = (*history, *_said(reply, "A", "B"))
    assert _play(*history).calls == ()


def test_a_call_without_an_answer_counts_as_answered_with_nothing() -> None:
    first = _play()
    assert _play(*_said(first, "A")).calls[0].arguments["name"] == "A "


def test_a_new_chapter_begins_where_older_turns_are_lost() -> None:
    first = _play()
    second = _play(*_said(first, "A", "B"))
    summary = Message(role="user", text="a summary of older turns")
    fresh = _play(summary, *_said(second, "passed"))
    assert [call.id for call in fresh.calls] == ["offline-2-1-1", "offline-2-1-2"]
    onward = _play(summary, *_said(second, "passed"), *_said(fresh, "C", "D"))
    assert onward.calls[0].arguments == {"name": "C D", "torn": True}


def test_a_conversation_that_does_not_fit_the_script_begins_a_new_chapter() -> None:
    first = _play()
    strange = first.model_copy(update={"calls": (first.calls[0].model_copy(update={"name": "delete_file"}),)})
    assert _play(*_said(strange, "A")).calls[0].id == "offline-2-1-1"


def test_calls_that_are_not_ours_begin_a_new_chapter() -> None:
    first = _play()
    foreign = first.model_copy(update={"calls": (first.calls[0].model_copy(update={"id": "call_1"}),)})
    assert _play(*_said(foreign, "A")).calls[0].arguments == {"path": "a"}


def test_an_answer_that_is_shown_by_what_differs_reaches_the_script_whole() -> None:
    first = _play()
    whole = [
        "\n".join([f"a: lines 1-40 of 40, {n}", *(f"{at:>5}│line {at + n} of a file" for at in range(1, 41))])
        for n in (0, 1)
    ]
    calls = [call.model_copy(update={"name": "read_file"}) for call in first.calls]
    writer = Writer()
    shown = [writer.write(call, text) for call, text in zip(calls, whole, strict=True)]
    assert len(shown[1]) < len(whole[1]) / 2
    second = _play(*_said(first, *shown))
    assert second.calls[0].arguments["name"] == " ".join(whole)
