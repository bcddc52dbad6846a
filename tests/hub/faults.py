"""What goes wrong on purpose."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Manner: TypeAlias = Literal["status", "drop", "html", "cut", "slow"]
"""`drop`: the connection ends without an answer; `html`: a page with status 200; `cut`: half an answer."""
WORDS = {
    401: "Bad credentials",
    403: "Resource not accessible by integration",
    404: "Not Found",
    422: "Validation Failed",
    429: "Too Many Requests",
    500: "Server Error",
    502: "Server Error",
    503: "Service Unavailable",
    504: "We couldn't respond to your request in time. Sorry about that.",
}


@dataclass
class Fault:
    """Something that happens to some requests."""

    method: str
    pattern: "re.Pattern[str]"
    """Of the path, below the root of the interface, or git's path."""
    manner: Manner = "status"
    status: int = 500
    times: int = 1
    after: bool = False
    """Whether the request is done before it goes wrong, so that whoever asked cannot know."""
    message: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0

    def takes(self, method: str, path: str) -> bool:
        """Tell whether a request is one of its own; counts it."""
        if self.times <= 0 or self.method not in ("*", method) or not self.pattern.search(path):
            return False
        self.times -= 1
        return True

    @property
    def words(self) -> str:
        """What the answer says."""
        return self.message or WORDS.get(self.status, "Server Error")
