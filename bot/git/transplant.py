"""Brings a commit's change onto another base, inside a workspace of ours."""

from pathlib import Path

from bot.core.change import readable
from bot.errors import UsageError
from bot.git.workspace import GitWorkspace


def transplant(workspace: GitWorkspace, commit: str) -> str:
    """Apply a commit's change to the workspace's files and return the new tree. Raises UsageError on a conflict."""
    git = workspace.checkout.git
    answer = git.ask("cherry-pick", "--no-commit", "--allow-empty", commit)
    if answer.code:
        names = ", ".join(map(readable, git.names("diff", "--name-only", "--diff-filter=U", "-z")[:5]))
        raise UsageError(
            f"{commit[:10]} conflicts with what came since in {names or 'files that are not known'}: nothing was taken",
            "merge its branch yourself, or run git agent fix again from here",
        )
    return workspace.tree()


def find_operation(git_dir: Path) -> str:
    """Name the operation that a person has open in their checkout; empty for none."""
    marks = {
        "MERGE_HEAD": "merge",
        "CHERRY_PICK_HEAD": "cherry-pick",
        "REVERT_HEAD": "revert",
        "rebase-merge": "rebase",
        "rebase-apply": "rebase",
        "BISECT_LOG": "bisect",
    }
    return next((name for mark, name in marks.items() if (git_dir / mark).exists()), "")
