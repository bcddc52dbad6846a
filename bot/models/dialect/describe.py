"""Tools in few words, and the schema that forces a reply to be one that calls them."""

from collections.abc import Iterable, Mapping

from pydantic import JsonValue

from bot.core.message import ToolSpec

NAME = "reply"
"""Of the schema."""
SAY, CALLS = "say", "calls"
"""What a reply has: words of the model, and calls."""

_HEAD = (
    '# Tools\nAnswer with one JSON object and nothing around it: {"say": WORDS, "calls": [{"name": TOOL, "arguments": '
    "{…}}]}. WORDS are a sentence or two, calls are carried out in their order{most}, and what came of them is told "
    "to you next. An argument is text unless its kind is said; one with ? may be null."
)
_KINDS = {"integer": "int", "number": "number", "boolean": "bool", "object": "object"}


def describe(tools: Iterable[ToolSpec], *, parallel: bool = True) -> str:
    """Write what a system prompt says of tools."""
    head = _HEAD.replace("{most}", "" if parallel else ", one at a time")
    return "\n".join((head, *(f"- {tool.name}({_arguments(tool)}): {tool.description}" for tool in tools)))


def _arguments(tool: ToolSpec) -> str:
    wanted = _required(tool.parameters)
    return ", ".join(
        f"{name}{'' if name in wanted else '?'}{_kind(schema)}"
        for name, schema in _fields(tool.parameters.get("properties")).items()
    )


def _kind(schema: JsonValue) -> str:
    """Name a kind of value, with a colon before it; text needs no name."""
    kind = _fields(schema).get("type")
    if kind == "array":
        return f": [{_kind(_fields(schema).get('items')).removeprefix(': ') or 'text'}, …]"
    name = _KINDS.get(kind, "") if isinstance(kind, str) else ""
    return f": {name}" if name else ""


def constrain(tools: Iterable[ToolSpec], *, parallel: bool = True) -> dict[str, JsonValue]:
    """Return the schema of a reply: words, and calls of these tools, every part of which has to be there."""
    calls: list[JsonValue] = [
        _object({"name": {"type": "string", "const": tool.name}, "arguments": _strict(tool.parameters)})
        for tool in tools
    ]
    most: dict[str, JsonValue] = {} if parallel else {"maxItems": 1}
    return _object({SAY: {"type": "string"}, CALLS: {"type": "array", "items": {"anyOf": calls}, **most}})


def _object(properties: dict[str, JsonValue]) -> dict[str, JsonValue]:
    return {
        "type": "object",
        "properties": properties,
        "required": [*properties],
        "additionalProperties": False,
    }


def _strict(schema: JsonValue) -> dict[str, JsonValue]:
    """Have every property be there, null where it may be left out: the one form that all servers hold replies to."""
    told = _fields(schema)
    if "properties" not in told and told.get("type") != "object":
        items = {"items": _strict(told["items"])} if "items" in told else {}
        return {name: value for name, value in told.items() if name not in ("default", "title")} | items
    wanted = _required(told)
    properties: dict[str, JsonValue] = {}
    for name, inner in _fields(told.get("properties")).items():
        strict = _strict(inner)
        properties[name] = strict if name in wanted else {"anyOf": [strict, {"type": "null"}]}
    return _object(properties)


def drop_nulls(arguments: Mapping[str, JsonValue], tool: ToolSpec | None) -> dict[str, JsonValue]:
    """Leave out arguments that are null where they may be left out."""
    wanted = _required(tool.parameters) if tool is not None else ()
    return {name: value for name, value in arguments.items() if value is not None or name in wanted}


def _required(schema: Mapping[str, JsonValue]) -> tuple[JsonValue, ...]:
    required = schema.get("required")
    return tuple(required) if isinstance(required, list) else ()


def _fields(schema: JsonValue) -> Mapping[str, JsonValue]:
    return schema if isinstance(schema, dict) else {}
