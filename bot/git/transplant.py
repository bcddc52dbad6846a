"""Brings a commit's change onto another base, or takes it back there, inside a workspace of ours."""

from bot.core.change import readable
from bot.errors import UsageError
from bot.git.workspace import GitWorkspace

_PICK = ("cherry-pick", "--no-commit", "--allow-empty")
_REVERT = ("revert", "--no-commit")


def transplant(workspace: GitWorkspace, commit: str) -> str:
    """Apply a commit's change to the workspace's files and return the new tree. Raises UsageError on a conflict."""
    hint = "merge its branch yourself, or run git agent fix again from here"
    return _apply(workspace, _PICK, commit, f"{commit[:10]} conflicts with what came since", hint)


def take_back(workspace: GitWorkspace, commit: str) -> str:
    """Apply the reverse of a commit's change and return the new tree. Raises UsageError on a conflict."""
    hint = f"take it back by hand: git revert {commit[:10]}"
    return _apply(workspace, _REVERT, commit, f"taking {commit[:10]} back conflicts with what came since", hint)


def _apply(workspace: GitWorkspace, how: tuple[str, ...], commit: str, text: str, hint: str) -> str:
    git = workspace.checkout.git
    workspace.disturb()
    if git.ask(*how, commit).code:
        names = ", ".join(map(readable, git.names("diff", "--name-only", "--diff-filter=U", "-z")[:5]))
        raise UsageError(f"{text} in {names or 'files that are not known'}: nothing was changed", hint)
    return workspace.tree()
