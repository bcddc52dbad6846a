"""Which files a verdict rests on."""

from collections.abc import Sequence

from bot.core.change import FileChange
from bot.core.globs import any_matches
from bot.core.paths import same

TESTS = (
    "test_*.py",
    "*_test.py",
    "tests.py",
    "**/tests/**",
    "**/test/**",
    "**/testing/**",
    "**/test_*/**",
    "**/*_tests/**",
    "**/__tests__/**",
    "**/__snapshots__/**",
    "**/testdata/**",
    "**/fixtures/**",
    "**/golden/**",
    "*.snap",
    "*_test.go",
    "*.test.*",
    "*.spec.*",
    "*Test.java",
)
CONFIGURATION = (
    "conftest.py",
    ".gitattributes",
    "pytest.ini",
    ".pytest.ini",
    "pytest.toml",
    ".pytest.toml",
    "tox.ini",
    "tox.toml",
    "setup.cfg",
    "setup.py",
    "pyproject.toml",
    "mypy.ini",
    ".mypy.ini",
    "pyrightconfig.json",
    "ruff.toml",
    ".ruff.toml",
    ".flake8",
    ".pylintrc",
    "pylintrc",
    ".coveragerc",
    "sitecustomize.py",
    "usercustomize.py",
    "*.pth",
    "*.dist-info/**",
    "*.egg-info/**",
    "/.venv",
    "/.venv/**",
    "/venv",
    "/venv/**",
    "**/site-packages/**",
    "**/node_modules/**",
    "noxfile.py",
    "/pytest.py",
    "/pytest/**",
    "/_pytest/**",
    "/unittest/**",
    "Makefile",
    "GNUmakefile",
    "justfile",
    ".justfile",
    "go.mod",
    "go.work",
    "Cargo.toml",
    "pnpm-workspace.yaml",
    ".yamllint*",
    ".isort.cfg",
    ".codespellrc",
    "package.json",
    "tsconfig*.json",
    "jest.config.*",
    "vitest.config.*",
    ".eslintrc*",
    "eslint.config.*",
    "*.lock",
    "*-lock.json",
    "*-lock.yaml",
    "go.sum",
    "Pipfile",
    "*requirements*.txt",
    "constraints*.txt",
    ".github/**",
    ".gitlab-ci.yml",
    ".circleci/**",
    ".travis.yml",
    "azure-pipelines.yml",
    ".pre-commit-config.yaml",
)
_TESTS, _CONFIGURATION = (tuple(glob.casefold() for glob in globs) for globs in (TESTS, CONFIGURATION))


def evidence_paths(files: Sequence[FileChange]) -> tuple[str, ...]:
    """Return the changed paths that a verdict rests on: earlier tests, helpers, the configuration of the checks."""
    return tuple(file.path for file in files if _is_evidence(file))


def is_test(path: str) -> bool:
    """Tell whether a path holds tests, or something that only tests use."""
    return any_matches(_TESTS, same(path))


def is_configuration(path: str) -> bool:
    """Tell whether a path decides what checks ask, or runs before them."""
    return any_matches(_CONFIGURATION, same(path))


def _is_evidence(file: FileChange) -> bool:
    # A new `__init__.py` beside tests runs before them; an empty one does nothing.
    fresh = file.kind == "added" and not (file.path.endswith("__init__.py") and file.added)
    return is_configuration(file.path) or (not fresh and is_test(file.path))
