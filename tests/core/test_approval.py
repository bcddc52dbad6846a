"""What is asked, and what an answer allows from then on."""

from bot.core.approval import Answer, Decision, Question, find_grant

ASKED = Question(risk="protected", subject="action.yml", why="touches action.yml")


def decide(answer: Answer, question: Question = ASKED) -> Decision:
    return Decision(question=question, answer=answer, by="person")


def test_only_what_was_allowed_for_the_run_answers_the_same_question_again() -> None:
    again = ASKED.model_copy(update={"why": "touches action.yml once more", "shown": "a diff"})
    assert find_grant([decide("once"), decide("deny"), decide("run")], again) == decide("run")
    for other in (ASKED.model_copy(update={"subject": "b.yml"}), ASKED.model_copy(update={"risk": "size"})):
        assert find_grant([decide("run")], other) is None
    for answer in ("once", "deny", "stop"):
        assert find_grant([decide(answer)], again) is None


def test_what_was_neither_refused_nor_stopped_is_allowed() -> None:
    assert [decide(answer).allowed for answer in ("once", "run", "deny", "stop")] == [True, True, False, False]
