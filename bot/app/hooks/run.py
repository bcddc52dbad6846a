"""The door of a hook: who answers to which."""

import os
import sys
from importlib import import_module
from pathlib import Path
from typing import get_args

from bot.app.loading import load
from bot.core.hook import HookName
from bot.errors import UsageError

LARGEST = 4_000_000
"""Bytes of what git tells a hook of a push."""


def run_hook(name: str, args: tuple[str, ...], directory: Path) -> int:
    """Answer git: 0 to go on, 1 to refuse. Raises whatever kept us from an answer."""
    if name not in get_args(HookName):
        raise UsageError(f"there is no hook {name!r} here", f"the hooks are {', '.join(get_args(HookName))}")
    if os.environ.get("GIT_AGENT", "").lower() == "off":
        return 0
    # Each loads what it needs, and what needs little is quick
    room = "bot.app.hooks"
    if name == "pre-push":
        code: int = import_module(f"{room}.push").judge_push(directory, args, _told())
    elif name == "commit-msg":
        code = import_module(f"{room}.message").check_message(directory, args)
    elif name == "post-checkout":
        code = import_module(f"{room}.checkout").tell_checkout(directory, args)
    else:
        code = load(f"{room}.commit").judge_commit(directory)
    return code


def _told() -> bytes:
    if sys.stdin is None or sys.stdin.isatty():
        return b""
    return sys.stdin.buffer.read(LARGEST)
