"""The tool that tells how a project is built, checked and entered."""

import json
import threading
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bot.core.change import readable
from bot.core.check import Check
from bot.core.untrusted import clean
from bot.errors import ToolError
from bot.tools import disk, paths
from bot.tools.tool import Access, Arguments, Bench, Done, Tool

GUIDES = ("AGENTS.md", "CLAUDE.md", "CONTRIBUTING.md", "CONTRIBUTING.rst", ".github/CONTRIBUTING.md")
GUIDE = 1200
"""Characters of each guide that are shown."""
GUIDE_READ = 40_000
"""Of them, characters that are looked at."""
MOST = 30

_ONE = threading.Lock()
"""Reads may run side by side, but there is one clean folder."""


class ProjectConfig(Arguments):
    """Show checks, layout, entry points and guides."""


def project_config(_args: ProjectConfig, bench: Bench) -> Done:
    """Tell checks and why, interpreter, layout, entry points, heads of the base's guides."""
    interpreter = bench.ladder.interpreter
    modules = ", ".join(sorted(interpreter.modules)) or "no tools"
    checks = [_check(check) for check in bench.ladder.checks]
    with _ONE, bench.workspace.clean(bench.task.base) as root:
        entries = list(_entry_points(root))[:MOST]
        guides = list(_guides(root))
    parts = [
        "checks:\n" + "\n".join(checks or ["- none"]),
        f"python: {interpreter.path} ({interpreter.origin}); has {modules}",
        f"layout: {_layout(bench.workspace.files())}",
        *(["entry points:\n" + "\n".join(entries)] if entries else []),
        *guides,
    ]
    return Done("\n".join(parts))


def _check(check: Check) -> str:
    reason = f" — {check.reason}" if check.reason else ""
    return f"- {check.name} ({check.rung}): {' '.join(check.argv) or 'built in'}{reason}"


def _layout(files: Sequence[str]) -> str:
    tops = Counter(f"{head}/" if below else head for head, _, below in (file.partition("/") for file in files))
    shown = [f"{name} ({count})" if name.endswith("/") else name for name, count in tops.most_common(MOST)]
    more = f", … {len(tops) - MOST} more" if len(tops) > MOST else ""
    return f"{len(files)} files: {', '.join(shown)}{more}"


def _guides(root: Path) -> Iterator[str]:
    for name in GUIDES:
        body = clean(_read(root, name)[:GUIDE_READ]).strip()
        if body:
            more = f"\n… {len(body) - GUIDE} more characters" if len(body) > GUIDE else ""
            yield f"{name} (of the base):\n{body[:GUIDE]}{more}"


def _entry_points(root: Path) -> Iterator[str]:
    project = _toml(_read(root, "pyproject.toml")).get("project")
    if isinstance(project, dict):
        for table in ("scripts", "gui-scripts"):
            yield from _pairs(project.get(table), f"pyproject {table}")
    package = _json(_read(root, "package.json"))
    yield from _pairs(package.get("scripts"), "package.json scripts")
    mains = (
        sorted(root.glob("__main__.py")) + sorted(root.glob("*/__main__.py")) + sorted(root.glob("src/*/__main__.py"))
    )
    yield from (f"- {readable(bytes(path.relative_to(root)))}" for path in mains)


def _pairs(table: object, origin: str) -> Iterator[str]:
    if isinstance(table, dict):
        yield from (f"- {origin}: {name} = {str(value)[:200]}" for name, value in table.items())


def _toml(body: str) -> dict[str, Any]:
    try:
        return tomllib.loads(body)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _json(body: str) -> dict[str, Any]:
    try:
        found = json.loads(body or "{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _read(root: Path, name: str) -> str:
    """Read a file of the base, never through a link; empty when it is not there."""
    try:
        return disk.read(paths.Place(root, tuple(name.split("/")))).data.decode("utf-8", "replace")
    except (ToolError, OSError):
        return ""


PROJECT_CONFIG = Tool("project_config", ProjectConfig, Access.READ, project_config)
