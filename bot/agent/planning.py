"""Whether a task wants a plan, what is said of one, and where it stands after each verified step."""

from collections.abc import Iterator, Sequence
from itertools import takewhile

from bot.agent.calls import Tools, failure
from bot.agent.scale import is_large
from bot.core.course import Course, track
from bot.core.escape import line
from bot.core.event import Acted, Committed, Event, Started, Verified
from bot.core.evidence import is_test
from bot.core.message import ToolCall, ToolResult, ToolSpec
from bot.core.plan import FIRST, Design
from bot.core.talk import Planned, Replied, Told
from bot.tools.control import Plan
from bot.tools.tool import Access

UNPLANNED = "unplanned"
AGREED = "A person agreed to it. Keep to it; where it does not hold, say so with update_plan."
SAY_IT = "not executed: say your plan first (update_plan), one purpose a step; then call again"
MISSED = "This run is for a plan, and none was noted: say it with update_plan, one purpose a step, then finish."
LOOKS = frozenset({"run_check", "locate_fault"})
"""Calls that execute something, and change nothing."""
NAMED = 3
"""Files or steps that are named in a note."""


def offer(tools: Tools, started: Started) -> tuple[ToolSpec, ...]:
    """Describe the tools for a run; what a plan rests on is only asked for where a plan is wanted."""
    whole = started.planning or is_large(started.task)
    return tuple(tool.spec if whole or tool.args is not Plan else _plain(tool.spec) for tool in tools.values())


def _plain(spec: ToolSpec) -> ToolSpec:
    # Every request carries it, and the plan of a small task is its steps
    wanted = spec.parameters["properties"]
    assert isinstance(wanted, dict), "a schema names its properties"
    return spec.model_copy(update={"parameters": {**spec.parameters, "properties": {"steps": wanted["steps"]}}})


def miss(events: Sequence[Event]) -> str:
    """Say once, where only a plan is asked for and the model wants to end without one, that it is missing."""
    started = next(event for event in events if isinstance(event, Started))
    heard = any(isinstance(event, Planned) or _is_told(event) for event in events)
    return MISSED if started.planning and not heard else ""


def _is_told(event: Event) -> bool:
    return (isinstance(event, Told) and event.text == MISSED) or _refused(event)


def note_plan(wish: Plan) -> Planned:
    """Make an event of what a model means to do."""
    return Planned(steps=wish.steps, design=Design(**{name: getattr(wish, name) for name in Design.model_fields}))


def ask_for_plan(events: Sequence[Event]) -> str:
    """Say that a plan comes first, where a task wants one and none is agreed; else empty."""
    started = next(event for event in events if isinstance(event, Started))
    wanted = not started.planning and agreed(events) is None and is_large(started.task)
    return FIRST if wanted else ""


def agreed(events: Sequence[Event]) -> Planned | None:
    """Return the plan that there was before the model was asked for the first time."""
    head = takewhile(lambda event: not isinstance(event, Replied), events)
    return next((event for event in reversed(tuple(head)) if isinstance(event, Planned) and event.steps), None)


def tell_plan(plan: Planned) -> str:
    """Write a plan out, for a model to read between marks."""
    rows = [f"{number}. {step}" for number, step in enumerate(plan.steps, 1)]
    for title, told in plan.design.points():
        rows += [f"{title}:", *(f"- {one}" for one in told)]
    return "\n".join(rows)


def tell_edit(events: Sequence[Event]) -> str:
    """Write out the plan that a person changed since the model was last asked; empty where nobody did."""
    for event in reversed(events):
        if isinstance(event, Planned) and event.by == "person":
            return tell_plan(event)
        if isinstance(event, Replied):
            break
    return ""


def refuse_unplanned(events: Sequence[Event], call: ToolCall, tools: Tools) -> ToolResult | None:
    """Refuse the first reply that changes something in a task that wants a plan and has none; never a second one."""
    tool = tools.get(call.name)
    ends = call.name in ("checkpoint", "finish")
    changes = tool is not None and tool.access in (Access.WRITE, Access.EXECUTE) and call.name not in LOOKS
    if not (changes or ends) or "update_plan" not in tools or not ask_for_plan(events):
        return None
    last = next((at for at in range(len(events) - 1, -1, -1) if isinstance(events[at], Replied)), 0)
    if any(isinstance(event, Planned | Committed) or _refused(event) for event in events[:last]):
        return None
    since = events[last:]
    if any(isinstance(event, Planned) for event in since):
        return None
    # What was to follow a change that was not made has nothing to stand on
    return failure(call, UNPLANNED, SAY_IT) if changes or any(map(_refused, since)) else None


def _refused(event: Event) -> bool:
    return isinstance(event, Acted) and event.result.error == UNPLANNED


def tell_course(events: Sequence[Event]) -> str:
    """Say behind a verified step where the plan stands, and what of the step was not in it; empty without a plan."""
    course = track(events)
    if not course.steps:
        return ""
    count = len(course.steps)
    if not course.next:
        told = f"Plan: all {count} steps are done. If more is needed, update_plan; else finish."
    else:
        ahead = f"next is {course.done + 1}. {line(course.next)}"
        told = f"Plan: {course.done} of {count} done, {ahead}. If that no longer holds, update_plan."
    return "".join(f"\n{text}" for text in (told, *_stray(course, _last_paths(events))))


def _last_paths(events: Sequence[Event]) -> tuple[str, ...]:
    judged = next((event for event in reversed(events) if isinstance(event, Verified)), None)
    return judged.change.paths if judged is not None else ()


def _stray(course: Course, paths: Sequence[str]) -> Iterator[str]:
    """Say where a change is of more than one step, or reaches beyond what the plan is about."""
    # A test belongs to the step that it proves
    mine = [path for path in paths if not is_test(path)]
    named = {path: [at for at, step in enumerate(course.steps, 1) if _names(step, path)] for path in mine}
    several = sorted({found[0] for found in named.values() if len(found) == 1})
    if len(several) > 1:
        yield f"Note: it is of steps {', '.join(map(str, several[:NAMED]))} of the plan; keep to one purpose a step."
    about = (*course.design.modules, *course.design.changes, *course.design.tests)
    if course.design.modules:
        beyond = [path for path in mine if not named[path] and not any(_is_about(text, path) for text in about)]
        if beyond:
            yield f"Note: the plan does not speak of {', '.join(map(line, beyond[:NAMED]))}."


def _names(text: str, path: str) -> bool:
    """Say whether a text names a file, a folder that it is in, or the module that it is."""
    return any(_fits(word, path) for word in _words(text))


def _fits(word: str, path: str) -> bool:
    if "/" not in word and "." not in word:
        return False
    dotted = word.replace(".", "/")
    forms = {word, dotted, f"{dotted}.py"}
    return any(f"/{path}".endswith(f"/{form}") or path.startswith(f"{form}/") for form in forms)


def _is_about(text: str, path: str) -> bool:
    """Say so, too, where but the bare name of a file or of a folder is there."""
    parts = {part.partition(".")[0] for part in path.split("/")} | set(path.split("/"))
    return _names(text, path) or any(word in parts for word in _words(text))


def _words(text: str) -> Iterator[str]:
    for word in text.replace(",", " ").replace(":", " ").split():
        bare = word.strip("`'\"()[]<>;*.").rstrip("/")
        if bare:
            yield bare
