"""The message of a step's commit: a subject from a template, reasons, and the claim in trailers that git reads back."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.core.check import CheckResult, Verdict
from bot.core.escape import line, plain
from bot.core.task import Source, Task

LONGEST_SUBJECT = 72
LONGEST_BODY = 4_000

SNAPSHOT = "Agent-Snapshot"
"""Trailer of a commit that holds a person's uncommitted work, so that a run could start from it."""

_WORD = re.compile(r"[^A-Za-z0-9._/+-]+")
_LIKE_A_TRAILER = re.compile(r"^([ \t]*)([A-Za-z0-9][A-Za-z0-9-]*(?: [A-Za-z0-9-]+){0,2})\s*:(?!//)", re.MULTILINE)
_KNOWN = re.compile(
    r"(?:[a-z0-9]+-)+[a-z0-9]+|(?:fix|close|resolve)(?:e?[sd])?|cc|bug|refs?|see also|signed off by|co authored by",
    re.IGNORECASE,
)
_NAMED = re.compile(r"\b((?:[a-z]+-)+by|agent-[a-z]+)\s*:", re.IGNORECASE)
_LEADING = re.compile(r"^(?:(?:fixup|squash|amend)!|re:|[^\w`'\"(])+", re.IGNORECASE)
"""What git would read as an order to a rebase, as a comment or as the beginning of a mail when it stands first."""
_CUT = re.compile(
    r"^(?=---|diff -|Index: |#|\(cherry picked|>?From |(?:From|Subject|Date)[ \t]*:|\[PATCH)",
    re.MULTILINE | re.IGNORECASE,
)
"""Where a line begins that, once edited or mailed, ends a message, is dropped from it or gives it another author."""
_TRAILER = re.compile(r"([A-Za-z][A-Za-z0-9-]*): ?(.*)")
_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


@dataclass(frozen=True, slots=True)
class Claim:
    """What a commit says of itself."""

    run: str
    step: int
    tree: str
    checks: tuple[str, ...]
    """As `state_checks` writes them."""


def commit_message(  # noqa: PLR0913 - each is a line of the message
    subject: str, body: str, *, run: str, step: int, verdict: Verdict, model: str, task: Task
) -> str:
    """Write a step's message. Neither subject nor body can add a trailer, close an issue, call anybody or skip CI."""
    paragraphs = [write_subject(subject, f"agent: step {step}"), _body(body), _about(task.source)]
    trailers = (
        ("Agent-Run", _word(run)),
        ("Agent-Step", str(step)),
        ("Agent-Tree", _word(verdict.tree)),
        ("Agent-Checks", " ".join(state_checks(verdict)) or "none"),
        ("Agent-Model", _quiet(model) or "unknown"),
        ("Assisted-by", "git agent"),
    )
    paragraphs.append("\n".join(f"{key}: {value}" for key, value in trailers))
    return "\n\n".join(filter(None, paragraphs)) + "\n"


def state_checks(verdict: Verdict) -> tuple[str, ...]:
    """State each check's result in a word, such as `pytest=passed(12)` or `mypy=failed(1 as before)`."""
    return tuple(f"{_word(result.check)}={_state(result)}" for result in verdict.results)


def parse_trailers(message: str) -> Claim | None:
    """Read the claim of a commit message; None when it makes none, or one that cannot be told for sure."""
    found: dict[str, list[str]] = {}
    for text in message.rstrip().rpartition("\n\n")[2].splitlines():
        match = _TRAILER.fullmatch(text)
        if match:
            found.setdefault(match[1].casefold(), []).append(match[2].strip())
    once = {key: values[0] for key, values in found.items() if len(values) == 1}
    run, step, tree = (once.get(f"agent-{key}", "") for key in ("run", "step", "tree"))
    if not run or not step.isdecimal() or not step.isascii() or len(step) > 9 or not _ID.fullmatch(tree):  # noqa: PLR2004
        return None
    checks = _checks(once.get("agent-checks", ""))
    return None if checks is None else Claim(run, int(step), tree, checks)


def write_subject(subject: str, otherwise: str) -> str:
    """Write a line that git takes for a subject and a forge for a title, and neither for an order."""
    text = _LEADING.sub("", _quiet(line(subject, 400))).strip(" :;,.")
    return line(text or otherwise, LONGEST_SUBJECT)


def _body(body: str) -> str:
    cut = plain(body[: LONGEST_BODY * 2]).strip()[:LONGEST_BODY]
    defused = _defuse("\n".join(part.rstrip() for part in cut.splitlines()))
    return re.sub(r"\n{3,}", "\n\n", defused).strip()


def _defuse(text: str) -> str:
    """Break lines that git or a forge would take for a trailer or a divider."""
    text = _LIKE_A_TRAILER.sub(lambda m: f"{m[1]}{m[2]} -" if _KNOWN.fullmatch(m[2]) else m[0], text)
    return _CUT.sub("| ", _NAMED.sub(r"\1 -", text))


def _quiet(text: str) -> str:
    return line(_NAMED.sub(r"\1 -", plain(text)), 400)


def _about(source: Source) -> str:
    # A step cannot know whether all of it will be verified: only the pull request may close an issue
    return f"Refs #{source.ref}" if source.kind == "issue" and re.fullmatch(r"[0-9]{1,9}", source.ref) else ""


def _state(result: CheckResult) -> str:
    bad = result.count("failed", "error")
    good = result.count("passed", "xfailed")
    match result.status:
        case "passed":
            return f"passed({good})" if good else "passed"
        case "failed":
            return f"failed({bad} as before)" if bad else "failed(as before)"
        case other:
            return other


def _checks(text: str) -> tuple[str, ...] | None:
    if text == "none":
        return ()
    parts: Sequence[str] = re.findall(r"[^\s=]+=[a-z]+(?:\([^()]*\))?", text)
    return tuple(parts) if parts and " ".join(parts) == text else None


def _word(text: str) -> str:
    return _WORD.sub("-", text)[:120] or "-"
