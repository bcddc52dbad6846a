"""Tests that fail alike, so that a few of them answer for the others."""

from collections.abc import Collection, Iterable, Sequence
from typing import TypeAlias

from bot.core.check import CaseResult

FEW = 2
"""Tests of each kind that are looked into."""
MOST = 12
"""Kinds that are."""

Kind: TypeAlias = tuple[str, ...]
"""Names of tests that fail with the same error at the same place."""


def kinds_of(cases: Iterable[CaseResult], names: Collection[str]) -> tuple[Kind, ...]:
    """Sort the tests of these names by how they fail."""
    kinds: dict[tuple[str, str, int, str], list[str]] = {}
    for case in cases:
        if case.id in names:
            kinds.setdefault((case.error, case.path, case.line, case.cause), []).append(case.id)
    return tuple(tuple(names) for names in kinds.values())


def samples(kinds: Sequence[Kind]) -> tuple[str, ...]:
    """Choose a few of each kind."""
    return tuple(name for kind in kinds[:MOST] for name in kind[:FEW])


def answered(kinds: Sequence[Kind], proved: Collection[str]) -> frozenset[str]:
    """Name those of which something is proved, themselves or by the samples of their kind, all of them."""
    whole = [kind for kind in kinds[:MOST] if all(name in proved for name in kind[:FEW])]
    return frozenset(proved) | frozenset(name for kind in whole for name in kind)
