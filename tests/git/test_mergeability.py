"""Whether two commits go together is found out from objects alone."""

from bot.git.mergeability import conflicts
from bot.git.run import Git
from tests.conftest import Repo


def test_conflicts_are_named_and_nothing_is_touched(repo: Repo) -> None:
    git, base = Git(repo.path / ".git"), repo.git("rev-parse", "HEAD")
    one = repo.commit({"calc.py": "one\n", "caf\u00e9\n.py": "1\n"}, "one")
    repo.git("checkout", "-q", base)
    two = repo.commit({"calc.py": "two\n", "caf\u00e9\n.py": "2\n"}, "two")
    repo.git("checkout", "-q", base)
    far = repo.commit({"far.py": "far\n"}, "far")
    before = (repo.git("status", "--porcelain"), repo.git("for-each-ref"))
    assert conflicts(git, one, two) == ("caf\u00e9\\n.py", "calc.py")
    assert conflicts(git, one, far) == ()
    assert conflicts(git, one, base) == ()
    assert (repo.git("status", "--porcelain"), repo.git("for-each-ref")) == before


def test_what_git_cannot_tell_is_unknown(repo: Repo) -> None:
    git = Git(repo.path / ".git")
    alone = repo.git("commit-tree", "HEAD^{tree}", "-m", "a history of its own")
    assert conflicts(git, repo.git("rev-parse", "HEAD"), alone) is None
    assert conflicts(git, "1" * 40, alone) is None
