"""Reads YAML that anybody may have written: in plain values, bounded, and told apart from what cannot be read."""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard

if TYPE_CHECKING:
    from yaml import CSafeLoader, Node, SafeLoader, ScalarNode

Loader: TypeAlias = "CSafeLoader | SafeLoader"

LARGEST = 300_000
"""Characters of a document; more is not configuration."""
DEEPEST = 100
"""Levels of values inside of values."""
MOST = 100_000
"""Values of a document when every alias is written out; a few lines can stand for billions."""

# A value with a tag that does not fit it leads PyYAML to whatever it tries with it
_MISLED = (ValueError, TypeError, AttributeError, LookupError, OverflowError, RecursionError)


class Unreadable(ValueError):
    """A document that is broken, or larger than configuration is."""


def read_yaml(text: str) -> object:
    """Return what a document holds, None for an empty one; a key that is told twice is an error. Raises Unreadable."""
    loader = _open(text)
    try:
        node = _bounded(loader)
        _refuse_twice(node, set())
        return loader.construct_document(node) if node is not None else None
    except _broken() as error:
        raise Unreadable(str(error)) from error
    finally:
        loader.dispose()


def read_nodes(text: str) -> "Node | None":
    """Return a document as it stands, with the place of each value. Raises Unreadable."""
    loader = _open(text)
    try:
        return _bounded(loader)
    except _broken() as error:
        raise Unreadable(str(error)) from error
    finally:
        loader.dispose()


def entries(node: "Node") -> "list[tuple[ScalarNode, Node]]":
    """Return the keys of a mapping that are plain words, with their values."""
    pairs = node.value if _kind(node) == "mapping" else ()
    return [(key, value) for key, value in pairs if _is_scalar(key)]


def words(node: "Node") -> str:
    """Return the text of a scalar; empty for anything else."""
    return str(node.value) if _is_scalar(node) else ""


def items(node: "Node") -> "list[Node]":
    """Return the items of a list; empty for anything else."""
    return list(node.value) if _kind(node) == "sequence" else []


def _kind(node: Any) -> str:
    """Return what PyYAML calls a kind of node, whose classes are not there before the first document."""
    return str(node.id)


def _is_scalar(node: "Node") -> "TypeGuard[ScalarNode]":
    return _kind(node) == "scalar"


def _open(text: str) -> Loader:
    if len(text) > LARGEST:
        raise Unreadable(f"it has more than {LARGEST} characters")
    yaml = _load()
    kind = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        loader: Loader = kind(text)
    except _broken() as error:
        raise Unreadable(str(error)) from error
    return loader


def _load() -> ModuleType:
    """Return PyYAML, which most projects have nothing for: to load it takes as long as all else that looks at one."""
    return import_module("yaml")


def _broken() -> tuple[type[Exception], ...]:
    return (_load().YAMLError, *_MISLED)


def _bounded(loader: Loader) -> "Node | None":
    """Compose the only document of a text. Raises YAMLError, Unreadable."""
    node = loader.get_single_node()
    if node is not None and _size(node, {}) > MOST:
        raise Unreadable(f"it stands for more than {MOST} values, or goes deeper than {DEEPEST}")
    return node


def _size(node: "Node", known: dict[int, int], depth: int = 0) -> int:
    """Count the values that a node stands for; one that holds itself stands for more than any number."""
    if depth > DEEPEST:
        return MOST + 1
    if id(node) not in known:
        known[id(node)] = MOST + 1
        known[id(node)] = 1 + sum(_size(part, known, depth + 1) for part in _parts(node))
    return known[id(node)]


def _parts(node: "Node") -> "list[Node]":
    if _kind(node) == "mapping":
        return [part for pair in node.value for part in pair]
    return items(node)


def _refuse_twice(node: "Node | None", seen: set[int]) -> None:
    """Refuse a key that is told twice: which one holds depends on who reads it. Raises Unreadable."""
    if node is None or id(node) in seen:
        return
    seen.add(id(node))
    keys = [key.value for key, _ in entries(node) if key.value != "<<"]
    if len(keys) > len(set(keys)):
        raise Unreadable("a key is told twice")
    for part in _parts(node):
        _refuse_twice(part, seen)
