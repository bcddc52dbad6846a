"""Which commits are part of what a person stands on, for many of them at once."""

from collections.abc import Collection

from bot.git.repository import Repository

_LARGEST = 4 << 20
"""Bytes of ids; a run that shares nothing with HEAD would have git list a whole history."""
_MOST = 2_000
"""Commits that are asked for at once: they stand on a command line."""


def reached(repository: Repository, commits: Collection[str]) -> frozenset[str]:
    """Return those of some commits that HEAD holds; those that are not here at all, it does not."""
    wanted = sorted(set(commits))
    blocks = [wanted[at : at + _MOST] for at in range(0, len(wanted), _MOST)]
    return frozenset().union(*(_reached(repository, _present(repository, block)) for block in blocks))


def _reached(repository: Repository, commits: Collection[str]) -> frozenset[str]:
    if not commits:
        return frozenset()
    told = repository.git.head("rev-list", *commits, "^HEAD", "--", limit=_LARGEST)
    if told.code or len(told.output) >= _LARGEST:
        return frozenset(commit for commit in commits if is_reached(repository, commit))
    return frozenset(commits) - frozenset(told.output.decode("ascii").split())


def _present(repository: Repository, commits: Collection[str]) -> Collection[str]:
    """Leave out what this repository does not have, as a record that came from elsewhere may name anything."""
    asked = "".join(f"{commit}\n" for commit in commits).encode()
    told = repository.shared.output("cat-file", "--batch-check=%(objectname) %(objecttype)", stdin=asked)
    rows = (line.split(" ") for line in told.decode("utf-8", "replace").splitlines())
    return tuple(name for name, kind in rows if kind == "commit")


def is_reached(repository: Repository, commit: str) -> bool:
    """Say whether a commit is part of what the person stands on."""
    return repository.git.ask("merge-base", "--is-ancestor", commit, "HEAD").code == 0
