"""Requests: the bytes that ask for the next reply, beginning with all that was sent before."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

from bot.core.message import Prompt, ToolSpec
from bot.models.openai.messages import Conversation
from bot.models.openai.offer import Offer, name_parameters
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
    """Whether the service has a cache that is found faster by a name of ours."""
    _conversation: Conversation = field(default_factory=Conversation, init=False)
    _offer: Offer = field(default_factory=lambda: Offer(_write_tool), init=False)
    _sent: frozenset[str] = field(default=frozenset(), init=False)
    """What the last request asked for."""

    def write(self, prompt: Prompt, extra: Mapping[str, JsonValue] | None = None) -> bytes:
        """Return the body of a request."""
        if not self.terms.wants("turns") and not self._conversation.joined:
            self._conversation.join()
        head = dump({"model": self.profile.name})[:-1]
        system = dump({"role": "system", "content": prompt.system})
        messages = b",".join(
            filter(None, (system if prompt.system else b"", self._conversation.write(prompt.messages)))
        )
        tools = self._offer.write(prompt.tools)
        size = len(messages) + len(tools)
        more = self._parameters(prompt, size) | dict(extra or {})
        self._sent = frozenset({*more, "turns"})
        tail = dump(more)[1:]
        return b"".join((head, b',"messages":[', messages, b"]", tools, b"," if more else b"", tail))

    def learn(self, param: str, words: str) -> bool:
        """Leave out from now on what an error refuses; False where asking again would be no use."""
        return self.terms.learn(self._sent, param, words)

    def _parameters(self, prompt: Prompt, size: int) -> dict[str, JsonValue]:
        told = name_parameters(prompt, self.profile, self.terms, size, key=self.key)
        if "stream" in told and self.terms.wants("stream_options"):
            told["stream_options"] = {"include_usage": True}
        return told


def _write_tool(tool: ToolSpec) -> bytes:
    function: dict[str, JsonValue] = {
        "name": fit_name(tool.name),
        "description": tool.description,
        "parameters": tool.parameters,
    }
    return dump({"type": "function", "function": function})
