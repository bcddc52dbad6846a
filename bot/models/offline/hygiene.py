"""What usual commit hooks mend, by rule: blanks at the ends of lines, the ends of files; their check judges it."""

import re
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, TypeAlias

from bot.models.offline.briefing import Finding, is_evidence
from bot.models.offline.conflicts import find
from bot.models.offline.dialogue import Change, Talk
from bot.models.offline.patches import make
from bot.models.offline.replay import Act
from bot.models.offline.suggestions import Suggestion
from bot.models.offline.trial import Trial, try_out
from bot.models.offline.workshop import Workshop

Fault: TypeAlias = Literal["blanks", "end", "endings", "mark", "conflict", "format"]

HOOKS: dict[str, Fault] = {
    "trailing-whitespace": "blanks",
    "end-of-file-fixer": "end",
    "mixed-line-ending": "endings",
    "fix-byte-order-marker": "mark",
    "check-byte-order-marker": "mark",
    "check-merge-conflict": "conflict",
    "check-yaml": "format",
    "check-toml": "format",
    "check-json": "format",
    "check-xml": "format",
}
TITLES: tuple[tuple[re.Pattern[str], Fault], ...] = (
    (re.compile(r"trim trailing whitespace\.*Failed"), "blanks"),
    (re.compile(r"fix end of files\.*Failed"), "end"),
    (re.compile(r"mixed line ending\.*Failed"), "endings"),
)
HOOK = re.compile(r"^\s*-? ?hook id: (?P<hook>[\w-]{1,60})\s*$")
FIXING = re.compile(r"^\s*(?:Fixing|Fixed|Rewriting) (?P<path>\S.{0,300}?)\s*$")
PLACED = re.compile(
    r"^\s*(?P<path>[^\s:][^:]{0,300}):(?P<line>\d{1,7}): (?:W29[13] )?"
    r"(?P<what>trailing whitespace|new blank line at EOF|blank line at EOF|leftover conflict marker"
    r"|Merge conflict string)"
)
NAMED = re.compile(
    r"^\s*(?P<path>[^\s:][^:]{0,300}): (?P<what>fixed mixed line endings|mixed line endings|Stripped UTF-8 BOM"
    r"|has a byte-?order marker|Merge conflict string|Failed to \w+ decode)"
)
WORDS: dict[str, Fault] = {
    "trailing whitespace": "blanks",
    "new blank line at EOF": "end",
    "blank line at EOF": "end",
    "leftover conflict marker": "conflict",
    "Merge conflict string": "conflict",
    "fixed mixed line endings": "endings",
    "mixed line endings": "endings",
    "Stripped UTF-8 BOM": "mark",
    "has a byte-order marker": "mark",
    "has a byteorder marker": "mark",
}
SUBJECTS: dict[Fault, str] = {
    "blanks": "style: remove blanks at the ends of lines",
    "end": "style: end files with one newline",
}
BREAKING = (".md", ".markdown", ".mkd")
"""Files in which two blanks at the end of a line are a line break."""
MOST_FILES = 24


class Untidy(NamedTuple):
    """One file of which a check complains."""

    fault: Fault
    path: str


def read_output(text: str) -> tuple[Untidy, ...]:
    """Read from the output of hooks, or of `git diff --check`, which files are untidy, and how."""
    found: dict[Untidy, None] = {}
    hook: Fault | None = None
    for line in text.split("\n")[:5_000]:
        named = HOOK.match(line)
        titled = next((fault for pattern, fault in TITLES if pattern.search(line.strip())), None)
        if named or titled:
            hook = HOOKS.get(named["hook"]) if named else titled
            continue
        placed, fixing = PLACED.match(line) or NAMED.match(line), FIXING.match(line)
        if placed:
            found[Untidy(WORDS.get(placed["what"], "format"), placed["path"])] = None
        elif fixing and hook in ("blanks", "end", "endings", "mark"):
            found[Untidy(hook, fixing["path"])] = None
    return tuple(found)


def mend_files(shop: Workshop, check: str, found: Sequence[Finding]) -> Talk[bool]:
    """Tidy the files that a check complains of in its output; it only has an exit code, so all go into one commit."""
    if not _silent(check, found) or not shop.talk.can("apply_patch", "run_check"):
        return False
    if not shop.fresh(repr(("output", check, len(shop.done)))):
        return False
    (answer,) = yield from shop.talk.ask(shop.talk.check_act(check), text=f"Looking at what {check} prints.")
    untidy = read_output((yield from shop.talk.page(answer)))
    mine = [one for one in untidy if one.fault in SUBJECTS and not is_evidence(one.path)][:MOST_FILES]
    texts = yield from shop.talk.read(one.path for one in mine)
    for keeps in (True, False):
        changes = [Change(path, text, _tidied(mine, path, text, keeps=keeps)) for path, text in texts.items()]
        changes = [change for change in changes if change.new != change.old and not find(change.old)]
        if changes and (yield from _try(shop, check, changes, mine)):
            return True
    shop.suggestions += _advice(untidy)
    return False


def _silent(check: str, found: Sequence[Finding]) -> bool:
    """Whether a check tells only by its exit code that something is wrong."""
    return any(finding.id in (check, f"{check}::exit") or finding.message.startswith("exit code ") for finding in found)


def _try(shop: Workshop, check: str, changes: Sequence[Change], mine: Sequence[Untidy]) -> Talk[bool]:
    acts = [Act("apply_patch", {"patch": make(*change)}) for change in changes]
    back = [Act("apply_patch", {"patch": make(change.path, change.new, change.old)}) for change in changes]
    faults = list(dict.fromkeys(one.fault for one in mine))
    subject = SUBJECTS[faults[0]] if len(faults) == 1 else "style: tidy the ends of lines and files"
    trial = Trial(check, acts, back, (subject, "\n".join(f"- {change.path}" for change in changes)))
    return (yield from try_out(shop, trial, lambda told: ": passed" in told.partition("\n")[0]))


def _tidied(untidy: Sequence[Untidy], path: str, text: str, *, keeps: bool) -> str:
    """Return a text without the faults that were found in it; `keeps` leaves line breaks of Markdown."""
    if Untidy("blanks", path) in untidy:
        breaks = keeps and path.lower().endswith(BREAKING)
        text = "\n".join(_trimmed(line, breaks=breaks) for line in text.split("\n"))
    if Untidy("end", path) in untidy:
        text = f"{text.rstrip(chr(10))}\n" if text.strip("\n") else ""
    return text


def _trimmed(line: str, *, breaks: bool) -> str:
    bare = line.rstrip(" \t\f\v")
    return f"{bare}  " if breaks and bare and line.endswith("  ") else bare


def _advice(untidy: Iterable[Untidy]) -> list[Suggestion]:
    texts = {
        "blanks": "blanks at the ends of lines, which could not be shown to be all that its check wants",
        "end": "it does not end with one newline, which could not be shown to be all that its check wants",
        "endings": "its lines do not all end alike: `git add --renormalize`, or the hook itself, mends that",
        "mark": "it begins with a byte order mark: the hook itself takes it away",
        "conflict": "conflict markers were left in the file: which side is right, a person has to decide",
        "format": "its check cannot read it: what was meant there, a person has to say",
    }
    kept = "untidy, and not touched here: a verdict rests on it"
    return [
        Suggestion(one.path, 0, kept if one.fault in SUBJECTS and is_evidence(one.path) else texts[one.fault])
        for one in untidy
    ]
