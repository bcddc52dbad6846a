"""Lets ruff mend what it finds and can mend safely, one kind of finding at a time."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from pydantic import JsonValue

from bot.models.offline.briefing import Finding
from bot.models.offline.dialogue import Talk
from bot.models.offline.replay import Act
from bot.models.offline.workshop import Workshop, tool_of

CODE = re.compile(r"[A-Z]{1,5}[0-9]{1,4}")
CONCISE = re.compile(
    r"^(?P<path>[^:\s][^:]{0,400}):(?P<line>\d{1,7}):\d{1,7}: (?P<code>[A-Z]{1,5}\d{1,4}) (?P<safe>\[\*\] )?"
    r"(?P<message>.{1,400})$"
)
WOULD = re.compile(r"^Would reformat: (?P<path>\S.{0,400})$")
LISTS = ["ruff", "check", "--quiet", "--output-format", "concise"]
FORMATS = ["ruff", "format", "--check"]
MOST_PATHS = 40
MOST_ALONE = 5
"""Files that are tried one by one when all together are refused."""


class Group(NamedTuple):
    """Rules whose fixes belong in one commit."""

    rules: re.Pattern[str]
    subject: str


GROUPS = (
    Group(re.compile(r"F401"), "style: remove unused imports"),
    Group(re.compile(r"RUF100"), "style: remove noqa comments that hide nothing"),
    Group(re.compile(r"UP\d+"), "style: use the syntax of the supported Python versions"),
    Group(re.compile(r"W\d+|E[123]\d+|Q\d+|COM\d+"), "style: mend white space and punctuation"),
    Group(re.compile(r"(?!I001|F821|F401)[A-Z]+\d+"), "style: apply ruff's safe fixes"),
    Group(re.compile(r"I001"), "style: sort imports"),
)


def list_all(shop: Workshop, check: str, found: Sequence[Finding]) -> Talk[tuple[Finding, ...]]:
    """Have ruff name every file with such findings, for when the check's answer had no room for all."""
    if tool_of(check) not in ("ruff", "ruff-format"):
        return tuple(found)
    formats = all(finding.code == "format" for finding in found)
    argv = (
        FORMATS
        if formats
        else [*LISTS, "--select", ",".join(sorted({f.code for f in found if CODE.fullmatch(f.code)}))]
    )
    if not found or not shop.talk.can("run_command") or not shop.fresh(repr((argv, len(shop.done)))):
        return tuple(found)
    (answer,) = yield from shop.talk.ask(
        Act("run_command", {"argv": list[JsonValue](argv)}), text="Listing all findings."
    )
    rows = (yield from shop.talk.page(answer)).split("\n")
    listed = (_listed(check, row) for row in rows)
    return tuple(dict.fromkeys([*found, *(finding for finding in listed if finding is not None)]))


def _listed(check: str, row: str) -> Finding | None:
    concise, would = CONCISE.match(row), WOULD.match(row)
    if concise:
        path, code, message = concise["path"], concise["code"], concise["message"]
        return Finding(check, f"{path}::{code}::{message}", path, int(concise["line"]), f"{code} {message}")
    if would:
        path = would["path"]
        return Finding(check, f"{path}::format::would be reformatted", path, 0, "format would be reformatted")
    return None


def mend_findings(shop: Workshop, found: Sequence[Finding]) -> Talk[bool]:
    """Have ruff apply its safe fixes; returns whether anything was committed."""
    committed = False
    ruffs = [one for one in found if tool_of(one.check) == "ruff" and CODE.fullmatch(one.code)]
    for group in GROUPS:
        mine = [finding for finding in ruffs if group.rules.fullmatch(finding.code)]
        if mine and not shop.talk.spent:
            committed = (yield from _mend_group(shop, group, mine)) or committed
    return committed


def _mend_group(shop: Workshop, group: Group, found: Sequence[Finding]) -> Talk[bool]:
    paths = sorted({f.path for f in found if not f.evidence and not _reexports(f)})[:MOST_PATHS]
    codes = sorted({finding.code for finding in found})
    if not paths or not shop.fresh(f"{group.subject} {codes} {paths}"):
        return False
    codes = yield from _safe(shop, codes, paths)
    if not codes:
        return False
    most = 1 if len(group.subject) > 50 else 3  # noqa: PLR2004 - what a subject has room for
    subject = f"{group.subject} (ruff {', '.join(codes[:most])}{', …' if len(codes) > most else ''})"
    if (yield from shop.command(fixing(codes, paths), (subject, ""))):
        return True
    alone = paths[:MOST_ALONE] if len(paths) > 1 else []
    committed = False
    for path in alone:
        if not shop.talk.spent:
            committed = (yield from shop.command(fixing(codes, [path]), (subject, ""))) or committed
    return committed


def _safe(shop: Workshop, codes: list[str], paths: Sequence[str]) -> Talk[list[str]]:
    """Keep the rules that ruff marks as safely mended; all where there is but one, or no mark can be read."""
    argv: list[JsonValue] = [*LISTS, "--select", ",".join(codes), "--", *paths]
    if len(codes) == 1 or not shop.talk.can("run_command"):
        return codes
    (answer,) = yield from shop.talk.ask(Act("run_command", {"argv": argv}), text="Asking ruff what it can mend.")
    rows = [row for row in map(CONCISE.match, (yield from shop.talk.page(answer)).split("\n")) if row]
    safe = {row["code"] for row in rows if row["safe"]}
    return sorted(safe & set(codes)) if rows else codes


def _reexports(finding: Finding) -> bool:
    """Whether an import may be there for others to import."""
    return finding.code == "F401" and finding.path.rpartition("/")[2] == "__init__.py"


def fixing(codes: Sequence[str], paths: Sequence[str]) -> list[str]:
    """Write the command that applies the safe fixes of some rules to some files."""
    return ["ruff", "check", "--fix", "--quiet", "--select", ",".join(codes), "--", *paths]
