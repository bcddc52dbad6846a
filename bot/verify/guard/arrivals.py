"""Judges what is new by what it does to what was there."""

import ast
import sys
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import NamedTuple

from bot.core.proof import TestChange
from bot.verify.guard.harm import harm
from bot.verify.guard.marks import is_silencing
from bot.verify.guard.modules import SPECIAL, Module, Piece, attributes, is_test_file
from bot.verify.guard.normal import Writer
from bot.verify.guard.versions import Version, is_autouse
from bot.verify.guard.words import show

_OVERRIDING = ("assert", "fail", "setUp", "tearDown", "skip", "subTest", "add", "do", "id", "count", "__")
"""How the methods of a TestCase begin."""
_FIXTURES = frozenset(
    {"cache", "capfd", "capfdbinary", "caplog", "capsys", "capsysbinary", "capteesys", "doctest_namespace",
     "event_loop", "mocker", "monkeypatch", "pytestconfig", "pytester", "record_property",
     "record_testsuite_property", "record_xml_attribute", "recwarn", "request", "subtests", "testdir", "tmp_path",
     "tmp_path_factory", "tmpdir", "tmpdir_factory"}
)  # fmt: skip
"""Fixtures that pytest and its usual plugins bring."""
_TOOLS = frozenset({"pytest", "_pytest", "pluggy", "iniconfig", "py", "coverage", "hypothesis", "xdist"})


class Arrival(NamedTuple):
    """A new piece, and the file that it came to."""

    piece: Piece
    earlier: Module | None
    """The file before; None when it is new as well."""
    later: Module

    @property
    def alone(self) -> bool:
        """Whether nothing that was there before stands in its file, or in its class."""
        piece = self.piece
        if self.earlier is None:
            return is_test_file(piece.path) or bool(piece.classes)
        return bool(piece.classes) and piece.classes[0].name not in self.earlier.pieces


def judge(arrival: Arrival, old: Version, new: Version) -> TestChange | None:
    """Say what a new piece is: something added, or something that acts on what was there; None when it holds others."""
    piece = arrival.piece
    reason = _acting(arrival) or _harmful(arrival) or _overriding(arrival, old) or _spreading(arrival, old)
    if reason:
        silent = reason.startswith("silences")
        return TestChange(path=piece.path, name=piece.name, kind="silenced" if silent else "altered", detail=reason)
    if piece.role == "fixture" and (told := shadowing(piece, old, new)) is not None:
        return told
    plain = piece.role in ("suite", "constant")
    return None if plain else TestChange(path=piece.path, name=piece.name, kind="added")


def shadowing(fixture: Piece, old: Version, new: Version, besides: str = "") -> TestChange | None:
    """Say whose fixture a new one stands in front of, if there is such a test."""
    name = fixture.last
    told = TestChange(path=fixture.path, name=fixture.name, kind="altered")
    if fixture.classes:
        return None
    if name in _FIXTURES and (fixture.path in old.modules or not is_test_file(fixture.path)):
        return told.model_copy(update={"detail": f"takes the place of the {name} that pytest brings"})
    for module in old.modules.values():
        if module.path == besides or name not in module.requested or new.fixture(name, module.path) != fixture:
            continue
        earlier = old.fixture(name, module.path)
        if module.path in new.modules and (earlier is None or old.deep(earlier) != new.deep(fixture)):
            return told.model_copy(update={"detail": f"{module.path} asks for {name} and gets this one now"})
    return None


def hiding(module: Module, old: Version) -> str:
    """Say which module a new file stands in front of, once its folder is among those that are searched."""
    path = PurePosixPath(module.path)
    name = path.parent.name if path.name == "__init__.py" else path.stem
    if name in sys.stdlib_module_names | _TOOLS:
        return f"may be imported in the place of {name}"
    for other in old.modules.values():
        for target in other.imports.values():
            if target.split(".")[0] == name and target.split("|")[0]:
                return f"may be imported in the place of the {name} that {other.path} asks for"
    return ""


def _acting(arrival: Arrival) -> str:
    """Say how a new piece acts on tests that do not ask for it."""
    piece = arrival.piece
    if piece.name == "pytest_plugins" or (piece.last.startswith("pytest_") and not piece.classes):
        return "is read by pytest itself"
    if arrival.alone:
        return ""
    if piece.name in SPECIAL:
        silent = is_silencing(piece.node, Writer(arrival.later.reach)) or piece.name in ("__test__", "collect_ignore")
        return f"{'silences tests' if silent else 'acts on tests'}: {show(piece.node)}"
    if piece.role == "hook":
        return "is run without being asked for"
    return "acts on tests that do not ask for it" if is_autouse(piece) else ""


def _harmful(arrival: Arrival) -> str:
    piece = arrival.piece
    if piece.role == "suite" and isinstance(piece.node, ast.ClassDef):
        parts: list[ast.AST] = [*piece.node.decorator_list, *piece.node.bases, *attributes(piece.node)]
        found = (harm(part, frozenset(arrival.later.imports), loading=True) for part in parts)
        return next(filter(None, found), "")
    return harm(piece.node, frozenset(arrival.later.imports), loading=piece.role in ("constant", "class"))


def _overriding(arrival: Arrival, old: Version) -> str:
    """Say what a new method of an earlier class stands in front of."""
    piece, earlier = arrival.piece, arrival.earlier
    if earlier is None or arrival.alone or not piece.classes:
        return ""
    if piece.role != "test" and piece.last.startswith(_OVERRIDING):
        return f"may stand in front of the {piece.last} of a class that tests inherit from"
    if piece.role == "fixture" and piece.last in earlier.requested:
        return f"tests of the file ask for {piece.last}"
    mentioned = (node for each in earlier.pieces.values() if each.classes for node in ast.walk(each.node))
    if any(isinstance(node, ast.Attribute) and node.attr == piece.last for node in mentioned):
        return f"tests use something called {piece.last}"
    return next((f"stands in front of {name}" for name in _inherited(piece, earlier, old)), "")


def _spreading(arrival: Arrival, old: Version) -> str:
    """Say who gets a new name without having asked for it, by taking all names of a file."""
    piece = arrival.piece
    path = PurePosixPath(piece.path)
    home = path.parent.name if path.name == "__init__.py" else path.stem
    for module in old.modules.values():
        taken = any(star.rpartition(".")[2] == home for star in module.stars)
        if taken and not piece.classes and piece.name in module.used | module.requested:
            return f"{module.path} takes all names of this file, and uses {piece.name}"
    return ""


def _inherited(piece: Piece, earlier: Module, old: Version) -> Iterator[str]:
    writer = Writer(earlier.reach)
    for base in piece.classes[-1].bases:
        told = writer.write(base)
        found = earlier.pieces.get(told[1:]) if told.startswith("#") else old.find(told.lstrip("@"))
        name = f"{found.name}.{piece.last}" if found is not None else ""
        if found is not None and name in old.modules[found.path].pieces:
            yield name
        elif found is not None and piece.role != "test" and piece.last in ast.dump(found.node):
            yield f"something that {found.name} uses"
