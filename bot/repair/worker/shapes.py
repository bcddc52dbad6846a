"""Templates: a step that turns every wrong answer of the failing tests into the right one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, Callable

from bot.repair.worker.rules import cheap
from bot.repair.worker.source import Candidate
from bot.repair.worker.view import View

Step = Callable[[Any], Any]
STEPS: tuple[tuple[str, Step], ...] = (
    ("sorted({})", sorted), ("sorted({}, reverse=True)", lambda x: sorted(x, reverse=True)),
    ("sorted({}, key=len)", lambda x: sorted(x, key=len)), ("sorted({}, key=abs)", lambda x: sorted(x, key=abs)),
    ("sorted({}, key=str.lower)", lambda x: sorted(x, key=str.lower)), ("[*.][::-1]", lambda x: x[::-1]),
    ("[*.][1:]", lambda x: x[1:]), ("[*.][:-1]", lambda x: x[:-1]), ("[*.][0]", lambda x: x[0]),
    ("[*.][-1]", lambda x: x[-1]), ("[*.][::2]", lambda x: x[::2]), ("list({})", list), ("tuple({})", tuple),
    ("set({})", set), ("list(dict.fromkeys({}))", lambda x: list(dict.fromkeys(x))),
    ("sorted(set({}))", lambda x: sorted(set(x))), ("len({})", len), ("sum({})", sum), ("max({})", max),
    ("min({})", min), ("str({})", str), ("int({})", int), ("float({})", float), ("bool({})", bool), ("abs({})", abs),
    ("-[*.]", lambda x: -x), ("round({})", round), ("round({}, 1)", lambda x: round(x, 1)),
    ("round({}, 2)", lambda x: round(x, 2)), ("[*.].lower()", lambda x: x.lower()),
    ("[*.].upper()", lambda x: x.upper()), ("[*.].strip()", lambda x: x.strip()),
    ("[*.].title()", lambda x: x.title()), ("[*.].capitalize()", lambda x: x.capitalize()),
    ("[*.].swapcase()", lambda x: x.swapcase()), ("[*.].split()", lambda x: x.split()),
    ("[*.].encode()", lambda x: x.encode()), ("[*.].decode()", lambda x: x.decode()), ("''.join({})", "".join),
    ("' '.join({})", " ".join), ("', '.join({})", ", ".join),
    ("''.join(reversed({}))", lambda x: "".join(reversed(x))), ("not [*.]", lambda x: not x),
)  # fmt: skip
LOOSE_TYPES = (bool, type(None))
SIZE = 10_000


def fits(step: Step, pairs: list[tuple[Any, Any]]) -> bool:
    """Whether a step makes the expected value out of every wrong one."""
    for actual, expected in pairs:
        try:
            made = step(actual)
        except Exception:  # noqa: BLE001 - most steps are not for most values
            return False
        if type(made) is not type(expected) or made != expected:
            return False
    return True


def wrong_answers(view: View) -> list[tuple[Any, Any]]:
    """List different wrong answers of failing tests with the right ones."""
    known = {repr(pair): pair for pair in view.facts.differences}
    return [pair for text, pair in known.items() if len(text) < SIZE]


@cheap(ast.Return)
def shape_answer(view: View, node: ast.Return) -> Iterator[Candidate]:
    """`return a` becomes `return sorted(a)` where every expected value is what was got, sorted."""
    pairs = wrong_answers(view)
    if node.value is None or not pairs or isinstance(node.value, ast.Constant):
        return
    types = view.types(node.value)
    if types and not any(type(actual).__name__ in types for actual, _ in pairs):
        return
    text, operand = view.text(node.value), view.operand(node.value)
    prior = 0.35 if len(pairs) == 1 else 0.7
    again = view.text(node.value.func) if isinstance(node.value, ast.Call) else ""
    for pattern, step in STEPS:
        # What is sorted the wrong way round is sorted otherwise, and not once more
        if fits(step, pairs) and not (again == "sorted" and pattern.startswith(("sorted(", "[*.][::-1]"))):
            new = pattern.replace("[*.]", operand).replace("{}", text)
            yield view.replace(node.value, new, "shape", prior * (0.6 if isinstance(pairs[0][1], LOOSE_TYPES) else 1))
    yield from _shifted(view, node.value, pairs, prior)


def _shifted(view: View, node: ast.expr, pairs: list[tuple[Any, Any]], prior: float) -> Iterator[Candidate]:
    """Add or multiply what all wrong numbers lack."""
    plain = all(type(v) in (int, float) for pair in pairs for v in pair)
    if not plain or len(pairs) < 2:
        return
    operand = view.operand(node)
    gaps = {expected - actual for actual, expected in pairs}
    if len(gaps) == 1:
        gap = gaps.pop()
        yield view.replace(node, f"{operand} {'+' if gap > 0 else '-'} {abs(gap)!r}", "shape", prior)
    ratios = {expected / actual if actual else 0.0 for actual, expected in pairs}
    if len(ratios) == 1:
        ratio = ratios.pop()
        if ratio and float(ratio).is_integer():
            yield view.replace(node, f"{operand} * {int(ratio)}", "shape", prior)
        elif ratio and (1 / ratio).is_integer():
            whole = all(type(expected) is int for _, expected in pairs)
            yield view.replace(node, f"{operand} {'//' if whole else '/'} {int(1 / ratio)}", "shape", prior)
