"""Orders the files of a tree by how likely a query is about each."""

import math
from collections.abc import Mapping
from typing import NamedTuple

from bot.core.retrieval.index import Index
from bot.core.retrieval.query import Query


class Weights(NamedTuple):
    """What each sign counts; found on the older halves of three real histories, and the same for every project."""

    body: float = 0.65
    """That terms stand in the text, as BM25 has it."""
    path: float = 2.4
    """That terms stand in the path."""
    names: float = 0.9
    """That terms stand in the names of definitions."""
    said: float = 0.4
    """That terms stand in what was said of changes of the file."""
    exact: float = 0.8
    """That a name is defined there."""
    often: float = 1.2
    """How often the file was changed."""
    size: float = 0.8
    """How much there is in the file."""
    usual: float = 20.0
    """Rarity of all terms together at which the last two count as much as they say; the same for all longer texts."""


USUAL = Weights()


class Score(NamedTuple):
    """How likely a file is concerned."""

    path: str
    value: float
    names: tuple[str, ...] = ()
    """Names that the query has exactly, and that are defined there."""


class Ranking(NamedTuple):
    """Files in order, the likeliest first; those that have nothing of the query are left out."""

    scores: tuple[Score, ...]
    worth: Mapping[str, float]
    """What it says that a file has a term."""
    words: Mapping[str, tuple[str, ...]]
    """Which words of the files stand for which of the terms."""


def rank(index: Index, query: Query, weights: Weights = USUAL) -> Ranking:
    """Order files by a query; the same files always come in the same order."""
    words = index.match(query.terms)
    body, names, said = index.fields(query, words)
    rarity = index.rarity(query, body)
    worth = {term: weight * rarity.get(term, 0.0) for term, weight in query.terms.items()}
    exact = index.definers(query.names)
    parts = (
        (weights.body, body.score(worth)),
        (weights.names, names.score(worth)),
        (weights.said, said.score(worth)),
        (weights.path, _score_paths(index, worth)),
        (weights.exact, _score_names(index, query.names, exact)),
    )
    values: dict[int, float] = {}
    for weight, scores in parts:
        for number, score in scores.items():
            values[number] = values.get(number, 0.0) + weight * score
    scale = min(sum(worth.values()), weights.usual) / weights.usual
    own: dict[int, list[str]] = {}
    for name, numbers in exact.items():
        for number in numbers:
            own.setdefault(number, []).append(name)
    found = (
        Score(index.pages[number].path, value + scale * _rate(index, number, weights), tuple(own.get(number, ())))
        for number, value in values.items()
    )
    return Ranking(tuple(sorted(found, key=lambda score: (-round(score.value, 9), score.path))), worth, words)


def _score_paths(index: Index, worth: Mapping[str, float]) -> dict[int, float]:
    found = ((number, terms & worth.keys()) for number, terms in enumerate(index.paths))
    return {number: math.fsum(worth[term] for term in shared) for number, shared in found if shared}


def _score_names(index: Index, names: Mapping[str, float], exact: Mapping[str, list[int]]) -> dict[int, float]:
    found: dict[int, float] = {}
    for name, numbers in exact.items():
        share = names[name] * math.log(1 + len(index.pages) / len(numbers)) / math.sqrt(len(numbers))
        for number in numbers:
            found[number] = found.get(number, 0.0) + share
    return found


def _rate(index: Index, number: int, weights: Weights) -> float:
    """Say how likely any change concerns a file."""
    return weights.often * math.log1p(index.often[number]) + weights.size * math.log1p(index.lengths[number])
