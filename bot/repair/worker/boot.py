"""Carries out one job of the repair engine; run by path with the interpreter of the project under repair."""

from __future__ import annotations

import gc
import importlib
import json
import os
import sys
import types
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).resolve().parents[2]
LENT = "GIT_AGENT_LENT_PYTEST"
"""Names a folder to take pytest from, where the project's environment has none."""

FIRST = "GIT_AGENT_FIRST_PLACES"
"""Names folders whose modules go before those that are installed, even those that pytest runs on."""

OLDEST = 7
"""Of pytest."""


def load() -> types.ModuleType:
    """Import the worker under its own names, then forget the names so that the project may have a `bot` of its own."""
    for name, folder in (("bot", PACKAGE), ("bot.repair", PACKAGE / "repair")):
        module = types.ModuleType(name)
        module.__path__ = [str(folder)]
        sys.modules[name] = module
    lent = os.environ.get(LENT, "")
    if lent:
        sys.path.append(lent)
    version = str(importlib.import_module("pytest").__version__)
    first = version.split(".", maxsplit=1)[0]
    if first.isdigit() and int(first) < OLDEST:
        raise ImportError(f"version {version} is too old to be searched with, it takes {OLDEST}.0 or newer")
    worker = importlib.import_module("bot.repair.worker.main")
    if lent:
        settle(lent)
    for name in [n for n in sys.modules if n == "bot" or n.startswith("bot.")]:
        del sys.modules[name]
    return worker


def settle(lent: str) -> None:
    """Import what pytest wants later, then put the folder out of sight: nothing else in it is the project's."""
    importlib.import_module("packaging.requirements")
    pluggy: Any = importlib.import_module("pluggy")
    # Looked up in the folder's metadata when first asked for, which is too late.
    pluggy.__version__ = pluggy.__version__
    sys.path.remove(lent)


def start() -> None:
    """Read the job from the arguments and carry it out."""
    # The folder of this file came first on the path, where its modules would hide others.
    sys.path[:] = [entry for entry in sys.path if entry and Path(entry).resolve() != Path(__file__).resolve().parent]
    first = os.environ.pop(FIRST, "")
    sys.path[:0] = first.split(os.pathsep) if first else []
    sys.dont_write_bytecode = True
    job = "".join(sys.argv[1:])
    # Nothing of what is loaded is garbage, and each process that is forked from here would look for some in it
    gc.disable()
    try:
        worker = load()
    except ImportError as error:
        line = json.dumps({"kind": "end", "reason": f"the project's interpreter cannot run pytest: {error}"})
        os.write(int(os.environ["GIT_AGENT_REPORT_FD"]), line.encode() + b"\n")
        return
    gc.freeze()
    gc.enable()
    sys.argv = ["pytest"]
    worker.main(job)


if __name__ == "__main__":
    start()
