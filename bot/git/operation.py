"""What a person has begun in their checkout with git and not finished."""

from bot.git.repository import Repository

_SIGNS = (
    ("rebase-merge", "rebase"),
    ("rebase-apply/applying", "am"),
    ("rebase-apply/rebasing", "rebase"),
    ("rebase-apply", "rebase or am"),
    ("MERGE_HEAD", "merge"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
    ("sequencer", "cherry-pick or revert of several commits"),
    ("BISECT_LOG", "bisect"),
)
"""Where git keeps such a state, the surest sign first; a linked worktree has its own."""


def find_operations(repository: Repository) -> tuple[str, ...]:
    """Name what is going on in the person's working copy; they may be in the middle of more than one thing."""
    found = [(sign, name) for sign, name in _SIGNS if (repository.git_dir / sign).exists()]
    replayed = any(sign.startswith("rebase") for sign, _ in found)
    names: list[str] = []
    for sign, name in found:
        # A rebase stands on single picks, and several picks on one at a time: the outermost is what a person began
        inner = replayed and sign in ("CHERRY_PICK_HEAD", "REVERT_HEAD", "MERGE_HEAD", "sequencer")
        vague = any(name.startswith(known) or known in name for known in names)
        if not inner and not vague:
            names.append(name)
    return tuple(names)
