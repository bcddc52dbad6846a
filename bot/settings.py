"""What a person has set: flags > environment > git config > the project's pyproject.toml > defaults."""

import math
import shlex
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal, NamedTuple

from pydantic import TypeAdapter, ValidationError

from bot.core.check import Check, Rung
from bot.core.task import Consent, Isolation, Limits, Record, Trust
from bot.errors import ConfigError


class Settings(Record):
    """Every key is the same in `GIT_AGENT_KEY`, `git config agent.key` and `[tool.git-agent]`."""

    model: str = ""
    python: str = ""
    isolation: Isolation = "auto"
    trust: Trust = "trusted"
    consent: Consent | Literal["auto"] = "auto"
    """`auto` asks a person on a terminal and says no elsewhere."""
    scope: tuple[str, ...] = ()
    protect: tuple[str, ...] = ()
    carry: tuple[str, ...] = ()
    """Ignored folders that the checks need, on top of `.venv`, `venv` and `node_modules`."""
    checks: tuple[Check, ...] = ()
    max_turns: int | None = Limits().turns
    max_steps: int | None = Limits().steps
    max_seconds: float | None = Limits().seconds
    max_tokens: int | None = Limits().tokens
    max_cost: float | None = Limits().cost

    def limits(self) -> Limits:
        """Return the limits of one run."""
        return Limits(
            turns=self.max_turns,
            steps=self.max_steps,
            seconds=self.max_seconds,
            tokens=self.max_tokens,
            cost=self.max_cost,
        )


class Origin(NamedTuple):
    """One place where settings come from."""

    name: str
    """How a person would call it, such as `git config agent.{dashed}`; see `spell`."""
    values: Mapping[str, object]

    def spell(self, key: str) -> str:
        """Name a key as a person writes it here."""
        dashed = "check" if key == "checks" else key.replace("_", "-")
        return self.name.format(key=key, upper=key.upper(), dashed=dashed)


LISTS = ("scope", "protect", "carry", "checks")

OTHER_VARIABLES = frozenset({"GIT_AGENT_DEBUG"})
"""Variables that begin like settings and are none."""

PROJECT_KEYS = frozenset({"protect", "carry", "checks", "scope"})
"""What the repository under change may say: how it is checked and what is off limits, never what a run may do."""


def load(origins: Sequence[Origin]) -> Settings:
    """Merge settings, the strongest origin first. Raises ConfigError."""
    merged: dict[str, object] = {}
    for origin in origins:
        for key, value in origin.values.items():
            name = key.replace("-", "_").lower()
            if name not in Settings.model_fields:
                raise ConfigError(f"there is no setting {key!r} ({origin.spell(key)})", _known())
            if name not in merged:
                merged[name] = _parse(name, value, origin.spell(key))
    return Settings.model_validate(merged)


_NUMBERS = {
    "max_turns": "a whole number from 0 up",
    "max_steps": "a whole number from 0 up",
    "max_tokens": "a whole number from 0 up",
    "max_seconds": "a number from 0 up",
    "max_cost": "a number from 0 up",
}

LONGEST_QUOTE = 80
"""Characters of a wrong value that a message repeats."""


def _known() -> str:
    return f"the settings are {', '.join(sorted(Settings.model_fields))}"


def _parse(name: str, value: object, where: str) -> object:
    if name == "checks":
        return _checks(value, where)
    if name in LISTS and isinstance(value, str):
        value = tuple(value.split())
    try:
        annotation: Any = Settings.model_fields[name].annotation
        parsed = TypeAdapter(annotation).validate_python(value)
    except ValidationError as error:
        raise ConfigError(f"{where}: expected {_expectation(name, error)}, not {_quote(value)}") from error
    # Not a number compares as false with everything, and would be a limit that is never reached
    if isinstance(parsed, int | float) and not 0 <= parsed < math.inf:
        raise ConfigError(f"{where}: expected {_NUMBERS[name]}, not {_quote(value)}")
    return parsed


def _expectation(name: str, error: ValidationError) -> str:
    if name in _NUMBERS:
        return _NUMBERS[name]
    words = error.errors(include_url=False)[0]["msg"]
    return words.removeprefix("Input should be ").removeprefix("a valid ")


def _quote(value: object) -> str:
    text = repr(value)
    return text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}…"


def _checks(value: object, where: str) -> tuple[Check, ...]:
    if isinstance(value, Mapping):
        return tuple(_declared(str(name), entry, where) for name, entry in value.items())
    lines = value.splitlines() if isinstance(value, str) else value if isinstance(value, list | tuple) else None
    if lines is None:
        raise ConfigError(f"{where}: expected NAME=COMMAND, not {_quote(value)}")
    return tuple(line if isinstance(line, Check) else parse_check(str(line), where) for line in lines)


def _declared(name: str, entry: object, where: str) -> Check:
    if isinstance(entry, str):
        return parse_check(f"{name}={entry}", where)
    if not isinstance(entry, Mapping) or not isinstance(entry.get("command"), str):
        raise ConfigError(f"{where}: check {name!r} needs a command")
    plain = parse_check(f"{name}={entry['command']}", where)
    rest = {str(key): item for key, item in entry.items() if key != "command"}
    try:
        return Check.model_validate({**plain.model_dump(), **rest})
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        raise ConfigError(f"{where}: check {name!r}: {'.'.join(map(str, problem['loc']))}: {problem['msg']}") from error


def parse_check(text: str, where: str) -> Check:
    """Read a declared check, `NAME=COMMAND`. Raises ConfigError."""
    name, equals, command = text.partition("=")
    try:
        argv = tuple(shlex.split(command))
    except ValueError as error:
        raise ConfigError(f"{where}: {_quote(text)}: {str(error).lower()}") from error
    if not equals or not argv or not name.strip().replace("-", "_").isidentifier():
        raise ConfigError(
            f"{where}: expected NAME=COMMAND, not {_quote(text)}", "for example --check unit='python -m pytest'"
        )
    return Check(name=name.strip(), rung=Rung.INTEGRATION, argv=argv, reason=f"declared in {where}")


def from_environment(environ: Mapping[str, str]) -> Origin:
    """Read `GIT_AGENT_*`."""
    prefix = "GIT_AGENT_"
    found = {k.removeprefix(prefix).lower(): v for k, v in environ.items() if k.startswith(prefix)}
    return Origin("GIT_AGENT_{upper}", {k: v for k, v in found.items() if k in Settings.model_fields})


_CONFIG_NAMES = {"check": "checks", **{name.replace("_", ""): name for name in Settings.model_fields}}
"""Git folds the case of a key and allows no underscore in it."""


def from_git_config(pairs: Sequence[tuple[str, str]]) -> Origin:
    """Read `agent.*` from pairs of lower-case key and value, weakest scope first; lists add up."""
    values: dict[str, object] = {}
    for key, value in pairs:
        plain = key.removeprefix("agent.").replace("-", "").replace("_", "")
        name = _CONFIG_NAMES.get(plain, plain)
        if name == "checks":
            values[name] = f"{values[name]}\n{value}" if name in values else value
        elif name in Settings.model_fields:
            values[name] = value
    return Origin("git config agent.{dashed}", values)


def from_project(pyproject: bytes | None) -> tuple[Origin, tuple[str, ...]]:
    """Read `[tool.git-agent]` of the base commit; also returns notes on keys that a project may not set."""
    if pyproject is None:
        return Origin("[tool.git-agent]", {}), ()
    try:
        table = _table(tomllib.loads(pyproject.decode()), "tool", "git-agent")
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        return Origin("[tool.git-agent]", {}), ("pyproject.toml of the base cannot be read: its settings are not used",)
    named = {str(key).replace("-", "_"): value for key, value in table.items()}
    notes = tuple(
        f"[tool.git-agent] {key} is not used: only a person may set it" for key in named if key not in PROJECT_KEYS
    )
    return Origin("[tool.git-agent] {key}", {k: v for k, v in named.items() if k in PROJECT_KEYS}), notes


def _table(document: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    for name in names:
        inner = document.get(name, {})
        document = inner if isinstance(inner, Mapping) else {}
    return document


def find_strays(environ: Mapping[str, str], config: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Name what looks like a setting of ours and is none, such as a limit with a slip of the pen."""
    variables = [key for key in environ if key.startswith("GIT_AGENT_") and key not in OTHER_VARIABLES]
    strays = [
        f"{key} is not a setting{_near(key.removeprefix('GIT_AGENT_').lower(), 'GIT_AGENT_{upper}')}"
        for key in sorted(variables)
        if key.removeprefix("GIT_AGENT_").lower() not in Settings.model_fields
    ]
    for key in dict.fromkeys(key for key, _ in config):
        plain = key.removeprefix("agent.").replace("-", "").replace("_", "")
        if plain not in _CONFIG_NAMES:
            strays.append(f"git config {key} is not a setting{_near(plain, 'git config agent.{dashed}')}")
    return tuple(strays)


def _near(word: str, name: str) -> str:
    near = get_close_matches(word, Settings.model_fields, n=1)
    return f"; did you mean {Origin(name, {}).spell(near[0])}?" if near else " and is not used"


@dataclass(frozen=True, slots=True)
class Sources:
    """The raw material of the settings, gathered by the composition root."""

    flags: Mapping[str, object]
    environ: Mapping[str, str]
    config: Sequence[tuple[str, str]]
    pyproject: bytes | None


def gather(sources: Sources) -> tuple[Settings, tuple[str, ...]]:
    """Read all sources; returns the settings and notes for the person. Raises ConfigError."""
    project, notes = from_project(sources.pyproject)
    strays = find_strays(sources.environ, sources.config)
    flags = Origin("--{dashed}", {key: value for key, value in sources.flags.items() if value not in (None, (), "")})
    return load((flags, from_environment(sources.environ), from_git_config(sources.config), project)), (*strays, *notes)
