"""Whether a commit would hold exactly what an edit writes: attributes and ignore rules can make it something else."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.core.change import readable
from bot.git.endings import Endings, choose_endings
from bot.git.objects import Store
from bot.git.run import Git

_ASKED = ("filter", "ident", "working-tree-encoding", "text", "crlf", "eol")
_UNSAID = ("unspecified", "unset", "set")
_IDENT = re.compile(rb"\$Id:[^$\n]*\$")
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")
_WIDE = re.compile(r"utf-?16(?:[lb]e-bom)?", re.IGNORECASE)
_PLAIN = re.compile(r"utf-?8", re.IGNORECASE)
_TRUE = ("true", "yes", "on", "1")


@dataclass(frozen=True, slots=True)
class Rules:
    """What the project says of how a path is stored: attributes and their values."""

    said: Mapping[str, str] = field(default_factory=dict)

    @property
    def filter(self) -> str:
        """The program that makes the stored content; empty for none."""
        return self._text("filter")

    @property
    def encoding(self) -> str:
        """The encoding in a worktree; empty when it is the stored one."""
        told = self._text("working-tree-encoding")
        return "" if _PLAIN.fullmatch(told) else told

    @property
    def ident(self) -> bool:
        """Whether `$Id$` is expanded in a worktree."""
        return self.said.get("ident") == "set"

    def _text(self, name: str) -> str:
        told = self.said.get(name, "unset")
        return "" if told in _UNSAID else told


@dataclass(slots=True)
class Storage:
    """How the files of one worktree are stored."""

    git: Git
    store: Store
    _settings: dict[str, str] = field(default_factory=dict, init=False)

    def refuse(self, tree: str, path: str, data: bytes, source: str = "") -> str | None:
        """Say why a commit would not hold exactly what is to be written; see protocols.Workspace.refuse_write.

        `tree` holds what is stored now.
        """
        indexed = self.store.blob(tree, path)
        reason = self._refuse_new(tree, path) if indexed is None else None
        if reason is not None:
            return reason
        here, there = self._rules(path, source or path)
        program = here.filter or there.filter
        if program:
            return f"it is stored through the filter {program}, which is never run here (Git LFS and the like)"
        old = self.store.blob(tree, source) if source else indexed
        return _refuse_encoding(here, data) or self._refuse_rewriting(here, there, indexed, old, _narrow(here, data))

    def _refuse_new(self, tree: str, path: str) -> str | None:
        """Say why no commit would hold a path that is not tracked yet."""
        parts = path.split("/")
        above = ["/".join(parts[:depth]) for depth in range(1, len(parts))]
        if above and any(entry.startswith(b"160000 ") for entry in self.git.names("ls-tree", "-z", tree, "--", *above)):
            return "it lies in a submodule, which is a repository of its own"
        # Of all commands this one does not know literal paths; after ./ nothing is magic
        asked = b"./" + os.fsencode(path) + b"\0"
        command = ("check-ignore", "--no-index", "--verbose", "-z", "--stdin")
        answer = self.git.ask(*command, stdin=asked, environ={"GIT_LITERAL_PATHSPECS": "0"})
        place, line, pattern = (answer.output.split(b"\0") if not answer.code else [b"", b"", b""])[:3]
        if not pattern or pattern.startswith(b"!"):
            return None
        rule = f"{readable(place.rpartition(b'/')[2])}, line {readable(line)}: {readable(pattern)}"
        return f"git ignores it ({rule}), so that no commit would hold it"

    def _rules(self, *paths: str) -> tuple[Rules, ...]:
        # To a path that comes twice git answers twice
        asked = b"".join(os.fsencode(path) + b"\0" for path in paths)
        told = self.git.output("check-attr", "-z", "--stdin", *_ASKED, stdin=asked).split(b"\0")
        values = list(map(readable, told[2::3]))
        size = len(_ASKED)
        rows = (values[at : at + size] for at in range(0, len(values), size))
        return tuple(Rules(dict(zip(_ASKED, row, strict=True))) for row in rows)

    def _refuse_rewriting(
        self, here: Rules, there: Rules, indexed: bytes | None, old: bytes | None, data: bytes
    ) -> str | None:
        """Say why lines would be stored otherwise that nobody meant to change."""
        if old is None:
            return None
        if here.ident and _IDENT.search(old):
            return "it is stored with an expanded $Id$, which git would take out together with the change"
        if b"\r\n" not in data:
            return None
        narrows = self._endings(here).normalise(data, indexed)
        if narrows and b"\r\n" in old:
            return (
                "it is stored with CRLF line endings, against its attributes: git would rewrite all its lines; "
                "first commit what `git add --renormalize` makes of it"
            )
        if not narrows and self._endings(there).widen(old):
            return (
                "git would store all its lines with CRLF, since it would take the new content for binary, or elsewhere"
            )
        return None

    def _endings(self, rules: Rules) -> Endings:
        return choose_endings(rules.said, self._setting("core.autocrlf"), self._setting("core.eol"))

    def _setting(self, name: str) -> str:
        if name not in self._settings:
            told = self.git.ask("config", "--get", name).output.decode("utf-8", "replace").strip().lower()
            self._settings[name] = "true" if told in _TRUE else told
        return self._settings[name]


def _refuse_encoding(rules: Rules, data: bytes) -> str | None:
    """Say why the bytes are not in the encoding that git expects, as far as can be told."""
    wide = data.startswith(_WIDE_MARKS)
    if rules.encoding and not (wide and _WIDE.fullmatch(rules.encoding)):
        return f"it is kept in the encoding {rules.encoding}, which is not written here"
    return "it is UTF-16, which git keeps as binary" if wide and not rules.encoding else None


def _narrow(rules: Rules, data: bytes) -> bytes:
    """Return the content as git sees it when it looks for line endings."""
    return data.decode("utf-16", "replace").encode("utf-8", "replace") if rules.encoding else data
