"""What a verdict on one edited file costs: our warm ladder beside the same tools started cold, one after the other.

A small project with ruff, its formatter, mypy and pytest. Ours: the base was judged once; then a file is edited,
recorded as a tree, laid out in the clean folder, judged on every rung and compared with the base. Cold:
the tools on the edited files as they lie, each in a new process. Both check that the edit was seen.

Usage: rungs.py [--runs N] [--isolation bubblewrap|process].
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from pathlib import Path

from bot.core.check import Check, Verdict
from bot.git.repository import open_repository
from bot.git.workspace import open_workspace
from bot.protocols import Executor
from bot.sandbox.bubblewrap import BubblewrapExecutor
from bot.sandbox.process import ProcessExecutor
from bot.sandbox.site import Site
from bot.verify.detection.detect import detect
from bot.verify.interpreter import own
from bot.verify.ladder import Ladder

PYPROJECT = """[tool.ruff]
line-length = 100
[tool.ruff.format]
[tool.mypy]
strict = true
files = ["src"]
[tool.pytest.ini_options]
pythonpath = ["src"]
"""
COMPILE = (
    "import pathlib\nfor top in ('src', 'tests'):\n"
    "    for path in pathlib.Path(top).rglob('*.py'): compile(path.read_bytes(), path, 'exec')"
)
MODULES, FUNCTIONS = 12, 12


def module(number: int, shift: int) -> str:
    """Write one module that leans on the one before."""
    start = f"from shop.part_{number - 1} import step_0 as before\n\n\n" if number else "import json\n\n\n"
    use = "before(value)" if number else "len(json.dumps(value))"
    functions = (f"def step_{n}(value: int) -> int:\n    return {use} + {n + shift}\n" for n in range(FUNCTIONS))
    return start + "\n\n".join(functions)


def tests(number: int) -> str:
    """Write the tests of one module."""
    head = f"from shop import part_{number}\n"
    return head + "".join(
        f"\n\ndef test_{n}() -> None:\n    assert part_{number}.step_{n}(1) - part_{number}.step_0(1) == {n}\n"
        for n in range(FUNCTIONS)
    )


def make_project(root: Path) -> None:
    """Make the repository."""
    files = {"pyproject.toml": PYPROJECT, "src/shop/__init__.py": "", ".gitignore": "__pycache__/\n"}
    files |= {f"src/shop/part_{n}.py": module(n, 0) for n in range(MODULES)}
    files |= {f"tests/test_part_{n}.py": tests(n) for n in range(MODULES)}
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    for argv in (
        ("init", "-q", "-b", "main"),
        ("add", "--all"),
        ("-c", "user.name=b", "-c", "user.email=b@example.invalid", "commit", "-qm", "start"),
    ):
        subprocess.run(("git", "-C", str(root), *argv), check=True)


def edit(root: Path, number: int) -> str:
    """Edit the last module and name it."""
    path = f"src/shop/part_{MODULES - 1}.py"
    (root / path).write_text(module(MODULES - 1, number))
    return path


def last(steps: Generator[Check, None, Verdict]) -> Verdict:
    """Climb to the end."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            verdict: Verdict = end.value
            return verdict


def cold(root: Path) -> dict[str, float]:
    """Run the tools as a person would, none of them with anything in mind from before."""
    python = (sys.executable, "-m")
    commands = {
        "syntax": (sys.executable, "-I", "-S", "-c", COMPILE),
        "ruff": (*python, "ruff", "check", "--no-cache", "-q"),
        "ruff-format": (*python, "ruff", "format", "--no-cache", "-q", "--check"),
        "mypy": (*python, "mypy", "--no-incremental", "--cache-dir=/dev/null"),
        "pytest": (*python, "pytest", "-q", "-p", "no:cacheprovider"),
    }
    # Plugins that happen to lie beside git agent are not the project's, on either side
    environment = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    nowhere = subprocess.DEVNULL
    times = {}
    for name, argv in commands.items():
        since = time.perf_counter()
        subprocess.run(argv, cwd=root, env=environment, stdout=nowhere, stderr=nowhere, check=True)
        times[name] = time.perf_counter() - since
    return times


def executor_for(name: str, root: Path) -> Executor:
    """Make the executor of an isolation level."""
    if name == "process":
        return ProcessExecutor()
    return BubblewrapExecutor(Site(root, root / ".git", (own().path,)))


def measure(root: Path, ladder: Ladder, runs: int) -> None:
    """Measure both sides in turns and print what each check took."""
    ours: list[float] = []
    own_times: list[dict[str, float]] = []
    theirs: list[dict[str, float]] = []
    repository = open_repository(root)
    with open_workspace(repository, base=repository.default_base(), run="bench", branch="") as workspace:
        since = time.perf_counter()
        before = last(ladder.judge(workspace, workspace.tree(), None))
        print(f"base: {time.perf_counter() - since:.3f} s")
        assert before.green, before
        for number in range(1, runs + 1):
            path = edit(workspace.root, number)
            since = time.perf_counter()
            verdict = last(ladder.judge(workspace, workspace.tree(), before, (path,)))
            ours.append(time.perf_counter() - since)
            assert verdict.green, verdict
            assert verdict.tree != before.tree
            own_times.append({result.check: result.seconds for result in verdict.results})
            edit(root, number)
            theirs.append(cold(root))
    for name in theirs[0]:
        cost = [statistics.median(times.get(name, 0.0) for times in side) for side in (theirs, own_times)]
        print(f"  {name:12} cold {cost[0]:.3f}  ours {cost[1]:.3f}")
    whole, mine = statistics.median(sum(times.values()) for times in theirs), statistics.median(ours)
    print(f"verdict: ours {mine:.3f} s, cold {whole:.3f} s, ratio {mine / whole:.2f}")


def main() -> None:
    """Make the project and measure."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--isolation", choices=("bubblewrap", "process"), default="bubblewrap")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "project").resolve()
        root.mkdir()
        make_project(root)
        ladder = Ladder(tuple(detect(root, own())), executor_for(options.isolation, root), own())
        measure(root, ladder, options.runs)


if __name__ == "__main__":
    main()
