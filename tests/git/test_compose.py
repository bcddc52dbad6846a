import pytest

from bot.git.repository import open_repository
from bot.git.snapshot import open_snapshots
from tests.conftest import Repo
from tests.git.scene import names


@pytest.mark.parametrize(
    ("paths", "left"),
    [
        (["calc.py"], {b"calc.py": b"new\n", b"test_calc.py": None, b"old.txt": b"o\n"}),
        (["more.py", "old.txt"], {b"calc.py": None, b"more.py": b"m\n", b"test_calc.py": None}),
        (["absent.py"], {b"calc.py": None, b"old.txt": b"o\n", b"test_calc.py": None}),
        ([], {b"calc.py": None, b"old.txt": b"o\n", b"test_calc.py": None}),
    ],
)
def test_named_paths_are_as_in_the_other_tree_and_all_else_stays(
    repo: Repo, paths: list[str], left: dict[bytes, bytes | None]
) -> None:
    first = repo.commit({"old.txt": "o\n"})
    repo.git("rm", "-q", "old.txt")
    second = repo.commit({"calc.py": "new\n", "more.py": "m\n"})
    before = repo.state()
    with open_snapshots(open_repository(repo.path)) as snapshots:
        made = snapshots.compose(first, second, paths)
        assert names(repo, made) == sorted(left)
        for name, content in left.items():
            told = snapshots.read(made, name.decode())
            assert told == (content if content is not None else snapshots.read(first, name.decode()))
    assert repo.state() == before


def test_name_that_is_no_text_is_known_by_its_readable_form(repo: Repo) -> None:
    first = repo.git("rev-parse", "HEAD")
    (repo.path / "caf\udce9.py").write_text("x\n")
    repo.git("add", ".")
    second = repo.commit({})
    with open_snapshots(open_repository(repo.path)) as snapshots:
        assert b"caf\xe9.py" in names(repo, snapshots.compose(first, second, ["caf\\xe9.py"]))
        assert snapshots.read(first, "folder-that-is-not-there/x") is None
