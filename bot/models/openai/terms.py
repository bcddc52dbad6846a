"""What one server takes besides the messages: asked for once, and left out for good where it refuses."""

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Asked: TypeAlias = Literal[
    "stream_options",
    "parallel_tool_calls",
    "prompt_cache_key",
    "max_completion_tokens",
    "max_tokens",
    "max_output_tokens",
    "stream",
    "turns",
]
"""Parameters, but for the last: messages of one speaker in a row."""

REFUSALS = (400, 404, 422, 500, 501)
"""Statuses with which servers refuse what they do not know."""

_CAPS: tuple[Asked, ...] = ("max_completion_tokens", "max_tokens")
_NAMED: dict[Asked, re.Pattern[str]] = {
    "stream_options": re.compile(r"\bstream_options\b|\binclude_usage\b"),
    "parallel_tool_calls": re.compile(r"\bparallel_tool_calls\b"),
    "prompt_cache_key": re.compile(r"\bprompt_cache_key\b"),
    "max_completion_tokens": re.compile(r"\bmax_completion_tokens\b"),
    "max_tokens": re.compile(r"\bmax_tokens\b"),
    # A server that passes requests on complains in the words of another interface
    "max_output_tokens": re.compile(r"\bmax_(?:output_|completion_)?tokens\b"),
    "stream": re.compile(
        r"['\"`]stream['\"`]|stream(?:ing)? (?:is |mode )?(?:not|un)[ -]?(?:supported|available)|not support stream",
        re.IGNORECASE,
    ),
    "turns": re.compile(
        r"roles? must alternate|alternat\w+ (?:between )?user|consecutive (?:user|messages)", re.IGNORECASE
    ),
}
_TOO_MUCH = re.compile(
    r"too large|at most|maximum|exceed|less than|in the completion|must be (?:<|between)", re.IGNORECASE
)


@dataclass(slots=True)
class Terms:
    """What is still asked for."""

    cap: Asked | None = "max_tokens"
    """By which name the reply's length is bounded."""
    refused: set[Asked] = field(default_factory=set)

    def wants(self, name: Asked) -> bool:
        """Tell whether something is still asked for."""
        return name not in self.refused

    def learn(self, sent: Collection[str], param: str, words: str) -> bool:
        """Leave out of what was sent what an error refuses; False where it is about nothing of that."""
        for name, pattern in _NAMED.items():
            if name in sent and self.wants(name) and (param == name or pattern.search(words)):
                if name == self.cap:
                    return self._recap(words)
                self.refused.add(name)
                return True
        return "in the completion" in words and self.cap is not None and self._recap(words)

    def _recap(self, words: str) -> bool:
        """Bound the length by the other name, or not at all where the number is what is wrong, or both names are."""
        assert self.cap is not None
        self.refused.add(self.cap)
        others = _CAPS if self.cap in _CAPS else ()
        other = next((name for name in others if name not in self.refused), None)
        plain = other is not None and _NAMED[other].search(words)
        self.cap = other if plain or not _TOO_MUCH.search(words) else None
        return True
