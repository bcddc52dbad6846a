"""A proof as a workflow of GitHub shows it: remarks beside the lines of a change, and the summary of the job."""

from collections.abc import Iterator, Mapping

from bot.app.proving.sarif import Clean, Finding, Level, collect
from bot.app.proving.table import MODES, WORDS, conclude, points_of, titles
from bot.app.proving.target import SHORT
from bot.app.proving.values import Judged, Proved, ProvedCommit
from bot.core.escape import clip, code, inline
from bot.core.report import CheckSummary
from bot.forge.checks import brief

MOST = 10
"""Remarks of one level that GitHub shows for a step."""
LONGEST = 60_000
"""Characters of a summary."""
MESSAGE = 1_000

COMMANDS: Mapping[Level, str] = {"error": "error", "warning": "warning", "note": "notice"}
_DATA = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


def annotate(judged: Judged, clean: Clean) -> Iterator[str]:
    """Write a proof as orders to a workflow's runner, the gravest first; what stood before in changed files only."""
    touched = {path for files in judged.files for path in files}
    told = dict.fromkeys(collect(judged))
    findings = [finding for finding in told if finding.state == "new" or finding.path in touched]
    for level in COMMANDS:
        yield from (_order(finding, clean) for finding in [f for f in findings if f.level == level][:MOST])


def _order(finding: Finding, clean: Clean) -> str:
    place = {"title": finding.rule, "file": finding.path if finding.path != "." else "", "line": finding.line or ""}
    given = (f"{key}={clean(str(value)).translate(_PROPERTY)}" for key, value in place.items() if value)
    text = clean(finding.text)[:MESSAGE].strip() or finding.rule
    return f"::{COMMANDS[finding.level]} {','.join(given)}::{text.translate(_DATA)}"


def summarize(judged: Judged, clean: Clean) -> str:
    """Write a proof as Markdown."""
    proved = judged.proved
    rows = [_row(proved, commit, clean) for commit in proved.commits]
    points = [
        f"- `{commit.commit[:SHORT]}` {point.mark} {inline(clean(point.text), 300)}"
        for commit, verdict in zip(proved.commits, judged.verdicts, strict=True)
        for point in points_of(commit, verdict)
    ]
    head = [
        "## git agent: proof",
        "",
        f"**{inline(conclude(proved).plain.strip())}**",
        "",
        inline(clean(proved.target)),
    ]
    table = ["", *_head(proved), *_base(proved)]
    what = f"{proved.base[:SHORT]}..{proved.tip[:SHORT]}" if proved.base else f"--root {proved.tip[:SHORT]}"
    again = ["", f"Run it again: {code(f'git agent verify {what}')}"]
    room = LONGEST - sum(len(part) + 1 for part in (*head, *table, *again))
    shown = clip(rows, room // 2, "commits")
    return "\n".join([*head, *table, *shown, "", *clip(points, room // 2, "points"), *again])


def _head(proved: Proved) -> tuple[str, str]:
    names = ("commit", "subject", *map(inline, titles(proved)), "red→green", "")
    return f"| {' | '.join(names)} |", f"|{'---|' * len(names)}"


def _base(proved: Proved) -> list[str]:
    if not proved.base:
        return []
    return [f"| `{proved.base[:SHORT]}` | (base) |{_cells(proved, proved.base_checks)} | |"]


def _row(proved: Proved, commit: ProvedCommit, clean: Clean) -> str:
    mark, word, _ = WORDS[commit.outcome]
    red = "none" if commit.proof.mode == "none" else f"{len(commit.proof.green)} {MODES[commit.proof.mode]}"
    subject = inline(clean(commit.subject), 80)
    return f"| `{commit.commit[:SHORT]}` | {subject} |{_cells(proved, commit.checks)} {red} | {mark} {word} |"


def _cells(proved: Proved, checks: tuple[CheckSummary, ...]) -> str:
    found = {check.name: check for check in checks}
    return "".join(f" {inline(brief(found[name]).plain) if name in found else ''} |" for name in titles(proved))
