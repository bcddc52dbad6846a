"""Whether libgit2 sees what git sees in a repository."""

from functools import cache


@cache
def sees(common_dir: str, commit: str) -> bool:
    """Say whether libgit2 opens a repository and finds a commit with its tree: it may know less than git.

    A run stays with the answer that it got first.
    """
    # Loading it takes longer than all the rest of a look at the runs, which does without
    import pygit2  # noqa: PLC0415

    try:
        tree = pygit2.Repository(common_dir)[commit].peel(pygit2.Tree)
    except (pygit2.GitError, KeyError, ValueError, OSError):
        return False
    return tree.id is not None
