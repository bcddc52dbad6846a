"""All files of one version, and what a piece comes to with everything that it uses."""

import ast
import hashlib
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from bot.verify.guard.marks import keyword, read_marks, requested
from bot.verify.guard.modules import Module, Piece, header_of, shape_of, uses_self
from bot.verify.guard.normal import FUNCTIONS, Writer, parameters


class Version:
    """Files before, or after; into those that are lent only names are followed."""

    def __init__(self, modules: Mapping[str, Module], lent: Mapping[str, Module] | None = None) -> None:
        self.modules = modules
        self._all = {**(lent or {}), **modules}
        self._known: dict[tuple[str, str], str] = {}
        self._open: set[tuple[str, str]] = set()

    def pieces(self) -> Iterator[Piece]:
        """List what has a name."""
        for module in self.modules.values():
            yield from module.pieces.values()

    def deep(self, piece: Piece) -> str:
        """Digest a piece together with what it uses, wherever in the known files that stands."""
        key = (piece.path, piece.name)
        if key in self._open:
            return f"#{piece.name}"
        if key not in self._known:
            self._open.add(key)
            try:
                self._known[key] = hashlib.sha256(self._text(piece).encode("utf-8", "backslashreplace")).hexdigest()
            finally:
                self._open.discard(key)
        return self._known[key]

    def fixture(self, name: str, path: str) -> Piece | None:
        """Find the fixture that a file gets under a name: its own, or that of the nearest conftest.py."""
        folders = PurePosixPath(path).parents
        for place in (path, *(str(folder / "conftest.py") for folder in folders)):
            module = self.modules.get(place)
            found = module.pieces.get(name) if module is not None else None
            if found is not None and found.role == "fixture":
                return found
        return None

    def around(self, path: str) -> str:
        """Digest what acts on all tests of a file without being asked for."""
        module = self.modules[path]
        acting = [
            f"{piece.name}={self.deep(piece)}"
            for piece in module.pieces.values()
            if not piece.classes
            and (piece.role == "hook" or piece.name in ("pytestmark", "__test__") or is_autouse(piece))
        ]
        return ";".join(sorted(acting))

    def _text(self, piece: Piece) -> str:
        reach = _Deep(self, self._all[piece.path]).reach
        if not isinstance(piece.node, FUNCTIONS):
            inner = [self.deep(each) for each in self._inner(piece)] if piece.role == "suite" else []
            whole = header_of(piece.node, reach) if isinstance(piece.node, ast.ClassDef) and inner else ""
            return f"{piece.earlier}{whole or Writer(reach).write(piece.node)}{inner}"
        alone = bool(piece.classes) and not uses_self(piece.node)
        shape = shape_of(piece.node, reach, alone=alone and not piece.node.decorator_list)
        asked = {parameter.arg for parameter in parameters(piece.node)} | set(requested(piece.node))
        given = [
            f"{name}={self.deep(found)}"
            for name in sorted(asked)
            if (found := self.fixture(name, piece.path)) is not None and found != piece
        ]
        return f"{piece.earlier}{shape}{given}{list(self._classes(piece))}"

    def _classes(self, piece: Piece) -> Iterator[str]:
        """Write what classes mean for a test in them; nothing of those that only hold it."""
        told = (self._class(piece, at) for at in range(len(piece.classes)))
        return filter(None, told)

    def _class(self, piece: Piece, at: int) -> str:
        node = piece.classes[at]
        prefix = ".".join(each.name for each in piece.classes[: at + 1])
        module = self._all[piece.path]
        acting = [
            f"{each.name.rpartition('.')[2]}={self.deep(each)}"
            for each in module.pieces.values()
            if each.name.startswith(f"{prefix}.") and (each.role in ("hook", "function", "fixture")) and each != piece
        ]
        header = header_of(node, _Deep(self, module).reach)
        return "" if header == "[]([],[])[]" and not acting else f"{header}{sorted(acting)}"

    def _inner(self, piece: Piece) -> Iterator[Piece]:
        for each in self._all[piece.path].pieces.values():
            if each.name.startswith(f"{piece.name}."):
                yield each

    def find(self, dotted: str) -> Piece | None:
        """Find the piece that a dotted name stands for, if exactly one of the files can be meant."""
        home, _, name = dotted.rpartition(".")
        if not home:
            return None
        tail = home.replace(".", "/")
        found = [
            module for path, module in self._all.items() if f"/{path}".endswith((f"/{tail}.py", f"/{tail}/__init__.py"))
        ]
        return found[0].pieces.get(name) if len(found) == 1 else None


class _Deep:
    """Says what names of a module come to."""

    def __init__(self, version: Version, module: Module) -> None:
        self._version = version
        self._module = module

    def reach(self, name: str) -> str:
        """Replace a name by the digest of what it stands for, where that is known."""
        told = self._module.reach(name)
        found = None
        if told.startswith("#"):
            found = self._module.pieces.get(told[1:])
        elif told.startswith("@"):
            found = self._version.find(told[1:])
        return f"<{self._version.deep(found)}>" if found is not None else told


def is_autouse(piece: Piece) -> bool:
    """Tell whether a fixture acts on tests that do not ask for it."""
    if piece.role != "fixture" or not isinstance(piece.node, FUNCTIONS):
        return False
    marks = read_marks(piece.node.decorator_list, Writer(lambda name: name))
    told = [keyword(mark.node, "autouse") for mark in marks]
    return any(value is not None and not (isinstance(value, ast.Constant) and not value.value) for value in told)
