"""What git agent takes beside its model: a scripted service on loopback that answers at once, through the real SDKs.

Prints the seconds from the start of the process to the first request, the milliseconds between an answer and the next
request (the median, and that of the last fifth of the turns beside the first), the seconds of the whole run, and the
most memory that the process and its children had at once. Checks are not ours: the small project has one that does
nothing, and for a project of yours name one with --check.

Usage: wire.py [REPOSITORY] [--model openai|anthropic] [--turns N] [--runs N] [--commits] [--read PATH] [--check CMD].
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
COUNTER = "src/tinycalc/counter.py"
FILES = {
    "README.md": "# tinycalc\n",
    ".gitignore": "__pycache__/\n",
    "src/tinycalc/__init__.py": "",
    "src/tinycalc/operations.py": "".join(f"def add_{n}(a: int) -> int:\n    return a + {n}\n\n\n" for n in range(20)),
    COUNTER: "VALUE = 0\n" + "".join(f"LINE_{n} = {n}\n" for n in range(60)),
}
PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class Figures:
    """What one run took."""

    first: float
    gaps: tuple[float, ...]
    whole: float
    memory: float

    @property
    def growth(self) -> float:
        """The last fifth of the turns beside the first."""
        fifth = max(1, len(self.gaps) // 5)
        return statistics.median(self.gaps[-fifth:]) / statistics.median(self.gaps[:fifth])


def script(turns: int, path: str, *, commits: bool) -> Iterator[dict[str, Any]]:
    """Yield replies: search, read, and count on, over and over; without an edit where it is a foreign file."""
    edits = 0
    for turn in range(turns - 1):
        if turn % 3 == 0:
            yield reply(("search_text", {"pattern": "VALUE", "glob": path}))
        elif turn % 3 == 1 or path != COUNTER:
            yield reply(("read_file", {"path": path, "start": turn + 1}))
        else:
            change = ("edit_file", {"path": path, "old": f"VALUE = {edits}\n", "new": f"VALUE = {edits + 1}\n"})
            edits += 1
            yield reply(change, ("checkpoint", {"subject": f"Count to {edits}"})) if commits else reply(change)
    last = ("finish", {"summary": "counted"})
    yield reply(("checkpoint", {"subject": "Count"}), last) if edits and not commits else reply(last)


def reply(*calls: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """Make one line of a script."""
    return {"calls": [{"name": name, "arguments": arguments} for name, arguments in calls]}


def make_repository(path: Path) -> Path:
    """Make the small project that is worked on."""
    for name, content in FILES.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(content)
    git = ("git", "-C", str(path), "-c", "user.name=bench", "-c", "user.email=bench@example.invalid")
    subprocess.run((*git, "init", "-q", "-b", "main"), check=True)
    subprocess.run((*git, "add", "--all"), check=True)
    subprocess.run((*git, "commit", "-q", "-m", "start"), check=True)
    return path


@contextmanager
def serve(lines: Path, log: Path, wire: str) -> Iterator[str]:
    """Serve a script until it is no longer wanted, and give the address."""
    argv = (sys.executable, "-m", "tests.served", "--script", str(lines), "--log", str(log))
    with subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            told = server.stdout.readline().split()
            yield told[2] if wire == "openai" else told[5]
        finally:
            server.terminate()


def tree_memory(pid: int) -> int:
    """Return the bytes that a process and all below it have in memory."""
    children: dict[int, list[int]] = {}
    sizes: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                sizes[int(entry.name)] = int((entry / "statm").read_text().split()[1]) * PAGE
            except (OSError, IndexError, ValueError):
                continue
            children.setdefault(parent, []).append(int(entry.name))
    total, left = 0, [pid]
    while left:
        one = left.pop()
        total += sizes.get(one, 0)
        left += children.get(one, [])
    return total


def measure(repository: Path, url: str, log: Path, options: argparse.Namespace) -> Figures:
    """Run git agent once, and read off the service's log what it took."""
    argv = [sys.executable, "-I", "-m", "bot", "-C", str(repository), "fix", "count on", "--json", "--yes"]
    argv += ["--model", f"{options.model}:served", "--base-url", url, "--check", f"ok={options.check}"]
    argv += ["--max-turns", str(options.turns + 1), "--max-steps", str(options.turns)]
    log.write_text("")
    keys = {"OPENAI_API_KEY": "none", "ANTHROPIC_API_KEY": "none"}
    most, over = [0], threading.Event()
    since = time.monotonic()
    with subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env={**os.environ, **keys}) as run:

        def watch() -> None:
            while not over.wait(0.05):
                most[0] = max(most[0], tree_memory(run.pid))

        watcher = threading.Thread(target=watch)
        watcher.start()
        _, err = run.communicate()
        whole = time.monotonic() - since
        over.set()
        watcher.join()
    asked = [json.loads(line) for line in log.read_text().splitlines()]
    if len(asked) != options.turns:
        raise SystemExit(f"{len(asked)} requests, not {options.turns}:\n{err.decode()[-2000:]}")
    times = [each["at"] for each in asked]
    gaps = tuple((later - earlier) * 1000 for earlier, later in pairwise(times))
    return Figures(times[0] - since, gaps, whole, most[0] / 1e6)


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", type=Path, nargs="?", help="a project of yours; a small one is made without it")
    parser.add_argument("--model", choices=("openai", "anthropic"), default="openai")
    parser.add_argument("--turns", type=int, default=100)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--commits", action="store_true", help="commit every edit")
    parser.add_argument("--read", default=COUNTER, help="the file of the project that is read")
    parser.add_argument("--check", default="true", help="the check of the project")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lines, log = folder / "script.jsonl", folder / "log.jsonl"
        told = script(options.turns, options.read, commits=options.commits)
        lines.write_text("".join(f"{json.dumps(line)}\n" for line in told))
        with serve(lines, log, options.model) as url:
            for number in range(options.runs):
                repository = options.repository or make_repository(folder / str(number))
                found = measure(repository, url, log, options)
                turn = f"{statistics.median(found.gaps):.1f} ms a turn (last/first fifth {found.growth:.2f})"
                rest = f"whole run {found.whole:.2f} s, {found.memory:.0f} MB"
                print(f"{options.model}: first request {found.first:.2f} s, {turn}, {rest}")


if __name__ == "__main__":
    main()
