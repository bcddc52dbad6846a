import os
import shutil
import stat
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.app.cleaning import clean
from bot.core.task import Isolation
from bot.errors import SandboxUnavailable
from bot.git import owner, stands
from bot.git.cachefolder import find_cache
from bot.git.leftovers import remove_leftovers
from bot.git.repository import Repository, open_repository
from bot.git.stand import open_stand
from bot.git.stands import Berth, find_berth, hold, is_used, list_stands, remove_stand, remove_stands
from bot.protocols import Command, Mount
from bot.sandbox.detect import pick
from bot.sandbox.site import Site
from tests.conftest import Repo, make_repo

FILES = {"a.py": "a = 1\n", "pkg/a.py": "a = 2\n", "pkg/sub/b.py": "b = 1\n", "run.sh": "#!/bin/sh\n"}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    return home


def berth_of(repository: Repository) -> Berth:
    """Name the stand of a working copy."""
    berth = find_berth(repository)
    assert berth is not None
    return berth


def files(root: Path) -> dict[str, str]:
    """List what lies in a folder: kind, permissions of its owner, and content."""
    found = {}
    for path in sorted(root.rglob("*")):
        name = str(path.relative_to(root))
        if name != ".git":
            mode = path.lstat().st_mode
            content = path.read_text() if path.is_file() and not path.is_symlink() else ""
            found[name] = f"{mode >> 6:o} {content}"
    return found


def swap_for_link(root: Path) -> None:
    """Put a link in the place of a folder, with the same files behind it."""
    elsewhere = root.parent / "elsewhere"
    (root / "pkg").rename(elsewhere)
    (root / "pkg").symlink_to(elsewhere)


def rewrite(root: Path) -> None:
    """Change a file and leave its size and its time."""
    path = root / "a.py"
    told = path.stat()
    path.write_text("a = 7\n")
    os.utime(path, ns=(told.st_atime_ns, told.st_mtime_ns))


def link_file(root: Path) -> None:
    """Put a link in the place of a file."""
    shift(root).symlink_to("pkg/a.py")


def shift(root: Path) -> Path:
    """Take a file away and name its place."""
    (root / "a.py").unlink()
    return root / "a.py"


def replace_pointer(root: Path) -> None:
    """Let the worktree's pointer lead to a file of the person's."""
    (root / ".git").unlink()
    (root / ".git").symlink_to(root.parent / "victim")


MESS: dict[str, Callable[[Path], object]] = {
    "a link in the place of a folder": swap_for_link,
    "the same size and time": rewrite,
    "a file in a folder of its own": lambda root: Repo(root).write({"new/x.py": "x\n", "pkg/conftest.py": "x\n"}),
    "a pipe": lambda root: os.mkfifo(root / "pkg/conftest.py"),
    "a socket": lambda root: os.mknod(root / "pkg/s", stat.S_IFSOCK | 0o600),
    "a repository in a tracked folder": lambda root: (root / "pkg/.git").mkdir(),
    "a file where another repository belongs": lambda root: (root / "module/setup.py").write_text("x"),
    "no folder where another repository belongs": lambda root: (root / "module").rmdir(),
    "a closed folder": lambda root: (root / "pkg/sub").chmod(0),
    "a program that is none any more": lambda root: (root / "run.sh").chmod(0o644),
    "a link in the place of a file": link_file,
    "a folder in the place of a file": lambda root: (root / "pkg").rename(shift(root)),
    "a pointer that leads elsewhere": replace_pointer,
    "nothing": lambda root: shutil.rmtree(root / "pkg"),
}


@pytest.fixture
def commits(repo: Repo) -> list[str]:
    """Make two commits, the first one with a place for another repository."""
    repo.write(FILES)
    (repo.path / "run.sh").chmod(0o755)
    first = repo.commit({".gitignore": "new/\n"})
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{first},module")
    repo.git("commit", "-q", "-m", "module")
    return [repo.git("rev-parse", "HEAD"), repo.commit({"a.py": "a = 3\n"})]


def test_whatever_was_left_there_it_is_exactly_the_tree_again(repo: Repo, home: Path, commits: list[str]) -> None:
    repository = open_repository(repo.path)
    folder = berth_of(repository).folder
    with open_stand(repository) as stand:
        (folder / "victim").write_text("mine")
        with stand.clean(commits[0]) as root:
            wanted = files(root)
        for leave in MESS.values():
            leave(root)
            with stand.clean(commits[0]) as again:
                assert again == root
                assert files(root) == wanted, leave
            shutil.rmtree(folder / "elsewhere", ignore_errors=True)
    assert (folder / "victim").read_text() == "mine"


def test_a_later_process_goes_on_with_what_lies_there(repo: Repo, home: Path, commits: list[str]) -> None:
    repository = open_repository(repo.path)
    before, berth, wanted, places = repo.state(), berth_of(repository), {}, set[Path]()
    with open_stand(repository) as stand:
        for commit in commits:
            with stand.clean(commit) as root:
                places.add(root)
                wanted[commit] = files(root)
    seen = berth.files.joinpath("pkg/sub/b.py").stat()
    for commit, leave in ((commits[1], rewrite), (commits[0], replace_pointer)):
        leave(berth.files)
        with open_stand(repository) as stand, stand.clean(commit) as root:
            places.add(root)
            assert files(root) == wanted[commit]
            told = repo.git("-C", str(root), "status", "--porcelain", "--ignored").splitlines()
            assert {line[1] for line in told} <= {" "}
            # By difference, or it would be another file
            assert (root / "pkg/sub/b.py").stat().st_ino == seen.st_ino
            assert "agent-stand" in repo.git("worktree", "list")
    assert len(places) == 1
    assert repo.state() == before
    assert not (repo.path / ".git/worktrees").exists()
    assert oct(berth.folder.stat().st_mode & 0o777) == "0o700"
    assert berth.folder.is_relative_to(home / ".cache/git-agent/stands")


def test_what_does_not_fit_is_laid_out_anew(repo: Repo, home: Path) -> None:
    commit = repo.commit({"t.txt": "one\ntwo\n"})
    repository = open_repository(repo.path)
    berth = berth_of(repository)

    def look() -> tuple[int, bytes]:
        with open_stand(repository) as stand, stand.clean(commit) as root:
            return (root / "calc.py").stat().st_ino, (root / "t.txt").read_bytes()

    def card(**change: object) -> None:
        left = berth.read()
        assert left is not None
        berth.write(left.model_copy(update=change))

    first, content = look()
    assert look() == (first, content)
    for damage in (
        lambda: berth.index.write_bytes(b"DIRC"),
        berth.index.unlink,
        lambda: (berth.folder / "stand.json").write_text("{"),
        lambda: card(version=0),
        lambda: card(common_dir="/elsewhere"),
        lambda: shutil.rmtree(berth.files),
    ):
        damage()
        # Of a folder that is kept the number stays: whoever makes files anew makes others
        keep = os.open(berth.files / "calc.py", os.O_RDONLY) if berth.files.exists() else -1
        again, content = look()
        assert again != first or keep < 0, damage
        assert content == b"one\ntwo\n"
        first = again
        if keep >= 0:
            os.close(keep)
    (repo.path / ".git/info").mkdir(exist_ok=True)
    (repo.path / ".git/info/attributes").write_text("*.txt eol=crlf\n")
    assert look()[1] == b"one\r\ntwo\r\n"
    (repo.path / ".git/info/attributes").unlink()
    repo.git("config", "core.autocrlf", "true")
    assert look()[1] == b"one\r\ntwo\r\n"


def test_killed_at_any_instant_the_next_one_goes_on(repo: Repo, home: Path) -> None:
    commit, base = repo.commit({"more.py": "m\n"}), repo.git("rev-parse", "HEAD~1")
    repository = open_repository(repo.path)
    berth, admins = berth_of(repository), repo.path / ".git/worktrees"
    with open_stand(repository) as stand, stand.clean(base) as root:
        wanted = files(root)
    with open_stand(repository) as stand:
        photograph(berth.folder, admins, home / "opened")
        with stand.clean(commit):
            photograph(berth.folder, admins, home / "laid")
    for name in ("opened", "laid", "half opened"):
        shutil.rmtree(berth.folder)
        shutil.copytree(home / name.removeprefix("half ") / "folder", berth.folder, symlinks=True)
        shutil.copytree(home / name.removeprefix("half ") / "admins", admins)
        (admin,), (left,) = admins.iterdir(), berth.folder.glob("agent-*")
        if name == "laid":
            assert remove_leftovers(repository) == (str(admin),)
        if name == "half opened":
            left.rename(berth.files)
            left.mkdir()
        with open_stand(repository) as stand, stand.clean(base) as root:
            assert stand.kept is not None
            assert files(root) == wanted
            # Somebody's git may still be writing there
            assert root != left
            assert not left.exists()
        assert not admins.exists()


def photograph(folder: Path, admins: Path, to: Path) -> None:
    """Keep a stand and git's entry of it as a kill would leave them now."""
    shutil.copytree(folder, to / "folder", symlinks=True)
    shutil.copytree(admins, to / "admins")
    for card in to.rglob(owner.NAME):
        left = owner.read(card.parent)
        assert left is not None
        owner.write(card.parent, left.model_copy(update={"started": "1"}))


def test_whoever_comes_second_or_finds_no_place_has_a_throwaway(
    repo: Repo, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = open_repository(repo.path)

    def throwaway() -> bool:
        with open_stand(repository) as stand, stand.clean(repository.head) as root:
            assert (root / "calc.py").exists()
            assert root.is_relative_to(home) == (stand.kept is not None)
            return stand.kept is None

    with open_stand(repository) as first:
        assert first.kept is not None
        (first.kept / "cache").write_text("c")
        assert throwaway()
    with open_stand(repository) as later:
        assert later.kept is not None
        assert (later.kept / "cache").read_text() == "c"
    (tmp_path / "elsewhere").mkdir()
    shutil.rmtree(home / ".cache/git-agent")
    (home / ".cache/git-agent").symlink_to(tmp_path / "elsewhere")
    assert throwaway()
    (home / ".cache/git-agent").unlink()
    (home / ".cache/git-agent").write_text("a file")
    assert throwaway()
    assert find_cache("x", [home]) is None
    for value in ("", "relative", str(tmp_path / "none"), str(repo.path)):
        monkeypatch.setenv("HOME", value)
        assert throwaway(), value
    assert not (repo.path / ".cache/git-agent").exists()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "elsewhere"))
    assert find_cache("x") == tmp_path / "elsewhere/git-agent/x"
    assert not any(home.joinpath(".cache").glob("*/*"))


def test_it_may_be_laid_out_beside_other_work_and_nobody_need_come_for_it(repo: Repo, home: Path) -> None:
    repository = open_repository(repo.path)
    for _ in range(2):
        with open_stand(repository) as stand:
            stand.expect(repository.head)
            for _ in range(2):
                with stand.clean(repository.head) as root:
                    assert (root / "calc.py").exists()
                    (root / "calc.py").unlink()
            stand.expect(repository.head)
    assert (berth_of(repository).files / "calc.py").exists()


def test_a_folder_that_cannot_be_filled_is_left_for_a_throwaway(repo: Repo, home: Path) -> None:
    repository = open_repository(repo.path)
    with open_stand(repository) as stand:
        (root,) = berth_of(repository).folder.glob("agent-*")
        shutil.rmtree(root)
        with stand.clean(repository.head) as root:
            assert (root / "calc.py").exists()
            assert stand.kept is None
            assert stand.read(repository.head, "calc.py") == (root / "calc.py").read_bytes()
    with open_stand(repository) as stand, stand.clean(repository.head) as root:
        assert stand.kept is not None


def test_a_repository_without_a_commit_has_a_stand(tmp_path: Path, home: Path) -> None:
    repo = Repo(tmp_path / "unborn")
    repo.path.mkdir()
    repo.git("init", "-q", "-b", "main", "--template=")
    repo.write({"a.py": "a\n"})
    repo.git("add", "a.py")
    tree = repo.git("write-tree")
    repository = open_repository(repo.path, unborn=True)
    for _ in range(2):
        with open_stand(repository) as stand:
            assert stand.kept is not None
            with stand.clean(tree) as root:
                assert (root / "a.py").read_text() == "a\n"
            repo.git("fsck")
        assert repo.git("for-each-ref") == ""


def test_they_are_told_and_taken_away_by_clean(repo: Repo, home: Path, tmp_path: Path) -> None:
    other = make_repo(tmp_path / "other")
    other.commit({"a.py": "a\n"})
    repo.git("worktree", "add", "-q", str(tmp_path / "linked"), "-b", "side")
    places = [open_repository(path) for path in (repo.path, tmp_path / "linked", other.path)]
    for place in places:
        with open_stand(place) as stand, stand.clean(place.head):
            pass
    berths = [berth_of(place) for place in places]
    assert {berth.folder for berth in list_stands(places[0])} == {berth.folder for berth in berths[:2]}
    assert f"would remove folder for hooks {berths[0].folder}" in clean(repo.path, force=False, dry_run=True).text
    held = hold(berths[1], owner.current())
    assert is_used(berths[1])
    done = clean(repo.path, force=False, dry_run=False)
    # Others may have left something meanwhile that goes as well
    assert sum(f"folder for hooks {berths[0].folder}" in told for told in done.removed) == 1
    assert sum(f"folder for hooks {berths[1].folder}" in told for told in done.kept) == 1
    os.close(held)
    assert remove_stands(places[0]) == (berths[1].folder,)
    assert berths[2].folder.exists()
    long_ago = time.time() - stands.UNUSED - 1
    os.utime(berths[2].folder / owner.NAME, (long_ago, long_ago))
    assert [berth.folder for berth in list_stands(places[0])] == [berths[2].folder]
    os.utime(berths[2].folder / owner.NAME)
    shutil.rmtree(other.path)
    assert [remove_stand(berth) for berth in list_stands(places[0])] == [True]
    assert not any((home / ".cache").iterdir())


@pytest.mark.parametrize("level", ["bubblewrap", "landlock", "process"])
def test_a_check_runs_in_it_wherever_it_lies(repo: Repo, home: Path, level: Isolation) -> None:
    repository = open_repository(repo.path)
    try:
        executor = pick(level, Site(repo.path, repository.common_dir)).executor
    except SandboxUnavailable as error:
        pytest.skip(str(error))
    with open_stand(repository) as stand, stand.clean(repository.head) as root:
        assert stand.kept is not None
        script = f"git status --porcelain; git ls-files; echo x > left.txt; echo kept > {stand.kept}/cache"
        done = executor.execute(Command(("sh", "-c", script), root, mounts=(Mount(stand.kept, writable=True),)))
        assert done.output.split() == ["calc.py", "test_calc.py"]
        assert (stand.kept / "cache").read_text() == "kept\n"
        assert (root / "left.txt").exists()
    assert berth_of(repository).read() is not None
