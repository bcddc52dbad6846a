"""Writes what modules have now in the place of what they had once."""

import ast
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

from bot.models.offline.bindings import Names, Statement
from bot.models.offline.edits import Edit, Ruler, is_loose, splice, tight
from bot.models.offline.imports import Import
from bot.models.offline.leftovers import settle
from bot.models.offline.outdated import Row, Target, moved_module, rows_of, successor, target
from bot.models.offline.source import Mend, parse
from bot.models.offline.statements import drop

MOST_PASSES = 4
"""What is written anew may hold more that is to be."""
PLACEHOLDER = re.compile(r"\{([\w.:]+)\}")
FROM = re.compile(r"from\s+(?P<module>[\w.]+)\s+import\b")
NONE: Mapping[str, Target] = MappingProxyType({})
UNPACKED = 4
"""Parts of what inspect.getargspec gave; the new one gives more."""


def modernize(text: str, olds: Collection[str], told: Mapping[str, Target] = NONE) -> Mend | None:
    """Write what stands in the place of some names or modules, all over a file; `told`: what a message says of more."""
    done: dict[str, str] = {}
    new = text
    for _ in range(MOST_PASSES):
        tree = parse(new)
        draft = _Draft(new, tree, frozenset({*olds, *told}), told) if tree is not None else None
        changed = draft.write() if draft is not None else new
        if draft is None or changed == new or parse(changed) is None:
            break
        new = changed
        done.update(draft.done)
    return Mend(new, _told(done)) if new != text else None


def _told(done: Mapping[str, str]) -> str:
    pairs = [f"use `{new}` for `{old}`" for old, new in done.items()]
    more = f" and {len(pairs) - 1} more" if len(pairs) > 1 else ""
    return (pairs[0] if pairs else "use what stands in its place now") + more


class _Moved(NamedTuple):
    """A name that a `from` import gets from elsewhere."""

    item: ast.alias
    target: Target
    local: str
    """What it is called in the file afterwards."""


@dataclass(slots=True)
class _Draft:
    """One pass over a file."""

    text: str
    tree: ast.Module
    olds: frozenset[str]
    told: Mapping[str, Target]
    names: Names = field(init=False)
    ruler: Ruler = field(init=False)
    edits: list[Edit] = field(default_factory=list)
    needed: list[Import] = field(default_factory=list)
    touched: set[str] = field(default_factory=set)
    """Imported names that may not be used any more."""
    moved: dict[str, str] = field(default_factory=dict)
    """What imported names are called afterwards."""
    done: dict[str, str] = field(default_factory=dict)
    covered: set[ast.AST] = field(default_factory=set)
    """Parts of names that are written anew."""

    def __post_init__(self) -> None:
        self.names = Names(self.tree)
        self.ruler = Ruler(self.text)

    def write(self) -> str:
        """Return the new text."""
        for statement in [one for one in ast.walk(self.tree) if isinstance(one, Statement)]:
            if not self.names.excused(statement):
                self._statement(statement)
        for node in ast.walk(self.tree):
            if isinstance(node, ast.expr) and not self.names.excused(node):
                self._expression(node)
        return settle(splice(self.text, self.edits), self.needed, self.touched) if self.edits else self.text

    def _wanted(self, dotted: str) -> bool:
        parts = dotted.split(".")
        return any(".".join(parts[:end]) in self.olds for end in range(1, len(parts) + 1))

    def _successor(self, dotted: str) -> Target | None:
        if not self._wanted(dotted):
            return None
        return self.told.get(dotted) or successor(dotted)

    def _note(self, dotted: str, new: Target) -> None:
        """Keep in mind what is done, for a person."""
        moved = None if rows_of(dotted) or dotted in self.told else moved_module(dotted)
        self.done.update([moved or (dotted, new.dotted)])

    def _statement(self, node: Statement) -> None:
        if isinstance(node, ast.ImportFrom):
            if node.module and not node.level:
                self._from(node, node.module)
            return
        for item in node.names:
            new = self._successor(item.name)
            if new is not None and not new.name:
                alias = f" as {item.asname}" if item.asname and new.dotted != item.asname else ""
                self.edits.append(self.ruler.put(item, new.dotted + alias))
                self.moved.update({item.asname: item.asname} if item.asname else {})
                self._note(item.name, new)

    def _from(self, node: ast.ImportFrom, module: str) -> None:
        if node.names[0].name == "*":
            new = self._successor(module)
            if new is not None:
                self._rewrite(node, new.dotted, ())
                self._note(module, new)
            return
        named = [(item, self._successor(f"{module}.{item.name}")) for item in node.names]
        moved = [self._move(item, new) for item, new in named if new is not None]
        homes = {one.target.module for one in moved}
        if not moved:
            return
        if len(moved) == len(node.names) and len(homes) == 1 and all(m.target.module and m.target.name for m in moved):
            self._rewrite(node, moved[0].target.module, moved)
        else:
            self.edits += drop(self.ruler, self.tree, node, [one.item for one in moved])
            self.needed += [_import(one) for one in moved if one.target.module]
        for one in moved:
            self.moved[one.item.asname or one.item.name] = one.local
            self._note(f"{module}.{one.item.name}", one.target)

    def _move(self, item: ast.alias, new: Target) -> _Moved:
        """Choose what a moved name is called in the file."""
        if new.module and not new.name and "." in new.module:
            new = Target(*new.module.rsplit(".", 1))
        if not new.module or not new.name:
            return _Moved(item, new, new.dotted)
        if item.asname:
            return _Moved(item, new, item.asname)
        taken = new.name != item.name and (new.name in self.names.stored or new.name in self.names.bound)
        return _Moved(item, new, item.name if taken else new.name)

    def _rewrite(self, node: ast.ImportFrom, home: str, moved: Sequence[_Moved]) -> None:
        """Change a whole `from` import where it stands."""
        start, end = self.ruler.span(node)
        found = FROM.match(self.text[start:end])
        if found:
            self.edits.append(Edit(start + found.start("module"), start + found.end("module"), home))
            self.edits += [self.ruler.put(one.item, _written(one)) for one in moved]

    def _expression(self, node: ast.expr) -> None:
        if isinstance(node, ast.Call):
            self._call(node)
        if not isinstance(node, ast.Name | ast.Attribute) or not isinstance(node.ctx, ast.Load):
            return
        outer = self.names.around.get(node)
        if outer in self.covered and isinstance(outer, ast.Attribute):
            self.covered.add(node)
            return
        dotted = self.names.dotted(node)
        if not dotted or not self._wanted(dotted):
            return
        root = _root(node)
        if root in self.moved:
            if isinstance(node, ast.Name) and self.moved[root] != root:
                self._put(node, dotted, self.moved[root])
            return
        new = self._successor(dotted)
        value = next((row for row in rows_of(dotted) if row.sort == "values"), None)
        if new is not None:
            self._replace(node, dotted, new)
        elif value is not None:
            self._template(node, value, {}, node)

    def _replace(self, node: ast.Name | ast.Attribute, dotted: str, new: Target) -> None:
        reached = self.names.reach(new, short=isinstance(node, ast.Name))
        if reached is None:
            return
        self._put(node, dotted, reached[0])
        self.touched.add(_root(node))
        self.needed += [reached[1]] if reached[1] else []
        self._note(dotted, new)

    def _put(self, node: ast.Name | ast.Attribute, dotted: str, new: str) -> None:
        self.edits.append(self.ruler.put(node, new))
        self.covered.add(node)
        call = self.names.around.get(node)
        if dotted == "inspect.getargspec" and isinstance(call, ast.Call) and _unpacks(self.names.around.get(call)):
            end = self.ruler.span(call)[1]
            self.edits.append(Edit(end, end, f"[:{UNPACKED}]"))

    def _call(self, call: ast.Call) -> None:
        if call.keywords or any(isinstance(arg, ast.Starred) for arg in call.args):
            return
        around = self.names.around.get(call)
        given = {str(number): self.ruler.source(arg) for number, arg in enumerate(call.args)}
        if isinstance(call.func, ast.Name) and call.func.id == "isinstance" and len(call.args) == 2:  # noqa: PLR2004
            kind, what = self.names.dotted(call.args[1]), call.args[0]
            row = next((row for row in rows_of(kind) if row.sort == "tests"), None) if self._wanted(kind) else None
            if row is not None and isinstance(what, ast.Name | ast.Attribute):
                self._template(call, row, given, call.args[1])
            return
        dotted = self.names.dotted(call.func)
        for row in rows_of(dotted) if self._wanted(dotted) else ():
            if row.arguments != len(call.args) or (row.sort == "steps" and not isinstance(around, ast.Expr)):
                continue
            if not row.tail:
                self._template(call, row, given, call.func)
            elif isinstance(around, ast.Attribute) and around.attr == row.tail:
                self._template(around, row, given, call.func)

    def _template(self, node: ast.expr, row: Row, given: Mapping[str, str], old: ast.expr) -> None:
        written = fill(row.new, given, self.names, short=isinstance(old, ast.Name))
        if written is None:
            return
        text, imports = written
        if tight(node, self.names.around.get(node)) and is_loose(text):
            text = f"({text})"
        self.edits.append(self.ruler.put(node, text))
        self.touched.add(_root(old))
        self.needed += imports
        self.done[row.old] = named(row.new)


def fill(template: str, given: Mapping[str, str], names: Names, *, short: bool) -> tuple[str, list[Import]] | None:
    """Write an expression of the tables; None when a name is in the way of what it needs."""
    parts: list[str] = []
    imports: list[Import] = []
    at = 0
    for found in PLACEHOLDER.finditer(template):
        parts.append(template[at : found.start()])
        at = found.end()
        if found[1] in given:
            arg = given[found[1]]
            inside = template[: found.start()].endswith(("(", ", ", "=")) and template[at : at + 1] in (")", ",")
            parts.append(f"({arg})" if not inside and is_loose(arg) else arg)
            continue
        reached = names.reach(target(found[1]), short=short)
        if reached is None:
            return None
        parts.append(reached[0])
        imports += [reached[1]] if reached[1] else []
    return "".join([*parts, template[at:]]), imports


def named(template: str) -> str:
    """Name what an expression of the tables is about, for a person."""
    apis = [name for name in PLACEHOLDER.findall(template) if not name.isdecimal() and name not in ("self", "value")]
    return apis[0].replace(":", ".") if apis else PLACEHOLDER.sub("…", template)


def _root(node: ast.AST) -> str:
    while isinstance(node, ast.Attribute | ast.Call):
        node = node.value if isinstance(node, ast.Attribute) else node.func
    return node.id if isinstance(node, ast.Name) else ""


def _unpacks(around: ast.AST | None) -> bool:
    match around:
        case ast.Assign(targets=[ast.Tuple(elts=parts) | ast.List(elts=parts)]):
            return len(parts) == UNPACKED
        case _:
            return False


def _written(moved: _Moved) -> str:
    return moved.target.name if moved.local == moved.target.name else f"{moved.target.name} as {moved.local}"


def _import(moved: _Moved) -> Import:
    alias = "" if moved.local == moved.target.name or not moved.target.name else moved.local
    return Import(moved.target.module, moved.target.name, alias)


def replace_builtin(text: str, name: str) -> Mend | None:
    """Write what Python has in the place of a builtin that it had once."""
    tree = parse(text)
    row = next((row for row in rows_of(name) if row.sort == "builtins"), None)
    if tree is None or row is None:
        return None
    names, ruler = Names(tree), Ruler(text)
    reached = None if name in names.stored or name in names.bound else names.reach(target(row.new), short=True)
    if reached is None:
        return None
    uses = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == name]
    edits = [ruler.put(node, reached[0]) for node in uses if not names.excused(node)]
    new = settle(splice(text, edits), [reached[1]] if reached[1] else [], ()) if edits else text
    return Mend(new, f"use `{target(row.new).dotted}` for `{name}`") if new != text else None
