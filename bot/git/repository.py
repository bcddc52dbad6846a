"""The person's repository: found, looked at, never changed."""

import os
import re
import shlex
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from bot.core.change import readable
from bot.errors import NotARepository, UsageError
from bot.git.hooked import Hooked, point
from bot.git.launch import Answer, discover
from bot.git.obeyed import list_keys
from bot.git.obstacle import find_obstacle
from bot.git.run import Git
from bot.git.sight import sees

_FULL = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_PROGRAMS = r"^(filter\..*\.(clean|smudge|process)|hook\..*\..*|merge\..*\.driver)$"
_FACTS = ("--is-bare-repository", "--is-inside-work-tree", "--git-dir", "--git-common-dir", "--show-toplevel")


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
    head: str = ""
    """The commit that the person stood on when the repository was opened."""
    obstacle: str = ""
    """What keeps libgit2 out, as far as the configuration tells."""

    @property
    def library(self) -> bool:
        """Whether libgit2 reads and writes this repository as git does; only who means to use it has to ask."""
        return not self.obstacle and sees(str(self.common_dir), self.head)

    @property
    def plain(self) -> "Repository":
        """The same, asked by the executable alone: whoever has few questions does without loading libgit2."""
        return replace(self, obstacle=self.obstacle or "it is not asked for")

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

    def tracked(self, folders: Sequence[str]) -> frozenset[str]:
        """Return those top folders of which the index holds anything."""
        names = self.git.ask("ls-files", "-z", "--", *folders).output.split(b"\0")
        return frozenset(os.fsdecode(name.partition(b"/")[0]) for name in names if name)

    def current_branch(self) -> str | None:
        """Return the name of the branch that the person is on, readable."""
        answer = self.git.ask("symbolic-ref", "--quiet", "HEAD")
        return None if answer.code else readable(answer.output.strip()).removeprefix("refs/heads/")

    def place_of(self, branch: str) -> str:
        """Return the folder where a branch is checked out or being rebased, whichever it is; empty for nowhere."""
        ref = f"refs/heads/{branch}"
        told = self.shared.output("for-each-ref", "--format=%(worktreepath)", ref)
        return readable(told.strip()) or next(_places_of_rebase(self.common_dir, ref), "")


def open_repository(path: Path, hooked: Hooked | None = None, *, unborn: bool = False) -> Repository:
    """Find the repository around a folder, or the one that git named to a hook, and create nothing.

    `unborn` takes one without a commit, too: its head is empty. Raises NotARepository.
    """
    if not path.is_dir():
        raise NotARepository(f"no such folder: {readable(os.fsencode(path))}")
    _, _, git_dir, common_dir, root = _ask(path, hooked or Hooked())
    found = silence(Repository(Path(root), Path(git_dir), Path(common_dir)))
    answer = found.git.ask("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    if answer.code and not (unborn and _is_unborn(found)):
        raise _headless(found)
    head = answer.output.decode("ascii").strip()
    return replace(found, head=head, obstacle=find_obstacle(found.git, found.common_dir))


def _ask(path: Path, hooked: Hooked) -> list[str]:
    """Let git find a repository and say where its folders are. Raises NotARepository."""
    asking = (*point(hooked), "rev-parse", "--path-format=absolute")
    asked = discover(path, *asking, *_FACTS)
    _refuse(path, asked, hooked)
    facts = os.fsdecode(asked.output).removesuffix("\n").split("\n")
    if len(facts) == len(_FACTS):
        return facts
    # A path that holds a line break: each answer by itself
    answers = (discover(path, *asking, fact).output for fact in _FACTS)
    return [os.fsdecode(answer).removesuffix("\n") for answer in answers]


def _is_unborn(repository: Repository) -> bool:
    """Say whether the person stands on a branch that has no commit yet."""
    ref = repository.git.ask("symbolic-ref", "--quiet", "HEAD")
    name = os.fsdecode(ref.output).removesuffix("\n")
    return not ref.code and not repository.git.output("for-each-ref", "--format=x", name)


def _headless(repository: Repository) -> NotARepository:
    """Say why there is no commit to begin with."""
    git, root = repository.git, readable(os.fsencode(repository.root))
    branch = repository.current_branch() or "HEAD"
    if not _is_unborn(repository):
        return NotARepository(f"the commit that {branch} names in {root} is lost", hint="see what git fsck says")
    others = git.output("for-each-ref", "--count=1", "--format=%(refname)", "refs/heads/")
    if others:
        name = readable(others.strip()).removeprefix("refs/heads/")
        told = f"the branch {branch} that you are on in {root} has no commit yet"
        return NotARepository(told, hint=f"switch to one that has: git switch {shlex.quote(name)}")
    return NotARepository(f"the repository at {root} has no commit yet", hint="commit something first: git commit")


def _refuse(path: Path, asked: Answer, hooked: Hooked) -> None:
    facts, where = asked.output.split(b"\n"), readable(os.fsencode(hooked.git_dir or path))
    if "dubious ownership" in asked.error:
        command = f"git config --global --add safe.directory {shlex.quote(_owned(asked.error, path))}"
        raise NotARepository(
            f"git does not trust the repository at {where}: it belongs to another user",
            hint=f"if you do trust it: {command}",
        )
    if facts[0] == b"true":
        raise NotARepository(f"the repository at {where} is bare: there are no files to work on", hint="clone it first")
    # Of a repository that git named, its working copy is known wherever we stand
    if facts[1:2] == [b"false"] and hooked.git_dir is None:
        raise NotARepository(
            f"{where} is inside a git folder, not in a working copy", hint="go to the project's folder"
        )
    if asked.code and "not a git repository" in asked.error:
        raise NotARepository(f"not a git repository: {where}", hint=_elsewhere(path, hooked))
    if asked.code:
        newer = "install a newer git" if "unknown repository extension" in asked.error else ""
        raise NotARepository(f"git cannot open the repository at {where}: {asked.error}", hint=newer)


def _elsewhere(path: Path, hooked: Hooked) -> str:
    """Say what may help where git found nothing."""
    if hooked.git_dir is not None:
        return "GIT_DIR leads nowhere: see what git status says"
    if (path / ".git").exists():
        return "there is a .git, but it is damaged or leads nowhere: see what git status says"
    if "GIT_DIR" in os.environ:
        return "GIT_DIR is not followed: name the project's folder with -C DIR"
    return "go to a project's folder, or name one with -C DIR"


def _owned(error: str, path: Path) -> str:
    """Return the folder that git named, which may lie above the one we were given."""
    named = re.search(r"repository at '([^']+)'", error)
    return named[1] if named else str(path.resolve())


def _places_of_rebase(common_dir: Path, ref: str) -> Iterator[str]:
    """Find where a branch is being rebased: HEAD is on no branch there, and at the end git moves this one."""
    for git_dir in (common_dir, *sorted((common_dir / "worktrees").glob("*"))):
        for name in ("rebase-merge", "rebase-apply"):
            with suppress(OSError):
                if (git_dir / name / "head-name").read_bytes().strip() == os.fsencode(ref):
                    yield readable(os.fsencode(git_dir))


def silence(repository: Repository) -> Repository:
    """Look up which settings would execute something, and note how to switch them off."""
    # A worktree that git makes gets the settings of the shared folder, which may have some of its own; and one of ours
    # may meet a condition that the person's does not
    listed = {key for git in _doors(repository) for key in list_keys(git, repository.root)}
    keys = sorted(filter(re.compile(_PROGRAMS).match, listed))
    filters = sorted({key[len("filter.") : key.rindex(".")] for key in keys if key.startswith("filter.")})
    hooks = sorted({key[len("hook.") : key.rindex(".")] for key in keys if re.match(r"hook\..+\.", key)})
    silenced = [(f"filter.{name}.{part}", "") for name in filters for part in ("clean", "smudge", "process")]
    silenced += [(f"filter.{name}.required", "false") for name in filters]
    silenced += [(f"hook.{name}.enabled", "false") for name in hooks]
    # Without a command git refuses such a driver; with this one it merges as it always does
    silenced += [(key, "git merge-file %A %O %B") for key in keys if key.startswith("merge.")]
    return replace(repository, filters=tuple(filters), silenced=tuple(silenced))


def _doors(repository: Repository) -> tuple[Git, ...]:
    return (repository.git,) if repository.git_dir == repository.common_dir else (repository.git, repository.shared)
