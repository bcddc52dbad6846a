"""Definitions in files of many languages, by tree-sitter; a program of its own, for no parser is to be trusted.

The grammars are C: a file that is made for it lets them overflow the stack, or keeps them busy for minutes. So this
runs inside the sandbox, and reads each file in a process whose processor time and memory are bounded.
"""

import importlib
import json
import os
import re
import resource
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, QueryCursor

    Grammar: TypeAlias = tuple[Parser, QueryCursor]

LARGEST = 2_000_000
"""Bytes of a file that is parsed."""
SECONDS = 1
"""Processor time for one file."""
TOTAL = 10.0
"""Seconds for all files of one call."""
MEMORY = 1 << 30
MOST = 5000
WIDTH = 200
REPORT = "GIT_AGENT_REPORT_FD"


_HOLDERS = re.compile(
    r"class|struct|interface|trait|enum|namespace|module|mod_|impl|object|protocol|record|union|type_def"
)
_SEVERAL = ("const_spec", "var_spec", "declaration", "field_declaration")
_FIELDS = ("name", "property", "left", "pattern", "declarator")
_NAME = re.compile(r"[\w$~.:\\ ]+|operator\b.*")


def main() -> None:
    """Tell what files define; the arguments are a JSON object of the name, the files and the grammars to go by."""
    asked = json.loads("".join(sys.argv[1:]))
    sys.path.append(asked["place"])
    pipe, end = int(os.environ[REPORT]), time.monotonic() + TOTAL
    known = {name: _load(*grammar) for name, grammar in asked["grammars"].items()}
    for index, (path, language) in enumerate(asked["files"]):
        if time.monotonic() > end:
            return
        found = known[language]
        child = os.fork() if found else -1
        if found and child == 0:
            _answer(pipe, index, path, found, asked["wanted"])
        if child < 0 or os.waitpid(child, 0)[1]:
            _say(pipe, [index, None])


def _load(package: str, function: str, query: str) -> "Grammar | None":
    """Load a grammar and compile what to look for in it; None when it is not installed, or not as it was."""
    try:
        import tree_sitter  # noqa: PLC0415 - this program is run alone, but its bounds are imported elsewhere

        pointer: object = getattr(importlib.import_module(package), function)()
        language = tree_sitter.Language(pointer)
        return tree_sitter.Parser(language), tree_sitter.QueryCursor(tree_sitter.Query(language, query))
    except (ImportError, AttributeError, ValueError):
        return None


def _answer(pipe: int, index: int, path: str, grammar: "Grammar", wanted: str) -> NoReturn:
    """Tell what a file defines, and end this process: it was forked for that."""
    for limit, most in ((resource.RLIMIT_CPU, SECONDS), (resource.RLIMIT_AS, MEMORY), (resource.RLIMIT_CORE, 0)):
        with suppress(ValueError, OSError):
            resource.setrlimit(limit, (most, resource.getrlimit(limit)[1]))
    try:
        found = [row for row in _read(path, *grammar) if not wanted or row[0].rpartition(".")[2] == wanted]
        _say(pipe, [index, found[:MOST]])
        os._exit(0)
    finally:
        os._exit(70)  # a child must end here, whatever went wrong


def _say(pipe: int, answer: list[Any]) -> None:
    view = memoryview(f"\n{json.dumps(answer)}\n".encode())
    while view:
        view = view[os.write(pipe, view) :]


def _read(path: str, parser: "Parser", cursor: "QueryCursor") -> Iterator[list[Any]]:
    source = Path(path).read_bytes()
    if len(source) > LARGEST:
        raise ValueError(path)
    found = cursor.captures(parser.parse(source).root_node)
    return _symbols(source, found.get("d", []), found.get("v", []))


def _symbols(source: bytes, definitions: Sequence["Node"], values: Sequence["Node"]) -> Iterator[list[Any]]:
    """Yield name, first and last line, head and depth of each definition, in their order."""
    known = {node.id for node in definitions}
    nodes = [*definitions, *(node for node in values if node.id not in known)]
    open_: list[tuple[int, str, bool]] = []
    for node in sorted(nodes, key=lambda node: (node.start_byte, -node.end_byte)):
        while open_ and open_[-1][0] < node.end_byte:
            open_.pop()
        inside = open_[-1] if open_ else (0, "", True)
        if node.id not in known and not inside[2]:
            continue
        prefix, depth = inside[1], len(open_)
        names = [name for label in _labels(node) if _NAME.fullmatch(name := _plain(label))]
        for name in names:
            first, last = node.start_point.row + 1, node.end_point.row + (node.end_point.column > 0)
            yield [(prefix + name)[-WIDTH:], first, max(first, last), _head(source, node), depth]
        if names:
            open_.append((node.end_byte, f"{prefix}{names[0]}.", bool(_HOLDERS.search(node.type))))


def _labels(node: "Node") -> list[str]:
    """Return the names that a definition gives, as they are written."""
    if node.type == "impl_item":
        return [_text(node.child_by_field_name("type"))]
    if node.type in _SEVERAL:
        several = node.children_by_field_name("declarator") or node.children_by_field_name("name")
        return [_text(_innermost(child)) for child in several]
    if node.type == "method_declaration" and (receiver := node.child_by_field_name("receiver")):
        owner = re.search(r"(\w+)\s*(?:\[[^\[\]]*\])?\s*\)", _text(receiver))
        return [f"{owner[1] if owner else ''}.{_text(node.child_by_field_name('name'))}".lstrip(".")]
    for field in _FIELDS:
        child = node.child_by_field_name(field)
        if child is not None:
            return [_text(_innermost(child))]
    if node.type in ("init_declaration", "companion_object"):
        return [node.type.partition("_")[0]]
    first = node.named_child(0) if node.named_child_count else None  # Kotlin and Lua give no fields here
    while first is not None and first.type not in ("variable_declaration", "variable_list", "const_element"):
        first = first.next_named_sibling
    first = first or (node.named_child(0) if node.named_child_count else None)
    return [_text(first).partition(":")[0].strip()] if first is not None else []


def _innermost(node: "Node") -> "Node":
    """Return what is declared behind pointers, parameters and parentheses."""
    while node.type.endswith("_declarator") and node.named_child_count:
        node = node.child_by_field_name("declarator") or node.child_by_field_name("name") or node.named_child(0)
    return node


def _text(node: "Node | None") -> str:
    return (node.text or b"").decode("utf-8", "replace") if node is not None else ""


def _plain(label: str) -> str:
    """Write a name with dots between its parts and without type parameters, quotes and signs."""
    operator = re.match(r"operator\s*(?:\(\)|[^(]+)", label)
    bare = operator[0] if operator else re.split(r"[<\[(]", label)[0]
    return re.sub(r"::|[:\\]", ".", bare.strip().strip("'\"").lstrip("$#@")).strip()[:WIDTH]


def _head(source: bytes, node: "Node") -> str:
    """Return a definition up to its body, on one line."""
    value = node.child_by_field_name("value") or node.child_by_field_name("right")
    body = node.child_by_field_name("body") or (value.child_by_field_name("body") if value else None)
    last = node.named_child(node.named_child_count - 1) if node.named_child_count and body is None else None
    body = last if last is not None and last.type.endswith(("_body", "block")) else body
    end = body.start_byte if body else node.end_byte
    head = source[node.start_byte : min(end, node.start_byte + 2000)].decode("utf-8", "replace")
    if body is None:
        head = head.partition("\n")[0]
    return re.sub(r"(?:\s=>|[\s{:;=])+$", "", " ".join(head.split())[:WIDTH])


if __name__ == "__main__":
    main()
