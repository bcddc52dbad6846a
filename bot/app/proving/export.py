"""Where a proof is written for other programs."""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bot.app.proving.annotations import annotate, summarize
from bot.app.proving.junit import Clean, write_junit
from bot.app.proving.sarif import write_sarif
from bot.app.proving.values import Judged
from bot.app.secrecy import take_secrets
from bot.core.redact import Redactor, sanitize
from bot.errors import UsageError

STANDARD = "-"
"""Stands for standard output."""

_NOT_XML = {ord(c): "\ufffd" for c in "\ufffe\uffff"}


@dataclass(frozen=True, slots=True)
class Exports:
    """Files that a person asked for; empty for none."""

    junit: str = ""
    sarif: str = ""
    annotate: bool = False
    """Whether a workflow of GitHub is told on standard output, and in the summary of its job."""
    summary: str = ""
    """File that the summary is added to."""

    @property
    def on_output(self) -> bool:
        """Whether one of them goes to standard output."""
        return STANDARD in (self.junit, self.sarif)

    def check(self, *, as_json: bool) -> None:
        """Refuse what cannot be written before anything is run. Raises UsageError."""
        if [self.junit, self.sarif].count(STANDARD) + as_json + self.annotate > 1:
            raise UsageError("only one of --json, --junit -, --sarif - and --annotate can go to standard output")
        for name in self._files():
            path = Path(name)
            place = path if path.exists() else path.parent
            if path.is_dir() or not path.parent.is_dir() or not os.access(place, os.W_OK):
                raise UsageError(f"cannot write to {name}", "name a file in a folder that exists")

    def write(self, judged: Judged) -> None:
        """Write them. Raises UsageError."""
        clean = make_clean(take_secrets().values)
        if self.junit:
            _write(self.junit, write_junit(judged, datetime.now(UTC), clean))
        if self.sarif:
            _write(self.sarif, write_sarif(judged, clean))
        if self.annotate:
            _write(STANDARD, "".join(f"{order}\n" for order in annotate(judged, clean)).encode("utf-8", "replace"))
            _add(self.summary, f"{summarize(judged, clean)}\n".encode("utf-8", "replace"))

    def _files(self) -> Sequence[str]:
        return [name for name in (self.junit, self.sarif) if name and name != STANDARD]


def make_clean(secrets: Sequence[str]) -> Clean:
    """Make what takes secrets out of a text, and what neither XML nor a terminal should hold."""
    redactor = Redactor(secrets)
    # A sequence that never ends swallows the first letter of a secret; one inside of a secret hides it
    return lambda text: redactor.text(sanitize(redactor.text(text)).translate(_NOT_XML))


def _write(name: str, content: bytes) -> None:
    if name == STANDARD:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    try:
        Path(name).write_bytes(content)
    except OSError as error:
        raise UsageError(f"cannot write to {name}: {error.strerror}") from error


def _add(name: str, content: bytes) -> None:
    if not name:
        return
    try:
        with Path(name).open("ab") as file:
            file.write(content)
    except OSError as error:
        raise UsageError(f"cannot write to {name}: {error.strerror}") from error
