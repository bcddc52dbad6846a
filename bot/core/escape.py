"""Makes foreign text harmless in Markdown, in commit messages and on one line: the only escaper of what leaves us."""

import re
from collections.abc import Iterable, Sequence

from bot.core.redact import sanitize

GAP = "&#8203;"
"""Shown as nothing; keeps what stands on both sides of it from being read as one word."""
THIN = "\u200b"
"""The same where entities are shown as they are written."""

_SPECIAL = re.compile(r"[\\`*_\[\]|~$]|^[-+=#:]")
_ORDINAL = re.compile(r"^\d+(?=[.)])")
_HTML = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
_MENTION = re.compile(r"@(?=[\w-])")
_NUMBER = re.compile(r"#(?=\d)|(?<=\b[Gg][Hh])-(?=\d)")
_EMOJI = re.compile(r":(?=[\w+-]{1,60}:)")
_LINK = re.compile(r":(?=//)|(?:mailto|xmpp):", re.IGNORECASE)
_PAGE = re.compile(r"(www)\.", re.IGNORECASE)
"""What begins a link whatever stands behind it: its full stop has to be written otherwise."""
_RUN = re.compile("`+")
_SKIP = re.compile(
    r"\[\s*(?:(?:skip|no)[\s_-]{0,5}\w{1,20}|\w{1,20}[\s_-]{0,5}skip)\s*\]|\*\*\*\s*NO_CI\s*\*\*\*|\bskip-checks\s*:\s*true\b",
    re.IGNORECASE,
)
_CLOSES = re.compile(
    r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)(?=\s{0,20}:?\s{0,20}[^\s#]{0,300}(?:#|gh-|/)\d)", re.IGNORECASE
)
_ISSUE_URL = re.compile(r"https?://(?=[^\s/]+/[^\s/]+/[^\s/]+/(?:issues|pull|discussions)/\d)", re.IGNORECASE)


def size(text: str) -> int:
    """Count characters as a forge may: one beyond the first 65,536 of Unicode takes two."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def line(text: str, longest: int = 200) -> str:
    """Bring text onto one line of bounded length, without anything that cannot be seen."""
    flat = " ".join(sanitize(text[: longest * 8]).split())
    return flat if len(flat) <= longest else f"{flat[: longest - 1].rstrip()}…"


def inline(text: str, longest: int = 200) -> str:
    """Escape text for a paragraph, a list item or a table cell: it shows as it is, and nobody is told of it."""
    marked = _SPECIAL.sub(lambda found: f"\\{found[0]}", line(text, longest))
    quiet = "".join(_HTML.get(c, c) for c in marked)
    for loud in (_NUMBER, _MENTION, _LINK, _EMOJI, _ORDINAL):
        quiet = loud.sub(lambda found: f"{found[0]}{GAP}", quiet)
    return _PAGE.sub(rf"\1&#46;{GAP}", quiet)


def code(text: str, longest: int = 200) -> str:
    """Put text between backticks; in a table, `table` sees to its pipes."""
    flat = _quell(line(text, longest))
    if not flat:
        return "` `"
    ticks = "`" * (1 + max(map(len, _RUN.findall(flat)), default=0))
    edge = " " if flat[0] == "`" or flat[-1] == "`" else ""
    return f"{ticks}{edge}{flat}{edge}{ticks}"


def fence(text: str, language: str = "") -> str:
    """Put text into a code block that nothing inside can end."""
    safe = _quell(sanitize(text).strip("\n"))
    ticks = "`" * max(3, 1 + max(map(len, _RUN.findall(safe)), default=0))
    return f"{ticks}{language}\n{safe}\n{ticks}"


def _quell(text: str) -> str:
    """Break orders to close an issue or to skip CI in code, too: a page may be copied into a commit's message."""
    quiet = _SKIP.sub(lambda found: f"{found[0][0]}{THIN}{found[0][1:]}", text)
    return _CLOSES.sub(lambda found: f"{found[0]}{THIN}", quiet)


def table(head: Sequence[str], rows: Sequence[Sequence[str]], what: str, room: int) -> str:
    """Lay out rows of escaped cells that fit into this many characters; no cell can be left, nor another be begun."""
    body = clip(map(_row, rows), room - size(_row(head)) - 8 * len(head), what)
    rest = [body.pop()] if len(body) != len(rows) or (body and not body[-1].startswith("|")) else []
    top = (_row(head), f"|{' --- |' * len(head)}")
    return "\n".join((*top, *body, *(("", *rest) if rest else ())))


def _row(cells: Sequence[str]) -> str:
    # A table takes a backslash away in front of each pipe, in code too, before it reads the cells
    return "|" + "".join(" " + cell.replace("|", "\\|") + " |" for cell in cells)


def plain(text: str) -> str:
    """Make text harmless where there is no markup, as in a commit message: no mention, reference, order to skip CI."""
    quiet = sanitize(text)
    while _SKIP.search(quiet):
        quiet = _SKIP.sub("", quiet)
    quiet = re.sub(r"@(?=[\w-])", "@ ", quiet)
    quiet = re.sub(r"#(?=\d)", "# ", quiet)
    quiet = re.sub(r"\b(gh)-(?=\d)", r"\1 ", quiet, flags=re.IGNORECASE)
    return _ISSUE_URL.sub("", quiet)


def clip(lines: Iterable[str], room: int, what: str = "lines") -> list[str]:
    """Keep the first lines that fit into this many characters, line ends included, and say how many were left out."""
    kept: list[str] = []
    every: Sequence[str] = tuple(lines)
    if sum(map(size, every)) + len(every) <= room:
        return list(every)
    spent = len(what) + 30
    for entry in every:
        spent += size(entry) + 1
        if spent > room:
            break
        kept.append(entry)
    left = len(every) - len(kept)
    return [*kept, f"…and {left:,} more {what.removesuffix('s') if left == 1 else what}"]
