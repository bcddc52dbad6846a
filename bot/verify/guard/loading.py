"""What files of tests do when they are loaded, beside defining things."""

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePosixPath

from bot.core.proof import ChangeKind, TestChange
from bot.verify.guard.arrivals import hiding
from bot.verify.guard.bindings import is_main
from bot.verify.guard.harm import harm
from bot.verify.guard.marks import is_silencing
from bot.verify.guard.modules import Module, is_test_file
from bot.verify.guard.normal import Writer
from bot.verify.guard.versions import Version
from bot.verify.guard.words import show

_KNOWN = sys.stdlib_module_names | {"pytest", "hypothesis"}


def compare_loading(old: Version, new: Version) -> list[TestChange]:
    """Say what the files do when loaded that they did not, or do no more."""
    gone = Counter(text for path, module in old.modules.items() if path not in new.modules for text, _ in module.loose)
    found: list[TestChange] = []
    for path, later in new.modules.items():
        earlier = old.modules.get(path)
        told = _new_file(later, old, gone) if earlier is None else _same_file(earlier, later, old)
        found += [TestChange(path=path, name="", kind=kind, detail=detail) for kind, detail in told]
    return found


def _same_file(earlier: Module, later: Module, old: Version) -> Iterator[tuple[ChangeKind, str]]:
    before, after = [text for text, _ in earlier.loose], [text for text, _ in later.loose]
    nodes = dict(later.loose)
    if before != after and not (after[:-1] == before and _is_usual_end(later)):
        fresh = [text for text in after if text not in before]
        told = f"does when loaded: {show(nodes[fresh[0]])}" if fresh else "does something less, or later, when loaded"
        silent = fresh and is_silencing(nodes[fresh[0]], Writer(later.reach))
        yield "silenced" if silent else "altered", told
    if earlier.stars != later.stars:
        yield "altered", f"takes all names of {', '.join(sorted(later.stars ^ earlier.stars))}, or does no more"
    yield from _imports(earlier, later, old)


def _is_usual_end(module: Module) -> bool:
    last = module.loose[-1][1]
    return isinstance(last, ast.If) and is_main(last) and module.last_is_loose


def _imports(earlier: Module | None, later: Module, old: Version) -> Iterator[tuple[ChangeKind, str]]:
    before = earlier.imports if earlier is not None else {}
    lent = PurePosixPath(later.path).name == "conftest.py"
    asking = old.modules.values() if lent else [earlier] if earlier is not None else []
    asked = frozenset(name for module in asking for name in module.requested)
    used = later.used if lent else later.used | later.requested
    for name in sorted(before.keys() | later.imports.keys()):
        was, now = before.get(name, ""), later.imports.get(name, "")
        if was == now:
            continue
        if name in asked:
            yield "altered", f"{name}, which tests ask for, comes from {now or 'elsewhere'}"
        elif name.startswith("pytest_"):
            yield "altered", f"{now or was} is run by pytest itself"
        elif now and name not in used and now.split(".")[0] not in _KNOWN and not _is_own(now, later):
            yield "altered", f"imports {now} and does not use it: it may act when it is loaded"


def _is_own(target: str, module: Module) -> bool:
    """Tell whether a package passes on something of its own."""
    path = PurePosixPath(module.path)
    return path.name == "__init__.py" and target.startswith(".".join(path.parent.parts))


def _new_file(later: Module, old: Version, gone: Counter[str]) -> Iterator[tuple[ChangeKind, str]]:
    own = is_test_file(later.path)
    lent = PurePosixPath(later.path).name == "conftest.py"
    if hidden := "" if own or lent else hiding(later, old):
        yield "altered", hidden
    for text, node in later.loose:
        if gone[text] > 0:
            gone[text] -= 1
        elif lent or (reason := harm(node, frozenset(later.imports), loading=True)):
            yield "altered", f"does when loaded: {show(node) if lent else reason}"
    if lent or PurePosixPath(later.path).name == "__init__.py":
        yield from _imports(None, later, old)
        yield from (("altered", f"takes all names of {star}") for star in sorted(later.stars))
