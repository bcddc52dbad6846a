"""What tools tell of is all that is looked at, and it comes to the same as a look at everything."""

import os
import stat
import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from bot.errors import GitFailed, WorkspaceError
from bot.git.checkout import MOST_PATHS
from bot.git.repository import open_repository
from bot.git.workspace import GitWorkspace, open_workspace
from tests.conftest import Repo
from tests.git.scene import changed, names, opened, shaken

PATHS = (
    "calc.py",
    "run.sh",
    "d/a.py",
    "d/b/c.txt",
    "d",
    "d/b",
    "x.log",
    "build/k",
    "build",
    "new.txt",
    "n/ü.py",
    "tracked.log",
)
CONTENTS = (b"a\n", b"b\r\nc\r\n", b"b\r\nc\n", b"", b"\x00\r\n", b"no end", b"\xef\xbb\xbfx = 1\n")
Op = tuple[str, str, str, bytes]
OPS = st.tuples(
    st.sampled_from(("write", "write", "write", "delete", "move", "mode", "link", "rules", "look", "commit", "back")),
    st.sampled_from(PATHS),
    st.sampled_from(PATHS),
    st.sampled_from(CONTENTS),
)
RULES = (b"*.log\nbuild/\n", b"", b"!x.log\n*.txt\n")


def put(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.is_dir():
        path.unlink(missing_ok=True)
        path.write_bytes(content)


def change(workspace: GitWorkspace, op: Op) -> None:
    """Do what a tool could do, as far as it can be done."""
    kind, name, other, content = op
    path, target = workspace.root / name, workspace.root / other
    # No tool goes through a link
    if any(above.is_symlink() for place in (path, target) for above in place.parents):
        return
    for told in {"move": (name, other), "rules": (".gitignore",)}.get(kind, (name,)):
        workspace.touch(told)
    match kind:
        case "write":
            put(path, content)
        case "delete":
            path.unlink()
        case "move" if not os.path.lexists(target) and not path.is_dir():
            target.parent.mkdir(parents=True, exist_ok=True)
            path.rename(target)
        case "mode" if path.is_file() and not path.is_symlink():
            path.chmod(path.stat().st_mode ^ 0o111)
        case "link":
            path.symlink_to(other)
        case "rules":
            put(workspace.root / ".gitignore", RULES[len(content) % len(RULES)])
        case _:
            pass


def act(workspace: GitWorkspace, op: Op) -> str:
    """Do something, and say what the files are then."""
    match op[0]:
        case "look":
            pass
        case "commit":
            workspace.commit(workspace.tree(), "a step")
        case "back":
            workspace.rollback()
        case _:
            with suppress(OSError):
                change(workspace, op)
    return workspace.tree()


def listing(root: Path) -> list[tuple[str, int, bytes]]:
    found = []
    for where, folders, files in os.walk(root):
        for name in (*files, *folders):
            path = Path(where, name)
            if path != root / ".git":
                mode = path.lstat().st_mode
                data = bytes(path.readlink()) if path.is_symlink() else path.read_bytes() if path.is_file() else b""
                found.append((str(path.relative_to(root)), stat.S_IFMT(mode) | mode & 0o100, data))
    return sorted(found)


ATTRIBUTES = {".gitattributes": "* text=auto\n*.txt eol=crlf\n*.py -text\n"}
SETTINGS: dict[str, Callable[[Repo], object]] = {
    "plain": lambda repo: repo.write({}),
    "attributes": lambda repo: repo.write(ATTRIBUTES),
    "autocrlf": lambda repo: repo.git("config", "core.autocrlf", "true"),
    "no modes": lambda repo: repo.git("config", "core.fileMode", "false"),
}


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_look_at_what_was_told_of_is_a_look_at_everything(repo: Repo, setting: str) -> None:
    repo.commit({".gitignore": "*.log\nbuild/\n", "d/a.py": "a\n", "d/b/c.txt": "c\n", "run.sh": "#!/bin/sh\n"})
    repo.write({"tracked.log": "kept\n"})
    repo.git("add", "--force", "tracked.log")
    SETTINGS[setting](repo)
    repo.commit({}, "settings")
    repository = open_repository(repo.path)
    base = repository.default_base()

    with (
        open_workspace(repository, base=base, run="told", branch="") as told,
        open_workspace(repository, base=base, run="untold", branch="") as untold,
    ):

        @settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
        @given(st.lists(OPS, min_size=1, max_size=8))
        @example([("delete", "tracked.log", "calc.py", b"a\n"), ("write", "tracked.log", "calc.py", b"a\n")])
        def follow(ops: list[Op]) -> None:
            for workspace in (told, untold):
                workspace.head = base
                shaken(workspace).rollback()
            for op in ops:
                if op[0] != "commit":
                    assert told.tree() == shaken(untold).tree()
                untold.disturb()
                trees = act(told, op), act(shaken(untold), op)
                assert trees[0] == trees[1] == shaken(untold).tree(), ops
                if op[0] == "back":
                    assert listing(told.root) == listing(untold.root), ops
                assert told.files() == untold.files()
            told.disturb()
            assert told.tree() == untold.tree()

        follow()


def tell(workspace: GitWorkspace, name: str | bytes, content: bytes) -> None:
    """Write a file as a tool does."""
    workspace.touch(os.fsdecode(name))
    put(workspace.root / os.fsdecode(name), content)


def test_nothing_told_of_is_nothing_looked_at(repo: Repo) -> None:
    with opened(repo) as workspace:
        base = workspace.tree()
        (workspace.root / "calc.py").write_text("unheard of\n")
        assert workspace.tree() == base
        tell(workspace, "other.py", b"x\n")
        assert changed(repo, base, workspace.tree()) == ["A\tother.py"]
        assert changed(repo, base, shaken(workspace).tree()) == ["M\tcalc.py", "A\tother.py"]


def test_a_checkpoint_and_a_rollback_start_no_process(
    repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit({"d/deep/a.py": "a\n", ".gitattributes": "* text=auto\n*.sh -diff\n"})
    with opened(repo) as workspace:
        tell(workspace, "calc.py", b"first\n")
        base = workspace.tree()
        with monkeypatch.context() as bare:
            bare.setenv("PATH", str(tmp_path))
            tell(workspace, "d/deep/a.py", b"A\n")
            (workspace.root / "calc.py").chmod(0o755)
            workspace.touch("calc.py")
            tree = workspace.tree()
            commit = workspace.commit(tree, "a step")
            tell(workspace, "d/deep/a.py", b"worse\n")
            workspace.touch("calc.py")
            (workspace.root / "calc.py").unlink()
            assert workspace.rollback().to == commit
        assert changed(repo, base, tree) == ["M\tcalc.py", "M\td/deep/a.py"]
        assert (workspace.root / "d/deep/a.py").read_bytes() == b"A\n"
        assert os.access(workspace.root / "calc.py", os.X_OK)
        assert workspace.tree() == shaken(workspace).tree() == tree


ODD = (
    b" lead",
    b"trail ",
    b"--",
    b"tab\tname",
    b"new\nline",
    b"na\xc3\xafve",
    b"caf\xe9.py",
    b"a[1].py",
    b":y.py",
    b"*",
    b"a\\b",
)


def test_odd_names_that_are_told_of_are_recorded_to_the_byte(repo: Repo) -> None:
    repo.commit({"a1.py": "same\n", "y.py": "same\n", ".gitignore": "*.log\n"})
    with opened(repo) as workspace:
        base = workspace.tree()
        for name in ODD:
            tell(workspace, name, b"new\n")
        tree = workspace.tree()
        assert set(names(repo, tree)) - set(names(repo, base)) == set(ODD)
        assert shaken(workspace).tree() == tree
        workspace.rollback()
        assert workspace.tree() == base


def test_new_rules_count_for_files_that_were_there_before(repo: Repo) -> None:
    repo.commit({".gitignore": "*.log\n"})
    with opened(repo) as workspace:
        base = workspace.tree()
        tell(workspace, "x.log", b"ignored\n")
        tell(workspace, "seen.py", b"x\n")
        first = workspace.tree()
        assert changed(repo, base, first) == ["A\tseen.py"]
        tell(workspace, ".gitignore", b"*.py\n")
        assert {"seen.py", "x.log"} <= set(workspace.files())
        assert [match.path for match in workspace.search("ignored")] == ["x.log"]
        assert changed(repo, first, workspace.tree()) == ["M\t.gitignore", "A\tx.log"]


def test_a_file_in_a_repository_of_its_own_is_not_recorded(repo: Repo) -> None:
    with opened(repo) as workspace:
        base = workspace.tree()
        subprocess.run(["git", "init", "-q", "nested"], cwd=workspace.root, check=True)
        assert shaken(workspace).tree() == base
        tell(workspace, "nested/n.py", b"n\n")
        assert workspace.tree() == base
        assert workspace.rollback().kept == ""
        assert not (workspace.root / "nested").exists()


def test_what_is_stored_through_a_filter_is_refused_when_told_of(repo: Repo) -> None:
    repo.git("config", "filter.lfs.clean", "false")
    repo.commit({".gitattributes": "*.dat filter=lfs\n"})
    with opened(repo) as workspace:
        base = workspace.tree()
        tell(workspace, "big.dat", b"raw\n")
        for _ in range(2):
            with pytest.raises(WorkspaceError, match=r"big\.dat is stored through the filter lfs"):
                workspace.tree()
        workspace.touch("big.dat")
        (workspace.root / "big.dat").unlink()
        assert workspace.tree() == base


def test_content_that_git_converts_is_left_to_git(repo: Repo) -> None:
    repo.commit({".gitattributes": "*.txt text\n*.id ident\n*.w working-tree-encoding=UTF-16LE\n", "x.txt": "a\n"})
    with opened(repo) as workspace:
        tell(workspace, "x.txt", b"a\r\nb\r\n")
        tell(workspace, "x.id", b"$Id: 123 $\n")
        tell(workspace, "x.w", "ä\n".encode("utf-16-le"))
        tree = workspace.tree()
        stored = [repo.git("cat-file", "blob", f"{tree}:{name}") for name in ("x.txt", "x.id", "x.w")]
        assert stored == ["a\nb", "$Id$", "ä"]


def test_a_rollback_takes_away_what_no_look_shows_and_leaves_no_folder(repo: Repo) -> None:
    repo.commit({".gitignore": "*.log\n", "d/only.py": "x\n"})
    with opened(repo) as workspace:
        for name in ("x.log", "deep/er/y.log", "d/only.py/now/a/folder"):
            if name.startswith("d/"):
                workspace.touch("d/only.py")
                (workspace.root / "d/only.py").unlink()
            tell(workspace, name, b"x\n")
        assert workspace.rollback().kept
        assert sorted(p.name for p in workspace.root.rglob("*")) == [
            ".git",
            ".gitignore",
            "calc.py",
            "d",
            "only.py",
            "test_calc.py",
        ]


@pytest.mark.parametrize("told", [True, False])
def test_a_recorded_tree_is_laid_out_again_and_the_head_stays(repo: Repo, *, told: bool) -> None:
    repo.commit({".gitignore": "*.log\n", "d/a.py": "a\n"})
    with opened(repo) as workspace:
        head = workspace.head
        tell(workspace, "calc.py", b"draft\n")
        tell(workspace, "d/new.py", b"new\n")
        workspace.touch("d/a.py")
        (workspace.root / "d/a.py").unlink()
        draft = workspace.tree()
        workspace.rollback()
        tell(workspace, "left.log", b"ignored\n")
        tell(workspace, "other.py", b"unseen\n")
        if not told:
            workspace.disturb()
        workspace.restore(draft)
        assert (workspace.tree(), shaken(workspace).tree(), workspace.head) == (draft, draft, head)
        assert workspace.diff().paths == ("calc.py", "d/a.py", "d/new.py")
        assert not (workspace.root / "left.log").exists()
        assert not (workspace.root / "other.py").exists()
        assert workspace.rollback().kept
        assert not workspace.diff()


def test_a_tree_that_is_not_there_is_refused_before_anything_is_lost(repo: Repo) -> None:
    with opened(repo) as workspace:
        tell(workspace, "calc.py", b"draft\n")
        draft = workspace.tree()
        with pytest.raises(GitFailed):
            workspace.restore("1" * 40)
        assert workspace.tree() == shaken(workspace).tree() == draft


def test_it_is_the_same_where_libgit2_cannot_go(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", "-b", "main", "--object-format=sha256", str(tmp_path / "long")], check=True)
    repo = Repo(tmp_path / "long")
    repo.commit({"calc.py": "x\n", "d/a.py": "a\n", ".gitignore": "*.log\n"})
    with opened(repo) as workspace:
        base = workspace.tree()
        tell(workspace, "calc.py", b"y\n")
        tell(workspace, "x.log", b"y\n")
        (workspace.root / "d/a.py").write_text("unheard of\n")
        assert changed(repo, base, workspace.tree()) == ["M\tcalc.py"]
        workspace.rollback()
        assert workspace.tree() == shaken(workspace).tree() == base


def test_modes_of_old_times_are_left_to_git(repo: Repo) -> None:
    blob = repo.git("rev-parse", "HEAD:calc.py")
    raw = b"100664 calc.py\0" + bytes.fromhex(blob)
    (repo.path / "raw").write_bytes(raw)
    tree = repo.git("hash-object", "-w", "-t", "tree", "--literally", "raw")
    repo.git("reset", "-q", "--hard", repo.git("commit-tree", tree, "-m", "old"))
    with opened(repo) as workspace:
        tell(workspace, "new.py", b"x\n")
        told = workspace.tree()
        assert repo.git("ls-tree", told, "calc.py").startswith("100644 ")


def test_many_paths_are_looked_at_together(repo: Repo) -> None:
    with opened(repo) as workspace:
        base = workspace.tree()
        for number in range(MOST_PATHS + 1):
            tell(workspace, f"m/{number}.py", b"x\n")
        assert len(changed(repo, base, workspace.tree())) == MOST_PATHS + 1
        workspace.rollback()
        assert workspace.tree() == shaken(workspace).tree() == base
