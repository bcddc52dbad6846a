"""Answers a hook that git itself asks, without the command line: to load that takes a tenth of the time there is."""

import atexit
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from bot.app.hooks.leniency import INTERRUPTED, Asked, pardon
from bot.app.hooks.quick import HOOKS, ORDER
from bot.app.hooks.run import run_hook
from bot.app.loading import load
from bot.errors import AgentError


def answer(argv: Sequence[str]) -> int | None:
    """Answer one of the hooks before a commit; None for everything else that may be typed."""
    if len(argv) != len(ORDER) + 1 or argv[-1] not in HOOKS:
        return None
    here = Path()
    try:
        return run_hook(argv[-1], (), here)
    except AgentError as error:
        why = f"{error.message}{f' ({error.hint})' * bool(error.hint)}"
        return pardon(Asked(argv[-1], here), str(load("bot.app.secrecy").clean(why)))
    except KeyboardInterrupt:
        sys.stderr.write("git agent: interrupted\n")
        return INTERRUPTED


def leave(code: int) -> NoReturn:
    """End at once: to take apart all that was loaded takes Python a fifth of the time that a commit may take."""
    # Temporary folders of ours go by these
    atexit._run_exitfuncs()  # noqa: SLF001 - there is no public way to have them run now
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(code)
