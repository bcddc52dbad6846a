"""The commit that git is about to make, as a tree: of the index that it really uses, whichever that is."""

import tempfile
from pathlib import Path
from typing import NamedTuple

from bot.core.change import readable
from bot.core.hook import Form
from bot.errors import UsageError
from bot.git import owner
from bot.git.disk import refusals
from bot.git.hooked import Hooked, read_others
from bot.git.index import copy_index
from bot.git.repository import Repository
from bot.git.run import Git
from bot.git.temporary import PREFIX

MOST_NAMED = 5


class Conflicted(UsageError):
    """What would be committed has conflicts, so that git itself refuses it."""


class Candidate(NamedTuple):
    """A commit that does not exist yet."""

    tree: str
    head: str
    """The commit that it comes after; empty before a first one."""
    base: str
    """The tree of that commit, or the empty one."""
    form: Form
    others: tuple[str, ...] = ()
    """What else it comes after: what a merge brings in."""


@refusals("look at the commit")
def find_candidate(repository: Repository, hooked: Hooked) -> Candidate:
    """Write the tree of the commit that git is about to make; the index itself is only read. Raises UsageError."""
    with tempfile.TemporaryDirectory(prefix=f"{PREFIX}candidate-") as folder:
        # So that it is found and removed when we are killed in the middle
        owner.write(Path(folder), owner.current(common_dir=repository.common_dir))
        tree = _write(copy_index(repository, Path(folder, "index"), hooked.index))
    others = read_others(hooked, repository.git_dir / "MERGE_HEAD")
    return Candidate(tree, repository.head, _base(repository), hooked.form, others)


def _write(git: Git) -> str:
    """Write the tree of an index. Raises UsageError."""
    answer = git.ask("write-tree")
    if not answer.code:
        return answer.output.decode("ascii").strip()
    entries = git.ask("ls-files", "-z", "--unmerged").output.split(b"\0")
    unmerged = dict.fromkeys(name for entry in entries if (name := entry.partition(b"\t")[2]))
    if unmerged:
        told = ", ".join(map(readable, list(unmerged)[:MOST_NAMED]))
        more = f" and {len(unmerged) - MOST_NAMED} more" if len(unmerged) > MOST_NAMED else ""
        raise Conflicted(f"what would be committed has conflicts: {told}{more}", "resolve them, and git add the files")
    raise UsageError(f"what would be committed cannot be read: {answer.error}", "see what git status and git fsck say")


def _base(repository: Repository) -> str:
    known = ("rev-parse", f"{repository.head}^{{tree}}")
    return repository.git.line(*known if repository.head else ("hash-object", "-t", "tree", "--stdin"))
