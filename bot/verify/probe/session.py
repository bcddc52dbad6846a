"""Runs pytest (6 or newer) with our plugins, and reports the end."""

from __future__ import annotations

import importlib.util
import os
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

import _pytest.python
import _pytest.reports
import _pytest.runner
import _pytest.unittest
import pytest
from _pytest.assertion import truncate

from bot.verify.probe.guard import Guard, Part, loaded, parts_in, parts_of
from bot.verify.probe.inner import Around, Between, Inner, Last
from bot.verify.probe.pipe import Pipe
from bot.verify.probe.seen import Test
from bot.verify.probe.share import read_share, same
from bot.verify.probe.tree import TREE, configuration, foreign, has_bytecode, hidden, import_roots, imported
from bot.verify.probe.watch import Watch

NOTHING = 5
"""Exit code of pytest when no test was run."""
LINES, CHARACTERS = 200, 20_000
"""What an explanation may take; less would change what tests of pytest's own plugins see."""
AUTOLOAD = "PYTEST_DISABLE_PLUGIN_AUTOLOAD"
SAYING = ("raises", "fail", "approx", "warns", "skip", "xfail", "deprecated_call", "importorskip")
JUDGING = ("_pytest.approx", "_pytest.python_api", "_pytest.raises")
WATCHED = (
    *JUDGING,
    "_pytest.assertion.rewrite",
    "_pytest.doctest",
    "_pytest.main",
    "_pytest.nodes",
    "_pytest.outcomes",
    "_pytest.python",
    "_pytest.recwarn",
    "_pytest.reports",
    "_pytest.runner",
    "_pytest.skipping",
    "_pytest.unittest",
    "pluggy._callers",
    "pluggy._hooks",
    "pluggy._manager",
    "pluggy.callers",
    "pluggy.hooks",
    "pluggy.manager",
)


def guard() -> Guard:
    """Watch over what of pytest decides outcomes."""
    runner = ("call_and_report", "call_runtest_hook", "runtestprotocol", "pytest_runtest_call", "pytest_runtest_setup")
    core = list(parts_of(pytest, SAYING))
    rest: list[Part] = [
        *parts_of(_pytest.reports.TestReport, ("from_item_and_call",)),
        *parts_of(_pytest.runner.CallInfo, ("from_call",)),
        *parts_of(_pytest.runner, runner),
        *parts_of(_pytest.python.Function, ("runtest",)),
        *parts_of(_pytest.unittest.TestCaseFunction, ("runtest", "addError", "addFailure")),
        *parts_of(_pytest.python, ("pytest_pyfunc_call",)),
    ]
    kinds = {kind for module in loaded(JUDGING) for kind in vars(module).values() if isinstance(kind, type)}
    for kind in kinds:
        core += parts_of(kind, ("__eq__", "__exit__")) if kind.__module__ in JUDGING else ()
    rest += [part for kind in (Watch, Inner, Between, Last, Test, Around, Pipe, Guard) for part in parts_of(kind)]
    return Guard(core, [*rest, *(part for module in loaded(WATCHED) for part in parts_in(module))])


def bound() -> None:
    """Let pytest explain failed assertions at some length, not at any: where CI is set, it tells all there is."""
    for owner in (truncate, getattr(truncate, "TruncationBudget", None)):
        for name, value in (("DEFAULT_MAX_LINES", LINES), ("DEFAULT_MAX_CHARS", CHARACTERS)):
            if hasattr(owner, name):
                setattr(owner, name, value)
    name = "running_on_ci" if hasattr(truncate, "running_on_ci") else "util"
    setattr(truncate, name, SimpleNamespace(running_on_ci=bool) if name == "util" else bool)


def main(targets: list[str], token: str, *, narrow: bool) -> int:
    """Run pytest, report the end, and return pytest's own exit code."""
    pipe, share = Pipe(token), read_share()
    for name in [name for name in os.environ if name.startswith("PYTEST_") and name != AUTOLOAD]:
        del os.environ[name]
    if has_bytecode():
        sys.pycache_prefix = os.environ["PYTHONPYCACHEPREFIX"] = tempfile.mkdtemp()
    roots = import_roots()
    sys.path[:0] = roots
    found = configuration()
    options = ["--rootdir", TREE if found == os.devnull else str(Path(found).parent), "--confcutdir"]
    options += [options[1], "-c", found]
    # Processes that tests spawn look here for what to import; it must be what `python -m pytest` shows them.
    sys.modules["__main__"].__spec__ = importlib.util.find_spec("pytest.__main__")
    sys.argv[:] = [str(pytest.__file__).replace("__init__", "__main__"), *targets]
    bound()
    watched = guard()
    skips = (pytest.skip.Exception, unittest.SkipTest, pytest.xfail.Exception)
    Test.skips = skips
    watch = Watch(pipe, watched, share, narrow=narrow)
    code = int(pytest.main([*options, *targets], plugins=[watch, Last(watch)]))
    watched.look()
    everything = set(watch.collected)
    mine = everything - watch.elsewhere - (watch.left_out if share.number or watch.told_by_number else set())
    if code == NOTHING and watch.elsewhere:
        code = 0
    pipe.send(
        "end",
        exit=code,
        collected=len(everything),
        share=len(mine),
        same=same([*everything, *(name + " left out" for name in watch.left_out), *watch.uncollected]),
        left_out=len(watch.left_out) if watch.told_by_number and share.number == 0 else 0,
        missing=sorted(everything - watch.run - watch.left_out - watch.elsewhere)[:20],
        tampered=sorted(watched.found),
        foreign=foreign(roots),
        hidden=sorted({*hidden(roots), *watch.standing})[:50],
        imported=imported(),
    )
    return code
