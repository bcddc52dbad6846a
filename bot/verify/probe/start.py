# ruff: noqa: E402 - what is imported, and from where, is what this file is careful about
"""Runs a project's tests in its own interpreter and reports them over a private pipe.

Usage: start.py --secret FILE [--tools FOLDER] [--narrow] pytest|unittest -- ARGUMENT...

Standard library only. What the runner says is held against what was seen at the test function itself. Code under test
that works hard enough can still forge a report from inside, which is why a change to tests and their configuration is
shown to a person as well.
"""

from __future__ import annotations

import sys

# The folder of this file came first on the path, where its modules would hide others.
HERE = __file__.rpartition("/")[0]
sys.path[:] = [entry for entry in sys.path if entry != HERE]

import gc

# Until the tests begin nothing of what is loaded is garbage, and to look for some takes a tenth of the start.
gc.disable()

import builtins
import importlib
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

COMMON = ("tree", "pipe", "clock", "cause", "content", "seen", "guard", "share")
RUNNERS = {
    "pytest": (*COMMON, "watch", "inner", "session"),
    "unittest": (*COMMON, "loading", "outcomes", "program"),
}
"""Modules in the order in which they need each other."""
PACKAGES = ("bot", "bot.verify", "bot.verify.probe")


def load(runner: str) -> ModuleType:
    """Import our modules under their own names, then forget these: the project may have a `bot` of its own."""
    # What the project does to the builtins is not done to ours.
    private = dict(vars(builtins))
    for name in PACKAGES:
        sys.modules[name] = ModuleType(name)
    module = sys.modules[PACKAGES[0]]
    for name in RUNNERS[runner]:
        spec = spec_from_file_location(PACKAGES[-1] + "." + name, HERE + "/" + name + ".py")
        assert spec is not None
        assert spec.loader is not None
        module = module_from_spec(spec)
        vars(module)["__builtins__"] = private
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
    for name in [name for name in sys.modules if name in PACKAGES or name.startswith(PACKAGES[-1] + ".")]:
        del sys.modules[name]
    return module


def take(path: str) -> str:
    """Read what only we may know, and remove it before any code of the project runs: an environment would stay."""
    token = Path(path).read_text("ascii")
    Path(path).unlink()
    return token


def name_version() -> None:
    """Tell pluggy its version, which pytest prints: to read the metadata for it takes a tenth of pytest's start."""
    pluggy = importlib.import_module("pluggy")
    names = [entry.name for entry in Path(str(pluggy.__file__)).parents[1].glob("pluggy-*.dist-info")]
    if len(names) == 1:
        vars(pluggy).setdefault("__version__", names[0][len("pluggy-") : -len(".dist-info")])


def settle(lent: str) -> None:
    """Import what pytest wants later, then put the folder out of sight: nothing else in it is the project's."""
    importlib.import_module("packaging.requirements")
    pluggy = importlib.import_module("pluggy")
    # Looked up in the folder's metadata when first asked for, which is too late.
    vars(pluggy)["__version__"] = pluggy.__version__
    sys.path.remove(lent)


def main(arguments: list[str]) -> int:
    """Run what the arguments ask for."""
    at = arguments.index("--")
    options, targets = arguments[:at], arguments[at + 1 :]
    token = take(options[options.index("--secret") + 1])
    lent = options[options.index("--tools") + 1] if "--tools" in options else ""
    if lent:
        # The project's environment has no pytest: lend ours, and nothing else that lies beside it.
        sys.path.append(lent)
    runner = load(options[-1])
    if options[-1] == "pytest":
        name_version()
    if lent:
        settle(lent)
    # Pytest collects garbage at its end, and the interpreter once more: in what was loaded until now there is none.
    gc.freeze()
    gc.enable()
    return int(runner.main(targets, token, narrow="--narrow" in options))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
