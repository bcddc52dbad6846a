"""Templates: what an exception or the difference of an assertion asks for."""

from __future__ import annotations

import ast
import builtins
import difflib
import re
import sys
from collections.abc import Iterator

from bot.repair.worker.conditions import decides
from bot.repair.worker.facts import Crash
from bot.repair.worker.literals import mend_literals
from bot.repair.worker.rules import import_line, parameters, stored
from bot.repair.worker.source import DEFINITIONS, Candidate
from bot.repair.worker.statements import fits
from bot.repair.worker.view import View

UNEXPECTED = re.compile(r"(?:(?P<taker>\w+)\(\) )?got an unexpected keyword argument '(?P<given>\w+)'")
INVALID = re.compile(r"'(?P<given>\w+)' is an invalid keyword argument for (?P<taker>\w+)")
MISSING = re.compile(r"missing \d+ required (?:positional|keyword-only) arguments?: '(\w+)'")
UNIMPORTABLE = re.compile(r"cannot import name '(\w+)'")
NO_MODULE = re.compile(r"No module named '([\w.]+)'")
CASTS = ("concatenate", "unsupported operand", "must be str", "expected str")
ENCODED = ("bytes-like", "must be encoded", "bytes pattern", "string pattern", "not bytes", "bytes to str", "to bytes")
SWALLOWED = ("IndexError", "KeyError", "ValueError", "TypeError", "AttributeError", "ZeroDivisionError")
STANDARD = (
    "collections",
    "itertools",
    "functools",
    "math",
    "os",
    "re",
    "typing",
    "json",
    "pathlib",
    "datetime",
    "dataclasses",
)
"""Modules whose members are often used without having been imported."""


def mend_faults(view: View) -> Iterator[Candidate]:
    """Propose what the crashes in this file ask for."""
    for crash in dict.fromkeys(view.facts.crashes):
        nodes = [n for n in ast.walk(view.source.tree) if isinstance(n, (ast.expr, ast.stmt)) and _there(n, crash.line)]
        for node in nodes:
            if isinstance(node, ast.expr) and not view.source.formatted(node) and not stored(node):
                yield from _expression(view, node, crash)
            elif isinstance(node, ast.stmt):
                yield from _statement(view, node, crash)
    yield from mend_literals(view)


def _there(node: ast.expr | ast.stmt, line: int) -> bool:
    if isinstance(node, DEFINITIONS):
        return False
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def _expression(view: View, node: ast.expr, crash: Crash) -> Iterator[Candidate]:
    if (
        crash.name in ("NameError", "UnboundLocalError")
        and isinstance(node, ast.Name)
        and f"'{node.id}'" in crash.message
    ):
        yield from _name(view, node)
    elif (
        crash.name == "AttributeError"
        and isinstance(node, ast.Attribute)
        and f"attribute '{node.attr}'" in crash.message
    ):
        yield from _attribute(view, node, crash)
    elif crash.name == "KeyError" and isinstance(node, ast.Subscript):
        yield from _key(view, node)
        for default in ("", ", 0", ', ""', ", []", ", {}", ", None"):
            text = f"{view.text(node.value)}.get({view.text(node.slice)}{default})"
            yield view.replace(node, text, "err_key", 0.7)
    elif crash.name == "TypeError":
        yield from _type(view, node, crash)


def _key(view: View, node: ast.Subscript) -> Iterator[Candidate]:
    """Correct the spelling of a key by other strings of the file and of the tests."""
    if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
        words = [
            n.value for n in ast.walk(view.source.tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)
        ]
        words += [word for word in view.facts.vocabulary if isinstance(word, str)]
        for close in difflib.get_close_matches(node.slice.value, dict.fromkeys(words), 4, 0.7):
            yield view.replace(node.slice, view.spell(close), "err_key", 1.0)


def _name(view: View, node: ast.Name) -> Iterator[Candidate]:
    pool = [v.name for v in view.scope(node)] + dir(builtins)
    for close in difflib.get_close_matches(node.id, dict.fromkeys(pool), 5, 0.6):
        yield view.replace(node, close, "err_name", 1.2)
    if any(v.name == "self" for v in view.scope(node)):
        yield view.replace(node, f"self.{node.id}", "err_name", 0.7)
    if node.id in _standard_modules():
        yield import_line(view, f"import {node.id}", "add_import", 1.2, node.lineno)
    for module in STANDARD:
        if module in sys.modules and hasattr(sys.modules[module], node.id):
            yield import_line(view, f"from {module} import {node.id}", "add_import", 0.9, node.lineno)


def _standard_modules() -> frozenset[str]:
    return frozenset(getattr(sys, "stdlib_module_names", ())) or frozenset(sys.modules)


def _attribute(view: View, node: ast.Attribute, crash: Crash) -> Iterator[Candidate]:
    base = view.text(node.value)
    if "'NoneType' object" in crash.message:
        yield from _none(view, node, base)
        return
    pool = list(crash.offered)
    for name in view.types(node.value):
        pool += dir(getattr(builtins, name, object))
    for close in difflib.get_close_matches(node.attr, dict.fromkeys(pool), 6, 0.55):
        yield view.replace(node, f"{base}.{close}", "err_attr", 1.0)
    yield view.replace(node, f'getattr({base}, "{node.attr}", None)', "err_attr", 0.5)


def _none(view: View, node: ast.Attribute, base: str) -> Iterator[Candidate]:
    """Look whether an object is there before it is asked."""
    yield view.replace(node, f'getattr({base}, "{node.attr}", None)', "err_attr", 0.35)
    outer: ast.AST = node
    while isinstance(outer, ast.expr):
        if decides(view, outer):
            for text, prior in (
                (f"{base} is None or {view.clause(outer, 'or')}", 0.8),
                (f"{base} is not None and {view.clause(outer, 'and')}", 0.7),
            ):
                yield view.replace(outer, view.enclose(outer, text), "none_guard", prior)
        outer = view.source.parent(outer)
    if isinstance(outer, (ast.Assign, ast.AugAssign, ast.Expr)) and view.source.alone(outer):
        indent = view.source.indent(outer)
        text = f"{indent}if {base} is not None:\n" + view.source.reindent([outer], indent + "    ")
        yield view.rewrite(view.source.whole(outer), text, "none_guard", 0.4, node.lineno)
    yield view.replace(node, f"({view.text(node)} if {base} is not None else None)", "none_guard", 0.3)


def _type(view: View, node: ast.expr, crash: Crash) -> Iterator[Candidate]:
    if isinstance(node, ast.Call):
        yield from _keywords(view, node, crash.message)
    if any(word in crash.message for word in CASTS) and isinstance(
        node, (ast.Name, ast.Call, ast.Attribute, ast.Subscript)
    ):
        for cast in ("str", "int", "list", "float", "tuple"):
            yield view.replace(node, f"{cast}({view.text(node)})", "err_cast", 0.6)
    types = view.types(node)
    if any(word in crash.message for word in ENCODED) and types & {"str", "bytes"}:
        method = "encode" if "str" in types else "decode"
        yield view.replace(node, f"{view.operand(node)}.{method}()", "err_encode", 0.8)
        yield view.replace(node, f'{view.operand(node)}.{method}("utf-8")', "err_encode", 0.6)


def _keywords(view: View, node: ast.Call, message: str) -> Iterator[Candidate]:
    positional, named = view.arguments(node)
    function = view.text(node.func)
    unexpected, missing = UNEXPECTED.search(message) or INVALID.search(message), MISSING.search(message)
    if unexpected:
        given = unexpected["given"]
        known = [*parameters(view, unexpected["taker"] or function), *parameters(view, function)]
        for argument in [n for n in named if n.startswith(f"{given}=")]:
            rest = [n for n in named if n != argument]
            value = argument.split("=", 1)[1]
            for close in difflib.get_close_matches(given, known, 3, 0.6):
                fixed = [f"{close}={value}" if n == argument else n for n in named]
                yield view.replace(node, f"{function}({', '.join(positional + fixed)})", "err_kw", 1.2)
            yield view.replace(node, f"{function}({', '.join(positional + rest)})", "err_kw", 0.7)
    if missing:
        name = missing[1]
        for value, prior in ((name, 0.9), ("None", 0.5)):
            yield view.replace(
                node, f"{function}({', '.join([*positional, *named, f'{name}={value}'])})", "err_kw", prior
            )
        yield view.replace(node, f"{function}({', '.join([*positional, 'self', *named])})", "err_kw", 0.4)


def _statement(view: View, node: ast.stmt, crash: Crash) -> Iterator[Candidate]:
    if isinstance(node, ast.Try):
        for handler in node.handlers:
            if handler.type is not None and crash.name.isidentifier():
                text = view.text(handler.type)
                inner = text[1:-1].rstrip(", ") if isinstance(handler.type, ast.Tuple) else text
                yield view.replace(handler.type, f"({inner}, {crash.name})", "except_add", 0.8)
                yield view.replace(handler.type, crash.name, "except_other", 0.4)
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        yield from _imports(view, node, crash)
    plain = isinstance(node, (ast.Assign, ast.Expr, ast.Return, ast.AugAssign))
    function = view.source.function(node)
    if plain and crash.name in SWALLOWED and view.source.alone(node) and function is not None:
        indent = view.source.indent(node)
        inner = view.source.reindent([node], indent + "    ")
        for answer in ("return None", "return False", "return []", 'return ""', "return 0", "pass"):
            if not fits(view, function, answer.rpartition(" ")[2]):
                continue
            text = f"{indent}try:\n{inner}{indent}except {crash.name}:\n{indent}    {answer}\n"
            yield view.rewrite(view.source.whole(node), text, "err_try", 0.09, node.lineno)


def _imports(view: View, node: ast.Import | ast.ImportFrom, crash: Crash) -> Iterator[Candidate]:
    """Correct what an import statement names."""
    start, end = view.source.span(node)
    text = view.text(node)
    name, module = UNIMPORTABLE.search(crash.message), NO_MODULE.search(crash.message)
    if name:
        for close in difflib.get_close_matches(name[1], crash.offered, 4, 0.6):
            keep = re.sub(rf"\b{name[1]}\b(?! as)", f"{close} as {name[1]}", text, count=1)
            yield view.rewrite(
                (start, end), re.sub(rf"\b{name[1]}\b", close, text, count=1), "err_import", 1.2, node.lineno
            )
            yield view.rewrite((start, end), keep, "err_import", 1.1, node.lineno)
    if module:
        for close in difflib.get_close_matches(module[1], sorted(_standard_modules() | set(sys.modules)), 4, 0.75):
            yield view.rewrite((start, end), text.replace(module[1], close, 1), "err_import", 1.2, node.lineno)
            yield view.rewrite((start, end), f"import {close} as {module[1]}", "err_import", 1.1, node.lineno)
