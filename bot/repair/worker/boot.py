"""Carries out one job of the repair engine; run by path with the interpreter of the project under repair."""

from __future__ import annotations

import importlib
import json
import os
import sys
import types
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2]


def load() -> types.ModuleType:
    """Import the worker under its own names, then forget the names so that the project may have a `bot` of its own."""
    for name, folder in (("bot", PACKAGE), ("bot.repair", PACKAGE / "repair")):
        module = types.ModuleType(name)
        module.__path__ = [str(folder)]
        sys.modules[name] = module
    worker = importlib.import_module("bot.repair.worker.main")
    for name in [n for n in sys.modules if n == "bot" or n.startswith("bot.")]:
        del sys.modules[name]
    return worker


def start() -> None:
    """Read the job from the arguments and carry it out."""
    # The folder of this file came first on the path, where its modules would hide others.
    sys.path[:] = [entry for entry in sys.path if entry and Path(entry).resolve() != Path(__file__).resolve().parent]
    sys.dont_write_bytecode = True
    job = "".join(sys.argv[1:])
    try:
        worker = load()
    except ImportError as error:
        line = json.dumps({"kind": "end", "reason": f"the project's interpreter cannot run pytest: {error}"})
        os.write(int(os.environ["GIT_AGENT_REPORT_FD"]), line.encode() + b"\n")
        return
    sys.argv = ["pytest"]
    worker.main(job)


if __name__ == "__main__":
    start()
