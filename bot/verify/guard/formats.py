"""Formats in which tools are configured, read as names and values."""

import configparser
import json
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

Settings: TypeAlias = dict[str, str]
"""Dotted names and values, as text."""
Reader: TypeAlias = Callable[[str], Settings]
"""Raises ValueError for what it cannot read."""


class _Parser(configparser.RawConfigParser):
    """Keeps the letter case of names."""

    def optionxform(self, optionstr: str) -> str:
        """Leave a name as it is."""
        return optionstr


def read_toml(text: str) -> Settings:
    """Read TOML."""
    return dict(_flat(tomllib.loads(text), ""))


def read_json(text: str) -> Settings:
    """Read an object of JSON."""
    told = json.loads(text or "{}")
    if not isinstance(told, dict):
        raise ValueError("not an object")  # noqa: TRY004 - as for any other text that cannot be read
    return dict(_flat(told, ""))


def read_ini(text: str) -> Settings:
    """Read sections of names and values; an empty section has an empty value itself."""
    parser = _Parser(
        strict=False, default_section="\0", allow_no_value=True, comment_prefixes=("#", ";"), empty_lines_in_values=True
    )
    try:
        parser.read_string(text)
    except (configparser.Error, AttributeError) as error:
        # The parser stumbles over a line that goes on with a key that has no value
        raise ValueError(str(error)) from error
    found = {section: "{}" for section in parser.sections() if not parser.options(section)}
    for section in parser.sections():
        for name, value in parser.items(section):
            found[f"{section}.{name}"] = "\n".join(line.strip() for line in (value or "").splitlines() if line.strip())
    return found


def _flat(told: Mapping[str, object], prefix: str) -> Iterator[tuple[str, str]]:
    for name, value in told.items():
        if isinstance(value, dict) and value:
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", json.dumps(value, sort_keys=True, default=str, ensure_ascii=False)


def is_explained(before: str, after: str, values: list[str]) -> bool:
    """Tell whether all lines that differ belong to settings that do: other readers divide such a file in other ways."""
    told = {line for value in values for line in value.splitlines()}
    old, new = Counter(_lines(before)), Counter(_lines(after))
    sections = {line for line in (old - new) + (new - old) if line.startswith("[")}
    rest = [line for line in (old - new) + (new - old) if line not in sections]
    return all(line in told or re.split(r"\s*[=:]\s*", line, maxsplit=1)[-1] in told | {""} for line in rest) and (
        bool(told) or not sections
    )


def _lines(text: str) -> list[str]:
    stripped = (line.strip() for line in text.splitlines())
    return [line for line in stripped if line and not line.startswith(("#", ";"))]
