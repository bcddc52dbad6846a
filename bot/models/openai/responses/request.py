"""Requests: the bytes that ask for the next reply, beginning with all that was sent before."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

from bot.core.message import Prompt, ToolSpec
from bot.models.openai.messages import Conversation
from bot.models.openai.offer import Offer, name_parameters
from bot.models.openai.responses.items import ITEMS, PHASED
from bot.models.openai.terms import Terms
from bot.models.profile import Profile
from bot.models.service.identity import fit_name
from bot.models.service.writing import dump


@dataclass(slots=True)
class Writer:
    """Writes the requests of one model."""

    profile: Profile
    terms: Terms
    key: bool = False
    """Whether it is OpenAI itself that is asked."""
    _conversation: Conversation = field(init=False)
    _offer: Offer = field(default_factory=lambda: Offer(_write_tool), init=False)
    _sent: frozenset[str] = field(default=frozenset(), init=False)
    """What the last request asked for."""

    def __post_init__(self) -> None:
        self._conversation = Conversation(spelling=PHASED if self.key else ITEMS)

    def write(self, prompt: Prompt, extra: Mapping[str, JsonValue] | None = None) -> bytes:
        """Return the body of a request."""
        head: dict[str, JsonValue] = {"model": self.profile.name}
        if prompt.system:
            head["instructions"] = prompt.system
        told, tools = self._conversation.write(prompt.messages), self._offer.write(prompt.tools)
        begun = dump(head)[:-1]
        more = self._parameters(prompt, len(begun) + len(told) + len(tools)) | _format(extra or {})
        self._sent = frozenset(more)
        return b"".join((begun, b',"input":[', told, b"]", tools, b",", dump(more)[1:]))

    def learn(self, param: str, words: str) -> bool:
        """Leave out from now on what an error refuses; False where asking again would be no use."""
        return self.terms.learn(self._sent, param, words)

    def _parameters(self, prompt: Prompt, size: int) -> dict[str, JsonValue]:
        # Nothing is left with the service
        return {"store": False, **name_parameters(prompt, self.profile, self.terms, size, key=self.key)}


def _write_tool(tool: ToolSpec) -> bytes:
    return dump(
        {
            "type": "function",
            "name": fit_name(tool.name),
            "description": tool.description,
            "parameters": tool.parameters,
            "strict": False,
        }
    )


def _format(extra: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Say in this interface's words what form a text is to have; all else is as in the other one."""
    told = dict(extra)
    form = told.pop("response_format", None)
    if isinstance(form, dict):
        schema = form.get("json_schema")
        flat = {"type": "json_schema", **schema} if isinstance(schema, dict) else form
        told["text"] = {"format": flat}
    return told
