"""Which programs may be run for a model, with which arguments; which variables they may see."""

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence

from bot.core.approval import Refusal
from bot.core.paths import refuse_mention
from bot.core.programs import REFUSED, STARTERS
from bot.core.shapes import (
    FORMATTERS,
    GIT,
    MODULES,
    MYPY,
    PYTEST,
    PYTEST_ALSO,
    PYTHON_FLAGS,
    READERS,
    RUFF,
    Shape,
    words,
)

MOST_ARGUMENTS = 200
LONGEST_ARGUMENTS = 32_000

VARIABLES = words(
    """
        CI COLORTERM COLUMNS FORCE_COLOR GIT_AGENT_REPORT_FD GOROOT HOME JAVA_HOME LANG LANGUAGE LINES LOGNAME
        NO_COLOR OMP_NUM_THREADS OPENBLAS_CORETYPE OPENBLAS_L2_SIZE PATH PYTHONDONTWRITEBYTECODE PYTHONHASHSEED
        PYTHONIOENCODING PYTHONNOUSERSITE PYTHONUNBUFFERED PYTHONUTF8 RUSTUP_HOME SOURCE_DATE_EPOCH SSL_CERT_DIR
        SSL_CERT_FILE TEMP TERM TMP TMPDIR TZ USER
    """
)
_SECRET_VARIABLE = re.compile(r"TOKEN|SECRET|PASSW|CREDENTIAL|_KEY|KEY_|APIKEY|AUTH", re.IGNORECASE)
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

_EXCLUDING = ("--exclude=", "--exclude-dir=", "--ignore=", "--ignore-glob=", "--deselect=")
"""What these name is left alone, whatever it is."""
_SHELL_WORDS = frozenset({"|", "||", "&&", ";", "&", ">", ">>", "<", "<<", "2>", "2>&1", "&>"})


def refuse_command(argv: Sequence[str]) -> str | None:
    """Say why a command must not be run for a model. There is no shell: each argument reaches the program as it is."""
    refusal = judge_command(argv)
    return refusal.text if refusal is not None else None


def judge_command(argv: Sequence[str], scope: Sequence[str] = ()) -> Refusal | None:
    """Say why a command must not be run; one of a program that is merely unknown somebody may allow.

    Files made to hold secrets are not named to a program, unless the scope of the task names them.
    """
    refused = _refuse_form(argv) or _refuse_program(argv[0])
    if refused is not None:
        return Refusal(refused)
    listed = _is_listed(argv[0])
    refused = (_judge(argv[0])(argv[1:]) if listed else _refuse_handing(argv[1:])) or _refuse_arguments(argv, scope)
    if refused is not None:
        return Refusal(refused)
    if listed:
        return None
    text = f"{argv[0]!r} is not on the list of programs: {', '.join(sorted({*_JUDGES, *READERS}))}"
    return Refusal(text, "command", shlex.join(argv))


def writes(argv: Sequence[str]) -> bool:
    """Say whether a command that is allowed may change files: readers, git, mypy and a ruff that reports do not."""
    program, at = find_tool(argv)
    rest = list(argv[at:])
    if program == "ruff":
        changing = rest[:1] == ["format"] and {"--check", "--diff"}.isdisjoint(rest)
        return changing or not {"--fix", "--fix-only", "--unsafe-fixes"}.isdisjoint(rest)
    if _is_python(argv[0]) and program != "mypy":
        return rest not in (["--version"], ["-V"])
    return program not in READERS and program not in ("git", "mypy")


_SHOWING = {
    **dict.fromkeys(("diff", "log", "show"), ("--no-ext-diff", "--no-textconv")),
    **dict.fromkeys(("blame", "grep"), ("--no-textconv",)),
}
"""Commands of git that may start a program that a configuration names, and what keeps them from it."""


def settle(argv: Sequence[str]) -> tuple[str, ...]:
    """Return a command as it is carried out: whatever is configured, ruff mends nothing and git starts no program."""
    program, at = find_tool(argv)
    if program == "git":
        at = 2 if list(argv[1:2]) == ["--no-pager"] else 1
        return (*argv[: at + 1], *_SHOWING.get("".join(argv[at : at + 1]), ()), *argv[at + 1 :])
    if program == "ruff" and list(argv[at : at + 1]) == ["check"] and not writes(argv):
        return (*argv[: at + 1], "--no-fix", *argv[at + 1 :])
    return tuple(argv)


def find_tool(argv: Sequence[str]) -> tuple[str, int]:
    """Return the program, or the module that python is to run, and where its arguments begin."""
    at = next((at for at in range(1, len(argv)) if argv[at] not in PYTHON_FLAGS), len(argv))
    if _is_python(argv[0]) and list(argv[at : at + 1]) == ["-m"]:
        return "".join(argv[at + 1 : at + 2]), at + 2
    return argv[0], 1


def _refuse_form(argv: Sequence[str]) -> str | None:
    if not argv or not argv[0].strip():
        return "the command is empty"
    if len(argv) > MOST_ARGUMENTS or sum(map(len, argv)) > LONGEST_ARGUMENTS:
        return "the command is too long"
    if any("\0" in argument for argument in argv):
        return "an argument holds a NUL"
    word = next((argument for argument in (argv[0], *expose(argv)) if argument in _SHELL_WORDS), None)
    if word is not None:
        return f"there is no shell, so {word!r} would be an argument: give one program at a time"
    return None


def refuse_variable(name: str) -> str | None:
    """Say why an environment variable must not reach a command."""
    if name in VARIABLES or re.fullmatch(r"LC_[A-Z]+", name):
        return None
    if not _VARIABLE.fullmatch(name):
        return "it is not the name of a variable"
    if _SECRET_VARIABLE.search(name):
        return f"{name} is named like a secret"
    return f"{name} is not on the list of variables that commands may see"


def _refuse_program(program: str) -> str | None:
    if "=" in program:
        return "variables are not set on a command"
    name = _known(program.replace("\\", "/").rsplit("/", 1)[-1])
    if name in REFUSED:
        return REFUSED[name]
    if name.startswith("git-"):
        return "git is only run as git, to read"
    if program != program.strip() or "/" in program or "\\" in program:
        return f"{program!r} is a path: name the program alone"
    if not re.fullmatch(r"[\w.+-]+", program, re.ASCII) or program.startswith(("-", ".")):
        return f"{program!r} is not the name of a program"
    return None


def _refuse_handing(arguments: Sequence[str]) -> str | None:
    """Look for what an unknown program might start."""
    handed = next((each for each in arguments if _known(each.rsplit("/", 1)[-1]) in STARTERS), None)
    return f"it would hand {handed!r} on to another program" if handed is not None else None


def _known(program: str) -> str:
    """Fold a program's name: letter case, `.exe`, and a version as in python3.11."""
    return re.sub(r"(?<=[a-z])-?\d[\d.]*$", "", program.casefold().removesuffix(".exe"))


def _is_python(program: str) -> bool:
    return re.fullmatch(r"python[\d.]*", program, re.ASCII) is not None


def _is_listed(program: str) -> bool:
    """Say whether a program is on the list under exactly this name: another one is another program."""
    return program in _JUDGES or program in READERS or _is_python(program)


def _judge(program: str) -> Callable[[Sequence[str]], str | None]:
    if _is_python(program):
        return _refuse_python
    return _JUDGES[program] if program in _JUDGES else READERS[program].refuse


def _refuse_ruff(arguments: Sequence[str]) -> str | None:
    if list(arguments) in (["--version"], ["-V"]):
        return None
    return _refuse_sub("ruff", RUFF, arguments)


def _refuse_git(arguments: Sequence[str]) -> str | None:
    rest = _unpaged(arguments)
    if rest in (["--version"], ["version"]):
        return None
    if any("@{" in argument for argument in rest):
        return "the reflog is not read"
    return _refuse_sub("git", GIT, rest)


def _unpaged(arguments: Sequence[str]) -> list[str]:
    return list(arguments[1:] if arguments and arguments[0] == "--no-pager" else arguments)


def _refuse_sub(program: str, shapes: Mapping[str, Shape], arguments: Sequence[str]) -> str | None:
    if not arguments:
        return f"{program} alone does nothing here"
    shape = shapes.get(arguments[0])
    if shape is None:
        return f"{program} {arguments[0]!r} is not on the list: {', '.join(shapes)}"
    return shape.refuse(arguments[1:])


def _refuse_pytest(arguments: Sequence[str]) -> str | None:
    rest = _without_plugins(arguments)
    if any(argument.startswith("-p") for argument in rest):
        return "plugins are not loaded for a model"
    return PYTEST.refuse(rest)


def _without_plugins(arguments: Sequence[str]) -> list[str]:
    """Leave out `-p no:NAME`, for plugins may be left out and never loaded, and what is allowed as it stands."""
    rest = [argument for argument in arguments if argument not in PYTEST_ALSO and not argument.startswith("-pno:")]
    for at in range(len(rest) - 2, -1, -1):
        if rest[at] == "-p" and rest[at + 1].startswith("no:"):
            del rest[at : at + 2]
    return rest


def _refuse_python(arguments: Sequence[str]) -> str | None:
    if list(arguments) in (["--version"], ["-V"]):
        return None
    index = next((i for i, argument in enumerate(arguments) if argument not in PYTHON_FLAGS), len(arguments))
    rest = arguments[index:]
    if not rest:
        return "an interpreter without a file waits for input"
    if rest[0] == "-m":
        return _refuse_module(rest[1:])
    if rest[0].startswith("-"):
        return f"the option {rest[0]!r} is not on the list: python runs a file, or -m with {', '.join(MODULES)}, ruff"
    return None if rest[0].endswith(".py") else f"{rest[0]!r} is not a Python file"


def _refuse_module(arguments: Sequence[str]) -> str | None:
    if not arguments:
        return "-m lacks a module"
    module, rest = arguments[0], arguments[1:]
    if module in REFUSED:
        return REFUSED[module]
    if module == "ruff":
        return _refuse_ruff(rest)
    if module == "pytest":
        return _refuse_pytest(rest)
    shape = MODULES.get(module)
    return shape.refuse(rest) if shape else f"python -m {module!r} is not on the list: {', '.join(MODULES)}, ruff"


_JUDGES: dict[str, Callable[[Sequence[str]], str | None]] = {
    **{name: shape.refuse for name, shape in FORMATTERS.items()},
    "git": _refuse_git,
    "mypy": MYPY.refuse,
    "pytest": _refuse_pytest,
    "python": _refuse_python,
    "ruff": _refuse_ruff,
}


def _refuse_arguments(argv: Sequence[str], scope: Sequence[str]) -> str | None:
    for argument in expose(argv):
        if argument.startswith("@"):
            return f"{argument!r} stands for arguments that nobody has judged"
        reasons = (refuse_mention(mention, scope) for mention in mentions((argument,)))
        refused = next((reason for reason in reasons if reason is not None), None)
        if refused is not None:
            return refused
    return None


def expose(argv: Sequence[str]) -> tuple[str, ...]:
    """Give the arguments that a program might take for paths: of one that is listed, all but text to look for."""
    shape, rest = _find_shape(argv)
    return shape.expose(rest) if shape is not None and shape.refuse(rest) is None else tuple(argv[1:])


def _find_shape(argv: Sequence[str]) -> tuple[Shape | None, Sequence[str]]:
    """Find the shape of a program, of a module of python or of a part of git, and the arguments that it is about."""
    program, at = find_tool(argv)
    rest = argv[at:]
    if program == "pytest":
        return PYTEST, _without_plugins(rest)
    if program == "git":
        rest = _unpaged(rest)
        return GIT.get("".join(rest[:1])), rest[1:]
    if at == 1:
        return READERS.get(program), rest
    return MODULES.get(program), rest


def mentions(arguments: Sequence[str]) -> Iterator[str]:
    """Take arguments apart where a program might find a path in them."""
    for argument in arguments:
        if argument.startswith(_EXCLUDING):
            continue
        bare = argument.partition("::")[0]
        yield bare
        yield from re.split(r"[=:,]", bare)
        if argument.startswith("-") and not argument.startswith("--"):
            yield argument[2:]
