from pathlib import Path

import pytest

from bot.core.policy import protection
from bot.core.task import Task
from bot.git.orders import find_orders
from bot.git.repository import open_repository
from tests.conftest import Repo


def test_files_that_git_was_told_to_obey_are_named(repo: Repo, tmp_path: Path) -> None:
    repo.git("config", "core.hooksPath", "tools/hooks")
    repo.git("config", "core.attributesFile", str(repo.path / "conf/attr[1]*.txt"))
    repo.git("config", "include.path", "../team.conf")
    repo.git("config", "includeIf.gitdir:/nowhere/.path", str(tmp_path / "outside"))
    (repo.path / "team.conf").write_text("[include]\n\tpath = more/inner.conf\n")
    globs = find_orders(open_repository(repo.path))
    assert set(globs) == {"/tools/hooks", "/conf/attr[[]1][*].txt", "/team.conf", "/more/inner.conf"}
    task = Task(base="b", protected=globs)
    for path in ("tools/hooks/pre-commit", "conf/attr[1]*.txt", "team.conf", "more/inner.conf", "Tools/Hooks/x"):
        assert protection(path, task)
    for path in ("conf/attr1x.txt", "hooks/x", "sub/team.conf", "tools/hook.py"):
        assert protection(path, task) is None


@pytest.mark.parametrize("value", ["", ".", "..", ".git/hooks", "/dev/null", "~/hooks"])
def test_what_is_no_part_of_the_checkout_is_not_named(repo: Repo, value: str) -> None:
    repo.git("config", "core.hooksPath", value)
    assert find_orders(open_repository(repo.path)) == ()
