"""Names tools that judge a project and are not run here, so that nobody takes their silence for consent."""

from collections.abc import Iterator, Mapping, Sequence

from bot.verify.detection.commands import Named
from bot.verify.detection.hooks import HOOKS
from bot.verify.detection.project import Project

_MODES: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(
        (
            "actionlint", "ansible-lint", "bandit", "check-jsonschema", "check-manifest", "check-wheel-contents",
            "cfn-lint", "cspell", "darglint", "deptry", "dodgy", "eslint", "fixit", "flake8-markdown",
            "gitlint", "golangci-lint", "hadolint", "import-linter", "interrogate", "lint-imports", "markdownlint",
            "markdownlint-cli2", "mypy.stubtest", "pip-audit", "prospector", "pydoclint", "pydocstyle", "pylama",
            "pyre", "pyroma", "pytype", "refurb", "rstcheck", "rst-lint", "doc8", "safety", "semgrep",
            "shellcheck", "slotscheck", "sp-repo-review", "sqlfluff", "stubtest", "tach", "tsc", "typos",
            "validate-pyproject", "vale", "wemake-python-styleguide", "xenon", "zizmor",
        ),
        frozenset[str](),
    ),
    "autoflake": frozenset({"--check", "-c", "--check-diff", "-cd"}),
    "autopep8": frozenset({"--diff", "-d", "--exit-code"}),
    "biome": frozenset({"check", "ci", "lint"}),
    "blue": frozenset({"--check", "--diff"}),
    "cog": frozenset({"--check"}),
    "docformatter": frozenset({"--check", "-c", "--diff"}),
    "prettier": frozenset({"--check", "-c", "--list-different", "-l"}),
    "reuse": frozenset({"lint"}),
    "towncrier": frozenset({"check"}),
    "twine": frozenset({"check"}),
    "usort": frozenset({"check"}),
    "yapf": frozenset({"--diff", "-d", "--quiet", "-q"}),
}  # fmt: skip
"""Tools that judge, each with the words of which one makes it do so; none where it does nothing else."""


def find(project: Project, commands: Sequence[Named]) -> Iterator[str]:
    """Say of each tool once where the project runs it."""
    told: dict[str, str] = {}
    for command in commands:
        modes = _MODES.get(command.tool)
        if modes is not None and (not modes or modes & {*command.argv}):
            told.setdefault(command.tool, command.place)
    for hook in project.hooks:
        if hook in _MODES:
            told.setdefault(hook, f"the hook {hook} in {HOOKS}")
    for tool, place in told.items():
        yield f"{tool} is not run: its answers are not read here ({place}); declared as a check, it is"
