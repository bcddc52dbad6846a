"""Modes stay, links stay links, folders and files take each other's place."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from pydantic import JsonValue

from bot.errors import Denied
from bot.tools import disk, paths
from tests.conftest import Repo, make_repo
from tests.tools.conftest import Desk, MakeDesk
from tests.tools.trees import differences

LINKS = {
    "link.txt": "real.txt",
    "chain": "link.txt",
    "folder": "dir",
    "out": "/etc/hostname",
    "outfolder": "/etc",
    "up": "../outside",
    "dangling": "nowhere.txt",
    "loop": "loop",
    "ring": "gnir",
    "gnir": "ring",
    "dot": ".",
    "git": ".git/config",
}
FILES = {"real.txt": "one\ntwo\n", "dir/f.txt": "one\n", "run.sh": "#!/bin/sh\none\n", "deep/er/only.txt": "one\n"}


@pytest.fixture
def linked(tmp_path: Path) -> Repo:
    repo = make_repo(tmp_path / "linked")
    repo.write(FILES)
    (repo.path / "run.sh").chmod(0o755)
    for name, target in LINKS.items():
        (repo.path / name).symlink_to(target)
    repo.commit({})
    return repo


def modes(repo: Repo, old: str, new: str) -> dict[str, tuple[str, str]]:
    return {os.fsdecode(path): (a.mode, b.mode) for path, (a, b) in differences(repo, old, new).items()}


def edit(path: str, old: str = "one", new: str = "ONE") -> tuple[str, Mapping[str, JsonValue]]:
    return "edit_file", {"path": path, "old": old, "new": new}


def test_the_file_behind_a_link_is_edited_and_every_mode_stays(linked: Repo, make_desk: MakeDesk) -> None:
    desk = make_desk(linked)
    base = desk.workspace.tree()
    assert desk.ok("edit_file", path="link.txt", old="one", new="ONE").startswith("real.txt: ")
    assert desk.ok("replace_lines", path="chain", start=2, end=2, text="TWO").startswith("real.txt: ")
    desk.ok("apply_patch", patch="--- a/folder/f.txt\n+++ b/folder/f.txt\n@@ -1 +1 @@\n-one\n+ONE\n")
    desk.ok("edit_file", path="dot/run.sh", old="one", new="ONE")
    assert modes(linked, base, desk.workspace.tree()) == {
        "real.txt": ("100644", "100644"),
        "dir/f.txt": ("100644", "100644"),
        "run.sh": ("100755", "100755"),
    }
    assert desk.raw("real.txt") == b"ONE\nTWO\n"


def test_links_that_lead_elsewhere_or_nowhere_are_refused_with_the_reason(linked: Repo, make_desk: MakeDesk) -> None:
    desk = make_desk(linked)
    base = desk.workspace.tree()
    reasons = {
        "out": "leads out of the worktree",
        "outfolder/passwd": "leads out of the worktree",
        "up": "leads out of the worktree",
        "dangling": "is a link that leads nowhere",
        "loop": "is a link that leads nowhere",
        "ring": "is a link that leads nowhere",
        "git": "is a link",
    }
    for path, reason in reasons.items():
        patch = f"--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-one\n+ONE\n"
        for tool, arguments in (
            edit(path),
            ("replace_lines", {"path": path, "start": 1, "end": 1, "text": "x"}),
            ("read_file", {"path": path}),
            ("apply_patch", {"patch": patch}),
        ):
            assert reason in desk.fails(tool, "denied", **arguments), tool
    assert desk.workspace.tree() == base


def test_patches_about_links_themselves_are_refused_whole(linked: Repo, make_desk: MakeDesk) -> None:
    desk = make_desk(linked)
    base = desk.workspace.tree()
    mode = "diff --git a/new b/new\nnew file mode 120000\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+real.txt\n"
    for told, patch in (
        ("100644 or 100755", f"--- a/real.txt\n+++ b/real.txt\n@@ -1 +1 @@\n-one\n+ONE\n{mode}"),
        ("is a link", "diff --git a/link.txt b/l2\nsimilarity index 100%\nrename from link.txt\nrename to l2\n"),
        ("is a link", "--- a/link.txt\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-one\n-two\n"),
    ):
        result = desk.call("apply_patch", patch=patch)
        assert not result.ok
        assert told in result.output
    assert desk.workspace.tree() == base
    desk.ok("delete_file", path="link.txt")
    desk.ok("move_file", source="chain", destination="link.txt")
    assert modes(linked, base, desk.workspace.tree()) == {
        "link.txt": ("120000", "120000"),
        "chain": ("120000", "000000"),
    }


def test_a_file_replaced_by_a_link_between_look_and_write_is_not_followed(
    linked: Repo, make_desk: MakeDesk, tmp_path: Path
) -> None:
    desk = make_desk(linked)
    outside = tmp_path / "outside.txt"
    outside.write_text("mine\n")
    place = paths.follow(desk.workspace, "real.txt")
    content = disk.read(place)
    (desk.workspace.root / "real.txt").unlink()
    (desk.workspace.root / "real.txt").symlink_to(outside)
    with pytest.raises(Denied, match="a link that changed"):
        disk.write(place, content)
    with pytest.raises(Denied, match="a link that changed"):
        disk.read(place)
    assert outside.read_text() == "mine\n"


def test_files_and_folders_take_each_others_place_and_go_back(linked: Repo, make_desk: MakeDesk) -> None:
    desk = make_desk(linked)
    base = desk.workspace.tree()
    desk.ok("move_file", source="deep/er/only.txt", destination="saved.txt")
    desk.ok("create_file", path="deep", content="now a file\n")
    desk.ok("delete_file", path="real.txt")
    desk.ok("create_file", path="real.txt/inner.txt", content="now a folder\n")
    changed = modes(linked, base, desk.workspace.tree())
    assert {path for path, (_, new) in changed.items() if new == "000000"} == {"deep/er/only.txt", "real.txt"}
    assert {path for path, (old, _) in changed.items() if old == "000000"} == {
        "deep",
        "real.txt/inner.txt",
        "saved.txt",
    }
    desk.ok("delete_file", path="deep")
    desk.ok("move_file", source="saved.txt", destination="deep/er/only.txt")
    desk.ok("delete_file", path="real.txt/inner.txt")
    desk.ok("create_file", path="real.txt", content="one\ntwo\n")
    assert desk.workspace.tree() == base


def test_one_patch_turns_a_folder_into_a_file(linked: Repo, make_desk: MakeDesk) -> None:
    desk = make_desk(linked)
    base = desk.workspace.tree()
    gone = "--- a/deep/er/only.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n"
    desk.ok("apply_patch", patch=f"{gone}--- /dev/null\n+++ b/deep\n@@ -0,0 +1 @@\n+now a file\n")
    assert modes(linked, base, desk.workspace.tree()) == {
        "deep": ("000000", "100644"),
        "deep/er/only.txt": ("100644", "000000"),
    }


def test_empty_files_are_files_and_empty_folders_are_nothing(linked: Repo, make_desk: MakeDesk) -> None:
    desk = make_desk(linked)
    base = desk.workspace.tree()
    desk.ok("create_file", path="pkg/__init__.py", content="")
    (desk.workspace.root / "hollow/deep").mkdir(parents=True)
    assert modes(linked, base, desk.workspace.tree()) == {"pkg/__init__.py": ("000000", "100644")}
    desk.ok("replace_lines", path="pkg/__init__.py", start=1, end=0, text="x = 1")
    desk.ok("replace_lines", path="run.sh", start=1, end=2, text="")
    assert {path: new.data for path, (_, new) in differences(linked, base, desk.workspace.tree()).items()} == {
        b"pkg/__init__.py": b"x = 1\n",
        b"run.sh": b"",
    }
    desk.ok("delete_file", path="pkg/__init__.py")
    assert not (desk.workspace.root / "pkg").exists()
    assert (desk.workspace.root / "hollow/deep").is_dir()


SETTINGS = [
    ("core.ignorecase", "true"),
    ("core.fileMode", "false"),
    ("core.symlinks", "false"),
    ("core.precomposeunicode", "true"),
    ("core.checkStat", "minimal"),
    ("core.trustctime", "false"),
    ("core.bigFileThreshold", "1"),
    ("index.version", "4"),
    ("apply.whitespace", "fix"),
    ("diff.noprefix", "true"),
]


@pytest.fixture
def settled(linked: Repo, make_desk: MakeDesk) -> Desk:
    linked.commit({"Readme": "one\n", "README": "one\n"})
    for setting in SETTINGS:
        linked.git("config", *setting)
    return make_desk(linked)


def test_settings_for_other_disks_and_people_change_nothing(settled: Desk, linked: Repo) -> None:
    base = settled.workspace.tree()
    assert base == linked.git("rev-parse", "HEAD^{tree}")
    for path in ("run.sh", "link.txt", "Readme"):
        settled.ok("edit_file", path=path, old="one", new="ONE")
    settled.ok("delete_file", path="README")
    settled.ok("move_file", source="Readme", destination="README")
    changed = differences(linked, base, settled.workspace.tree())
    assert {path: (new.mode, new.data) for path, (_, new) in changed.items()} == {
        b"run.sh": ("100755", b"#!/bin/sh\nONE\n"),
        b"real.txt": ("100644", b"ONE\ntwo\n"),
        b"README": ("100644", b"ONE\n"),
        b"Readme": ("000000", b""),
    }
    settled.workspace.rollback()
    assert settled.workspace.tree() == base
