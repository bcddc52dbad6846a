"""Runs the standard library's unittest as `python -m unittest` would, and reports the end."""

from __future__ import annotations

import importlib.util
import os
import sys
import tempfile
import unittest
import warnings
from collections.abc import Iterator
from typing import Any

from bot.verify.probe.guard import Guard, parts_of
from bot.verify.probe.loading import Collected, Loader, describe, flatten
from bot.verify.probe.outcomes import Around, Case, Result
from bot.verify.probe.pipe import Pipe
from bot.verify.probe.seen import Told, fields
from bot.verify.probe.share import same
from bot.verify.probe.tree import TREE, foreign, has_bytecode, hidden, import_roots, imported, in_tree, relative

NOTHING = 5
"""Exit code when no case was run."""
RUNNING = ("run", "__call__", "_callTestMethod", "_callSetUp")
"""What of a case decides whether its method is run, and what becomes of it."""


class Runner:
    """Is given the suite by unittest's own program, which reads the arguments and collects."""

    def __init__(self, pipe: Pipe, loader: Loader, only: list[str]) -> None:
        self.pipe, self.loader = pipe, loader
        self.only = [name for name in only if not name.startswith("-")]
        self.without = [name.partition("=")[2] for name in only if name.startswith("--ignore=")]
        own = [part for kind in (Result, Case, Around, Pipe, Guard, Loader, Runner) for part in parts_of(kind)]
        self.guard = Guard((), [*own, *parts_of(unittest.TestLoader)])
        self.wanted: list[tuple[Any, Collected]] = []
        self.standing: set[str] = set()
        self.missing: list[str] = []
        self.result: Result | None = None

    def run(self, suite: Any) -> Result:
        """Run the cases that are wanted."""
        self.guard.look()
        start = str(getattr(self.loader, "_top_level_dir", None) or TREE)
        # Held, so that no other object comes to lie at the place of one of them.
        found = [(test, describe(test, start)) for test in flatten(suite)]
        self.wanted = [(test, case) for test, case in found if self._is_wanted(case.id)]
        self.standing = {told for test, case in self.wanted for told in _own_ways(test, case)}
        self.result = Result(self.pipe, self.guard, {id(test): case for test, case in self.wanted}, self.loader.raised)
        chosen = suite if len(self.wanted) == len(found) else unittest.TestSuite([test for test, _ in self.wanted])
        if not sys.warnoptions:
            warnings.simplefilter("default")
        chosen(self.result)
        self.pipe.flush()
        self._account(self.result)
        return self.result

    def _is_wanted(self, name: str) -> bool:
        if any(name == path or name.startswith(path + "::") for path in self.without):
            return False
        return not self.only or any(name == only or name.startswith((only + "::", only + "/")) for only in self.only)

    def _account(self, result: Result) -> None:
        """Report cases that never began, because something around them went wrong or said to skip them."""
        for test, case in self.wanted:
            if id(test) in result.cases:
                continue
            kind = type(test)
            names = (kind.__module__ + "." + kind.__qualname__, kind.__module__)
            told = [result.around[name] for name in names if name in result.around]
            if told and told[0][0] == "skip":
                self.pipe.send("case", id=case.id, **fields(Told("skipped", str(told[0][1])), None, case.place))
            elif told:
                result.bad = True
                self.pipe.send("case", id=case.id, **fields(Told("error"), told[0][1], case.place))
            else:
                self.missing.append(case.id)


def _own_ways(test: Any, case: Collected) -> Iterator[str]:
    """Say that the tree decides itself whether a case's method is run."""
    for name in RUNNING:
        code = getattr(getattr(type(test), name, None), "__code__", None)
        if code is not None and in_tree(code.co_filename):
            yield relative(code.co_filename) + " runs tests of " + case.place[0] + " in its own way"


def main(targets: list[str], token: str, *, narrow: bool) -> int:
    """Run unittest, report the end, and return an exit code as pytest would."""
    pipe, loader = Pipe(token), Loader()
    at = len(targets) - 1 - targets[::-1].index("--")
    runner = Runner(pipe, loader, targets[at + 1 :] if narrow else [])
    if has_bytecode():
        sys.pycache_prefix = os.environ["PYTHONPYCACHEPREFIX"] = tempfile.mkdtemp()
    roots = import_roots()
    sys.path[:0] = roots
    sys.modules["__main__"].__spec__ = importlib.util.find_spec("unittest.__main__")
    sys.argv[:] = [str(unittest.__file__).replace("__init__", "__main__"), *targets[:at]]
    program: Any = unittest.TestProgram
    program(None, argv=["python -m unittest", *targets[:at]], testRunner=runner, testLoader=loader, exit=False)
    runner.guard.look()
    result, names = runner.result, {case.id for _, case in runner.wanted}
    assert result is not None, "the program that was taken before the project was imported does run the suite"
    code = 1 if result.bad else NOTHING if not names else 0
    pipe.send(
        "end",
        exit=code,
        collected=len(names),
        share=len(names),
        same=same(names),
        missing=sorted(runner.missing)[:20],
        tampered=sorted(runner.guard.found),
        foreign=foreign(roots),
        hidden=sorted({*hidden(roots), *runner.standing})[:50],
        imported=imported(),
    )
    return code
