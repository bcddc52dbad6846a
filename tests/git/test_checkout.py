import os
import subprocess
import threading
from pathlib import Path

import pytest

from bot.core.change import readable
from bot.git.workspace import GitWorkspace
from tests.conftest import Repo
from tests.git.scene import changed, names, opened, shaken, write

ODD = [
    " lead",
    "trail ",
    "--",
    "-f",
    "tab\tname",
    "new\nline",
    '"q".py',
    "naïve ü.py",
    "a[1].py",
    ":y.py",
    "*",
    "a\\b",
    "#x",
]


@pytest.mark.parametrize("name", [*(name.encode() for name in ODD), b"caf\xe9.py"])
def test_exactly_the_file_of_an_odd_name_is_recorded(repo: Repo, name: bytes) -> None:
    repo.commit({"a1.py": "same\n", "y.py": "same\n"})
    with opened(repo) as workspace:
        base = shaken(workspace).tree()
        write(workspace, name, b"new\n")
        tree = shaken(workspace).tree()
        assert set(names(repo, tree)) - set(names(repo, base)) == {name}
        write(workspace, name, b"edited\n")
        assert shaken(workspace).diff().paths == (readable(name),)
        assert readable(name) in workspace.files()
        (workspace.root / os.fsdecode(name)).unlink()
        assert shaken(workspace).tree() == base


def test_ignored_files_and_nested_repositories_are_not_recorded(repo: Repo) -> None:
    repo.commit({".gitignore": "*.log\n", "kept.log.txt": ""})
    with opened(repo) as workspace:
        base = shaken(workspace).tree()
        write(workspace, "x.log", b"")
        subprocess.run(["git", "init", "-q", "nested"], cwd=workspace.root, check=True)
        inside = Repo(workspace.root / "nested")
        inside.commit({"n.py": "n\n"})
        assert shaken(workspace).tree() == base
        assert "x.log" not in workspace.files()


def test_a_tracked_folder_that_becomes_a_repository_is_no_submodule(repo: Repo) -> None:
    repo.commit({"pkg/a.py": "a\n"})
    with opened(repo) as workspace:
        Repo(workspace.root / "pkg").git("init", "-q")
        Repo(workspace.root / "pkg").commit({"a.py": "A\n"})
        tree = shaken(workspace).tree()
        assert "160000" not in repo.git("ls-tree", "-r", tree)
        assert repo.git("cat-file", "blob", f"{tree}:pkg/a.py") == "A"


def test_a_file_replaced_by_a_repository_is_only_gone(repo: Repo) -> None:
    with opened(repo) as workspace:
        base = shaken(workspace).tree()
        (workspace.root / "calc.py").unlink()
        subprocess.run(["git", "init", "-q", "calc.py"], cwd=workspace.root, check=True)
        Repo(workspace.root / "calc.py").commit({"n.py": "n\n"})
        assert changed(repo, base, shaken(workspace).tree()) == ["D\tcalc.py"]


def test_files_folders_and_links_take_each_others_place(repo: Repo) -> None:
    repo.commit({"f": "f\n", "d/a": "a\n", "d/b": "b\n", "l/x": "x\n"})
    with opened(repo) as workspace:
        base = shaken(workspace).tree()
        root = workspace.root
        (root / "f").unlink()
        write(workspace, "f/inner", b"i\n")
        for name in ("a", "b"):
            (root / "d" / name).unlink()
        (root / "d").rmdir()
        write(workspace, "d", b"now a file\n")
        (root / "l").rename(root / "m")
        (root / "l").symlink_to("m")
        assert changed(repo, base, shaken(workspace).tree()) == [
            "A\td",
            "D\td/a",
            "D\td/b",
            "D\tf",
            "A\tf/inner",
            "A\tl",
            "D\tl/x",
            "A\tm/x",
        ]


def test_special_files_are_not_recorded(repo: Repo) -> None:
    with opened(repo) as workspace:
        base = shaken(workspace).tree()
        os.mkfifo(workspace.root / "pipe")
        assert shaken(workspace).tree() == base
        (workspace.root / "calc.py").unlink()
        os.mkfifo(workspace.root / "calc.py")
        assert changed(repo, base, shaken(workspace).tree()) == ["D\tcalc.py"]


def test_submodules_stay_as_they_are(repo: Repo) -> None:
    head = repo.git("rev-parse", "HEAD")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{head},sub")
    repo.git("commit", "-q", "-m", "sub")
    with opened(repo) as workspace:
        base = shaken(workspace).tree()
        Repo(workspace.root / "sub").git("init", "-q")
        Repo(workspace.root / "sub").commit({"n.py": "n\n"})
        assert shaken(workspace).tree() == base
        with workspace.clean(base) as folder:
            assert (folder / "sub").is_dir()


CONTENTS = [b"a\r\nb\r\n", b"a\r\nb\n", b"no end", b"\xef\xbb\xbfbom\n", b"\x00\xff\n", b"", b"\r", b"caf\xe9\n"]


@pytest.mark.parametrize("setting", ["false", "input", "true"])
def test_content_survives_the_way_through_both_folders(repo: Repo, setting: str) -> None:
    repo.git("config", "core.autocrlf", "false")
    repo.commit({f"c{n}": content for n, content in enumerate(CONTENTS)})
    repo.git("config", "core.autocrlf", setting)
    with opened(repo) as workspace:
        base = shaken(workspace).tree()
        assert base == repo.git("rev-parse", "HEAD^{tree}")
        before = (workspace.root / "c0").read_bytes()
        write(workspace, "c0", before.replace(b"a", b"A"))
        change = shaken(workspace).diff()
        assert [(f.path, f.added, f.removed) for f in change.files] == [("c0", 1, 1)]
        with workspace.clean(shaken(workspace).tree()) as folder:
            for n in range(1, len(CONTENTS)):
                assert (folder / f"c{n}").read_bytes() == (workspace.root / f"c{n}").read_bytes()
            assert (folder / "c0").read_bytes() == before.replace(b"a", b"A")


def test_modes_and_links_are_kept_and_their_change_is_seen(repo: Repo) -> None:
    repo.write({"run.sh": "#!/bin/sh\n"})
    (repo.path / "run.sh").chmod(0o755)
    (repo.path / "link").symlink_to("calc.py")
    (repo.path / "dangling").symlink_to("nowhere")
    repo.commit({})
    with opened(repo) as workspace:
        base = shaken(workspace).tree()
        write(workspace, "run.sh", b"#!/bin/sh\ntrue\n")
        (workspace.root / "dangling").unlink()
        (workspace.root / "dangling").symlink_to("elsewhere")
        modes = {f.path: f.mode for f in shaken(workspace).diff().files}
        assert modes == {"run.sh": "100755", "dangling": "120000"}
        (workspace.root / "calc.py").chmod(0o755)
        assert ("calc.py", "100755") in {(f.path, f.mode) for f in shaken(workspace).diff().files}
        assert base != shaken(workspace).tree()


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
def test_flags_planted_in_the_index_hide_nothing(repo: Repo, flag: str) -> None:
    with opened(repo) as workspace:
        base = shaken(workspace).tree()
        write(workspace, "other.py", b"x\n")
        shaken(workspace).tree()
        plant(workspace, flag)
        write(workspace, "calc.py", b"hidden\n")
        assert changed(repo, base, shaken(workspace).tree()) == ["M\tcalc.py", "A\tother.py"]
        plant(workspace, flag)
        workspace.rollback()
        assert b"a - b" in (workspace.root / "calc.py").read_bytes()
        assert shaken(workspace).tree() == base


def plant(workspace: GitWorkspace, flag: str) -> None:
    """Do what a hostile command can without isolation."""
    subprocess.run(["git", "update-index", flag, "calc.py"], cwd=workspace.root, check=True)


def test_a_change_of_the_same_size_and_time_is_seen(repo: Repo) -> None:
    with opened(repo) as workspace:
        base = shaken(workspace).tree()
        path = workspace.root / "calc.py"
        stat = path.stat()
        path.write_bytes(path.read_bytes().replace(b"-", b"+"))
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
        assert changed(repo, base, shaken(workspace).tree()) == ["M\tcalc.py"]


def test_a_setting_that_lets_git_look_away_hides_nothing(repo: Repo) -> None:
    repo.git("config", "core.ignoreStat", "true")
    with opened(repo) as workspace:
        base = shaken(workspace).tree()
        write(workspace, "calc.py", b"changed\n")
        assert changed(repo, base, shaken(workspace).tree()) == ["M\tcalc.py"]


@pytest.mark.skipif(os.getuid() == 0, reason="root may delete from any folder")
def test_folders_made_read_only_are_emptied_all_the_same(repo: Repo) -> None:
    with opened(repo) as workspace:
        write(workspace, "locked/deep/x", b"x")
        (workspace.root / "locked/deep").chmod(0o500)
        (workspace.root / "locked").chmod(0o000)
        workspace.rollback()
        assert not (workspace.root / "locked").exists()


def test_links_are_not_followed_when_permissions_are_loosened(repo: Repo, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir(mode=0o500)
    with opened(repo) as workspace:
        with workspace.clean(shaken(workspace).tree()) as folder:
            (folder / "out").symlink_to(outside)
            (folder / "calc.py").unlink()
            (folder / "calc.py").mkdir()
            Repo(folder / "calc.py").git("init", "-q")
        with workspace.clean(shaken(workspace).tree()) as folder:
            assert (folder / "calc.py").is_file()
    assert oct(outside.stat().st_mode & 0o777) == "0o500"


def test_a_stale_lock_on_our_own_index_is_overcome(repo: Repo) -> None:
    with opened(repo) as workspace:
        write(workspace, "calc.py", b"junk\n")
        shaken(workspace).tree()
        (workspace.checkout.admin / "index.lock").write_bytes(b"")
        workspace.rollback()
        assert b"a - b" in (workspace.root / "calc.py").read_bytes()


def test_a_worktree_that_somebody_is_just_making_is_left_alone(repo: Repo) -> None:
    half = repo.path / ".git/worktrees/other"
    half.mkdir(parents=True)
    (half / "gitdir").write_text("/nowhere/.git\n")
    (half / "commondir").touch()
    with opened(repo) as workspace:
        assert (workspace.root / "calc.py").exists()
    assert sorted(path.name for path in half.iterdir()) == ["commondir", "gitdir"]


def test_whoever_reads_all_refs_while_a_worktree_is_made_finds_each_whole(repo: Repo) -> None:
    failed, over = list[str](), threading.Event()

    def read() -> None:
        while not over.is_set():
            asked = subprocess.run(
                ["git", "-C", repo.path, "rev-list", "-1", "--all"], check=False, capture_output=True, text=True
            )
            failed.extend([asked.stderr] if "bad object" in asked.stderr else [])

    reader = threading.Thread(target=read)
    reader.start()
    try:
        for _ in range(4):
            with opened(repo):
                pass
    finally:
        over.set()
        reader.join()
    assert failed == []
