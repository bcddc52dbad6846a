"""The person's repository: found, looked at, never changed."""

import os
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from bot.core.change import readable
from bot.errors import NotARepository, UsageError
from bot.git.run import Answer, Git, discover

_FULL = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_PROGRAMS = r"^(filter\..*\.(clean|smudge|process)|hook\..*\..*|merge\..*\.driver|extensions\..*|remote\..*\.promisor)$"
_FOREIGN = frozenset({"extensions.objectformat", "extensions.refstorage", "extensions.partialclone"})
"""Extensions with which libgit2 sees less than there is, or nothing."""


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository with a working copy and at least one commit."""

    root: Path
    """Top of the person's working copy."""
    git_dir: Path
    common_dir: Path
    """The git dir that all worktrees share."""
    filters: tuple[str, ...] = ()
    """Names of the content filters that are configured; we never run them."""
    silenced: tuple[tuple[str, str], ...] = ()
    """Settings that switch off what the configuration would execute."""
    library: bool = True
    """Whether libgit2 can read this repository in full."""

    @property
    def git(self) -> Git:
        """Git on the person's own working copy: only ever to look."""
        return Git(self.git_dir, self.root, config=self.silenced)

    @property
    def shared(self) -> Git:
        """Git on what all worktrees share: objects, refs and configuration."""
        return Git(self.common_dir, config=self.silenced)

    def resolve(self, rev: str) -> str:
        """Return the commit that a revision names; a branch wins over a tag of the same name. Raises UsageError."""
        if not rev or rev.startswith("-"):
            raise UsageError(f"not a revision: {rev!r}")
        literal = rev == "HEAD" or rev.startswith("refs/") or _FULL.fullmatch(rev)
        for name in (rev,) if literal else (f"refs/heads/{rev}", rev):
            answer = self.git.ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
            if not answer.code:
                return answer.output.decode("ascii").strip()
        raise UsageError(f"no commit is called {rev!r} here", hint="give a branch, a tag or a commit id")

    def default_base(self) -> str:
        """Return the commit that the person stands on."""
        return self.resolve("HEAD")

    def dirty(self) -> bool:
        """Say whether there is uncommitted or untracked work, submodules aside."""
        shown = ("--untracked-files=normal", "--ignore-submodules=dirty", "--no-renames")
        return bool(self.git.output("status", "--porcelain", "-z", *shown))

    def tracks(self, folder: str) -> bool:
        """Say whether the index holds anything of a folder."""
        return bool(self.git.ask("ls-files", "-z", "--", folder).output)

    def current_branch(self) -> str | None:
        """Return the name of the branch that the person is on, readable."""
        answer = self.git.ask("symbolic-ref", "--quiet", "HEAD")
        return None if answer.code else readable(answer.output.strip()).removeprefix("refs/heads/")

    def place_of(self, branch: str) -> str:
        """Return the folder where a branch is checked out, in whichever worktree; empty for nowhere."""
        told = self.shared.output("for-each-ref", "--format=%(worktreepath)", f"refs/heads/{branch}")
        return readable(told.strip())


def open_repository(path: Path) -> Repository:
    """Find the repository around a folder and create nothing. Raises NotARepository."""
    if not path.is_dir():
        raise NotARepository(f"no such folder: {path}")
    asked = discover(
        path,
        *("rev-parse", "--is-bare-repository", "--is-inside-work-tree", "--path-format=absolute"),
        *("--git-dir", "--git-common-dir", "--show-toplevel"),
    )
    _refuse(path, asked)
    _, _, git_dir, common_dir, root = os.fsdecode(asked.output).splitlines()
    bare = Repository(Path(root), Path(git_dir), Path(common_dir))
    if bare.git.ask("rev-parse", "--verify", "--quiet", "HEAD^{commit}").code:
        raise NotARepository(f"the repository at {root} has no commit yet", hint="commit something first: git commit")
    return silence(bare)


def _refuse(path: Path, asked: Answer) -> None:
    facts = os.fsdecode(asked.output).splitlines()
    if "dubious ownership" in asked.error:
        command = f"git config --global --add safe.directory {shlex.quote(_owned(asked.error, path))}"
        raise NotARepository(
            f"git does not trust the repository at {path}: it belongs to another user",
            hint=f"if you do trust it: {command}",
        )
    if facts[:1] == ["true"]:
        raise NotARepository(f"the repository at {path} is bare: there are no files to work on", hint="clone it first")
    if facts[1:2] == ["false"]:
        raise NotARepository(f"{path} is inside a git folder, not in a working copy", hint="go to the project's folder")
    if asked.code and "not a git repository" in asked.error:
        raise NotARepository(f"not a git repository: {path}", hint="go to a project's folder, or name one with -C DIR")
    if asked.code or len(facts) != 5:  # noqa: PLR2004 - the five answers asked for above
        why = asked.error or "its path holds a line break"
        raise NotARepository(f"git cannot open the repository at {path}: {why}")


def _owned(error: str, path: Path) -> str:
    """Return the folder that git named, which may lie above the one we were given."""
    named = re.search(r"repository at '([^']+)'", error)
    return named[1] if named else str(path.resolve())


def silence(repository: Repository) -> Repository:
    """Look up which settings would execute something or keep libgit2 out, and note how to switch them off."""
    answer = repository.git.ask("config", "--null", "--name-only", "--get-regexp", _PROGRAMS)
    keys = [os.fsdecode(key) for key in answer.output.split(b"\0") if key]
    filters = sorted({key[len("filter.") : key.rindex(".")] for key in keys if key.startswith("filter.")})
    hooks = sorted({key[len("hook.") : key.rindex(".")] for key in keys if re.match(r"hook\..+\.", key)})
    silenced = [(f"filter.{name}.{part}", "") for name in filters for part in ("clean", "smudge", "process")]
    silenced += [(f"filter.{name}.required", "false") for name in filters]
    silenced += [(f"hook.{name}.enabled", "false") for name in hooks]
    # Without a command git refuses such a driver; with this one it merges as it always does
    silenced += [(key, "git merge-file %A %O %B") for key in keys if key.startswith("merge.")]
    foreign = any(key in _FOREIGN or key.endswith(".promisor") for key in keys)
    return Repository(
        root=repository.root,
        git_dir=repository.git_dir,
        common_dir=repository.common_dir,
        filters=tuple(filters),
        silenced=tuple(silenced),
        library=not foreign,
    )
