"""A conversation with calls, told as one of text only."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.core.marker import fence
from bot.core.message import Message, Prompt, ToolCall
from bot.models.dialect.describe import CALLS, SAY, describe
from bot.models.service.arguments import clean_text, spell_arguments

LONGEST = 100
"""Characters of what a call is about."""


@dataclass(slots=True)
class Teller:
    """Tells one conversation after the other; of what a prompt has in common with the last one, nothing anew."""

    parallel: bool = True
    _heard: tuple[Message, ...] = field(default=(), init=False)
    _told: list[Message] = field(default_factory=list, init=False)
    _calls: dict[str, ToolCall] = field(default_factory=dict, init=False)

    def tell(self, prompt: Prompt) -> Prompt:
        """Put tools into the system prompt, and calls and what came of them into what is said."""
        pairs = zip(self._heard, prompt.messages, strict=False)
        same = next((index for index, (old, new) in enumerate(pairs) if old is not new and old != new), None)
        common = min(len(self._heard), len(prompt.messages)) if same is None else same
        del self._told[common:]
        for message in prompt.messages[common:]:
            self._calls |= {call.id: call for call in message.calls}
            self._told.append(tell(message, self._calls))
        self._heard = prompt.messages
        system = (
            f"{prompt.system}\n\n{describe(prompt.tools, parallel=self.parallel)}" if prompt.tools else prompt.system
        )
        return Prompt(system=system, messages=tuple(self._told), longer=prompt.longer)


def tell(message: Message, calls: Mapping[str, ToolCall]) -> Message:
    """Tell one message as text; `calls` are those made before, by their ids."""
    match message.role:
        case "user":
            return message
        case "assistant":
            return Message(role="assistant", text=write_reply(message))
        case "tool":
            call = calls.get(message.call_id or "")
            about = f"{call.name} {_shorten(call)}".strip() if call is not None else "an earlier call"
            return Message(role="user", text=f"What came of {about}:\n{fence(message.text, message.call_id or '')}")


def write_reply(message: Message) -> str:
    """Write a reply as the model should have written it."""
    calls = [{"name": call.name, "arguments": dict(spell_arguments(call))} for call in message.calls]
    return clean_text(json.dumps({SAY: message.text, CALLS: calls}, ensure_ascii=False, separators=(", ", ": ")))


def _shorten(call: ToolCall) -> str:
    return " ".join(call.about.split())[:LONGEST].replace("<<<", "")
