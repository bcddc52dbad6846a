"""Repositories of many kinds, each with the same two files that matter."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.conftest import Repo, make_repo
from tests.git.scene import FIXED

BROKEN = FIXED.replace(b"+", b"-")
FILES: Mapping[str, str | bytes] = {"calc.py": BROKEN, "deep/b.py": "b = 1\n", "other/c.py": "c = 1\n"}


def filled(path: Path, *init: str) -> Repo:
    """Make a repository with two commits; `init` is what git init wants to know."""
    path.mkdir(parents=True)
    made = Repo(path)
    made.git("init", "-q", "-b", "main", "--template=", *init)
    made.commit({"calc.py": "first\n"}, "first")
    made.commit(FILES, "second")
    return made


def _configured(path: Path, *commands: str) -> Repo:
    made = filled(path)
    for command in commands:
        made.git(*command.split(" "))
    return made


def _clone(source: Repo, path: Path, *options: str) -> Repo:
    source.git("-c", "protocol.file.allow=always", "clone", "-q", *options, f"file://{source.path}", str(path))
    return Repo(path)


def partial(path: Path) -> Repo:
    """Clone without blobs, and only what is in one folder checked out."""
    source = _configured(path / "source", "config uploadpack.allowFilter true")
    source.git("config", "uploadpack.allowAnySHA1InWant", "true")
    made = _clone(source, path / "clone", "--filter=blob:none", "--no-checkout")
    made.git("sparse-checkout", "set", "deep")
    made.git("checkout", "-q", "main")
    return made


def _linked(path: Path) -> Repo:
    filled(path / "main").git("worktree", "add", "-q", "-b", "side", str(path / "side"))
    return Repo(path / "side")


def _of_bare(path: Path) -> Repo:
    made = _clone(filled(path / "source"), path / "bare.git", "--bare")
    made.git("worktree", "add", "-q", str(path / "tree"), "main")
    return Repo(path / "tree")


def _own_settings(path: Path) -> Repo:
    main = _configured(path / "main", "config extensions.worktreeConfig true")
    main.git("worktree", "add", "-q", "-b", "side", str(path / "side"))
    side = Repo(path / "side")
    side.git("sparse-checkout", "set", "deep")
    return side


def _submodule(path: Path) -> Repo:
    inner, outer = filled(path / "inner"), filled(path / "outer")
    outer.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner.path), "mod")
    outer.git("commit", "-q", "-m", "a submodule")
    return Repo(outer.path / "mod")


def _elsewhere(path: Path) -> Repo:
    made = filled(path / "made")
    (made.path / ".git").rename(path / "store")
    made.write({".git": f"gitdir: {path}/store\n"})
    made.git("config", "core.worktree", str(made.path))
    return made


def _linked_folder(path: Path) -> Repo:
    filled(path / "real")
    (path / "link").symlink_to("real")
    return Repo(path / "link")


def _linked_store(path: Path) -> Repo:
    made = filled(path / "made")
    (made.path / ".git").rename(path / "store")
    (made.path / ".git").symlink_to("../store")
    return made


def _borrowing(path: Path) -> Repo:
    filled(path / "source").git("clone", "-q", "--shared", str(path / "source"), str(path / "clone"))
    return Repo(path / "clone")


def _quoted(path: Path) -> Repo:
    source, made = filled(path / 'na"me\n'), filled(path / "made")
    commit = source.commit({"more.py": "more\n"}, "elsewhere")
    objects = str(source.path / ".git/objects").replace('"', '\\"').replace("\n", "\\n")
    made.write({".git/objects/info/alternates": f'"{objects}"\n'})
    made.git("reset", "-q", "--hard", commit)
    return made


def _detached(path: Path) -> Repo:
    return _configured(path / "made", "checkout -q --detach HEAD~0")


def _ambiguous(path: Path) -> Repo:
    """Names that mean more than one thing: tag and branch, file and branch, a file that is named HEAD."""
    made = filled(path / "made")
    made.git("tag", "main", "HEAD~1")
    for name in ("refs/heads/refs/tags/main", "refs/heads/HEAD", "refs/tags/HEAD"):
        made.git("update-ref", name, "refs/heads/main~1")
    made.commit({"main": "a file", "HEAD": "a file", "agent": "a file"}, "names")
    return made


def _like_a_tag(path: Path) -> Repo:
    made = _ambiguous(path)
    made.git("update-ref", "refs/heads/refs/tags/main", "refs/heads/main")
    made.git("symbolic-ref", "HEAD", "refs/heads/refs/tags/main")
    return made


def _circles(path: Path) -> Repo:
    made = filled(path / "made")
    for name, target in (("a", "b"), ("b", "a"), ("deep/up", ".."), ("self", "self"), ("here", ".")):
        (made.path / name).symlink_to(target)
    made.commit({}, "links")
    (made.path / "untracked").symlink_to("untracked")
    return made


def _home(path: Path) -> Repo:
    made = Repo(Path(os.environ["HOME"]))
    made.git("init", "-q", "-b", "main", "--template=")
    made.commit(FILES)
    return made


KINDS: Mapping[str, Callable[[Path], Repo]] = {
    "sha256": lambda path: filled(path / "r", "--object-format=sha256"),
    "split index": lambda path: _configured(path / "r", "config core.splitIndex true", "update-index --split-index"),
    "sparse index": lambda path: _configured(path / "r", "sparse-checkout set --cone --sparse-index deep"),
    "sparse by patterns": lambda path: _configured(path / "r", "sparse-checkout set --no-cone /calc.py"),
    "many files": lambda path: _configured(
        path / "r", "config feature.manyFiles true", "update-index --index-version 4", "update-index --untracked-cache"
    ),
    "partial": partial,
    "shallow": lambda path: _clone(filled(path / "source"), path / "clone", "--depth=1"),
    "linked worktree": _linked,
    "worktree of a bare one": _of_bare,
    "settings of a worktree": _own_settings,
    "submodule": _submodule,
    "core.worktree": _elsewhere,
    "separate git dir": lambda path: _clone(filled(path / "s"), path / "clone", f"--separate-git-dir={path}/store"),
    "folder behind a link": _linked_folder,
    "store behind a link": _linked_store,
    "borrowed objects": _borrowing,
    "quoted alternates": _quoted,
    "shared by a group": lambda path: _configured(path / "r", "config core.sharedRepository group"),
    "detached": _detached,
    "ambiguous names": _ambiguous,
    "a branch like a tag": _like_a_tag,
    "a long branch": lambda path: _configured(path / "r", f"checkout -q -b {'b' * 250}"),
    "home": _home,
    "line break": lambda path: filled(path / "line\nbreak"),
    "no UTF-8": lambda path: filled(path / "caf\udce9"),
    "odd path": lambda path: filled(path / "--git-dir=x" / " q\"'`$(x) " / "u\u2028 f\x0c r\r t\t"),
    "links in circles": _circles,
}

THROUGH_THE_EXECUTABLE = frozenset({"sha256", "partial", "quoted alternates", "shared by a group"})


def can_make_reftable(path: Path) -> bool:
    """Say whether the git here knows the reftable format."""
    make_repo(path).git("init", "--ref-format=reftable", "x", check=False)
    return (path / "x/.git/reftable").exists()
