"""What a hook adds to `git commit`: ours beside the pre-commit framework with the same ruff and mypy.

A Python repository of 7,000 files whose packages import each other, four times over: without a hook, with the
framework's (`repo: local`, ruff and mypy on the changed files, as the usual mirrors have it, with mypy's cache in the
working copy), with ours where there are no tests to find, and with ours where there are. In each round one file is
edited and committed in all four, one after the other; what the commit without a hook takes is subtracted. At the end
each is shown a fault that only mypy sees, which every hook has to refuse.

    python benchmarks/hooks.py [--rounds N] [--files N] [--keep FOLDER]

Needs the pre-commit package beside git agent.
"""

import argparse
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

BIN = Path(sys.executable).parent
MODULES, TESTS = 24, 3
"""In each package, beside its `__init__.py`."""
PYPROJECT = """[tool.ruff]
line-length = 100
src = ["src"]
[tool.ruff.lint]
select = ["E", "F", "I", "UP", "B"]
[tool.mypy]
strict = true
mypy_path = "src"
explicit_package_bases = true
files = ["src"]
"""
PYTEST = """[tool.pytest.ini_options]
pythonpath = ["src"]
testpaths = ["tests"]
"""
FRAMEWORK = """repos:
- repo: local
  hooks:
  - id: ruff
    name: ruff
    entry: ruff check --force-exclude
    language: system
    types_or: [python, pyi]
    require_serial: true
  - id: mypy
    name: mypy
    entry: mypy
    language: system
    types_or: [python, pyi]
    require_serial: true
"""
IDENTITY = ("-c", "user.name=b", "-c", "user.email=b@example.invalid", "-c", "gc.auto=0")


def module(package: int, number: int, shift: int = 0) -> str:
    """Write a module that leans on two of its package, the first of a package on one each of two others."""
    if number:
        leans = sorted({(package, number // 2), (package, number // 3)})
    else:
        leans = sorted({(package // 2, MODULES - 1), (package // 3, MODULES - 2)}) if package > 1 else []
    imports = [f"from pkg_{where:03}.part_{part:02} import Step as Step{n}" for n, (where, part) in enumerate(leans)]
    kinds = ", ".join(f"Step{n}" for n in range(len(imports)))
    head = f'"""Steps of part {number} of package {package}."""\n\nfrom dataclasses import dataclass\n'
    body = "".join(f"\n\n{_function(number, n, shift)}" for n in range(6))
    return (
        f"{head}{''.join(f'{chr(10) * (not n)}{line}{chr(10)}' for n, line in enumerate(imports))}\n\n"
        f'@dataclass(frozen=True)\nclass Step:\n    """A step."""\n\n    size: int\n    names: tuple[str, ...] = ()\n\n'
        f"    def grow(self, by: int) -> int:\n        return self.size + by + {shift}\n\n\n"
        f"KINDS: list[type[object]] = [{kinds}]\n{body}"
    )


def _function(number: int, n: int, shift: int) -> str:
    return (
        f"def step_{number}_{n}(value: int, names: list[str]) -> dict[str, int]:\n"
        f"    found = {{name: len(name) + value for name in names}}\n"
        f"    found.update({{str({n}): Step({shift}).grow(value)}})\n"
        f"    return found\n"
    )


def tests(package: int, number: int) -> str:
    """Write the tests of one module."""
    return (
        f"from pkg_{package:03} import part_{number:02} as part\n\n\n"
        "def test_step() -> None:\n    assert part.Step(1).grow(2) >= 3\n\n\n"
        f'def test_names() -> None:\n    assert part.step_{number}_0(1, ["a"])["a"] == 2\n'
    )


def write_files(root: Path, count: int, *, tested: bool) -> None:
    """Write all files of one of the repositories; where nothing is tested, those of the tests have another name."""
    (root / ".gitignore").write_text("__pycache__/\n.mypy_cache/\n.ruff_cache/\n.pytest_cache/\n")
    (root / "pyproject.toml").write_text(PYPROJECT + PYTEST * tested)
    folder, name = ("tests", "test") if tested else ("drafts", "draft")
    for package in range(packages(count)):
        made = root / f"src/pkg_{package:03}"
        made.mkdir(parents=True)
        (made / "__init__.py").write_text(f'"""Package {package}."""\n')
        for number in range(MODULES):
            (made / f"part_{number:02}.py").write_text(module(package, number))
        (root / folder).mkdir(exist_ok=True)
        for number in range(TESTS):
            (root / folder / f"{name}_{package:03}_{number}.py").write_text(tests(package, number))


def packages(count: int) -> int:
    """Say how many packages make so many files."""
    return max(count // (1 + MODULES + TESTS), 2)


class Took(NamedTuple):
    """What a commit took."""

    seconds: float
    judged: bool
    """Whether the hook had an answer from every check."""


@dataclass(frozen=True)
class Side:
    """One repository and what stands at its hooks."""

    name: str
    root: Path
    environ: Mapping[str, str]

    def git(self, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run git as a person does."""
        argv = ("git", *IDENTITY, *words)
        done = subprocess.run(argv, cwd=self.root, env=self.environ, capture_output=True, text=True, check=False)
        if check and done.returncode:
            raise SystemExit(f"{self.name}: git {' '.join(words)}: {done.stdout}{done.stderr}")
        return done

    def commit(self, *, passes: bool = True) -> Took:
        """Commit what is staged; what should not pass has to be refused."""
        since = time.perf_counter()
        done = self.git("commit", "-qm", "change", check=passes)
        seconds = time.perf_counter() - since
        if (done.returncode == 0) != passes:
            raise SystemExit(f"{self.name}: {done.returncode}: {done.stdout}{done.stderr}")
        # Whoever lets everything through is quick
        return Took(seconds, "not judged" not in done.stderr)

    def edit(self, path: str, text: str) -> None:
        """Change one file and stage it."""
        (self.root / path).write_text(text)
        self.git("add", path)


def make_sides(folder: Path, count: int) -> tuple[Side, ...]:
    """Make the repositories and install what stands at their hooks."""
    home = folder / "home"
    home.mkdir()
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "XDG_")) and k != "VIRTUAL_ENV"}
    environ = {**kept, "HOME": str(home), "PATH": f"{BIN}:{kept['PATH']}", "PRE_COMMIT_HOME": str(home / "framework")}
    sides = []
    for name in NAMES:
        side = Side(name, folder / name.replace(" ", "-"), environ)
        side.root.mkdir()
        write_files(side.root, count, tested=name == TESTED)
        if name == THEIRS:
            (side.root / ".pre-commit-config.yaml").write_text(FRAMEWORK)
        side.git("init", "-q", "-b", "main")
        side.git("add", "--all")
        side.git("commit", "-qm", "start")
        for argv in INSTALL[name]:
            subprocess.run(argv, cwd=side.root, env=environ, check=True, stdout=subprocess.DEVNULL)
        sides.append(side)
    return tuple(sides)


PLAIN, THEIRS, OURS, TESTED = NAMES = ("no hook", "pre-commit", "git agent", "git agent with tests")
_OURS = ((sys.executable, "-I", "-m", "bot", "hook", "install", "pre-commit"),)
INSTALL: Mapping[str, Sequence[Sequence[str]]] = {
    PLAIN: (),
    THEIRS: ((str(BIN / "pre-commit"), "install"),),
    OURS: _OURS,
    TESTED: _OURS,
}


def edits(rounds: int, count: int) -> Iterator[tuple[str, str]]:
    """Name a file for each round, and what it is to hold."""
    for number in range(rounds):
        package = packages(count) * (number + 1) // (rounds + 2)
        part = number % TESTS
        yield f"src/pkg_{package:03}/part_{part:02}.py", module(package, part, number + 1)


def measure(sides: Sequence[Side], count: int, rounds: int) -> dict[str, dict[str, list[Took]]]:
    """Commit in turns, and return what each kind of commit took on each side."""
    took: dict[str, dict[str, list[Took]]] = {kind: {side.name: [] for side in sides} for kind in KINDS}
    for number, (path, text) in enumerate(edits(rounds + 1, count)):
        # Whoever comes first finds the disk and the processor otherwise than the others
        for side in (*sides[number % len(sides) :], *sides[: number % len(sides)]):
            side.edit(path, text)
            took["warm" if number else "cold"][side.name].append(side.commit())
            side.git("reset", "-q", "--soft", "HEAD~1")
            if number:
                took["again"][side.name].append(side.commit())
            else:
                side.commit()
    return took


KINDS = {
    "cold": "the first commit",
    "warm": "a commit of one changed file",
    "again": "the same commit again, after git reset --soft HEAD~1",
}


def refuse_fault(sides: Sequence[Side]) -> None:
    """Show each a call of the wrong type, which only mypy knows to be wrong."""
    for side in sides:
        if side.name != PLAIN:
            side.git("config", "agent.hook.fix", "off")
            side.edit("src/pkg_001/part_01.py", module(1, 1, 99).replace("grow(value)", 'grow("a")'))
            side.commit(passes=False)
            side.git("reset", "-q", "--hard")


def tell(took: Mapping[str, Mapping[str, list[Took]]]) -> None:
    """Print what each side adds."""
    for kind, title in KINDS.items():
        plain = statistics.median(each.seconds for each in took[kind][PLAIN])
        added = {name: [each.seconds - plain for each in times] for name, times in took[kind].items()}
        print(f"{title}: {plain:.3f} s without a hook")
        for name in NAMES[1:]:
            median, theirs = statistics.median(added[name]), statistics.median(added[THEIRS])
            left = sum(not each.judged for each in took[kind][name])
            print(
                f"  {name:22} + {median:.3f} s  ({min(added[name]):.3f} to {max(added[name]):.3f})"
                f"  {median / theirs:5.2f} of {THEIRS}{f', {left} of {len(added[name])} not judged' * bool(left)}"
            )


def main() -> None:
    """Make the repositories and measure."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--files", type=int, default=7000)
    parser.add_argument("--keep", type=Path, help="make the repositories here, and leave them")
    options = parser.parse_args()
    folder = options.keep or Path(tempfile.mkdtemp(prefix="hooks-"))
    folder = folder.resolve()
    folder.mkdir(exist_ok=True)
    try:
        sides = make_sides(folder, options.files)
        files = len(sides[0].git("ls-files").stdout.splitlines())
        print(f"{files} files, {options.rounds} rounds, {os.cpu_count()} processors, {platform.platform()}")
        tell(measure(sides, options.files, options.rounds))
        refuse_fault(sides)
        print("a fault of types was refused by all hooks")
    finally:
        if options.keep is None:
            shutil.rmtree(folder, ignore_errors=True)
    print(f"python {' '.join(sys.argv)}")


if __name__ == "__main__":
    main()
