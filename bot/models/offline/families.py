"""One function for each rung of the ladder: which findings it can mend, and how."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from pydantic import JsonValue

from bot.models.offline.annotations import ANY, drop_ignores, mend_optional, mend_returns
from bot.models.offline.briefing import Finding
from bot.models.offline.complaints import Complaint, Kind, read
from bot.models.offline.dialogue import Talk
from bot.models.offline.formatters import format_files
from bot.models.offline.lint import mend_findings
from bot.models.offline.literal import annotate_variable
from bot.models.offline.modern import RULES, concerns
from bot.models.offline.patches import make, passed
from bot.models.offline.problems import Option, Problem, options, sure
from bot.models.offline.reexports import reexport
from bot.models.offline.replay import Act
from bot.models.offline.source import Mend
from bot.models.offline.study import STUDENTS, explain, study
from bot.models.offline.supported import FILES as SUPPORTED
from bot.models.offline.supported import oldest
from bot.models.offline.syntax import mend as mend_syntax
from bot.models.offline.tidy import tidy_files
from bot.models.offline.unsafe import mend_unsafe
from bot.models.offline.workshop import Workshop

MOST_PROBLEMS = 8
"""Studied at once; what is left comes in the next round."""

MOST_CHOICES = 16
"""Options that tests choose between."""
MOST_TRIED = 3
ANNOTATIONS: tuple[Kind, ...] = ("optional", "returns_nothing", "untyped", "unused_ignore")
UNIONS = (3, 10)
"""The release that can write unions with a bar."""
GENERICS = (3, 9)
"""The release in which built-in collections take brackets."""
UNDEFINED = frozenset({"F821", "E0602", "undefined-variable"})
DECISIONS = frozenset({"Loader"})
"""Arguments that say how far data is trusted: with which value is for a person."""
TOLD: frozenset[Kind] = frozenset({"outdated", "coding", "escape"})
"""Complaints of linters that rules of ours answer to where theirs do not."""
WARNED = re.compile(r"(?:\w{1,80}\.)*\w{0,80}(?:Warning|Deprecated\w{0,40}|RemovedIn\w{1,40}): ")
"""A warning that the project makes an error."""

SUBJECTS: Mapping[Kind, str] = {
    "name": "fix: define names that were undefined",
    "attribute": "fix: spell attributes as their owners do",
    "module_member": "fix: use what modules offer",
    "import_name": "fix: import names that exist",
    "module": "fix: import modules that exist",
    "keyword": "fix: pass keyword arguments by their names",
    "too_many": "fix: take the parameters that callers pass",
    "optional": "fix: say in annotations where None is allowed",
    "returns_nothing": "style: annotate what functions plainly return",
    "unused_ignore": "style: drop type: ignore comments that hide nothing",
    "outdated": "fix: use what stands in the place of what is deprecated",
    "coding": "fix: name the encoding of files",
    "escape": "fix: write backslashes that Python takes as they are",
    "untyped": "style: annotate variables whose type is plain",
}
RENEWED: Mapping[Kind, str] = {
    "name": "fix: use the builtins of Python 3",
    "attribute": "fix: use methods under the names that they have now",
    "module": "fix: import modules that Python still has",
    "module_member": "fix: use what modules offer in the place of what is gone",
    "import_name": "fix: import what modules offer in the place of what is gone",
}
"""Where all of it is about what was renamed or removed."""


def mend_parsing(shop: Workshop, check: str, found: Sequence[Finding], tests: Sequence[str]) -> Talk[bool]:
    """Mend files that do not parse."""
    first = {finding.path: finding for finding in reversed(found)}
    texts = yield from shop.talk.read(first)
    problems: list[Problem] = []
    for path, text in texts.items():
        mends = mend_syntax(text, first[path].line, first[path].message)
        ranked = yield from ranked_by_tests(shop, options(path, text, mends), tests)
        problems.append(Problem(tuple(f for f in found if f.path == path), ranked.options[:MOST_TRIED]))
    return (yield from shop.settle(check, problems, "fix: mend syntax errors"))


class Ranked(NamedTuple):
    """Options in a new order, and whether the tests, or the lack of a choice, decided it."""

    options: tuple[Option, ...]
    decided: bool


def ranked_by_tests(shop: Workshop, found: tuple[Option, ...], tests: Sequence[str]) -> Talk[Ranked]:
    """Put the options that make failing tests pass first."""
    if len(found) < 2 or not tests or not shop.talk.can("try_patches"):  # noqa: PLR2004 - one is no choice
        return Ranked(found, len(found) < 2)  # noqa: PLR2004
    patches = ["".join(make(*change) for change in option.changes) for option in found]
    act = Act("try_patches", {"patches": list[JsonValue](patches), "tests": list[JsonValue](tests)})
    (answer,) = yield from shop.talk.ask(act, text="Trying what the tests say.")
    good = [number for number in passed(answer) if number < len(found)]
    rest = tuple(one for number, one in enumerate(found) if number not in good)
    return Ranked((*(found[number] for number in good), *rest), bool(good))


def mend_style(shop: Workshop, check: str, found: Sequence[Finding], _: Sequence[str]) -> Talk[bool]:
    """Mend what a linter or a formatter finds."""
    named = yield from mend_names(shop, check, [finding for finding in found if finding.code in UNDEFINED])
    if (yield from mend_findings(shop, found)) or named:
        return True
    if (yield from tidy_files(shop, check, found)) or (yield from reexport(shop, check, found)):
        return True
    if (yield from format_files(shop, found)) or (yield from mend_annotations(shop, check, found)):
        return True
    told = [finding for finding in found if (complaint := read(finding.message)) and complaint.kind in TOLD]
    if (yield from mend_names(shop, check, told)):
        return True
    return (yield from mend_unsafe(shop, check, found))


def mend_names(shop: Workshop, check: str, found: Sequence[Finding]) -> Talk[bool]:
    """Mend what a static check says about names, where there is one right answer."""
    committed = False
    for kind, groups in complaints(found).items():
        problems = yield from _studied(shop, groups, certain=True)
        if problems:
            committed = (yield from shop.settle(check, problems, _subject(kind, problems))) or committed
    return committed


def complaints(found: Sequence[Finding]) -> dict[Kind, list[tuple[Complaint, list[Finding]]]]:
    """Sort findings by complaint and place; where a test complains too, it is the definition that is wrong."""
    groups: dict[tuple[Complaint, str], list[Finding]] = {}
    for finding in found:
        complaint = read(finding.message)
        if complaint is not None and complaint.kind in (*STUDENTS, *RULES, "missing"):
            groups.setdefault((complaint, finding.path), []).append(finding)
    kinds: dict[Kind, list[tuple[Complaint, list[Finding]]]] = {}
    for complaint in dict.fromkeys(complaint for complaint, _ in groups):
        mine = [findings for (other, _), findings in groups.items() if other == complaint]
        tests = [findings for findings in mine if findings[0].evidence]
        if tests and complaint.kind != "name" and not concerns(complaint):
            mine = [[*tests[0], *(f for findings in mine if findings is not tests[0] for f in findings)]]
        kinds.setdefault(complaint.kind, []).extend((complaint, findings) for findings in mine)
    return kinds


def searchable(found: Sequence[Finding]) -> tuple[Finding, ...]:
    """Keep the failures that a search for an edit is for: what a warning or a table tells of, it could only hide."""
    return tuple(f for f in found if not WARNED.match(f.message) and not _is_told(read(f.message)) and not _lacks(f))


def _lacks(finding: Finding) -> bool:
    """Whether tests lack what no edit brings: a plugin's fixture, or a module that may be anybody's."""
    if finding.message.startswith("FixtureLookupError"):
        return True
    complaint = read(finding.message) if "::" not in finding.id else None
    return complaint is not None and complaint.kind == "module" and "." not in complaint.wanted


def _is_told(complaint: Complaint | None) -> bool:
    if complaint is None or complaint.kind in ("coding", "keyword"):
        return False
    return concerns(complaint) if complaint.kind != "missing" else complaint.wanted in DECISIONS


def advise(shop: Workshop, left: Sequence[Finding]) -> Talk[None]:
    """Say of what is left what the tables know about it, and why it was not done."""
    for groups in complaints(left).values():
        for complaint, mine in groups[:MOST_PROBLEMS]:
            if not shop.talk.spent:
                shop.suggestions += yield from explain(shop.talk, complaint, mine)


def _studied(
    shop: Workshop, groups: Sequence[tuple[Complaint, Sequence[Finding]]], *, certain: bool
) -> Talk[list[Problem]]:
    problems: list[Problem] = []
    for complaint, mine in groups:
        if shop.talk.spent or len(problems) >= MOST_PROBLEMS:
            break
        path = mine[0].path
        if not shop.fresh(repr(("study", path, complaint, len(shop.done)))):
            continue
        choices = yield from study(shop.talk, complaint, mine)
        if choices:
            problems.append(Problem(tuple(mine), sure(choices) if certain else choices[:MOST_CHOICES]))
    return problems


def mend_types(shop: Workshop, check: str, found: Sequence[Finding], _: Sequence[str]) -> Talk[bool]:
    """Mend what mypy finds and leaves no doubt about."""
    mine = [finding for finding in found if finding.code and not finding.evidence]
    if (yield from mend_annotations(shop, check, mine)):
        return True
    return (yield from mend_names(shop, check, mine))


def mend_annotations(shop: Workshop, check: str, found: Sequence[Finding]) -> Talk[bool]:
    """Mend annotations that have one right answer, whatever check asks for them."""
    about = [finding for finding in found if _about_annotations(finding) and not finding.evidence]
    texts = yield from shop.talk.read(finding.path for finding in about)
    old = oldest((yield from shop.talk.read(SUPPORTED)).values()) if about else None
    for kind in ANNOTATIONS:
        problems = list(_annotated(texts, about, kind, old))
        if problems and (yield from shop.settle(check, problems, SUBJECTS[kind])):
            return True
    return False


def _about_annotations(finding: Finding) -> bool:
    complaint = read(finding.message)
    return complaint is not None and complaint.kind in ANNOTATIONS


def _annotated(
    texts: Mapping[str, str], found: Sequence[Finding], kind: Kind, old: tuple[int, int] | None
) -> Iterator[Problem]:
    for path, text in texts.items():
        mine = [(f, c) for f in found if f.path == path and (c := read(f.message)) is not None and c.kind == kind]
        groups = [[one] for one in mine] if kind == "untyped" else [mine] if mine else []
        for group in groups:
            mends = _annotation(text, [(f.line, _named(c)) for f, c in group], kind, old)
            if choices := options(path, text, [mend for mend in mends if mend is not None]):
                yield Problem(tuple(f for f, _ in group), choices)


def _named(complaint: Complaint) -> str:
    """Return what a fault is about; ruff does not name the parameter."""
    return ANY if complaint.owner.startswith("PEP 484") else complaint.wanted


def _annotation(
    text: str, faults: Sequence[tuple[int, str]], kind: Kind, old: tuple[int, int] | None
) -> tuple[Mend | None, ...]:
    if kind == "optional":
        union = mend_optional(text, faults, union=True) if old is None or old >= UNIONS else None
        spelt = mend_optional(text, faults, union=False)
        return (spelt, union) if "Optional" in text or union is None else (union,)
    if kind == "returns_nothing":
        return (mend_returns(text, [line for line, _ in faults]),)
    if kind == "untyped":
        return (annotate_variable(text, *faults[0]) if old is None or old >= GENERICS else None,)
    return (drop_ignores(text, faults),)


def mend_errors(shop: Workshop, check: str, found: Sequence[Finding]) -> Talk[bool]:
    """Mend what failing tests say about names; what they cannot decide is left."""
    for kind, groups in complaints(found).items():
        problems = yield from _studied(shop, groups, certain=False)
        decided: list[Problem] = []
        for problem in problems:
            tests = tuple(finding.id for finding in problem.findings)[:10]
            ranked = yield from ranked_by_tests(shop, problem.options, tests)
            decided.append(Problem(problem.findings, ranked.options[:MOST_TRIED], decided=ranked.decided))
        if decided and (yield from shop.settle(check, decided, _subject(kind, decided))):
            return True
    return False


def _subject(kind: Kind, problems: Sequence[Problem]) -> str:
    """Name what several problems have in common."""
    renewed = all(problem.options[0].what.startswith("use ") for problem in problems)
    return RENEWED.get(kind, SUBJECTS[kind]) if renewed else SUBJECTS[kind]
