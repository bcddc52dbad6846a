"""Packages and what manifests say of them: a missing `__init__.py`, modules that are nowhere, data left out."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from bot.models.offline.briefing import Finding, findings, is_evidence
from bot.models.offline.dialogue import PLACE, Change, State, Talk
from bot.models.offline.ground import Ground
from bot.models.offline.manifests import read_toml, table_of
from bot.models.offline.near import nearest
from bot.models.offline.problems import Option, Problem
from bot.models.offline.replay import Act
from bot.models.offline.source import module_of
from bot.models.offline.suggestions import Suggestion
from bot.models.offline.trial import Trial, try_out
from bot.models.offline.workshop import LONGEST_SUBJECT, Workshop, helped

MOST_FOLDERS = 6
MISMATCH = re.compile(r"import file mismatch")
ABSENT = re.compile(r"No module named '(?P<module>[\w.]{1,200})'")
SCRIPT = re.compile(r"(?P<module>[A-Za-z_][\w.]*)(?::(?P<function>[A-Za-z_][\w.]*))?$")
LACKING = re.compile(
    r"(?:No such file or directory|FileNotFoundError).*?site-packages/(?P<package>\w+)/"
    r"(?P<rest>[\w./-]{1,200}\.\w{1,12})"
)


def add_markers(shop: Workshop, ground: Ground, check: str, found: Sequence[Finding]) -> Talk[bool]:
    """Make folders packages where their siblings are, and something imports them as such."""
    files = yield from ground.files(shop.talk)
    folders = [folder for folder in _unmarked(files) if _concerns(folder, found)]
    if not folders or not shop.talk.can("create_file", "search_text", "run_check"):
        return False
    proved = yield from _proved(shop, folders[: 2 * MOST_FOLDERS])
    if not proved or not shop.fresh(repr(("markers", proved, len(shop.done)))):
        return False
    return (yield from _add(shop, ground, check, proved[:MOST_FOLDERS], found))


def _unmarked(files: Sequence[str]) -> list[str]:
    """Return the folders of modules that are no package although the folder around them and others beside them are."""
    marked = {path.removesuffix("/__init__.py") for path in files if path.endswith("/__init__.py")}
    folders = dict.fromkeys(path.rpartition("/")[0] for path in files if path.endswith(".py") and "/" in path)
    return [
        folder
        for folder in folders
        if folder not in marked
        and all(part.isidentifier() for part in folder.split("/")[-1:])
        and (parent := folder.rpartition("/")[0]) in marked
        and any(other.rpartition("/")[0] == parent for other in marked)
    ]


def _concerns(folder: str, found: Sequence[Finding]) -> bool:
    """Whether findings could come from a folder that is no package."""
    dotted = module_of(folder)
    name = dotted.rpartition(".")[2]
    return any(
        (finding.code == "INP001" and finding.path.rpartition("/")[0] == folder)
        or MISMATCH.search(finding.message)
        or dotted in finding.message
        or (not finding.code and re.search(rf"\b{re.escape(name)}\b|__init__|__file__", finding.message))
        for finding in found
    )


def _proved(shop: Workshop, folders: Sequence[str]) -> Talk[tuple[str, ...]]:
    """Keep the folders that something imports by a dotted path, or whose modules do so among themselves."""
    names = "|".join(re.escape(module_of(folder).rpartition(".")[2]) for folder in folders)
    pattern = f"^ *(from|import) .*({names})"
    act = Act("search_text", {"pattern": pattern, "glob": "*.py", "regex": True, "limit": 200})
    (answer,) = yield from shop.talk.ask(act, text="Looking for what imports these folders as packages.")
    rows = [row["text"].strip() for row in map(PLACE.match, answer.split("\n")) if row]
    return tuple(folder for folder in folders if any(_imports(row, module_of(folder)) for row in rows))


def _imports(row: str, module: str) -> bool:
    parent, _, name = module.rpartition(".")
    dotted = rf"(?:from|import) {re.escape(module)}(?:[ .,]|$)"
    member = rf"from (?:{re.escape(parent)}|\.+[\w.]*) import (?:.*[ ,(])?{re.escape(name)}(?:[ ,)]|$)"
    relative = rf"from \.+{re.escape(name)}(?:[ .])"
    return re.match(f"{dotted}|{member}|{relative}", row) is not None


def _add(shop: Workshop, ground: Ground, check: str, folders: Sequence[str], found: Sequence[Finding]) -> Talk[bool]:
    """Make the files; keep them only when the check then complains less."""
    paths = [f"{folder}/__init__.py" for folder in folders]
    subject = f"fix: make {folders[0]} a package" if len(folders) == 1 else "fix: make folders of modules packages"
    acts = [Act("create_file", {"path": path, "content": ""}) for path in paths]
    back = [Act("delete_file", {"path": path}) for path in paths]
    body = "Their siblings have an `__init__.py`, and they are imported as packages."

    def helps(told: str) -> bool:
        state = State(
            "errored" if ": errored" in told.partition("\n")[0] else "failed", findings(told, [check]), whole=True
        )
        return helped(Problem(tuple(found), ()), state, None)

    if (yield from try_out(shop, Trial(check, acts, back, (subject, body)), helps)):
        ground.add(paths)
        return True
    return False


class Script(NamedTuple):
    """An entry point of a manifest."""

    name: str
    value: str
    module: str
    function: str


def scripts(text: str) -> Iterator[Script]:
    """List the commands that a manifest promises."""
    for table in ("scripts", "gui-scripts"):
        for name, value in table_of(read_toml(text), "project", table).items():
            named = SCRIPT.match(value) if isinstance(value, str) else None
            if named:
                yield Script(name, value, named["module"], (named["function"] or "").partition(".")[0])


def mend_scripts(shop: Workshop, ground: Ground, check: str, found: Sequence[Finding]) -> Talk[bool]:
    """Let an entry point name a module that exists, where only the manifest names one that does not."""
    absent = [(match["module"], finding) for finding in found if (match := ABSENT.search(finding.message))]
    text = (yield from shop.talk.read(["pyproject.toml"])).get("pyproject.toml", "") if absent else ""
    for script in scripts(text):
        mine = tuple(finding for module, finding in absent if module == script.module)
        if not mine or not shop.fresh(repr(("script", script))):
            continue
        value = yield from _meant(shop, ground, script)
        if value and (yield from _rename(shop, check, text, script, value, mine)):
            return True
        line = text[: text.find(script.value)].count("\n") + 1
        what = f"; `{value}` looks like what is meant" if value else ""
        told = f"the entry point {script.name} names {script.module}, which is not there{what}"
        shop.suggestions.append(Suggestion("pyproject.toml", line, told))
    return False


def _meant(shop: Workshop, ground: Ground, script: Script) -> Talk[str]:
    """Return what an entry point should name; empty when that is not known."""
    files = yield from ground.files(shop.talk)
    modules = [module_of(path) for path in files if path.endswith(".py") and not is_evidence(path)]
    homes = (yield from shop.talk.homes(script.function)) if script.function else None
    defined = [module_of(path) for path in homes.paths if not is_evidence(path)] if homes else modules
    near = [one for one in nearest(script.module, modules) if one in defined]
    same = [one for one in defined if one.partition(".")[0] == script.module.partition(".")[0]] if homes else []
    meant = near if len(near) == 1 else same
    return meant[0] + script.value[len(script.module) :] if len(meant) == 1 else ""


def _rename(shop: Workshop, check: str, text: str, script: Script, value: str, mine: tuple[Finding, ...]) -> Talk[bool]:
    if text.count(f'"{script.value}"') != 1:
        return False
    change = Change("pyproject.toml", text, text.replace(f'"{script.value}"', f'"{value}"'))
    what = f"let the entry point {script.name} name {value}"
    problem = Problem(mine, (Option((change,), what),))
    return (yield from shop.attempt(check, (change,), problem, (f"fix: {what}"[:LONGEST_SUBJECT], "")))


def tell_data(files: Sequence[str], found: Sequence[Finding]) -> list[Suggestion]:
    """Name files that lie in a package and are not installed with it."""
    told: list[Suggestion] = []
    for finding in found:
        lacks = LACKING.search(finding.message)
        tail = f"{lacks['package']}/{lacks['rest']}" if lacks else ""
        path = next((path for path in files if tail and path in (tail, f"src/{tail}")), "")
        if path and lacks:
            pattern = re.sub(r"[^/]+(?=\.\w+$)", "*", lacks["rest"])
            what = f"it is not installed with the package: `[tool.setuptools.package-data] {lacks['package']} = "
            told.append(Suggestion(path, 0, f'{what}["{pattern}"]` (or what the build backend calls it) adds it'))
    return told
