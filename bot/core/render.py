"""The report of a run as Markdown: the body of a pull request, made of evidence."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from bot.core.account import SHOWN, Detail, Point, Sign, account, findings, live, reds, tolerated
from bot.core.change import FileChange
from bot.core.escape import clip, code, fence, inline
from bot.core.redact import sanitize
from bot.core.report import CheckSummary, Report, Step
from bot.core.trailers import Claim, commit_message, parse_trailers, state_checks

__all__ = ["Claim", "commit_message", "markdown", "parse_trailers", "state_checks"]

LONGEST = 60_000
"""Characters; GitHub takes 65,536."""
SECTION = 6_000
"""Characters that any one list or table may take."""
LEAST_DIFF = 400
ELSEWHERE = "The remaining diffs are in the commits."

SIGNS: dict[Sign, str] = {"good": "✅ ", "bad": "❌ ", "doubt": "⚠️ ", "note": ""}

Row = Sequence[str]


def markdown(report: Report) -> str:
    """Tell what was asked, what changed, what proves it and what does not; bounded, and cut at line ends."""
    before = (_headline(report), _asked(report), _changed(report))
    after = (
        _checks(report),
        _proof(report),
        _doubts(report),
        _plan(report),
        _steps(report),
        _cost(report),
        _again(report),
    )
    room = LONGEST - sum(len(part) + 2 for part in (*before, *after, ELSEWHERE))
    parts = (*before, _diffs(report, room), *after)
    return "\n\n".join(filter(None, parts)) + "\n"


def _headline(report: Report) -> str:
    steps = live(report)
    stop = inline(report.stop) + (f": {inline(report.detail, 500)}" if report.detail else "")
    match report.outcome:
        case "verified":
            wanted = ", ".join(code(name) for name in report.task.acceptance)
            left = ", ".join(code(name) for name in tolerated(report))
            passed = f"The required checks ({wanted}) passed" if wanted else "Every check passed"
            if left and not wanted:
                passed = f"Every test passed, and static checks ({left}) found only what they found on the base,"
            tests = "no earlier test asks less than before" if report.audit.tests else "no earlier test was changed"
            return f"**Verified.** {passed} on exactly this tree, in a clean checkout; {tests}."
        case "partial":
            return f"**Partly verified.** {_count(len(steps), 'step')} got no check worse, but {_lack(report)}."
        case "nothing":
            return "**Nothing to do.** Every check passes on the base already."
        case "gave_up":
            return f"**No change.** The run ended without a verified step ({stop})."
        case "failed":
            return f"**Failed.** The run could not go on ({stop})."


def _lack(report: Report) -> str:
    if report.stop != "done":
        return f"the run stopped early ({inline(report.stop)})"
    if any(finding.startswith("needs a person") for finding in report.findings):
        return "files that the evidence rests on were changed, so a person has to judge"
    return "not every required check passes"


def _asked(report: Report) -> str:
    goal = report.task.goal.strip()
    source = report.task.source
    if not goal:
        return "### Asked\n\nTo mend what the checks say is broken."
    quoted = "\n".join(clip((f"> {inline(text, 500)}" for text in goal.splitlines()), SECTION))
    whence = f"\n\nFrom {source.kind}" + (f" by {code(source.author)}" if source.author else "") + "."
    closes = source.kind == "issue" and report.outcome == "verified" and source.ref.isdecimal() and source.ref.isascii()
    return f"### Asked\n\n{quoted}{'' if source.kind == 'local' else whence}" + (
        f"\n\nFixes #{source.ref}" if closes else ""
    )


def _changed(report: Report) -> str:
    files = _merged(file for step in live(report) for file in step.files)
    if not files:
        return ""
    rows = [(code(file.path), file.kind, f"+{file.added} -{file.removed}", _kind(file)) for file in files]
    return f"### Changed\n\n{_table(('file', 'what', 'lines', 'mode'), rows, 'files')}"


def _kind(file: FileChange) -> str:
    moved = f"{file.old_mode} → {file.mode}" if file.old_mode not in ("", "000000", file.mode) else file.mode
    return code(moved) + (" binary" if file.binary else "")


def _merged(files: Iterable[FileChange]) -> list[FileChange]:
    """Add up the changes of all steps, path by path."""
    merged: dict[str, FileChange] = {}
    for file in files:
        earlier = merged.get(file.path)
        if earlier is not None:
            kind = "added" if earlier.kind == "added" and file.kind == "modified" else file.kind
            counts = {"added": earlier.added + file.added, "removed": earlier.removed + file.removed}
            merged[file.path] = file.model_copy(update={**counts, "kind": kind})
        else:
            merged[file.path] = file
    return list(merged.values())


def _diffs(report: Report, room: int) -> str:
    parts: list[str] = []
    for step in live(report):
        head = f"<details><summary>Diff of step {step.number}</summary>\n\n"
        tail = "\n\n</details>"
        inner = room - len(head) - len(tail) - 2
        if inner < LEAST_DIFF:
            parts.append(ELSEWHERE)
            break
        parts.append(head + _diff(step.patch, inner) + tail)
        room -= len(parts[-1]) + 2
    return "\n\n".join(parts)


def _diff(patch: str, room: int) -> str:
    """Fence a diff, cut so that it fits with its fence."""
    block = fence(patch, "diff")
    if len(block) <= room:
        return block
    ticks = len(block) - len(block.rstrip("`"))
    left = room - 2 * ticks - len("diff\n\n")
    return (
        fence("\n".join(clip(sanitize(patch).split("\n"), left)), "diff") if left > 0 else "The diff is in the commit."
    )


def _checks(report: Report) -> str:
    steps = live(report)
    now = {check.name: check for check in (steps[-1].checks if steps else ())}
    then = {check.name: check for check in report.baseline}
    if not now and not then:
        return "### Checks\n\nNo check was run."
    rows = [_check_row(then.get(name), now.get(name)) for name in dict.fromkeys((*then, *now))]
    head = ("check", "base", "result", "passed", "failed", "skipped", "seconds", "isolation")
    return f"### Checks\n\n{_table(head, rows, 'checks')}"


def _check_row(then: CheckSummary | None, now: CheckSummary | None) -> Row:
    shown = now or then
    assert shown is not None, "a row is made for a check that ran"
    counted = f" ({then.passed} passed, {then.failed} failed)" if then and then.passed + then.failed else ""
    base = f"{then.status}{counted}" if then else "not run"
    counts = (str(shown.passed), str(shown.failed), str(shown.skipped), f"{shown.seconds:.1f}")
    return (
        code(shown.name),
        base,
        f"**{now.status}**" if now else "not run",
        *counts,
        inline(shown.isolation) or "unknown",
    )


def _proof(report: Report) -> str:
    points = account(report)
    if not points:
        return f"### Proof\n\nNone: {inline(report.proof.reason) or 'no run gave any'}."
    items = [*_point(points[0], tuple(map(_red, reds(report.proof)))), *chain.from_iterable(map(_point, points[1:]))]
    return "### Proof\n\n" + "\n".join(clip(items, SECTION, "lines"))


def _point(point: Point, details: Sequence[str] = ()) -> Iterator[str]:
    yield f"- {SIGNS[point.sign]}{inline(point.text, 300)}"
    shown = details or tuple(map(code, point.details))
    yield from (f"  - {detail}" for detail in shown[:SHOWN])
    if len(shown) > SHOWN:
        yield f"  - …and {len(shown) - SHOWN:,} more"


def _red(red: Detail) -> str:
    return code(red.id) + (f" — {code(red.how)}" if red.how else "")


def _doubts(report: Report) -> str:
    items = [f"- {inline(text, 300)}" for text in (*findings(report), *report.notes)]
    if live(report):
        items.append(
            "- The checks ran inside the project's own processes; code made to deceive them could. Read the diff."
        )
    return "### Not verified\n\n" + "\n".join(clip(items, SECTION, "points")) if items else ""


def _plan(report: Report) -> str:
    items = [f"{number}. {inline(step, 300)}" for number, step in enumerate(report.plan, 1)]
    return "### Plan\n\n" + "\n".join(clip(items, SECTION, "points")) if items else ""


def _steps(report: Report) -> str:
    items = [f"- {_step(step)}" for step in report.steps]
    return "### Steps\n\n" + "\n".join(clip(items, SECTION, "steps")) if items else ""


def _step(step: Step) -> str:
    if not step.commit:
        kept = f", kept as {code(step.kept[:10])}" if step.kept else ""
        return f"↩ {inline(step.subject)}{kept}"
    mark = ", undone" if step.undone else ""
    return f"step {step.number}{mark}: {inline(step.subject)} ({code(step.commit[:10])}, tree {code(step.tree[:10])})"


def _cost(report: Report) -> str:
    spent = report.usage
    tokens = f"{spent.input:,} tokens in ({spent.cached:,} cached), {spent.output:,} out"
    facts = [
        _count(spent.turns, "turn"),
        _count(spent.calls, "call"),
        tokens,
        f"{spent.cost:.4f} USD",
        f"{spent.seconds:.1f} s",
    ]
    made = f"Model {code(report.model or 'unknown')}" + (
        f", checks with {code(report.python)}" if report.python else ""
    )
    return f"### Cost\n\n{' · '.join(facts)}\n\n{made}"


def _again(report: Report) -> str:
    return "### Run again\n\n" + fence("\n".join(_commands(report)), "sh")


def _commands(report: Report) -> Iterator[str]:
    yield f"git agent verify {report.run}"
    yield f"git agent show {report.run}"
    if live(report):
        yield f"git agent undo {report.run}"


def _table(head: Row, rows: Sequence[Row], what: str) -> str:
    body = clip((f"| {' | '.join(row)} |" for row in rows), SECTION, what)
    rest = [body.pop()] if len(body) != len(rows) or not body[-1].startswith("|") else []
    top = (f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}")
    return "\n".join((*top, *body, *(("", *rest) if rest else ())))


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
