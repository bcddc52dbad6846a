"""When a plan is asked for, and what is said of one."""

from collections.abc import Sequence

import pytest

from bot.agent.context import opening
from bot.agent.planning import MISSED, UNPLANNED, miss, offer, refuse_unplanned, tell_course, tell_edit
from bot.core.change import ChangeSet, FileChange
from bot.core.check import Verdict
from bot.core.event import Acted, Committed, Event, Started, Verified
from bot.core.message import Reply, ToolCall, ToolResult
from bot.core.plan import FIRST, Design
from bot.core.talk import Planned, Replied, Told
from bot.core.task import Task
from bot.tools.catalog import ALL
from tests.agent.conftest import CHECKPOINT, FINISH, RIGHT, Scene, reply

TOOLS = {tool.name: tool for tool in ALL}
LARGE = "Add subtract, rename add to plus everywhere, and document both"
PLAN = ("update_plan", {"steps": ["mend calc.py", "document"], "modules": ["calc.py"]})


def started(goal: str = LARGE, *, planning: bool = False) -> Started:
    return Started(run="r1", task=Task(goal=goal, base="b"), branch="x", planning=planning)


def refused(*events: Event, name: str = "edit_file", call_id: str = "c1") -> bool:
    return refuse_unplanned(events, ToolCall(id=call_id, name=name), TOOLS) is not None


def answered(name: str, error: str | None = None) -> Acted:
    call = ToolCall(id="c0", name=name)
    return Acted(call=call, result=ToolResult(call_id="c0", ok=error is None, output="", error=error))


@pytest.mark.parametrize(
    ("run", "rests"), [(started(), True), (started("mend add"), False), (started("mend add", planning=True), True)]
)
def test_what_a_plan_rests_on_is_only_asked_for_where_one_is_wanted(run: Started, *, rests: bool) -> None:
    told = {spec.name: spec.model_dump_json() for spec in offer(TOOLS, run)}
    assert list(told) == list(TOOLS)
    assert '"steps"' in told["update_plan"]
    assert ('"boundaries"' in told["update_plan"]) is rests


SPOKE = Replied(reply=Reply(text=""))
NO = answered("edit_file", UNPLANNED)


@pytest.mark.parametrize("name", ["edit_file", "create_file", "run_command", "try_patches", "apply_patch"])
def test_a_large_task_wants_a_plan_before_anything_is_changed(name: str) -> None:
    assert refused(started(), SPOKE, name=name)


@pytest.mark.parametrize(
    "name", ["read_file", "run_check", "locate_fault", "update_plan", "ask", "checkpoint", "nothing"]
)
def test_looking_and_steering_need_none(name: str) -> None:
    assert not refused(started(), SPOKE, name=name)


def test_it_is_asked_for_in_one_reply_and_never_again() -> None:
    assert refused(started(), SPOKE, NO)
    assert refused(started(), SPOKE, NO, name="finish")
    assert refused(started(), SPOKE, NO, name="checkpoint")
    assert not refused(started(), SPOKE, NO, SPOKE)
    assert not refused(started(), SPOKE, NO, SPOKE, name="finish")


def test_who_has_a_plan_or_made_a_step_is_not_asked() -> None:
    plan, step = Planned(steps=("x",)), Committed(step=1, commit="c", tree="t", subject="s")
    assert not refused(started(), plan, SPOKE)
    assert not refused(started(), SPOKE, plan)
    assert not refused(started(), SPOKE, step, SPOKE)
    assert not refused(started("fix the test"), SPOKE)
    assert not refused(started(planning=True), SPOKE)
    few = {name: tool for name, tool in TOOLS.items() if name != "update_plan"}
    assert refuse_unplanned((started(), SPOKE), ToolCall(id="c", name="edit_file"), few) is None


def test_the_opening_asks_for_a_plan_only_where_one_is_wanted_and_never_changes() -> None:
    small, large = started("fix the test"), started()
    assert "plan" not in opening((small,))
    assert FIRST in opening((large,))
    assert opening((large, SPOKE, Planned(steps=("x",)))) == opening((large,))
    agreed = opening((large, Planned(steps=("<<<look", "mend"), design=Design(tests=("t",)), by="person")))
    assert FIRST not in agreed
    assert "# The plan\nA person agreed to it." in agreed
    assert "1. <\\<<look\n2. mend\nTests:\n- t\n<<<end" in agreed


def test_a_run_goes_on_with_its_plan_after_it_was_asked_for_one(scene: Scene) -> None:
    lines = (reply(RIGHT, CHECKPOINT, FINISH), reply(PLAN), reply(RIGHT), reply(CHECKPOINT), reply(FINISH))
    events = scene.run(*lines, goal=LARGE)
    acted = [event for event in events if isinstance(event, Acted)]
    assert [event.result.error for event in acted] == [UNPLANNED] * 3 + [None] * 4
    assert "Plan: 1 of 2 done, next is 2. document. If that no longer holds, update_plan." in acted[-2].result.output
    planned = next(event for event in events if isinstance(event, Planned))
    assert (planned.design.modules, planned.by) == (("calc.py",), "model")


def test_a_run_for_a_plan_that_would_end_without_one_is_told_so_once() -> None:
    run, spoken = started(planning=True), Replied(reply=Reply(text="First I would look, then mend."))
    assert miss((run, spoken)) == MISSED
    assert not miss((run, spoken, Told(text=MISSED), spoken))
    assert not miss((run, Planned(steps=("look",)), spoken))
    assert not miss((started(), spoken))


def step(plan: Planned, paths: Sequence[str]) -> str:
    change = ChangeSet(base="b", tree="t", files=tuple(FileChange(path=path, kind="modified") for path in paths))
    judged = Verified(verdict=Verdict(tree="t", results=()), change=change)
    return tell_course((started(), plan, judged, Committed(step=1, commit="c", tree="t", subject="s")))


def test_a_step_that_mixes_steps_of_the_plan_or_leaves_it_is_told_so_and_kept() -> None:
    plan = Planned(steps=("cache in `app/cache.py`", "flags (app/cli.py)"), design=Design(modules=("app/", "README")))
    assert "Note" not in step(plan, ("app/cache.py", "tests/test_cli.py", "README.md"))
    mixed = step(plan, ("app/cache.py", "app/cli.py"))
    assert "Note: it is of steps 1, 2 of the plan; keep to one purpose a step." in mixed
    assert "Note: the plan does not speak of setup.sh." in step(plan, ("app/cache.py", "setup.sh"))
    assert "all 1 steps are done" not in step(plan, ())
    assert "Plan: all 1 steps are done." in step(Planned(steps=("x\x1b[2J",)), ("anything.py",))
    dotted = Planned(steps=("x",), design=Design(modules=("app.core.cache: the store",)))
    assert "Note" not in step(dotted, ("src/app/core/cache.py",))


def test_without_a_plan_nothing_is_said() -> None:
    assert tell_course((started(), Committed(step=1, commit="c", tree="t", subject="s"))) == ""


def test_what_a_person_changed_is_told_until_the_model_has_heard_it() -> None:
    said = Planned(steps=("x",), by="person")
    assert tell_edit((started(), SPOKE, said)) == "1. x"
    assert tell_edit((started(), SPOKE, said, SPOKE)) == ""
    assert tell_edit((started(), Planned(steps=("x",)))) == ""
