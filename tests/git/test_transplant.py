from pathlib import Path

import pytest

from bot.errors import UsageError
from bot.git.transplant import transplant
from tests.conftest import Repo
from tests.git.scene import changed, opened


def test_a_change_is_brought_onto_another_base_without_running_anything(repo: Repo, tmp_path: Path) -> None:
    base = repo.commit({".gitattributes": "*.py merge=evil\n", "calc.py": "1\n2\n3\n4\n5\n6\n7\n8\n"})
    step = repo.commit({"calc.py": "one\n2\n3\n4\n5\n6\n7\n8\n", "new.py": "n\n"})
    repo.git("reset", "-q", "--hard", base)
    moved = repo.commit({"calc.py": "1\n2\n3\n4\n5\n6\n7\neight\n"})
    repo.git("config", "merge.evil.driver", f"touch {tmp_path}/marker; false")
    before = repo.state()
    with opened(repo) as workspace:
        tree = transplant(workspace, step)
        assert changed(repo, moved, tree) == ["M\tcalc.py", "A\tnew.py"]
        assert repo.git("cat-file", "blob", f"{tree}:calc.py").splitlines()[::7] == ["one", "eight"]
    assert repo.state() == before
    assert not (tmp_path / "marker").exists()


def test_a_conflict_is_told_by_name_and_leaves_the_person_alone(repo: Repo) -> None:
    base = repo.git("rev-parse", "HEAD")
    step = repo.commit({"calc.py": "theirs\n"})
    repo.git("reset", "-q", "--hard", base)
    repo.commit({"calc.py": "mine\n"})
    before = repo.state()
    with opened(repo) as workspace, pytest.raises(UsageError, match=r"conflicts .* in calc\.py"):
        transplant(workspace, step)
    assert repo.state() == before
