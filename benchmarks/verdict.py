"""How long a verdict takes beside the project's own command, and how soon a broken function is told of.

    python benchmarks/verdict.py FOLDER [--only NAME,NAME] [--runs N] [--changes N] [--slow SECONDS]

FOLDER holds the checkouts that checkouts.py makes. `own` is the project's own command and `pytest` a bare
`python -m pytest`, both in the checkout and warm; `unit` is our verdict of the checks on the rung unit, from the clean
folder to the last read case, and `ladder` the one of every rung. All four take turns, so that a busy moment meets all
of them. For suites that take long enough, functions are broken one at a time; `first` is the time until the verdict
says no.
"""

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from checkouts import Project, here, measure, read_projects, run_own
from damage import break_functions
from ours import Ours, open_ours

from bot.core.check import Check, Rung, Verdict

FEW, MANY = 1, 3
TRIES = 25
"""Functions that are broken at most, until enough of them were missed by a test."""


@dataclass
class Row:
    """The figures of one project."""

    name: str
    tests: int = 0
    times: dict[str, list[float]] = field(default_factory=dict)
    memory: dict[str, int] = field(default_factory=dict)
    cpu: dict[str, float] = field(default_factory=dict)
    """Processor seconds of one run; a busy machine changes these least."""
    firsts: list[float] = field(default_factory=list)

    def middle(self, side: str) -> float:
        return statistics.median(self.times[side])

    def ratio(self, side: str, other: str) -> float:
        return self.middle(side) / self.middle(other)

    @property
    def first(self) -> float | None:
        return statistics.median(self.firsts) / self.middle("unit") if self.firsts else None


def units(opened: Ours) -> tuple[Check, ...]:
    """Name the checks that run the tests."""
    return tuple(check for check in opened.ladder.checks if check.rung in (Rung.UNIT, Rung.INTEGRATION))


def time_unit(opened: Ours, tree: str) -> float:
    """Run the tests in the clean folder."""
    return sum(opened.run(check, tree)[1] for check in units(opened))


def time_sides(project: Project, opened: Ours, runs: int, row: Row) -> None:
    """Let every side take its turn, after one round that does not count."""
    tree = opened.tree("HEAD")

    def own() -> float:
        ran = run_own(project)
        row.memory["own"] = max(row.memory.get("own", 0), ran.memory)
        row.cpu["own"] = min(row.cpu.get("own", ran.cpu), ran.cpu)
        return ran.seconds

    def plain() -> float:
        ran = run_own(project, command=("python", "-m", "pytest"))
        row.cpu["pytest"] = min(row.cpu.get("pytest", ran.cpu), ran.cpu)
        return ran.seconds

    sides: dict[str, Callable[[], float]] = {
        "own": own,
        "pytest": own if project.unittest else plain,
        "unit": lambda: time_unit(opened, tree),
        "ladder": lambda: opened.judge(tree).seconds,
    }
    for number in range(runs + 1):
        for side, run in sides.items():
            taken = run()
            if number:
                row.times.setdefault(side, []).append(taken)


def time_firsts(project: Project, opened: Ours, before: Verdict, changes: int) -> Iterator[float]:
    """Break functions until enough of them are told of by a test; yield the seconds that each verdict took."""
    told = 0
    for number, broken in enumerate(break_functions(project.root, "HEAD", seed=3)):
        if told == changes or number == TRIES:
            return
        timed = opened.judge(broken.tree, before)
        worst = [result.check for result in timed.verdict.results if result.status == "skipped"]
        by = max((r for r in timed.verdict.results if r.status != "skipped"), key=lambda r: r.rung.height)
        word = "ok" if timed.verdict.ok else f"not ok, said by {by.check}{' (narrowed)' if by.narrowed else ''}"
        print(f"   {broken.path}:{broken.function}: {word} after {timed.seconds:.2f} s {worst or ''}", flush=True)
        if not timed.verdict.ok and by.rung.height >= Rung.UNIT.height:
            told += 1
            yield timed.seconds


def examine(project: Project, options: argparse.Namespace) -> Row:
    """Measure one project."""
    row = Row(project.name)
    with open_ours(project.root) as opened:
        time_sides(project, opened, options.runs, row)
        before = opened.judge(opened.tree("HEAD")).verdict
        row.tests = sum(len(r.cases) for r in before.results if r.rung.height >= Rung.UNIT.height)
        print(f"{project.name}: " + ", ".join(f"{side} {row.middle(side):.2f} s" for side in row.times), flush=True)
        if row.middle("unit") >= options.slow:
            row.firsts.extend(time_firsts(project, opened, before, options.changes))
    weigh(project, row)
    return row


def weigh(project: Project, row: Row) -> None:
    """Take the memory of a process that runs the tests, and from the difference of two the processor time of a run."""
    argv = (sys.executable, __file__, str(project.root.parent), "--once", project.name, "--runs")
    few, many = (measure((*argv, str(number)), Path.cwd(), os.environ) for number in (FEW, MANY))
    row.memory["unit"] = max(few.memory, many.memory)
    row.cpu["unit"] = (many.cpu - few.cpu) / (MANY - FEW)
    row.cpu.setdefault("pytest", row.cpu["own"])


def run_some(project: Project, runs: int) -> None:
    """Run the tests a few times, for whoever watches this process."""
    with open_ours(project.root) as opened:
        for _ in range(runs):
            time_unit(opened, opened.tree("HEAD"))


COLUMNS: Mapping[str, Callable[[Row], float | None]] = {
    "tests": lambda row: row.tests,
    "own s": lambda row: row.middle("own"),
    "pytest s": lambda row: row.middle("pytest"),
    "unit s": lambda row: row.middle("unit"),
    "ladder s": lambda row: row.middle("ladder"),
    "unit/own": lambda row: row.ratio("unit", "own"),
    "unit/pytest": lambda row: row.ratio("unit", "pytest"),
    "ladder/own": lambda row: row.ratio("ladder", "own"),
    "first/suite": lambda row: row.first,
    "cpu/own": lambda row: row.cpu["unit"] / row.cpu["own"],
    "cpu/pytest": lambda row: row.cpu["unit"] / row.cpu["pytest"],
    "own MiB": lambda row: row.memory["own"],
    "unit MiB": lambda row: row.memory["unit"],
}


def show(rows: Sequence[Row]) -> None:
    """Print the table and the median of each column."""
    print("\n" + f"{'project':16}" + "".join(f"{name:>12}" for name in COLUMNS))
    for row in rows:
        print(f"{row.name:16}" + "".join(f"{_cell(read(row)):>12}" for read in COLUMNS.values()))
    middles = [[value for row in rows if (value := read(row)) is not None] for read in COLUMNS.values()]
    print(f"{'median':16}" + "".join(f"{_cell(statistics.median(told) if told else None):>12}" for told in middles))


def _cell(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.2f}"


def main() -> None:
    """Measure every project."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--changes", type=int, default=5)
    parser.add_argument("--slow", type=float, default=2.0)
    parser.add_argument("--once", default="")
    options = parser.parse_args()
    if options.once:
        run_some(read_projects(options.folder, (options.once,))[0], options.runs)
        return
    chosen = here(read_projects(options.folder, tuple(filter(None, options.only.split(",")))))
    load, since = os.getloadavg()[0], time.perf_counter()
    rows = [examine(project, options) for project in chosen]
    show(rows)
    print(f"{options.runs} runs each, {os.cpu_count()} processors, load {load:.1f} at the start, ", end="")
    print(f"{os.getloadavg()[0]:.1f} at the end, {time.perf_counter() - since:.0f} s in all")


if __name__ == "__main__":
    main()
