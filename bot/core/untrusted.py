"""Prose from outside as its reader sees it: what the page does not show is left out, and said to be."""

import html
import re
from collections.abc import Iterator

from bot.core.redact import sanitize
from bot.core.unseen import CONTROL, INVISIBLE

NOTE = "[hidden text left out]"
PICTURE = "[image]"
LONG = 8
"""Invisible characters in a row that may hold a text; fewer are there for spacing and spelling."""
WORDS = 2
"""Words from which on something that is not shown is worth a note."""

_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]\w{1,30});")
_UNSEEN = re.compile(f"[{CONTROL}{INVISIBLE}]")
_FLAG = re.compile("(?<=\U0001f3f4)[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f")
"""How the flag of a part of a country is written."""
_CARRIED = re.compile(
    f"[\u202d\u202e\U000e0000-\U000e00ff\U000e01f0-\U000e0fff]+|[\U000e0100-\U000e01ef\ufe0f]{{2,}}|[{INVISIBLE}]{{{LONG},}}"
)
"""What turns letters around or can hold a text; languages that are written from right to left need the others."""
_CODE = re.compile(r"```|~~~|(?:^|[ \t>])(?: {4}|\t)", re.MULTILINE)
"""What is in every text with a block of code."""
_MARKUP = re.compile(r"^ {0,3}<[A-Za-z/!?]", re.MULTILINE)
_RAW = ("pre", "script", "style", "textarea", "title", "template")
"""Elements inside which nothing is Markdown."""
_ATTRIBUTE = re.compile(r"""\s+([\w:.@-]+)(?:\s*=\s*("[^"]*"|'[^']*'|[^\s"'=<>`]+))?""")
_SEEN = frozenset({"href", "src"})
_LAYOUT = re.compile(
    r"align|border|class|color|colspan|height|id|open|rel|rowspan|size|start|style|target|type|width", re.IGNORECASE
)
_VEIL = re.compile(
    r"\shidden(?=[\s=/>])|display\s*:\s*none|visibility\s*:\s*hidden"
    r"|(?<![\w-])(?:font-size|opacity|width|height)\s*:\s*0{0,4}\.?0{1,8}(?:px|r?em|%|pt|v[hw])?(?![\w.])"
    r"|(?<![\w-])color\s*[:=]\s*[\"']?(?:white|transparent|#f{3}\b|#f{6}\b)",
    re.IGNORECASE,
)
_EMPTY = re.compile("area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr")
_WORD = re.compile(r"[^\W\d_]{2,}")
_SPAN = re.compile(
    r"(?P<code>(?<![`\\])(?P<ticks>`+)(?!`)[^\n]{1,4000}?(?<!`)(?P=ticks)(?!`))"
    r"|(?P<comment><!--.*?(?:-->|\Z)|<\?[^?]{0,4000}\?>|<![A-Za-z\[][^>]{0,4000}>)"
    r"|(?P<dark><(?P<name>script|style|template|title)\b.*?(?:</(?P=name)\s*>|\Z))"
    r"|(?P<tag></?(?P<element>[A-Za-z][\w-]{0,60})(?P<attributes>(?:" + _ATTRIBUTE.pattern + r"){0,60}+)\s*/?>)"
    r"|(?P<image>!\[[^\]\n]{0,1000}\](?:\([^()\n]{0,2000}\)|\[[^\]\n]{0,200}\]))"
    r"|(?P<link>(?P<target>\]\((?:<[^<>\n]{0,2000}>|[^\s()<>]{0,2000}))\s{1,20}(?:\"[^\"]{0,2000}\"|'[^']{0,2000}'|\([^()]{0,2000}\))\s{0,20}\))"
    r"|(?P<definition>^ {0,3}\[(?P<label>[^\]\n]{1,400})\]:[ \t]{0,20}(?P<url>\S{1,2000})(?P<rest>[^\n]{0,4000})$)",
    re.DOTALL | re.IGNORECASE | re.MULTILINE,
)


def clean(text: str) -> str:
    """Leave out of Markdown what its page does not show: comments, attributes, alternative texts, invisible letters."""
    seen = bare(text)
    return "".join(part if code else _strip(part, seen.casefold()) for code, part in _parts(seen))


def bare(text: str) -> str:
    """Leave out of plain text what nobody sees; a note stands where it may have held a text of its own."""
    plain = _ENTITY.sub(lambda found: _decode(found[0]), text)
    return sanitize(_CARRIED.sub(NOTE, _FLAG.sub("", plain)))


def hides(text: str) -> bool:
    """Tell whether there is something in a text that is left out with a note."""
    return clean(text).count(NOTE) > text.count(NOTE)


def _decode(entity: str) -> str:
    """Write an entity out that stands for something invisible; `&lt;` and its like are shown as they are meant."""
    character = html.unescape(entity)
    return character if _UNSEEN.search(character) else entity


def _parts(text: str) -> Iterator[tuple[bool, str]]:
    """Split Markdown into blocks of code, of which a reader sees every letter, and the rest."""
    lines = text.splitlines(keepends=True)
    held, at = "", 0
    for first, last in _find_code(text):
        held += "".join(lines[at:first])
        block, at = "".join(lines[first:last]), max(at, last)
        if _is_inside(held):
            held += block
            continue
        yield False, held
        yield True, block
        held = ""
    yield False, held + "".join(lines[at:])


def _find_code(text: str) -> Iterator[tuple[int, int]]:
    """Find the lines of blocks of code, fenced or indented, in lists and quotes too."""
    if not _CODE.search(text):
        return
    from markdown_it import MarkdownIt  # noqa: PLC0415 - few runs read what strangers wrote

    parser = MarkdownIt("commonmark").enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])
    for token in parser.parse(text):
        if token.type in ("fence", "code_block") and token.map is not None:
            yield token.map[0], token.map[1]


def _is_inside(before: str) -> bool:
    """Tell whether a comment or an element of raw text is open behind a text."""
    lowered = before.casefold()
    opened = (("<!--", "-->"), *((f"<{name}", f"</{name}") for name in _RAW))
    return any(lowered.rfind(start) > lowered.rfind(end) for start, end in opened)


def _covers(before: str) -> bool:
    """Tell whether markup before a place makes backticks there something else than code."""
    return _is_inside(before) or _MARKUP.search(before, before.rfind("\n\n") + 1) is not None


def _strip(part: str, whole: str) -> str:
    out, at = list[str](), 0
    while found := _SPAN.search(part, at):
        kept, end = _keep(found, part, whole)
        out += (part[at : found.start()], kept)
        at = end
    return "".join([*out, part[at:]])


def _keep(found: re.Match[str], part: str, whole: str) -> tuple[str, int]:
    """Return what is seen of a piece of markup, and where it ends."""
    end = found.end()
    match found.lastgroup:
        case "code":
            plain = "<" not in found[0] or not _covers(part[: found.start()])
            return (found[0], end) if plain else (found["ticks"], found.end("ticks"))
        case "comment" | "dark":
            return _note(found[0], 1), end
        case "image":
            return PICTURE, end
        case "link":
            return f"{found['target']}){NOTE}", end
        case "definition":
            return _define(found, whole)
        case _:
            return _tag(found, part)


def _note(hidden: str, words: int = WORDS) -> str:
    return NOTE if len(_WORD.findall(hidden)) >= words else ""


def _define(found: re.Match[str], whole: str) -> tuple[str, int]:
    """Keep a footnote, and where a link leads, that is used somewhere; all else of this form may be a comment."""
    label, url, end = found["label"], found["url"], found.end()
    used = whole.count(f"[{label.casefold()}]") > 1
    if used and label.startswith("^"):
        return f"[{label}]: ", found.start("url")
    if not used or not url.casefold().startswith(("http://", "https://")):
        return _note(found[0], 1), end
    return f"[{label}]: {url}{_note(found['rest'], 1)}", end


def _tag(found: re.Match[str], part: str) -> tuple[str, int]:
    name, end = found["element"].casefold(), found.end()
    opens = not found[0].startswith("</")
    if opens and not _EMPTY.fullmatch(name) and _VEIL.search(found[0]):
        end = _closing(part, name, end)
        return _note(part[found.start() : end], 1), end
    if name == "img":
        return PICTURE, end
    kept, hidden = "", list[str]()
    for attribute, value in _ATTRIBUTE.findall(found["attributes"]):
        if attribute.casefold() in _SEEN:
            kept += f" {attribute}={value}"
        elif not _LAYOUT.fullmatch(attribute):
            hidden.append(value or attribute)
    return f"<{'' if opens else '/'}{found['element']}{kept}>{_note(' '.join(hidden))}", end


def _closing(part: str, name: str, at: int) -> int:
    """Find the end of an element that is not shown, with those of its name inside it."""
    depth = 1
    for found in re.compile(rf"<(/?){re.escape(name)}\b[^<>]*>", re.IGNORECASE).finditer(part, at):
        depth += -1 if found[1] else 1
        if not depth:
            return found.end()
    return len(part)
