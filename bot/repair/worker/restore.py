"""Templates: what stood in a file before it changed lately, put back piece by piece and at its old place."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from bot.repair.worker.source import DEFINITIONS, Candidate, Edit, Source
from bot.repair.worker.versions import body_of, find_head, find_similar, match, pair_up, shift

EXPRESSION = 1.2
STATEMENT = 1.1
HEADER = 1.0
WRAPPER = 1.0
RUN = 0.8
LEAST = 0.2
"""Priors: the less is put back, the more of what came meanwhile is kept."""
AS_BEFORE = frozenset({"restore_expr", "restore_line"})
"""Templates that make no more than a line what it was."""
TOGETHER = 6
"""Statements beyond which those that came and those that went are not held against each other one by one."""
PARTS = ("body", "orelse", "finalbody")
Statement = ast.stmt


def restore(new: Source, old: Source) -> Iterator[Candidate]:
    """Propose to put back what is in the old version of a file and not in the new one."""
    for candidate in _Comparison(new, old).block(new.tree.body, old.tree.body):
        edit = candidate.edit
        if new.content[edit.start : edit.end] != edit.text.encode():
            yield candidate


class _Comparison:
    """Two versions of one file."""

    def __init__(self, new: Source, old: Source) -> None:
        self.new = new
        self.old = old

    def block(self, new: Sequence[Statement], old: Sequence[Statement]) -> Iterator[Candidate]:
        """Compare two versions of a block."""
        if not new or not old:
            return
        labels = [[ast.dump(node) for node in side] for side in (new, old)]
        for tag, i1, i2, j1, j2 in match(*labels).get_opcodes():
            if tag == "insert":
                yield from self._missing(new, i1, old[j1:j2])
            elif tag == "delete":
                yield from self._superfluous(new, new[i1:i2])
            elif tag == "replace":
                yield from self._replaced(new, (i1, i2), old[j1:j2])

    def _missing(self, block: Sequence[Statement], at: int, gone: Sequence[Statement]) -> Iterator[Candidate]:
        """Put statements back that went: all of them, or one of them."""
        chosen = [gone] if len(gone) == 1 else [gone, *([one] for one in gone)]
        for run in chosen:
            yield from self._insert(block, at, run, "restore_stmt", STATEMENT - 0.01 * len(run))

    def _insert(
        self, block: Sequence[Statement], at: int, run: Sequence[Statement], template: str, prior: float
    ) -> Iterator[Candidate]:
        beside = block[at] if at < len(block) else block[-1]
        if not self.new.alone(beside) or not all(map(self.old.alone, run)):
            return
        start, end = self.new.whole(beside)
        place = start if at < len(block) else end
        text = self._text(run, self.new.indent(beside))
        if isinstance(run[0], DEFINITIONS):
            gap = self.new.newline * (1 if self.new.indent(beside) else 2)
            text = text + gap if at < len(block) else gap + text
        if place and self.new.content[place - 1 : place] != b"\n":
            text = self.new.newline + text
        yield self._edit((place, place), text, template, prior, beside)

    def _superfluous(self, block: Sequence[Statement], came: Sequence[Statement]) -> Iterator[Candidate]:
        """Take statements away that came: all of them, or one of them."""
        chosen = [came] if len(came) == 1 else [came, *([one] for one in came)]
        for run in chosen:
            if all(map(self.new.alone, run)):
                text = "" if len(run) < len(block) else f"{self.new.indent(run[0])}pass{self.new.newline}"
                yield self._edit(self._span(run), text, "restore_without", RUN - 0.01 * len(run), run[0])

    def _replaced(
        self, block: Sequence[Statement], ends: tuple[int, int], gone: Sequence[Statement]
    ) -> Iterator[Candidate]:
        came = block[ends[0] : ends[1]]
        pairs = list(pair_up(came, gone))
        for now, then in pairs:
            yield from self._changed(now, then)
        yield from self._wrapped(came, gone)
        if max(len(came), len(gone)) <= TOGETHER:
            known = {id(node) for pair in pairs for node in pair}
            for then in gone:
                if id(then) not in known:
                    for at in dict.fromkeys((ends[0], ends[1])):
                        yield from self._insert(block, at, [then], "restore_stmt", RUN)
            for now in came:
                if id(now) not in known:
                    yield from self._superfluous(block, [now])
        if all(map(self.new.alone, came)) and all(map(self.old.alone, gone)):
            text = self._text(gone, self.new.indent(came[0]))
            size = sum((node.end_lineno or node.lineno) - node.lineno + 1 for node in (*came, *gone))
            placeholder = all(isinstance(node, ast.Pass) for node in came)
            prior = STATEMENT - 0.01 if placeholder else max(LEAST, RUN - 0.02 * size)
            yield self._edit(self._span(came), text, "restore_lines", prior, came[0])

    def _changed(self, now: Statement, then: Statement) -> Iterator[Candidate]:
        """Compare two versions of one statement."""
        if ast.dump(now) == ast.dump(then):
            return
        yield from self._expressions(now, then)
        if not body_of(now):
            return
        yield from self._header(now, then)
        for part in PARTS:
            mine, theirs = getattr(now, part, None) or [], getattr(then, part, None) or []
            yield from self.block(mine, theirs)
            if theirs and not mine and part != "body":
                yield from self._tail(now, then, theirs)
        for ours, old in zip(getattr(now, "handlers", []), getattr(then, "handlers", [])):
            yield from self.block(ours.body, old.body)

    def _header(self, now: Statement, then: Statement) -> Iterator[Candidate]:
        """Give a compound statement its head back."""
        head, old = (find_head(source, node) for source, node in ((self.new, now), (self.old, then)))
        if head and old and self.new.alone(now) and self.old.alone(then):
            texts = [source.content[slice(*span)].decode() for source, span in ((self.new, head), (self.old, old))]
            if _code(texts[0]) == _code(texts[1]):
                return
            text = shift(texts[1], self.old.indent(then), self.new.indent(now))
            yield self._edit(head, text, "restore_header", HEADER, now)

    def _tail(self, now: Statement, then: Statement, gone: Sequence[Statement]) -> Iterator[Candidate]:
        """Give a compound statement its `else` or `finally` back."""
        body = body_of(then)
        last = [*body_of(now), *getattr(now, "orelse", [])][-1]
        before = [
            node for part in ("body", "orelse") for node in getattr(then, part, []) if node.lineno < gone[0].lineno
        ]
        start = self.old.whole((before or body)[-1])[1]
        text = self.old.content[start : self.old.whole(gone[-1])[1]].decode()
        place = self.new.whole(last)[1]
        if self.new.alone(last) and self.old.alone(gone[-1]):
            text = shift(text, self.old.indent(then), self.new.indent(now))
            yield self._edit((place, place), text, "restore_branch", STATEMENT, now)

    def _wrapped(self, came: Sequence[Statement], gone: Sequence[Statement]) -> Iterator[Candidate]:
        """Put a lost loop, condition or `try` around what stood in it, or take a new one away."""
        if not (all(map(self.new.alone, came)) and all(map(self.old.alone, gone))):
            return
        for then in gone:
            inner = body_of(then)
            head = find_head(self.old, then) if inner and not isinstance(then, DEFINITIONS) else None
            run = find_similar(inner, came)
            if head and run:
                yield from self._wrap(then, inner, run, head)
        for now in came:
            inner = body_of(now)
            if inner and not isinstance(now, DEFINITIONS) and find_similar(inner, gone):
                text = self.new.reindent(inner, self.new.indent(now))
                yield self._edit(self._span([now]), text, "restore_unwrapped", WRAPPER, now)

    def _wrap(
        self, then: Statement, inner: Sequence[Statement], run: Sequence[Statement], head: tuple[int, int]
    ) -> Iterator[Candidate]:
        outer, step = self.new.indent(run[0]), self.old.indent(inner[0])[len(self.old.indent(then)) :]
        tail = self.old.content[self.old.whole(inner[-1])[1] : self.old.whole(then)[1]].decode()
        around = [shift(text, self.old.indent(then), outer) for text in (self.old.content[slice(*head)].decode(), tail)]
        text = around[0] + self.new.reindent(list(run), outer + step) + around[1]
        yield self._edit(self._span(run), text, "restore_wrapper", WRAPPER, run[0])

    def _expressions(self, now: ast.AST, then: ast.AST) -> Iterator[Candidate]:
        """Put old expressions in the place of new ones, the smallest first."""
        if type(now) is type(then):
            for name, value in ast.iter_fields(now):
                other = getattr(then, name, None)
                if name in (*PARTS, "handlers", "cases"):
                    continue
                pairs = zip(value, other) if isinstance(value, list) and isinstance(other, list) else [(value, other)]
                if isinstance(value, list) and isinstance(other, list) and len(value) != len(other):
                    continue
                for mine, theirs in pairs:
                    if isinstance(mine, ast.AST) and isinstance(theirs, ast.AST) and ast.dump(mine) != ast.dump(theirs):
                        yield from self._expressions(mine, theirs)
        if isinstance(now, ast.expr) and isinstance(then, ast.expr) and not self.new.formatted(now):
            yield from self._expression(now, then)
        elif isinstance(now, Statement) and isinstance(then, Statement) and not hasattr(now, "body"):
            yield from self._line(now, then)

    def _line(self, now: Statement, then: Statement) -> Iterator[Candidate]:
        if self.new.alone(now) and self.old.alone(then):
            text = self._text([then], self.new.indent(now))
            yield self._edit(self._span([now]), text, "restore_line", STATEMENT, now)

    def _expression(self, now: ast.expr, then: ast.expr) -> Iterator[Candidate]:
        text = self.old.text(then)
        line = now.lineno
        if not isinstance(getattr(now, "ctx", ast.Load()), ast.Load):
            return
        if isinstance(then, (ast.BoolOp, ast.IfExp, ast.Compare, ast.BinOp, ast.UnaryOp)) and type(now) is not type(
            then
        ):
            parent = self.new.parent(now)
            text = text if isinstance(parent, (Statement, ast.keyword)) else f"({text})"
        yield self._edit(self.new.span(now), text, "restore_expr", EXPRESSION, line)
        for part in _operands(then):
            # What went from around an expression may come back around what became of it
            if type(part) is type(now) and ast.dump(part) != ast.dump(now):
                start, end = self.old.span(then)
                first, last = self.old.span(part)
                inner = (
                    self.old.content[start:first].decode() + self.new.text(now) + self.old.content[last:end].decode()
                )
                yield self._edit(self.new.span(now), inner, "restore_expr", STATEMENT, line)
        if isinstance(now, ast.Call) and isinstance(then, ast.Call) and (now.args or now.keywords):
            yield from self._keywords(now, then)

    def _keywords(self, now: ast.Call, then: ast.Call) -> Iterator[Candidate]:
        """Give a call back the keyword arguments that it lost."""
        has = {keyword.arg for keyword in now.keywords}
        place = max(self.new.span(node)[1] for node in (*now.args, *(k.value for k in now.keywords)))
        for keyword in then.keywords:
            if keyword.arg and keyword.arg not in has:
                text = f", {keyword.arg}={self.old.text(keyword.value)}"
                yield self._edit((place, place), text, "restore_expr", STATEMENT, now.lineno)

    def _text(self, run: Sequence[Statement], indent: str) -> str:
        """Return old statements with the comments right above them, at a depth of the new version."""
        old = self.old.indent(run[0])
        first = self.old.offsets.index(self.old.whole(run[0])[0])
        while first and self.old.lines[first - 1].strip().startswith(b"#"):
            first -= 1
        above = self.old.content[self.old.offsets[first] : self.old.whole(run[0])[0]].decode()
        return shift(above + self.old.block_text(list(run)), old, indent)

    def _span(self, run: Sequence[Statement]) -> tuple[int, int]:
        return self.new.whole(run[0])[0], self.new.whole(run[-1])[1]

    def _edit(self, span: tuple[int, int], text: str, template: str, prior: float, place: Statement | int) -> Candidate:
        line = place if isinstance(place, int) else place.lineno
        text = text.replace("\r\n", "\n").replace("\n", self.new.newline)
        return Candidate(Edit(self.new.path, *span, text), template, prior, line)


def _operands(node: ast.expr) -> Sequence[ast.expr]:
    if isinstance(node, ast.BoolOp):
        return node.values
    if isinstance(node, ast.BinOp):
        return (node.left, node.right)
    if isinstance(node, ast.UnaryOp):
        return (node.operand,)
    return node.args if isinstance(node, ast.Call) else ()


def _code(text: str) -> list[str]:
    """Return the lines of a text that are no comments, without what is around them."""
    return [bare for line in text.splitlines() if (bare := line.strip()) and not bare.startswith("#")]
