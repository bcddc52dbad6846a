"""Has git ask this very process before it makes a commit, as a hook would."""

import os
import select
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.conftest import IDENTITY

_HOOK = """#!/bin/sh
test -n "$ASKED" || exit 0
{{ printf '%s\\0' "$PWD"; env -0; printf 'END=\\0'; }} > '{asked}'
read -r code < '{answered}'
exit "$code"
"""
_END = b"END=\0"


@dataclass(frozen=True)
class Moment:
    """What git said to its hook, and where it stood."""

    environ: Mapping[str, str]
    folder: Path


@dataclass(frozen=True)
class Question:
    """A pair of pipes that a hook asks over."""

    asked: Path
    answered: Path

    def install(self, hooks: Path) -> None:
        """Put the hook in its place."""
        hooks.mkdir(exist_ok=True, parents=True)
        for name in ("pre-commit", "pre-merge-commit"):
            (hooks / name).write_text(_HOOK.format(asked=self.asked, answered=self.answered))
            (hooks / name).chmod(0o755)

    def run(self, look: Callable[[Moment], int], folder: Path, *args: str, told: str = "") -> int:
        """Run git, look each time when its hook asks, and return its exit code."""
        env = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")} | IDENTITY | {"ASKED": "yes"}
        asked, answered = (os.open(pipe, os.O_RDWR | os.O_NONBLOCK) for pipe in (self.asked, self.answered))
        argv = ("git", *args)
        with (
            os.fdopen(asked, "rb", 0),
            os.fdopen(answered, "wb", 0) as answers,
            subprocess.Popen(argv, cwd=folder, env=env, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as child,
        ):
            try:
                assert child.stdin is not None
                child.stdin.write(told.encode())
                child.stdin.close()
                while (moment := _listen(asked, child)) is not None:
                    answers.write(b"%d\n" % look(moment))
            finally:
                child.kill()
        return child.returncode


def _listen(asked: int, child: "subprocess.Popen[bytes]") -> Moment | None:
    heard, until = b"", time.monotonic() + 60
    while not heard.endswith(_END):
        assert time.monotonic() < until
        if select.select([asked], [], [], 0.005)[0]:
            heard += os.read(asked, 1 << 16)
        elif child.poll() is not None:
            return None
    where, *pairs = os.fsdecode(heard).split("\0")[:-2]
    return Moment(dict(pair.split("=", 1) for pair in pairs), Path(where))


def make_question(folder: Path) -> Question:
    """Make the pipes."""
    folder.mkdir()
    question = Question(folder / "asked", folder / "answered")
    os.mkfifo(question.asked)
    os.mkfifo(question.answered)
    return question
