"""Where in its tree a command starts."""

from bot.protocols import Command, Completed


def refuse(command: Command) -> str:
    """Say why a command cannot start in the folder that it names; empty when it can."""
    root = command.cwd.resolve()
    start = (root / command.folder).resolve()
    if not start.is_relative_to(root):
        return f"{command.folder}: this folder is not inside the tree"
    return "" if start.is_dir() else f"{command.folder}: the tree has no such folder"


def refused(reason: str, isolation: str) -> Completed:
    """Tell a command that never started as one whose program is not there."""
    return Completed(127, "exited", f"{reason}\n", 0.0, isolation=isolation)
