"""Which tools a script, the name of a step, or what ran others speaks of, as checks are called."""

import re

from bot.core.redness.claim import Lines

_TOOLS = re.compile(
    r"(?<![\w./-])(?:pytest|py\.test|unittest|mypy|pyright|basedpyright|ruff format|ruff|flake8|pylint|black|isort"
    r"|pre-commit"
    r"|tox|nox|eslint|tsc|jest|vitest|mocha|codespell|yamllint"
    r"|go (?:test|vet|build)|cargo (?:test|nextest|clippy|build|check)"
    r"|(?:npm|pnpm|yarn)(?: run)? [\w:-]{1,40}|(?:make|just) [a-z][\w-]{0,40})(?![\w./-])"
)
_MADE = re.compile(r"g?make(?:\[\d+\])?: \*\*\* \[(?:[^\s\]]{1,200}:\d+: )?(?P<target>[^\s\]]{1,100})\] Error \d+")
_LIFECYCLE = re.compile(r"npm (?:ERR!|error) Lifecycle script [`'](?P<script>[\w:-]{1,60})[`'] failed")
_WRAPPED = re.compile(
    r"\S{1,60}: exit \d+ \([^()]{1,40}\) \S{0,300}> (?P<command>.{1,300}?)(?: pid=\d+)?$"
    r"|nox > Command (?P<nox>.{1,300}) failed with exit code"
)
_SAME = {
    "py.test": "pytest",
    "jest": "npm-test",
    "vitest": "npm-test",
    "mocha": "npm-test",
    "cargo-nextest": "cargo-test",
}


def read_tools(text: str) -> tuple[str, ...]:
    """Name the tools that a script or the name of a step speaks of, as checks are called."""
    words = (re.sub(r"[ ]run[ ]|[ ]+", "-", found[0]) for found in _TOOLS.finditer(text))
    return tuple(dict.fromkeys(_SAME.get(word, word) for word in words))[:20]


def read_wrapped(lines: Lines) -> tuple[str, ...]:
    """Name what make, npm, tox or nox say that failed inside of them."""
    found = dict[str, None]()
    for line in lines:
        if "***" in line and (match := _MADE.search(line)):
            found[f"make-{match['target']}"] = None
        elif "Lifecycle" in line and (match := _LIFECYCLE.search(line)):
            found[f"npm-{match['script']}"] = None
        elif ("exit " in line) and (match := _WRAPPED.match(line)):
            found.update(dict.fromkeys(read_tools(match["command"] or match["nox"])))
    return tuple(found)[:20]
