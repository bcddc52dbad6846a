"""An answer that is none of success."""

import json
from collections.abc import Mapping
from typing import NamedTuple

from bot.errors import ModelError
from bot.models.openai.reply import Fault, read_error
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
        """What it says, whatever form it has."""
        try:
            told = json.loads(self.body[:READ])
        except (ValueError, RecursionError):
            return Fault("", self.body[:READ])
        # A list of one is how Gemini has it
        first = told[0] if isinstance(told, list) and told else told
        return read_error(first) if isinstance(first, dict) else Fault("", str(first))

    def explain(self, secret: str) -> ModelError:
        """Say what it means."""
        fault = self.fault
        return from_status(self.status, self.headers, fault.code, fault.message, secret=secret)
