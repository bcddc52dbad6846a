"""Tools that show what changed in this run and what was changed before it."""

import threading
from typing import Annotated

from pydantic import Field

from bot.core.screen import screen
from bot.tools import paths
from bot.tools.tool import Access, Arguments, Bench, Done, Tool

_ONE = threading.Lock()
"""Reads may run side by side, but to find out what changed means to write the index."""


class ShowChanges(Arguments):
    """Show changes since the last commit."""


class History(Arguments):
    """Show past commits."""

    path: str = ""
    limit: Annotated[int, Field(ge=1, le=200)] = 10


def show_changes(_args: ShowChanges, bench: Bench) -> Done:
    """List the changed files, one `kind path +added -removed` each, then the unified diff."""
    with _ONE:
        change = bench.workspace.diff()
    if not change:
        return Done("nothing changed since the last verified commit")
    rows = [f"{f.kind} {f.path} +{f.added} -{f.removed}" + (" binary" if f.binary else "") for f in change.files]
    return Done("\n".join([*rows, "", screen(change.patch, bench.task.scope)]))


def history(args: History, bench: Bench) -> Done:
    """Tell the last commits of a path, or of everything."""
    path = paths.entry(bench.workspace, args.path).name if args.path not in ("", ".", "./") else ""
    return Done(bench.workspace.history(path, args.limit) or f"no commit touched {path or 'anything'}")


SHOW_CHANGES = Tool("show_changes", ShowChanges, Access.READ, show_changes)
HISTORY = Tool("history", History, Access.READ, history)
