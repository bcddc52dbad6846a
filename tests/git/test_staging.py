"""A verified change comes into the index and the files as a whole or not at all, and nothing else is touched."""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from bot.errors import UsageError, WorkspaceError
from bot.git.hooked import read_hooked
from bot.git.leaves import EXECUTABLE, LINK, REGULAR, File
from bot.git.placing import Found, find, placing
from bot.git.repository import Repository, open_repository
from bot.git.run import Git
from bot.git.staging import find_obstacles, stage, survey
from tests.conftest import IDENTITY, Repo, make_repo
from tests.untouched import difference, print_of

HEAD = {"a": "a\n", "b": "b\n", "d/c": "c\n", "gone": "g\n", "far": "far\n", "mine": "mine\n", "x.sh": "x\n"}
FIX: Mapping[str, File | None] = {
    "a": File(REGULAR, b"a fixed\n"),
    "b": File(EXECUTABLE, b"b\n"),
    "d/c": None,
    "d": File(LINK, b"a"),
    "new/deep/file": File(REGULAR, b"new\n"),
}
"""Content, mode, a link where a folder was, and a new file in new folders."""


def tree_with(repo: Repo, tree: str, files: Mapping[str, File | None]) -> str:
    """Write a tree that differs from another one in these files."""
    place = repo.path.parent / f"index-{os.urandom(4).hex()}"
    git = Git(repo.path / ".git", repo.path, index=place)
    git.output("read-tree", tree)
    lines = []
    for name, file in sorted(files.items(), key=lambda item: item[1] is not None):
        blob = git.line("hash-object", "-w", "--stdin", stdin=file.content) if file else "0" * 40
        lines.append(f"{file.mode if file else 0:06o} {blob}\t{name}\0")
    git.output("update-index", "-z", "--index-info", stdin="".join(lines).encode())
    return git.line("write-tree")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A repository in which a person did a bit of everything beside what is about to be committed."""
    repo = make_repo(tmp_path_factory.mktemp("made") / "repo")
    repo.commit({**HEAD, ".gitignore": "ignored\n"})
    repo.write({"a": "a broken\n"})
    repo.git("update-index", "--untracked-cache", check=False)
    return repo


def busy(repo: Repo) -> None:
    """Do a bit of everything to files that no fix is about."""
    repo.git("add", "a")
    repo.write({"far": "staged\n"})
    repo.git("add", "far")
    repo.write({"far": "unstaged\n", "untracked": "u\n", "later": "l\n", "ignored": "i\n", "mine": "secret\n"})
    repo.git("add", "-N", "later")
    repo.git("update-index", "--assume-unchanged", "mine")
    repo.git("update-index", "--skip-worktree", "x.sh")
    blob = repo.git("rev-parse", "HEAD:gone")
    info = f"0 {'0' * 40}\tgone\n" + "".join(f"100644 {blob} {stage}\tgone\n" for stage in (1, 2, 3))
    Git(repo.path / ".git", repo.path).output("update-index", "--index-info", stdin=info.encode())


@pytest.fixture
def repo(made: Repo, tmp_path: Path) -> Repo:
    shutil.copytree(made.path, tmp_path / "repo", symlinks=True)
    copy = Repo(tmp_path / "repo")
    copy.git("update-index", "-q", "--refresh", check=False)
    return copy


def listed(repo: Repo) -> dict[str, str]:
    """Tell each entry of the index with its flags and all that git remembers of its file."""
    told = repo.git("-c", "core.fsmonitor=false", "ls-files", "-v", "--stage", "--debug").replace("\n  ", "  ")
    found: dict[str, str] = {}
    for line in told.splitlines():
        facts, _, rest = line.partition("\t")
        name, _, stat = rest.partition("  ")
        found[name] = f"{found.get(name, '')}{facts} {stat}"
    return found


def judged(repo: Repo) -> str:
    """Return the tree of what is staged where nothing is unmerged; unmerged paths are as in HEAD."""
    git = Git(repo.path / ".git", repo.path, index=repo.path.parent / "judged")
    shutil.copyfile(repo.path / ".git/index", repo.path.parent / "judged")
    git.ask("update-index", "--cacheinfo", f"100644,{repo.git('rev-parse', 'HEAD:gone')},gone")
    return git.line("write-tree")


def there(repo: Repo, name: str) -> File | None:
    path = repo.path / name
    if path.is_symlink():
        return File(LINK, os.fsencode(path.readlink()))
    return File(EXECUTABLE if os.access(path, os.X_OK) else REGULAR, path.read_bytes()) if path.is_file() else None


def test_exactly_the_paths_of_a_fix_change_and_go_back(repo: Repo) -> None:
    busy(repo)
    repository, tree = open_repository(repo.path), judged(repo)
    fixed = tree_with(repo, tree, FIX)
    before, files = listed(repo), print_of(repo.path)
    assert find_obstacles(repository, tree, fixed) == ()
    assert not difference(files, print_of(repo.path))
    assert set(stage(repository, tree, fixed)) == set(FIX)
    after = listed(repo)
    assert {name for name in {*before, *after} if before.get(name) != after.get(name)} == set(FIX)
    assert {name: there(repo, name) for name in FIX} == FIX
    assert {"S" in after["x.sh"], after["mine"].startswith("h")} == {True}
    # Git sees at once, without a look at the content, that the files are as staged
    assert not set(repo.git("diff-files", "--name-only").splitlines()) & set(FIX)
    changed = {name.removeprefix(".git/") for name in difference(files, print_of(repo.path))}
    assert changed == {*FIX, "index", "index time", "new", "new/deep"}
    assert b"UNTR" in (repo.path / ".git/index").read_bytes()
    # What was done is done, however a person goes on
    repo.write({"a": "and on\n"})
    state = print_of(repo.path)
    stage(repository, tree, fixed)
    assert not difference(state, print_of(repo.path))
    repo.write({"a": "a fixed\n"})
    stage(repository, fixed, tree)
    assert not set(repo.git("diff-files", "--name-only").splitlines()) & set(FIX)
    assert {name: text.split(" ")[:4] for name, text in listed(repo).items()} == {
        name: text.split(" ")[:4] for name, text in before.items()
    }
    assert [name for name in difference(files, print_of(repo.path)) if ".git" not in name] == ["a", "b", "d/c"]
    repo.git("reset", "-q", "gone")
    repo.git("commit", "-qm", "it")
    assert repo.git("rev-parse", "HEAD^{tree}") == tree


@pytest.mark.parametrize("form", ["index", "-a", "a"])
def test_the_next_commit_of_each_form_holds_the_fix(repo: Repo, form: str) -> None:
    mode = ("add", "a") if form == "index" else ("status",)
    repo.git(*mode)
    repository = open_repository(repo.path)
    tree = tree_with(repo, "HEAD", {"a": File(REGULAR, b"a broken\n")})
    fixed = tree_with(repo, tree, {"a": File(REGULAR, b"a fixed\n")} if form == "a" else FIX)
    index = (repo.path / ".git/index").read_bytes()
    assert survey(repository, tree, fixed).loose == (() if form == "index" else ("a",))
    stage(repository, tree, fixed)
    if form == "a":
        assert (repo.path / ".git/index").read_bytes() == index
    repo.git("commit", "-qm", "it", *(() if form == "index" else (form,)))
    assert repo.git("rev-parse", "HEAD^{tree}") == fixed
    assert repo.git("status", "--porcelain") == ""


def hook(repo: Repo, script: str) -> None:
    place = repo.path / ".git/hooks/pre-commit"
    place.parent.mkdir(exist_ok=True)
    place.write_text(f"#!/bin/sh\n{script}")
    place.chmod(0o755)


@pytest.mark.parametrize(("form", "kind"), [(("-a",), "all"), ((), "index"), (("a",), "paths"), (("-i", "a"), "all")])
def test_inside_the_hook_the_commit_that_git_is_about_to_make_gets_the_fix(
    repo: Repo, form: tuple[str, ...], kind: str
) -> None:
    repo.git("add", *(() if form else ("a",)), check=False)
    repo.write({"far": "mine\n"})
    ask, answer = repo.path.parent / "ask", repo.path.parent / "answer"
    os.mkfifo(ask)
    os.mkfifo(answer)
    hook(repo, f'echo "$GIT_INDEX_FILE" >{ask}\nread -r code <{answer}\nexit "$code"\n')
    env = {**os.environ, **IDENTITY}
    with subprocess.Popen(["git", "commit", "-qm", "it", *form], cwd=repo.path, env=env) as commit:
        hooked = read_hooked({"GIT_INDEX_FILE": ask.read_text().strip()}, repo.path)
        try:
            assert (hooked.form, hooked.index is not None) == (kind, True)
            repository = open_repository(repo.path, hooked)
            tree = Git(repo.path / ".git", repo.path, index=hooked.index).line("write-tree")
            fixed = tree_with(repo, tree, FIX)
            if kind == "paths":
                before = print_of(repo.path)
                with pytest.raises(UsageError, match="commit of named paths alone"):
                    stage(repository, tree, fixed, hooked)
                assert not difference(before, print_of(repo.path))
            else:
                stage(repository, tree, fixed, hooked)
        finally:
            answer.write_text("0\n")
    assert commit.returncode == 0
    assert repo.git("rev-parse", "HEAD^{tree}") == (tree if kind == "paths" else fixed)
    assert repo.git("status", "--porcelain") == ("" if form == ("-a",) else " M far")


UNSTAGED = "has changes that are not staged"
OBSTACLES = {
    "edited": UNSTAGED,
    "mode": UNSTAGED,
    "hidden": UNSTAGED,
    "restaged": "was changed since it was judged",
    "deleted": "is gone, which is not staged",
    "folder": "is a folder",
    "l": "is a folder",
    "n1/deep": "is behind a file, n1",
    "n2/deep": "lies behind a link, n2",
    "n3/deep": "lies in a repository of its own",
    "n4/deep": "cannot be where something else is staged",
    "n5/deep": "is in the way, and git does not know it",
    "n6/deep": UNSTAGED,
    "n7/deep": "is no file that could be replaced",
    "absent": "is not part of your checkout, and staged otherwise",
    "gone": "has conflicts",
    "stored": "is stored through a filter, which is never run here",
    ".gitattributes": "says how git converts other files",
    "sub": "is a submodule",
    "FAR": "differs from another file only in upper and lower case",
}


def do_mischief(repo: Repo) -> None:
    """Do to each path what its obstacle says."""
    root = repo.path
    repo.git("update-index", "--assume-unchanged", "hidden")
    repo.git("update-index", "--skip-worktree", "absent")
    repo.write({**dict.fromkeys(("edited", "hidden", "restaged", "l/extra", "n1", "n4", "n5/deep", "n6/deep"), "x\n")})
    repo.write({".git/info/attributes": "stored filter=lfs\n"})
    (root / "mode").chmod(0o755)
    (root / "deleted").unlink()
    (root / "folder").unlink()
    (root / "folder/deep").mkdir(parents=True)
    (root / "folder/deep/file").touch()
    (root / "n2").symlink_to("d")
    repo.git("init", "-q", "n3")
    repo.git("add", "restaged", "n4")
    repo.git("add", "-N", "n6/deep")
    (root / "n7").mkdir()
    os.mkfifo(root / "n7/deep")
    other, blob = repo.git("rev-parse", "HEAD:far"), repo.git("rev-parse", "HEAD:gone")
    info = f"0 {'0' * 40}\tgone\n" + "".join(f"100644 {blob} {stage}\tgone\n" for stage in (1, 2, 3))
    Git(root / ".git", root).output("update-index", "--index-info", stdin=f"100644 {other}\tabsent\n{info}".encode())
    repo.git("update-index", "--skip-worktree", "absent")


def test_what_is_in_the_way_is_named_and_all_stays_to_the_byte(repo: Repo) -> None:
    root = repo.path
    tracked = ("edited", "mode", "hidden", "restaged", "deleted", "folder", "l/c", "absent", "stored")
    repo.commit(dict.fromkeys(tracked, "1\n"))
    repo.git("config", "core.ignorecase", "true")
    for part in ("clean", "smudge"):
        repo.git("config", f"filter.lfs.{part}", f"touch {root}/ran")
    fix = {name: File(REGULAR, b"fixed\n") for name in OBSTACLES}
    module, link = File(0o160000, b"any"), File(LINK, b"a")
    fixed = tree_with(repo, "HEAD", {**fix, "fine": File(REGULAR, b"1\n"), "sub": module, "l/c": None, "l": link})
    do_mischief(repo)
    # By the person's own git, if at all
    (root / "ran").unlink(missing_ok=True)
    state, repository = print_of(root), open_repository(root)
    assert dict(find_obstacles(repository, "HEAD", fixed)) == OBSTACLES
    with pytest.raises(UsageError, match=r"says how git .* and 15 more"):
        stage(repository, "HEAD", fixed)
    assert not difference(state, print_of(root))


def test_a_path_outside_of_a_sparse_checkout_is_staged_and_nothing_else(repo: Repo) -> None:
    repo.git("add", "a")
    repo.git("sparse-checkout", "set", "--no-cone", "/*", "!/d", "!/a")
    (repo.path / "a").unlink(missing_ok=True)
    repo.git("update-index", "--skip-worktree", "a")
    repository, tree = open_repository(repo.path), repo.git("write-tree")
    fixed = tree_with(repo, tree, {"a": File(REGULAR, b"a fixed\n"), "d/c": None, "b": File(REGULAR, b"b fixed\n")})
    before = print_of(repo.path)
    stage(repository, tree, fixed)
    assert (repo.git("write-tree"), repo.git("status", "--porcelain").splitlines()) == (
        fixed,
        ["M  a", "M  b", "D  d/c"],
    )
    assert difference(before, print_of(repo.path)) == (".git/index", ".git/index time", "b")
    assert listed(repo)["a"].startswith("S")


def test_line_ends_are_as_git_itself_writes_them(repo: Repo) -> None:
    repo.git("config", "core.autocrlf", "true")
    repo.write({".gitattributes": "b text eol=crlf\n", "a": "a broken\r\n"})
    repo.git("add", "a", ".gitattributes")
    tree = repo.git("write-tree")
    fixed = tree_with(repo, tree, {"a": File(REGULAR, b"a fixed\n"), "b": File(REGULAR, b"b fixed\n")})
    stage(open_repository(repo.path), tree, fixed)
    assert [(repo.path / name).read_bytes() for name in "ab"] == [b"a fixed\r\n", b"b fixed\r\n"]
    assert not repo.git("diff-files", "--name-only")


def test_what_is_half_done_is_finished_whatever_holds_it_together(repo: Repo) -> None:
    repo.git("update-index", "--split-index")
    repo.git("add", "a")
    repository, tree = open_repository(repo.path), repo.git("write-tree")
    fixed = tree_with(repo, tree, FIX)
    repo.write({"a": "a fixed\n", "new/deep/file": "new\n", "new/later": ""})
    shutil.rmtree(repo.path / "d")
    (repo.path / "d").symlink_to("a")
    assert find_obstacles(repository, tree, fixed) == ()
    (repo.path / "d").unlink()
    repo.git("add", "-N", "new/later")
    (repo.path / "d/empty").mkdir(parents=True)
    left = repo.path / ".git/agent-staging-killed"
    left.mkdir()
    os.utime(left, (0, 0))
    assert not survey(repository, tree, fixed).untouched
    stage(repository, tree, fixed)
    assert (repo.git("write-tree"), {name: there(repo, name) for name in FIX}) == (fixed, FIX)
    assert list((repo.path / ".git").glob("sharedindex.*"))
    assert not list((repo.path / ".git").glob("agent-*"))


def test_a_lock_of_somebodys_stays(repo: Repo) -> None:
    repo.git("add", "a")
    repository, tree = open_repository(repo.path), repo.git("write-tree")
    (repo.path / ".git/index.lock").write_text("somebody's")
    state = print_of(repo.path)
    with pytest.raises(UsageError, match="locked the index") as caught:
        stage(repository, tree, tree_with(repo, tree, FIX))
    assert (f"rm {repo.path}/.git/index.lock" in caught.value.hint, difference(state, print_of(repo.path))) == (
        True,
        (),
    )


def test_files_are_put_back_where_the_index_cannot_follow(repo: Repo) -> None:
    repo.git("add", "a")
    repository, tree = open_repository(repo.path), repo.git("write-tree")
    # Its lock would have a name that no file can have
    (repo.path / ".git/index").rename(repo.path / ".git" / ("i" * 251))
    hooked = read_hooked({"GIT_INDEX_FILE": f".git/{'i' * 251}"}, repo.path)
    fixed, state = tree_with(repo, tree, FIX), print_of(repo.path)
    with pytest.raises(WorkspaceError, match="could not stage"):
        stage(repository, tree, fixed, hooked)
    assert not difference(state, print_of(repo.path))


def test_a_file_that_somebody_writes_in_the_middle_of_it_has_all_put_back(tmp_path: Path) -> None:
    root, spare = tmp_path / "root", Path("/dev/shm" if os.access("/dev/shm", os.W_OK) else tmp_path)
    (root / "empty").mkdir(parents=True)
    (root / "vain/below").mkdir(parents=True)
    (root / "a").write_text("a\n")
    (root / "a").chmod(0o640)
    (root / "folder").mkdir()
    (root / "folder/b").write_text("b\n")
    (root / "c").write_text("c\n")
    state = print_of(root)
    found = {name: find(root, name.encode()) for name in ("a", "folder/b", "c")}
    (root / "c").write_text("theirs\n")
    steps: list[tuple[bytes, Found | None, File | None]] = [
        (b"a", found["a"], File(LINK, b"nowhere")),
        (b"folder/b", found["folder/b"], None),
        (b"folder", None, File(EXECUTABLE, b"1")),
        (b"empty/new/d", None, File(REGULAR, b"2")),
        (b"vain", None, File(REGULAR, b"3")),
    ]

    def replace(place: Path, last: tuple[bytes, Found | None, File | None]) -> None:
        with placing(root, place) as placer:
            for step in (*steps, last):
                placer.replace(*step)

    for place in (spare, tmp_path):
        with pytest.raises(UsageError, match="c was changed meanwhile"):
            replace(place, (b"c", found["c"], None))
        assert difference(state, print_of(root)) == ("c",)
    with pytest.raises(WorkspaceError, match="could not write empty"):
        replace(tmp_path, (b"empty", None, File(REGULAR, b"")))
    assert difference(state, print_of(root)) == ("c",)


CONTENT = st.sampled_from([None, b"1\n", b"2\n", b"3\n"])
PATHS = ("p", "q", "r/s")


class Case(NamedTuple):
    """What HEAD, the judged tree, the fixed one, the index and the checkout have of a path."""

    head: bytes | None
    before: bytes | None
    after: bytes | None
    staged: bytes | None
    file: bytes | None


@st.composite
def cases(draw: st.DrawFn) -> Case:
    head, before, after, other = (draw(CONTENT) for _ in range(4))
    index = draw(st.sampled_from([before, before, after, head, other]))
    return Case(head, before, after, index, draw(st.sampled_from([before, before, before, after, other])))


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    repo = make_repo(tmp_path_factory.mktemp("bare") / "repo")
    repo.commit({"far": "far\n"})
    for content in (b"1\n", b"2\n", b"3\n"):
        Git(repo.path / ".git").output("hash-object", "-w", "--stdin", stdin=content)
    return open_repository(repo.path)


def fill(index: Path, repository: Repository, files: Mapping[str, bytes | None]) -> Git:
    """Have an index hold these files of all that are played with."""
    git = Git(repository.git_dir, repository.root, index=index)
    lines = []
    for name, content in files.items():
        blob = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest() if content else "0" * 40
        lines.append(f"{0o100644 if content else 0:06o} {blob}\t{name}\0")
    git.output("update-index", "-z", "--index-info", stdin="".join(lines).encode())
    return git


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(st.tuples(cases(), cases(), cases()))
@example((Case(b"1\n", b"2\n", b"3\n", b"1\n", b"2\n"), Case(None, None, b"1\n", None, None), Case(*[b"1\n"] * 5)))
@example((Case(b"1\n", b"2\n", b"3\n", b"3\n", b"1\n"), Case(*[None] * 5), Case(*[b"1\n"] * 5)))
def test_mixtures_are_refused_as_they_are_or_change_in_the_paths_of_the_fix_alone(
    bare: Repository, drawn: tuple[Case, Case, Case]
) -> None:
    played = dict(zip(PATHS, drawn, strict=True))
    place = bare.root.parent / "play"
    judged, fixed = ({name: case[number] for name, case in played.items()} for number in (1, 2))
    before, after = (fill(place, bare, files).line("write-tree") for files in (judged, fixed))
    index = fill(bare.git_dir / "index", bare, {name: case.staged for name, case in played.items()})
    for name, case in played.items():
        path = bare.root / name
        path.unlink(missing_ok=True)
        if case.file is not None:
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(case.file)
    changed = {name: case for name, case in played.items() if case.before != case.after}
    state, pending = print_of(bare.root), survey(bare, before, after).pending
    strange = [name for name, case in changed.items() if case.file not in (case.before, case.after)]
    try:
        assert set(stage(bare, before, after)) == set(changed)
    except UsageError:
        assert (bool(strange), difference(state, print_of(bare.root))) == (True, ())
        return
    wanted = {
        name: case.after if name in changed and case.staged == case.before else case.staged
        for name, case in played.items()
    }
    files = {
        name: case.after if name in changed and case.file == case.before else case.file for name, case in played.items()
    }
    assert not (strange and pending)
    lines = [line.split("\t") for line in index.output("ls-files", "-s").decode().splitlines()]
    kept = {name: facts.split(" ")[1] for facts, name in lines if name != "far"}
    assert kept == {name: hashlib.sha1(b"blob %d\0" % len(c) + c).hexdigest() for name, c in wanted.items() if c}
    assert {name: (bare.root / name).read_bytes() for name in PATHS if (bare.root / name).exists()} == {
        name: content for name, content in files.items() if content is not None
    }
    assert set(difference(state, print_of(bare.root))) <= {*changed, "r", ".git/index", ".git/index time"}
    assert survey(bare, before, after).pending == ()
