"""What a person has set: flags > environment > git config > the project's pyproject.toml > defaults."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field, TypeAdapter, ValidationError

from bot.core.check import Check
from bot.core.declared import parse_command, quote, read_checks, read_lines
from bot.core.hook import HookSettings
from bot.core.project import read_table
from bot.core.task import Consent, Isolation, Limits, Trust
from bot.errors import ConfigError

MOST_WORKERS = 64
LEAST_WINDOW = 1_000
"""Tokens; less than that holds no prompt."""

_PRICE = r"^(?:|0|\d{1,6}(?:\.\d{1,9})?(?:/\d{1,6}(?:\.\d{1,9})?){1,3})$"


class Settings(HookSettings):
    """Every key is the same in `GIT_AGENT_KEY`, `git config agent.key` and `[tool.git-agent]`."""

    model: str = ""
    base_url: str = ""
    """Address of the service that has the model, where it is not the service's own."""
    window: Annotated[int, Field(ge=LEAST_WINDOW)] | None = None
    """Tokens that the model takes at once, its reply included; None for what is known of it."""
    output: Annotated[int, Field(ge=1)] | None = None
    """Most tokens of one reply, likewise."""
    price: Annotated[str, Field(pattern=_PRICE)] = ""
    """US dollars for a million tokens; empty for what is known."""
    calls: Literal["auto", "native", "schema"] = "auto"
    """How tools are called: as the service has it, or as JSON in the model's text."""
    answer_seconds: Annotated[float, Field(gt=0)] = 600.0
    """Longest wait for one answer."""
    python: str = ""
    isolation: Isolation = "auto"
    trust: Trust = "trusted"
    consent: Consent | Literal["auto"] = "auto"
    """`auto` asks a person on a terminal and says no elsewhere."""
    scope: tuple[str, ...] = ()
    protect: tuple[str, ...] = ()
    carry: tuple[str, ...] = ()
    """Ignored things that the checks need, on top of `.venv`, `venv`, `node_modules` and what was built in place."""
    prepare: tuple[tuple[str, ...], ...] = ()
    """Commands that make in a clean tree what the checks need and no commit holds."""
    network: bool = False
    """Whether checks and preparations that ask for the network get it."""
    installs: bool = False
    """Whether commands that install may run where nothing keeps them from changing the person's environment."""
    workers: Literal["auto"] | Annotated[int, Field(ge=1, le=MOST_WORKERS)] = "auto"
    """Over how many processes one check may spread its work."""
    checks: tuple[Check, ...] = ()
    include_uncommitted: bool = False
    """Whether a run starts from a snapshot of the working tree."""
    require_clean: bool = False
    """Whether a run is refused while there is uncommitted work."""
    sign: bool = False
    """Whether the commits of steps are signed with the person's own git configuration."""
    max_turns: int | None = Limits().turns
    max_steps: int | None = Limits().steps
    max_seconds: float | None = Limits().seconds
    max_tokens: int | None = Limits().tokens
    max_cost: float | None = Limits().cost
    max_files: int | None = Limits().files
    max_lines: int | None = Limits().lines
    max_bytes: int | None = Limits().bytes

    def limits(self) -> Limits:
        """Return the limits of one run."""
        return Limits(
            turns=self.max_turns,
            steps=self.max_steps,
            seconds=self.max_seconds,
            tokens=self.max_tokens,
            cost=self.max_cost,
            files=self.max_files,
            lines=self.max_lines,
            bytes=self.max_bytes,
        )


class Origin(NamedTuple):
    """One place where settings come from."""

    name: str
    """How a person would call it, such as `git config agent.{dashed}`; see `spell`."""
    values: Mapping[str, object]

    def spell(self, key: str) -> str:
        """Name a key as a person writes it here."""
        dashed = "check" if key == "checks" else key.replace("_", "-").replace("hook-", "hook.", 1)
        return self.name.format(key=key, upper=key.upper(), dashed=dashed)


LISTS = ("scope", "protect", "carry")
SUMS = ("carry", "checks", "protect")
"""What all origins add to; of anything else the strongest origin's value is the one."""

_OF_THE_DOOR = ("ATTEMPTS", "BOTS", "HANDOVER", "IDENTITY", "LABEL", "PAUSE")
OTHER_VARIABLES = frozenset({"GIT_AGENT_DEBUG"} | {f"GIT_AGENT_{name}" for name in _OF_THE_DOOR})
"""Variables that begin like settings and are none; all but the first are options of `action`."""

NARROWED = frozenset({"max_files", "max_lines", "max_bytes"})
"""What a project may set lower than it is by itself; higher only a person may."""

WIDER = "is more than it is by itself and is not used: only a person may widen it"

PROJECT_KEYS = frozenset({"protect", "carry", "checks", "scope", "prepare", "workers"}) | NARROWED
"""What the repository under change may say: how it is checked and what is off limits, never what a run may do."""


def load(origins: Sequence[Origin]) -> Settings:
    """Merge settings, the strongest origin first. Raises ConfigError."""
    merged: dict[str, object] = {}
    for origin in origins:
        for key, value in origin.values.items():
            name = key.replace("-", "_").lower()
            if name not in Settings.model_fields:
                raise ConfigError(f"there is no setting {key!r} ({origin.spell(key)})", _known())
            if name not in merged or name in SUMS:
                parsed = _parse(name, value, origin.spell(key))
                merged[name] = _add(parsed, merged.get(name, ())) if name in SUMS else parsed
    return Settings.model_validate(merged)


def _add(weaker: Any, stronger: Any) -> tuple[object, ...]:
    """Put lists together; of two checks with one name, the stronger is the one."""
    return tuple({getattr(item, "name", item): item for item in (*weaker, *stronger)}.values())


_EXPECTED = {
    "max_turns": "a whole number from 0 up",
    "max_steps": "a whole number from 0 up",
    "max_tokens": "a whole number from 0 up",
    "max_files": "a whole number from 0 up",
    "max_lines": "a whole number from 0 up",
    "max_bytes": "a whole number from 0 up",
    "max_seconds": "a number from 0 up",
    "max_cost": "a number from 0 up",
    "window": f"a whole number from {LEAST_WINDOW} up",
    "output": "a whole number from 1 up",
    **dict.fromkeys(("answer_seconds", "hook_seconds", "hook_push_seconds"), "a number above 0"),
    "price": "IN/OUT[/CACHED[/WRITTEN]], US dollars for a million tokens, or 0",
    "workers": f"auto or a whole number from 1 to {MOST_WORKERS}",
}


def _known() -> str:
    return f"the settings are {', '.join(sorted(Settings.model_fields))}"


def _parse(name: str, value: object, where: str) -> object:
    if name == "checks":
        return read_checks(value, where)
    if name == "prepare":
        return tuple(parse_command(line, where) for line in read_lines(value, "a command, or a list of them", where))
    if name in LISTS and isinstance(value, str):
        value = tuple(value.split())
    try:
        field = Settings.model_fields[name]
        # What a field asks for at its top stands beside its type
        annotation: Any = Annotated[field.annotation, *field.metadata] if field.metadata else field.annotation
        parsed = TypeAdapter(annotation).validate_python(value)
    except ValidationError as error:
        raise ConfigError(f"{where}: expected {_expectation(name, error)}, not {quote(value)}") from error
    # Not a number compares as false with everything, and would be a limit that is never reached
    if isinstance(parsed, int | float) and not 0 <= parsed < math.inf:
        raise ConfigError(f"{where}: expected {_EXPECTED[name]}, not {quote(value)}")
    return parsed


def _expectation(name: str, error: ValidationError) -> str:
    if name in _EXPECTED:
        return _EXPECTED[name]
    words = error.errors(include_url=False)[0]["msg"]
    return words.removeprefix("Input should be ").removeprefix("a valid ")


def from_environment(environ: Mapping[str, str]) -> Origin:
    """Read `GIT_AGENT_*`."""
    prefix = "GIT_AGENT_"
    # An input of a workflow that nobody gave is an empty variable
    found = {k.removeprefix(prefix).lower(): v for k, v in environ.items() if k.startswith(prefix) and v}
    return Origin("GIT_AGENT_{upper}", {k: v for k, v in found.items() if k in Settings.model_fields})


_CONFIG_NAMES = {"check": "checks", **{name.replace("_", ""): name for name in Settings.model_fields}}
"""Git folds the case of a key and allows no underscore in it."""


_TABLES = ("agent.check.", "agent.checks.")
"""How a key of one check begins: `agent.check.NAME.KEY`."""


def from_git_config(pairs: Sequence[tuple[str, str]]) -> Origin:
    """Read `agent.*` from pairs of lower-case key and value, weakest scope first; lists add up."""
    values: dict[str, object] = {}
    lines: dict[str, list[str]] = {}
    tables: dict[str, dict[str, str]] = {}
    for key, value in pairs:
        name = _CONFIG_NAMES.get(_plain(key), _plain(key))
        if key.startswith(_TABLES):
            check, _, detail = key.split(".", 2)[2].rpartition(".")
            tables.setdefault(check, {})[detail] = value
        elif name in (*SUMS, "prepare"):
            lines.setdefault(name, []).append(value)
        elif name in Settings.model_fields:
            values[name] = value
    values |= {name: "\n".join(given) for name, given in lines.items()}
    if tables:
        values["checks"] = [*lines.get("checks", []), tables]
    return Origin("git config agent.{dashed}", values)


def _plain(key: str) -> str:
    # What is about hooks stands in a section of its own: `agent.hook.fix`
    return key.removeprefix("agent.").replace("hook.", "hook", 1).replace("-", "").replace("_", "")


def from_project(pyproject: bytes | None) -> tuple[Origin, tuple[str, ...]]:
    """Read `[tool.git-agent]` of the base commit; also returns notes on keys that a project may not set."""
    table = read_table(pyproject)
    if table is None:
        return Origin("[tool.git-agent]", {}), ("pyproject.toml of the base cannot be read: its settings are not used",)
    named = {str(key).replace("-", "_"): value for key, value in table.items()}
    wide = {key for key in named.keys() & NARROWED if _is_wide(key, named[key])}
    notes = [f"[tool.git-agent] {key} {_unused(key)}" for key in named if key not in PROJECT_KEYS]
    notes += [f"[tool.git-agent] {key} {WIDER}" for key in named if key in wide]
    used = {k: v for k, v in named.items() if k in PROJECT_KEYS - wide}
    return Origin("[tool.git-agent] {key}", used), tuple(notes)


def _is_wide(key: str, value: object) -> bool:
    asked = _parse(key, value, f"[tool.git-agent] {key}")
    most = Settings.model_fields[key].default
    return not isinstance(asked, int) or asked > most


def _unused(key: str) -> str:
    if key in Settings.model_fields:
        return "is not used: only a person may set it"
    return f"is not a setting and is not used: a project may set {', '.join(sorted(PROJECT_KEYS))}"


def find_strays(environ: Mapping[str, str], config: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Name what looks like a setting of ours and is none, such as a limit with a slip of the pen."""
    variables = [key for key in environ if key.startswith("GIT_AGENT_") and key not in OTHER_VARIABLES]
    strays = [
        f"{key} is not a setting{_near(key.removeprefix('GIT_AGENT_').lower(), 'GIT_AGENT_{upper}')}"
        for key in sorted(variables)
        if key.removeprefix("GIT_AGENT_").lower() not in Settings.model_fields
    ]
    strays += [
        f"git config {key} is not a setting{_near(_plain(key), 'git config agent.{dashed}')}"
        for key in dict.fromkeys(key for key, _ in config)
        if _plain(key) not in _CONFIG_NAMES and not key.startswith(_TABLES)
    ]
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
    origins = (flags, from_environment(sources.environ), from_git_config(sources.config), project)
    settings, withheld = withhold(load(origins))
    return settings, (*strays, *notes, *withheld)


def withhold(settings: Settings) -> tuple[Settings, tuple[str, ...]]:
    """Take the network from checks that ask for it, unless the person gives it; also returns notes on that."""
    asking = [check.name for check in settings.checks if check.network]
    if settings.network or not asking:
        return settings, ()
    checks = tuple(check.model_copy(update={"network": False}) for check in settings.checks)
    text = "asks for the network and is run without it; to give it: git config agent.network true"
    return settings.model_copy(update={"checks": checks}), tuple(f"check {name} {text}" for name in asking)
