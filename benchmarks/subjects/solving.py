"""Runs git agent on one broken program, and holds what came of it against the suite and the correct version."""

import ast
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from bot.core.report import Report
from bot.core.task import Record
from bot.errors import ToolError
from bot.repair.engine import search
from bot.repair.patch import read_diff
from bot.repair.subject import Subject
from bot.sandbox.process import ProcessExecutor
from subjects.behaviour import differences
from subjects.item import Item, failing, fill, laid_out, read_file, run_suite, tree_of, write_files

COMMAND = (sys.executable, "-I", "-m", "bot")
GIT = ("git", "-c", "user.name=Benchmark", "-c", "user.email=benchmark@example.invalid", "-c", "core.autocrlf=false")
SHOWN = 160
OTHER = "its tree is another"


class Result(Record):
    """What came of one program."""

    set: str
    name: str
    kind: str
    plausible: bool = False
    """Whether all tests that pass with the correct version pass with the first patch, in a fresh process."""
    correct: tuple[bool, ...] = ()
    """Of each patch, best first, whether it is right as the set understands it."""
    differs: str = ""
    """How the first patch differs from what is right."""
    first: float | None = None
    """Seconds until the first patch was confirmed."""
    seconds: float = 0.0
    cpu: float = 0.0
    """Seconds of processor time."""
    tried: int = 0
    """Candidates that were run."""
    template: str = ""
    """What made the first patch."""
    change: str = ""
    """The lines of the first patch."""
    reason: str = ""
    outcome: str = ""
    """What a whole run says of itself."""
    proved: bool | None = None
    """Whether `git agent verify` held what a whole run says; None where it said nothing, or was not asked."""

    @property
    def offered(self) -> bool:
        """Whether there is a patch at all."""
        return bool(self.correct)


def engine(item: Item, seconds: float) -> Result:
    """Ask the repair engine alone."""
    with laid_out(item) as folder:
        # In a package some tests may fail for want of something else; a program of a few lines may never end
        tests = failing(item, folder) if item.place else []
        before, since = _processor_time(), time.perf_counter()
        try:
            found = search(Subject(folder, item.python, ProcessExecutor()), tests, seconds)
        except ToolError as error:
            spent = time.perf_counter() - since
            return Result(set=item.set, name=item.name, kind=item.kind, seconds=spent, reason=error.message)
        cpu = _processor_time() - before
        texts = [_patched(folder, candidate.patch) for candidate in found.candidates]
    told = judge(item, texts)
    return Result(
        set=item.set,
        name=item.name,
        kind=item.kind,
        plausible=bool(texts) and plausible(item, texts[0]),
        correct=tuple(not words for words in told),
        differs=told[0] if told else "",
        first=found.first if texts else None,
        seconds=found.seconds,
        cpu=cpu,
        tried=found.tried,
        template=found.candidates[0].template if texts else "",
        change=_changed(found.candidates[0].patch) if texts else "",
        reason=found.reason,
    )


def whole(item: Item, seconds: float) -> Result:
    """Run `git agent fix` in a repository, as a person does, and prove its result again by `git agent verify`."""
    with laid_out(item) as folder:
        for command in ("init -q", "add --all --force", "commit -q -m everything"):
            subprocess.run((*GIT, *command.split()), cwd=folder, check=True, stdout=subprocess.DEVNULL)
        before, since = _processor_time(), time.perf_counter()
        asked = ("fix", "--json", "--model", "offline", "--max-seconds", str(seconds), "--python", str(item.python))
        done = subprocess.run((*COMMAND, "-C", str(folder), *asked), capture_output=True, check=False)
        spent, cpu = time.perf_counter() - since, _processor_time() - before
        told = Result(set=item.set, name=item.name, kind=item.kind, seconds=spent, cpu=cpu)
        if not done.stdout:
            return told.model_copy(update={"reason": done.stderr.decode(errors="replace")[-SHOWN:]})
        report = Report.model_validate_json(done.stdout)
        steps = [step for step in report.steps if step.commit and not step.undone]
        reason = " ".join(report.detail.split())[:SHOWN]
        told = told.model_copy(update={"outcome": report.outcome, "reason": reason})
        if not steps:
            return told
        proof = None
        if report.outcome == "verified":
            again = ("verify", report.run, "--python", str(item.python))
            proof = subprocess.run((*COMMAND, "-C", str(folder), *again), capture_output=True, check=False)
        paths = {change.path for step in steps for change in step.files} | set(item.broken)
        texts = [_committed(folder, step.commit, paths) for step in steps]
    # What is mended beside the fault, such as the style of what was there before, comes in commits of its own
    words = min(judge(item, texts), key=bool)
    return told.model_copy(
        update={
            "plausible": plausible(item, texts[-1]),
            "correct": (not words,),
            "differs": words,
            "first": spent,
            "template": _kind(next((step.subject for step in steps if step.subject[:3] == "fix"), steps[-1].subject)),
            "change": _changed("\n".join(step.patch for step in steps)),
            "proved": proof and not proof.returncode,
        }
    )


def _kind(subject: str) -> str:
    """Say what a commit does, without names."""
    return re.sub("`[^`]*`", "…", subject.split(" in ", maxsplit=1)[0])[:40]


def _committed(folder: Path, commit: str, paths: Iterable[str]) -> dict[str, str]:
    """Read files of a commit; those that are not there have no text."""
    found = {}
    for path in sorted(paths):
        done = subprocess.run((*GIT, "show", f"{commit}:{path}"), cwd=folder, capture_output=True, check=False)
        found[path] = done.stdout.decode(errors="replace")
    return found


def _processor_time() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _patched(folder: Path, patch: str) -> dict[str, str]:
    """Return the text of each file that a patch changes."""
    change = read_diff(folder, patch)
    found = dict(change.created)
    for edit in sorted(change.edits, key=lambda edit: -edit.start):
        content = found.get(edit.path, read_file(folder / edit.path)).encode()
        found[edit.path] = (content[: edit.start] + edit.text.encode() + content[edit.end :]).decode()
    return found


def _changed(patch: str) -> str:
    lines = [line for line in patch.splitlines() if line.startswith(("+", "-")) and not line.startswith(("+++", "---"))]
    return " / ".join(line[0] + line[1:].strip() for line in lines)[:SHOWN]


def plausible(item: Item, files: Mapping[str, str]) -> bool:
    """Run all tests on the patched program in a fresh process."""
    with laid_out(item) as folder:
        write_files(folder, files)
        return set(item.passing) <= run_suite(item.python, folder, item.suite).passed


def judge(item: Item, texts: Sequence[Mapping[str, str]]) -> list[str]:
    """Tell of each patched program how it differs from the correct version: not at all when its tree or behaviour is.

    For programs that are more than one function, only the tree counts.
    """
    told = ["" if same(item, files) else OTHER for files in texts]
    if item.entry and any(told):
        (path,) = item.broken
        doubtful = [number for number, words in enumerate(told) if words and path in texts[number]]
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            fill(folder, item.tree)
            write_files(folder, {path: item.right[path][0]})
            said = differences(item, folder, [texts[number][path] for number in doubtful])
        for number, words in zip(doubtful, said, strict=True):
            told[number] = words
    return told


def same(item: Item, files: Mapping[str, str]) -> bool:
    """Compare trees: what was changed in each file has to be what a correct version has in its place."""
    if any(path not in item.right and not unchanged(item, path, text) for path, text in files.items()):
        return False
    return all(
        _fits(statements(files.get(path, item.broken[path])), statements(item.broken[path]), *map(statements, right))
        for path, right in item.right.items()
    )


def unchanged(item: Item, path: str, text: str) -> bool:
    """Tell whether a file that had no fault is what it was."""
    source = item.tree / path
    return source.exists() and tree_of(read_file(source)) == tree_of(text) != ""


def _fits(text: frozenset[str], broken: frozenset[str], *right: frozenset[str]) -> bool:
    if text in right:
        return True
    every = frozenset[str]().union(*right)
    return len(right) > 1 and bool(text - broken) and text - broken <= every


def statements(text: str) -> frozenset[str]:
    """Return the trees of a file's statements, without positions and without strings that stand alone."""
    try:
        module = ast.parse(text)
    except (SyntaxError, ValueError):
        return frozenset()
    return frozenset(
        ast.dump(node)
        for node in module.body
        if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
    )
