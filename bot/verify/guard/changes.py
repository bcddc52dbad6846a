"""What became of one piece between two versions of it."""

import ast
from collections.abc import Iterator, Sequence

from bot.core.proof import ChangeKind
from bot.verify.guard.cases import compare_marks, instances
from bot.verify.guard.demands import Found, weaker
from bot.verify.guard.difference import tell_functions
from bot.verify.guard.ending import Ending
from bot.verify.guard.extension import only_adds
from bot.verify.guard.marks import is_silencing
from bot.verify.guard.modules import Module, Piece, attributes, collected, shape_of
from bot.verify.guard.normal import FUNCTIONS, Writer, parameters, scope_of
from bot.verify.guard.versions import Version, is_autouse
from bot.verify.guard.words import show

_STANDING_IN = frozenset(
    {"patch", "monkeypatch", "mock", "Mock", "MagicMock", "AsyncMock", "mocker", "create_autospec"}
)
_GRAVITY: tuple[ChangeKind, ...] = ("silenced", "weakened", "altered")


def compare(before: Piece, after: Piece, old: Version, new: Version) -> Found:
    """Say what became of a piece, and how that shows."""
    if before.role == after.role and (before.shape == after.shape or old.deep(before) == new.deep(after)):
        return "equal", ""
    earlier, later = old.modules[before.path], new.modules[after.path]
    if before.role == "test":
        return _test(before, after, earlier, later)
    if before.role != after.role:
        return "altered", f"was a {before.role} and is a {after.role}"
    if isinstance(before.node, FUNCTIONS) and isinstance(after.node, FUNCTIONS):
        return _function(before, after, earlier, later)
    if before.role == "suite":
        return _suite(before, after, earlier, later)
    return _constant(before, after, earlier, later) if before.role == "constant" else ("altered", "its code changed")


def _test(before: Piece, after: Piece, earlier: Module, later: Module) -> Found:
    if collected(before, earlier.reach) and not collected(after, later.reach):
        return "silenced", f"{after.name} is not collected as a test"
    if not (isinstance(before.node, FUNCTIONS) and isinstance(after.node, FUNCTIONS)) or after.role != "test":
        return "silenced", f"is no test any more but a {after.role}"
    if before.earlier != after.earlier:
        return "altered", "its name is bound more than once"
    return _function(before, after, earlier, later)


def _function(before: Piece, after: Piece, earlier: Module, later: Module) -> Found:
    assert isinstance(before.node, FUNCTIONS), "only functions are compared as such"
    assert isinstance(after.node, FUNCTIONS), "only functions are compared as such"
    redirected = ", ".join(_redirected(before, after, earlier, later))
    if redirected and shape_of(before.node, str) == shape_of(after.node, str):
        return "altered", redirected
    told = _edited(before, after, earlier, later)
    if told is not None:
        return told
    if before.role != "hook" and not redirected and _is_extended(before, after, earlier, later):
        return "extended", "asks more"
    return "altered", redirected or _acting(before, after) or _parting(before, after)


def _parting(before: Piece, after: Piece) -> str:
    assert isinstance(before.node, FUNCTIONS), "only functions are compared as such"
    assert isinstance(after.node, FUNCTIONS), "only functions are compared as such"
    return tell_functions(before.node, after.node, plain(before).write, plain(after).write) or "its code changed"


def _acting(before: Piece, after: Piece) -> str:
    """Say what a function does to others that it did not."""
    acting = is_autouse(after) and not is_autouse(before)
    return "acts on every test now" if acting else "; ".join(_standing_in(before, after))


def _edited(before: Piece, after: Piece, earlier: Module, later: Module) -> Found | None:
    """Say what the decorators and the assertions of a function tell; None when they do not tell enough."""
    assert isinstance(before.node, FUNCTIONS), "only functions are compared as such"
    assert isinstance(after.node, FUNCTIONS), "only functions are compared as such"
    marks = compare_marks(before.node, after.node, Writer(earlier.reach), Writer(later.reach))
    less = weaker(before.node, after.node, plain(before), plain(after))
    if marks is None and _bare(before, earlier) == _bare(after, later):
        return "equal", ""
    if (marks is None or marks[0] == "extended") and _is_one_case(before, after, later):
        return "extended", "is one of several cases now"
    found = [each for each in (marks, less) if each is not None and each[0] != "extended"]
    if found:
        return min(found, key=lambda each: _GRAVITY.index(each[0]))
    return None


def _bare(piece: Piece, module: Module) -> str:
    """Write a function without its decorators."""
    assert isinstance(piece.node, FUNCTIONS), "only functions have decorators apart"
    writer = Writer(module.reach, scope_of(piece.node))
    kind = type(piece.node).__name__
    return f"{piece.earlier}{kind}{_head(piece, module)}{writer.body(piece.node.body)}"


def _head(piece: Piece, module: Module) -> str:
    """Write what a function is given, and what is run for its annotations."""
    assert isinstance(piece.node, FUNCTIONS), "only functions are given something"
    writer = Writer(module.reach)
    return f"{writer.write(piece.node.args)}{writer.annotation(piece.node.returns)}"


def plain(piece: Piece) -> Writer:
    """Make a writer that leaves the names of a function as they stand."""
    assert isinstance(piece.node, FUNCTIONS), "only functions have variables of their own"
    return Writer(str, scope_of(piece.node, rename=False))


def _is_extended(before: Piece, after: Piece, earlier: Module, later: Module) -> bool:
    assert isinstance(before.node, FUNCTIONS), "only functions are extended"
    assert isinstance(after.node, FUNCTIONS), "only functions are extended"
    if type(before.node) is not type(after.node):
        return False
    old = Writer(earlier.reach, scope_of(before.node, rename=False))
    new = Writer(later.reach, scope_of(after.node, rename=False))
    same = _head(before, earlier) == _head(after, later)
    if not same or before.role != "test":
        return same and only_adds(before.node, after.node, old, new)
    ending = Ending(before.node, after.node, frozenset(later.imports))
    return only_adds(before.node, after.node, old, new, ending)


def _is_one_case(before: Piece, after: Piece, later: Module) -> bool:
    """Tell whether a test is run with several values now, those that stood in it among them."""
    if before.role != "test" or not isinstance(after.node, FUNCTIONS):
        return False
    return before.shape in instances(after.node, later.reach)


def _names(piece: Piece) -> set[str]:
    return {node.id for node in ast.walk(piece.node) if isinstance(node, ast.Name)}


def _redirected(before: Piece, after: Piece, earlier: Module, later: Module) -> Iterator[str]:
    for name in sorted(_names(before) & _names(after)):
        was, now = earlier.reach(name), later.reach(name)
        if was != now:
            yield f"{name} is now {_told(now)} instead of {_told(was)}"


def _told(reached: str) -> str:
    if reached.startswith("@"):
        return reached[1:]
    if reached.startswith("&"):
        return f"{reached[1:].partition('|')[0]}, bound again in this file"
    return f"{reached[1:]} of this file" if reached.startswith("#") else f"{reached} from elsewhere"


def _standing_in(before: Piece, after: Piece) -> Iterator[str]:
    """Name what a test now replaces by something that only looks like it."""
    known = {_replaced(node) for node in _replacing(before.node)}
    for node in _replacing(after.node):
        if _replaced(node) not in known:
            yield f"puts something else in the place of what is tested: {_replaced(node)}"
            return


def _replaced(node: ast.AST) -> str:
    return node.arg if isinstance(node, ast.arg) else show(node)


def _replacing(node: ast.AST) -> Iterator[ast.AST]:
    for part in ast.walk(node):
        if isinstance(part, ast.Call):
            names = {getattr(each, "id", getattr(each, "attr", "")) for each in ast.walk(part.func)}
            if names & _STANDING_IN:
                yield part
    if isinstance(node, FUNCTIONS):
        yield from (each for each in parameters(node) if each.arg in _STANDING_IN)


def _suite(before: Piece, after: Piece, earlier: Module, later: Module) -> Found:
    assert isinstance(before.node, ast.ClassDef), "a suite is a class"
    assert isinstance(after.node, ast.ClassDef), "a suite is a class"
    old, new = Writer(earlier.reach), Writer(later.reach)
    known = {old.write(each) for each in (*before.node.decorator_list, *attributes(before.node))}
    fresh = [each for each in (*after.node.decorator_list, *attributes(after.node)) if new.write(each) not in known]
    for each in fresh:
        if is_silencing(each, new) or "__test__" in show(each):
            return "silenced", show(each)
    headers = [writer.write([*node.bases, *node.keywords]) for writer, node in ((old, before.node), (new, after.node))]
    if headers[0] != headers[1]:
        return "altered", f"its bases are {', '.join(map(show, after.node.bases)) or 'gone'}"
    return "altered", f"its attributes changed: {show(fresh[0])}" if fresh else "something of it is gone"


def _constant(before: Piece, after: Piece, earlier: Module, later: Module) -> Found:
    if before.name == "pytestmark" and is_silencing(after.node, Writer(later.reach)):
        return "silenced", show(after.node)
    old, new = _items(before, earlier), _items(after, later)
    if old is not None and new is not None and _only_cases(before.name, earlier) and _only_cases(before.name, later):
        gone = [item for item in old if item not in new]
        return ("weakened", f"{len(gone)} cases are gone or changed") if gone else ("extended", "more cases")
    return "altered", f"{show(before.node)} became {show(after.node)}"


def _items(piece: Piece, module: Module) -> Sequence[str] | None:
    """List the elements of a constant that holds several."""
    value = piece.node.value if isinstance(piece.node, (ast.Assign, ast.AnnAssign)) else None
    if piece.earlier or not isinstance(value, (ast.List, ast.Tuple)):
        return None
    return [Writer(module.reach).write(each) for each in value.elts]


def _only_cases(name: str, module: Module) -> bool:
    """Tell whether a constant serves for nothing but to name the cases of tests."""
    uses = 0
    for piece in module.pieces.values():
        uses += sum(
            isinstance(node, ast.Name) and node.id == name for node in ast.walk(piece.node) if piece.role != "suite"
        )
        if isinstance(piece.node, FUNCTIONS):
            for mark in piece.node.decorator_list:
                arguments = mark.args if isinstance(mark, ast.Call) and "parametrize" in ast.unparse(mark.func) else []
                uses -= sum(isinstance(each, ast.Name) and each.id == name for each in arguments)
    return uses == 1  # where it is bound
