"""What no edit of the offline model may do, whatever proposed it: hide a fault instead of mending it."""

import re
from collections.abc import Iterable, Iterator

from bot.models.offline.briefing import is_evidence
from bot.models.offline.conflicts import END, START, find
from bot.models.offline.dialogue import Change
from bot.models.offline.manifests import is_modest

_HIDING = (
    r"#\s*(?:ruff\s*:\s*)?noqa\b",
    r"#\s*flake8\s*:",
    r"#\s*(?:type|pyright|ty|pyrefly|pyre)\s*:\s*ignore\b",
    r"#\s*pyre-(?:ignore|fixme)",
    r"#\s*(?:mypy|pyright|pytype)\s*:",
    r"#\s*pragma\s*:\s*no\b",
    r"#\s*pylint\s*:\s*(?:disable|skip)",
    r"#\s*nosec\b",
    r"#\s*(?:fmt|isort|yapf|autopep8|black)\s*:\s*(?:off|skip|disable)",
    r"#\s*noinspection\b",
    r"//\s*(?:eslint-disable|@ts-ignore|@ts-nocheck|nolint)",
    r"\bpytest\s*\.\s*(?:skip|xfail|importorskip|exit)\b",
    r"\bmark\s*\.\s*(?:skip|skipif|xfail|filterwarnings)\b",
    r"\b(?:skipIf|skipUnless|skipTest|SkipTest|expectedFailure|importorskip)\b",
    r"@(?:unittest\s*\.\s*)?skip\b",
    r"\b(?:simplefilter|filterwarnings|catch_warnings|disable_warnings|captureWarnings)\b",
    r"\bno_type_check\b",
    r"\b__test__\s*=",
    r"\b(?:os\s*\.\s*_exit|sys\s*\.\s*exit)\s*\(\s*0?\s*\)",
    r"\bPYTEST_CURRENT_TEST\b",
    r"[\"']pytest[\"']\s+in\s+sys\s*\.\s*modules",
)
"""What keeps a tool from saying what it found, or a test from being asked."""
HIDING = re.compile("|".join(_HIDING))
CONFLICTED = "it holds conflict markers, and which side is right is for a person to say"


def shortcut(path: str, old: str, new: str) -> str:
    """Say why a change of one file is none that mends anything; empty when nothing speaks against it."""
    if find(old):
        return CONFLICTED
    if is_evidence(path) and not is_modest(path, old, new):
        return "a verdict rests on it"
    before, after = _hidden(old), _hidden(new)
    more = next((mark for mark in after if after.count(mark) > before.count(mark)), "")
    return f"it would hide a fault with `{more}`" if more else ""


def _hidden(text: str) -> list[str]:
    return ["".join(found[0].split()) for found in HIDING.finditer(text)]


def refused(changes: Iterable[Change]) -> str:
    """Say why one of several changes must not be made; empty when all may."""
    return next(filter(None, (shortcut(change.path, change.old, change.new) for change in changes)), "")


def refused_patch(patch: str) -> str:
    """Say why a diff must not be applied; it is judged by the lines that it takes away and those that it brings."""
    return next(filter(None, (_torn(old) or shortcut(path, old, new) for path, old, new in _sides(patch))), "")


def _torn(part: str) -> str:
    """Say that a part of a file holds a marker, of which the rest of the conflict may lie outside of it."""
    return CONFLICTED if any(START.match(line) or END.match(line) for line in part.split("\n")) else ""


def _sides(patch: str) -> Iterator[tuple[str, str, str]]:
    """Give path, lines taken away and lines brought, file by file."""
    for section in re.split(r"^(?=--- )", patch, flags=re.MULTILINE):
        named = re.match(r"--- (?:a/)?(?P<old>.*)\n\+\+\+ (?:b/)?(?P<new>.*)\n", section)
        if named is None:
            continue
        rows = section[named.end() :].split("\n")
        old = "\n".join(row[1:] for row in rows if row.startswith(("-", " ")))
        new = "\n".join(row[1:] for row in rows if row.startswith(("+", " ")))
        yield (named["new"] if named["new"] != "/dev/null" else named["old"]).partition("\t")[0], old, new
