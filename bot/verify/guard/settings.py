"""Configuration of the checks, setting by setting; what tells nothing of them is let be."""

import ast
import json
import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import Literal, TypeAlias

from bot.core.evidence import is_configuration
from bot.core.proof import TestChange
from bot.verify.guard.attributes import compare_attributes
from bot.verify.guard.formats import Reader, is_explained, read_ini, read_json, read_toml
from bot.verify.guard.pipelines import HOOKS, compare_pipeline, is_about_people, is_workflow
from bot.verify.guard.requirements import compare_requirements, requirement_lines
from bot.verify.guard.words import cut

Kind: TypeAlias = Literal[
    "code", "toml", "ini", "json", "requirements", "attributes", "script", "planted", "data", "pipeline", "people"
]

_NAMES: Mapping[Kind, tuple[str, ...]] = {
    "ini": (
        "setup.cfg", "tox.ini", "pytest.ini", ".pytest.ini", "mypy.ini", ".mypy.ini", ".flake8", ".coveragerc",
        ".pylintrc", "pylintrc",
    ),
    "toml": ("pyproject.toml", "ruff.toml", ".ruff.toml", "pytest.toml", ".pytest.toml", "tox.toml"),
    "json": ("package.json", "pyrightconfig.json"),
    "requirements": ("*requirements*.txt", "constraints*.txt"),
    "attributes": (".gitattributes",),
    "script": ("setup.py",),
    "data": ("noxfile.py",),
}  # fmt: skip
_PLANTED = re.compile(
    r"(?:.*/)?(?:sitecustomize|usercustomize)\.py|.*\.pth|.*\.(?:dist|egg)-info/.*"
    r"|(?:pytest|unittest)\.py|(?:pytest|_pytest|unittest)/.*|.*\.(?:pyc|pyo|so|pyd|dll|dylib|egg|whl)"
)
_HARMLESS = (
    "project.version", "project.description", "project.readme*", "project.license*", "project.authors*",
    "project.maintainers*", "project.keywords*", "project.classifiers*", "project.urls*", "project.name",
    "project.dynamic", "project.scripts*", "project.gui-scripts*",
    "tool.poetry.version", "tool.poetry.description", "tool.poetry.authors*", "tool.poetry.maintainers*",
    "tool.poetry.license", "tool.poetry.readme", "tool.poetry.keywords*", "tool.poetry.classifiers*",
    "tool.poetry.urls*", "tool.poetry.homepage", "tool.poetry.repository", "tool.poetry.documentation",
    "tool.poetry.name", "tool.poetry.scripts*", "tool.towncrier*", "tool.commitizen*", "tool.bumpversion*",
    "tool.bumpver*", "tool.semantic_release*", "tool.cibuildwheel*", "tool.git-cliff*",
    "metadata.*", "bumpversion*", "bdist_wheel*", "options.entry_points.console_scripts",
    "options.entry_points.gui_scripts",
)  # fmt: skip
"""Settings that say nothing of checks."""
_HARMLESS_IN_JSON = (
    "name", "version", "description", "keywords*", "author*", "contributors*", "license*", "repository*", "homepage*",
    "bugs*", "funding*", "private",
)  # fmt: skip
_ABOUT_DISTRIBUTION = frozenset(
    {"version", "description", "long_description", "long_description_content_type", "author", "author_email", "license",
     "maintainer", "maintainer_email", "url", "project_urls", "keywords", "classifiers", "download_url", "name",
     "license_files"}
)  # fmt: skip
_REQUIREMENTS = re.compile(
    r"(?:project\.dependencies|project\.optional-dependencies\..+|dependency-groups\..+|options\.install_requires"
    r"|options\.tests_require|options\.extras_require\..+|tool\.(?:uv|pdm)\.dev-dependencies.*)"
)
_REQUIRED = re.compile(
    r"(?:tool\.poetry\.(?:group\..+\.|dev-)?dependencies|(?:dev|peer|optional)?[dD]ependencies)\.(?P<name>.+)"
)


_READERS: Mapping[Kind, Reader] = {"toml": read_toml, "json": read_json, "ini": read_ini}


def kind_of(path: str) -> Kind:
    """Tell how a file is read."""
    name = PurePosixPath(path).name
    if _PLANTED.fullmatch(path):
        return "planted"
    if path == HOOKS or is_workflow(path):
        return "pipeline"
    if is_about_people(path):
        return "people"
    known = next((kind for kind, globs in _NAMES.items() if any(fnmatchcase(name, glob) for glob in globs)), None)
    return known or ("code" if name.endswith(".py") else "data")


def compare_settings(path: str, before: str | None, after: str | None) -> list[TestChange] | None:
    """List the settings that changed; None when that cannot be told."""
    match kind := kind_of(path):
        case "planted":
            return [_told(path, "", "is loaded before the tests, or in the place of what runs them")]
        case "people":
            return []
        case "data":
            return [] if before is None and not is_configuration(path) else None
        case "script":
            return _compare_script(path, before or "", after or "")
        case "requirements" | "attributes" | "pipeline":
            pairs = _compare_pieces(kind, path, before, after)
            return None if pairs is None else [_told(path, name, detail) for name, detail in pairs]
        case _:
            whole = "is new" if before is None else "is gone" if after is None else ""
            found = _compare(kind, path, before or "", after or "")
            return None if found is None else [*([_told(path, "", whole)] if whole else []), *found]


def _compare_pieces(kind: Kind, path: str, before: str | None, after: str | None) -> list[tuple[str, str]] | None:
    """List the pieces of a file that changed, with what became of each; None when that cannot be told."""
    if kind == "pipeline":
        return compare_pipeline(path, before, after)
    if kind == "attributes":
        return list(compare_attributes(before or "", after or ""))
    return list(compare_requirements(requirement_lines(before or ""), requirement_lines(after or "")))


def _compare(kind: Kind, path: str, before: str, after: str) -> list[TestChange] | None:
    reader = _READERS[kind]
    try:
        old, new = reader(before), reader(after)
    except (ValueError, RecursionError):
        return None
    changed = [name for name in sorted(old.keys() | new.keys()) if old.get(name) != new.get(name)]
    if kind == "ini" and not is_explained(
        before, after, [side.get(name, "") for name in changed for side in (old, new)]
    ):
        return None
    harmless = _HARMLESS_IN_JSON if kind == "json" else _HARMLESS
    telling = [name for name in changed if not any(fnmatchcase(name, each) for each in harmless)]
    return [change for name in telling for change in _setting(path, name, old.get(name), new.get(name))]


def _setting(path: str, name: str, before: str | None, after: str | None) -> Iterator[TestChange]:
    one = _REQUIRED.fullmatch(name)
    if one is not None:
        sides = [[f"{one['name']} {value}"] if value is not None else [] for value in (before, after)]
    elif _REQUIREMENTS.fullmatch(name):
        sides = [_listed(value) for value in (before, after)]
    else:
        yield _told(path, name, f"{cut(before or 'nothing')} → {cut(after or 'nothing')}")
        return
    for required, detail in compare_requirements(*sides):
        yield _told(path, f"{name}:{required}" if one is None else name, detail)


def _listed(value: str | None) -> list[str]:
    """Take a list of requirements apart, written as JSON or one a line."""
    if value is None:
        return []
    if not value.startswith("["):
        return requirement_lines(value)
    return [each if isinstance(each, str) else json.dumps(each) for each in json.loads(value)]


def _compare_script(path: str, before: str, after: str) -> list[TestChange] | None:
    """Compare a setup.py but for what it says about the distribution and what it requires."""
    try:
        old, new = _Bare().visit(ast.parse(before)), _Bare().visit(ast.parse(after))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return [] if ast.dump(old) == ast.dump(new) else [_told(path, "", "is run by what installs or builds the project")]


class _Bare(ast.NodeTransformer):
    """Takes from a call of `setup` what says nothing of checks."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Leave out keywords whose values only say something."""
        if isinstance(node.func, (ast.Name, ast.Attribute)) and ast.unparse(node.func).endswith("setup"):
            node.keywords = [
                each for each in node.keywords if each.arg not in _ABOUT_DISTRIBUTION or not _is_plain(each.value)
            ]
        return self.generic_visit(node)


def _is_plain(node: ast.expr) -> bool:
    return not any(isinstance(part, (ast.Call, ast.NamedExpr, ast.Lambda, ast.Await)) for part in ast.walk(node))


def _told(path: str, name: str, detail: str) -> TestChange:
    return TestChange(path=path, name=name, kind="configuration", detail=detail)
