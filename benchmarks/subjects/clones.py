"""Reads clones of repositories that the person who runs it has made."""

import io
import subprocess
import sys
import tarfile
from pathlib import Path

URLS = {
    "QuixBugs": "https://github.com/jkoppel/QuixBugs",
    "octopack": "https://github.com/bigcode-project/octopack",
    "BugsInPy": "https://github.com/soarsmu/BugsInPy",
    "thefuck": "https://github.com/nvbn/thefuck",
    "PySnooper": "https://github.com/cool-RR/PySnooper",
}


def clone(checkouts: Path, name: str) -> Path:
    """Return where a clone is, with or without a work tree; without it, say how it is made and end."""
    folder = checkouts / name
    if not folder.is_dir():
        sys.exit(f"{name} is not in {checkouts}; make it with: git clone {URLS[name]} {folder}")
    return folder


def git(folder: Path, *words: str) -> bytes:
    """Ask git something that it must know. Raises CalledProcessError."""
    return subprocess.run(("git", "-C", str(folder), *words), capture_output=True, check=True).stdout


def read(folder: Path, path: str, commit: str = "HEAD") -> str:
    """Read a file of a commit. Raises CalledProcessError."""
    return git(folder, "show", f"{commit}:{path}").decode()


def unpack(folder: Path, target: Path, commit: str = "HEAD", *paths: str) -> None:
    """Write the tree of a commit, or a part of it, into a folder."""
    with tarfile.open(fileobj=io.BytesIO(git(folder, "archive", "--format=tar", commit, *paths))) as packed:
        packed.extractall(target, filter="data")
