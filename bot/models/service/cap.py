"""How long a reply may get: as long as there is room for, but no longer than is of use."""

from bot.core.message import Prompt
from bot.models.profile import Profile

SHORT = 16_384
"""Tokens of a reply unless more are asked for: a longer one is mostly one that has lost its way."""
LEAST, SHARE = 1_024, 32
"""Tokens of a reply that are asked for however full the window seems, or this part of it where that is more."""
DENSEST = 3
"""Bytes of a prompt for a token of it, at the least, as code has them."""


def leave_room(profile: Profile) -> int:
    """Return the tokens that a prompt may have, so that there is room for a reply of use."""
    return profile.window - min(profile.output, SHORT, profile.window // 4)


def cap_reply(profile: Profile, prompt: Prompt, size: int) -> int:
    """Return the tokens that the reply to a prompt of so many bytes may have."""
    most = profile.output if prompt.longer else min(profile.output, SHORT)
    return min(most, max(profile.window - size // DENSEST, LEAST, profile.window // SHARE))
