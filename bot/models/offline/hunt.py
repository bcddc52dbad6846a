"""Searches for small edits that make failing tests pass, and says where the fault seems to be."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from bot.core.check import file_of, function_of
from bot.core.diff import read_lines
from bot.core.past import REVERTED
from bot.models.offline.briefing import Finding, is_evidence
from bot.models.offline.dialogue import Talk
from bot.models.offline.patches import (
    NOT_SEARCHED,
    Candidate,
    Question,
    Searched,
    Suspect,
    candidates,
    describe,
    excuses,
    questions,
    searched,
    suspects,
)
from bot.models.offline.replay import Act
from bot.models.offline.source import place
from bot.models.offline.suggestions import Suggestion
from bot.models.offline.workshop import LONGEST_SUBJECT, Workshop

MOST_SEARCHES = 8
MOST_TESTS = 30
MOST_CANDIDATES = 3
MOST_FILES = 4
"""Files whose failing tests may all have one cause."""
SECONDS = 60
REVERT = "revert"
"""The kind of candidate that takes changes back, tried when nothing else is plausible."""
WORDS = {
    "arith_const": "a constant",
    "attr_replace": "an attribute",
    "bin_op": "an operator",
    "call_swap": "a call",
    "cmp_op": "a comparison",
    "cmp_op_const": "a comparison",
    "cond_name": "a condition",
    "const": "a constant",
    "const_diff": "a constant",
    "guard_ret": "a missing case",
    "minmax": "a bound",
    "none_guard": "the case of None",
    "off_by_one": "a bound",
    "ret_bool": "what is returned",
    "swap_args": "the order of arguments",
    "swap_operands": "the order of operands",
    "var_replace": "a name",
}
"""What a kind of edit is about, for a person."""


@dataclass(slots=True)
class Hunt:
    """Searches done so far in a run."""

    shop: Workshop
    searches: int = 0
    suspects: dict[str, tuple[Suspect, ...]] = field(default_factory=dict)
    """What the searches that found nothing blame, by test."""
    excused: dict[str, str] = field(default_factory=dict)
    """Tests that the last changes are not to blame for: BEFORE or FLAKY, by test."""
    vain: Searched = NOT_SEARCHED
    """What searches tried that led to no commit, and why the last of them ended."""

    def mend_tests(self, found: Sequence[Finding]) -> Talk[bool]:
        """Look for an edit that mends failing tests: those that may have one cause first, then one by one."""
        if not self.shop.talk.can("search_patch", "apply_patch"):
            return False
        for tests in batches([finding.id for finding in found if self.excused.get(finding.id) != "FLAKY"]):
            if self.searches >= MOST_SEARCHES or self.shop.talk.spent:
                return False
            if self.shop.fresh(repr(("search", tests, len(self.shop.done)))) and (yield from self._search(tests)):
                return True
        return False

    def _search(self, tests: tuple[str, ...]) -> Talk[bool]:
        self.searches += 1
        act = Act("search_patch", {"tests": list[JsonValue](tests), "seconds": SECONDS})
        (answer,) = yield from self.shop.talk.ask(act, text=f"Searching for a small edit that mends {_named(tests)}.")
        found = [candidate for candidate in candidates(answer) if not is_evidence(candidate.path)]
        found.sort(key=lambda candidate: candidate.template == REVERT)
        found = self._allowed(tests, found)
        self.excused.update(excuses(answer))
        if all(self.excused.get(test) == "FLAKY" for test in tests):
            return False
        asked = questions(answer)
        for number, candidate in enumerate(found[:MOST_CANDIDATES]):
            if self.shop.talk.spent:
                return False
            message = (yield from self._subject(candidate)), _body(tests, candidate, found[number + 1 :], asked)
            if (yield from self.shop.patch(candidate.patch, message)):
                return True
        came = searched(answer)
        self.vain = Searched(self.vain.tried + came.tried, came.reason or self.vain.reason)
        blamed = suspects(answer)
        if blamed:
            self.suspects.update(dict.fromkeys(tests, blamed))
        return False

    def _allowed(self, tests: Sequence[str], found: Sequence[Candidate]) -> list[Candidate]:
        """Keep the edits of files that may change; without any, the best of the others is told."""
        may = self.shop.talk.briefing.may_change
        allowed = [one for one in found if all(may(row.path) for row in read_lines(one.patch))]
        if found and not allowed:
            what = describe(found[0].patch) or f"correct {_sort(found[0])}"
            text = f"{what}: that mends {_named(tests)}, but the file is one that this task may not change"
            self.shop.suggestions.append(Suggestion(found[0].path, found[0].line, text))
        return allowed

    def _subject(self, candidate: Candidate) -> Talk[str]:
        if takes_back(candidate):
            what = candidate.history.partition(" taken back")[0].partition(": ")[2]
            return f"revert: take back {what or 'the last changes'}"[:LONGEST_SUBJECT]
        changed = dict.fromkeys(row.path for row in read_lines(candidate.patch))
        where = places_of(candidate, (yield from self.shop.talk.read([candidate.path, *changed])))
        plain = f"correct {_sort(candidate)}"
        what = describe(candidate.patch) or plain
        subject = f"fix: {what} in {where}"
        if len(subject) <= LONGEST_SUBJECT:
            return subject
        short = f"fix: {plain} in {where}"
        return short if len(short) <= LONGEST_SUBJECT else f"fix: correct {where}"[:LONGEST_SUBJECT]

    def blame(self, found: Sequence[Finding]) -> Talk[tuple[Suspect, ...]]:
        """Say which lines the failing tests blame."""
        tests = [finding.id for finding in found if "::" in finding.id and not finding.id.endswith("…")]
        known = next((self.suspects[test] for test in tests if test in self.suspects), ())
        if known or not tests or not self.shop.talk.can("locate_fault"):
            return known
        act = Act("locate_fault", {"tests": list[JsonValue](tests[:MOST_TESTS])})
        (answer,) = yield from self.shop.talk.ask(act, text="Looking for the lines that the failing tests blame.")
        return suspects(answer)


def takes_back(candidate: Candidate) -> bool:
    """Whether an edit takes whole changes back, also where it was not made for that."""
    return candidate.template == REVERT or candidate.history.startswith(REVERTED)


def places_of(candidate: Candidate, texts: Mapping[str, str]) -> str:
    """Name the function that an edit is in, or both where there are two; more are named by their modules."""
    rows = [row for row in read_lines(candidate.patch) if row.sign == "-"]
    places = dict.fromkeys(place(row.path, texts.get(row.path, ""), row.number) for row in rows)
    inner = [each for each in places if "." in each] or list(places)
    if len(inner) <= 1:
        return inner[0] if inner else place(candidate.path, texts.get(candidate.path, ""), candidate.line)
    modules = dict.fromkeys(each.partition(".")[0] for each in inner)
    return " and ".join(inner if len(inner) == 2 else modules)  # noqa: PLR2004


def _sort(candidate: Candidate) -> str:
    """Say what sort of thing an edit is about."""
    many = sum(row.sign == "+" for row in read_lines(candidate.patch)) > 1
    files = {row.path for row in read_lines(candidate.patch)}
    return "some lines" if len(files) > 1 else WORDS.get(candidate.template, "some lines" if many else "one line")


def batches(tests: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Group failing tests that may have one cause: of a few files together, by file, by function, and one by one."""
    real = [test for test in dict.fromkeys(tests) if ("::" in test or test.endswith(".py")) and not test.endswith("…")]
    seen: set[tuple[str, ...]] = set()
    few = len({file_of(test) for test in real}) <= MOST_FILES
    for key in (_everything, file_of, function_of, str) if few else (file_of, function_of, str):
        groups: dict[str, list[str]] = {}
        for test in real:
            groups.setdefault(key(test), []).append(test)
        for group in groups.values():
            batch = tuple(group[:MOST_TESTS])
            if batch not in seen:
                seen.add(batch)
                yield batch


def _everything(_: str) -> str:
    return ""


def _named(tests: Sequence[str]) -> str:
    files = len({file_of(test) for test in tests})
    where = file_of(tests[0]) if files == 1 else f"{files} files"
    return tests[0] if len(tests) == 1 else f"{len(tests)} tests of {where}"


def _body(tests: Sequence[str], candidate: Candidate, others: Sequence[Candidate], asked: Sequence[Question]) -> str:
    rows = ["Found by a search for small edits; with it these tests pass:", *(f"- {test}" for test in tests[:10])]
    if len(tests) > 10:  # noqa: PLR2004
        rows.append(f"- and {len(tests) - 10} more")
    if candidate.history:
        rows += ["", f"{candidate.history[:1].upper()}{candidate.history[1:]}."]
    if others:
        rows += ["", _doubt(candidate, others, asked)]
    return "\n".join(rows)


def _doubt(candidate: Candidate, others: Sequence[Candidate], asked: Sequence[Question]) -> str:
    """Say what the tests leave open: on which call another edit does something else, where that is known."""
    rivals = {other.number: other for other in others}
    for question in asked:
        if question.one == candidate.number and question.other in rivals:
            ours, theirs = question.answers
            instead = describe(rivals[question.other].patch)
            named = f" ({instead})" if instead else ""
            return (
                f"The tests do not decide between this and another small edit{named}:\n"
                f"for {question.call} this gives {ours}, the other {theirs}.\n"
                "Say which is right before this is merged, best in a test."
            )
    plural = "s pass" if len(others) > 1 else " passes"
    return f"{len(others)} other small edit{plural} the same tests; say whether this is the right one before merging."
