"""Run the command line; always started as `python -I -m bot`, so that no `bot` of the caller's folder runs instead."""

import os
import sys

from bot import __version__

if sys.argv[1:] == ["--version"]:  # answered before anything is imported: hooks and scripts ask often
    sys.stdout.write(f"git-agent {__version__}\n")
    raise SystemExit(0)

if "hook" in sys.argv:  # what fails before anything below can catch it is in nobody's way either
    from bot.app.hooks.leniency import guard

    guard(sys.argv[1:])

if sys.argv[1:3] == ["hook", "run"]:  # answered before much is imported, where the same commit was judged before
    from bot.app.hooks.quick import answer

    if (code := answer(sys.argv[1:])) is not None:
        raise SystemExit(code)

# Plugins of other distributions have no business in our values, and looking for them takes time at every start.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")

if sys.argv[1:3] == ["hook", "run"]:
    from bot.app.hooks import direct

    if (code := direct.answer(sys.argv[1:])) is not None:
        direct.leave(code)

from bot.entry.cli import main

raise SystemExit(main())
