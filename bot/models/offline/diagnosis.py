"""Says of what is left why no rule mends it, and what a person would do."""

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime, time
from itertools import islice
from typing import NamedTuple

from bot.models.offline.briefing import Finding
from bot.models.offline.suggestions import Suggestion

MOST = 8
FLAKY = re.compile(
    r"^FLAKY (?P<id>\S.{0,300}?)(?:: passed (?P<passed>\d{1,6}) of (?P<runs>\d{1,6}) runs)?$", re.MULTILINE
)
SIDES = re.compile(r"\| left (?P<left>.+?), right (?P<right>.+?)(?: > |$)")
ASSERTED = re.compile(r"assert (?P<left>.+?) == (?P<right>.+?)(?: \| | > |$)")
SNAPSHOT = re.compile(
    r"\bsnapshots?\b|\.ambr\b|\.snap\b|inline_snapshot|external\(|\.approved\.|\.received\.|\bapproval|\bgolden\b"
    r"|(?:data|file|image)_regression",
    re.IGNORECASE,
)
UPDATES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\.ambr\b|syrupy|snapshot report"), "pytest --snapshot-update"),
    (re.compile(r"inline.?snapshot|\bexternal\("), "pytest --inline-snapshot=fix"),
    (re.compile(r"_regression\b"), "pytest --force-regen"),
    (re.compile(r"\.approved\.|\.received\.|\bapproval"), "copying the received file over the approved one"),
)
UNBUILT = re.compile(r"NotImplementedError|\bnot (?:yet )?implemented\b", re.IGNORECASE)
LOCALE = re.compile(r"unsupported locale setting|locale\.Error|'ascii' codec can't (?:en|de)code")
ZONES = re.compile(
    r"offset-naive and offset-aware|No time zone found|ZoneInfoNotFoundError|unknown timezone", re.IGNORECASE
)
QUARTER = 15 * 60
DAY_ZONES = 14 * 3600
"""Seconds by which local time differs from UTC at most."""

LINT: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"E501|W505"), "break the line where it reads best; a string or code is not wrapped by rule"),
    (re.compile(r"D\d+"), "what a docstring should say is for whoever knows the code"),
    (re.compile(r"N8\d+"), "another name is another interface: whoever uses it has to be looked at"),
    (re.compile(r"S\d+"), "whether this is a danger here is a judgement: look at it, do not silence it"),
    (re.compile(r"C901|PLR09\d+"), "what is too large has to be divided by whoever knows it; the limit stays"),
    (re.compile(r"E722|BLE001|B902"), "which errors are meant, the code does not say"),
    (re.compile(r"T20\d|ERA001|FIX\d+|TD\d+"), "whether it is still needed is for whoever wrote it"),
)


class Sides(NamedTuple):
    """What a comparison found: what the code gave, and what the test wants."""

    left: object
    right: object


def diagnose(found: Sequence[Finding], digest: str = "") -> tuple[Suggestion, ...]:
    """Say what is known about failures that are left, and about tests that answer differently each time."""
    told = [*_flaky(digest), *_lint(found)]
    tests = [finding for finding in found if not finding.code]
    told += islice((Suggestion(one.path, one.line, text) for one in tests if (text := explain(one))), MOST)
    return tuple(dict.fromkeys(told))


def explain(finding: Finding) -> str:
    """Explain one failing test; empty when nothing in particular is known about it."""
    where, message = f"{finding.id.rpartition('::')[2]}: ", finding.message
    if SNAPSHOT.search(message) or "__snapshots__" in finding.path:
        return f"{where}{_snapshot(message)}"
    if UNBUILT.search(message):
        return f"{where}the code says itself that this is not written yet: a new feature, which rules cannot write"
    sides = read_sides(message)
    judged = next((text for judge in JUDGES if sides is not None and (text := judge(sides))), "")
    if LOCALE.search(message):
        judged = "depends on the language settings of the machine (LC_ALL, LANG, PYTHONUTF8)"
    if ZONES.search(message):
        judged = "depends on time zones: the zone of the machine, or the data about zones that it has"
    return f"{where}{judged}" if judged else ""


def _snapshot(message: str) -> str:
    how = next((command for pattern, command in UPDATES if pattern.search(message)), "the update mode of its tool")
    return (
        "the result differs from a stored one; such files are never updated here: look at the difference, and if the "
        f"new result is right, bring the stored one up to date yourself ({how})"
    )


def read_sides(message: str) -> Sides | None:
    """Read both sides of a failed comparison where they are literals."""
    for found in filter(None, (SIDES.search(message), ASSERTED.search(message))):
        try:
            return Sides(ast.literal_eval(found["left"]), ast.literal_eval(found["right"]))
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            continue
    return None


def _zone(sides: Sides) -> str:
    """Recognise two moments that differ as zones do."""
    left, right = _moment(sides.left), _moment(sides.right)
    if left is None or right is None:
        return ""
    seconds = abs((left.replace(tzinfo=None) - right.replace(tzinfo=None)).total_seconds())
    if seconds and seconds <= DAY_ZONES and seconds % QUARTER == 0:
        return (
            f"the two times differ by {seconds / 3600:g} h, as time zones do: the code or the test may use local time; "
            "run it with TZ=UTC and another TZ to see"
        )
    return ""


def _moment(value: object) -> datetime | None:
    if isinstance(value, datetime):
        return value
    if not isinstance(value, str) or ":" not in value:
        return None
    for read in (datetime.fromisoformat, _clock):
        try:
            return read(value)
        except ValueError:
            continue
    return None


def _clock(value: str) -> datetime:
    return datetime.combine(date(2000, 1, 1), time.fromisoformat(value))


def _separator(sides: Sides) -> str:
    pair = [one if isinstance(one, str) else repr(one) for one in sides]
    if pair[0] != pair[1] and len({re.sub(r"\\+|/", "/", one) for one in pair}) == 1:
        return r"only `/` and `\` differ: build paths with os.path.join or pathlib, or compare them with as_posix()"
    if pair[0] != pair[1] and len({one.replace("\r\n", "\n") for one in pair}) == 1:
        return "only the ends of lines differ: a file is read or written in the way of the machine (newline=)"
    return ""


def _order(sides: Sides) -> str:
    """Recognise the same elements in another order."""
    if not (isinstance(sides.left, list | tuple) and isinstance(sides.right, list | tuple)):
        return ""
    if Counter(map(repr, sides.left)) == Counter(map(repr, sides.right)) and len(sides.left) > 1:
        return "the same elements in another order: what comes from a set, a folder or a database is in no certain one"
    return ""


def _number(sides: Sides) -> str:
    """Recognise the same number, written as another language writes it."""
    if not (isinstance(sides.left, str) and isinstance(sides.right, str)) or sides.left == sides.right:
        return ""
    plain = {re.sub(r"[.,'\u00a0\u202f ]", "", side) for side in (sides.left, sides.right)}
    if len(plain) == 1 and re.fullmatch(r"\D{0,3}\d+\D{0,3}", plain.pop()):
        return "the numbers differ only in their separators: that depends on the language settings (LC_ALL)"
    return ""


JUDGES: tuple[Callable[[Sides], str], ...] = (_zone, _separator, _order, _number)


def _flaky(digest: str) -> Iterator[Suggestion]:
    for found in islice(FLAKY.finditer(digest), MOST):
        name = found["id"]
        often = f" (passed {found['passed']} of {found['runs']} runs)" if found["runs"] else ""
        yield Suggestion(
            name.partition("::")[0], 0,
            f"{name.rpartition('::')[2]} answers differently when it is run again{often}: order, time, chance or the "
            "network may be why; a test is never edited here",
        )  # fmt: skip


def _lint(found: Iterable[Finding]) -> Iterator[Suggestion]:
    """Say once of each rule why nothing is done, with the first place and how many more there are."""
    groups: dict[str, list[Finding]] = {}
    for finding in found:
        groups.setdefault(finding.code, []).append(finding)
    for code, mine in islice(groups.items(), MOST):
        text = next((text for pattern, text in LINT if pattern.fullmatch(code)), "")
        if text:
            more = f" (and {len(mine) - 1} more)" if len(mine) > 1 else ""
            yield Suggestion(mine[0].path, mine[0].line, f"{code}{more}: {text}")
