"""Templates: statements of a block in another order."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Sequence

from bot.repair.worker.rules import cheap, heavy
from bot.repair.worker.source import DEFINITIONS, Candidate
from bot.repair.worker.statements import LEAVING, movable
from bot.repair.worker.view import View

FARTHEST = 6
"""Places that a statement is moved by."""
LONGEST, SMALL = 40, 5
"""Statements of a block that is put in order, and of one that is put in any order."""
RUN = 3
"""Statements that go together."""


def placeable(view: View, node: ast.stmt) -> bool:
    """Whether a statement, or a function inside of a function, may stand elsewhere in its block."""
    if isinstance(node, DEFINITIONS):
        return view.source.function(node) is not None and view.source.alone(node)
    return movable(view, node)


def _block(view: View, node: ast.stmt) -> tuple[list[ast.stmt], int]:
    """Return the movable statements around one, in one piece, and its place among them."""
    block = view.source.block(node)
    index = first = last = block.index(node)
    while first > 0 and placeable(view, block[first - 1]):
        first -= 1
    while last + 1 < len(block) and placeable(view, block[last + 1]):
        last += 1
    return block[first : last + 1], index - first


def arrange(view: View, statements: Sequence[ast.stmt], order: Sequence[int]) -> tuple[tuple[int, int], str]:
    """Return the span of adjacent statements and their text in another order; what stood between them stays."""
    source = view.source
    spans = [source.whole(statement) for statement in statements]
    text = ""
    for place, number in enumerate(order):
        text += source.block_text([statements[number]])
        if place + 1 < len(spans):
            text += source.content[spans[place][1] : spans[place + 1][0]].decode()
    return (spans[0][0], spans[-1][1]), text


@cheap(ast.stmt)
def move_far(view: View, node: ast.stmt) -> Iterator[Candidate]:
    """A statement moves up or down by several places, or changes places with a distant one."""
    if not placeable(view, node) or isinstance(node, LEAVING):
        return
    block, index = _block(view, node)
    for step in [*range(-FARTHEST, -1), *range(2, FARTHEST + 1)]:
        other = index + step
        if not 0 <= other < len(block) or isinstance(block[other], LEAVING):
            continue
        low, high = min(index, other), max(index, other)
        inner = list(range(high - low + 1))
        moved = [*inner[1:], inner[0]] if other > index else [inner[-1], *inner[:-1]]
        span, text = arrange(view, block[low : high + 1], moved)
        yield view.rewrite(span, text, "move_stmt", 0.26 - 0.02 * abs(step), node.lineno)
        if step > 0:
            swapped = [inner[-1], *inner[1:-1], inner[0]]
            span, text = arrange(view, block[low : high + 1], swapped)
            yield view.rewrite(span, text, "swap_stmts", 0.2 - 0.02 * step, node.lineno)


@cheap(ast.stmt)
def define_first(view: View, node: ast.stmt) -> Iterator[Candidate]:
    """Statements that read a variable come after the one that first sets it, and none after a return."""
    block, index = _block(view, node) if placeable(view, node) else ([], 0)
    if index or not 2 <= len(block) <= LONGEST:
        return
    needs = _Needs(view, block)
    order = _sorted_by_use(needs)
    if order != list(range(len(block))):
        yield _arranged(view, block, order, "define_first", 0.9)
        late = [n for n in order[:-1] if any(isinstance(s, LEAVING) for s in block[:n])]
        for number in late[:RUN]:
            rest = [n for n in order if n != number]
            for place in range(len(rest)):
                other = [*rest[:place], number, *rest[place:]]
                if needs.met(other):
                    yield _arranged(view, block, other, "define_first", 0.4)


def _arranged(view: View, block: list[ast.stmt], order: list[int], template: str, prior: float) -> Candidate:
    """Propose an order, and rewrite no more than what it changes."""
    changed = [place for place, number in enumerate(order) if place != number] or [0]
    low, high = changed[0], changed[-1] + 1
    span, text = arrange(view, block[low:high], [number - low for number in order[low:high]])
    return view.rewrite(span, text, template, prior, block[low].lineno)


@heavy(ast.stmt)
def shuffle_block(view: View, node: ast.stmt) -> Iterator[Candidate]:
    """The few statements of a block in every order that makes sense."""
    block, index = _block(view, node) if placeable(view, node) else ([], 0)
    if index or not 3 <= len(block) <= SMALL:
        return
    needs = _Needs(view, block)
    for order in itertools.permutations(range(len(block))):
        moved = sum(a > b for a, b in itertools.combinations(order, 2))
        if moved > 1 and needs.met(order):
            yield _arranged(view, block, list(order), "shuffle", 0.3 / (1 + 0.2 * moved))


class _Needs:
    """Which names the statements of a block need and make."""

    def __init__(self, view: View, block: list[ast.stmt]) -> None:
        function = view.source.function(block[0])
        self.begun = {a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)} if function else set()
        self.begun |= _stored_before(view, block[0])
        self.block = block
        self.sets = [_names(s, ast.Store) | ({s.name} if isinstance(s, DEFINITIONS) else set()) for s in block]
        self.reads = [_names(s, ast.Load) - sets_inside(s) for s in block]
        for number, statement in enumerate(block):
            if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
                self.reads[number].add(statement.target.id)
            elif isinstance(statement, DEFINITIONS):  # what a function needs, it needs when it is called
                self.reads[number] = set()
        compound = (ast.For, ast.While, ast.If, ast.Try)
        made = [sets for s, sets in zip(block, self.sets) if not isinstance(s, compound)]
        self.made: set[str] = set().union(*made) - self.begun

    def ready(self, number: int, done: Sequence[int]) -> bool:
        """Whether what a statement reads is there after some others."""
        there = self.begun.union(*(self.sets[i] for i in done))
        return not self.reads[number] & self.made - there

    def met(self, order: Sequence[int]) -> bool:
        """Whether an order makes everything before it is read, and leaves last."""
        if any(isinstance(self.block[i], LEAVING) for i in order[:-1]):
            return False
        return all(self.ready(number, order[:place]) for place, number in enumerate(order))


def _sorted_by_use(needs: _Needs) -> list[int]:
    """Order statements so that none reads what is first set by a later one; leaving ones go to the end."""
    order: list[int] = []
    block, rest = needs.block, list(range(len(needs.block)))
    while rest:
        ready = [i for i in rest if needs.ready(i, order)]
        calm = [i for i in ready if not isinstance(block[i], LEAVING)]
        chosen = (calm or (ready if len(ready) == len(rest) else []) or rest)[0]
        order.append(chosen)
        rest.remove(chosen)
    return order


def _stored_before(view: View, node: ast.stmt) -> set[str]:
    """List the names that are bound earlier in the function than a statement."""
    function = view.source.function(node)
    walked = ast.walk(function) if function else ()
    return {n.id for n in walked if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and n.lineno < node.lineno}


def sets_inside(node: ast.stmt) -> set[str]:
    """List the names that a compound statement or a comprehension binds for itself."""
    inner: set[str] = set()
    for part in ast.walk(node):
        if isinstance(part, (ast.comprehension, ast.For)):
            inner |= {n.id for n in ast.walk(part.target) if isinstance(n, ast.Name)}
        elif isinstance(part, (ast.Lambda, *DEFINITIONS)):
            inner |= {a.arg for a in ast.walk(part) if isinstance(a, ast.arg)}
    if isinstance(node, (ast.For, ast.While, ast.If, ast.Try, ast.With)):
        inner |= _names(node, ast.Store)
    return inner


def _names(node: ast.stmt, context: type[ast.expr_context]) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, context)}


@cheap(ast.stmt)
def delete_run(view: View, node: ast.stmt) -> Iterator[Candidate]:
    """Two or three statements that follow each other go."""
    if not movable(view, node):
        return
    block, index = _block(view, node)
    for count in range(2, RUN + 1):
        run = block[index : index + count]
        plain = all(isinstance(s, (ast.Assign, ast.AugAssign, ast.Expr)) for s in run)
        if plain and len(run) == count and len(view.source.block(node)) > count:
            span = (view.source.whole(run[0])[0], view.source.whole(run[-1])[1])
            yield view.rewrite(span, "", "del_stmts", 0.3 - 0.05 * count, node.lineno)
