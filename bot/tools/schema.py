"""How arguments are described to a model, and what is said of those that do not fit."""

import json
import shlex
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Annotated, TypeAlias

from pydantic import BaseModel, BeforeValidator, Field, JsonValue, ValidationError
from pydantic_core import ErrorDetails

MOST = 3
"""Faults that are named at once."""
WIDTH = 60
"""Characters of a bad value that are repeated."""


def _listed(value: object) -> object:
    """Read one string as a list of one, and a JSON list in a string as that list: models send both."""
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith("["):
        try:
            parsed = json.loads(value)
        except (ValueError, RecursionError):
            return [value]
        return parsed if isinstance(parsed, list) else [value]
    return [value] if value else []


def _worded(value: object) -> object:
    """Read a command line as its words; no shell ever sees it."""
    return shlex.split(value) if isinstance(value, str) and not value.lstrip().startswith("[") else _listed(value)


Strings: TypeAlias = Annotated[tuple[str, ...], BeforeValidator(_listed), Field(max_length=200)]
Words: TypeAlias = Annotated[tuple[str, ...], BeforeValidator(_worded), Field(min_length=1, max_length=500)]


def outline_schema(args: type[BaseModel]) -> dict[str, JsonValue]:
    """Return the JSON schema of an argument model without what a model does not need: every request carries it."""
    full = args.model_json_schema()
    schema: dict[str, JsonValue] = {
        "type": "object",
        "properties": {name: _trimmed(value) for name, value in full.get("properties", {}).items()},
    }
    if full.get("required"):
        schema["required"] = full["required"]
    return schema


def _trimmed(value: Mapping[str, JsonValue]) -> JsonValue:
    kept = {key: item for key, item in value.items() if key in ("type", "description")}
    items = value.get("items")
    return {**kept, "items": _trimmed(items)} if isinstance(items, dict) else kept


def explain(error: ValidationError, args: type[BaseModel]) -> str:
    """Say in a line which arguments do not fit and what was expected."""
    faults = error.errors(include_url=False, include_context=False)
    told = "; ".join(_fault(fault, args) for fault in faults[:MOST])
    return told + (f"; and {len(faults) - MOST} more" if len(faults) > MOST else "")


def _fault(fault: ErrorDetails, args: type[BaseModel]) -> str:
    name = ".".join(_short(str(part)) for part in fault["loc"]) or "arguments"
    match fault["type"]:
        case "extra_forbidden":
            return f"there is no argument {name!r}{_near(name, args)}"
        case "missing":
            return f"{name} is missing"
        case "value_error" if not fault["loc"]:
            return fault["msg"].removeprefix("Value error, ")
        case _:
            return f"{name}: {fault['msg'].removeprefix('Value error, ')}, got {_short(repr(fault['input']))}"


def _near(name: str, args: type[BaseModel]) -> str:
    known = list(args.model_fields)
    near = get_close_matches(name, known, n=1)
    if near:
        return f"; did you mean {near[0]!r}?"
    return f" (there are: {', '.join(known)})" if known else " (it takes none)"


def _short(text: str) -> str:
    safe = text.encode("utf-8", "backslashreplace").decode()
    return safe if len(safe) <= WIDTH else f"{safe[:WIDTH]}…"
