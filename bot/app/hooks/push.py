"""Judges what a push brings: each tip, held against the last of its history that the remote has."""

import os
import sys
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from bot.app.desk import configured
from bot.app.hooks.pushseal import describe_push
from bot.app.hooks.seals import find_seal
from bot.app.signals import interruptible
from bot.errors import UsageError
from bot.git.hooked import read_hooked
from bot.git.launch import redact
from bot.git.pushes import Span, Spans, Update, find_spans, read_framework, read_updates
from bot.git.repository import Repository, open_repository
from bot.settings import Sources, gather


class Push(NamedTuple):
    """What is pushed, and where to."""

    remote: str
    """Its name, or its address where it has none."""
    updates: tuple[Update, ...]

    @property
    def shown(self) -> str:
        """The remote, without what an address may hold of credentials."""
        return redact(self.remote) or "the remote"


def judge_push(directory: Path, args: tuple[str, ...], told: bytes) -> int:
    """Judge what git says that it is about to push; 1 refuses it. Raises AgentError."""
    with interruptible():
        repository = open_repository(directory, read_hooked(os.environ, directory))
        settings, _ = gather(Sources({}, os.environ, configured(repository), None))
        if settings.hook_push == "off":
            return 0
        push = _read(repository, args, told)
        spans = find_spans(repository, push.remote, push.updates)
        left = tuple(span for span in spans.spans if not _tell_known(repository, span))
        if not (left or spans.left):
            return 0
        # What judges takes a while to load, and most pushes bring nothing that is new
        docket = import_module("bot.app.hooks.docket")
        code: int = docket.judge_spans(repository, settings, push.shown, Spans(left, spans.left))
        return code


def _tell_known(repository: Repository, span: Span) -> bool:
    """Say again what was said of the same tip, and tell whether that was everything."""
    described = describe_push(repository, span)
    seal = None if described is None else find_seal(repository.common_dir, described)
    if seal is None or seal.code:
        return False
    sys.stderr.write(seal.text)
    return True


def _read(repository: Repository, args: tuple[str, ...], told: bytes) -> Push:
    """Find out what is pushed, from git or from a framework that read its words. Raises UsageError."""
    if not told.strip():
        remote = next(iter(args), os.environ.get("PRE_COMMIT_REMOTE_NAME", ""))
        return Push(remote, read_framework(os.environ, repository))
    updates = read_updates(told)
    if not updates:
        raise UsageError("what was said of the push cannot be read", "git itself has to start this hook")
    return Push(next(iter(args), ""), updates)
