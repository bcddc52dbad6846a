"""Reads command lines as they stand in a project's files, and takes off what only starts them."""

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from pathlib import PurePosixPath
from typing import NamedTuple

UNKNOWN, SITE, ROOT = "\x01", "\x02", "\x03"
"""In a word: a part that only their tool knows, the folder of installed packages, the root of the project."""

LARGEST = 20_000
"""Characters of one script; more is not a command that a person wrote."""


class Named(NamedTuple):
    """A command that the project's own files name."""

    argv: tuple[str, ...]
    """The tool first, without what starts it: `uv run python -m pytest -q` is `pytest -q`."""
    file: str
    where: str
    """What a person would look for in the file: a section, a target, a session."""
    folder: str = ""
    """Where it is started, relative to the root; holds UNKNOWN when that is outside of the tree."""
    environment: tuple[tuple[str, str], ...] = ()
    """Variables that it is given."""
    condition: str = ""
    """Under what it is run at all, such as a factor of tox; empty when always."""

    @property
    def source(self) -> tuple[str, str]:
        """Tell which commands belong together: those of one environment, those of all steps of one workflow."""
        return (self.file, "" if self.where.startswith("line ") else self.where)

    @property
    def tool(self) -> str:
        """Return the program, or the module that Python is told to run."""
        return self.argv[0]

    @property
    def place(self) -> str:
        """Tell a person where it stands."""
        return f"{self.where} in {self.file}" if self.where else self.file


class Spoken(NamedTuple):
    """One command of a script."""

    argv: tuple[str, ...]
    folder: str
    environment: tuple[tuple[str, str], ...] = ()


_SUBSTITUTION = re.compile(r"\$\{\{.*?\}\}|\$\([^()]*(?:\([^()]*\)[^()]*)*\)|`[^`]*`", re.DOTALL)
_VARIABLE = re.compile(r"\$(?:\{(\w+)(?::?[-=]([^{}]*))?\}|(\w+)|[@*#])")
_CONTINUED = re.compile(r"\\\r?\n\s*")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
_PYTHON = re.compile(r"(?:python|pypy)[\d.]*(?:t|w|\.exe)?|py")
_BEGINS = frozenset({"then", "do", "else", "!", "{", "time", "exec", "command", "nohup", "nice", "builtin"})
_SKIPPED = frozenset({"if", "elif", "for", "while", "until", "case", "function", "fi", "done", "esac", "}", "[", "[["})
_RUNNERS: Mapping[str, frozenset[str]] = {
    name: frozenset({"run"}) for name in ("uv", "poetry", "pdm", "pipenv", "rye", "pixi", "conda", "micromamba")
}
_VALUED = frozenset({
    "--group", "--only-group", "--no-group", "--extra", "--with", "--with-requirements", "--with-editable", "--python",
    "-p", "--package", "--project", "--directory", "--env-file", "--index-url", "--from", "-n", "--name", "-e",
    "--environment", "--manifest-path", "-C", "--config-file", "--cache-dir",
})  # fmt: skip
_COVERAGE_VALUED = frozenset({"--rcfile", "--source", "--source-pkgs", "--include", "--omit", "--context",
                              "--data-file", "--concurrency", "--debug"})  # fmt: skip
_WRAPPERS: Mapping[str, frozenset[str]] = {
    "env": frozenset({"-u", "-C"}),
    "sudo": frozenset({"-u", "-g"}),
    "xvfb-run": frozenset({"-n", "-s"}),
    "dbus-run-session": frozenset(),
    "timeout": frozenset({"-k", "-s"}),
}
_VARIABLE_NAME = re.compile(r"[A-Za-z_]\w*")
_RESERVED = (
    "GIT_", "LD_", "DYLD_", "PYTHON", "PYTEST_", "PIP_", "UV_", "TOX_", "NOX_", "COVERAGE_", "VIRTUAL_ENV", "CONDA",
    "HOME", "PATH", "TMP", "TEMP", "SHELL", "BASH", "IFS", "USER", "LOGNAME", "XDG_", "TERM", "CI",
)  # fmt: skip
"""How the names of variables begin that say how things are run, which is for us to say."""
_ALLOWED = frozenset({"PYTHONPATH", "PYTHONWARNINGS", "PYTHONDEVMODE", "PYTHONUTF8"})
_LONGEST_CHAIN = 8
"""Launchers before a command; a chain of more is not read."""


def read_script(text: str, variables: Mapping[str, str], *, one_shell: bool = True) -> Iterator[Spoken]:
    """Read the commands of a shell script that can be understood without running it.

    In one shell a change of folder lasts; in a recipe of make each line has its own.
    """
    folder = ""
    for line in _CONTINUED.sub(" ", text[:LARGEST]).splitlines():
        if not one_shell:
            folder = ""
        for words in _simple(_expand(line, variables)):
            if words[0] == "cd":
                folder = join(folder, words[1]) if len(words) > 1 else UNKNOWN
            elif argv := bare(words):
                yield Spoken(argv, folder, _given(words))


def _given(words: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return the variables that are set in front of a command."""
    front = takewhile(_ASSIGNMENT.match, words[1:] if words[0] == "env" else words)
    return harmless((word.partition("=")[0], word.partition("=")[2]) for word in front)


def harmless(variables: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Pick the variables that are the project's own business and whose value is known."""
    return tuple(
        (name, value.replace(ROOT + "/", "").replace(ROOT, "."))
        for name, value in variables
        if _VARIABLE_NAME.fullmatch(name)
        and not any(mark in value for mark in (UNKNOWN, SITE, "\0"))
        and not (name.startswith(_RESERVED) and name not in _ALLOWED)
    )


def join(folder: str, path: str) -> str:
    """Enter a folder from another, both as they are written; what leaves the tree is unknown."""
    if path.startswith(ROOT):
        folder, path = "", path.removeprefix(ROOT).lstrip("/")
    if path.startswith(("/", "~")) or UNKNOWN in path or SITE in path:
        return UNKNOWN
    parts: list[str] = []
    for part in (*PurePosixPath(folder).parts, *PurePosixPath(path).parts):
        if part == "..":
            if not parts:
                return UNKNOWN
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)


def bare(words: Sequence[str]) -> tuple[str, ...]:
    """Take off what only starts a command; empty when nothing is left."""
    argv = list(words)
    for _ in range(_LONGEST_CHAIN):
        if not argv:
            return ()
        shorter = _shorter(argv)
        if shorter is None:
            argv[0] = _program(argv[0])
            return tuple(argv) if argv[0] and UNKNOWN not in argv[0] else ()
        argv = shorter
    return ()


def _expand(line: str, variables: Mapping[str, str]) -> str:
    """Put in what variables are known to hold, and mark what is not known."""

    def value(match: re.Match[str]) -> str:
        name = match[1] or match[3]
        if name is None:
            return ""
        return variables.get(name, UNKNOWN if match[2] is None else match[2])

    return _VARIABLE.sub(value, _SUBSTITUTION.sub(UNKNOWN, line))


def _simple(line: str) -> Iterator[list[str]]:
    """Part a line into simple commands; what stands after `||` is run only when the other fails."""
    words: list[str] = []
    skip = alternative = False
    for token in (*_tokens(line), ";"):
        if skip:
            skip = False
        elif set(token) <= set(";&|()"):
            if words and not alternative and words[0] not in _SKIPPED:
                yield words
            # What is piped into is not asked, and what stands after `||` only when the other fails
            words, alternative = [], token in ("||", "|") or (alternative and token[0] == "&")
        elif token[0] in "<>":
            skip = True
            if words and words[-1].isdigit():
                words.pop()
        else:
            words.append(token)


def _tokens(line: str) -> list[str]:
    lexer = shlex.shlex(line, posix=True, punctuation_chars=";&|()<>")
    lexer.whitespace_split = True
    try:
        return list(lexer)
    except ValueError:
        return []


def _shorter(argv: list[str]) -> list[str] | None:
    """Take off the first launcher; None when there is none."""
    first, rest = _program(argv[0]), argv[1:]
    if first in _BEGINS or _ASSIGNMENT.match(argv[0]):
        return rest
    if first in _WRAPPERS:
        return _after_options(rest, _WRAPPERS[first])[first == "timeout" :]
    if first in _RUNNERS and rest and (found := next((w for w in rest if not w.startswith("-")), "")) == "run":
        return _module(_after_options(rest[rest.index(found) + 1 :], _VALUED))
    if first == "hatch" and "run" in rest:
        return _hatch(rest)
    if first in ("uvx", "npx", "bunx") or (first == "pipx" and rest[:1] == ["run"]):
        after = _after_options(rest[1:] if first == "pipx" else rest, _VALUED)
        return [after[0].partition("@")[0] or after[0], *after[1:]] if after else after
    return _started(first, rest)


def _started(first: str, rest: list[str]) -> list[str] | None:
    """Take off Python or coverage, which run a module or a script."""
    if first == "coverage" and rest[:1] == ["run"]:
        after = _after_options(rest[1:], _COVERAGE_VALUED, stop="-m")
        return after[1:] if after[:1] == ["-m"] else [UNKNOWN]
    if _PYTHON.fullmatch(first):
        return _python(rest)
    return None


def _python(rest: list[str]) -> list[str] | None:
    """Return the module that Python runs; what it is told of warnings goes to pytest, which has the same option."""
    warnings: list[str] = []
    index = 0
    while index < len(rest):
        word = rest[index]
        if word == "-m":
            module = rest[index + 1 : index + 2]
            return [*module, *(warnings if module == ["pytest"] else []), *rest[index + 2 :]]
        if word in ("-W", "-X"):
            warnings += rest[index : index + 2] if word == "-W" else []
            index += 1
        elif word.startswith("-W"):
            warnings.append(word)
        elif not word.startswith("-") or word == "-c":
            break
        index += 1
    return None


def _module(argv: list[str]) -> list[str]:
    return argv[1:] if argv[:1] in (["-m"], ["--module"]) else argv


def _hatch(rest: list[str]) -> list[str]:
    after = _after_options(rest[rest.index("run") + 1 :], _VALUED)
    # `hatch run ENV:SCRIPT` runs what stands in the scripts, which are read by themselves
    return [after[0].rpartition(":")[2], *after[1:]] if after else after


def _after_options(words: list[str], valued: frozenset[str], stop: str = "") -> list[str]:
    """Leave out the options at the beginning."""
    index = 0
    while index < len(words) and words[index].startswith("-") and words[index] != stop:
        if words[index] == "--":
            return words[index + 1 :]
        index += 2 if words[index] in valued else 1
    return words[index:]


def _program(word: str) -> str:
    """Return the name of a program of an environment; a path to another place stays as it is."""
    path = PurePosixPath(word)
    name = path.name if path.parent.name in ("bin", ".bin", "Scripts") or word.startswith(UNKNOWN + "/") else word
    return "pytest" if name == "py.test" else name
