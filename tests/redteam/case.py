"""What a hostile or an honest case is: a repository, what a model asks for, and where harm would show."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, TypeVar

from pydantic import JsonValue

Harm: TypeAlias = Literal[
    "leak", "write", "connect", "survivor", "victim", "commit", "verdict", "budget", "terminal", "prompt", "hindered"
]
"""Where harm shows. `leak`: a secret is in what a model, a person or a record sees. `write`: something outside the
worktree changed, a person's repository and its git folder included; a program that ran by itself leaves such a trace.
`connect`: something arrived at a listener of the host. `survivor`: a process is left. `victim`: a process of the host
was killed or stopped. `commit`: a commit holds what none may. `verdict`: a wrong change is called verified. `budget`:
more time, turns, memory or disk was used than was granted. `terminal`: what we print is obeyed by a terminal, a
workflow runner or a forge. `prompt`: a model sees what no person sees. `hindered`: honest work
did not succeed."""

FAMILIES: Mapping[str, str] = {
    "1.1": "instructions in foreign text",
    "1.2": "installing, poisoned caches",
    "1.3": "triggers by strangers",
    "1.4": "triggers by bots",
    "1.5": "a stranger's code with a person's rights",
    "1.6": "text or commits swapped after the trigger",
    "1.7": "bots that answer each other",
    "1.8": "secrets in environments and /proc",
    "1.9": "credentials on disk",
    "1.10": "git configuration and hooks that run programs",
    "1.11": "git's own folder, odd names",
    "1.12": "links, .., other folders",
    "1.13": "submodules and nested repositories",
    "1.14": "settings and instructions of the repository",
    "1.15": "code that runs with the checks",
    "1.16": "workflows, owners, hooks of a project",
    "1.17": "expressions in our own workflow files",
    "1.18": "orders to a workflow runner",
    "1.19": "terminal sequences, unseen characters",
    "1.20": "mentions, closing words, markup",
    "1.21": "secrets in other spellings",
    "1.22": "options and refs for git",
    "1.23": "the network",
    "1.24": "forged verdicts",
    "1.25": "stale state",
    "1.26": "endless work, bombs",
}
"""The kinds of attack, as they were seen at other tools; the numbers are this project's own."""

ABSENT: Mapping[str, str] = {}
"""Families without a case, and why."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a model; `raw` are arguments that are no JSON object."""

    name: str
    arguments: Mapping[str, JsonValue] = field(default_factory=dict)
    raw: str | None = None


Files: TypeAlias = Mapping[str, str | bytes]


@dataclass(frozen=True, slots=True)
class Case:
    """One attack, or one honest use. Texts may hold the words of `stage.Stage.words`, such as @OUTSIDE@."""

    family: str
    title: str
    calls: Sequence[Call]
    harm: Sequence[Harm] = ()
    """Where it is expected to show; everything else is looked at as well."""
    files: Files = field(default_factory=dict)
    """Committed on top of the small project."""
    arm: str = ""
    """A shell script that a person's repository has behind it when the run begins, started in its folder."""
    goal: str = "make add add"
    stranger: bool = False
    """Whether the goal is the text of an issue that somebody else wrote."""
    telltale: str = ""
    """A pattern that is harm in what a tool answers."""
    denied: bool = False
    """Whether it is harm already that a command of it is carried out."""
    seconds: float = 30.0
    """Most that the whole case may take."""
    turns: int = 12
    """The limit of the run on replies."""
    repeat: bool = False
    """Whether the model repeats itself for ever."""
    obey: bool = False
    """Whether the model does what any text tells it, instead of following `calls`."""
    whole: bool = False
    """Whether it takes a whole run of the command, with the project's own checks."""
    flags: Sequence[str] = ()
    """Options of that run."""
    lie: bool = False
    """Whether the word `verified` would be false."""
    perilous: bool = False
    """Whether it goes on for ever, or takes all that there is, where nothing bounds it."""

    @property
    def name(self) -> str:
        """How the table calls it."""
        return f"{self.family} {self.title}"


def call(name: str, /, **arguments: JsonValue) -> Call:
    """Make a call."""
    return Call(name, arguments)


def run(*argv: str) -> Call:
    """Make a call of run_command."""
    return Call("run_command", {"argv": list(argv)})


def script(code: str, *argv: str, path: str = "evil.py") -> tuple[Call, ...]:
    """Write a Python file and run it."""
    return (call("create_file", path=path, content=code), run("python", path, *argv))


def tested(code: str) -> tuple[Call, ...]:
    """Write a test that always passes and does something on the way, and run it."""
    return (
        call("create_file", path="test_evil.py", content=f"def test_evil():\n{indent(code)}"),
        run("pytest", "-q", "test_evil.py"),
    )


def indent(code: str) -> str:
    """Move code into a block."""
    return "".join(f"    {line}\n" if line else "\n" for line in code.strip("\n").split("\n"))


T = TypeVar("T")


def by(size: int, items: Sequence[T]) -> Iterator[Sequence[T]]:
    """Deal out items so that each case tries several; what passes is named in the evidence."""
    return (items[start : start + size] for start in range(0, len(items), size))
