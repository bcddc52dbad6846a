"""What is mended without a language model, and how much of that is right: on programs that other people wrote.

    python benchmarks/repair.py SET… --out FOLDER [--whole] [--only NAME,NAME] [--plot FILE.svg]

SET is one of these, or `all`:

    quixbugs      40 small programs with a fault in one line
    humanevalfix  164 functions with a fault that a person put in
    mutants       one wrong edit each in small published packages, their whole suites as the judge
    faults        typing errors and half finished changes of 14 kinds in the same packages
    bugsinpy      faults from the histories of thefuck and PySnooper, each with the tests that came with its fix

Nothing of them is part of git agent. Packages come with pip; for the other sets `--checkout` names a folder that holds
clones of their repositories, and what lacks there is told. What is prepared stays in `--sets` (FOLDER/sets), results in
FOLDER, and what has a result there is not run again. A program keeps the `--python` that it was prepared with; most of
bugsinpy asks for Python 3.10.

The engine alone is asked, unless `--whole` has all of `git agent fix` run in a repository, and `git agent verify` after
it; for `faults` that is always so. A patch is plausible when all tests that pass with the correct version pass with it,
in a fresh process. It is correct when it restores the tree of the correct version, or, for the sets whose programs are
one function, gives what the correct one gives on hundreds of inputs like those of the tests.
"""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from subjects import bugsinpy, faults, hosts, humanevalfix, mutants, quixbugs
from subjects.item import Item, read_items
from subjects.plot import plot
from subjects.solving import Result, engine, whole
from subjects.table import show, tables

ALWAYS_WHOLE = ("faults",)


@dataclass(frozen=True)
class Given:
    """What the sets are made from."""

    sets: Path
    checkout: Path
    python: Path
    packages: tuple[str, ...]
    seed: int
    each: int

    @property
    def hosts(self) -> list[hosts.Host]:
        """The packages that are ready."""
        return list(hosts.prepare_hosts(self.sets / "packages", self.python, self.packages))


def prepare_mutants(given: Given) -> None:
    """Make what lacks of mutants."""
    mutants.prepare(given.hosts, given.sets / "mutants", given.seed, given.each or 2)


def prepare_faults(given: Given) -> None:
    """Make what lacks of faults."""
    faults.prepare(given.hosts, given.sets / "faults", given.seed, given.each or 4)


def prepare_quixbugs(given: Given) -> None:
    """Lay out what lacks of QuixBugs."""
    quixbugs.prepare(given.checkout, given.sets / "quixbugs", given.python)


def prepare_humanevalfix(given: Given) -> None:
    """Lay out what lacks of HumanEvalFix."""
    humanevalfix.prepare(given.checkout, given.sets / "humanevalfix", given.python)


def prepare_bugsinpy(given: Given) -> None:
    """Lay out what lacks of BugsInPy."""
    bugsinpy.prepare(given.checkout, given.sets / "bugsinpy", given.python)


SETS: Mapping[str, Callable[[Given], None]] = {
    "quixbugs": prepare_quixbugs,
    "humanevalfix": prepare_humanevalfix,
    "mutants": prepare_mutants,
    "faults": prepare_faults,
    "bugsinpy": prepare_bugsinpy,
}


def run(items: Sequence[Item], known: Path, solve: Callable[[Item, float], Result], seconds: float) -> None:
    """Run what has no result yet, and keep each result as soon as there is one."""
    done = {result.name for result in read_results(known)}
    for item in items:
        if item.name not in done:
            result = solve(item, seconds)
            with known.open("a", encoding="utf-8") as stream:
                stream.write(result.model_dump_json() + "\n")
            print(show(result), flush=True)


def read_results(path: Path) -> list[Result]:
    """Read what is known already."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [Result.model_validate_json(line) for line in lines]


def read_options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("set", nargs="+", choices=[*SETS, "all"])
    parser.add_argument("--out", type=Path, default=Path("build/repair"), help="where results are kept (build/repair)")
    parser.add_argument("--sets", type=Path, help="where prepared programs are kept (OUT/sets)")
    parser.add_argument("--checkout", type=Path, default=Path(), help="holds the clones, each under its name")
    parser.add_argument("--python", type=Path, default=Path(sys.executable), help="has pytest")
    parser.add_argument("--only", default="", help="programs, comma-separated")
    parser.add_argument("--packages", default="", help="packages to use, comma-separated; all otherwise")
    parser.add_argument("--seconds", type=float, default=60.0, help="for one program (60)")
    parser.add_argument("--seed", type=int, default=1, help="which mutants and faults are made (1)")
    parser.add_argument("--each", type=int, default=0, help="mutants of a package (2), faults of a kind (4)")
    parser.add_argument("--whole", action="store_true", help="run git agent fix and git agent verify")
    parser.add_argument("--plot", type=Path, help="SVG to draw")
    parser.add_argument("--prepare", action="store_true", help="only prepare")
    return parser.parse_args()


def main() -> None:
    """Prepare, run, and print the tables."""
    options = read_options()
    packages, only = (tuple(filter(None, words.split(","))) for words in (options.packages, options.only))
    sets = (options.sets or options.out / "sets").absolute()
    given = Given(sets, options.checkout, options.python.absolute(), packages, options.seed, options.each)
    options.out.mkdir(parents=True, exist_ok=True)
    results = []
    for name in SETS if "all" in options.set else dict.fromkeys(options.set):
        SETS[name](given)
        if not options.prepare:
            fix = options.whole or name in ALWAYS_WHOLE
            known = options.out / f"{name}{'-whole' if fix else ''}.jsonl"
            items = [item for item in read_items(sets / name) if not only or item.name in only]
            run(items, known, whole if fix else engine, options.seconds)
            results += [result for result in read_results(known) if not only or result.name in only]
    for line in tables(results):
        print(line)
    if options.plot:
        options.plot.write_text(plot(results), encoding="utf-8")


if __name__ == "__main__":
    main()
