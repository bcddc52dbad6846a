"""Requirements before and after: only those that decide how a project is checked are of interest."""

import re
from collections.abc import Iterator, Sequence

_NAME = re.compile(r"\s*(@?[A-Za-z0-9][\w./-]*)")
_TOOL = re.compile(
    r"pytest.*|.*-pytest|pluggy|mypy.*|.*-mypy|ruff.*|coverage|flake8.*|pylint.*|pyright|black|isort|tox.*|nox|nose.*|"
    r"hypothesis|unittest.*|mock|setuptools|hatchling.*|poetry-core|pdm-backend|flit.core|pip|wheel|sitecustomize.*|"
    r"jest.*|@jest/.*|ts-jest|vitest.*|@vitest/.*|mocha|chai|ava|c8|nyc|eslint.*|@eslint/.*|@typescript-eslint/.*|"
    r"typescript|tsx|ts-node|prettier|playwright|@playwright/.*|cypress",
    re.IGNORECASE,
)
_FOREIGN = re.compile(r"\s@\s|://|^\s*(?:\.|/|file:|git\+|npm:|link:|portal:)")


def requirement_lines(text: str) -> list[str]:
    """List what a file of requirements asks for, without comments."""
    lines = (re.sub(r"(^|\s)#.*", "", line).strip() for line in text.splitlines())
    return [line for line in lines if line]


def compare_requirements(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[str, str]]:
    """List the requirements that changed and matter, by their names, with what became of them."""
    gone = [line for line in before if line not in after]
    fresh = [line for line in after if line not in before]
    for name in dict.fromkeys(map(_name, (*gone, *fresh))):
        was = [line for line in gone if _name(line) == name]
        now = [line for line in fresh if _name(line) == name]
        if not name or _TOOL.fullmatch(name) or any(map(_FOREIGN.search, now)):
            yield name, f"{', '.join(was) or 'nothing'} → {', '.join(now) or 'nothing'}"


def is_tool(name: str) -> bool:
    """Tell whether something by this name judges code, or takes part in it."""
    return _TOOL.fullmatch(name) is not None


def _name(line: str) -> str:
    """Name what a requirement asks for; nothing for an option."""
    found = _NAME.match(line)
    return re.sub(r"[-_.]+", "-", found[1]).lower() if found is not None else ""
