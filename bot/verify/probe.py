# ruff: noqa: E402 - what is imported, and from where, is what this file is careful about
"""Runs a project's tests in its own pytest (6 or newer, Python 3.8 or newer) and reports them over a private pipe.

Usage: probe.py [--tools FOLDER] [--narrow] -- PYTEST-ARGUMENT...

Started on its own in the project's interpreter, with the tree as working folder. What pytest reports is held against
what was seen at the test function itself. Code under test that works hard enough can still forge a report from inside,
which is why a change to tests and their configuration is shown to a person as well.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

# This folder holds modules of git agent; after its two neighbours, the project must find none of them.
HERE = __file__.rpartition("/")[0]
sys.path[:] = [HERE, *(path for path in sys.path if path != HERE)]
if TYPE_CHECKING:
    from bot.verify.probed import TREE, configuration, foreign, has_bytecode, hidden, import_roots, in_tree, relative
    from bot.verify.seen import LONGEST, Spot, Test, asks, why
else:
    from probed import TREE, configuration, foreign, has_bytecode, hidden, import_roots, in_tree, relative
    from seen import LONGEST, Spot, Test, asks, why

    del sys.modules["probed"], sys.modules["seen"]
del sys.path[0]

import fcntl
import importlib.util
import json
import os
import tempfile
import unittest
from collections.abc import Generator
from types import FunctionType
from typing import Any

if sys.argv[1:2] == ["--tools"]:
    # The project's environment has no pytest: lend ours, and nothing else that lies beside it.
    sys.path.append(sys.argv[2])
import _pytest.python
import _pytest.reports
import _pytest.runner
import _pytest.unittest
import pytest

if sys.argv[1:2] == ["--tools"]:
    import packaging.requirements  # noqa: F401 - wanted later, when the folder is out of sight
    import pluggy

    # Looked up in the folder's metadata when first asked for, which is too late.
    pluggy.__version__ = pluggy.__version__
    sys.path.remove(sys.argv[2])
    del sys.argv[1:3]

if TYPE_CHECKING:
    from bot.verify.clock import Clock
else:
    sys.path.insert(0, HERE)
    from clock import Clock

    del sys.modules["clock"], sys.path[0]

AUTOLOAD = "PYTEST_DISABLE_PLUGIN_AUTOLOAD"
SKIPS = (pytest.skip.Exception, unittest.SkipTest, pytest.xfail.Exception)
GUARDED: tuple[Any, ...] = (
    _pytest.python.Function,
    _pytest.unittest.TestCaseFunction,
    _pytest.reports.TestReport,
    _pytest.reports.CollectReport,
    _pytest.runner.CallInfo,
    _pytest.runner,
    unittest.TestCase,
    pytest,
)
"""What decides an outcome; nothing in the tree has a reason to replace any of it."""
ORIGINALS = [
    (owner, name, value)
    for owner in GUARDED
    for name, value in vars(owner).items()
    if isinstance(value, (FunctionType, classmethod, staticmethod, property))
]


def replaced() -> set[str]:
    """Name what code of the tree has put in the place of pytest's own."""
    found = set()
    for owner, name, original in ORIGINALS:
        value = vars(owner).get(name)
        if value is not original:
            code = getattr(getattr(value, "__func__", getattr(value, "fget", value)), "__code__", None)
            if code is None or in_tree(code.co_filename):
                found.add(owner.__name__ + "." + name)
    return found


class Pipe:
    """The way to the parent; only this process may write to it, not its forked children."""

    def __init__(self) -> None:
        given = int(os.environ.pop("GIT_AGENT_REPORT_FD"))
        self.token = os.environ.pop("GIT_AGENT_REPORT_TOKEN")
        self.fd = fcntl.fcntl(given, fcntl.F_DUPFD_CLOEXEC, 200)
        os.close(given)
        self.owner = os.getpid()
        self.sent = 0

    def send(self, kind: str, **fields: Any) -> None:
        """Write one record."""
        if os.getpid() != self.owner:
            return
        self.sent += 1
        line = json.dumps({"token": self.token, "number": self.sent, "kind": kind, **fields}) + "\n"
        data = line.encode("ascii")
        while data:
            data = data[os.write(self.fd, data) :]


class Watch:
    """A plugin that sees every test from outside and from inside the other plugins."""

    def __init__(self, pipe: Pipe, *, narrow: bool) -> None:
        self.pipe, self.narrow = pipe, narrow
        self.collected: dict[str, tuple[str, int]] = {}
        self.left_out: set[str] = set()
        self.run: set[str] = set()
        self.tampered: set[str] = set()
        self.test: Test | None = None

    def case(self, id: str, told: tuple[str, str], place: tuple[str, int], **more: Any) -> None:  # noqa: A002
        """Report one outcome."""
        fields = {"outcome": told[0], "message": told[1], "path": place[0], "line": place[1]}
        self.pipe.send("case", id=id, **fields, **more)

    def saw(self, error: BaseException | None) -> None:
        """Note an exception of the running test, unless it only skips."""
        if self.test is not None and error is not None and not isinstance(error, SKIPS):
            self.test.saw(error)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_cmdline_parse(self) -> Generator[None, Any, None]:
        """Take back options that would hide outcomes; a project sets them for people."""
        outcome = yield
        if outcome.excinfo is not None:
            return
        option = outcome.get_result().option
        wanted = {
            "maxfail": 0,
            "numprocesses": 0,
            "lf": False,
            "stepwise": False,
            "usepdb": False,
            "trace": False,
            "tx": [],
            "dist": "no",
        }
        wanted.update({"continue_on_collection_errors": True}, **({"no_cov": True} if self.narrow else {}))
        for name, value in wanted.items():
            if hasattr(option, name):
                setattr(option, name, value)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_load_initial_conftests(self) -> Generator[None, Any, None]:
        """Report a conftest that cannot be imported."""
        outcome = yield
        error = outcome.excinfo[1] if outcome.excinfo is not None else None
        path = str(getattr(error, "path", ""))
        if error is not None and path:
            spot = Spot(error.__cause__ or error)
            name = relative(path)
            self.case(name, ("error", spot.message), (spot.path or name, spot.line))

    def pytest_itemcollected(self, item: pytest.Item) -> None:
        """Count a test before anybody can take it away."""
        self.collected[item.nodeid] = (str(item.location[0]), (item.location[1] or 0) + 1)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Report tests that the project leaves out."""
        self.left_out = set(self.collected) - {item.nodeid for item in session.items}
        for name in sorted(self.left_out):
            self.case(name, ("skipped", "left out after collection"), self.collected[name])

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_make_collect_report(self, collector: pytest.Collector) -> Generator[None, Any, None]:
        """Report what cannot be collected, or is skipped as a whole."""
        outcome = yield
        report = outcome.get_result() if outcome.excinfo is None else None
        file = collector.nodeid.partition("::")[0]
        if report is not None and report.outcome == "failed":
            call = report.__dict__.get("call")
            error = call.excinfo.value if call is not None and call.excinfo is not None else None
            spot = Spot(error.__cause__ or error) if error is not None else None
            message = spot.message if spot is not None else str(report.longrepr)[-LONGEST:]
            self.case(collector.nodeid, ("error", message), (spot.path, spot.line) if spot and spot.path else (file, 0))
        elif report is not None and report.outcome == "skipped":
            self.case(collector.nodeid, ("skipped", why(report)), (file, 0))

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, None]:
        """Follow one test from before its setup to after its teardown."""
        self.test = test = Test(item.location)
        self.pipe.send("begin", id=item.nodeid, path=test.path, line=test.line)
        yield
        self.test = None
        self.run.add(item.nodeid)
        self.tampered |= replaced()
        spot = Spot(test.raised) if test.raised is not None else None
        place = (spot.path, spot.line) if spot is not None and spot.path else (test.path, test.line)
        self.case(item.nodeid, test.outcome(), place, seconds=test.seconds(), asks=asks(item))

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, call: Any) -> Generator[None, Any, None]:
        """See the exception of a phase before and after others have handled it."""
        if self.test is not None and call.when == "setup":
            self.test.forget()
        seen = call.excinfo
        yield
        seen = seen or call.excinfo
        if seen is not None:
            self.saw(seen.value)

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: Any) -> None:
        """Keep what pytest says of a phase."""
        if self.test is not None:
            self.test.reports.append(report)

    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, Any, None]:
        """See what a unittest case noted down before anybody can remove it."""
        yield
        for noted in getattr(item, "_excinfo", None) or ():
            self.saw(noted.value)

    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> Generator[None, Any, None]:
        """See the test function entered, and what it raised, closer than any other plugin."""
        code = getattr(pyfuncitem.obj, "__code__", None)
        entered: list[bool] = []

        def profile(frame: Any, _event: str, _argument: object) -> None:
            if frame.f_code is code:
                entered.append(True)
                sys.setprofile(None)

        watching = code is not None and sys.getprofile() is None and answered_by_tree(pyfuncitem)
        if watching:
            sys.setprofile(profile)
        outcome = yield
        if watching and not entered:
            sys.setprofile(None)
        if self.test is not None:
            self.test.skipped_call = watching and not entered
        self.saw(outcome.excinfo[1] if outcome.excinfo is not None else None)


def answered_by_tree(item: pytest.Function) -> bool:
    """Tell whether a plugin of the tree may call the test function in pytest's stead."""
    plugins = (found.plugin for found in item.ihook.pytest_pyfunc_call.get_hookimpls())
    return any(
        in_tree(getattr(plugin, "__file__", None) or sys.prefix) for plugin in plugins if not isinstance(plugin, Watch)
    )


def main(arguments: list[str]) -> int:
    """Run pytest, report the end, and return pytest's own exit code."""
    narrow = arguments[:1] == ["--narrow"]
    targets = arguments[arguments.index("--") + 1 :]
    pipe = Pipe()
    for name in [name for name in os.environ if name.startswith("PYTEST_") and name != AUTOLOAD]:
        del os.environ[name]
    if has_bytecode():
        sys.pycache_prefix = os.environ["PYTHONPYCACHEPREFIX"] = tempfile.mkdtemp()
    roots = import_roots()
    sys.path[:0] = roots
    options = ["--rootdir", TREE, "--confcutdir", TREE, "-c", configuration()]
    options += ["-o", "cache_dir=" + tempfile.gettempdir() + "/pytest-cache-" + str(os.getpid())]
    # Processes that tests spawn look here for what to import; it must be what `python -m pytest` shows them.
    sys.modules["__main__"].__spec__ = importlib.util.find_spec("pytest.__main__")
    sys.argv[:] = [str(pytest.__file__).replace("__init__", "__main__"), *targets]
    watch = Watch(pipe, narrow=narrow)
    code = int(pytest.main([*options, *targets], plugins=[watch, Clock()]))
    pipe.send(
        "end",
        exit=code,
        collected=len(watch.collected),
        missing=sorted(set(watch.collected) - watch.run - watch.left_out)[:20],
        tampered=sorted(watch.tampered | replaced()),
        foreign=foreign(roots),
        hidden=hidden(),
    )
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
