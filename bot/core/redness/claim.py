"""One thing that a tool of a CI job said is wrong: a claim, never evidence."""

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

Fault: TypeAlias = Literal["tests", "lint", "types", "build"]
Lines: TypeAlias = Sequence[str]

LONGEST = 300
"""Characters of a name or a message."""

BESIDE = r"(?:\[[\w.@/:-]{1,40}\] |[\w.@/-]{1,40} {1,20}\| |[\w.@/-]{1,30}: )?"
"""What a tool that runs others side by side writes before their lines."""
_ROOT = re.compile(
    r"(?:/home/runner/work|/Users/runner/work|/__w|[A-Za-z]:/a|/home/runner/_work|/actions-runner/_work)/[^/]+/[^/]+/"
    r"|/github/workspace/|file://"
)
"""Where a runner checks a repository out."""

ARROW = re.compile(r"\s*--> (?P<path>[^\s:][^:\n]{0,299}):(?P<line>\d{1,7}):\d+")
"""How a tool that shows source names its place."""


class Claim(NamedTuple):
    """One thing that a tool said is wrong."""

    tool: str
    fault: Fault
    name: str = ""
    """A test's id, or the code of a finding; empty where the tool only said that something failed."""
    path: str = ""
    """Relative to the repository, as far as that can be told."""
    line: int = 0
    said: str = ""

    @property
    def text(self) -> str:
        """The claim in few words."""
        if self.fault == "tests":
            return self.name or f"something that {self.tool} ran"
        where = f"{self.path}:{self.line}" if self.line else self.path
        return " ".join(filter(None, (where, self.name, self.said))) or f"something that {self.tool} looked at"


def tidy(path: str) -> str:
    """Write a path as the repository has it."""
    plain = path.strip().replace("\\", "/")
    root = _ROOT.match(plain)
    return plain[root.end() if root else 0 :].removeprefix("./")[:LONGEST]
