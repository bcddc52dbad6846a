"""Names the encoding where text is read or written and nothing says which one is meant."""

import ast
from collections.abc import Collection, Iterator

from bot.models.offline.bindings import Names
from bot.models.offline.edits import Edit, Ruler, splice
from bot.models.offline.source import Mend, enclosing, parse

OPENS = frozenset({"open", "io.open", "os.fdopen", "tempfile.NamedTemporaryFile", "tempfile.TemporaryFile"})
"""What opens text unless its mode is binary; the last two are binary unless their mode says otherwise."""
PACKED = frozenset({"gzip.open", "bz2.open", "lzma.open"})
STARTS = frozenset(f"subprocess.{name}" for name in ("run", "Popen", "call", "check_call", "check_output", "getoutput"))
HANDLERS = frozenset({"logging.FileHandler", "logging.handlers.RotatingFileHandler",
                      "logging.handlers.TimedRotatingFileHandler"})  # fmt: skip
ASCII = frozenset({"ascii", "us-ascii"})
WANTED = "utf-8"


def name_encoding(text: str, lines: Collection[int]) -> tuple[Mend, ...]:
    """Say UTF-8 where it is not said: on these lines, else in the functions around them, else in the file."""
    tree = parse(text)
    if tree is None:
        return ()
    names, ruler = Names(tree), Ruler(text)
    edits = {node: edit for node in ast.walk(tree) if isinstance(node, ast.Call) for edit in _edits(node, names, ruler)}
    around = [inner for line in lines for inner in _functions(tree, line)]
    groups = (
        [edit for call, edit in edits.items() if any(_holds(call, line) for line in lines)],
        [e for call, e in edits.items() if any(_holds(outer, call.lineno) for outer in around)],
        list(edits.values()),
    )
    texts = [splice(text, group) for group in groups if group]
    inner = {line for outer in around for line in range(outer.lineno, (outer.end_lineno or outer.lineno) + 1)}
    widened = [_widen(tree, ruler, wanted) for wanted in (set(lines), inner) if wanted]
    found = [Mend(new, f'say `encoding="{WANTED}"`') for new in dict.fromkeys(texts)]
    found += [Mend(new, f"take {WANTED} and not ASCII") for new in dict.fromkeys(widened) if new != text]
    return tuple(found)


def _functions(tree: ast.Module, line: int) -> Iterator[ast.stmt]:
    found = [node for node in enclosing(tree, line) if not isinstance(node, ast.ClassDef)]
    yield from found[-1:]


def _holds(node: ast.stmt | ast.expr, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def _edits(call: ast.Call, names: Names, ruler: Ruler) -> Iterator[Edit]:
    if any(word.arg in ("encoding", None) for word in call.keywords) or any(
        isinstance(arg, ast.Starred) for arg in call.args
    ):
        return
    if not _is_text(call, names):
        return
    parts: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    given = sorted(ruler.span(part)[1] for part in parts)
    end = ruler.span(call)[1] - 1
    quote = "'" if ruler.text.count("'") > 2 * ruler.text.count('"') else '"'
    new = f"encoding={quote}{WANTED}{quote}"
    yield Edit(given[-1], given[-1], f", {new}") if given else Edit(end, end, new)


def _is_text(call: ast.Call, names: Names) -> bool:
    """Whether a call surely reads or writes text and could be told the encoding."""
    plain = isinstance(call.func, ast.Name) and call.func.id == "open" and "open" not in names.stored | {*names.bound}
    full = "open" if plain else names.dotted(call.func)
    if full in OPENS:
        mode = _mode(call, 0 if full.startswith("tempfile.") else 1, "w+b" if full.startswith("tempfile.") else "r")
        return mode is not None and "b" not in mode and len(call.args) < (3 if "." in full else 4)
    if full in PACKED:
        return "t" in (_mode(call, 1, "rb") or "")
    if full in STARTS:
        return any(word.arg in ("text", "universal_newlines") and _true(word.value) for word in call.keywords)
    if full in HANDLERS:
        return len(call.args) <= 2  # noqa: PLR2004 - the third is the encoding
    return _is_method(call, full)


def _is_method(call: ast.Call, full: str) -> bool:
    """Whether it is a method that paths have; what is imported is no path."""
    if full or not isinstance(call.func, ast.Attribute):
        return False
    count = len(call.args)
    match call.func.attr:
        case "read_text":
            return count == 0
        case "write_text":
            return count == 1
        case "open":
            mode = _mode(call, 0, "r")
            return mode is not None and "b" not in mode and count < 3 and _opens_paths(call)  # noqa: PLR2004
        case _:
            return False


def _opens_paths(call: ast.Call) -> bool:
    mode = next((word.value for word in call.keywords if word.arg == "mode"), call.args[0] if call.args else None)
    return mode is None or isinstance(mode, ast.Constant)


def _mode(call: ast.Call, place: int, default: str) -> str | None:
    """Return the mode that a file is opened in; None when it is not written down."""
    given = next((word.value for word in call.keywords if word.arg == "mode"), None)
    given = given or (call.args[place] if len(call.args) > place else None)
    if given is None:
        return default
    if not isinstance(given, ast.Constant) or not isinstance(given.value, str):
        return None
    return given.value if set(given.value) <= set("rwaxbtU+") else None


def _true(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is True


def _widen(tree: ast.Module, ruler: Ruler, lines: Collection[int]) -> str:
    """Write UTF-8, of which ASCII is a part, where ASCII is asked for on these lines."""
    edits: list[Edit] = []
    for call in [node for node in ast.walk(tree) if isinstance(node, ast.Call)]:
        if not any(_holds(call, line) for line in lines):
            continue
        coded = isinstance(call.func, ast.Attribute) and call.func.attr in ("encode", "decode")
        given = [word.value for word in call.keywords if word.arg == "encoding"] + (call.args[:1] if coded else [])
        for node in given:
            if isinstance(node, ast.Constant) and str(node.value).lower() in ASCII:
                start, end = ruler.span(node)
                quote = ruler.text[start : start + 1]
                edits.append(Edit(start, end, f"{quote}{WANTED}{quote}"))
    return splice(ruler.text, edits)
