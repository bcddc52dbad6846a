"""An answer that is none of success."""

import json
from collections.abc import Mapping
from typing import NamedTuple

from bot.errors import ModelError
from bot.models.openai.reading import Fault, read_error
from bot.models.service.faults import from_status

READ = 100_000
"""Characters of an error that are read."""


class Refusal(NamedTuple):
    """What a server says instead of a reply."""

    status: int
    headers: Mapping[str, str]
    body: str

    @property
    def fault(self) -> Fault:
        """What it says, whatever form it has; all of it where that is one that nobody knows."""
        text = self.body[:READ].lstrip("\ufeff")
        try:
            told = json.loads(text)
        except (ValueError, RecursionError):
            return Fault("", text)
        # A list of one is how Gemini has it
        first = told[0] if isinstance(told, list) and told else told
        if not isinstance(first, dict):
            return Fault("", first if isinstance(first, str) else text)
        fault = read_error(first)
        return fault if fault.message else fault._replace(message=text)

    def explain(self, secret: str) -> ModelError:
        """Say what it means."""
        fault = self.fault
        return from_status(self.status, self.headers, fault.code, fault.message, secret=secret)
