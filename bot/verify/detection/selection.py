"""What a pytest command line says of which tests are run, apart from how they are shown and measured."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from bot.verify.detection.commands import ROOT, SITE, UNKNOWN, join

KEPT = frozenset({
    "-k", "-m", "-p", "-o", "-c", "-W", "--ignore", "--ignore-glob", "--deselect", "--override-ini", "--import-mode",
    "--confcutdir", "--doctest-glob", "--pythonwarnings", "--capture", "--rootdir", "--config-file",
})  # fmt: skip
"""Options with a value that say what is run, or under which conditions."""
KEPT_FLAGS = frozenset({
    "--pyargs", "--doctest-modules", "--doctest-ignore-import-errors", "--doctest-continue-on-failure",
    "--strict-markers", "--strict-config", "--strict", "--runxfail", "--keep-duplicates", "--noconftest",
    "--collect-in-virtualenv", "-s",
})  # fmt: skip
DROPPED = frozenset({
    "--basetemp", "--color", "--code-highlight", "--cov-config", "--cov-context", "--cov-fail-under", "--cov-report",
    "--dist", "--doctest-report", "--durations", "--durations-min", "--html", "--junit-prefix", "--junit-xml",
    "--junitxml", "--log-cli-level", "--log-file", "--log-file-level", "--log-level", "--maxfail", "--maxprocesses",
    "-n", "--numprocesses", "--pastebin", "-r", "--report-chars", "--report-log", "--reruns", "--reruns-delay",
    "--show-capture", "--splits", "--tb", "--timeout", "--timeout-method", "--tx", "--verbosity", "--random-order-seed",
    "--randomly-seed", "--benchmark-json", "--benchmark-columns", "--benchmark-sort", "--max-warnings",
})  # fmt: skip
"""Options with a value that only show, measure, spread or stop."""
DROPPED_FLAGS = frozenset({
    "--cache-clear", "--cov-append", "--cov-branch", "--cov-reset", "--disable-pytest-warnings", "--disable-warnings",
    "--exitfirst", "--failed-first", "--ff", "--forked", "--force-short-summary", "--full-trace", "--last-failed",
    "--lf", "--new-first", "--nf", "--no-cov", "--no-cov-on-fail", "--no-header", "--no-showlocals", "--no-summary",
    "--pdb", "--quiet", "--self-contained-html", "--setup-show", "--showlocals", "--stepwise", "--stepwise-skip",
    "--sw", "--verbose", "--instafail", "--emoji", "--no-fold-skipped", "--profile", "--memray",
})  # fmt: skip
OPTIONAL = frozenset({"--cov", "--profile-svg"})
"""Options whose value may be missing; the next word is taken for it even when it is a path."""
PLUGINS: Mapping[str, str] = {
    "--asyncio-mode": "pytest-asyncio",
    "--benchmark-disable": "pytest-benchmark",
    "--benchmark-only": "pytest-benchmark",
    "--benchmark-skip": "pytest-benchmark",
    "--black": "pytest-black",
    "--codspeed": "pytest-codspeed",
    "--disable-socket": "pytest-socket",
    "--doctest-plus": "pytest-doctestplus",
    "--doctest-rst": "pytest-doctestplus",
    "--ds": "pytest-django",
    "--flake8": "pytest-flake8",
    "--mypy": "pytest-mypy",
    "--nbval": "nbval",
    "--nbval-lax": "nbval",
    "--remote-data": "pytest-remotedata",
    "--ruff": "pytest-ruff",
}
"""Options that say what is run and are understood only where a plugin is installed."""
SHORT = len("-x")
_BUNDLE = frozenset("vqxlrs")
"""Letters that may stand together behind one dash."""


class Selection(NamedTuple):
    """Which tests a command line runs."""

    options: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    """Relative to the root; empty when the configuration or pytest itself chooses."""
    left: tuple[str, ...] = ()
    """Options that are left out although they may say what is run."""

    @property
    def picks(self) -> bool:
        """Whether only some of the tests that are found are run, by their names or marks."""
        return picks(self.options)

    @property
    def arguments(self) -> tuple[str, ...]:
        """Return what to give to pytest."""
        return (*self.options, *self.paths)


class Tree(NamedTuple):
    """What must be known of a project to read its command lines."""

    root: Path
    installed: frozenset[str]
    """Distributions of its environment."""
    defines: Callable[[str], bool]
    """Whether a conftest of the project defines an option."""


class Part(NamedTuple):
    """An option with its value, or a path."""

    name: str
    """Empty for a path."""
    words: tuple[str, ...]

    @property
    def value(self) -> str:
        """Return what is given to the option."""
        return self.words[1] if len(self.words) > 1 else self.words[0].partition("=")[2]


def select(arguments: Sequence[str], folder: str, tree: Tree) -> Selection | None:
    """Read a command line of pytest that is started in a folder; None when a part of it cannot be understood."""
    options: list[str] = []
    paths: list[str] = []
    left: list[str] = []
    parts = list(_parts(arguments, folder, tree))
    modules = any(part.name == "--pyargs" for part in parts)
    for part in parts:
        if not part.name:
            found = _place(part.words[0], folder, tree.root, modules=modules)
            if not found:
                return None
            paths += found
        elif part.name in KEPT_FLAGS or part.name in KEPT or _understood(part.name, tree):
            words = _moved(part, folder, tree.root)
            if words is None:
                return None
            options += words
        elif part.name not in DROPPED and part.name not in DROPPED_FLAGS and part.name not in OPTIONAL:
            left.append(part.name)
    options = [word for word in options if word != "--pyargs"]
    if not paths and folder:
        # Started elsewhere, pytest looks there
        paths = [folder] if UNKNOWN not in folder and (tree.root / folder).is_dir() else []
        if not paths and not modules:
            return None
    return Selection(tuple(options), tuple(dict.fromkeys(paths)), tuple(dict.fromkeys(left)))


def narrow(arguments: Sequence[str], targets: Sequence[str], root: Path) -> tuple[str, ...]:
    """Put other tests in place of those that a command line names; options stay, and alone they change no path."""
    if not targets or all(target.startswith("-") for target in targets):
        return (*arguments, *targets)
    tree = Tree(root, frozenset(), lambda _: False)
    kept = [word for part in _parts(arguments, "", tree) if part.name for word in part.words]
    return (*kept, *targets)


def picks(options: Sequence[str]) -> bool:
    """Tell whether options pick tests by their names or marks."""
    return any(word[:SHORT] in ("-k", "-m") for word in options)


def names_paths(arguments: Sequence[str], root: Path) -> bool:
    """Tell whether a command line names what is looked at."""
    return bool(named_paths(arguments, root))


def named_paths(arguments: Sequence[str], root: Path) -> tuple[str, ...]:
    """List what a command line names to be looked at."""
    tree = Tree(root, frozenset(), lambda _: False)
    return tuple(word for part in _parts(arguments, "", tree) if not part.name for word in part.words)


def _parts(arguments: Sequence[str], folder: str, tree: Tree) -> Iterator[Part]:
    index = 0
    words = list(arguments)
    while index < len(words):
        word = words[index]
        taken = _taken(word, words[index + 1 :], folder, tree)
        yield Part(_name(word), tuple(words[index : index + 1 + taken]))
        index += 1 + taken


def _name(word: str) -> str:
    """Return the name of an option, for a short one with its value attached as well."""
    if not word.startswith("-") or word == "-":
        return ""
    if word.startswith("--"):
        return word.partition("=")[0]
    if len(word) > SHORT and set(word[1:]) <= _BUNDLE and "s" not in word:
        return "--quiet"
    return word[:2] if word[:2] in KEPT or word[:2] in DROPPED else {"-s": "-s"}.get(word, "--quiet")


def _taken(word: str, following: Sequence[str], folder: str, tree: Tree) -> int:
    """Count the words that an option takes after itself."""
    name = _name(word)
    if not name or not following or "=" in word or (not word.startswith("--") and len(word) > SHORT):
        return 0
    if name in KEPT or name in DROPPED:
        return 1
    if name in OPTIONAL:
        return 0 if following[0].startswith("-") else 1
    if name in KEPT_FLAGS or name in DROPPED_FLAGS or following[0].startswith("-"):
        return 0
    # Of an option that we do not know, the next word is the value unless it is something to be tested
    return 0 if _place(following[0], folder, tree.root, modules=False) else 1


def _understood(name: str, tree: Tree) -> bool:
    return PLUGINS.get(name, "") in tree.installed or tree.defines(name)


def _moved(part: Part, folder: str, root: Path) -> tuple[str, ...] | None:
    """Return an option as it has to be written when pytest is started at the root; None when it is not known how."""
    if part.name in ("--ignore", "--deselect", "--confcutdir", "--ignore-glob", "--rootdir", "-c", "--config-file"):
        where = join(folder if UNKNOWN not in folder else "", part.value.partition("::")[0])
        if UNKNOWN in where:
            return None
        colons = "".join(part.value.partition("::")[1:])
        moved = (where or ".") + colons
        return ("-c", moved) if part.name == "-c" else (f"{part.name}={moved}",)
    if any(mark in word for word in part.words for mark in (UNKNOWN, SITE)):
        return None
    if part.name == "-p" and not part.value.startswith("no:"):
        module = part.value.replace(".", "/")
        known = any((root / place / f"{module}{end}").exists() for place in ("", "src") for end in (".py", ""))
        return part.words if known else ()
    return tuple(word.replace(ROOT + "/", "").replace(ROOT, ".") for word in part.words)


def _place(word: str, folder: str, root: Path, *, modules: bool) -> tuple[str, ...]:
    """Find what a positional word means in the tree; empty when nothing."""
    path, colons, node = word.partition("::")
    if path.startswith(SITE):
        return _installed(path.removeprefix(SITE).strip("/"), root)
    where = join(folder, path)
    if UNKNOWN in where or "\0" in where:
        return ()
    if any(mark in where for mark in "*?["):
        return tuple(sorted(found.relative_to(root).as_posix() for found in root.glob(where)))
    if (root / where).exists():
        return ((where or ".") + colons + node,)
    return _installed(path.replace(".", "/"), root) if modules else ()


def _installed(path: str, root: Path) -> tuple[str, ...]:
    """Find the source of an installed package."""
    choices = [f"{start}{path}{end}" for start in ("", "src/", "lib/") for end in ("", ".py")]
    return next(((choice,) for choice in choices if path and (root / choice).exists()), ())
