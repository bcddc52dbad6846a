"""Half-finished work of every kind, as a person leaves it lying about."""

from pathlib import Path

from tests.conftest import Repo


def half_finish(repo: Repo, outside: Path) -> None:
    """Stage, change, add, delete, stash, hide behind flags of the index, and begin something in another worktree."""
    numbers = "".join(f"{n}\n" for n in range(1, 21))
    repo.commit({"f": numbers, "gone": "x", "assumed": "1\n", "skipped": "1\n", ".gitignore": ".env\n*.pyc\n"})
    repo.write({"f": "stashed\n"})
    repo.git("stash", "push", "-q", "-m", "for later")
    repo.write({"f": "first" + numbers, "added": "1\n"})
    repo.git("add", "f", "added")
    repo.write({"f": "first" + numbers + "last", "untracked": "mine\n", ".env": "TOKEN=abc\n", "intended": "i\n"})
    repo.write({"assumed": "2\n", "skipped": "2\n", "old.pyc": b"\0", ".git/FETCH_HEAD": "", ".git/ORIG_HEAD": "x\n"})
    repo.git("add", "-N", "intended")
    (repo.path / "gone").unlink()
    repo.git("worktree", "add", "-q", "-b", "side", str(outside / "side"))
    Repo(outside / "side").write({"calc.py": "half done elsewhere\n"})
    repo.git("update-index", "--untracked-cache")
    repo.git("update-index", "--assume-unchanged", "assumed")
    repo.git("update-index", "--skip-worktree", "skipped")
