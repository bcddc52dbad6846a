"""Which programs may be run for a model, with which arguments; which variables they may see."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from bot.core.paths import refuse_mention
from bot.core.shapes import GIT, MODULES, MYPY, PYTEST, PYTHON_FLAGS, READERS, RUFF, Shape, words

MOST_ARGUMENTS = 200
LONGEST_ARGUMENTS = 32_000

VARIABLES = words(
    """
        CI COLORTERM COLUMNS FORCE_COLOR GIT_AGENT_REPORT_FD GOROOT HOME JAVA_HOME LANG LANGUAGE LINES LOGNAME
        NO_COLOR PATH PYTHONDONTWRITEBYTECODE PYTHONHASHSEED PYTHONIOENCODING PYTHONNOUSERSITE PYTHONUNBUFFERED
        PYTHONUTF8 RUSTUP_HOME SOURCE_DATE_EPOCH SSL_CERT_DIR SSL_CERT_FILE TEMP TERM TMP TMPDIR TZ USER
    """
)
_SECRET_VARIABLE = re.compile(r"TOKEN|SECRET|PASSW|CREDENTIAL|_KEY|KEY_|APIKEY|AUTH", re.IGNORECASE)
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

_FAMILIES = {
    "shells are not run: give one program and its arguments": """
        sh bash zsh dash ksh mksh fish csh tcsh ash busybox cmd powershell pwsh
    """,
    "package managers are not run: a new dependency needs a person": """
        pip pipx uv uvx poetry pdm conda mamba micromamba easy_install hatch tox nox npm npx yarn pnpm bun gem
        bundle cargo go apt apt-get aptitude dpkg dnf yum rpm brew apk pacman snap nix virtualenv
    """,
    "programs that reach the network are not run": """
        curl wget nc ncat netcat ssh scp sftp rsync ftp telnet socat dig nslookup host ping gh hub glab aws
        gcloud az kubectl docker podman twine
    """,
    "programs that change who runs are not run": """
        sudo su doas pkexec chroot unshare nsenter setpriv runuser mount umount bwrap
    """,
    "programs that start other programs are not run: name the program itself": """
        env xargs nohup timeout time nice ionice setsid watch exec eval command script strace ltrace gdb
        parallel stdbuf entr make cmake ninja just bazel gradle mvn coverage sed awk gawk mawk vi vim ed ex
    """,
    "other interpreters are not run: declare a check for it": """
        node deno perl ruby php lua tclsh osascript java rscript julia ipython
    """,
    "files are changed with the editing tools": """
        rm rmdir mv cp ln mkdir touch chmod chown dd tee truncate install patch shred unzip tar
    """,
}
_REFUSED = {program: reason for reason, programs in _FAMILIES.items() for program in words(programs)}

_EXCLUDING = ("--exclude=", "--exclude-dir=", "--ignore=", "--ignore-glob=", "--deselect=")
"""What these name is left alone, whatever it is."""
_SHELL_WORDS = frozenset({"|", "||", "&&", ";", "&", ">", ">>", "<", "<<", "2>", "2>&1", "&>"})


def refuse_command(argv: Sequence[str]) -> str | None:
    """Say why a command must not be run for a model. There is no shell: each argument reaches the program as it is."""
    if not argv or not argv[0].strip():
        return "the command is empty"
    if len(argv) > MOST_ARGUMENTS or sum(map(len, argv)) > LONGEST_ARGUMENTS:
        return "the command is too long"
    if any("\0" in argument for argument in argv):
        return "an argument holds a NUL"
    word = next((argument for argument in argv if argument in _SHELL_WORDS), None)
    if word is not None:
        return f"there is no shell, so {word!r} would be an argument: give one program at a time"
    refused = _refuse_program(argv[0])
    if refused is None:
        refused = _judge(argv[0])(argv[1:])
    return refused or _refuse_arguments(argv[1:])


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
    if name in _REFUSED:
        return _REFUSED[name]
    if program != program.strip() or "/" in program or "\\" in program:
        return f"{program!r} is a path: name the program alone"
    if name not in _JUDGES and name not in READERS:
        return f"{program!r} is not on the list of programs: {', '.join(sorted({*_JUDGES, *READERS}))}"
    return None


def _known(program: str) -> str:
    """Fold a program's name: letter case, `.exe`, and a version as in python3.11."""
    return re.sub(r"(?<=[a-z])-?\d[\d.]*$", "", program.casefold().removesuffix(".exe"))


def _judge(program: str) -> Callable[[Sequence[str]], str | None]:
    name = _known(program)
    return _JUDGES[name] if name in _JUDGES else READERS[name].refuse


def _refuse_ruff(arguments: Sequence[str]) -> str | None:
    if list(arguments) in (["--version"], ["-V"]):
        return None
    return _refuse_sub("ruff", RUFF, arguments)


def _refuse_git(arguments: Sequence[str]) -> str | None:
    rest = list(arguments[1:] if arguments and arguments[0] == "--no-pager" else arguments)
    if any("@{" in argument for argument in rest):
        return "the reflog is not read"
    return _refuse_sub("git", GIT, rest)


def _refuse_sub(program: str, shapes: Mapping[str, Shape], arguments: Sequence[str]) -> str | None:
    if not arguments:
        return f"{program} alone does nothing here"
    shape = shapes.get(arguments[0])
    if shape is None:
        return f"{program} {arguments[0]!r} is not on the list: {', '.join(shapes)}"
    return shape.refuse(arguments[1:])


def _refuse_pytest(arguments: Sequence[str]) -> str | None:
    """Judge as its shape does, but for `-p no:NAME`: plugins may be left out, and never loaded."""
    rest = list(arguments)
    while "-p" in rest:
        at = rest.index("-p")
        if not "".join(rest[at + 1 : at + 2]).startswith("no:"):
            return "plugins are not loaded for a model"
        del rest[at : at + 2]
    return PYTEST.refuse(rest)


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
    if module in _REFUSED:
        return _REFUSED[module]
    if module == "ruff":
        return _refuse_ruff(rest)
    if module == "pytest":
        return _refuse_pytest(rest)
    shape = MODULES.get(module)
    return shape.refuse(rest) if shape else f"python -m {module!r} is not on the list: {', '.join(MODULES)}, ruff"


_JUDGES: dict[str, Callable[[Sequence[str]], str | None]] = {
    "git": _refuse_git,
    "mypy": MYPY.refuse,
    "pytest": _refuse_pytest,
    "python": _refuse_python,
    "ruff": _refuse_ruff,
}


def _refuse_arguments(arguments: Sequence[str]) -> str | None:
    for argument in arguments:
        if argument.startswith("@"):
            return f"{argument!r} stands for arguments that nobody has judged"
        if argument.startswith(_EXCLUDING):
            continue
        reasons = (refuse_mention(candidate) for candidate in _candidates(argument))
        refused = next((reason for reason in reasons if reason is not None), None)
        if refused is not None:
            return refused
    return None


def _candidates(argument: str) -> Iterator[str]:
    """Give all that a program might take for a path in one argument."""
    bare = argument.partition("::")[0]
    yield bare
    yield from re.split(r"[=:,]", bare)
    if argument.startswith("-") and not argument.startswith("--"):
        yield argument[2:]
