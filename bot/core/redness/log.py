"""Reads the log of one CI job: which steps failed, what they ran, and what their tools said."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from bot.core.redact import Redactor, defuse, sanitize
from bot.core.redness.claim import Claim
from bot.core.redness.claims import read_claims
from bot.core.redness.tools import read_tools, read_wrapped
from bot.core.redness.trouble import Trouble, read_code, read_printed, read_runner

HEAD, TAIL = 1 << 20, 15 << 20
"""Characters of a log that are looked at: its beginning and its end."""
STEP_HEAD, STEP_TAIL = 1 << 15, 1 << 19
"""Characters of one step that are read."""
LONGEST_LINE = 2_000
MOST_STEPS = 8
MOST_ERRORS = 20
EXCERPT_LINES, EXCERPT = 12, 1_500
"""How much of a step's end is kept in its own words."""

_STAMP = re.compile(r"\ufeff?(?:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z ?)?")
_STAMPS = re.compile(r"^\ufeff?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z ?", re.MULTILINE)
_STARTS = re.compile(r"##\[group\]Run |Post job cleanup\.")
_ERROR = "##[error]"
_EXIT = re.compile(r"Process completed with exit code (-?\d{1,10})")
_PYTHON = re.compile(r"(?:/Python/|Successfully set up C?Python \(|-- Python )(\d\.\d{1,2}\.\d{1,2})\b")
_IMAGE = re.compile(r"\bImage: ([\w.-]{1,60})")
_SERVICE = re.compile(r"##\[group\]Starting ([\w.-]{1,60}) service container")


class StepReading(NamedTuple):
    """A failed step, as its log tells of it."""

    title: str
    """How its section is called: `Run ` and the first line of its script, or the action that it uses."""
    script: tuple[str, ...] = ()
    exit_code: int | None = None
    errors: tuple[str, ...] = ()
    """What the runner wrote as errors."""
    claims: tuple[Claim, ...] = ()
    total: int = 0
    """How many claims there were, also those that are not kept."""
    tools: tuple[str, ...] = ()
    """What ran in it, as far as it is named."""
    trouble: Trouble | None = None
    """What ended it from outside; only where its tools said nothing of the code."""
    excerpt: str = ""
    """The end of what it printed; secrets, and what a terminal or a runner would obey, are taken out."""


class Facts(NamedTuple):
    """Where a job ran."""

    python: str = ""
    image: str = ""
    services: tuple[str, ...] = ()


class LogReading(NamedTuple):
    """What the log of a job tells."""

    steps: tuple[StepReading, ...] = ()
    """Those with an error, in their order."""
    facts: Facts = Facts()
    trouble: Trouble | None = None
    """What the runner says of the end of the whole job."""
    cut: bool = False
    """Whether the middle of it was too long to be looked at."""


def read_log(text: str, redactor: Redactor | None = None) -> LogReading:
    """Read a log in the form of GitHub's; whatever it holds is a claim of who wrote the code that printed it."""
    hide = redactor or Redactor(())
    cut = len(text) > HEAD + TAIL
    kept = f"{text[:HEAD]}\n{text[-TAIL:]}" if cut else text
    starts = [at for at in _find_starts(kept) if at]
    pieces = [kept[first:last] for first, last in pairwise((0, *starts, len(kept)))]
    red = [piece for piece in pieces if _ERROR in piece]
    steps = tuple(_read_step(piece, hide) for piece in red[-MOST_STEPS:])
    errors = [error for step in steps for error in step.errors]
    last = () if steps else _lines(pieces[-1])[-MOST_ERRORS:]
    return LogReading(steps, _read_facts(kept), read_runner((*errors, *last)), cut)


def _find_starts(text: str) -> Iterator[int]:
    """Find where steps begin: at the start of a line, a time stamp aside."""
    for found in _STARTS.finditer(text):
        at = found.start()
        line = text.rfind("\n", max(0, at - 64), at) + 1
        if (line or at <= 64) and _STAMP.fullmatch(text, line, at):  # noqa: PLR2004 - longer than any stamp
            yield line


def _lines(piece: str) -> Sequence[str]:
    """Take a step's beginning and end apart into lines, as a reader sees them."""
    short = piece if len(piece) <= STEP_HEAD + STEP_TAIL else f"{piece[:STEP_HEAD]}\n{piece[-STEP_TAIL:]}"
    return [line[:LONGEST_LINE] for line in sanitize(_STAMPS.sub("", short)).split("\n")]


def _read_step(piece: str, redactor: Redactor) -> StepReading:
    lines = _lines(piece)
    title, script, body = _split(lines)
    errors = [line.partition(_ERROR)[2] for line in body if _ERROR in line]
    claims, total = read_claims(body)
    codes = [found for error in errors if (found := _EXIT.search(error))]
    code = int(codes[-1][1]) if codes else None
    outside = None if claims else read_runner(errors) or read_printed(body) or read_code(code)

    def hide(text: str, longest: int) -> str:
        return defuse(redactor.text(text))[:longest]

    return StepReading(
        title=hide(title, 200),
        script=tuple(hide(line, 300) for line in script[:20]),
        exit_code=code,
        errors=tuple(hide(error, 300) for error in errors[:MOST_ERRORS]),
        claims=tuple(_hide(claim, redactor) for claim in claims),
        total=total,
        tools=tuple(dict.fromkeys((*read_wrapped(body), *read_tools("\n".join((title, *script)))))),
        trouble=outside,
        excerpt=hide(_end_of(body), EXCERPT),
    )


def _split(lines: Sequence[str]) -> tuple[str, Sequence[str], Sequence[str]]:
    """Part a section into its title, the script of its step, and what that printed."""
    first = lines[0] if lines else ""
    if not first.startswith("##[group]Run "):
        return (first if first.startswith("Post ") else "Set up job"), (), lines
    end = next((at for at, line in enumerate(lines) if line.startswith("##[endgroup]")), 0)
    header = lines[1:end]
    stop = next((at for at, line in enumerate(header) if line.startswith(("shell: ", "with:", "env:"))), len(header))
    return first.removeprefix("##[group]"), header[:stop], lines[end + 1 :]


def _hide(claim: Claim, redactor: Redactor) -> Claim:
    """Take secrets, and what a runner obeys, out of a claim."""
    name, path, said = (defuse(redactor.text(text)) if text else "" for text in (claim.name, claim.path, claim.said))
    return claim._replace(name=name, path=path, said=said)


def _end_of(body: Sequence[str]) -> str:
    """Return the last lines before the runner gave a step up."""
    stop = next((at for at, line in enumerate(body) if line.startswith(_ERROR) and _EXIT.search(line)), len(body))
    telling = [
        line.rstrip() for line in body[:stop] if line.strip() and not line.startswith(("##[group]", "##[endgroup]"))
    ]
    return "\n".join(line[:240] for line in telling[-EXCERPT_LINES:])


def _read_facts(text: str) -> Facts:
    head = text[:HEAD]
    python, image = _PYTHON.search(head), _IMAGE.search(head)
    services = dict.fromkeys(found[1] for found in _SERVICE.finditer(head))
    return Facts(python[1] if python else "", image[1] if image else "", tuple(services)[:10])
