"""Mends what linters without a mend of their own complain of, where there is one right answer."""

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from bot.models.offline.briefing import Finding
from bot.models.offline.dialogue import Change, Talk
from bot.models.offline.edits import Edit, Ruler, splice
from bot.models.offline.problems import Option, Problem
from bot.models.offline.source import parse
from bot.models.offline.statements import Statement, drop
from bot.models.offline.workshop import Workshop, tool_of

TOOLS = frozenset({"flake8", "pyflakes", "pycodestyle", "pylint"})
UNUSED = re.compile(
    r"^(?:F401:? |W0611:? |pyflakes:? )?'(?P<name>[\w.]{1,200})(?: as (?P<alias>\w{1,80}))?' imported but unused|"
    r"Unused (?P<plain>[\w.]{1,200}) imported from (?P<home>[\w.]{0,200})(?: as (?P<called>\w{1,80}))?|"
    r"Unused import (?P<module>[\w.]{1,200})(?: as (?P<named>\w{1,80}))?"
)
MOST_PATHS = 40
SPACES = re.compile(r"E[123]\d\d|W[123]\d\d")
COUNT = re.compile(r"expected (?P<wanted>\d)")


def tidy_files(shop: Workshop, check: str, found: Sequence[Finding]) -> Talk[bool]:
    """Mend what such linters complain of, one kind a commit."""
    mine = [one for one in found if tool_of(check) in TOOLS and not one.evidence and one.path.endswith(".py")]
    texts = yield from shop.talk.read(one.path for one in mine)
    for kind, rule in RULES.items():
        problems: list[Problem] = []
        for path, text in texts.items():
            about = tuple(one for one in mine if one.path == path and _kind(one) == kind)
            new = rule(text, about) if about else text
            if new != text and parse(new) is not None:
                problems.append(Problem(about, (Option((Change(path, text, new),), SUBJECTS[kind]),)))
        if problems and not shop.talk.spent and (yield from shop.settle(check, problems, f"style: {SUBJECTS[kind]}")):
            # The lines of what else was found have moved
            return True
    return (yield from _reshape(shop, mine))


def _reshape(shop: Workshop, found: Sequence[Finding]) -> Talk[bool]:
    """Let autopep8 mend white space, where the project has it."""
    mine = [one for one in found if SPACES.fullmatch(one.code)]
    paths = sorted({one.path for one in mine})[:MOST_PATHS]
    codes = ",".join(sorted({one.code for one in mine}))
    if not mine or shop.talk.spent or not shop.talk.can("run_command"):
        return False
    argv = ["autopep8", "--in-place", f"--select={codes}", "--", *paths]
    return (yield from shop.command(argv, ("style: mend white space with autopep8", "")))


def _kind(finding: Finding) -> str:
    if UNUSED.search(finding.message):
        return "" if finding.path.endswith("__init__.py") else "unused"
    return CODES.get(finding.code, "")


CODES = MappingProxyType({
    "W291": "blanks", "W293": "blanks", "C0303": "blanks", "trailing-whitespace": "blanks",
    "W391": "end", "W292": "end", "C0304": "end", "C0305": "end", "missing-final-newline": "end",
    "trailing-newlines": "end",
    "E301": "rows", "E302": "rows", "E303": "rows", "E304": "rows", "E305": "rows", "E306": "rows",
    "F541": "plain", "W1309": "plain", "f-string-without-interpolation": "plain",
    "E703": "semicolons", "W0301": "semicolons", "unnecessary-semicolon": "semicolons",
})  # fmt: skip
SUBJECTS = MappingProxyType({
    "unused": "remove unused imports",
    "blanks": "remove blanks at the ends of lines",
    "end": "end files with one newline",
    "rows": "part definitions by as many blank lines as usual",
    "plain": "write strings that hold no expression as such",
    "semicolons": "remove semicolons that end lines",
})  # fmt: skip


def _drop_unused(text: str, found: Sequence[Finding]) -> str:
    for finding in found:
        text = _drop_one(text, finding)
    return text


def _drop_one(text: str, finding: Finding) -> str:
    named, tree = UNUSED.search(finding.message), parse(text)
    if named is None or tree is None:
        return text
    wanted = (named["name"] or named["plain"] or named["module"] or "").rpartition(".")
    alias = named["alias"] or named["called"] or named["named"] or ""
    nodes = [node for node in ast.walk(tree) if isinstance(node, Statement)]
    for node in sorted(nodes, key=lambda node: abs(node.lineno - finding.line)):
        for item in node.names:
            whole = item.name if isinstance(node, ast.Import) else f"{node.module or ''}.{item.name}".lstrip(".")
            same = item.name == wanted[2] or whole == "".join(wanted) or item.name == "".join(wanted)
            if same and (item.asname or "") == alias and _unused(tree, item, node):
                return splice(text, drop(Ruler(text), tree, node, [item]))
    return text


def _unused(tree: ast.Module, item: ast.alias, node: Statement) -> bool:
    local = item.asname or (item.name.partition(".")[0] if isinstance(node, ast.Import) else item.name)
    return not any(isinstance(one, ast.Name) and one.id == local for one in ast.walk(tree))


def _strip(text: str, found: Sequence[Finding]) -> str:
    """Strip the lines that are named; a string over several lines means its blanks."""
    rows, tree = text.split("\n"), parse(text)
    inside = {line for node in ast.walk(tree) if isinstance(node, ast.Constant | ast.JoinedStr)
              for line in range(node.lineno, node.end_lineno or node.lineno)} if tree else set()  # fmt: skip
    for finding in found:
        if 0 < finding.line <= len(rows) and finding.line not in inside:
            rows[finding.line - 1] = rows[finding.line - 1].rstrip()
    return "\n".join(rows)


def _end(text: str, _: Sequence[Finding]) -> str:
    return text.rstrip() + "\n" if text.strip() else text


def _space(text: str, found: Sequence[Finding]) -> str:
    rows = text.split("\n")
    for finding in sorted(found, key=lambda one: -one.line):
        at = finding.line - 1
        count = COUNT.search(finding.message)
        wanted = int(count["wanted"]) if count else 0 if finding.code == "E304" else _most(rows, at)
        if not 0 < at < len(rows):
            continue
        start = at
        while start > 0 and rows[start - 1].strip().startswith("#") and finding.code != "E303":
            start -= 1
        first = start
        while first > 0 and not rows[first - 1].strip():
            first -= 1
        rows[first:start] = [""] * wanted
    return "\n".join(rows)


def _most(rows: Sequence[str], at: int) -> int:
    """Return how many blank lines may stand before a line."""
    return 1 if 0 <= at < len(rows) and rows[at][:1].isspace() else 2


def _plain(text: str, found: Sequence[Finding]) -> str:
    tree, ruler = parse(text), Ruler(text)
    edits: list[Edit] = []
    lines = {finding.line for finding in found}
    for node in ast.walk(tree) if tree else ():
        if (
            isinstance(node, ast.JoinedStr)
            and node.lineno in lines
            and all(isinstance(p, ast.Constant) for p in node.values)
        ):
            start, end = ruler.span(node)
            written = text[start:end]
            if re.match(r"[fF][\"']", written) and "{" not in written and "}" not in written:
                edits.append(Edit(start, start + 1, ""))
    return splice(text, edits)


def _semicolons(text: str, found: Sequence[Finding]) -> str:
    rows = text.split("\n")
    for finding in found:
        if 0 < finding.line <= len(rows) and "#" not in rows[finding.line - 1]:
            rows[finding.line - 1] = rows[finding.line - 1].rstrip().rstrip(";").rstrip()
    return "\n".join(rows)


RULES: Mapping[str, Callable[[str, Sequence[Finding]], str]] = MappingProxyType({
    "unused": _drop_unused,
    "semicolons": _semicolons,
    "plain": _plain,
    "rows": _space,
    "blanks": _strip,
    "end": _end,
})  # fmt: skip
