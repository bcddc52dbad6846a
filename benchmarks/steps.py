"""The cost of a step: a scripted run with a commit per edit, beside the least that a loop could do.

The floor replays the same script with the standard library alone: it reads, searches and edits the person's own
checkout, runs the same check before each commit, and commits with `git commit -a`. It has no branch or worktree of its
own, no sandbox, no clean tree, no baseline, no record. Neither side talks to a model. Both start a new interpreter.

Usage: steps.py [--turns N] [--runs N].
"""

import argparse
import json
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

COUNTER = "src/tinycalc/counter.py"
OPERATIONS = "".join(f"def add_{n}(a: int, b: int) -> int:\n    return a + b * {n}\n\n\n" for n in range(20))
TESTS = "from tinycalc.operations import add_1\n\n\ndef test_add() -> None:\n    assert add_1(1, 2) == 3\n"
FILES = {
    "README.md": "# tinycalc\n",
    ".gitignore": "__pycache__/\n",
    "src/tinycalc/__init__.py": "",
    "src/tinycalc/operations.py": OPERATIONS.rstrip("\n") + "\n",
    COUNTER: "VALUE = 0\n" + "".join(f"LINE_{n} = {n}\n" for n in range(60)),
}
TESTED = {
    **FILES,
    "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["src"]\naddopts = "-p no:cacheprovider"\n',
    "tests/test_operations.py": TESTS,
}


@dataclass(frozen=True)
class Case:
    """A project, and the check that guards each commit."""

    name: str
    files: dict[str, str]
    check: tuple[str, ...]
    declared: bool
    """Whether we have to be told of the check; else we find it."""
    share: int
    """Which part of the turns is enough: a check that takes seconds hides everything else anyway."""


CASES = (
    Case("check: true", FILES, ("true",), declared=True, share=1),
    Case("check: pytest", TESTED, (sys.executable, "-m", "pytest", "-q"), declared=False, share=4),
)


def script(turns: int) -> Iterator[dict[str, Any]]:
    """Yield replies: search, read, edit and commit, over and over."""
    edits = 0
    for turn in range(turns - 1):
        if turn % 3 == 0:
            yield reply(("search_text", {"pattern": "VALUE"}))
        elif turn % 3 == 1:
            yield reply(("read_file", {"path": COUNTER}))
        else:
            edit = {"path": COUNTER, "old": f"VALUE = {edits}\n", "new": f"VALUE = {edits + 1}\n"}
            edits += 1
            yield reply(("edit_file", edit), ("checkpoint", {"subject": f"Count to {edits}"}))
    yield reply(("finish", {"summary": "counted"}))


def reply(*calls: tuple[str, dict[str, str]]) -> dict[str, Any]:
    """Make one line of a script."""
    return {"calls": [{"name": name, "arguments": arguments} for name, arguments in calls]}


def make_repository(path: Path, files: dict[str, str]) -> Path:
    """Make the small project that is worked on."""
    for name, content in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(content)
    subprocess.run(("git", "init", "-q", "-b", "main", str(path)), check=True)
    for name, value in (("user.name", "bench"), ("user.email", "bench@example.invalid")):
        subprocess.run(("git", "-C", str(path), "config", name, value), check=True)
    subprocess.run(("git", "-C", str(path), "add", "--all"), check=True)
    subprocess.run(("git", "-C", str(path), "commit", "-q", "-m", "start"), check=True)
    return path


def quietly(argv: Sequence[str], cwd: Path | None = None) -> None:
    """Run a command that must succeed and whose words nobody reads."""
    nowhere = subprocess.DEVNULL
    subprocess.run(argv, cwd=cwd, stdin=nowhere, stdout=nowhere, stderr=nowhere, check=True)


def floor(lines: Path, repository: Path, check: str) -> None:
    """Replay a script with the least effort."""
    git = ("git", "-C", str(repository))
    for line in lines.read_text().splitlines():
        for call in json.loads(line)["calls"]:
            given = call["arguments"]
            if call["name"] == "search_text":
                quietly((*git, "grep", "-n", given["pattern"]))
            elif call["name"] == "read_file":
                (repository / given["path"]).read_text()
            elif call["name"] == "edit_file":
                target = repository / given["path"]
                text = target.read_text()
                assert text.count(given["old"]) == 1
                target.write_text(text.replace(given["old"], given["new"]))
            elif call["name"] == "checkpoint":
                quietly(shlex.split(check), repository)
                subprocess.run((*git, "commit", "-q", "-a", "-m", given["subject"]), check=True)


def run_floor(case: Case, repository: Path, lines: Path) -> int:
    """Run the floor in a new interpreter and count its commits."""
    argv = (sys.executable, "-I", __file__, "--floor", str(lines), str(repository), shlex.join(case.check))
    quietly(argv)
    count = subprocess.run(
        ("git", "-C", str(repository), "rev-list", "--count", "HEAD"), capture_output=True, check=True
    )
    return int(count.stdout) - 1


def run_ours(case: Case, repository: Path, lines: Path) -> int:
    """Run the product as a person would and count its verified steps."""
    bounds = ("--max-turns", "100000", "--max-steps", "100000", "--max-seconds", "100000")
    declared = ("--check", f"guard={shlex.join(case.check)}") if case.declared else ()
    argv = (sys.executable, "-I", "-m", "bot", "-C", str(repository), "fix", "count", *bounds, *declared)
    done = subprocess.run(
        (*argv, "--model", f"scripted:{lines}", "--json"), stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    if not done.stdout:
        sys.exit(f"the run failed: {done.stderr.decode(errors='replace')}")
    return sum(bool(step["commit"]) for step in json.loads(done.stdout)["steps"])


def measure(case: Case, turns: int, runs: int) -> None:
    """Measure both sides of a case in turns and print a line."""
    sides = {"floor": run_floor, "ours": run_ours}
    times: dict[str, list[float]] = {side: [] for side in sides}
    commits = {}
    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder) / "script.jsonl"
        lines.write_text("".join(json.dumps(line) + "\n" for line in script(turns)))
        for number in range(runs):
            for side, run in sides.items():
                repository = make_repository(Path(folder) / f"{side}-{number}", case.files)
                since = time.perf_counter()
                commits[side] = run(case, repository, lines)
                times[side].append(time.perf_counter() - since)
    if commits["floor"] != commits["ours"]:
        sys.exit(f"{case.name}: not the same work: {commits}")
    low, high = statistics.median(times["floor"]), statistics.median(times["ours"])
    each = (high - low) / commits["ours"] * 1000
    print(f"{case.name:16} {turns:6} {commits['ours']:8} {low:8.2f} {high:8.2f} {high / low:7.2f} {each:12.1f}")


def main() -> None:
    """Measure every case."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--turns", type=int, default=100)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--floor", nargs=3, metavar=("SCRIPT", "REPOSITORY", "CHECK"))
    options = parser.parse_args()
    if options.floor:
        floor(Path(options.floor[0]), Path(options.floor[1]), options.floor[2])
        return
    print(f"{'case':16} {'turns':>6} {'commits':>8} {'floor s':>8} {'ours s':>8} {'ratio':>7} {'ms/commit':>12}")
    for case in CASES:
        measure(case, options.turns // case.share, options.runs)


if __name__ == "__main__":
    main()
