"""On what a verdict rests beside the tree, as far as a run can have it otherwise when it is taken up again."""

from collections.abc import Iterator

from bot.core.check import Check
from bot.core.task import Record

NAMED = 4


class Terms(Record):
    """By what trees are judged."""

    version: str = ""
    isolation: str = ""
    python: str = ""
    """The interpreter, and where it was found."""
    checks: tuple[Check, ...] = ()
    prepare: tuple[tuple[str, ...], ...] = ()
    built: tuple[str, ...] = ()
    outdated: tuple[str, ...] = ()


def differ(before: Terms, now: Terms) -> str:
    """Say what is not as it was; empty when all is."""
    return ", ".join(_differences(before, now))


def _differences(before: Terms, now: Terms) -> Iterator[str]:
    # Why a check is asked for, and how long it may take, is no part of what it says
    old, new = ({c.name: c.model_copy(update={"reason": "", "timeout": 0.0}) for c in t.checks} for t in (before, now))
    other = sorted(name for name in {*old, *new} if old.get(name) != new.get(name))
    if other:
        more = f" and {len(other) - NAMED} more" if other[NAMED:] else ""
        yield f"other checks ({' '.join(other[:NAMED])}{more})"
    if before.isolation != now.isolation:
        yield f"{now.isolation} and not {before.isolation} isolation"
    if before.python.partition(", ")[0] != now.python.partition(", ")[0]:
        yield "another interpreter"
    if (before.prepare, before.built, before.outdated) != (now.prepare, now.built, now.outdated):
        yield "other things made ready for the checks"
    if before.version != now.version:
        yield "another version of git agent"
