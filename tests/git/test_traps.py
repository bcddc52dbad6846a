"""Files with which a command would make git, or git agent, wait without end."""

import os

from bot.git import traps
from tests.conftest import Repo
from tests.digging import dig, shallow
from tests.git.scene import opened


def test_pipes_in_the_place_of_files_that_are_read_stop_nobody(repo: Repo) -> None:
    with opened(repo) as workspace:
        before = workspace.tree()
        (workspace.root / "folder").mkdir()
        for name in (".gitignore", ".gitattributes", "folder/.gitignore"):
            os.mkfifo(workspace.root / name)
        (workspace.root / ".git").unlink()
        os.mkfifo(workspace.root / ".git")
        traps.disarm(workspace.root)
        workspace.disturb()
        assert workspace.tree() == before
        workspace.rollback()
        assert (workspace.root / ".git").read_text().startswith("gitdir: ")
        assert not (workspace.root / ".gitignore").exists()


def test_a_folder_deeper_than_paths_are_long_is_taken_away(repo: Repo) -> None:
    with opened(repo) as workspace, shallow(200):
        dig(workspace.root, 250)
        workspace.disturb()
        workspace.rollback()
        assert not (workspace.root / ("deep" * 5)).exists()
    assert not workspace.temp.exists()
