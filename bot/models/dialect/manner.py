"""How one model is asked for calls: as its service has them, until it shows that it cannot, and then as text."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from pydantic import JsonValue

from bot.core.message import Progress, Prompt, Reply
from bot.models.dialect.describe import NAME, constrain
from bot.models.dialect.read import names_call, read
from bot.models.dialect.turns import Teller

Form: TypeAlias = Literal["native", "schema", "object", "text"]
"""Calls of the service, text that a schema forces, text that is any JSON object, text."""

IN_A_ROW = 2
"""Replies that write a call as text and make none, before it is taken that the server cannot do better."""

_TOOLLESS = re.compile(
    r"\btools?\b.{0,60}(?:not|n't|un)[ -]?(?:support|allow|permit|available|implement)|not support.{0,30}\btools?\b"
    r"|support tool use|enable-auto-tool-choice|tool-call-parser|--jinja|tool[_ ]cho?ice.{0,60}(?:not|require)"
    r"|function call\w*.{0,40}not.{0,10}(?:support|allow|enable)|unsupported.{0,40}\btools?\b"
    r"|\btools?\b.{0,40}(?:extra inputs|unrecognized|unexpected|unknown)"
    r"|(?:unrecognized|unexpected|unknown).{0,40}\btools\b",
    re.IGNORECASE | re.DOTALL,
)
_NAMED = re.compile(r'"name"\s*:\s*"(\w{1,64})"')
_SAY = '"say": "'
_FORMLESS = re.compile(
    r"response_format|json_schema|json_object|json mode|structured output|guided|grammar|schema", re.IGNORECASE
)


@dataclass(slots=True)
class Manner:
    """The form of requests and replies; once it is a simpler one, it stays so as long as the process lives."""

    form: Form = "native"
    settled: bool = False
    """Whether a person said that the service's own calls are to be used."""
    parallel: bool = True
    proven: bool = False
    """Whether calls of the service are known to reach the model and to come back."""
    _named: int = field(default=0, init=False)
    """Replies in a row that wrote a call as text."""
    _teller: Teller = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._teller = Teller(self.parallel)

    def ask(self, prompt: Prompt) -> Prompt:
        """Return what is sent for a prompt."""
        return prompt if self.form == "native" else self._teller.tell(prompt)

    def parameters(self, prompt: Prompt) -> Mapping[str, JsonValue]:
        """Return what a request asks for besides."""
        if not prompt.tools or self.form not in ("schema", "object"):
            return {}
        if self.form == "object":
            return {"response_format": {"type": "json_object"}}
        forced: JsonValue = {"name": NAME, "strict": True, "schema": constrain(prompt.tools, parallel=self.parallel)}
        return {"response_format": {"type": "json_schema", "json_schema": forced}}

    def learn(self, told: str) -> bool:
        """Take a simpler form where the words of an error refuse this one; tells whether to ask again at once."""
        match self.form:
            case "native":
                return not self.settled and _TOOLLESS.search(told) is not None and self._take("schema")
            case "schema":
                return _FORMLESS.search(told) is not None and self._take("object")
            case "object":
                return _FORMLESS.search(told) is not None and self._take("text")
            case "text":
                return False

    def doubt(self, reply: Reply, prompt: Prompt) -> bool:
        """Take a simpler form where a model that never made a call answers in words; tells whether to ask again.

        Many servers leave tools out of what their model reads, and say nothing of it.
        """
        if self.form != "native" or not prompt.tools:
            return False
        self.proven = self.proven or bool(reply.calls)
        spoken = reply.finish in ("stop", "length") and bool(reply.text.strip())
        return spoken and not (self.proven or self.settled) and self._take("schema")

    def read(self, reply: Reply, prompt: Prompt) -> Reply:
        """Read a reply to a prompt, which is the one that was asked with, not what was sent for it."""
        if self.form != "native":
            return read(reply, prompt) if prompt.tools else reply
        if reply.calls or reply.finish != "stop" or not names_call(reply.text, prompt.tools):
            self._named = 0
        elif not self.settled:
            self._named += 1
            if self._named >= IN_A_ROW:
                self._take("schema")
        return reply

    def show(self, progress: Progress) -> Progress:
        """Say what has come of a reply as if its calls were the service's own."""
        if self.form == "native":
            return progress
        named = _NAMED.findall(progress.text)
        said = "" if named else progress.text.rpartition(_SAY)[2]
        return Progress(said, named[-1] if named else progress.call, progress.characters)

    def _take(self, form: Form) -> bool:
        self.form = form
        return True
