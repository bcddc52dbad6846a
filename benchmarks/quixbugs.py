"""Run the repair engine on the 40 programs of a QuixBugs checkout and print what it found.

    python benchmarks/quixbugs.py CHECKOUT [--only NAME,NAME] [--seconds 30] [--python PATH]

A patch is plausible when the program's own tests pass with it. It is called correct when the patched program has the
same tree as a version in `correct_python_programs`, or behaves like it on more inputs made from the test data; the rest
is for a person to read.
"""

import argparse
import ast
import json
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from bot.repair.engine import search
from bot.repair.found import Candidate, Search
from bot.repair.subject import Subject
from bot.sandbox.process import ProcessExecutor

HELPERS = ("node.py", "load_testdata.py")


@dataclass(frozen=True)
class Row:
    """The result for one program."""

    name: str
    search: Search
    cpu: float
    """Seconds of processor time."""
    correct: tuple[bool, ...]


def lay_out(checkout: Path, name: str, target: Path) -> None:
    """Make a folder with one buggy program, its test and what the test needs."""
    for folder in ("python_programs", "python_testcases", "json_testcases"):
        (target / folder).mkdir(parents=True)
    shutil.copy(checkout / "conftest.py", target)
    shutil.copy(checkout / f"python_programs/{name}.py", target / "python_programs")
    for helper in HELPERS:
        shutil.copy(checkout / "python_testcases" / helper, target / "python_testcases")
    node = checkout / "python_programs/node.py"
    if node.exists():
        shutil.copy(node, target / "python_programs")
    shutil.copy(checkout / f"python_testcases/test_{name}.py", target / "python_testcases")
    data = checkout / f"json_testcases/{name}.json"
    if data.exists():
        shutil.copy(data, target / "json_testcases")


def functions(source: str) -> set[str]:
    """Return the trees of a program's functions, without docstrings and positions."""
    try:
        module = ast.parse(source)
    except SyntaxError:
        return set()
    return {ast.dump(node) for node in module.body if isinstance(node, ast.FunctionDef)}


def references(checkout: Path, name: str) -> set[str]:
    """Return the trees of every correct version, also of the alternatives that stand in strings."""
    source = (checkout / f"correct_python_programs/{name}.py").read_text()
    found = functions(source)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found |= functions(node.value)
    return found


def patched(folder: Path, candidate: Candidate) -> str:
    """Apply a candidate with git and return the program's text."""
    with tempfile.TemporaryDirectory() as scratch:
        shutil.copytree(folder, scratch, dirs_exist_ok=True)
        subprocess.run(["git", "apply", "-"], cwd=scratch, input=candidate.patch.encode(), check=True)
        return (Path(scratch) / candidate.path).read_text()


COMPARE = """
import copy, json, random, sys, types
sys.setrecursionlimit(2000)
name, ours, right, lines = json.load(sys.stdin)
def load(text):
    module = types.ModuleType("m"); exec(text, module.__dict__); return getattr(module, name)
a, b = load(ours), load(right)
def run(f, given):
    try:
        out = f(*copy.deepcopy(given))
        return [next(out) for _ in range(200)] if isinstance(out, types.GeneratorType) else out
    except (Exception, RecursionError) as error:
        return "raised"
def change(value, rng):
    if isinstance(value, bool): return value
    if isinstance(value, int): return max(0, value + rng.choice((-2, -1, 0, 0, 1, 2))) if value >= 0 else value
    if isinstance(value, str): return "".join(rng.sample(value, len(value)))[: rng.randint(0, len(value) or 1)]
    if isinstance(value, list):
        out = [change(v, rng) for v in value]
        return out[: rng.randint(0, len(out))] if rng.random() < .3 else out
    return value
rng = random.Random(1)
for given in lines:
    for attempt in range(12):
        new = given if attempt == 0 else change(given, rng)
        want = run(b, new)
        if want != "raised" and run(a, new) != want:
            print("differs", new); raise SystemExit
print("same")
"""


def behaves(checkout: Path, name: str, ours: str) -> bool:
    """Compare a patched program with the correct one on inputs made from the test data; False where there is none."""
    data = checkout / f"json_testcases/{name}.json"
    if not data.exists():
        return False
    right = (checkout / f"correct_python_programs/{name}.py").read_text()
    lines = [json.loads(line)[0] for line in data.read_text().splitlines() if line.strip()]
    lines = [given if isinstance(given, list) else [given] for given in lines]
    job = json.dumps([name, ours, right, lines[:12]])
    try:
        done = subprocess.run(
            [sys.executable, "-c", COMPARE], input=job, capture_output=True, text=True, timeout=20, check=False
        )
    except subprocess.TimeoutExpired:
        return False
    return done.stdout.strip() == "same"


def processor_time() -> float:
    """Return the processor time of all children that ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def try_program(checkout: Path, name: str, python: Path, seconds: float) -> Row:
    """Search one program."""
    with tempfile.TemporaryDirectory(prefix="quix-") as scratch:
        folder = Path(scratch) / name
        lay_out(checkout, name, folder)
        before = processor_time()
        result = search(Subject(folder, python, ProcessExecutor()), [], seconds)
        cpu = processor_time() - before
        right, buggy = references(checkout, name), functions((folder / f"python_programs/{name}.py").read_text())
        correct = []
        for candidate in result.candidates:
            text = patched(folder, candidate)
            correct.append((functions(text) - buggy) <= right or behaves(checkout, name, text))
        return Row(name, result, cpu, tuple(correct))


def show(row: Row) -> str:
    """Write one line of the table."""
    found = row.search.candidates
    mark = "none   " if not found else "correct" if row.correct[0] else "READ   "
    change = ""
    if found:
        lines = found[0].patch.splitlines()
        change = " / ".join(line.strip() for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---"))
    rank = "" if not found or row.correct[0] or not any(row.correct) else f" (correct at {row.correct.index(True) + 1})"
    template = found[0].template if found else row.search.reason
    numbers = f"{row.search.seconds:6.2f}s {row.cpu:6.2f}s {row.search.tried:5} {len(found)}"
    return f"{row.name:28} {mark}{rank} {numbers} {template:13} {change[:90]}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--python", type=Path, default=Path(sys.executable))
    given = parser.parse_args()
    names = sorted(path.stem[5:] for path in (given.checkout / "python_testcases").glob("test_*.py"))
    rows = []
    for name in [n for n in names if not given.only or n in given.only.split(",")]:
        rows.append(try_program(given.checkout, name, given.python, given.seconds))
        print(show(rows[-1]), flush=True)
    plausible = [row for row in rows if row.search.candidates]
    first = sum(row.correct[0] for row in plausible)
    anywhere = sum(any(row.correct) for row in plausible)
    times = sorted(row.search.seconds for row in rows)
    print(
        f"{len(plausible)}/{len(rows)} plausible, {first} correct by tree or behaviour at first, {anywhere} among all"
    )
    used = sorted(row.cpu for row in rows)
    print(f"seconds: median {statistics.median(times):.2f}, worst {times[-1]:.2f}")
    print(f"processor seconds: median {statistics.median(used):.2f}, worst {used[-1]:.2f}")


if __name__ == "__main__":
    main()
