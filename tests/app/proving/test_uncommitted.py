"""Files that a commit needs and does not hold, looked for in a person's checkout."""

from pathlib import Path

import pytest

from bot.app.proving.prove import Wish, prove
from bot.app.proving.values import ProvedCommit
from tests.conftest import Repo

CHECK = {"checks": ("unit=python3 checking.py",)}
CHECKING = "from calc import add\n\nassert add(1, 2) == 3\n"
CALC = "def add(a, b):\n    return a + b\n"
LEANING = "from plus import plus\n\n\ndef add(a, b):\n    return plus(a, b)\n"


@pytest.fixture
def sound(repo: Repo) -> Repo:
    """A project whose tests pass."""
    repo.git("rm", "-q", "test_calc.py")
    repo.commit({"calc.py": CALC, "checking.py": CHECKING})
    return repo


def last(repo: Repo) -> ProvedCommit:
    before = repo.state(), sorted(path for path in repo.path.rglob("*") if ".git/" not in str(path))
    judged = prove(repo.path, CHECK, Wish("HEAD~1..HEAD"))
    assert before == (repo.state(), sorted(path for path in repo.path.rglob("*") if ".git/" not in str(path)))
    return judged.proved.commits[-1]


def test_modules_that_were_not_committed_are_found_one_after_the_other(sound: Repo) -> None:
    sound.commit({".gitignore": "plus.py\n", "calc.py": LEANING})
    sound.write(
        {
            "plus.py": "from tools.more import one\n\n\ndef plus(a, b):\n    return a + b + one()\n",
            "tools/__init__.py": "",
            "tools/more.py": "def one():\n    return int(open('data/one.txt').read())\n",
            "data/one.txt": "0\n",
            "unrelated.py": "raise SystemExit\n",
        }
    )
    commit = last(sound)
    assert not commit.ok
    found = {missing.check: missing for missing in commit.uncommitted}
    assert found["unit"].paths == ("data/one.txt", "plus.py", "tools/__init__.py", "tools/more.py")
    assert found["unit"].text.endswith("which are in your checkout and in no commit")


def test_file_that_came_with_a_later_commit_is_told_with_that_commit(sound: Repo) -> None:
    sound.commit({"calc.py": LEANING}, "too early")
    later = sound.commit({"plus.py": "def plus(a, b):\n    return a + b\n"}, "late")
    judged = prove(sound.path, CHECK, Wish("HEAD~2..HEAD"))
    first, second = judged.proved.commits
    assert first.uncommitted[-1].elsewhere == later
    assert first.uncommitted[-1].text.endswith(f"which is in your checkout and not in this commit, but in {later[:10]}")
    assert second.ok
    assert not judged.proved.ok


def test_file_that_does_not_help_is_not_blamed(sound: Repo) -> None:
    sound.commit({"calc.py": LEANING})
    sound.write({"plus.py": "def plus(a, b):\n    return a - b\n"})
    assert [missing for missing in last(sound).uncommitted if missing.check == "unit"] == []


@pytest.mark.parametrize("name", [".env", "id_rsa"])
def test_files_made_to_hold_secrets_are_never_handed_on(sound: Repo, name: str) -> None:
    sound.commit({".gitignore": f"{name}\n", "calc.py": f"open('{name}').read()\n{CALC}"})
    sound.write({name: "x\n"})
    commit = last(sound)
    assert not commit.ok
    assert commit.uncommitted == ()


def test_links_are_not_followed(sound: Repo, tmp_path: Path) -> None:
    sound.commit({"calc.py": f"open('data/x').read()\n{CALC}"})
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/x").write_text("x")
    (sound.path / "data").symlink_to(tmp_path / "outside")
    commit = last(sound)
    assert not commit.ok
    assert commit.uncommitted == ()


def test_changes_that_were_left_out_of_the_commit_are_found(sound: Repo) -> None:
    sound.commit({"calc.py": LEANING, "plus.py": "def minus(a, b):\n    return a + b\n"}, "half of it")
    sound.write({"plus.py": "def plus(a, b):\n    return a + b\n"})
    missing = {found.check: found for found in last(sound).uncommitted}["unit"]
    assert missing.edited
    assert missing.text == "unit passes only with what you have not committed of plus.py"
