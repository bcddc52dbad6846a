"""What a push is about: the refs that git names to a hook, and where what they bring leaves what the remote has."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from bot.core.change import readable
from bot.git.objects import is_ref
from bot.git.repository import Repository
from bot.git.run import Git, failure

SECONDS = 30.0
"""Time for one question; a history that takes longer is not judged."""
MOST_KNOWN = 300
"""Commits of a remote that are asked about, the newest first."""
MOST_SPANS = 12
"""Tips of one push that are judged; who pushes a whole repository hears of those that are not."""
MOST_TIPS = 100
"""Tips that are looked at for what is new in them."""
MOST_STARTS = 3
"""Commits of a remote that one tip was made from."""
LONGEST = 10_000
"""Bytes of a line; git itself writes no longer one, unless a person did."""

EXEMPT = (
    "refs/agent/",
    "refs/bisect/",
    "refs/notes/",
    "refs/original/",
    "refs/prefetch/",
    "refs/replace/",
    "refs/rewritten/",
    "refs/stash",
)
"""Where refs stand that hold records, and no work of anybody."""

_ID = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_USUAL = ("refs/heads/main", "refs/heads/master")
# An object that is not here is not fetched either: to look must not reach out
_OFFLINE = (("protocol.allow", "never"),)


class Update(NamedTuple):
    """A ref that is about to be moved on a remote."""

    local: str
    """What is pushed, as a person named it; readable."""
    tip: str
    """Its full id; empty where the ref is taken away."""
    remote: str
    """Full name of the ref there; readable."""
    old: str
    """What it stands at there; empty where it does not exist."""

    @property
    def name(self) -> str:
        """The short name of what is pushed; of something without one, where it goes."""
        branch = self.local if self.local.startswith("refs/") else self.remote
        return re.sub(r"^refs/(?:heads/|tags/)?", "", branch)


@dataclass(frozen=True, slots=True)
class Span:
    """A commit that a push brings, and what the remote has of its history."""

    updates: tuple[Update, ...]
    """The refs that are to stand at it."""
    tip: str
    tree: str
    starts: tuple[str, ...]
    """The last commits before it that are there, independent of each other; none where all of it is new."""
    base_tree: str
    """The tree of the first of them; empty without one."""
    cut: bool = False
    """Whether what is before it may only be missing here: the clone is shallow."""

    @property
    def base(self) -> str:
        """The commit that it is held against; empty without one."""
        return self.starts[0] if self.starts else ""


@dataclass(frozen=True, slots=True)
class Spans:
    """What there is to judge of a push."""

    spans: tuple[Span, ...] = ()
    left: tuple[str, ...] = ()
    """Names of refs that are too many to be looked at."""


def read_updates(told: bytes) -> tuple[Update, ...]:
    """Read what git tells a hook of a push, one ref a line; what git cannot have written is left out."""
    return tuple(filter(None, map(_read, told.split(b"\n"))))


def _read(line: bytes) -> Update | None:
    # Only the first field may hold blanks: `git push origin ':/some words:refs/heads/x'`
    fields = line.rsplit(b" ", 3) if len(line) <= LONGEST and b"\0" not in line else []
    if len(fields) != 4 or not fields[0]:  # noqa: PLR2004 - as git writes them
        return None
    local, tip, remote, old = fields
    whole = _ID.fullmatch(tip) and _ID.fullmatch(old) and len(tip) == len(old)
    if not whole or not is_ref(remote.decode("utf-8", "replace")):
        return None
    return Update(readable(local), _id(tip), readable(remote), _id(old))


def _id(written: bytes) -> str:
    """Return an id, and nothing for the zeros that stand for none."""
    return written.decode("ascii") if written.strip(b"0") else ""


def read_framework(environ: Mapping[str, str], repository: Repository) -> tuple[Update, ...]:
    """Read what the pre-commit framework tells of a push, which reads git's own words itself. Raises UsageError."""
    local, remote = (environ.get(f"PRE_COMMIT_{name}_BRANCH", "") for name in ("LOCAL", "REMOTE"))
    # Where everything is new it names no range
    tip = environ.get("PRE_COMMIT_TO_REF", "") or local
    if not tip:
        return ()
    start = environ.get("PRE_COMMIT_FROM_REF", "")
    old = repository.resolve(start) if start else ""
    name, place = (_shown(text) for text in (local or tip, remote or local or tip))
    return (Update(name, repository.resolve(tip), place, old),)


def _shown(text: str) -> str:
    return readable(text.encode("utf-8", "surrogateescape"))


def find_spans(repository: Repository, remote: str, updates: Sequence[Update]) -> Spans:
    """Find what a push brings that the remote, by its name or its address, does not have. Raises GitFailed.

    Nothing is asked of the remote itself: what it has is what it was last seen with.
    """
    shared = repository.shared
    git = replace(shared, timeout=SECONDS, config=(*shared.config, *_OFFLINE))
    there = _peel(git, (update.old for update in updates))
    groups = _group(git, [update for update in updates if update.tip and not update.remote.startswith(EXEMPT)])
    if not groups:
        return Spans()
    known = dict.fromkeys((*there.values(), *_tracked(git, remote)))
    if not _is_news(git, groups, known):
        return Spans()
    spans: list[Span] = []
    left: list[str] = []
    for number, (tip, named) in enumerate(groups.items()):
        if len(spans) == MOST_SPANS or number >= MOST_TIPS:
            left += [update.name for update in named]
        elif span := _span(repository, git, tip, named, tuple(known)):
            spans.append(span)
    return Spans(tuple(spans), tuple(left))


def _group(git: Git, updates: Sequence[Update]) -> Mapping[str, tuple[Update, ...]]:
    """Sort refs by the commits that they bring; a tag leads to one, a tag of anything else to none."""
    commits = _peel(git, (update.tip for update in updates))
    groups: dict[str, tuple[Update, ...]] = {}
    for update in updates:
        if update.tip in commits:
            groups[commits[update.tip]] = (*groups.get(commits[update.tip], ()), update)
    return groups


def _peel(git: Git, ids: Iterable[str]) -> Mapping[str, str]:
    """Find the commits that ids lead to, as far as they are here."""
    return _look_up(git, ids, "commit")


def _look_up(git: Git, ids: Iterable[str], kind: str) -> Mapping[str, str]:
    asked = tuple(dict.fromkeys(filter(None, ids)))
    if not asked:
        return {}
    stdin = "".join(f"{name}^{{{kind}}}\n" for name in asked).encode("ascii")
    told = git.output("cat-file", "--batch-check=%(objectname)", stdin=stdin).decode("ascii", "replace")
    answers = zip(asked, told.splitlines(), strict=True)
    return {name: answer for name, answer in answers if " " not in answer}


def _tracked(git: Git, remote: str) -> Iterator[str]:
    """List the commits that a remote is known to have; where nothing is known of it, those that any is."""
    own = f"refs/remotes/{remote}/"
    places = (own, "refs/remotes/") if is_ref(f"{own}x") else ("refs/remotes/",)
    for place in places:
        shown = ("--sort=-committerdate", "--format=%(objecttype) %(objectname)")
        told = git.output("for-each-ref", f"--count={MOST_KNOWN}", *shown, place).decode("ascii", "replace")
        found = [name for kind, _, name in (line.partition(" ") for line in told.splitlines()) if kind == "commit"]
        if found:
            yield from found
            return


def _is_news(git: Git, tips: Iterable[str], known: Iterable[str]) -> bool:
    """Tell at one look whether any of these commits is not there yet."""
    asked = "".join(f"{name}\n" for name in (*tips, *(f"^{name}" for name in known)))
    return bool(git.output("rev-list", "--max-count=1", "--stdin", stdin=asked.encode("ascii")))


def _span(
    repository: Repository, git: Git, tip: str, updates: tuple[Update, ...], known: tuple[str, ...]
) -> Span | None:
    """Find what a tip was made from; None where it brings nothing."""
    starts = _meet(git, tip, known or _default(git, tip))
    if tip in starts:
        return None
    # Where a ref stood is what a person means, when it is still as good as anything else
    stood = [update.old for update in updates if update.old in starts]
    starts = tuple(dict.fromkeys((*stood, *starts)))[:MOST_STARTS]
    trees = _look_up(git, (tip, *starts[:1]), "tree")
    base_tree = trees[starts[0]] if starts else ""
    if trees[tip] == base_tree:
        return None
    cut = not starts and (repository.common_dir / "shallow").exists()
    return Span(updates, tip, trees[tip], starts, base_tree, cut)


def _meet(git: Git, tip: str, known: Sequence[str]) -> tuple[str, ...]:
    """Name the best of the ancestors that a commit has in common with others. Raises GitFailed."""
    if not known:
        return ()
    told = git.ask("merge-base", "--all", tip, *known)
    if told.code not in (0, 1):
        raise failure(f"git merge-base failed: {told.error or f'exit code {told.code}'}")
    return tuple(told.output.decode("ascii", "replace").split())


def _default(git: Git, tip: str) -> tuple[str, ...]:
    """Name the usual branches, which stand for a remote of which nothing is known; what is pushed is none of them."""
    told = git.output("for-each-ref", "--format=%(objectname)", *_USUAL).decode("ascii", "replace")
    return tuple(name for name in told.split() if name != tip)
