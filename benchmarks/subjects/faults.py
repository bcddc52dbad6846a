"""Faults as people bring them into a pull request: typing errors and half finished changes, in real packages."""

import ast
import random
import re
import tokenize
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, pairwise
from pathlib import Path
from typing import TypeAlias

from subjects.hosts import Host
from subjects.item import Item, fill, read_items, run_suite, tree_of, write_files, write_item
from subjects.mutants import SLOWER, make_item, read_code
from subjects.source import Edit, Source, Token

SITES = 8
"""How many places of one package are tried for a kind of fault."""
PRINT = re.compile(r"print (.+)")
SHORTEST = 4
"""Letters of a word that somebody misspells."""
Finder: TypeAlias = Callable[[Source], Iterator[Edit]]


def misspell(word: str, rng: random.Random) -> str:
    """Drop, double or exchange a letter that is not the first."""
    place = rng.randrange(1, len(word) - 1)
    kind = rng.choice(("drop", "double", "exchange"))
    if kind == "exchange" and word[place] != word[place + 1]:
        return word[:place] + word[place + 1] + word[place] + word[place + 2 :]
    return word[:place] + word[place + 1 :] if kind == "drop" else word[:place] + word[place] + word[place:]


def names(source: Source) -> Iterator[Edit]:
    """Find the names that are used, to be misspelled."""
    for _, node in source.inside:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and len(node.id) >= SHORTEST:
            yield Edit("name", *source.span(node), node.id)


def attributes(source: Source) -> Iterator[Edit]:
    """Find the attributes that are used, to be misspelled."""
    for _, node in source.inside:
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and len(node.attr) >= SHORTEST:
            end = source.span(node)[1]
            yield Edit("attribute", end - len(node.attr), end, node.attr)


def imports(source: Source) -> Iterator[Edit]:
    """Leave out an import."""
    for node in source.tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom) and getattr(node, "module", "") != "__future__":
            first, last = source.starts[node.lineno - 1], source.starts[node.end_lineno or node.lineno]
            yield Edit("import", first, last, "")


def imported_names(source: Source) -> Iterator[Edit]:
    """Find the names that are imported, to be misspelled."""
    for node in source.tree.body:
        if isinstance(node, ast.ImportFrom) and node.module != "__future__":
            for alias in node.names:
                if len(alias.name) >= SHORTEST:
                    start = source.span(alias)[0]
                    yield Edit("imported name", start, start + len(alias.name), alias.name)


def keywords(source: Source) -> Iterator[Edit]:
    """Find the arguments that are given by name, to be misspelled."""
    for _, node in source.inside:
        for given in node.keywords if isinstance(node, ast.Call) else ():
            if given.arg and len(given.arg) >= SHORTEST:
                start = source.span(given)[0]
                yield Edit("keyword", start, start + len(given.arg), given.arg)


def selves(source: Source) -> Iterator[Edit]:
    """Forget `self.` before an attribute."""
    for _, node in source.inside:
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and source.of(node.value) == "self":
            yield Edit("self", *source.span(node), node.attr)


def parameters(source: Source) -> Iterator[Edit]:
    """Leave out a parameter of a function that still uses it."""
    for function in source.functions:
        given = function.args.args
        for before, arg in pairwise(given):
            used = any(isinstance(x, ast.Name) and x.id == arg.arg for x in ast.walk(function))
            plain = not function.args.defaults and not arg.annotation and not before.annotation
            if used and plain:
                yield Edit("parameter", source.span(before)[1], source.span(arg)[1], "")


def equals(source: Source) -> Iterator[Edit]:
    """Write one equals sign for two."""
    for token in source.tokens:
        if token.string == "==":
            yield _edit(source, "equals", token, "=")


def colons(source: Source) -> Iterator[Edit]:
    """Forget the colon at the end of a line."""
    for token, after in pairwise(source.tokens):
        if token.string == ":" and after.type == tokenize.NEWLINE:
            yield _edit(source, "colon", token, "")


def brackets(source: Source) -> Iterator[Edit]:
    """Forget to close a bracket."""
    for token in source.tokens:
        if token.type == tokenize.OP and token.string in (")", "]", "}"):
            yield _edit(source, "bracket", token, "")


def quotes(source: Source) -> Iterator[Edit]:
    """Forget to close a string of one line."""
    for token in source.tokens:
        if (
            token.type == tokenize.STRING
            and token.start[0] == token.end[0]
            and not token.string.endswith(('"""', "'''"))
        ):
            end = source.place(*token.end)
            yield Edit("quote", end - 1, end, "")


def commas(source: Source) -> Iterator[Edit]:
    """Forget a comma."""
    for token in source.tokens:
        if token.type == tokenize.OP and token.string == ",":
            yield _edit(source, "comma", token, "")


def indents(source: Source) -> Iterator[Edit]:
    """Begin a line one or four columns too far to the left or to the right."""
    for node in [node for _, node in source.inside if isinstance(node, ast.stmt)]:
        start = source.starts[node.lineno - 1]
        width = source.at(node.lineno, node.col_offset) - start
        for columns in (1, 4):
            yield Edit("indent", start, start, " " * columns)
            if not source.text[start : start + width].strip(" "):
                yield Edit("indent", start, start + min(columns, width), "")


def prints(source: Source) -> Iterator[Edit]:
    """Leave a line for the search of a fault, written for Python 2."""
    for function in source.functions:
        first = function.body[-1]
        start = source.starts[first.lineno - 1]
        indent = source.text[start : source.at(first.lineno, first.col_offset)]
        if not indent.strip():
            yield Edit("print", start, start, f'{indent}print "{function.name}"\n')


def _edit(source: Source, kind: str, token: Token, text: str) -> Edit:
    return Edit(kind, source.place(*token.start), source.place(*token.end), text)


RUNS: Mapping[str, Finder] = {
    "name": names,
    "attribute": attributes,
    "import": imports,
    "imported name": imported_names,
    "keyword": keywords,
    "self": selves,
    "parameter": parameters,
}
"""Faults that show when the code runs."""
BREAKS: Mapping[str, Finder] = {
    "colon": colons,
    "bracket": brackets,
    "quote": quotes,
    "comma": commas,
    "indent": indents,
    "equals": equals,
    "print": prints,
}
"""Faults that no file with them can be parsed for."""
FAULTS: Mapping[str, Finder] = {**RUNS, **BREAKS}
MISSPELLED = ("name", "attribute", "imported name", "keyword")


def propose(files: Mapping[str, str], kind: str, seed: str) -> Iterator[tuple[str, Edit]]:
    """Yield faults of one kind in an order that depends on the files and the seed alone."""
    rng = random.Random(seed)
    sites = [(path, edit) for path, text in sorted(files.items()) for edit in FAULTS[kind](Source(text))]
    rng.shuffle(sites)
    for path, found in sites:
        edit = replace(found, text=misspell(found.text, rng)) if kind in MISSPELLED else found
        tree = tree_of(edit.apply(files[path]))
        if not tree if kind in BREAKS else tree not in ("", tree_of(files[path])):
            yield path, edit


def prepare(hosts: Sequence[Host], folder: Path, seed: int, count: int) -> None:
    """Make what the folder lacks of faults: of each kind one in so many packages."""
    for kind in FAULTS:
        stem = kind.replace(" ", "-")
        known = [item for item in read_items(folder) if item.kind == kind]
        used = {item.tree for item in known}
        made = len(known)
        for host in random.Random(f"{kind} {seed}").sample(hosts, len(hosts)):
            if made >= count:
                break
            if host.pristine not in used and (item := make_fault(host, kind, f"{stem}-{made + 1}", seed)):
                made += 1
                write_item(folder, item)
        print(f"{kind}: {made} faults", flush=True)


def make_fault(host: Host, kind: str, name: str, seed: int) -> Item | None:
    """Make the first fault of a kind that the suite of a package notices."""
    package = host.package
    files = read_code(host.pristine, package.code)
    proposed = propose(files, kind, f"{kind} {package.name} {package.version} {seed}")
    for path, edit in islice(proposed, SITES):
        text = files[path]
        item = make_item(host, path, edit, text, ("faults", name))
        if kind == "print":
            newer = replace(edit, text=PRINT.sub(r"print(\1)", edit.text)).apply(text)
            item = item.model_copy(update={"right": {path: (text, newer)}})
        if noticed(host, item.broken):
            return item
    return None


def noticed(host: Host, broken: Mapping[str, str]) -> bool:
    """Tell whether a test that counts does not pass any more, or does not run."""
    fill(host.checkout, host.pristine)
    write_files(host.checkout, broken)
    suite = run_suite(host.python, host.checkout, host.package.tests, 20 + SLOWER * host.seconds)
    return not set(host.passing) <= suite.passed
