"""Which things that were built before a change no longer are what their sources say."""

from collections.abc import Collection, Iterator
from pathlib import PurePosixPath

BUILT = (".so", ".pyd")
"""Endings of extension modules."""
SOURCES = frozenset(
    (
        *(".c", ".cc", ".cpp", ".cxx", ".c++", ".h", ".hh", ".hpp", ".hxx", ".inc", ".i", ".pyx", ".pxd", ".pxi"),
        *(".rs", ".go", ".zig", ".f", ".for", ".f90", ".f95", ".f03", ".cu", ".cuh"),
    )
)
RECIPES = frozenset(
    ("setup.py", "meson.build", "CMakeLists.txt", "Cargo.toml", "Cargo.lock", "build.rs", "build.zig", "go.mod")
)


def is_built(path: str) -> bool:
    """Tell whether a path is named like an extension module."""
    return path.endswith(BUILT)


def stale_builds(changed: Collection[str], carried: Collection[str]) -> tuple[str, ...]:
    """List the carried things that a change may have made out of date; a folder among them is a submodule.

    Any module may be made from any source that is compiled: only where a changed one has the name of a module, and
    all changed ones do, are the others left out. A module that was compiled from Python goes before its own source.
    """
    moved = {path for path in carried if path.endswith("/") and path[:-1] in changed}
    return tuple(sorted(moved | set(_outdated(changed, carried))))


def _outdated(changed: Collection[str], carried: Collection[str]) -> Iterator[str]:
    built = [PurePosixPath(path) for path in carried if is_built(path)]
    compiled = [path for path in map(PurePosixPath, changed) if path.suffix.lower() in SOURCES or path.name in RECIPES]
    named = [(module, source) for module in built for source in compiled if _stem(module) == source.stem]
    if {source for _, source in named} != set(compiled):
        yield from map(str, built)
        return
    shadowing = [module for module in built if str(module.with_name(f"{_stem(module)}.py")) in changed]
    yield from (str(module) for module in (*(module for module, _ in named), *shadowing))


def tell_stale(path: str) -> str:
    """Say of something carried that it is out of date."""
    if path.endswith("/"):
        return f"submodule {path[:-1]} was carried as the base has it, and the change moves it"
    return f"{path} was built before its source was changed"


def _stem(path: PurePosixPath) -> str:
    return path.name.partition(".")[0]
