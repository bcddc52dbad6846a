"""Long outputs: stored whole under a reference, shown as head, tail and the lines that look like errors."""

import hashlib
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import NamedTuple

from bot.core.telling import part

CAP = 8000
"""Bytes of one output that a model is shown."""

MOST_KNOWN = 10**6
"""References that a run may have given; a record that names others is not to be believed."""

REF = re.compile(r"o[1-9][0-9]{0,8}")


class Excerpt(NamedTuple):
    """What is shown of an output, and where the whole of it is kept."""

    text: str
    ref: str = ""
    """Empty when all is shown, or the whole could not be kept."""
    cut: bool = False


def fit(output: str, store: Path, cap: int = CAP) -> Excerpt:
    """Return an output that fits; a longer one is stored whole and excerpted."""
    data = output.encode("utf-8", "backslashreplace")
    if len(data) <= cap:
        return Excerpt(data.decode())
    ref = keep(output, store)
    return Excerpt(_excerpt(data.decode().split("\n"), ref, cap), ref, cut=True)


def keep(output: str, store: Path) -> str:
    """Store an output whole and return its reference; empty where it could not be kept."""
    try:
        return _keep(output.encode("utf-8", "backslashreplace"), store)
    except OSError:
        return ""  # a full disk must not take the part that can be shown away


def kept(ref: str, store: Path) -> str | None:
    """Read a stored output back, or None when there is none of that name."""
    if not REF.fullmatch(ref):
        return None
    found = next(iter(store.glob(f"{ref}-*.txt")), None)
    return found.read_bytes().decode("utf-8", "replace") if found else None


def reserve(refs: Iterable[str], store: Path) -> None:
    """Give none of these references again: to an earlier process they stood for something that is not here."""
    known = (int(ref[1:]) for ref in refs if REF.fullmatch(ref))
    last = max((number for number in known if number <= MOST_KNOWN), default=0)
    if not last:
        return
    # A disk that does not take this takes no answer either
    with suppress(OSError):
        store.mkdir(parents=True, exist_ok=True)
        (store / f"o{last}.ref").touch()


def _number(path: Path) -> int:
    return int(path.stem[1:]) if REF.fullmatch(path.stem) else 0


def _keep(data: bytes, store: Path) -> str:
    """Store an output; the same bytes get the same reference, so that a repeated call is seen to repeat itself."""
    store.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256(data).hexdigest()[:16]
    known = next(iter(store.glob(f"o*-{digest}.txt")), None)
    return known.name.partition("-")[0] if known else _claim(data, store, digest)


def _claim(data: bytes, store: Path, digest: str) -> str:
    for number in count(1 + max(map(_number, store.glob("o*.ref")), default=0)):
        ref = f"o{number}"
        try:
            (store / f"{ref}.ref").touch(exist_ok=False)  # reads run side by side: the first one has the number
        except FileExistsError:
            continue
        (store / f"{ref}-{digest}.txt").write_bytes(data)
        return ref
    raise AssertionError("count never ends")


def _excerpt(lines: Sequence[str], ref: str, cap: int) -> str:
    kept = part(lines, cap - 300)
    page = f'read_output(ref="{ref}", start={len(kept.head) + 1})' if ref else "they could not be kept"
    note = f"… {kept.middle} lines left out; {page}"
    if kept.said:
        note += f"; of them, lines that look like errors ({len(kept.said)} of {len(kept.said) + kept.left}):"
    shown = [f"{said.number:>6}: {said}" for said in kept.said]
    return "\n".join([*kept.head, note, *shown, *(["…"] if shown else []), *kept.tail])
