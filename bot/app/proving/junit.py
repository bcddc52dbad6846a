"""A proof as JUnit XML, for what shows test results in CI."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from itertools import count
from typing import Literal, NamedTuple, TypeAlias
from xml.etree import ElementTree as ET

from bot.app.proving.target import SHORT
from bot.app.proving.values import Judged, ProvedCommit
from bot.core.check import CaseResult, CheckResult, Verdict
from bot.core.escape import line

Clean: TypeAlias = Callable[[str], str]
"""Takes secrets out of a text, and what neither XML nor a terminal should hold."""

LONGEST = 2_000
NAME = 500
Told: TypeAlias = Literal["", "failure", "error", "skipped"]


class Entry(NamedTuple):
    """One case."""

    group: str
    name: str
    told: Told = ""
    kind: str = ""
    message: str = ""
    text: str = ""
    seconds: float = 0.0


class Suite(NamedTuple):
    """Cases that belong together."""

    name: str
    package: str
    entries: Sequence[Entry]
    seconds: float = 0.0
    output: str = ""


def write_junit(judged: Judged, moment: datetime, clean: Clean) -> bytes:
    """Write one suite for each commit and check, and one for what was found of the commits themselves."""
    root = ET.Element("testsuites")
    numbers = count()
    for suite in _suites(judged):
        root.append(_suite(suite, next(numbers), moment, clean))
    ET.indent(root)
    encoded: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return encoded + b"\n"


def _suites(judged: Judged) -> Iterator[Suite]:
    for commit, verdict in zip(judged.proved.commits, judged.verdicts, strict=True):
        short = commit.commit[:SHORT]
        for result in verdict.results:
            entries = list(_entries(result, verdict))
            output = "" if result.status == "passed" else result.output
            yield Suite(f"{short} {result.check}", short, entries, result.seconds, output)
    yield Suite("git agent", "git agent", [entry for commit in judged.proved.commits for entry in _findings(commit)])


def _entries(result: CheckResult, verdict: Verdict) -> Iterator[Entry]:
    """Tell the cases of a check; one that says nothing of cases is a case itself."""
    kept = set(verdict.comparison.failing)
    yield from (_entry(case, result.check, as_before=case.id in kept) for case in result.cases)
    if result.status == "errored":
        yield Entry(result.check, "gives evidence", "error", "no-evidence", result.summary, result.output)
    elif result.status == "skipped":
        yield Entry(result.check, "is run", "skipped", message=result.summary)
    elif not result.cases:
        failed: Told = "failure" if result.status == "failed" else ""
        yield Entry(result.check, "passes", failed, "failed", result.summary, result.output, result.seconds)


def _entry(case: CaseResult, check: str, *, as_before: bool) -> Entry:
    group, name = _names(case.id, check)
    if case.outcome in ("skipped", "xfailed"):
        return Entry(group, name, "skipped", message=case.message or case.outcome, seconds=case.seconds)
    if not case.bad:
        return Entry(group, name, seconds=case.seconds)
    where = f"{case.path}:{case.line}: " if case.path and case.line else ""
    first = case.message.partition("\n")[0]
    message = f"fails as before: {first}" if as_before else first
    told: Told = "error" if case.outcome == "error" else "failure"
    kind = case.error or ("failed before, too" if as_before else case.outcome)
    return Entry(group, name, told, kind, message, where + case.message, case.seconds)


def _names(name: str, check: str) -> tuple[str, str]:
    """Split an id as readers of such reports expect it: `tests/test_a.py::Class::test` is in `tests.test_a.Class`."""
    path, _, rest = name.partition("::")
    within, _, last = rest.partition("[")[0].rpartition("::")
    inner = rest[len(within) + 2 :] if within else rest
    module = path.removesuffix(".py").replace("/", ".")
    return ".".join(filter(None, (module, within.replace("::", ".")))) or check, inner or last or name


def _findings(commit: ProvedCommit) -> Iterator[Entry]:
    group = f"commit {commit.commit[:SHORT]}"
    held = _Finding(group, "nothing is worse than before", "worse", "" if commit.ok else commit.detail)
    missing = "\n".join(found.text for found in commit.uncommitted)
    yield held.entry()
    if commit.claim == "none":
        yield Entry(group, "the commit says the truth of its checks", "skipped", message="it says nothing of them")
    else:
        parted = "\n".join(commit.contradiction)
        yield _Finding(group, "the commit says the truth of its checks", "stale", parted).entry()
    yield _Finding(group, "the evidence is as strong as before", "weakened", "\n".join(commit.doubts)).entry()
    yield _Finding(group, "all that is needed is committed", "uncommitted", missing).entry()
    if commit.proof.mode == "none":
        yield Entry(group, "something failed without it", "skipped", message=commit.proof.reason)
    else:
        yield Entry(group, "something failed without it")


class _Finding(NamedTuple):
    group: str
    name: str
    kind: str
    complaint: str

    def entry(self) -> Entry:
        if not self.complaint:
            return Entry(self.group, self.name)
        first = self.complaint.partition("\n")[0]
        return Entry(self.group, self.name, "failure", self.kind, first, self.complaint)


def _suite(suite: Suite, number: int, moment: datetime, clean: Clean) -> ET.Element:
    told = [entry.told for entry in suite.entries]
    element = ET.Element(
        "testsuite",
        name=_name(suite.name, clean),
        package=_name(suite.package, clean),
        id=str(number),
        timestamp=moment.strftime("%Y-%m-%dT%H:%M:%S"),
        # The name of the machine is nobody's business
        hostname="localhost",
        tests=str(len(told)),
        failures=str(told.count("failure")),
        errors=str(told.count("error")),
        skipped=str(told.count("skipped")),
        time=f"{suite.seconds:.3f}",
    )
    ET.SubElement(element, "properties")
    for entry in suite.entries:
        element.append(_case(entry, clean))
    ET.SubElement(element, "system-out").text = clean(suite.output)
    ET.SubElement(element, "system-err")
    return element


def _case(entry: Entry, clean: Clean) -> ET.Element:
    name, group = _name(entry.name, clean), _name(entry.group, clean)
    element = ET.Element("testcase", name=name, classname=group, time=f"{entry.seconds:.3f}")
    if entry.told:
        told = ET.SubElement(element, entry.told, message=line(clean(entry.message), NAME))
        if entry.told != "skipped":
            told.set("type", _name(entry.kind, clean))
            told.text = clean(entry.text)[:LONGEST]
    return element


def _name(text: str, clean: Clean) -> str:
    return line(clean(text), NAME) or "-"
