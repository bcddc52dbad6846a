"""A project in memory with the tools of a run, for many conversations in little time; nothing of it is run."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from bot.core.message import Reply, ToolCall
from bot.tools.hunks import read_patch
from bot.tools.splice import splice
from tests.models.offline.bench import converse

Judge = Callable[[Mapping[str, str]], Sequence[str]]
"""Gives for the files what a check complains of: `ID at PATH:LINE: MESSAGE`, or bare lines of its output."""

PLACED = re.compile(r" at \S+:\d+: ")


@dataclass
class Desk:
    """Files, and checks that judge them."""

    files: dict[str, str]
    checks: dict[tuple[str, str], Judge]
    """By name and rung."""
    commands: dict[str, str] = field(default_factory=dict)
    """Answers to commands, by how the command begins."""
    candidates: Sequence[str] = ()
    """Diffs that a search proposes."""
    blamed: str = "SUSPECTS 0"
    """The lines that a search finds suspicious."""
    calls: list[ToolCall] = field(default_factory=list)
    commits: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    """Subjects, and the files as they then stood."""
    base: dict[str, str] = field(init=False)
    last: dict[str, str] = field(init=False)
    summary: str = ""
    """The last word."""

    def run(self) -> list[Reply]:
        """Let the offline model work until it has finished."""
        self.base = dict(self.files)
        self.last = dict(self.files)
        replies = converse(self.opening(), self.answer)
        self.summary = str(replies[-1].calls[-1].arguments["summary"])
        return replies

    @property
    def subjects(self) -> list[str]:
        """The commits that were made."""
        return [subject for subject, _ in self.commits]

    @property
    def written(self) -> set[str]:
        """The files that were ever touched, commits or not."""
        made = [
            call for call in self.calls if call.name in ("replace_lines", "edit_file", "create_file", "delete_file")
        ]
        patched = [call for call in self.calls if call.name == "apply_patch"]
        named = {section.target for call in patched for section in read_patch(str(call.arguments["patch"]))}
        return {str(call.arguments["path"]) for call in made} | named

    def opening(self) -> str:
        """Write the opening message of a run."""
        rows = "\n".join(f"- {name} ({rung})" for name, rung in self.checks)
        return (
            f"# Task\n\n<<<aaaaaaaaaaaa\nMake the failing checks pass.\n<<<end aaaaaaaaaaaa\n\n# Checks\n{rows}\n\n"
            f"# The base, judged\n\n<<<bbbbbbbbbbbb\nVERDICT ok (not green)\n{self.digest()}\n<<<end bbbbbbbbbbbb"
        )

    def complaints(self, name: str) -> list[str]:
        """Return what a check complains of now."""
        judge = next(judge for (own, _), judge in self.checks.items() if own == name)
        return list(judge(self.files))

    def digest(self) -> str:
        """Tell of all checks."""
        return "\n".join(line for name, _ in self.checks for line in self.told(name))

    def told(self, name: str) -> list[str]:
        """Tell of one check."""
        found = self.complaints(name)
        cases = [line for line in found if PLACED.search(line)]
        if found and not cases:
            return [f"FAILED {name} {name} at -:0: exit code 1: {found[-1]}"]
        return [f"FAILED {name} {line}" for line in cases] or [f"PASSED {name}: fine"]

    def answer(self, call: ToolCall) -> str:
        """Answer a call as the tools do."""
        self.calls.append(call)
        asked = getattr(self, f"_{call.name}", None)
        return str(asked(**call.arguments)) if asked is not None else ""

    def _list_files(self, **_: object) -> str:
        return "\n".join(sorted(self.files))

    def _read_file(self, path: str, start: int = 1) -> str:
        if path not in self.files:
            return f"there is no file {path!r}"
        text = self.files[path]
        lines = text.removesuffix("\n").split("\n") if text else []
        ends = "" if text.endswith("\n") or not text else ", no final newline"
        head = f"{path}: lines {start}-{len(lines)} of {len(lines)}{ends}"
        return "\n".join([head, *(f"{number:>5}│{line}" for number, line in enumerate(lines, 1) if number >= start)])

    def _search_text(self, pattern: str, **_: object) -> str:
        found = [
            f"{path}:{number}: {line}"
            for path, text in sorted(self.files.items())
            for number, line in enumerate(text.split("\n"), 1)
            if path.endswith(".py") and re.search(pattern, line)
        ]
        return "\n".join(found) or "nothing found"

    def _replace_lines(self, path: str, start: int, end: int, text: str) -> str:
        lines = self.files[path].split("\n")
        lines[start - 1 : end] = text.removesuffix("\n").split("\n") if text else []
        self.files[path] = "\n".join(lines)
        return f"{path}: 1 → 1 lines, line {start} changed"

    def _create_file(self, path: str, content: str) -> str:
        self.files[path] = content
        return f"created {path}: 0 → 0 lines"

    def _delete_file(self, path: str) -> str:
        del self.files[path]
        return f"deleted {path}: 0 → 0 lines"

    def _apply_patch(self, patch: str) -> str:
        told: list[str] = []
        for section in read_patch(patch):
            self.files[section.target] = splice(self.files[section.target], section.hunks, section.target, "\n").body
            told.append(f"patched {section.target}: 1 → 1 lines, line 1 changed")
        return "\n".join(told)

    def _run_check(self, name: str, **_: object) -> str:
        found = self.complaints(name)
        output = [line for line in found if not PLACED.search(line)]
        status = "failed" if found else "passed"
        return "\n".join([f"{name}: {status}: {len(found)} failed", *(self.told(name) if found else []), *output])

    def _run_command(self, argv: list[str]) -> str:
        line = " ".join(argv)
        return next((text for head, text in self.commands.items() if line.startswith(head)), "exit code 0")

    def _show_changes(self) -> str:
        changed = self.files != self.last
        return "modified x +1 -1" if changed else "nothing changed since the last verified commit"

    def _checkpoint(self, subject: str, body: str) -> str:
        if self.files == self.last:
            return "nothing changed since the last verified commit"
        self.last = dict(self.files)
        self.commits.append((subject, dict(self.files)))
        return f"committed 0123456789 as step {len(self.commits)}: {subject}.\nVERDICT ok (not green)\n{self.digest()}"

    def _search_patch(self, **_: object) -> str:
        rows = [
            f"CANDIDATE {number} {read_patch(patch)[0].target}:1 const score=1.000\n"
            + "\n".join(f"| {line}" for line in patch.removesuffix("\n").split("\n"))
            for number, patch in enumerate(self.candidates, 1)
        ]
        return "\n".join(rows) or self.blamed
