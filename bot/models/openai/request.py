"""Requests: the bytes that ask for the next reply, beginning with all that was sent before."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

from bot.core.message import Prompt, ToolSpec
from bot.models.openai.messages import Conversation
from bot.models.openai.terms import Terms
from bot.models.profile import Profile
from bot.models.service.cap import cap_reply
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
    _tools: tuple[ToolSpec, ...] | None = field(default=None, init=False)
    _tools_written: bytes = field(default=b"", init=False)
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
        tools = self._write_tools(prompt.tools)
        size = len(messages) + len(tools)
        more = self._parameters(prompt, size) | dict(extra or {})
        self._sent = frozenset({*more, "turns"})
        tail = dump(more)[1:]
        return b"".join((head, b',"messages":[', messages, b"]", tools, b"," if more else b"", tail))

    def learn(self, param: str, words: str) -> bool:
        """Leave out from now on what an error refuses; False where asking again would be no use."""
        return self.terms.learn(self._sent, param, words)

    def _write_tools(self, tools: tuple[ToolSpec, ...]) -> bytes:
        if tools != self._tools:
            self._tools = tools
            self._tools_written = b',"tools":[%b]' % b",".join(map(_write_tool, tools)) if tools else b""
        return self._tools_written

    def _parameters(self, prompt: Prompt, size: int) -> dict[str, JsonValue]:
        terms, told = self.terms, dict[str, JsonValue]()
        if prompt.tools and not self.profile.parallel and terms.wants("parallel_tool_calls"):
            told["parallel_tool_calls"] = False
        if terms.cap is not None:
            told[terms.cap] = cap_reply(self.profile, prompt, size)
        if self.key and terms.wants("prompt_cache_key"):
            told["prompt_cache_key"] = name_cache(prompt)
        if terms.wants("stream"):
            told["stream"] = True
            if terms.wants("stream_options"):
                told["stream_options"] = {"include_usage": True}
        return told


def _write_tool(tool: ToolSpec) -> bytes:
    function: dict[str, JsonValue] = {
        "name": fit_name(tool.name),
        "description": tool.description,
        "parameters": tool.parameters,
    }
    return dump({"type": "function", "function": function})


def name_cache(prompt: Prompt) -> str:
    """Name the cache of one conversation: what begins alike is found there."""
    first = prompt.messages[0].text if prompt.messages else ""
    return f"git-agent-{hashlib.sha256(f'{prompt.system}{first}'.encode('utf-8', 'surrogatepass')).hexdigest()[:24]}"
