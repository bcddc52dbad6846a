"""The offline model: a deterministic repairer that needs no key and no network."""

from dataclasses import dataclass

from bot.core.message import Prompt, Reply
from bot.models.offline.policy import work
from bot.models.offline.replay import play


@dataclass(frozen=True, slots=True)
class OfflineModel:
    """Mends faults by rule and by search, through the same tools as any other model; it keeps nothing between calls."""

    name: str = "offline"

    def reply(self, prompt: Prompt, seconds: float | None = None) -> Reply:
        """Answer a prompt; the same prompt always gets the same answer."""
        return play(prompt, work)
