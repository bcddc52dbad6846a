"""Runs changed statements of a module's top level again, with what depends on them, and carries the outcome over.

Nothing else runs a second time: registries are not filled twice, and what others hold on to stays the same object.
"""

from __future__ import annotations

import ast
import copy
import sys
import types
from collections.abc import Iterator
from typing import Any, NamedTuple

from bot.repair.worker.source import FUNCTIONS
from bot.repair.worker.state import content_of

Index = dict[tuple[int, str], list[types.FunctionType]]
KEPT = frozenset({"__dict__", "__weakref__", "__doc__", "__module__", "__slots__", "__qualname__"})
SMALL = (int, float, str, bytes, bool, tuple, type(None))
"""Values that may be the same object by chance."""


class Step(NamedTuple):
    """A statement of the top level, before and after."""

    before: ast.stmt
    after: ast.stmt

    @property
    def changed(self) -> bool:
        """Whether the two differ."""
        return ast.dump(self.before) != ast.dump(self.after)

    @property
    def plain(self) -> bool:
        """Whether this is a function with the decorators that it had, which may register it somewhere."""
        ours, theirs = (getattr(one, "decorator_list", []) for one in self)
        return isinstance(self.after, FUNCTIONS) and list(map(ast.dump, ours)) == list(map(ast.dump, theirs))


class Graft:
    """One change of a module's top level; of use once, in a process that is thrown away."""

    def __init__(self, module: types.ModuleType, filename: str, index: Index) -> None:
        self.module = module
        self.filename = filename
        self.index = index
        self.dirty: set[str] = set()

    def apply(self, before: ast.Module, after: ast.Module) -> bool:
        """Run what differs, and what is made of it; False where that cannot be told. Raises what the code does."""
        if len(before.body) != len(after.body):
            return False
        for step in (Step(*pair) for pair in zip(before.body, after.body)):
            if step.changed or read_at_once(step.after) & self.dirty:
                self._run_function(step) if step.plain else self._run(step)
        return True

    def _execute(self, statement: ast.stmt, space: dict[str, Any]) -> None:
        code: Any = compile(ast.Module([statement], []), self.filename, "exec", dont_inherit=True)
        exec(code, space)  # noqa: S102 - the project's own code, in a throwaway child

    def _run_function(self, step: Step) -> None:
        """Define a function without its decorators, and give what it is to the living ones."""
        bare: Any = copy.copy(step.after)
        bare.decorator_list = []
        space, name = vars(self.module), bare.name
        present = space.get(name)
        self._execute(bare, space)
        new, space[name] = space[name], present
        decorators = getattr(step.before, "decorator_list", [])
        line = decorators[0].lineno if decorators else step.before.lineno
        for function in self.index.get((line, name), []):
            carry_function(function, new)

    def _run(self, step: Step) -> None:
        space, old = vars(self.module), dict(vars(self.module))
        self._execute(step.after, space)
        same = frozenset(_untouched(step, self.dirty))
        for name in [name for name in space if name not in old or space[name] is not old[name]]:
            if name.startswith("__") and name.endswith("__"):
                continue
            self.dirty.add(name)
            if name in old and carry(old[name], space[name], same):
                space[name] = old[name]
            elif name in old:
                spread(name, old[name], space[name])


def read_at_once(statement: ast.stmt) -> set[str]:
    """List the names that a statement reads when it runs: of a function, only those of its head."""
    todo: list[ast.AST] = [statement]
    names: set[str] = set()
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, FUNCTIONS):
            todo += [*node.decorator_list, *node.args.defaults, *(d for d in node.args.kw_defaults if d)]
            continue
        elif isinstance(node, ast.Lambda):
            todo += node.args.defaults
            continue
        todo += ast.iter_child_nodes(node)
    return names


def _untouched(step: Step, dirty: set[str]) -> Iterator[str]:
    """List the members of a class that are made as before."""
    known = {ast.dump(statement) for statement in getattr(step.before, "body", ())}
    if not isinstance(step.after, ast.ClassDef):
        return
    for statement in step.after.body:
        if isinstance(statement, (ast.Assign, ast.AnnAssign)) and ast.dump(statement) in known:
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            if not read_at_once(statement) & dirty:
                yield from (target.id for target in targets if isinstance(target, ast.Name))


def carry(old: Any, new: Any, same: frozenset[str] = frozenset()) -> bool:
    """Make an old object what the new one is; False where it has to be replaced."""
    if type(old) is not type(new):
        return False
    if isinstance(old, types.FunctionType):
        return carry_function(old, new)
    if isinstance(old, type):
        return carry_class(old, new, same)
    if isinstance(old, (dict, set)):
        old.clear()
        old.update(new)
    elif isinstance(old, list):
        old[:] = new
    elif type(getattr(old, "__dict__", None)) is dict and not isinstance(old, (types.ModuleType, *SMALL)):
        vars(old).clear()
        vars(old).update(vars(new))
    else:
        return False
    return True


def carry_function(old: types.FunctionType, new: types.FunctionType) -> bool:
    """Give a function the code, the defaults and the surroundings of another."""
    if len(old.__code__.co_freevars) != len(new.__code__.co_freevars):
        return False
    old.__code__, old.__defaults__, old.__kwdefaults__ = new.__code__, new.__defaults__, new.__kwdefaults__
    for name, cell, fresh in zip(new.__code__.co_freevars, old.__closure__ or (), new.__closure__ or ()):
        value = content_of(fresh)
        if name != "__class__" and value is not None and not _both(content_of(cell), value):
            cell.cell_contents = value
    _both(getattr(old, "__wrapped__", None), getattr(new, "__wrapped__", None))
    return True


def _both(old: Any, new: Any) -> bool:
    """Carry one function over to another, if both are some."""
    functions = isinstance(old, types.FunctionType) and isinstance(new, types.FunctionType)
    return functions and carry_function(old, new)


def carry_class(old: type, new: type, same: frozenset[str] = frozenset()) -> bool:
    """Give a class the members of another; False where its members are what it is."""
    if hasattr(old, "_member_map_") or len(old.__mro__) != len(new.__mro__):
        return False
    for name, value in list(vars(new).items()):
        present = vars(old).get(name)
        if name in KEPT or name in same or isinstance(value, types.MemberDescriptorType):
            continue
        if _both(getattr(present, "__func__", present), getattr(value, "__func__", value)):
            continue
        if isinstance(value, property) and isinstance(present, property):
            pairs = ((present.fget, value.fget), (present.fset, value.fset), (present.fdel, value.fdel))
            if all(_both(one, other) for one, other in pairs if other):
                continue
        try:
            setattr(old, name, value)
        except (AttributeError, TypeError):
            continue
    return True


def spread(name: str, old: Any, new: Any) -> None:
    """Replace an object in all modules that took it by its name, or that hold this very object."""
    small = isinstance(old, SMALL)
    for module in list(sys.modules.values()):
        space = getattr(module, "__dict__", None)
        if type(space) is not dict or getattr(module, "__file__", None) is None:
            continue
        for key in [key for key, value in list(space.items()) if value is old and (key == name or not small)]:
            space[key] = new
