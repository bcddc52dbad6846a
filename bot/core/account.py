"""What a report proves, what it does not, and what weakens it: point by point, in words for a person."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

from bot.core.approval import Decision, Risk
from bot.core.change import FileChange
from bot.core.check import Flake
from bot.core.doubts import object_to
from bot.core.evidence import evidence_paths
from bot.core.proof import Audit, ChangeKind, Proof, ProofMode, Red, TestChange
from bot.core.report import CheckSummary, Report, Step
from bot.core.undecided import BETWEEN

Sign: TypeAlias = Literal["good", "bad", "doubt", "note"]

SHOWN = 8
"""Details of one point that are told."""

MODES: dict[ProofMode, tuple[str, str, str]] = {
    "reproduction": ("{} failed on the base", "{} failed on the base", "with the change"),
    "written": ("{} that is new fails on the base", "{} that are new fail on the base", "with the change"),
    "reverted": (
        "{} that was adapted fails without the rest of the change",
        "{} that were adapted fail without the rest of the change",
        "with it",
    ),
    "none": ("{} failed on the base", "{} failed on the base", "with the change"),
}
"""What is said of one case, of several, and of how they pass now."""
KINDS: dict[ChangeKind, tuple[str, str]] = {
    "weakened": ("asks less than before", "ask less than before"),
    "removed": ("is gone", "are gone"),
    "silenced": ("no longer speaks up", "no longer speak up"),
    "altered": ("asks something else than before", "ask something else than before"),
    "configuration": ("was changed", "were changed"),
    "added": ("was added", "were added"),
    "extended": ("was extended, and asks more than before", "were extended, and ask more than before"),
    "renamed": ("was renamed, and is the same otherwise", "were renamed, and are the same otherwise"),
    "moved": ("was moved, and is the same otherwise", "were moved, and are the same otherwise"),
    "equal": ("is written differently, and asks the same", "are written differently, and ask the same"),
}
ALLOWED: dict[Risk, tuple[Sign, str]] = {
    "protected": ("doubt", "protected paths were changed"),
    "size": ("note", "more was changed than usually may"),
    "delete": ("note", "files were deleted"),
    "command": ("note", "programs off the list were run"),
}
"""What is said of what somebody allowed."""
WEAKER = "weaker evidence: "
FLAKY = " did not always end the same way"
GRAVE = "needs a person: "
UNSEEN = " is imported by no test"
UNJUDGED = "could not be judged, "
FOLDED = ("still failing, as on the base: ", "fails, unlike on the base: ")
"""Findings that are told together when there are many."""
MANY = 3
"""Findings of a kind that are still told one by one."""


class Point(NamedTuple):
    """One thing that a report says of its evidence."""

    sign: Sign
    text: str
    details: tuple[str, ...] = ()


class Detail(NamedTuple):
    """A case, and how it failed."""

    id: str
    how: str = ""


def live(report: Report) -> tuple[Step, ...]:
    """Return the steps that the branch holds."""
    return tuple(step for step in report.steps if step.commit and not step.undone)


def tolerated(report: Report) -> tuple[str, ...]:
    """Name the checks that do not pass at the tip of what counts."""
    steps = live(report)
    return tuple(check.name for check in steps[-1].checks if check.status == "failed") if steps else ()


def reds(proof: Proof) -> tuple[Detail, ...]:
    """Return what failed without the change and passes with it, and how it failed."""
    shown = {red.id: red for red in proof.shown}
    return tuple(Detail(case, _how(shown[case]) if case in shown else "") for case in proof.green)


def _how(red: Red) -> str:
    said = red.message.partition("\n")[0]
    if red.id.split("::", 2)[-1].startswith(said.partition(" ")[2].rstrip("…") or "\n"):
        return ""  # the id of a finding says it all
    return said if said.startswith(red.error) else f"{red.error}: {said}" if said else red.error


def prove(proof: Proof) -> Point:
    """Say what was red without the change and is green with it."""
    count = len(proof.green)
    if not count:
        return Point("doubt", f"nothing was shown to fail without the change: {proof.reason or 'it was not tried'}")
    one, several, now = MODES[proof.mode]
    then = (one if count == 1 else several).format(_count(count, "case"))
    return Point("good", f"red → green: {then}, and {'passes' if count == 1 else 'pass'} {now}")


def failing(report: Report) -> tuple[str, ...]:
    """Return the cases of the base that are not mended; a file that could not be read as tests has no id afterwards."""
    unjudged = {finding.partition(": ")[2] for finding in report.findings if finding.startswith(UNJUDGED)}
    ends = {finding.partition(": ")[2] for finding in report.findings}
    left = (case for case in report.proof.red if case not in report.proof.green and case not in unjudged)
    return tuple(case for case in left if case in ends or "::" in case)


def remain(report: Report) -> Point | None:
    """Say what failed on the base and still does."""
    # Linters find so much that tests would not be seen among it
    left = tuple(sorted(failing(report), key=is_reading))
    if not left:
        return None
    if report.outcome == "verified" and all(map(is_reading, left)):
        return Point("note", f"left as on the base: {_count(len(left), 'finding')} of checks that only read", left)
    text = f"{_count(len(left), 'case')} that failed on the base {'does' if len(left) == 1 else 'do'} not pass"
    return Point("doubt", text, left)


def is_reading(case: str) -> bool:
    """Tell whether a case is what a check that reads the code found, `path::code::message`; tests have other ids."""
    message = case.partition("::")[2].partition("::")[2]
    # Names in Python hold no blanks, so only parameters, in brackets, may bring one into the id of a test
    return " " in message.partition("[")[0]


def review(audit: Audit, files: Iterable[FileChange], told: Collection[str] = ()) -> Iterator[Point]:
    """Say what became of the tests, their surroundings and the configuration of the checks."""
    if audit == Audit() and not evidence_paths(tuple(files)):
        yield Point("good", "no earlier test and no configuration of the checks was touched")
    for kind, words in KINDS.items():
        for noun, changes in _by_noun(change for change in audit.tests if change.kind == kind):
            details = tuple(describe(change) for change in changes if not _is_told(change, told))
            text = f"{_count(len(changes), noun)} {words[len(changes) > 1]}"
            yield Point("bad" if changes[0].grave else "good", text, details)
    if audit.unread:
        yield Point("doubt", "changed, and could not be compared piece by piece:", audit.unread)
    yield from _overlay(audit)


def _by_noun(changes: Iterable[TestChange]) -> Iterator[tuple[str, Sequence[TestChange]]]:
    groups: dict[str, list[TestChange]] = {}
    for change in changes:
        groups.setdefault(_noun(change), []).append(change)
    yield from groups.items()


def _noun(change: TestChange) -> str:
    if change.kind == "configuration":
        return "setting of the checks"
    if change.name.rpartition(".")[2].startswith("test"):
        return "test"
    return "thing that tests use" if change.name else "file of the tests"


def _is_told(change: TestChange, told: Collection[str]) -> bool:
    case = _node(change)
    return change.kind == "added" and any(one == case or one.startswith((f"{case}::", f"{case}[")) for one in told)


def _node(change: TestChange) -> str:
    return f"{change.path}::{change.name.replace('.', '::')}"


def describe(change: TestChange) -> str:
    """Name a piece of the evidence, and what happened to it."""
    named = f"{change.path}: {change.name}" if change.kind == "configuration" else _node(change)
    return f"{named if change.name else change.path}{': ' if change.detail else ''}{change.detail}"


def _overlay(audit: Audit) -> Iterator[Point]:
    files = _count(len(audit.kept), "file")
    if audit.reason:
        yield Point("doubt", f"the base versions of the tests tell nothing: {audit.reason}")
    elif audit.unkept:
        yield Point("bad", f"base versions of {files} were run against the result: these do not pass", audit.unkept)
    elif audit.kept:
        yield Point("good", f"base versions of {files} were run against the result: all pass", audit.kept)


def weigh_checks(checks: Sequence[CheckSummary]) -> Iterator[Point]:
    """Say of which checks the word weighs less than it may seem, and why."""
    for check in checks:
        if weak := weakness(check):
            yield Point("note", f"{check.name}: {WEAKER}{weak}")
        if check.narrowed:
            yield Point("doubt", f"{check.name}: only the tests nearest to the change were asked")
        if check.flakes:
            details = tuple(map(_flake, check.flakes))
            yield Point(
                "note", f"{check.name}: {_count(len(details), 'case')} did not always end the same way", details
            )
    if again := [check.name for check in checks if check.reused]:
        yield Point("note", f"{', '.join(again)}: not run again; known of the same tree in the same environment")


def weakness(check: CheckSummary) -> str:
    """Say why a check's word weighs less; empty when it does not."""
    return check.summary.partition(WEAKER)[2]


def _flake(flake: Flake) -> str:
    return f"{flake.id}: passed {flake.passed} of {flake.runs} runs"


def account(report: Report) -> tuple[Point, ...]:
    """Say what a report proves."""
    steps = live(report)
    if not steps:
        return ()
    left = remain(report)
    return (
        prove(report.proof),
        *([left] if left else []),
        *review(report.audit, (file for step in steps for file in step.files), report.proof.green),
        *_unjudged(report.findings),
        *_unseen(report.findings),
        *weigh_checks(steps[-1].checks),
        *_allowances([decision for step in steps for decision in step.allowed]),
    )


def _allowances(allowed: Sequence[Decision]) -> Iterator[Point]:
    """Say what somebody had to allow, kind by kind."""
    for risk, (sign, words) in ALLOWED.items():
        found = [decision for decision in allowed if decision.question.risk == risk]
        if found:
            # An earlier answer was one of a person for the run, or the same one once more
            set_up = all(decision.by == "policy" for decision in found)
            names = ", ".join(dict.fromkeys(decision.who for decision in found if decision.who))
            who = "as it was set beforehand" if set_up else f"by {names or 'a person'}"
            asked = (each.question for each in found)
            told = dict.fromkeys(each.subject if risk == "command" else each.why for each in asked)
            yield Point(sign, f"{words}, allowed {who}", tuple(told))


def _unjudged(said: Iterable[str]) -> Iterator[Point]:
    groups: dict[str, list[str]] = {}
    for finding in said:
        if finding.startswith(UNJUDGED):
            why, _, case = finding.removeprefix(UNJUDGED).partition(": ")
            groups.setdefault(why, []).append(case)
    for why, cases in groups.items():
        yield Point("doubt", f"{_count(len(cases), 'case')} could not be judged, {why}", tuple(cases))


def _unseen(said: Iterable[str]) -> Iterator[Point]:
    files = tuple(finding.removesuffix(UNSEEN) for finding in said if finding.endswith(UNSEEN))
    if files:
        yield Point("doubt", f"no test imports {_count(len(files), 'file')} that {_was(len(files))} changed", files)


def findings(report: Report) -> tuple[str, ...]:
    """Return what a person should know that the account does not say; many of a kind are told together."""
    if not live(report):
        return tuple(_fold(report.findings))
    told = {f"{flake.id}{FLAKY}" for check in live(report)[-1].checks for flake in check.flakes}
    if any(finding.startswith(GRAVE) for finding in report.findings):
        told |= {f"{GRAVE}{line.removeprefix('- ')}" for line in object_to(report.audit).split("\n")}
    left = (each for each in report.findings if not each.startswith(UNJUDGED) and not each.endswith(UNSEEN))
    return tuple(_fold([finding for finding in left if finding not in told and BETWEEN not in finding]))


def _fold(said: Sequence[str]) -> Iterator[str]:
    groups: dict[str, list[str]] = {}
    for finding in said:
        head = _head(finding)
        groups.setdefault(head or finding, []).append(finding.removeprefix(head) if head else "")
    for head, cases in groups.items():
        if len(cases) > MANY:
            yield f"{head}{len(cases)} cases, such as {', '.join(cases[:MANY])}"
        else:
            yield from (f"{head}{case}" for case in cases)


def _head(finding: str) -> str:
    """Return what findings of a kind begin with; empty for one that stands for itself."""
    if finding.startswith(UNJUDGED):
        return "".join(finding.partition(": ")[:2])
    return next((head for head in FOLDED if finding.startswith(head)), "")


def _was(count: int) -> str:
    return "was" if count == 1 else "were"


def _count(number: int, noun: str) -> str:
    head, _, rest = noun.partition(" ")
    return f"{number:,} {head}{'' if number == 1 else 's'}{' ' if rest else ''}{rest}"
