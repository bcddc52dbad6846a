"""Brings the imports of a file in line with what it uses after a change."""

import ast
from collections.abc import Collection, Sequence

from bot.models.offline.edits import Ruler, splice
from bot.models.offline.imports import Import, add
from bot.models.offline.source import parse
from bot.models.offline.statements import Statement, drop


def settle(text: str, needed: Sequence[Import], touched: Collection[str]) -> str:
    """Import what is needed now, and drop imported names, of those that were touched, that nothing uses."""
    wanted = list(dict.fromkeys(needed))
    for name in sorted(touched):
        text = _release(text, name, wanted)
    for one in wanted:
        text = _deepen(text, one) or add(text, one) or text
    return text


def _deepen(text: str, wanted: Import) -> str:
    """Import a module in the place of the package around it, where nothing else of that is used."""
    tree = parse(text)
    package = wanted.module.rpartition(".")[0]
    if tree is None or wanted.name or not package:
        return ""
    plain = [node for node in tree.body if isinstance(node, ast.Import) and [i.name for i in node.names] == [package]]
    chains = [ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    deep = sum(chain == wanted.module for chain in chains)
    root = package.partition(".")[0]
    names = sum(isinstance(node, ast.Name) and node.id == root for node in ast.walk(tree))
    if len(plain) != 1 or plain[0].names[0].asname or deep != names:
        return ""
    return splice(text, [Ruler(text).put(plain[0], str(wanted))])


def _release(text: str, name: str, wanted: list[Import]) -> str:
    """Drop the import of a name that nothing uses; a needed one may take its line, and is then no longer wanted."""
    tree = parse(text)
    if tree is None or _used(tree, name):
        return text
    ruler = Ruler(text)
    for node in ast.walk(tree):
        if not isinstance(node, Statement) or (isinstance(node, ast.ImportFrom) and node.level):
            continue
        mine = [item for item in node.names if (item.asname or _bound(node, item)) == name]
        if not mine:
            continue
        take = next((one for one in wanted if not one.name and not one.alias), None)
        if isinstance(node, ast.Import) and len(node.names) == 1 and take is not None and _lacks(tree, take):
            wanted.remove(take)
            return splice(text, [ruler.put(node, str(take))])
        return splice(text, drop(ruler, tree, node, mine))
    return text


def _bound(node: Statement, item: ast.alias) -> str:
    return item.name.partition(".")[0] if isinstance(node, ast.Import) else item.name


def _used(tree: ast.Module, name: str) -> bool:
    """Whether anything may use a name: code, or a list of what the module offers, or an annotation in quotes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == name:
            return True
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.partition(".")[0] == name:
            return True
    return False


def _lacks(tree: ast.Module, wanted: Import) -> bool:
    imported = [item.name for node in ast.walk(tree) if isinstance(node, ast.Import) for item in node.names]
    return wanted.module not in imported
