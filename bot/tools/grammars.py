"""Definitions in files of many languages, by tree-sitter; a program of its own, for no parser is to be trusted.

The grammars are C: a file that is made for it lets them overflow the stack, or keeps them busy for minutes. So this
runs inside the sandbox, and reads files in a process whose memory is bounded, and its processor time for each.
"""

import importlib
import json
import math
import mmap
import os
import re
import resource
import struct
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeAlias

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

_COUNTER = struct.Struct("=q")

_HOLDERS = re.compile(
    r"class|struct|interface|trait|enum|namespace|module|mod_|impl|object|protocol|record|union|type_def"
)
_SEVERAL = ("const_spec", "var_spec", "declaration", "field_declaration")
_FIELDS = ("name", "property", "left", "pattern", "declarator")
_NAME = re.compile(r"[\w$~.:\\ ]+|operator\b.*")


class _Progress(NamedTuple):
    """How far a process has come, for the one that it came from."""

    done: mmap.mmap
    """Memory of both: how many files are behind it."""
    end: float

    @property
    def over(self) -> bool:
        """Whether there is no time for another file."""
        return time.monotonic() > self.end

    def tell(self, number: int) -> None:
        """Say which file comes next, counted from the first that this process was given."""
        _COUNTER.pack_into(self.done, 0, number)


def main() -> None:
    """Tell what files define; the arguments are a JSON object of the name, the files and the grammars to go by."""
    asked = json.loads("".join(sys.argv[1:]))
    sys.path.append(asked["place"])
    pipe, end = int(os.environ[REPORT]), time.monotonic() + TOTAL
    known = {name: _load(*grammar) for name, grammar in asked["grammars"].items()}
    files = [(index, path, known[language]) for index, (path, language) in enumerate(asked["files"])]
    # To fork costs more than most files do: one process reads them until it falls, and the next goes on behind that
    at, done = 0, mmap.mmap(-1, _COUNTER.size)
    while at < len(files) and time.monotonic() < end:
        _COUNTER.pack_into(done, 0, 0)
        child = os.fork()
        if child == 0:
            _answer(pipe, files[at:], asked["wanted"], _Progress(done, end))
        fallen = os.waitpid(child, 0)[1]
        at += _COUNTER.unpack_from(done)[0]
        if not fallen:
            return
        if at < len(files):
            _say(pipe, [files[at][0], None])
        at += 1


def _load(package: str, function: str, query: str) -> "Grammar | None":
    """Load a grammar and compile what to look for in it; None when it is not installed, or not as it was."""
    try:
        import tree_sitter  # noqa: PLC0415 - this program is run alone, but its bounds are imported elsewhere

        pointer: object = getattr(importlib.import_module(package), function)()
        language = tree_sitter.Language(pointer)
        return tree_sitter.Parser(language), tree_sitter.QueryCursor(tree_sitter.Query(language, query))
    except (ImportError, AttributeError, ValueError):
        return None


def _answer(
    pipe: int, files: "Sequence[tuple[int, str, Grammar | None]]", wanted: str, progress: _Progress
) -> NoReturn:
    """Tell what files define, and end this process: it was forked for that."""
    for limit, most in ((resource.RLIMIT_AS, MEMORY), (resource.RLIMIT_CORE, 0)):
        _limit(limit, most)
    try:
        for number, (index, path, grammar) in enumerate(files):
            progress.tell(number)
            if progress.over:
                break
            _limit(resource.RLIMIT_CPU, math.ceil(time.process_time()) + SECONDS)
            found = list(_read(path, *grammar)) if grammar else None
            if found is not None and wanted:
                found = [row for row in found if row[0].rpartition(".")[2] == wanted]
            _say(pipe, [index, found if found is None else found[:MOST]])
        os._exit(0)
    finally:
        os._exit(70)  # a child must end here, whatever went wrong


def _limit(limit: int, most: int) -> None:
    with suppress(ValueError, OSError):
        resource.setrlimit(limit, (most, resource.getrlimit(limit)[1]))


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
