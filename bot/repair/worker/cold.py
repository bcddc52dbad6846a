"""A fresh pytest process on a copy of the tree: the only thing that a candidate is believed on."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from bot.repair.worker.fork import alarm, disarm, lift, send
from bot.repair.worker.kinds import calm
from bot.repair.worker.source import Edit, replace_span

LIMIT = 5.0
"""Seconds of processor time for one test; after the first that needs more, a tenth of it."""
WALL_SHARE = 4
"""Seconds by the clock for a test, by second of processor time."""
USAGE_ERROR = 4
"""Exit code of pytest where it does not know an option, or cannot use a file."""
CANARY = "git_agent_canary"


class Patch(NamedTuple):
    """Edits of several files, files to write anew, and files to remove."""

    edits: tuple[Edit, ...] = ()
    created: tuple[tuple[str, str], ...] = ()
    deleted: tuple[str, ...] = ()


class Verdict(NamedTuple):
    """What a fresh process said."""

    outcomes: dict[str, str]
    """passed, failed or skipped, by test."""
    messages: dict[str, str]
    broken: frozenset[str]
    """What could not be collected."""
    complete: bool
    """Whether the run came to its end, and a test that must fail did."""


def arguments(cache: str = "") -> list[str]:
    """Return what every pytest of ours is started with: no parallel runs, no coverage, nothing written.

    Some options of projects are known only where there is a `cache`, which is a folder.
    """
    # Plugins import a great deal only to greet in the header.
    given = [
        "-q",
        "-s",
        "--no-header",
        "--maxfail=0",
        *(("-o", f"cache_dir={cache}") if cache else ("-p", "no:cacheprovider")),
        "-p",
        "no:randomly",
        "--continue-on-collection-errors",
        # Plugins are loaded before pytest is, and some projects make errors of all warnings
        "-W",
        "ignore:Module already imported so cannot be rewritten",
    ]
    given += ["-n0"] if "xdist" in sys.modules else []
    return given + (["--no-cov"] if "pytest_cov" in sys.modules else [])


def attempts(cache: str) -> Iterator[list[str]]:
    """List the arguments to start pytest with, the next where it does not know an option of the project's."""
    yield arguments()
    yield arguments(cache)
    yield [*arguments(), "-o", "addopts="]


class Recorder:
    """A pytest plugin that tells the outcome of each test over a pipe."""

    def __init__(self, pipe: int, wanted: frozenset[str], needed: frozenset[str], wall: float = 0.0) -> None:
        self.wall = wall or WALL_SHARE * LIMIT
        """Seconds by the clock for one test."""
        self.pipe = pipe
        self.wanted = wanted
        self.needed = needed
        self.limit = LIMIT
        self.told = False
        self.outcomes: dict[str, str] = {}

    def tell(self, *words: str) -> None:
        """Write one line."""
        self.told = True
        send(self.pipe, json.dumps(words).encode() + b"\n")

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, session: pytest.Session, items: list[pytest.Item]) -> None:
        """Keep the wanted tests and add one that must fail."""
        if self.wanted:
            items[:] = [item for item in items if item.nodeid in self.wanted]
        module = pytest.Module.from_parent(session, path=Path(__file__))
        calm(items, repeatable=False)
        items.append(pytest.Function.from_parent(module, name=CANARY, callobj=_fail))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Tell what could not be collected."""
        if report.failed:
            self.tell("broken", report.nodeid, "")

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Any:
        """Bound the processor time of a test."""
        alarm(self.limit, min(self.wall, WALL_SHARE * self.limit))
        yield
        disarm()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take note of an outcome, and tell it when the test is over."""
        name, before = report.nodeid, self.outcomes.get(report.nodeid, "passed")
        if report.failed:
            self.outcomes[name] = "failed"
            line = str(getattr(report.longrepr, "reprcrash", report.longrepr)).split("\n", 1)[0]
            if "OutOfTime" in line:
                self.limit = LIMIT / 10
            self.tell("message", name, line[:300])
        elif report.skipped and before != "failed":
            self.outcomes[name] = "passed" if hasattr(report, "wasxfail") else "skipped"
        else:
            self.outcomes[name] = before
        if report.when == "teardown":
            self.tell("case", name, self.outcomes[name])

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, exitstatus: int) -> None:
        """End at once: nobody reads a summary."""
        self.tell("end", str(int(exitstatus)), "")
        os._exit(0)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Any:
        """Stop as soon as a test that has to pass does not."""
        outcome = yield
        if item.nodeid in self.needed and outcome.get_result().failed:
            item.session.shouldfail = "a test that has to pass did not"


def _fail() -> None:
    raise AssertionError("this test always fails")


def places(root: Path) -> list[str]:
    """List the folders that the project's modules are looked for in."""
    return [str(root), *([str(root / "src")] if (root / "src").is_dir() else [])]


def enter(root: Path) -> None:
    """Let the project's modules be found, before those that are installed."""
    sys.path[:0] = [place for place in places(root) if place not in sys.path[:2]]


def run(job: dict[str, Any], pipe: int) -> None:
    """Run pytest in the current folder and tell everything over the pipe."""
    recorder = Recorder(lift(pipe), frozenset(job["wanted"]), frozenset(job["needed"]), job.get("wall", 0.0))
    enter(Path.cwd())
    code = 0
    for given in attempts(str(Path.cwd() / ".pytest_cache")):
        code = int(pytest.main([*given, *job["files"]], plugins=[recorder]))
        if code != USAGE_ERROR or recorder.told:
            break
    recorder.tell("stopped", str(code), "")
    os._exit(0)


def apply(folder: Path, patch: Patch) -> None:
    """Write a patch to disk; edits of one file are made from its end to its start. Raises OSError.

    Nothing is written through a link: the copy shares with the original what is only carried along.
    """
    for path in (*(e.path for e in patch.edits), *(path for path, _ in patch.created), *patch.deleted):
        if (folder / path).resolve() != folder.resolve() / path:
            raise FileNotFoundError(path)
    for edit in sorted(patch.edits, key=lambda e: (e.path, -e.start)):
        target = folder / edit.path
        target.write_bytes(replace_span(target.read_bytes(), edit))
    for path, text in patch.created:
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode())
    for path in patch.deleted:
        (folder / path).unlink()


def read(data: bytes) -> Verdict:
    """Read what a cold run told."""
    outcomes: dict[str, str] = {}
    messages: dict[str, str] = {}
    broken: set[str] = set()
    ended = False
    for line in data.splitlines():
        try:
            kind, name, value = json.loads(line)
        except ValueError:
            continue
        if kind == "case":
            outcomes[name] = value
        elif kind == "message":
            messages.setdefault(name, value)
        elif kind == "broken":
            broken.add(name)
        elif kind == "end":
            ended = True
    canary = [name for name in outcomes if name.endswith(CANARY)]
    failed = [outcomes.pop(name) == "failed" for name in canary]
    return Verdict(outcomes, messages, frozenset(broken), ended and bool(failed) and all(failed))


def files_of(tests: Sequence[str]) -> list[str]:
    """List the files that tests stand in, in order."""
    return list(dict.fromkeys(test.split("::")[0] for test in tests))
