"""Parts of a page about a run, each within its room: what changed, what the checks said, which steps were made."""

import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise

from bot.core.account import SHOWN, Detail, Point, Sign, findings, live, reds
from bot.core.change import FileChange
from bot.core.check import Check, Reader, Status
from bot.core.doubts import merge_files
from bot.core.escape import clip, code, fence, inline, size, table
from bot.core.plan import Design
from bot.core.publication.attention import HIDDEN
from bot.core.publication.setting import Links
from bot.core.publication.words import GRAVE, asks, cases, count, spell
from bot.core.redact import sanitize
from bot.core.report import ABOUT_MODEL, CheckSummary, Report, Step
from bot.core.undecided import questions

SIGNS: dict[Sign, str] = {"good": "✅ ", "bad": "❌ ", "doubt": "⚠️ ", "note": ""}
STATES: dict[Status, str] = {"passed": "✅", "failed": "❌", "skipped": "⚪", "errored": "⚠️"}

SECTION = 4_000
"""Characters that any one list or table may take."""
LEAST_DIFF = 400
DIFFS = "Diffs, step by step"
ELSEWHERE = "The remaining diffs are in the commits."
OWN_PROCESS = "The checks ran inside the project's own processes; code made to deceive them could. Read the diff."

MODES = {"120000": "link", "160000": "submodule", "100755": "executable"}
ORDINARY = ("", "000000", "100644")

OURS: Mapping[Reader, Collection[str]] = {
    "mypy": (
        *("-P", "--output", "json", "--no-incremental", "--cache-dir=/dev/null"),
        *("--no-error-summary", "--show-error-codes"),
    ),
    "pytest": ("-P",),
}
"""Words of commands that are there for us to read the answer, and change nothing in it."""

FAILING = "still failing, as on the base: "
"""How findings begin that are told with the cases that are left."""
NOWHERE = Links()
NEAR = 3
"""Parts of the path of an interpreter that tell it apart: a virtual environment, its folder, its name."""


def join(parts: Iterable[str]) -> str:
    """Put parts below each other, those that are empty left out."""
    return "\n\n".join(filter(None, parts))


def fold(title: str, body: str) -> str:
    """Put Markdown behind a line that a reader opens."""
    return f"<details><summary>{title}</summary>\n\n{body}\n\n</details>" if body else ""


def show_points(points: Sequence[Point], room: int = SECTION) -> str:
    """List what is to be said of the evidence, with what each point rests on below it."""
    return "\n".join(clip(chain.from_iterable(map(_point, points)), room, "lines"))


def _point(point: Point) -> Iterator[str]:
    yield f"- {SIGNS[point.sign]}{inline(point.text, 500)}"
    yield from (f"  - {code(spell(detail), 300)}" for detail in point.details[:SHOWN])
    if len(point.details) > SHOWN:
        yield f"  - …and {len(point.details) - SHOWN:,} more"


def show_reds(report: Report, room: int = SECTION) -> str:
    """Show case by case what fails without the change and passes with it; tests, which say how, come first."""
    found = sorted(reds(report.proof), key=lambda red: not red.how)
    rows = [(_red(red), "❌", "✅") for red in found[:SHOWN]]
    rest = f"\n\n…and {len(found) - SHOWN:,} more cases" if len(found) > SHOWN else ""
    return table(("case", "before", "now"), rows, "cases", room - len(rest)) + rest if rows else ""


def _red(red: Detail) -> str:
    return code(spell(red.id)) + (f"<br>{code(red.how, 240)}" if red.how else "")


def changed_files(report: Report) -> tuple[FileChange, ...]:
    """Add up the changes of all steps that count, path by path."""
    every = [file for step in live(report) for file in step.files]
    counts = dict[str, tuple[int, int, str]]()
    for file in every:
        added, removed, mode = counts.get(file.path, (0, 0, file.old_mode))
        counts[file.path] = (added + file.added, removed + file.removed, mode)
    return tuple(_total(file, *counts[file.path]) for file in merge_files(every))


def _total(file: FileChange, added: int, removed: int, old_mode: str) -> FileChange:
    return file.model_copy(update={"added": added, "removed": removed, "old_mode": old_mode})


def show_changed(report: Report, room: int = SECTION) -> str:
    """List the files that the run changed."""
    files = changed_files(report)
    rows = [(code(file.path), _kind(file), f"+{file.added:,} -{file.removed:,}") for file in files]
    return table(("file", "what", "lines"), rows, "files", room) if rows else ""


def _kind(file: FileChange) -> str:
    words = [file.kind, *(["binary"] if file.binary else [])]
    if file.old_mode not in (*ORDINARY[:2], file.mode):
        words.append(f"mode {code(file.old_mode)} → {code(file.mode)}")
    elif file.mode not in ORDINARY:
        words.append(MODES.get(file.mode) or code(file.mode))
    return ", ".join(words)


def show_checks(report: Report, declared: Sequence[Check] = (), room: int = SECTION) -> str:
    """Hold what each check said of the base against what it says of the result."""
    steps = live(report)
    now = {check.name: check for check in (steps[-1].checks if steps else ())}
    then = {check.name: check for check in report.baseline}
    if not now and not then:
        return "No check was run."
    commands = {check.name: tell_command(check) for check in declared}
    names = [*dict.fromkeys((*then, *now))]
    rows = [_check_row(name, then.get(name), now.get(name), commands) for name in names]
    head = ("check", *(["command"] if commands else ()), "base", "result", "time")
    where = _isolation([*now.values()] or [*then.values()])
    return join((table(head, rows, "checks", room - len(where)), where))


def _check_row(
    name: str, then: CheckSummary | None, now: CheckSummary | None, commands: dict[str, str]
) -> tuple[str, ...]:
    command = [code(commands.get(name, "")) if commands.get(name) else "built in"] if commands else []
    result = f"**{_state(now)}**" if now else "not run"
    times = [f"{each.seconds:.1f}" for each in (then, now) if each]
    return (code(name), *command, _state(then) if then else "not run", result, f"{' → '.join(times)} s")


def _state(check: CheckSummary) -> str:
    return f"{STATES[check.status]} {inline(cases(check), 100)}"


def _isolation(checks: Sequence[CheckSummary]) -> str:
    levels = dict.fromkeys(check.isolation or "unknown" for check in checks)
    return f"Each ran in a clean checkout of its tree; isolation: {clip_words(map(code, levels))}."


def clip_words(words: Iterable[str], most: int = 5) -> str:
    """Name the first few of many."""
    every = tuple(words)
    return ", ".join(every[:most]) + (f" and {len(every) - most:,} more" if len(every) > most else "")


def tell_command(check: Check) -> str:
    """Write a check's command as a person would type it; empty where there is none to be typed."""
    if check.reader == "syntax" or not check.argv:
        return ""
    program, *rest = check.argv
    told = [word for before, word in pairwise(("", *rest)) if not {before, word} & {"--python-executable"}]
    words = [program.rpartition("/")[2], *(word for word in told if word not in OURS.get(check.reader, ()))]
    return f"(cd {shlex.quote(check.folder)} && {shlex.join(words)})" if check.folder else shlex.join(words)


def show_steps(report: Report, links: Links = NOWHERE, room: int = SECTION) -> str:
    """List what was committed and what was thrown away."""
    rows = [_step(step, links) for step in report.steps]
    return table(("step", "commit", "what", "lines", "mended"), rows, "steps", room) if rows else ""


def _step(step: Step, links: Links) -> tuple[str, ...]:
    added, removed = sum(file.added for file in step.files), sum(file.removed for file in step.files)
    lines = f"+{added:,} -{removed:,}"
    if not step.commit:
        kept = f"kept as {code(step.kept[:10])}" if step.kept else ""
        return ("↩", kept, inline(step.subject), lines, "")
    subject = inline(step.subject) or "without a subject"
    what = f"~~{subject}~~ undone" if step.undone else subject
    return (str(step.number or ""), links.commit(step.commit), what, lines, str(len(step.fixed) or ""))


def show_diffs(report: Report, room: int) -> str:
    """Show the diffs of the steps that count behind a line, as far as there is room."""
    parts: list[str] = []
    room -= len(fold(DIFFS, ELSEWHERE)) + 2
    for step in live(report):
        head = f"**Step {step.number}**\n\n"
        inner = room - len(head)
        if inner < LEAST_DIFF:
            parts.append(ELSEWHERE)
            break
        parts.append(head + show_diff(step.patch, inner))
        room -= size(parts[-1]) + 2
    return fold(DIFFS, join(parts))


def show_diff(patch: str, room: int) -> str:
    """Fence a diff, cut so that it fits with its fence."""
    block = fence(patch, "diff")
    if size(block) <= room:
        return block
    ticks = len(block) - len(block.rstrip("`"))
    spare = room - 2 * ticks - len("diff\n\n")
    lines = sanitize(patch).split("\n")
    # Where an order in it has to be broken, a line grows
    for left in (spare, spare * 9 // 10):
        cut = fence("\n".join(clip(lines, left)), "diff") if left > 0 else ""
        if cut and size(cut) <= room:
            return cut
    return "The diff is in the commit."


def show_plan(steps: Sequence[str], design: Design, room: int = SECTION, *, done: int = 0) -> str:
    """List what is meant to be done, with a mark where it is, and what that rests on."""
    told = (f"{at}. {'✅ ' if at <= done else ''}{inline(step, 300)}" for at, step in enumerate(steps, 1))
    return join(("\n".join(clip(told, room, "points")), show_design(design, room) if steps else ""))


def show_course(report: Report, room: int = SECTION) -> str:
    """List the plan of a run with what it rests on; where the run stopped early, with what is done of it."""
    if not report.plan:
        return ""
    early = not report.planning and report.unfinished
    left = f"{report.plan_done} of {count(len(report.plan), 'step')} done." if early else ""
    return join((left, show_plan(report.plan, report.design, room, done=report.plan_done if early else 0)))


def show_design(design: Design, room: int = SECTION) -> str:
    """List what a plan rests on, under a heading each."""
    points = [
        line for title, told in design.points() for line in (f"- {title}", *(f"  - {inline(one, 300)}" for one in told))
    ]
    return "\n".join(clip(points, room, "points"))


def show_doubts(report: Report, room: int = SECTION, *, grave: bool = False) -> str:
    """List what a person should know; what has to be looked at only where it is not said elsewhere."""
    said = (*findings(report), *(note for note in report.notes if not note.startswith(ABOUT_MODEL)))
    kept = [text for text in said if grave or not (text == HIDDEN or text.startswith((GRAVE, FAILING)))]
    items = [f"- {inline(text, 300)}" for text in kept] + ([f"- {OWN_PROCESS}"] if live(report) else [])
    return "\n".join(clip(items, room, "points"))


def show_questions(report: Report, room: int = SECTION) -> str:
    """List what the tests do not decide, for a person to."""
    return show_points([Point("doubt", said) for said in questions(report.findings)], room)


def show_waits(report: Report, command: str, room: int = SECTION) -> str:
    """Show what a person has to allow before the run goes on, and by which command that is said."""
    if not report.waits:
        return ""
    each_room = max(room // len(report.waits) - 3_000, LEAST_DIFF)
    shown = [join((f"- it {inline(each.why, 300)}", show_diff(each.shown, each_room))) for each in report.waits]
    kept = clip(shown, room, "things")
    return join((*kept, f"{code(command)} allows exactly this, and the run goes on."))


def show_ask(report: Report, prefix: str) -> str:
    """Say how what the run waits for is allowed or answered."""
    if asks(report):
        return f"A comment that says {code(f'{prefix} approve …')}, with the answer behind it, goes on with that."
    return show_waits(report, f"{prefix} approve {report.seal}".rstrip())


def quote_plain(text: str, room: int = SECTION) -> str:
    """Show text that is not Markdown as it is, line by line."""
    lines = [f"> {inline(one, 500)}" for one in text.splitlines() if one.strip()]
    return "\n>\n".join(clip(lines, room - 2 * len(lines))) if lines else ""


def show_cost(report: Report) -> str:
    """Say what the run took."""
    spent = report.usage
    facts = [f"Model {code(report.model or 'unknown')}", count(spent.turns, "turn"), count(spent.calls, "call")]
    if spent.input + spent.output:
        facts.append(f"{spent.input:,} tokens in ({spent.cached:,} cached), {spent.output:,} out")
    if spent.cost:
        facts.append(f"{spent.cost:.4f} USD")
    if spent.input + spent.output and not spent.priced:
        facts.append("price unknown")
    facts.append(f"{spent.seconds:.1f} s")
    return " · ".join(facts) + (f" · checks with {inline(_tell_python(report.python))}" if report.python else "")


def _tell_python(python: str) -> str:
    """Shorten where an interpreter lies on a machine that is gone by the time this is read."""
    path, comma, found = python.partition(", ")
    parts = path.split("/")
    short = path if len(parts) <= NEAR + 2 else f"…/{'/'.join(parts[-NEAR:])}"
    return short if found and found in short else f"{short}{comma}{found}"
