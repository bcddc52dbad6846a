"""What the tools that look and edit cost in a big repository, beside the least that the same work takes by hand.

    python benchmarks/tools.py [--files 40000] [--repeat 9]

Everything happens in one repository made for the purpose, in a worktree as a run has it. Times are medians in
milliseconds; beside each tool stands a floor: git's own command for the same, or a plain read or write of the file.
`first` is the first call of all, before anything is warm.
"""

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from pydantic import JsonValue

from bot.core.message import ToolCall
from bot.core.task import Task
from bot.git.repository import open_repository
from bot.git.workspace import open_workspace
from bot.sandbox.process import ProcessExecutor
from bot.tools.catalog import ALL
from bot.tools.tool import Bench
from bot.verify.interpreter import Interpreter
from bot.verify.ladder import Ladder

TOOLS = {tool.name: tool for tool in ALL}
EDITED = "pkg1/part1/f841.py"
OTHER = "pkg2/part2/f1682.go"
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
    **dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "Bench"),
    **dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "bench@example.invalid"),
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}


def invent(folder: Path, count: int) -> None:
    """Make up source files in a tree of packages, one in forty of another language."""
    chance = random.Random(count)
    words = [f"word{number}" for number in range(3000)]
    for number in range(count):
        lines = ["    " + " + ".join(chance.choices(words, k=6)) for _ in range(40)]
        go, name = number % 40 == 2, f"f{number}"
        head = f"package p\n\nfunc {name}() int {{\n\treturn 1\n}}\n" if go else f"def {name}(a):\n"
        path = folder / f"pkg{number % 40}" / f"part{number // 40 % 20 if number > 2000 else number % 20}"
        path.mkdir(parents=True, exist_ok=True)
        (path / f"{name}.{'go' if go else 'py'}").write_text(head + ("" if go else "\n".join(lines) + "\n"))
    for name in (EDITED, OTHER):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
    body = "".join(f"    value_{number} = a + {number}\n" for number in range(300))
    (folder / EDITED).write_text(f"def needle_in_all(a):\n{body}    return a\n")
    (folder / OTHER).write_text("package p\n\nfunc needleInGo(a int) int {\n\treturn a\n}\n")


def git(folder: Path, *args: str) -> bytes:
    """Run git as a script would."""
    return subprocess.run(["git", *args], cwd=folder, env=ENVIRONMENT, check=True, stdout=subprocess.PIPE).stdout


@contextmanager
def bench(count: int) -> Iterator[Bench]:
    """Make the repository, and give what a tool of a run works with."""
    with tempfile.TemporaryDirectory(prefix="git-agent-bench-", ignore_cleanup_errors=True) as place:
        folder = Path(place, "repository")
        invent(folder, count)
        for args in (("init", "-q", "-b", "main"), ("add", "--all"), ("commit", "-q", "-m", "all of it")):
            git(folder, *args)
        repository = open_repository(folder)
        base = repository.default_base()
        executor, interpreter = ProcessExecutor(), Interpreter(Path(sys.executable), "bench", frozenset())
        with open_workspace(repository, base=base, run=f"bench{os.getpid()}", branch="") as workspace:
            task = Task.model_validate({"base": base})
            yield Bench(workspace, executor, Ladder((), executor, interpreter), task, Path(place, "store"))


def clock(action: Callable[[], object]) -> float:
    """Return the milliseconds that something takes."""
    since = time.perf_counter()
    action()
    return (time.perf_counter() - since) * 1000


def asked(found: Bench, turn: int) -> dict[str, tuple[str, Mapping[str, JsonValue], Callable[[], object]]]:
    """Return, by what is measured, the call of a tool and its floor."""
    root, line = found.workspace.root, f"    value_7 = a + 7  # {turn}"
    edited = root / EDITED

    def rewrite() -> None:
        edited.write_bytes(edited.read_bytes())

    return {
        "read_file": ("read_file", {"path": EDITED}, edited.read_bytes),
        "search_text rare": (
            "search_text",
            {"pattern": "needle_in_all"},
            lambda: git(root, "grep", "-nIF", "--untracked", "needle_in_all"),
        ),
        "search_text often": (
            "search_text",
            {"pattern": "word77 "},
            lambda: git(root, "grep", "-nIF", "--untracked", "word77 "),
        ),
        "search_text regex": (
            "search_text",
            {"pattern": "needle_.*all", "regex": True},
            lambda: git(root, "grep", "-nIE", "--untracked", "needle_.*all"),
        ),
        "search_text glob": (
            "search_text",
            {"pattern": "needle", "glob": "pkg1/**"},
            lambda: git(root, "grep", "-nIF", "--untracked", "needle", "--", "pkg1"),
        ),
        "list_files": (
            "list_files",
            {},
            lambda: git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"),
        ),
        "list_files folder": (
            "list_files",
            {"path": "pkg1", "depth": 3},
            lambda: git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "pkg1"),
        ),
        "read_file missing": ("read_file", {"path": "pkg1/part1/f841.pyx"}, lambda: edited.with_suffix(".x").exists()),
        "outline Python": ("outline", {"path": EDITED}, edited.read_bytes),
        "outline Go": ("outline", {"path": OTHER}, (root / OTHER).read_bytes),
        "find_symbol Python": (
            "find_symbol",
            {"name": "needle_in_all"},
            lambda: git(root, "grep", "-nIF", "needle_in_all"),
        ),
        "find_symbol Go": ("find_symbol", {"name": "needleInGo"}, lambda: git(root, "grep", "-nIF", "needleInGo")),
        "edit_file": ("edit_file", {"path": EDITED, "old": f"    value_{turn + 9} = a", "new": line}, rewrite),
        "replace_lines": ("replace_lines", {"path": EDITED, "start": 2, "end": 2, "text": line}, rewrite),
        "show_changes": ("show_changes", {}, lambda: git(root, "diff", "--no-ext-diff", "HEAD")),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=40_000)
    parser.add_argument("--repeat", type=int, default=9)
    given = parser.parse_args()
    times: dict[str, tuple[list[float], list[float]]] = {}
    with bench(given.files) as found:
        for turn in range(given.repeat):
            for label, (name, arguments, floor) in asked(found, turn).items():
                tool, call = TOOLS[name], ToolCall(id="c1", name=name, arguments=dict(arguments))
                ours, least = times.setdefault(label, ([], []))
                ours.append(clock(lambda tool=tool, call=call: tool.call(call, found)))  # type: ignore[misc]
                least.append(clock(floor))
    print(f"{given.files} files{'':<12}{'ours':>8} {'floor':>8} {'first':>8}")
    for label, (ours, least) in times.items():
        print(f"{label:<22}{statistics.median(ours):>8.1f} {statistics.median(least):>8.1f} {ours[0]:>8.1f}")
    return 0


if __name__ == "__main__":
    try:
        raise SystemExit(main())
    except KeyboardInterrupt:
        raise SystemExit(130) from None
