"""What running a command costs at each isolation level, beside a plain spawn, and what a flood of output costs us.

    python benchmarks/sandbox.py [--repeat 100] [--flood 1024]

All levels that this machine offers are measured in turns, on a repository made for the purpose. Times are milliseconds
for a command that does nothing; behind each stands what it takes of a plain `subprocess` spawn. Memory is how much this
process grew, at its largest, while a command printed `--flood` MB: once ended at the usual cap, once let through whole.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from bot.core.task import Isolation
from bot.errors import SandboxUnavailable
from bot.protocols import Command, Executor
from bot.sandbox.detect import pick
from bot.sandbox.limits import Bounds
from bot.sandbox.site import Site

LEVELS: Sequence[Isolation] = ("process", "landlock", "bubblewrap")
NOTHING = ("true",)
PRINTER = "import sys; line = b'x' * 99 + b'\\n'; [sys.stdout.buffer.write(line * 10486) for _ in range({})]"
MB = 1 << 20


def make_repository(folder: Path) -> Path:
    """Make a repository with one commit."""
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    who = ("-c", "user.name=Bench", "-c", "user.email=bench@example.invalid")
    for argv in (("init", "-q", "-b", "main"), (*who, "commit", "-q", "--allow-empty", "-m", "one")):
        subprocess.run(["git", *argv], cwd=folder, env=environment, check=True)
    return folder


def find_levels(repository: Path, bounds: Bounds | None = None) -> dict[Isolation, Executor]:
    """Make an executor for each level, and say which there are none for."""
    found: dict[Isolation, Executor] = {}
    for level in LEVELS:
        try:
            found[level] = pick(
                level, Site(repository, repository / ".git", [Path(sys.executable)]), bounds=bounds
            ).executor
        except SandboxUnavailable as error:
            print(f"{level}: {error.message}")
    return found


def clock(action: Callable[[], object]) -> float:
    """Return the milliseconds that something takes."""
    since = time.perf_counter()
    action()
    return (time.perf_counter() - since) * 1000


def time_commands(executors: Mapping[Isolation, Executor], folder: Path, repeat: int) -> dict[str, list[float]]:
    """Run a command that does nothing, each way in turn, so that what else the machine does weighs on all alike."""
    ways: dict[str, Callable[[], object]] = {"spawn": lambda: subprocess.run(NOTHING, cwd=folder, check=True)}
    for level, executor in executors.items():
        ways[level] = lambda executor=executor: executor.execute(Command(NOTHING, folder))  # type: ignore[misc]
    for way in ways.values():
        way()  # a supervisor is started with the first command and kept for the next ones
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(repeat):
        for name, way in ways.items():
            times[name].append(clock(way))
    return times


def tell_times(times: Mapping[str, Sequence[float]]) -> Iterator[str]:
    """Write the table of times."""
    yield f"{'a command':<14}{'median':>9}{'p95':>9}{'ratio':>8}{'over spawn':>12}"
    plain = statistics.median(times["spawn"])
    for name, values in times.items():
        middle, late = statistics.median(values), sorted(values)[int(len(values) * 0.95)]
        yield f"{name:<14}{middle:9.2f}{late:9.2f}{middle / plain:8.1f}{middle - plain:12.2f}"


def weigh_flood(level: Isolation, repository: Path, flood: int, *, whole: bool) -> tuple[float, float, str]:
    """Return by how many MB this process grew while a command printed, how many seconds it took and how it ended."""
    bounds = Bounds(output=2 * flood * MB, file=2 * flood * MB) if whole else Bounds()
    executor = find_levels(repository, bounds)[level]
    command = Command((sys.executable, "-I", "-S", "-c", PRINTER.format(flood)), repository, timeout=300.0)
    executor.execute(Command(NOTHING, repository))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    done = executor.execute(command)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    kept = f"{len(done.output) >> 10} KB kept"
    return grown, done.seconds, f"{done.ended}, {kept}{', hit ' if done.hit else ''}{', '.join(done.hit)}"


def tell_floods(levels: Sequence[Isolation], flood: int) -> Iterator[str]:
    """Measure each in a process of its own: the largest that one ever was does not become less again."""
    yield f"{f'{flood} MB printed':<26}{'grown MB':>9}{'seconds':>9}  ended"
    for level in levels:
        for way in ("capped", "whole"):
            argv = [sys.executable, __file__, "--one", f"{level}:{way}", "--flood", str(flood)]
            done = subprocess.run(argv, capture_output=True, text=True, check=True)
            yield f"{f'{level}, {way}':<26}{done.stdout.rstrip()}"


def measure_one(what: str, repository: Path, flood: int) -> None:
    """Print one row of the table of memory."""
    name, _, way = what.partition(":")
    level = next(level for level in LEVELS if level == name)
    grown, seconds, ended = weigh_flood(level, repository, flood, whole=way == "whole")
    print(f"{grown:9.1f}{seconds:9.1f}  {ended}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=100, help="commands at each level")
    parser.add_argument("--flood", type=int, default=1024, help="MB that a command prints")
    parser.add_argument("--one", default="", help=argparse.SUPPRESS)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="git-agent-bench-") as place:
        repository = make_repository(Path(place))
        if given.one:
            measure_one(given.one, repository, given.flood)
            return 0
        executors = find_levels(repository)
        for row in tell_times(time_commands(executors, repository, given.repeat)):
            print(row, flush=True)
        print()
        for row in tell_floods(tuple(executors), given.flood):
            print(row, flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
