"""Puts together what speaks for files and definitions, and says it as places: a line each."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple, TypeAlias

from bot.core.escape import line
from bot.core.retrieval.index import Index
from bot.core.retrieval.query import Query
from bot.core.retrieval.ranking import Ranking, Score, rank
from bot.core.retrieval.signs import Sign
from bot.core.retrieval.spots import Definition, Spot, enclosing, find_places, find_spots
from bot.core.retrieval.words import split

MOST = 10
"""Places that are told."""
SEVERAL = (3, 2)
"""Places in the likeliest files; one in any other."""
FLOOR, SURE = 0.35, 4
"""Share of the best file's value below which no more files are told, once there are so many."""
LOOKED_AT = 24
"""Files of which the text is read."""
QUOTED = 40.0
"""Worth of a phrase of the task that stands in one file as it is."""
WORDS = 4
"""Terms that are told of a place."""
LONGEST, LONGEST_PATH = 200, 140
"""Characters of a place's line, and of a path that is told."""


class Source(NamedTuple):
    """A file as it is read for its places."""

    text: str
    definitions: Sequence[Definition]


Read: TypeAlias = Callable[[Sequence[str]], Mapping[str, Source]]
"""Returns the sources of files that there are."""


class Evidence(NamedTuple):
    """All that is known of what is concerned."""

    query: Query
    signs: tuple[Sign, ...] = ()
    phrases: tuple[str, ...] = ()
    """What the task quotes."""
    about: str = "the task"
    """What all of it comes from."""


class Candidate(NamedTuple):
    """A file with all that speaks for it."""

    path: str
    value: float
    names: tuple[str, ...]
    signs: tuple[Sign, ...]


class Place(NamedTuple):
    """Where to look, and why."""

    path: str
    line: int
    """0 for the whole file."""
    name: str
    why: str

    @property
    def text(self) -> str:
        """Say it on one line."""
        where = f"{self.path}:{self.line}" if self.line else self.path
        return line(f"{where} {self.name}".rstrip() + (f" — {self.why}" if self.why else ""), LONGEST)


def find_candidates(ranking: Ranking, signs: Iterable[Sign]) -> tuple[Candidate, ...]:
    """Order files by their words and all that speaks for them beside."""
    spoken: dict[str, list[Sign]] = {}
    for sign in signs:
        spoken.setdefault(sign.path, []).append(sign)
    known = {score.path: score for score in ranking.scores}
    found = (_join(known.get(path, Score(path, 0.0)), spoken.get(path, ())) for path in {**known, **spoken})
    return tuple(sorted((each for each in found if _is_clean(each.path)), key=_order))


def _join(score: Score, signs: Sequence[Sign]) -> Candidate:
    return Candidate(score.path, score.value + _sum(signs), score.names, tuple(signs))


def _is_clean(path: str) -> bool:
    """Tell whether a path stands on a hint's line as it is: cut or cleaned it would be that of another file."""
    return line(path, LONGEST_PATH) == path


def _order(candidate: Candidate) -> tuple[float, str]:
    return -round(candidate.value, 9), candidate.path


def _sum(signs: Iterable[Sign]) -> float:
    """Add up the strongest sign of each kind."""
    best: dict[str, float] = {}
    for sign in signs:
        best[sign.why] = max(best.get(sign.why, 0.0), sign.worth)
    return sum(best[why] for why in sorted(best))


def locate(index: Index, evidence: Evidence, read: Read) -> tuple[Place, ...]:
    """Return the places most likely concerned, the likeliest first."""
    ranking = rank(index, evidence.query)
    candidates = find_candidates(ranking, evidence.signs)[:LOOKED_AT]
    sources = read([candidate.path for candidate in candidates])
    candidates = tuple(sorted(_quote(candidates, sources, evidence.phrases), key=_order))
    told = _Told(ranking, evidence.about)
    return tuple(islice(told.choose(candidates, sources), MOST))


def _quote(
    candidates: Sequence[Candidate], sources: Mapping[str, Source], phrases: Sequence[str]
) -> Iterator[Candidate]:
    """Add to each file the phrases of the task that stand in it."""
    found = {path: find_places(source.text, phrases) for path, source in sources.items()}
    shared = {phrase: sum(phrase in each for each in found.values()) for phrase in phrases}
    for candidate in candidates:
        own = found.get(candidate.path, {})
        signs = tuple(
            Sign(candidate.path, QUOTED / shared[phrase], "has a text of the task", at) for phrase, at in own.items()
        )
        yield candidate._replace(value=candidate.value + _sum(signs), signs=(*candidate.signs, *signs))


class _Told(NamedTuple):
    """Says why."""

    ranking: Ranking
    about: str

    def choose(self, candidates: Sequence[Candidate], sources: Mapping[str, Source]) -> Iterator[Place]:
        """Yield the places of the likeliest files."""
        best = candidates[0].value if candidates else 0.0
        for number, candidate in enumerate(candidates):
            if number >= SURE and candidate.value < FLOOR * best:
                break
            several = SEVERAL[number] if number < len(SEVERAL) else 1
            yield from self.places(candidate, sources.get(candidate.path))[:several]

    def places(self, candidate: Candidate, source: Source | None) -> tuple[Place, ...]:
        """List the places of one file: lines that are told, then the definitions that its words point to."""
        signs = sorted(candidate.signs, key=lambda sign: -sign.worth)
        whys = tuple(dict.fromkeys(sign.why for sign in signs))
        whole = Place(candidate.path, 0, "", "; ".join(whys[:2]) or "by its words")
        if source is None:
            return (whole,)
        last = source.text.count("\n") + 1
        told = [_tell_line(sign, source.definitions) for sign in signs if 0 < sign.line <= last]
        names = (*candidate.names, *(sign.name for sign in signs if sign.name))
        spots = find_spots(source.text, source.definitions, self.ranking.words, self.ranking.worth, names)
        rest = (self._tell(candidate.path, spot, whys) for spot in spots[: SEVERAL[0]])
        places: dict[str, Place] = {}
        for place in (*told, *rest):
            places.setdefault(place.name or str(place.line), place)
        return tuple(places.values()) or (whole,)

    def _tell(self, path: str, spot: Spot, whys: Sequence[str]) -> Place:
        name, first, _ = spot.definition
        if spot.named:
            return Place(path, first, name, f"named in {self.about}")
        worth = self.ranking.worth
        terms = {*spot.terms, *(term for part in name.split(".") for term in split(part) if term in worth)}
        telling = sorted((term for term in terms if worth[term]), key=lambda term: (-worth[term], term))[:WORDS]
        return Place(path, first, name, "; ".join((*whys[:2], f"its words: {', '.join(telling)}")))


def _tell_line(sign: Sign, definitions: Sequence[Definition]) -> Place:
    around = enclosing(definitions, sign.line)
    return Place(sign.path, sign.line, around.name if around else sign.name, sign.why)
