"""A bare repository on the stand-in's side, asked through git."""

import os
import shutil
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

HOOK = Path(__file__).with_name("pre-receive.sh")
SETTINGS = {
    "http.receivepack": "true",
    "uploadpack.allowFilter": "true",
    "uploadpack.allowAnySHA1InWant": "true",
    "receive.hideRefs": "refs/pull",
    "receive.denyNonFastForwards": "false",
    "receive.autogc": "false",
    "core.logAllRefUpdates": "false",
    "gc.auto": "0",
}
"""As GitHub's: refs of pull requests can be read and not written, any commit can be fetched by its id."""
PERSON = {"GIT_AUTHOR_NAME": "Hub", "GIT_AUTHOR_EMAIL": "hub@example.invalid"}
IDENTITY = {
    **PERSON,
    **{name.replace("AUTHOR", "COMMITTER"): value for name, value in PERSON.items()},
    "GIT_AUTHOR_DATE": "2024-01-01T00:00:00+00:00",
    "GIT_COMMITTER_DATE": "2024-01-01T00:00:00+00:00",
}


@dataclass(frozen=True)
class Found:
    """A commit as git tells it."""

    sha: str
    tree: str
    parents: tuple[str, ...]
    author: tuple[str, str, str]
    committer: tuple[str, str, str]
    message: str


@dataclass(frozen=True)
class Changed:
    """A file that differs between two commits."""

    path: str
    status: str
    before: str
    sha: str
    added: int
    removed: int


@dataclass(frozen=True)
class Store:
    """A bare repository."""

    path: Path

    @classmethod
    def make(cls, path: Path, branch: str = "main") -> "Store":
        """Make an empty one."""
        path.mkdir(parents=True)
        made = cls(path)
        made.git("init", "-q", "--bare", "-b", branch, "--template=", ".")
        lines = "".join(
            f"[{name.partition('.')[0]}]\n\t{name.partition('.')[2]} = {value}\n" for name, value in SETTINGS.items()
        )
        with (path / "config").open("a") as config:
            config.write(lines)
        (path / "hooks").mkdir(exist_ok=True)
        shutil.copy(HOOK, path / "hooks/pre-receive")
        (path / "hooks/pre-receive").chmod(0o755)
        return made

    @cached_property
    def _environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        return {**kept, **IDENTITY, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null"}

    def run(self, *arguments: str) -> "subprocess.CompletedProcess[bytes]":
        """Run git here."""
        return subprocess.run(
            ["git", "-c", "safe.directory=*", *arguments],
            cwd=self.path,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )

    def git(self, *arguments: str) -> str:
        """Run git here and return what it printed."""
        done = self.run(*arguments)
        if done.returncode:
            raise AssertionError(f"git {' '.join(arguments)}: {done.stderr.decode(errors='replace')}")
        return done.stdout.decode(errors="replace").rstrip("\n")

    def refs(self, below: str = "refs/") -> dict[str, str]:
        """Return full names and ids below a prefix."""
        # Read from the files, as every request asks for them and a process takes longer than all the rest
        packed = self.path / "packed-refs"
        lines = packed.read_text().splitlines() if packed.exists() else []
        found = {line[41:]: line[:40] for line in lines if line[0] not in "#^"}
        for file in (self.path / "refs").rglob("*"):
            # One may go while we look, and a branch may be a folder a moment later
            with suppress(FileNotFoundError, IsADirectoryError):
                if file.suffix != ".lock" and not file.is_dir():
                    found[file.relative_to(self.path).as_posix()] = file.read_text().strip()
        return {name: sha for name, sha in sorted(found.items()) if name.startswith(below)}

    def branches(self) -> dict[str, str]:
        """Return branches, short, and their tips."""
        return {name.removeprefix("refs/heads/"): sha for name, sha in self.refs("refs/heads/").items()}

    def has_ref(self, name: str) -> bool:
        """Tell whether a ref exists."""
        return name in self.refs()

    def resolve(self, revision: str) -> str | None:
        """Return the commit of a branch, a full ref or an id."""
        known = self.refs()
        names = (f"refs/heads/{revision}", f"refs/tags/{revision}", f"refs/{revision}", revision)
        name = next((known[entry] for entry in names if entry in known), revision)
        done = self.run("rev-parse", "--verify", "-q", "--end-of-options", f"{name}^{{commit}}")
        return None if done.returncode else done.stdout.decode().strip()

    def is_ancestor(self, old: str, new: str) -> bool:
        """Tell whether a commit is in the history of another."""
        return self.run("merge-base", "--is-ancestor", old, new).returncode == 0

    def merge_base(self, one: str, other: str) -> str | None:
        """Return the last common commit."""
        done = self.run("merge-base", one, other)
        return None if done.returncode else done.stdout.decode().strip()

    def merges(self, base: str, head: str) -> bool:
        """Tell whether two commits can be merged without a conflict."""
        return self.run("merge-tree", "--write-tree", base, head).returncode == 0

    def take(self, source: "Store", sha: str, ref: str) -> None:
        """Put a commit of another repository under a ref."""
        if source.path != self.path and self.run("cat-file", "-e", f"{sha}^{{commit}}").returncode:
            self.git("fetch", "-q", "--no-write-fetch-head", str(source.path), sha)
        self.git("update-ref", ref, sha)

    def log(self, *revisions: str, limit: int = 250) -> list[Found]:
        """Return commits, newest first."""
        form = "%H%x00%T%x00%P%x00%an%x00%ae%x00%aI%x00%cn%x00%ce%x00%cI%x00%B%x01"
        said = self.git("log", f"--format={form}", f"-n{limit}", "--end-of-options", *revisions, "--")
        return [_found(entry.lstrip("\n")) for entry in said.split("\x01") if entry.strip("\n")]

    def changes(self, old: str, new: str) -> list[Changed]:
        """Return the files that differ between two commits."""
        raw = self.git("diff-tree", "-r", "-M", "--raw", "--numstat", "-z", old, new).split("\0")
        return _changes(raw)

    def text(self, revision: str, path: str) -> bytes | None:
        """Return the content of a file at a commit."""
        done = self.run("cat-file", "blob", f"{revision}:{path}")
        return None if done.returncode else done.stdout


def _found(entry: str) -> Found:
    sha, tree, parents, an, ae, ad, cn, ce, cd, message = entry.split("\0", 9)
    return Found(sha, tree, tuple(parents.split()), (an, ae, ad), (cn, ce, cd), message.rstrip("\n"))


def _changes(fields: list[str]) -> list[Changed]:
    words = {"A": "added", "M": "modified", "D": "removed", "R": "renamed", "T": "changed", "C": "copied"}
    raw, counts, rest = [], {}, iter(fields)
    for text in rest:
        if text.startswith(":"):
            told = text.split(" ")
            first = next(rest)
            path, before = (next(rest), first) if told[4][0] in "RC" else (first, "")
            raw.append((path, words[told[4][0]], before, told[3]))
        elif text:
            added, removed, path = text.split("\t")
            if not path:
                _, path = next(rest), next(rest)
            counts[path] = (_count(added), _count(removed))
    return [Changed(path, status, before, sha, *counts.get(path, (0, 0))) for path, status, before, sha in raw]


def _count(text: str) -> int:
    return 0 if text == "-" else int(text)
