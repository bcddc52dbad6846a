from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.sandbox.gitview import INSIDE, is_harmless, view, without_secrets, worktree_name
from tests.sandbox.conftest import Ground


def test_a_worktree_is_found_in_the_repositorys_own_list(common: Ground) -> None:
    assert worktree_name(common.tree, common.repo.path / ".git") == "tree"


def test_what_the_tree_claims_is_not_believed(ground: Ground) -> None:
    (ground.tree / ".git").write_text("gitdir: /etc\n")
    seen = view(ground.tree, ground.repo.path / ".git")
    assert seen is not None
    assert seen.pointer == f"gitdir: {INSIDE}/worktrees/tree\n"


def test_a_strange_folder_shows_no_git(tmp_path: Path, common: Ground) -> None:
    (tmp_path / ".git").write_text(f"gitdir: {common.repo.path}/.git/worktrees/tree\n")
    assert view(tmp_path, common.repo.path / ".git") is None


SETTINGS = """[core]
\tbare = false
[http "https://example.invalid/"]
\textraheader = AUTHORIZATION: basic c2VjcmV0
[extensions]
\tworktreeConfig = true
  [ remote "origin" ]
\turl = https://user:secret@example.invalid/x
[include]
\tpath = /runner/credentials
[CREDENTIAL]
helper = store
[core] filemode = true
"""


def test_only_sections_without_secrets_are_shown() -> None:
    assert without_secrets(SETTINGS) == (
        "[core]\n\tbare = false\n[extensions]\n\tworktreeConfig = true\n[core] filemode = true\n"
    )


@given(st.lists(st.sampled_from(SETTINGS.splitlines(keepends=True))))
def test_no_order_of_lines_shows_a_header(lines: list[str]) -> None:
    shown = without_secrets("[http]\n" + "".join(line for line in lines if not line.lstrip().startswith("[core]")))
    assert "[include]" not in shown
    assert "remote" not in shown


@pytest.mark.parametrize("text", ["", "no section\n", "[", "[]\nx=1", "\0[core"])
def test_broken_settings_are_no_error(text: str) -> None:
    without_secrets(text)


@pytest.mark.parametrize(
    ("settings", "harmless"),
    [
        ('[core]\n\tbare = false\n[remote "origin"]\n\turl = git@example.invalid:x\n[branch "main"]\n', True),
        ('[remote "origin"]\n\turl = ssh://git@example.invalid/x\n', True),
        ('[remote "origin"]\n\turl = https://name:marker@example.invalid/x\n', False),
        ('[submodule "x"]\n\turl = https://marker@example.invalid/x\n', False),
        ('[http "https://example.invalid/"]\n\textraheader = x\n', False),
        ("[credential]\n\thelper = store\n", False),
        ("[include]\n\tpath = elsewhere\n", False),
        ('[url "https://marker@x/"]\n\tinsteadOf = x\n', False),
    ],
)
def test_settings_that_may_hold_secrets_are_told_from_others(settings: str, harmless: bool) -> None:  # noqa: FBT001
    assert is_harmless(settings) == harmless
