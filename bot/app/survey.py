"""What a model is told of a project before it reads a file, from the base and in a bounded number of words."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path, PurePosixPath

from bot.app.manifests import LARGEST, Reader, dependencies, entrances, targets
from bot.core.evidence import is_test
from bot.core.untrusted import clean
from bot.errors import ToolError
from bot.tools import disk
from bot.tools.languages import language_of
from bot.tools.paths import Place

WHOLE = 2200
"""Characters of all that is told."""
GUIDE_CHARACTERS = 2000
"""Of the instructions, together."""
GUIDE_READ = 40_000
"""Characters of a guide that are looked at."""
NEARBY = 3
"""Guides of folders that are quoted beside the one of the root."""
ENTRIES = 20
NAMED = 12
PLACES = 5
LINE = 240

_AGENTS = ("AGENTS.md", "CLAUDE.md", ".github/copilot-instructions.md")
_PEOPLE = ("CONTRIBUTING.md", "CONTRIBUTING.rst", ".github/CONTRIBUTING.md", "docs/CONTRIBUTING.md")
_LANGUAGES = {"csharp": "C#", "cpp": "C++", "javascript": "JavaScript", "typescript": "TypeScript", "tsx": "TypeScript"}


def survey(root: Path, files: Sequence[str], scope: Sequence[str] = ()) -> str:
    """Describe the tree at `root` and quote the instructions that it carries for people and agents.

    Of a scope, the instructions of its folders count as well.
    """
    known = frozenset(files)

    def read(path: str) -> str:
        return _read(root, path) if path in known else ""

    facts = "\n".join(_facts(read, files))
    room = min(GUIDE_CHARACTERS, WHOLE - len(facts))
    return "\n\n".join((facts, *_guides(read, files, scope, room)))


def layout(files: Sequence[str]) -> str:
    """Name the top-level files and folders, the largest first."""
    tops = Counter(f"{head}/" if tail else head for head, _, tail in (path.partition("/") for path in files))
    shown = [f"{name[:60]} ({count})" if name.endswith("/") else name[:60] for name, count in tops.most_common(ENTRIES)]
    return ", ".join(shown) + (f", … and {len(tops) - ENTRIES} more" if len(tops) > ENTRIES else "")


def _facts(read: Reader, files: Sequence[str]) -> Iterator[str]:
    yield f"{len(files)} files: {layout(files)}"
    languages = Counter(filter(None, map(language_of, files)))
    told = (
        ("Languages", [f"{_LANGUAGES.get(name, name.title())} ({count})" for name, count in languages.most_common(4)]),
        ("Depends on", _few(dependencies(read))),
        ("Entry points", _few(entrances(read, files))),
        ("Tests in", [f"{place} ({count})" for place, count in _tests(files).most_common(PLACES)]),
        ("Can be told", _few(targets(read))),
    )
    for what, names in told:
        if names:
            yield _cut(f"{what}: {', '.join(names)}", LINE)


def _tests(files: Sequence[str]) -> Counter[str]:
    """Count tests by the outermost folder that is for them; many such folders by the one that they all lie in."""
    found = Counter[str]()
    for path in files:
        if language_of(path) and is_test(path):
            parts = path.split("/")
            last = next((n for n, part in enumerate(parts[:-1]) if "test" in part or part == "spec"), len(parts) - 2)
            found["/".join(parts[: last + 1]) + "/" if last >= 0 else "."] += 1
    if len(found) <= PLACES:
        return found
    wide = Counter[str]()
    for place, count in found.items():
        top, _, below = place.rstrip("/").partition("/")
        wide[f"{top}/**/{below.rpartition('/')[2]}/" if below else place] += count
    return wide


def _few(names: Iterable[str]) -> list[str]:
    shown = list(islice(names, NAMED + 1))
    return [*shown[:NAMED], "…"] if len(shown) > NAMED else shown


def _guides(read: Reader, files: Sequence[str], scope: Sequence[str], room: int) -> Iterator[str]:
    """Quote the instructions at the root, and of the folders of a scope; of the others only the names."""
    texts = {name: text for name in (*_AGENTS, *_PEOPLE) if (text := clean(read(name)[:GUIDE_READ]).strip())}
    first = next(iter(texts), "")
    near = [path for path in _nested(files, scope) if read(path).strip()][:NEARBY]
    others = [name for name in texts if name != first and texts[name] != texts[first]]
    if first or near:
        share = room // (len(near) + bool(first))
        for name in (*filter(None, [first]), *near):
            text = texts.get(name) or clean(read(name)[:GUIDE_READ]).strip()
            yield f"{name} of the base:\n{_cut(text, share - len(name))}"
    more = [*others, *(path for path in files if _is_nested(path) and path not in near)]
    if more:
        yield _cut(f"There is also: {', '.join(_few(more))}", LINE)


def _nested(files: Sequence[str], scope: Sequence[str]) -> Iterator[str]:
    """Find the instructions for folders that a scope lies in, the innermost first."""
    folders = {str(each) for glob in scope for each in PurePosixPath(_fixed(glob)).parents} | {*map(_fixed, scope)}
    found = (path for path in files if _is_nested(path) and path.rpartition("/")[0] in folders)
    return iter(sorted(found, key=lambda path: (-path.count("/"), path)))


def _is_nested(path: str) -> bool:
    return path.count("/") > 0 and path.rpartition("/")[2] in _AGENTS[:2]


def _fixed(glob: str) -> str:
    """Return the folder that a glob certainly lies in, or the path that it is."""
    parts = glob.strip("/").split("/")
    plain = next((number for number, part in enumerate(parts) if set("*?[") & {*part}), len(parts))
    return "/".join(parts[:plain])


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: max(0, most - 1)].rstrip()}…"


def _read(root: Path, path: str) -> str:
    """Read a file of the base, never through a link; empty where that cannot be done."""
    try:
        data = disk.read(Place(root, tuple(path.split("/")))).data
    except (ToolError, OSError):
        return ""
    return data.decode("utf-8-sig", "replace") if len(data) <= LARGEST else ""
