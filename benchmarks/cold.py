"""Cold start: what a person or a hook waits for before anything happens, beside a bare interpreter.

Usage: cold.py [RUNS]. Each command is started anew RUNS times, in turns, so that a busy moment meets all of them.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

US = (sys.executable, "-I", "-m", "bot")


def commands(repository: Path) -> dict[str, tuple[str, ...]]:
    """Name what is measured; the first one is the yardstick."""
    launcher = Path(sys.executable).with_name("git-agent")
    found = {
        "python -I -c pass": (sys.executable, "-I", "-c", "pass"),
        "git --version": ("git", "--version"),
        "bot --version": (*US, "--version"),
        "bot log": (*US, "-C", str(repository), "log"),
        "bot fix -h": (*US, "fix", "-h"),
    }
    if launcher.exists():
        found["git-agent --version"] = (str(launcher), "--version")
    return found


def measure(argv: tuple[str, ...]) -> float:
    """Run a command once and return its wall time in milliseconds."""
    since = time.perf_counter()
    subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return (time.perf_counter() - since) * 1000


def make_repository(path: Path) -> Path:
    """Make a repository with one empty commit."""
    identity = ("-c", "user.name=bench", "-c", "user.email=bench@example.invalid")
    subprocess.run(("git", "init", "-q", "-b", "main", str(path)), check=True)
    subprocess.run(("git", "-C", str(path), *identity, "commit", "-q", "--allow-empty", "-m", "start"), check=True)
    return path


def main() -> None:
    """Measure and print."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    with tempfile.TemporaryDirectory() as folder:
        wanted = commands(make_repository(Path(folder) / "repository"))
        for argv in wanted.values():  # once for the disk cache and the bytecode
            measure(argv)
        times: dict[str, list[float]] = {name: [] for name in wanted}
        for _ in range(runs):
            for name, argv in wanted.items():
                times[name].append(measure(argv))
    yardstick = statistics.median(next(iter(times.values())))
    print(f"{'command':24} {'min':>8} {'median':>8} {'ratio':>7}   milliseconds, {runs} runs")
    for name, taken in times.items():
        middle = statistics.median(taken)
        print(f"{name:24} {min(taken):8.1f} {middle:8.1f} {middle / yardstick:7.1f}")


if __name__ == "__main__":
    main()
