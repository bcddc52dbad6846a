"""Run `git agent fix` as a person does on each program of a QuixBugs checkout, and prove each result again.

    python benchmarks/quixbugs_fix.py CHECKOUT [--only NAME,NAME] [--verify]

Every program gets a repository of its own with its test and one commit. The seconds are those of the whole command:
worktree, baseline, search, evidence, commit, report.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from quixbugs import behaves, functions, lay_out, references

from bot.core.report import Report

COMMAND = (sys.executable, "-I", "-m", "bot")
GIT = ("git", "-c", "user.name=Benchmark", "-c", "user.email=benchmark@example.invalid")


@dataclass(frozen=True)
class Row:
    """The result for one program."""

    name: str
    report: Report
    seconds: float
    correct: bool
    proved: bool


def make_repository(checkout: Path, name: str, folder: Path) -> None:
    """Commit one buggy program and its test."""
    lay_out(checkout, name, folder)
    subprocess.run([*GIT, "init", "-q"], cwd=folder, check=True)
    subprocess.run([*GIT, "add", "-A"], cwd=folder, check=True)
    subprocess.run([*GIT, "commit", "-q", "-m", name], cwd=folder, check=True)


def mend(checkout: Path, name: str, *, verify: bool) -> Row:
    """Run the product on one program."""
    with tempfile.TemporaryDirectory(prefix="quix-") as scratch:
        folder = Path(scratch) / name
        make_repository(checkout, name, folder)
        since = time.perf_counter()
        done = subprocess.run(
            [*COMMAND, "-C", str(folder), "fix", "--json", "--model", "offline"], capture_output=True, check=False
        )
        seconds = time.perf_counter() - since
        report = Report.model_validate_json(done.stdout)
        path = f"python_programs/{name}.py"
        shown = subprocess.run(
            ["git", "show", f"{report.tip}:{path}"], cwd=folder, capture_output=True, text=True, check=True
        )
        buggy = functions((folder / path).read_text())
        right = (functions(shown.stdout) - buggy) <= references(checkout, name) or behaves(checkout, name, shown.stdout)
        mended = report.outcome == "verified"
        proved = (
            mended
            and verify
            and not subprocess.run(
                [*COMMAND, "-C", str(folder), "verify", report.run], capture_output=True, check=False
            ).returncode
        )
        return Row(name, report, seconds, mended and right, proved)


def show(row: Row) -> str:
    """Write one line of the table."""
    subject = row.report.steps[-1].subject if row.report.steps else row.report.detail.replace("\n", " ")
    mark = "correct" if row.correct else "READ" if row.report.outcome == "verified" else ""
    return f"{row.name:28} {row.report.outcome:9} {mark:8} {row.seconds:6.2f} s  {subject[:80]}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--verify", action="store_true")
    given = parser.parse_args()
    names = sorted(path.stem[5:] for path in (given.checkout / "python_testcases").glob("test_*.py"))
    rows = []
    for name in [n for n in names if not given.only or n in given.only.split(",")]:
        rows.append(mend(given.checkout, name, verify=given.verify))
        print(show(rows[-1]), flush=True)
    mended = [row for row in rows if row.report.outcome == "verified"]
    times = sorted(row.seconds for row in rows)
    print(f"{len(mended)}/{len(rows)} verified, {sum(row.correct for row in rows)} correct by tree or behaviour")
    if given.verify:
        print(f"{sum(row.proved for row in rows)} of {len(mended)} proved again by git agent verify")
    print(f"seconds: median {times[len(times) // 2]:.2f}, worst {times[-1]:.2f}")


if __name__ == "__main__":
    main()
