"""What both interfaces are asked for beside the conversation: tools, a cap, a cache, a stream."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field

from pydantic import JsonValue

from bot.core.message import Prompt, ToolSpec
from bot.models.openai.terms import Terms
from bot.models.profile import Profile
from bot.models.service.cap import cap_reply


@dataclass(slots=True)
class Offer:
    """Writes the tools of a conversation, once."""

    spell: Callable[[ToolSpec], bytes]
    _tools: tuple[ToolSpec, ...] = field(default=(), init=False)
    _written: bytes = field(default=b"", init=False)

    def write(self, tools: tuple[ToolSpec, ...]) -> bytes:
        """Return tools as a field of a request, behind a comma; nothing where there are none."""
        if tools != self._tools:
            self._tools = tools
            self._written = b',"tools":[%b]' % b",".join(map(self.spell, tools)) if tools else b""
        return self._written


def name_parameters(prompt: Prompt, profile: Profile, terms: Terms, size: int, *, key: bool) -> dict[str, JsonValue]:
    """Return the parameters of a request of `size` bytes that the service takes; `key` where it has a cache by name."""
    told: dict[str, JsonValue] = {}
    if prompt.tools and not profile.parallel and terms.wants("parallel_tool_calls"):
        told["parallel_tool_calls"] = False
    if terms.cap is not None:
        told[terms.cap] = cap_reply(profile, prompt, size)
    if key and terms.wants("prompt_cache_key"):
        told["prompt_cache_key"] = name_cache(prompt)
    if terms.wants("stream"):
        told["stream"] = True
    return told


def name_cache(prompt: Prompt) -> str:
    """Name the cache of one conversation: what begins alike is found there."""
    first = prompt.messages[0].text if prompt.messages else ""
    return f"git-agent-{hashlib.sha256(f'{prompt.system}{first}'.encode('utf-8', 'surrogatepass')).hexdigest()[:24]}"
