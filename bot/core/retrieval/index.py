"""Finds where the terms of a query stand: in texts, names and paths of files, and in what was said of their changes."""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from bot.core.retrieval.pages import Change, Page
from bot.core.retrieval.query import Query
from bot.core.retrieval.words import find_words, root, split

CROWD = 30
"""Files of a commit from which on it says nothing of any of them."""
K1, B = 1.2, 0.75


class Field:
    """How often each term stands in one kind of text of each file, and how long those texts are."""

    def __init__(self, lengths: Sequence[int]) -> None:
        self.lengths = lengths
        self.average = sum(lengths) / max(1, len(lengths)) or 1.0
        self.found: dict[str, dict[int, int]] = {}
        """By term and number of the file."""

    def add(self, term: str, page: int, times: int) -> None:
        """Note that a term stands in a file."""
        row = self.found.setdefault(term, {})
        row[page] = row.get(page, 0) + times

    def score(self, weights: Mapping[str, float]) -> dict[int, float]:
        """Rate files by Okapi BM25; `weights` has what each term counts."""
        scores: dict[int, float] = {}
        for term in sorted(self.found):
            weight = weights.get(term, 0.0) * (K1 + 1)
            for page, times in self.found[term].items():
                norm = K1 * (1 - B + B * self.lengths[page] / self.average)
                scores[page] = scores.get(page, 0.0) + weight * times / (times + norm)
        return scores


class Index:
    """The files of a tree, ready for queries: nothing is prepared that a single query would not use."""

    def __init__(self, pages: Iterable[Page], changes: Iterable[Change] = ()) -> None:
        self.pages = tuple(sorted(pages, key=lambda page: page.path))
        self.numbers = {page.path: number for number, page in enumerate(self.pages)}
        self.lengths = [sum(page.counts) for page in self.pages]
        self.paths = [_terms_of_path(page.path) for page in self.pages]
        self.changes = [change for change in changes if len(change.paths) <= CROWD]

    def prepare(self) -> None:
        """Do already what every query takes, where there is time for it."""
        _ = self._vocabulary, self.often

    @cached_property
    def often(self) -> list[float]:
        """How often each file was changed, a commit counting less for each when it changed many."""
        counts = [0.0] * len(self.pages)
        for _, touched in self._past:
            for number in touched:
                counts[number] += 1 / len(touched)
        return counts

    @cached_property
    def _past(self) -> list[tuple[Counter[str], list[int]]]:
        found = []
        for subject, paths in self.changes:
            touched = [self.numbers[path] for path in paths if path in self.numbers]
            if touched:
                found.append((Counter(term for word in find_words(subject) for term in split(word)), touched))
        return found

    @cached_property
    def _vocabulary(self) -> tuple[str, str, tuple[str, ...]]:
        """All words of all files in a row, the same in small letters, and those that this would make longer."""
        words = set[str]().union(*(page.words for page in self.pages), *(self._parts(page) for page in self.pages))
        plain = "\n".join(["", *sorted(word for word in words if word.isascii()), ""])
        return plain, plain.lower(), tuple(sorted(word for word in words if not word.isascii()))

    @staticmethod
    def _parts(page: Page) -> Iterator[str]:
        return (part for name in page.names for part in name.split("."))

    def match(self, terms: Collection[str]) -> dict[str, tuple[str, ...]]:
        """Return the words of the files that stand for some of these terms, and for which."""
        wanted, found = frozenset(terms), dict[str, tuple[str, ...]]()
        for word in {*self._candidates(wanted), *self._vocabulary[2]}:
            hit = tuple(term for term in split(word) if term in wanted)
            if hit:
                found[word] = hit
        return found

    def _candidates(self, terms: Collection[str]) -> Iterator[str]:
        """Yield words that may stand for terms: to take all of them apart would take ten times as long."""
        plain, small, _ = self._vocabulary
        for term in terms:
            needle = root(term)
            # Two letters are never a part of a name
            needle, at = (f"\n{term}\n", 0) if len(term) < len("any") else (needle, 0)
            while (at := small.find(needle, at)) >= 0:
                start, end = small.rfind("\n", 0, at + 1) + 1, small.find("\n", at + 1)
                yield plain[start:end]
                at = end

    def fields(self, query: Query, matching: Mapping[str, Sequence[str]]) -> tuple[Field, Field, Field]:
        """Return where the terms of a query stand: in the text, in the names of definitions, in what was said.

        `matching` has the words that stand for them.
        """
        body = Field(self.lengths)
        names = Field([len(page.names) for page in self.pages])
        for number, page in enumerate(self.pages):
            for word, times in zip(page.words, page.counts, strict=True):
                if word in matching:
                    for term in matching[word]:
                        body.add(term, number, times)
            for part in self._parts(page):
                for term in matching.get(part, ()):
                    names.add(term, number, 1)
        return body, names, self._said(query)

    def _said(self, query: Query) -> Field:
        """Return where the terms stand in the subjects of commits that changed a file."""
        lengths = [0] * len(self.pages)
        for terms, touched in self._past:
            for number in touched:
                lengths[number] += terms.total()
        said = Field(lengths)
        for terms, touched in self._past:
            for term in terms.keys() & query.terms.keys():
                for number in touched:
                    said.add(term, number, terms[term])
        return said

    def rarity(self, query: Query, body: Field) -> dict[str, float]:
        """Return how much it says that a file has a term, 0 for one that none has."""
        found = {term: set(row) for term, row in body.found.items()}
        for number, terms in enumerate(self.paths):
            for term in terms & query.terms.keys():
                found.setdefault(term, set()).add(number)
        total = len(self.pages)
        return {term: math.log(1 + (total - len(row) + 0.5) / (len(row) + 0.5)) for term, row in found.items()}

    def definers(self, names: Collection[str]) -> dict[str, list[int]]:
        """Return which files define each of some dotted or plain names."""
        wanted: dict[str, list[str]] = {}
        for name in names:
            wanted.setdefault(name.rpartition(".")[2], []).append(name)
        found: dict[str, dict[int, None]] = {}
        for number, page in enumerate(self.pages):
            for dotted in page.names:
                for name in wanted.get(dotted.rpartition(".")[2], ()):
                    if "." not in name or f".{dotted}".endswith(f".{name}"):
                        found.setdefault(name, {})[number] = None
        return {name: list(row) for name, row in found.items()}


def stem_of(path: str) -> str:
    """Return the part of a path by which a file is known: its name, or its folder's where that says nothing."""
    *folders, name = path.split("/")
    first = name.partition(".")[0] or name
    return folders[-1] if first in ("__init__", "__main__", "index", "mod") and folders else first


def _terms_of_path(path: str) -> frozenset[str]:
    folders, dot, suffix = path.rpartition(".")
    return frozenset(
        term for part in (folders if dot and "/" not in suffix else path).split("/") for term in split(part)
    )
