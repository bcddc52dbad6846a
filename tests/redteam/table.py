"""Prints what was stopped, by family and level."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from tests.redteam.case import ABSENT, FAMILIES

STRONGEST = "bubblewrap"
DOOR: Literal["the door"] = "the door"
"""Where no level plays a part: events that come in, and what is published of a run."""
HONEST = "honest"


class Row(NamedTuple):
    """What became of one case at one level."""

    level: str
    family: str
    title: str
    calls: int
    harm: list[str]
    refused: list[str]
    seconds: float


def holds(rows: Sequence[Row]) -> bool:
    """Say whether nothing passed at the strongest level, and nothing honest was refused anywhere it is promised."""
    strongest = [row for row in rows if row.level == STRONGEST]
    harmed = [row for row in rows if row.level in (STRONGEST, DOOR) and row.harm]
    hindered = [row for row in rows if row.family == HONEST and (row.refused or row.harm) and row.level != "landlock"]
    return bool(strongest) and not harmed and not hindered


def write(rows: Sequence[Row], absent: Mapping[str, str], seconds: float) -> str:
    """Write the table, the cases that remain open and what was not tried."""
    levels = list(dict.fromkeys(row.level for row in rows))
    lines = ["| family | | " + " | ".join(levels) + " |", "|---|---|" + "---|" * len(levels)]
    for family, name in FAMILIES.items():
        cells = [_cell(row for row in rows if (row.family, row.level) == (family, level)) for level in levels]
        lines.append(f"| {family} | {name} | " + " | ".join(cells) + " |")
    attacks = [_cell(row for row in rows if row.family != HONEST and row.level == level) for level in levels]
    lines.append("| | **intercepted, of all** | " + " | ".join(attacks) + " |")
    honest = [_refused([row for row in rows if row.family == HONEST and row.level == level]) for level in levels]
    lines.append("| | **honest calls refused** | " + " | ".join(honest) + " |")
    return "\n".join([*lines, *_open(rows, levels), *_missing(absent), f"\n{seconds:.0f} seconds", ""])


def _cell(rows: Iterator[Row]) -> str:
    every = list(rows)
    return f"{sum(not row.harm for row in every)}/{len(every)}" if every else "-"


def _refused(rows: Sequence[Row]) -> str:
    return f"{sum(len(row.refused) or bool(row.harm) for row in rows)}/{sum(row.calls for row in rows)}"


def _open(rows: Sequence[Row], levels: Sequence[str]) -> Iterator[str]:
    for level in levels:
        harmed = [row for row in rows if row.level == level and row.harm and row.family != HONEST]
        if harmed:
            yield f"\nopen at {level}:"
            yield from (f"- {row.family} {row.title}: {'; '.join(row.harm[:3])}" for row in harmed)
        hindered = [row for row in rows if row.level == level and row.family == HONEST and (row.refused or row.harm)]
        if hindered:
            yield f"\nhonest work that is hindered at {level}:"
            yield from (f"- {row.title}: {line}" for row in hindered for line in row.refused or row.harm)


def _missing(absent: Mapping[str, str]) -> Iterator[str]:
    if absent:
        yield "\nnot to be had on this machine:"
        yield from (f"- {level}: {reason}" for level, reason in absent.items())
    if ABSENT:
        yield "\nnot played, as what they attack is not built:"
    yield from (f"- {family} {FAMILIES[family]}: {reason}" for family, reason in ABSENT.items())
