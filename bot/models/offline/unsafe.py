"""Applies mends of ruff that may change what code does: one rule a commit, and only where tests run the lines."""

import ast
import re
from collections.abc import Iterator, Sequence

from pydantic import JsonValue

from bot.models.offline.briefing import Finding
from bot.models.offline.dialogue import Talk
from bot.models.offline.lint import CODE, MOST_PATHS
from bot.models.offline.patches import HUNK, make
from bot.models.offline.replay import Act
from bot.models.offline.source import indent_of, parse
from bot.models.offline.suggestions import Suggestion
from bot.models.offline.workshop import Workshop, tool_of

MOST_RULES = 4
MOST_PROBES = 24
LEFT_ALONE = re.compile(r"F401|I001|F821|E501|RUF100|RUF013|S\d+|ERA\d+|T20\d|D\d+")
"""What has mends elsewhere, or one that nobody could check by tests: removed commands, comments, documentation."""
COVERED = re.compile(r"^FAIL (?P<number>\d{1,6}) .*(?:broken: |could not be collected)", re.MULTILINE)


def mend_unsafe(shop: Workshop, check: str, found: Sequence[Finding]) -> Talk[bool]:
    """Try ruff's unsafe mends; what tests do not run is suggested."""
    if tool_of(check) != "ruff" or not shop.talk.can("run_command", "try_patches", "show_changes"):
        return False
    mine = [
        one for one in found if CODE.fullmatch(one.code) and not LEFT_ALONE.fullmatch(one.code) and not one.evidence
    ]
    committed = False
    for code in list(dict.fromkeys(one.code for one in mine))[:MOST_RULES]:
        about = [one for one in mine if one.code == code]
        if not shop.talk.spent and shop.fresh(repr(("unsafe", code, [one.id for one in about]))):
            committed = (yield from _mend(shop, code, about)) or committed
    return committed


def _mend(shop: Workshop, code: str, found: Sequence[Finding]) -> Talk[bool]:
    paths = sorted({one.path for one in found})[:MOST_PATHS]
    argv: list[JsonValue] = ["ruff", "check", "--fix", "--unsafe-fixes", "--quiet", "--select", code, "--", *paths]
    shop.talk.texts.clear()
    act = Act("run_command", {"argv": argv})
    fixed, shown = yield from shop.talk.ask(act, Act("show_changes", {}), text=f"Trying the unsafe mend of {code}.")
    if "; changed: " not in fixed.partition("\n")[0]:
        return False
    changed = read_changes((yield from shop.talk.page(shown)))
    texts = yield from shop.talk.read(changed)
    probes = [probe for path, text in texts.items() for probe in make_probes(path, text, changed[path])]
    if probes and len(probes) <= MOST_PROBES and len(texts) == len(changed):
        (answer,) = yield from shop.talk.ask(
            Act("try_patches", {"patches": list[JsonValue](probes)}), text="Asking whether tests run these lines."
        )
        if len(set(COVERED.findall(answer))) == len(probes):
            outcome = yield from shop.talk.checkpoint(
                f"style: apply ruff's mend of {code}", "Tests run every line of it."
            )
            if outcome != "refused":
                return shop.noted(outcome, f"style: apply ruff's mend of {code}")
    yield from shop.talk.restore()
    why = f"ruff has a mend of {code} that may change what the code does, and no test runs all of its lines"
    shop.suggestions += [Suggestion(one.path, one.line, why) for one in found[:3]]
    return False


def read_changes(shown: str) -> dict[str, list[int]]:
    """Read from a diff which lines of the new files are new, or stand where some were taken away."""
    changed: dict[str, list[int]] = {}
    path, line = "", 0
    for row in shown.split("\n"):
        hunk = HUNK.match(row)
        if row.startswith("+++ b/"):
            path = row[6:]
        elif hunk:
            line = int(hunk["new"].partition(",")[0])
        elif path and line and row[:1] in ("+", "-"):
            changed.setdefault(path, []).append(line)
            line += row[0] == "+"
        elif row[:1] == " ":
            line += 1
        elif row and not row.startswith("\\"):
            line = 0
    return {path: sorted(set(lines)) for path, lines in changed.items()}


def make_probes(path: str, text: str, lines: Sequence[int]) -> Iterator[str]:
    """Write a patch for each changed statement that makes it fail: a test that runs it then fails, too."""
    tree = parse(text)
    rows = text.split("\n")
    places = dict.fromkeys(place for line in lines if tree and (place := _statement(tree, line)))
    for place in places:
        raised = f"{indent_of(rows[place - 1])}raise AssertionError"
        yield make(path, text, "\n".join([*rows[: place - 1], raised, *rows[place - 1 :]]))


def _statement(tree: ast.Module, line: int) -> int:
    """Return the line of the innermost statement around a line; of a definition, where its body begins."""
    around = [
        node for node in ast.walk(tree) if isinstance(node, ast.stmt) and _first(node) <= line <= (node.end_lineno or 0)
    ]
    if not around:
        later = [node.lineno for node in ast.walk(tree) if isinstance(node, ast.stmt) and node.lineno > line]
        return min(later, default=0)
    inner = max(around, key=lambda node: (_first(node), -(node.end_lineno or 0)))
    if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef):
        return max(inner.lineno, inner.body[0].lineno)
    return _first(inner)


def _first(node: ast.stmt) -> int:
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return node.lineno
    return min([node.lineno, *(mark.lineno for mark in node.decorator_list)])
