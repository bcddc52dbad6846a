"""A conversation as items: what was said, each call, and what came of each.

What the model said to itself is left out, as the service keeps nothing for us (`store` is off). A call is known by its
`call_id` only: with the item's own id it would be refused unless the reasoning before it came along.
"""

from collections.abc import Iterator

from bot.core.message import Message
from bot.models.openai.messages import Item, Spelling
from bot.models.service.identity import fit_id, fit_name
from bot.models.service.writing import dump_arguments


def _said(text: str) -> Item:
    return {"type": "message", "role": "user", "content": text}


def _reply(message: Message) -> Iterator[Item]:
    if message.text.strip():
        yield {"type": "message", "role": "assistant", "content": message.text}
    for call in message.calls:
        yield {
            "type": "function_call",
            "call_id": fit_id(call.id),
            "name": fit_name(call.name),
            "arguments": dump_arguments(call).decode(),
        }


def _phased(message: Message) -> Iterator[Item]:
    """Tell the words before a call from an answer, as newer models of the service itself do."""
    phase = "commentary" if message.calls else "final_answer"
    yield from (item | {"phase": phase} if item["type"] == "message" else item for item in _reply(message))


def _answer(call: str, text: str) -> Item:
    return {"type": "function_call_output", "call_id": call, "output": text}


ITEMS = Spelling(_said, _reply, _answer)
PHASED = Spelling(_said, _phased, _answer)
