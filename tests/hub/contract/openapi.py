"""GitHub's description of its interface, held against requests and answers."""

import gzip
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import unquote

import jsonschema_rs

Json: TypeAlias = Any
FILE = Path(__file__).with_name("github.json.gz")
WITH_SLASHES = ("ref", "path", "basehead", "branch")
"""Parameters that may hold slashes, at the end of a path or in the middle."""
MISSING = object()
NULL_THOUGH_DENIED = tuple(f'head/{name}: null is not of type "object"' for name in ("repo", "user"))
"""Where GitHub answers otherwise than its description says: the head of a pull request whose fork is gone."""


@dataclass(frozen=True)
class Operation:
    """One method of one path."""

    method: str
    path: str
    told: Json
    components: Json = field(repr=False)

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """What a path of this operation looks like."""
        return re.compile("".join(_part(part) for part in re.split(r"(\{\w+\})", self.path)))

    @cached_property
    def literal(self) -> int:
        """How many characters of the path are fixed; the operation with most is meant."""
        return len(re.sub(r"\{\w+\}", "", self.path))

    def faults(self, path: Mapping[str, str], query: Mapping[str, str], body: Json) -> list[str]:
        """Tell what GitHub's description says against a request."""
        return [
            *self._parameter_faults("path", path),
            *self._parameter_faults("query", query),
            *self._body_faults(body),
        ]

    def lies(self, status: int, value: Json) -> list[str]:
        """Tell what GitHub's description says against an answer; one of a status that it leaves out is not judged."""
        answers = self.told["answers"]
        if str(status) not in answers:
            return [] if status >= 400 or status in (301, 307) else [f"{self.method} {self.path}: no status {status}"]
        schema = answers[str(status)]
        if schema is None:
            return [] if value is None else [f"{self.method} {self.path}: {status} has no body"]
        found = self._errors(f"answer {status}", schema, value)
        return [f"{self.method} {self.path}: {said}" for said in found if not said.endswith(NULL_THOUGH_DENIED)]

    def complete(self, status: int, value: Json, root: str) -> Json:
        """Return an answer with every key that the description demands, plain values for those that say nothing."""
        schema = self.told["answers"].get(str(status))
        return value if schema is None else self._filled(schema, value, root)

    def _parameter_faults(self, place: str, given: Mapping[str, str]) -> list[str]:
        known = {name: entry for name, entry in self.told["parameters"].items() if entry["in"] == place}
        said = [f"{place} has no {name}" for name in given if name not in known]
        said += [f"{place} needs {name}" for name, entry in known.items() if entry["required"] and name not in given]
        for name, text in given.items():
            if name in known:
                schema = known[name]["schema"]
                said += self._errors(f"{place} {name}", schema, _read(schema, text))
        return said

    def _body_faults(self, body: Json) -> list[str]:
        schema = self.told["body"]
        if schema is None:
            return [] if body is None else ["takes no body"]
        if body is None:
            return ["needs a body"] if self.told["demanded"] else []
        return [*self._errors("body", schema, body), *self._unknown(schema, body)]

    def _unknown(self, schema: Json, body: Json) -> list[str]:
        """GitHub takes keys that it does not know and does nothing: for us each is a mistake."""
        known = self._known(schema)
        return [f"body has no {key}" for key in body if key not in known] if isinstance(body, dict) and known else []

    def _known(self, schema: Json) -> set[str]:
        schema = self._resolved(schema)
        names = set(schema.get("properties", ()))
        for word in ("oneOf", "anyOf", "allOf"):
            names = names.union(*(self._known(entry) for entry in schema.get(word, ())))
        return names

    def _errors(self, where: str, schema: Json, value: Json) -> list[str]:
        validator = _validator(self, where) or _remember(self, where, schema)
        return [
            f"{'/'.join((where, *map(str, error.instance_path)))}: {_short(error.message)}"
            for error in validator.iter_errors(value)
        ]

    def _resolved(self, schema: Json) -> Json:
        while "$ref" in schema:
            schema = self.components["schemas"][schema["$ref"].rpartition("/")[2]]
        return schema

    def _filled(self, schema: Json, value: Json, root: str) -> Json:
        schema = self._resolved(schema)
        if value is MISSING:
            value = self._plainest(schema, root)
        for entry in schema.get("allOf", ()):
            value = self._filled(entry, value, root)
        for word in ("anyOf", "oneOf"):
            if (chosen := self._alternative(schema.get(word, ()), value)) is not None:
                value = self._filled(chosen, value, root)
        if isinstance(value, list) and "items" in schema:
            return [self._filled(schema["items"], entry, root) for entry in value]
        return self._filled_object(schema, value, root) if isinstance(value, dict) else value

    def _filled_object(self, schema: Json, value: Json, root: str) -> Json:
        known = schema.get("properties", {})
        wanted = [*value, *(name for name in schema.get("required", ()) if name not in value)]
        return {
            name: self._filled(known[name], value.get(name, MISSING), root) if name in known else value[name]
            for name in wanted
            if name in value or name in known
        }

    def _alternative(self, choices: Json, value: Json) -> Json:
        names: dict[type, str] = {dict: "object", list: "array", str: "string"}
        kind = names.get(type(value), "")
        return next((entry for entry in choices if kind in _kinds(self._resolved(entry))), None)

    def _plainest(self, schema: Json, root: str) -> Json:
        kinds = _kinds(schema)
        choices = [self._resolved(entry) for word in ("anyOf", "oneOf") for entry in schema.get(word, ())]
        if "null" in kinds or any(_kinds(entry) == ["null"] for entry in choices):
            return None
        if choices:
            return self._plainest(choices[0], root)
        if "enum" in schema:
            return schema["enum"][0]
        if kinds[:1] == ["string"]:
            return {"uri": f"{root}/nowhere", "date-time": "2024-01-01T00:00:00Z"}.get(schema.get("format", ""), "")
        return {"object": {}, "array": [], "integer": 0, "number": 0, "boolean": False}.get(
            kinds[0] if kinds else "object"
        )


class Contract:
    """All operations that we speak."""

    def __init__(self, told: Json) -> None:
        self.operations = [
            Operation(method.upper(), path, entry, told["components"])
            for path, methods in told["paths"].items()
            for method, entry in methods.items()
        ]

    def find(self, method: str, path: str) -> tuple[Operation, dict[str, str]] | None:
        """Return the operation of a request and the parameters in its path."""
        found = [
            (entry, match)
            for entry in self.operations
            if entry.method == method and (match := entry.pattern.fullmatch(path))
        ]
        if not found:
            return None
        entry, match = max(found, key=lambda pair: pair[0].literal)
        return entry, {name: unquote(text) for name, text in match.groupdict().items()}


@cache
def load() -> Contract:
    """Read the description; once."""
    return Contract(json.loads(gzip.decompress(FILE.read_bytes())))


_VALIDATORS: dict[tuple[str, str, str], jsonschema_rs.Draft4Validator] = {}


def _validator(operation: Operation, where: str) -> jsonschema_rs.Draft4Validator | None:
    return _VALIDATORS.get((operation.method, operation.path, where))


def _remember(operation: Operation, where: str, schema: Json) -> jsonschema_rs.Draft4Validator:
    whole = {"allOf": [schema], "components": operation.components}
    made = jsonschema_rs.Draft4Validator(whole, validate_formats=True)
    _VALIDATORS[operation.method, operation.path, where] = made
    return made


def _part(part: str) -> str:
    if not part.startswith("{"):
        return re.escape(part)
    name = part[1:-1]
    return f"(?P<{name}>.+)" if name in WITH_SLASHES else f"(?P<{name}>[^/]+)"


def _short(text: str) -> str:
    """A value stands in the middle of most messages, whatever its size."""
    return text if len(text) <= 300 else f"{text[:150]} … {text[-150:]}"


def _kinds(schema: Json) -> list[str]:
    kind = schema.get("type", [])
    if kind:
        return kind if isinstance(kind, list) else [kind]
    return ["object"] if "properties" in schema or "allOf" in schema else []


def _read(schema: Json, text: str) -> Json:
    """Return a parameter as its schema means it; all of them come as text."""
    kinds = {kind for entry in [schema, *schema.get("oneOf", ()), *schema.get("anyOf", ())] for kind in _kinds(entry)}
    if "integer" in kinds and re.fullmatch(r"-?\d+", text):
        return int(text)
    if "boolean" in kinds and text in ("true", "false"):
        return text == "true"
    return text
