"""A proof as SARIF 2.1.0, for what shows findings beside the lines that they are of."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Literal, NamedTuple, TypeAlias
from urllib.parse import quote

from bot import __version__
from bot.app.proving.target import SHORT
from bot.app.proving.values import Judged, ProvedCommit
from bot.core.check import CaseResult, CheckResult, Rung, Verdict, file_of
from bot.core.escape import line

Clean: TypeAlias = Callable[[str], str]
Level: TypeAlias = Literal["error", "warning", "note"]
State: TypeAlias = Literal["new", "unchanged"]
Json: TypeAlias = "Mapping[str, Json] | Sequence[Json] | str | int | bool"

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
ROOT = "%SRCROOT%"
MOST = 5_000
"""Results; readers of such files refuse more."""
MESSAGE = 1_000

OURS: Mapping[str, str] = {
    "git-agent/not-proved": "A commit makes a check worse, or a check gave no evidence.",
    "git-agent/stale-claim": "The trailers of a commit say something else of its tree or checks than what was found.",
    "git-agent/weakened-evidence": "What the verdict rests on was changed, so a person has to judge.",
    "git-agent/uncommitted-file": "A check passes only with a file that the commit does not hold.",
    "git-agent/removed-test": "A test is gone, skipped or expected to fail.",
    "git-agent/no-evidence": "A check could not be carried out, or its report is incomplete.",
    "git-agent/flaky-test": "A test did not always end the same way on one tree.",
}
_FINDINGS = frozenset({Rung.SYNTAX, Rung.STATIC, Rung.TYPES})
_PATH = re.compile(r"[^\s:()]+")


class Finding(NamedTuple):
    """One result."""

    rule: str
    level: Level
    text: str
    path: str
    line: int = 0
    state: State = "new"
    commit: str = ""
    key: str = ""
    """What it is known by, wherever it moves to; its text when empty."""


def write_sarif(judged: Judged, clean: Clean) -> bytes:
    """Write what was found of the tip, and of every commit on the way there."""
    findings = list(dict.fromkeys(collect(judged)))[:MOST]
    rules = sorted({finding.rule for finding in findings})
    run: Json = {
        "tool": {
            "driver": {
                "name": "git agent",
                "semanticVersion": __version__,
                "rules": [_rule(rule) for rule in rules],
            }
        },
        "automationDetails": {"id": "git-agent/verify/"},
        "invocations": [{"executionSuccessful": True}],
        "originalUriBaseIds": {ROOT: {"description": {"text": "The root of the repository."}}},
        "columnKind": "unicodeCodePoints",
        "results": [_Result(finding, clean).value(rules) for finding in findings],
    }
    document: Json = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(document, ensure_ascii=True, indent=1).encode() + b"\n"


def collect(judged: Judged) -> Iterator[Finding]:
    """Tell the cases of the tip, whose lines can be shown; of earlier commits what was found of them as a whole."""
    commits = judged.proved.commits
    for commit, verdict, files in zip(commits, judged.verdicts, judged.files, strict=True):
        yield from _of_commit(commit, verdict, _Places(files))
    verdict = judged.verdicts[-1]
    for result in verdict.results:
        yield from (_of_case(case, result, verdict) for case in result.cases if case.bad)


@dataclass(frozen=True, slots=True)
class _Places:
    """The files that a commit changed, as places for what is said of it as a whole."""

    files: tuple[str, ...]

    def of(self, text: str) -> str:
        """Name the file that a text is about: a changed one that it names, else the first that is not hidden."""
        named = [word for word in _PATH.findall(text) if word in self.files]
        shown = [path for path in self.files if not path.startswith(".")]
        return next(iter((*named, *shown, *self.files)), ".")


def _of_commit(commit: ProvedCommit, verdict: Verdict, places: _Places) -> Iterator[Finding]:
    short = commit.commit[:SHORT]

    def tell(rule: str, level: Level, text: str, path: str = "") -> Finding:
        return Finding(f"git-agent/{rule}", level, f"{short}: {text}", path or places.of(text), 0, "new", commit.commit)

    if not commit.ok:
        yield tell("not-proved", "error", f"does not hold: {line(commit.subject)}")
    if commit.claim == "differs":
        yield tell("stale-claim", "error", "\n".join(commit.contradiction))
    yield from (tell("weakened-evidence", "warning", doubt) for doubt in commit.doubts)
    yield from (tell("uncommitted-file", "error", found.text) for found in commit.uncommitted)
    for name in verdict.comparison.removed:
        yield tell("removed-test", "error", f"{name} is gone, skipped or expected to fail", file_of(name))
    for name in verdict.comparison.flaky:
        yield tell("flaky-test", "note", f"{name} did not always end the same way", file_of(name))
    for result in verdict.results:
        if result.status == "errored":
            level: Level = "warning" if result.check in verdict.comparison.unjudged else "error"
            yield tell("no-evidence", level, f"{result.check}: {result.summary}")


def _of_case(case: CaseResult, result: CheckResult, verdict: Verdict) -> Finding:
    path, _, rest = case.id.partition("::")
    code, _, message = rest.partition("::")
    is_finding = result.rung in _FINDINGS and bool(message)
    before = case.id in verdict.comparison.failing or case.id in verdict.comparison.flaky
    return Finding(
        rule=f"{result.check}/{code or 'finding'}" if is_finding else f"{result.check}/failed",
        level="note" if before else "error",
        text=(message if is_finding else f"{case.id}: {case.message or case.outcome}"),
        path=case.path or path,
        line=case.line,
        state="unchanged" if before else "new",
        key=case.id,
    )


def _rule(rule: str) -> Json:
    check, _, code = rule.partition("/")
    text = OURS.get(rule) or (f"A case of {check} fails." if code == "failed" else f"{check} reports {code}.")
    return {"id": rule, "shortDescription": {"text": text}}


@dataclass(frozen=True, slots=True)
class _Result:
    finding: Finding
    clean: Clean

    def value(self, rules: Sequence[str]) -> Json:
        finding = self.finding
        text = self.clean(finding.text)[:MESSAGE].strip() or finding.rule
        return {
            "ruleId": finding.rule,
            "ruleIndex": rules.index(finding.rule),
            "level": finding.level,
            "baselineState": finding.state,
            "message": {"text": text},
            "locations": [{"physicalLocation": self._place()}],
            "partialFingerprints": {"gitAgentFinding/v1": self._mark()},
            **({"properties": {"commit": finding.commit}} if finding.commit else {}),
        }

    def _place(self) -> Json:
        artifact: Json = {"uri": quote(self.clean(self.finding.path).lstrip("/") or "."), "uriBaseId": ROOT}
        region: Json = {"region": {"startLine": self.finding.line}} if self.finding.line > 0 else {}
        assert isinstance(region, Mapping)
        return {"artifactLocation": artifact, **region}

    def _mark(self) -> str:
        """Know a finding again when lines or commit ids have moved."""
        finding = self.finding
        said = finding.key or finding.text.partition(": ")[2]
        return blake2b(f"{finding.rule}\0{finding.path}\0{said}".encode("utf-8", "replace"), digest_size=16).hexdigest()
