"""What a command has strewn about is not copied into the person's repository."""

import pytest

from bot.errors import WorkspaceError
from bot.git import flood
from tests.conftest import Repo
from tests.git.scene import opened


def test_what_no_limit_would_let_through_is_not_recorded(repo: Repo) -> None:
    with opened(repo) as workspace:
        before = workspace.tree()
        with (workspace.root / "sparse").open("wb") as file:
            file.truncate(flood.MOST_BYTES + 1)
        workspace.disturb()
        with pytest.raises(WorkspaceError, match="bytes were written, and no more than"):
            workspace.diff()
        workspace.restore(before)
        assert workspace.tree() == before
    with pytest.raises(WorkspaceError, match="50,001 files were written"):
        flood.refuse_flood(repo.path, [b"x"] * (flood.MOST_FILES + 1))
