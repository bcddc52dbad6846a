"""Modules of other people that cannot be found: where the project lists what brings them, and where it should."""

import ast
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from bot.core.evidence import is_test
from bot.models.offline.briefing import Finding
from bot.models.offline.complaints import read as read_complaint
from bot.models.offline.dialogue import PLACE, Change, Talk
from bot.models.offline.distributions import distributions_of
from bot.models.offline.ground import Ground
from bot.models.offline.manifests import Listed, add_runtime, is_manifest, read_manifests
from bot.models.offline.outdated import once_of_python
from bot.models.offline.problems import Option, Problem
from bot.models.offline.replay import Act
from bot.models.offline.source import parse
from bot.models.offline.suggestions import Suggestion
from bot.models.offline.vocabulary import MODULES
from bot.models.offline.workshop import LONGEST_SUBJECT, Workshop

MOST_MODULES = 4
MOST_MANIFESTS = 12


class _Need(NamedTuple):
    """A module that is missing, and what is known of it."""

    problem: Problem
    path: str
    """Of the file that imports it."""
    line: int
    names: tuple[str, ...]
    """The distributions that may bring it."""
    listed: tuple[Listed, ...]


def mend_missing(shop: Workshop, ground: Ground, check: str, found: Sequence[Finding]) -> Talk[bool]:
    """Let the code that needs a module ask for what brings it, where the project lists it already."""
    for module, mine in list(missing(found).items())[:MOST_MODULES]:
        own = yield from ground.is_own(shop.talk, module)
        if own or shop.talk.spent or not shop.fresh(repr(("distribution", module))):
            continue
        need = yield from _study(shop, ground, module, mine)
        for option in need.problem.options:
            message = f"fix: {option.what}"[:LONGEST_SUBJECT], f"{need.path} imports {module} whenever it is loaded."
            if (yield from shop.attempt(check, option.changes, need.problem, message)):
                return True
    return False


def tell_missing(shop: Workshop, ground: Ground, left: Sequence[Finding]) -> Talk[list[Suggestion]]:
    """Say of each foreign module that is still missing what brings it, and where the project lists that."""
    told: list[Suggestion] = []
    for module, mine in list(missing(left).items())[:MOST_MODULES]:
        if shop.talk.spent or (yield from ground.is_own(shop.talk, module)):
            continue
        need = yield from _study(shop, ground, module, mine)
        told.append(Suggestion(need.path, need.line, _advice(module, need)))
    return told


def missing(found: Iterable[Finding]) -> dict[str, list[Finding]]:
    """Sort findings by the foreign module that they miss."""
    modules: dict[str, list[Finding]] = {}
    for finding in found:
        complaint = read_complaint(finding.message)
        top = complaint.wanted.partition(".")[0] if complaint is not None and complaint.kind == "module" else ""
        if complaint is not None and top and top not in MODULES | once_of_python():
            modules.setdefault(complaint.wanted, []).append(finding)
    return modules


def _study(shop: Workshop, ground: Ground, module: str, mine: Sequence[Finding]) -> Talk[_Need]:
    """Find out what brings a module, where it is listed, and what needs it."""
    manifests = [path for path in (yield from ground.files(shop.talk)) if is_manifest(path)][:MOST_MANIFESTS]
    texts = yield from shop.talk.read(manifests)
    names = distributions_of(module)
    listed = tuple(one for name in names for one in read_manifests(texts) if one.name == name)
    path, line = (yield from _importer(shop, module, mine)) if listed else (mine[0].path, mine[0].line)
    code = (yield from shop.talk.read([path])).get(path, "") if listed else ""
    return _Need(_problem(module, mine, path, code, texts, listed), path, line, names, listed)


def _importer(shop: Workshop, module: str, mine: Sequence[Finding]) -> Talk[tuple[str, int]]:
    """Return the file and the line that import a module, code before tests."""
    top = module.partition(".")[0]
    if not shop.talk.can("search_text"):
        return mine[0].path, mine[0].line
    pattern = f"^ *(import|from) +{top}($|[ .,;])"
    act = Act("search_text", {"pattern": pattern, "glob": "*.py", "regex": True, "limit": 60})
    (answer,) = yield from shop.talk.ask(act, text=f"Looking for what imports `{module}`.")
    rows = [(row["path"], int(row["line"])) for row in map(PLACE.match, answer.split("\n")) if row]
    named = {finding.path for finding in mine}
    rows.sort(key=lambda row: (is_test(row[0]), row[0] not in named))
    return rows[0] if rows else (mine[0].path, mine[0].line)


def _problem(
    module: str, mine: Sequence[Finding], path: str, code: str, texts: dict[str, str], listed: Sequence[Listed]
) -> Problem:
    """Draft what would let the project ask for a module; no option where it does, lists it nowhere or needs it not."""
    nothing = Problem(tuple(mine), ())
    if not listed or any(one.sort == "runtime" for one in listed) or is_test(path) or _is_guarded(code, module):
        return nothing
    wanted = min(listed, key=lambda one: one.sort == "lock")
    targets = sorted((p for p in texts if _governs(p, path)), key=lambda p: (-p.count("/"), _rank(p)))
    for target in targets:
        new = add_runtime(target, texts[target], wanted.requirement)
        if new is not None:
            what = f"ask for {wanted.name}, which brings `{module}`"
            return Problem(tuple(mine), (Option((Change(target, texts[target], new),), what),))
    return nothing


def _governs(manifest: str, path: str) -> bool:
    """Whether a manifest says what the code of a path needs when it runs."""
    folder, _, name = manifest.rpartition("/")
    return name in ("pyproject.toml", "setup.cfg", "requirements.txt") and (not folder or path.startswith(f"{folder}/"))


def _rank(manifest: str) -> int:
    return ("pyproject.toml", "setup.cfg", "requirements.txt").index(manifest.rpartition("/")[2])


def _is_guarded(text: str, module: str) -> bool:
    """Whether a file does without a module when it is not there, or imports it only when it is used."""
    tree = parse(text)
    plain = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)] if tree else []
    names = {item.name for node in plain if isinstance(node, ast.Import) for item in node.names}
    names |= {node.module or "" for node in plain if isinstance(node, ast.ImportFrom)}
    top = module.partition(".")[0]
    return tree is not None and bool(text) and not any(name.partition(".")[0] == top for name in names)


def _advice(module: str, need: _Need) -> str:
    runtime = next((one for one in need.listed if one.sort == "runtime"), None)
    if runtime is not None:
        return f"`{module}` comes from {runtime.name}, which {runtime.path} asks for: install it into this environment"
    if not need.listed:
        usual = f"; if {need.names[0]} is what is meant, list it yourself" if need.names else ""
        return (
            f"`{module}` is not installed, and the project lists nothing that brings it: such a distribution is never "
            f"added here, for a name that only looks right may be anybody's{usual}"
        )
    groups = ", ".join(dict.fromkeys(one.group for one in need.listed))
    needs = "the group that the tests are installed with" if is_test(need.path) else "what it always needs"
    requirement = min(need.listed, key=lambda one: one.sort == "lock").requirement
    return (
        f"`{module}` comes from {need.listed[0].name}, listed only in {groups}: install that, or add "
        f"`{requirement}` to {needs}; nothing is installed here, so no check could tell that this helps"
    )
