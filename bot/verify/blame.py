"""Tells whether something that a test did not find was asked for by the change, or by what was there before it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.core.check import CheckResult
from bot.verify.impact import Users, read_graph
from bot.verify.imports import Imports, read_imports


def _unknown(_path: str) -> bytes | None:
    """Know nothing of a file."""
    return None


@dataclass(frozen=True, slots=True)
class Change:
    """What is known of a change beside its tree."""

    paths: tuple[str, ...] = ()
    """Files that it touches; empty when nobody told."""
    read: Callable[[str], bytes | None] = _unknown
    """Returns the content that a file had before."""


def settle(result: CheckResult, root: Path, change: Change) -> CheckResult:
    """Take back a cause where something is missing that only the change asks for, or took away."""
    lacked = {case.lacks for case in result.cases if case.cause == "missing"}
    if not lacked:
        return result
    wanted = {name for name in lacked if name} & _wanted(root, change, lacked)
    cases = tuple(
        case.model_copy(update={"cause": ""}) if case.cause == "missing" and case.lacks not in wanted else case
        for case in result.cases
    )
    return result.model_copy(update={"cases": cases})


def _wanted(root: Path, change: Change, lacked: set[str]) -> set[str]:
    """Name what the tree before the change asked for, and did not hold itself."""
    graph = read_graph(root) if change.paths else None
    if graph is None:
        return set()
    kept = {path: told for path, told in graph.files.items() if path not in change.paths}
    before = {path: content for path in change.paths if (content := change.read(path)) is not None}
    sources = {path: read_imports(content, path) for path, content in before.items() if path.endswith(".py")}
    own = Users({*graph.files, *change.paths}, {}).places
    texts = [*before.values(), *_contents(root, kept)]
    return {name for name in lacked if _is_wanted(name, {**kept, **sources}, own, texts)}


def _is_wanted(
    name: str, files: Mapping[str, Imports], own: Mapping[str, Sequence[str]], texts: Sequence[bytes]
) -> bool:
    if "/" in name:
        return name.startswith("/") and any(name.rpartition("/")[2].encode() in text for text in texts)
    imported = (module for told in files.values() for module in told.modules)
    return name not in own and any(f"{module}.".startswith(f"{name}.") for module in imported)


def _contents(root: Path, files: Mapping[str, Imports]) -> Iterator[bytes]:
    for path in files:
        try:
            yield (root / path).read_bytes()
        except OSError:
            continue
