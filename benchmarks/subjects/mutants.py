"""Seeded single mutants of real packages: one small wrong edit each, that the package's own suite notices."""

import ast
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path

from subjects.hosts import Host
from subjects.item import Item, fill, read_file, run_suite, tree_of, write_files, write_item
from subjects.source import Edit, Source

COMPARISONS: Mapping[type[ast.cmpop], tuple[str, ...]] = {
    ast.Lt: ("<=", ">"),
    ast.LtE: ("<", ">="),
    ast.Gt: (">=", "<"),
    ast.GtE: (">", "<="),
    ast.Eq: ("!=",),
    ast.NotEq: ("==",),
    ast.Is: ("is not",),
    ast.IsNot: ("is",),
    ast.In: ("not in",),
    ast.NotIn: ("in",),
}
OPERATORS: Mapping[type[ast.operator], tuple[str, ...]] = {
    ast.Add: ("-",),
    ast.Sub: ("+",),
    ast.Mult: ("+", "//"),
    ast.Div: ("*", "//"),
    ast.FloorDiv: ("*", "/"),
    ast.Mod: ("//", "*"),
    ast.Pow: ("*",),
    ast.BitAnd: ("|",),
    ast.BitOr: ("&",),
    ast.LShift: (">>",),
    ast.RShift: ("<<",),
}
ORDERED = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.LShift, ast.RShift)
SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr)
TRIES = 14
"""How many mutants of one package are tried before it is given up."""
SLOWER = 10
"""How much longer a suite may take with a mutant."""


def comparisons(source: Source) -> Iterator[Edit]:
    """Exchange a comparison."""
    for _, node in source.inside:
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            for text in COMPARISONS[type(node.ops[0])]:
                yield _between(source, "comparison", (node.left, node.comparators[0]), text)


def operators(source: Source) -> Iterator[Edit]:
    """Exchange an operator."""
    for _, node in source.inside:
        if isinstance(node, ast.BinOp):
            for text in OPERATORS.get(type(node.op), ()):
                yield _between(source, "operator", (node.left, node.right), text)
        elif isinstance(node, ast.BoolOp):
            for pair in pairwise(node.values):
                yield _between(source, "operator", pair, "or" if isinstance(node.op, ast.And) else "and")


def _between(source: Source, kind: str, pair: tuple[ast.expr, ast.expr], text: str) -> Edit:
    """Write another sign between two expressions, inside of the brackets that may stand there."""
    start, end = source.span(pair[0])[1], source.span(pair[1])[0]
    old = source.text[start:end]
    left, right = len(old) - len(old.lstrip(" )")), len(old.rstrip(" ("))
    return Edit(kind, start + left, start + right, text)


def operands(source: Source) -> Iterator[Edit]:
    """Use another variable of the same function, or exchange both sides of an operator."""
    for function, node in source.inside:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            known = {x.arg for x in ast.walk(function.args) if isinstance(x, ast.arg)}
            known |= {x.id for x in ast.walk(function) if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store)}
            if node.id in known:
                for other in sorted(known - {node.id, "self", "cls"}):
                    yield Edit("operand", *source.span(node), other)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ORDERED):
            yield _swap(source, "operand", node.left, node.right)


def _swap(source: Source, kind: str, one: ast.expr | ast.stmt, other: ast.expr | ast.stmt) -> Edit:
    start, end = source.span(one)[0], source.span(other)[1]
    middle = source.text[source.span(one)[1] : source.span(other)[0]]
    return Edit(kind, start, end, source.of(other) + middle + source.of(one))


def constants(source: Source) -> Iterator[Edit]:
    """Count one too many or too few, or turn a truth round."""
    for _, node in source.inside:
        if not isinstance(node, ast.Constant):
            continue
        if isinstance(node.value, bool):
            yield Edit("constant", *source.span(node), str(not node.value))
        elif isinstance(node.value, int) and source.of(node).isdigit():
            for number in (node.value + 1, node.value - 1):
                if number >= 0:
                    yield Edit("constant", *source.span(node), str(number))


def branches(source: Source) -> Iterator[Edit]:
    """Take the other branch."""
    for _, node in source.inside:
        if isinstance(node, ast.If | ast.IfExp) and not isinstance(node.test, ast.UnaryOp):
            yield Edit("branch", *source.span(node.test), f"not ({source.of(node.test)})")


def negations(source: Source) -> Iterator[Edit]:
    """Drop a negation."""
    for _, node in source.inside:
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            yield Edit("negation", *source.span(node), source.of(node.operand))


def arguments(source: Source) -> Iterator[Edit]:
    """Exchange two neighbouring arguments of a call."""
    for _, node in source.inside:
        if isinstance(node, ast.Call):
            for one, other in pairwise(node.args):
                if not isinstance(one, ast.Starred) and not isinstance(other, ast.Starred):
                    yield _swap(source, "argument order", one, other)


def shuffles(source: Source) -> Iterator[Edit]:
    """Exchange two neighbouring statements."""
    for node in dict.fromkeys((*source.functions, *(node for _, node in source.inside))):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            for one, other in pairwise(block if isinstance(block, list) else []):
                if isinstance(one, SIMPLE) and isinstance(other, (*SIMPLE, ast.Return)):
                    yield _swap(source, "line order", one, other)


KINDS: tuple[Callable[[Source], Iterator[Edit]], ...] = (
    comparisons,
    operators,
    operands,
    constants,
    branches,
    negations,
    arguments,
    shuffles,
)


def propose(files: Mapping[str, str], seed: str) -> Iterator[tuple[str, Edit]]:
    """Yield mutants in an order that depends on the files and the seed alone; each kind has the same chance."""
    by_kind: dict[str, list[tuple[str, Edit]]] = defaultdict(list)
    for path, text in sorted(files.items()):
        source = Source(text)
        for find in KINDS:
            for edit in dict.fromkeys(find(source)):
                by_kind[edit.kind].append((path, edit))
    rng = random.Random(seed)
    while by_kind:
        kind = rng.choice(sorted(by_kind))
        sites = by_kind[kind]
        path, edit = sites.pop(rng.randrange(len(sites)))
        if not sites:
            del by_kind[kind]
        if tree_of(edit.apply(files[path])) not in ("", tree_of(files[path])):
            yield path, edit


def read_code(root: Path, code: str) -> dict[str, str]:
    """Read the modules of a package, without its tests."""
    top = root / code
    found = {}
    for path in sorted(top.rglob("*.py")) if top.is_dir() else [top]:
        parts = path.relative_to(root).parts
        if not any(part in ("test", "tests", "conftest.py") or part.startswith("test_") for part in parts):
            try:
                text = read_file(path)
            except UnicodeDecodeError:
                continue
            if tree_of(text):
                found["/".join(parts)] = text
    return found


def prepare(hosts: Iterable[Host], folder: Path, seed: int, count: int) -> None:
    """Make what the folder lacks of mutants, so many of each package."""
    for host in hosts:
        package = host.package
        if (folder / f"{package.name}-1.json").exists():
            continue
        files = read_code(host.pristine, package.code)
        made = 0
        for tried, (path, edit) in enumerate(propose(files, f"{package.name} {package.version} {seed}")):
            if made == count or tried == TRIES:
                break
            item = make_item(host, path, edit, files[path], ("mutants", f"{package.name}-{made + 1}"))
            if noticed(host, item):
                made += 1
                write_item(folder, item)
        print(f"{package.name}: {made} mutants", flush=True)


def make_item(host: Host, path: str, edit: Edit, text: str, names: tuple[str, str]) -> Item:
    """Put an edit into a package."""
    return Item(
        set=names[0],
        name=names[1],
        kind=edit.kind,
        tree=host.pristine,
        broken={path: edit.apply(text)},
        right={path: (text,)},
        python=host.python,
        place=host.checkout,
        suite=host.package.tests,
        passing=host.passing,
    )


def noticed(host: Host, item: Item) -> bool:
    """Tell whether the suite still collects all tests, and at least one of them fails."""
    fill(host.checkout, host.pristine)
    write_files(host.checkout, item.broken)
    suite = run_suite(host.python, host.checkout, host.package.tests, 20 + SLOWER * host.seconds)
    known = set(item.passing)
    return known <= suite.outcomes.keys() and any(suite.outcomes[name] == "failed" for name in known)
