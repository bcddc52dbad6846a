"""Long outputs: stored whole under a reference, shown as head, tail and the lines that look like errors."""

import hashlib
import re
from collections.abc import Iterable, Sequence
from itertools import count
from pathlib import Path
from typing import NamedTuple

CAP = 8000
"""Bytes of one output that a model is shown."""
WIDTH = 400
"""Characters of one line in an excerpt."""

REF = re.compile(r"o[1-9][0-9]{0,8}")
TELLING = re.compile(
    r"\b(error|exception|traceback|fail(?:ed|ure|ures|s)?|fatal|panic|assert\w*|undefined|denied|refused)\b"
    r"|\w(?:Error|Exception|Warning)\b|^E\s|^\S+:\d+(?::\d+)?: ",
    re.IGNORECASE,
)


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
    try:
        ref = _keep(data, store)
    except OSError:
        ref = ""  # a full disk must not take the part that can be shown away
    return Excerpt(_excerpt(data.decode().split("\n"), ref, cap), ref, cut=True)


def kept(ref: str, store: Path) -> str | None:
    """Read a stored output back, or None when there is none of that name."""
    if not REF.fullmatch(ref):
        return None
    found = next(iter(store.glob(f"{ref}-*.txt")), None)
    return found.read_bytes().decode("utf-8", "replace") if found else None


def _keep(data: bytes, store: Path) -> str:
    """Store an output; the same bytes get the same reference, so that a repeated call is seen to repeat itself."""
    store.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256(data).hexdigest()[:16]
    known = next(iter(store.glob(f"o*-{digest}.txt")), None)
    return known.name.partition("-")[0] if known else _claim(data, store, digest)


def _claim(data: bytes, store: Path, digest: str) -> str:
    for number in count(1 + sum(1 for _ in store.glob("o*.ref"))):
        ref = f"o{number}"
        try:
            (store / f"{ref}.ref").touch(exist_ok=False)  # reads run side by side: the first one has the number
        except FileExistsError:
            continue
        (store / f"{ref}-{digest}.txt").write_bytes(data)
        return ref
    raise AssertionError("count never ends")


def _excerpt(lines: Sequence[str], ref: str, cap: int) -> str:
    share = (cap - 300) // 3
    head = _take(lines, share)
    tail = list(reversed(_take(list(reversed(lines[len(head) :])), share)))
    middle = range(len(head), len(lines) - len(tail))
    telling = _telling((number + 1, lines[number]) for number in middle)
    shown = _spread(telling, share)
    page = f'read_output(ref="{ref}", start={len(head) + 1})' if ref else "they could not be kept"
    note = f"… {len(middle)} lines left out; {page}"
    if shown:
        note += f"; of them, lines that look like errors ({len(shown)} of {len(telling)}):"
    return "\n".join([*head, note, *shown, *(["…"] if shown else []), *tail])


def _take(lines: Sequence[str], room: int) -> list[str]:
    """Return the leading lines that fit."""
    taken: list[str] = []
    for line in map(_clip, lines):
        room -= len(line.encode()) + 1
        if room < 0:
            break
        taken.append(line)
    return taken


def _telling(lines: Iterable[tuple[int, str]]) -> list[str]:
    """Return the lines that look like errors, each wording once."""
    seen: dict[str, str] = {}
    for number, line in lines:
        if TELLING.search(line[:2000]):
            seen.setdefault(line.strip(), f"{number:>6}: {_clip(line)}")
    return list(seen.values())


def _spread(lines: Sequence[str], room: int) -> list[str]:
    """Return the first and the last of them when there is no room for all."""
    if sum(len(line.encode()) + 1 for line in lines) <= room:
        return list(lines)
    first = _take(lines, room // 2)
    last = _take(list(reversed(lines[len(first) :])), room // 2)
    return [*first, *reversed(last)]


def _clip(line: str) -> str:
    if len(line) <= WIDTH:
        return line
    hit = TELLING.search(line[:100_000])
    start = max(0, hit.start() - WIDTH // 2) if hit and hit.start() > WIDTH // 2 else 0
    mark = "… " if start else ""
    return f"{mark}{line[start : start + WIDTH]} … ({len(line)} characters)"
