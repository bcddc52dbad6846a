"""The door to the git executable for all who know their repository: explicit folders, and what git answered."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.errors import GitFailed
from bot.git.launch import TIMEOUT, Answer, environment, launch


@dataclass(frozen=True, slots=True)
class Git:
    """The git executable pointed at one repository, and at one working copy when there is one."""

    git_dir: Path
    work_tree: Path | None = None
    index: Path | None = None
    config: tuple[tuple[str, str], ...] = ()
    """Settings on top of the fixed ones."""
    timeout: float = TIMEOUT

    def ask(self, *args: str, stdin: bytes = b"", environ: Mapping[str, str] | None = None) -> Answer:
        """Run a command whose exit code is an answer."""
        return launch((*self._where(), *args), self._environment(environ), self._folder(), stdin, timeout=self.timeout)

    def output(self, *args: str, stdin: bytes = b"", environ: Mapping[str, str] | None = None) -> bytes:
        """Run a command and return what it printed. Raises GitFailed."""
        answer = self.ask(*args, stdin=stdin, environ=environ)
        if answer.code:
            raise failure(f"git {args[0]} failed: {answer.error or f'exit code {answer.code}'}")
        return answer.output

    def line(self, *args: str, stdin: bytes = b"", environ: Mapping[str, str] | None = None) -> str:
        """Run a command and return its one line of output. Raises GitFailed."""
        return os.fsdecode(self.output(*args, stdin=stdin, environ=environ)).removesuffix("\n")

    def names(self, *args: str, stdin: bytes = b"") -> tuple[bytes, ...]:
        """Run a command that prints NUL-separated names. Raises GitFailed."""
        return tuple(name for name in self.output(*args, stdin=stdin).split(b"\0") if name)

    def head(self, *args: str, limit: int, environ: Mapping[str, str] | None = None) -> Answer:
        """Run a command and keep the first `limit` bytes of its output; the code is 0 when there was more."""
        argv, env = (*self._where(), *args), self._environment(environ)
        return launch(argv, env, self._folder(), b"", limit=limit, timeout=self.timeout)

    def _where(self) -> tuple[str, ...]:
        # With a git dir alone git would take the current folder for the working copy
        tree = "--bare" if self.work_tree is None else f"--work-tree={self.work_tree}"
        return (f"--git-dir={self.git_dir}", tree)

    def _folder(self) -> Path:
        return self.work_tree if self.work_tree is not None else self.git_dir

    def _environment(self, extra: Mapping[str, str] | None) -> dict[str, str]:
        index = {} if self.index is None else {"GIT_INDEX_FILE": str(self.index)}
        return {**environment(self.config), **index, **(extra or {})}


def failure(message: str) -> GitFailed:
    """Make an error of what git said, with what may help."""
    absent = "promisor remote" in message
    return GitFailed(
        message, hint="this is a partial clone: fetch what it lacks while its remote can be reached" * absent
    )
