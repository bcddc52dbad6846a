"""Which commands put software into the environment that they run in, wherever they are started."""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from bot.core.shapes import words

_PYTHON = re.compile(r"(python|pypy)[0-9.]*")
_PIP = re.compile(r"pip[0-9.]*")
_SHELLS = words("sh bash dash ksh mksh zsh ash")
_BEFORE = words("env sudo doas time nice exec command nohup")
"""Programs that start another one, whose name follows."""
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")
_OPERATORS = frozenset(";&|()\n")
_ELSEWHERE = words("-t --target --prefix --root")
"""Options of pip that name another place than the environment."""
_AWAY = ("/", "~", "$", "..")
"""How a path begins that may lead out of the tree."""
_SYSTEM = words("install remove add upgrade dist-upgrade reinstall localinstall groupinstall")
_VERBS: Mapping[str, frozenset[str]] = {
    "pip": words("install uninstall"),
    "uv": words("install uninstall sync"),
    "pipx": words("install inject upgrade"),
    "poetry": words("install add update sync remove"),
    "conda": words("install update remove create"),
    "mamba": words("install update remove create"),
    "micromamba": words("install update remove create"),
    "gem": words("install update uninstall"),
    "setup.py": words("install develop"),
    **dict.fromkeys(("apt", "apt-get", "aptitude", "dnf", "yum", "apk", "brew", "zypper", "snap"), _SYSTEM),
}
_GLOBAL = words("npm pnpm yarn bun")
"""Install beside the sources, unless they are told to do it for all."""


def is_installer(argv: Sequence[str]) -> bool:
    """Tell whether a command installs into its environment, or starts one that does.

    What a script or a build file does when it is run, nobody can read off a command.
    """
    return any(map(_installs, _commands(tuple(argv))))


def _commands(argv: tuple[str, ...], depth: int = 3) -> Iterator[tuple[str, ...]]:
    """Look through shells, and programs that start others."""
    while argv and (_ASSIGNMENT.match(argv[0]) or _name(argv[0]) in _BEFORE):
        argv = argv[1:]
        # Their options, with words that belong to some of them
        while argv and argv[0].startswith("-"):
            argv = argv[1:]
    if not argv:
        return
    line = next((text for flag, text in pairwise(argv) if _runs_a_line(flag)), None)
    if _name(argv[0]) not in _SHELLS or line is None or not depth:
        yield argv
        return
    for command in _split(line):
        yield from _commands(command, depth - 1)


def _runs_a_line(flag: str) -> bool:
    return flag.startswith("-") and not flag.startswith("--") and flag.endswith("c")


def _split(line: str) -> Iterator[tuple[str, ...]]:
    """Take the line of a shell apart; what cannot be read stays one command."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=";&|()\n")
    lexer.whitespace, lexer.commenters, lexer.whitespace_split = " \t\r", "", True
    command: list[str] = []
    try:
        for word in lexer:
            if set(word) <= _OPERATORS:
                yield tuple(command)
                command = []
            else:
                command.append(word)
    except ValueError:
        command += line.split()
    yield tuple(command)


def _installs(argv: tuple[str, ...]) -> bool:
    program, rest = argv[0], argv[1:]
    # A program that lies in the tree installs into an environment that lies there, too
    if "/" in program and not program.startswith(_AWAY):
        return False
    name = _name(program)
    if _PYTHON.fullmatch(name):
        return _module(rest)
    if name == "easy_install":
        return True
    if name in _GLOBAL:
        return bool({"-g", "--global", "global"} & set(rest))
    if name == "uv":
        return rest[:1] in (("pip",), ("tool",)) and _does("uv", rest[1:])
    return _does("pip" if _PIP.fullmatch(name) else name, rest)


def _module(rest: tuple[str, ...]) -> bool:
    """Look for a module or a script that Python is told to run."""
    for at, word in enumerate(rest):
        if word in ("-m", "-Im", "-sm", "-Pm"):
            return rest[at + 1 :] != () and _installs(rest[at + 1 :])
        if not word.startswith("-"):
            return _name(word) == "setup.py" and _does("setup.py", rest[at + 1 :])
    return False


def _does(name: str, rest: tuple[str, ...]) -> bool:
    verbs = _VERBS.get(name, frozenset())
    asked = any(word in verbs for word in rest if not word.startswith("-"))
    return asked and not (name in ("pip", "uv") and ("--dry-run" in rest or _aside(rest)))


def _aside(rest: tuple[str, ...]) -> bool:
    """Tell whether what pip installs goes to a folder of the tree."""
    pairs = [word.partition("=")[::2] if "=" in word else (word, after) for word, after in pairwise((*rest, ""))]
    return any(option in _ELSEWHERE and place and not place.startswith(_AWAY) for option, place in pairs)


def _name(program: str) -> str:
    return program.rpartition("/")[2]
