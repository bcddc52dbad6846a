"""Objects, through both back ends."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.errors import GitFailed
from bot.git.library import Library
from bot.git.objects import AGENT, COMMIT, TREE, Entry, Identity, Store, clean_identity
from bot.git.plumbing import Plumbing
from bot.git.repository import open_repository
from bot.git.store import open_store
from tests.conftest import Repo, make_repo
from tests.git.stores import BOTH, MISSING, WHO, store, through_executable, through_library

__all__ = ["store"]

EMPTY = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


def test_files_of_a_commit_are_read_as_bytes(repo: Repo, store: Store) -> None:
    commit = repo.commit({"sub/raw.bin": b"\x00\xff\r\n", "a b\tc.txt": "x", "caf\udce9.py": "raw name", "empty": b""})
    assert store.blob(commit, "sub/raw.bin") == b"\x00\xff\r\n"
    assert store.blob(store.tree(commit), "a b\tc.txt") == b"x"
    assert store.blob(commit, "caf\udce9.py") == b"raw name"
    assert store.blob(commit, "empty") == b""


@pytest.mark.parametrize(
    "path", ["", "/", "sub", "sub/", "sub/none", "nothing", "no/thing", "./calc.py", "../calc.py", "/calc.py"]
)
def test_what_is_no_path_of_a_file_names_none(repo: Repo, store: Store, path: str) -> None:
    commit = repo.commit({"sub/deep/a.py": "x"})
    for odd in (path, f"sub//deep/{path}", "calc.py/x", "calc.py\0", "a\nb"):
        assert store.blob(commit, odd) is None


def test_links_are_files_and_submodules_are_not(repo: Repo, store: Store) -> None:
    (repo.path / "link").symlink_to("calc.py")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{MISSING},inner")
    repo.git("add", "link")
    commit = repo.git("commit-tree", repo.git("write-tree"), "-m", "x")
    assert store.blob(commit, "link") == b"calc.py"
    assert store.blob(commit, "inner") is None
    assert store.blob(commit, "inner/x") is None


def test_blobs_and_trees_are_written(repo: Repo, store: Store) -> None:
    blob = store.write_blob(b"hello\n")
    tree = store.write_tree([Entry("z.txt", blob), Entry("a b.txt", blob, 0o100755)])
    assert repo.git("ls-tree", tree).splitlines() == [f"100755 blob {blob}\ta b.txt", f"100644 blob {blob}\tz.txt"]
    assert store.sizes([blob, blob]) == (6, 6)
    assert store.sizes([]) == ()
    assert store.content(blob) == b"hello\n"
    assert store.write_tree([]) == EMPTY


def test_content_is_told_from_what_git_prints_around_it(store: Store) -> None:
    for content in (b"", b"\n", b"no end", b"commit 5\nabc\n\n", b"\r\n\0" * 3):
        assert store.content(store.write_blob(content)) == content


def test_a_tree_is_sorted_as_git_sorts_it(repo: Repo, store: Store) -> None:
    blob = store.write_blob(b"x")
    inner = store.write_tree([Entry("x", blob)])
    given = [Entry("a", inner, TREE), Entry("a.txt", blob), Entry("a-b", blob), Entry("caf\udce9", blob, 0o120000)]
    tree = store.write_tree([*given, Entry("sub", MISSING, COMMIT)])
    listed = repo.git("-c", "core.quotePath=true", "ls-tree", "--name-only", tree).splitlines()
    assert listed == ["a-b", "a.txt", "a", '"caf\\351"', "sub"]
    assert repo.git("fsck", "--strict", "--no-dangling", tree, check=False).count("error") == 0


@pytest.mark.parametrize("name", ["", ".", "..", ".git", ".GIT", "git~1", "a/b", "a\0b"])
def test_a_tree_that_git_would_not_check_out_is_refused(store: Store, name: str) -> None:
    with pytest.raises(GitFailed, match="cannot hold"):
        store.write_tree([Entry(name, store.write_blob(b"x"))])


def test_a_tree_of_what_is_not_there_is_refused(repo: Repo, store: Store) -> None:
    blob, head = store.write_blob(b"x"), repo.git("rev-parse", "HEAD")
    for entries in (
        [Entry("a", MISSING)],
        [Entry("a", blob, TREE)],
        [Entry("a", head)],
        [Entry("a", blob, 0o100664)],
        [Entry("a", blob), Entry("a", blob)],
        [Entry("a", blob[:8])],
    ):
        with pytest.raises(GitFailed):
            store.write_tree(entries)


def test_a_commit_has_our_identity_the_whole_message_and_our_time(repo: Repo, store: Store) -> None:
    repo.git("config", "commit.gpgsign", "true")
    repo.git("config", "i18n.commitEncoding", "latin1")
    head = repo.git("rev-parse", "HEAD")
    message = "subject\r\n\n# not a comment\n  body é \udcff\0end\n\nAgent-Run: x\n\n \n\n"
    made = store.commit(store.tree(head), (head, head), message)
    raw = subprocess.run(["git", "cat-file", "commit", made], cwd=repo.path, capture_output=True, check=True).stdout
    who = b"A Bot <bot@example.invalid> 1800000000 +0000"
    told = [b"tree " + store.tree(head).encode(), b"parent " + head.encode(), b"author " + who, b"committer " + who]
    assert raw == b"\n".join(told) + b"\n\n" + (
        "subject\r\n\n# not a comment\n  body é ?end\n\nAgent-Run: x\n\n \n".encode()
    )


def test_a_message_of_140000_characters_is_taken_whole(repo: Repo, store: Store) -> None:
    head = repo.git("rev-parse", "HEAD")
    made = store.commit(store.tree(head), (head,), "subject\n\n" + "é" * 140_000)
    assert len(repo.git("log", "-1", "--format=%B", made)) >= 140_000


def test_a_commit_of_what_is_not_there_is_refused(repo: Repo, store: Store) -> None:
    head, blob = repo.git("rev-parse", "HEAD"), store.write_blob(b"x")
    tree = store.tree(head)
    for root, parents in (
        (MISSING, ()),
        (tree, (MISSING,)),
        (blob, ()),
        (head, ()),
        (tree, (tree,)),
        (tree, ("HEAD",)),
    ):
        with pytest.raises(GitFailed):
            store.commit(root, parents, "x")


def test_what_is_not_there_or_something_else_is_git_failing(repo: Repo, store: Store) -> None:
    head = repo.git("rev-parse", "HEAD")
    blob = store.write_blob(b"x")
    tree = store.tree(head)
    for name in ("0" * 40, MISSING, "HEAD", head[:10], "-x", "", blob):
        with pytest.raises(GitFailed):
            store.tree(name)
        with pytest.raises(GitFailed):
            store.blob(name, "calc.py")
        with pytest.raises(GitFailed):
            store.blob(name, "")
    for name in ("0" * 40, MISSING, "HEAD:calc.py", blob[:10], head, tree):
        with pytest.raises(GitFailed):
            store.content(name)
        with pytest.raises(GitFailed):
            store.sizes([blob, name])


def test_a_file_or_folder_whose_object_is_lost_is_not_taken_for_absent(repo: Repo, store: Store) -> None:
    commit = repo.commit({"sub/lost.txt": "lost", "kept": "kept"})
    for name in ("sub/lost.txt", "sub"):
        lost = repo.git("rev-parse", f"{commit}:{name}")
        (repo.path / ".git/objects" / lost[:2] / lost[2:]).unlink()
        with pytest.raises(GitFailed):
            store.blob(commit, "sub/lost.txt")
        assert store.blob(commit, "kept") == b"kept"


def test_a_damaged_object_is_git_failing(repo: Repo, store: Store) -> None:
    for damage in (b"", b"junk"):
        blob = store.write_blob(b"whole" + damage)
        path = repo.path / ".git/objects" / blob[:2] / blob[2:]
        path.chmod(0o644)
        path.write_bytes(damage)
        with pytest.raises(GitFailed):
            store.content(blob)


def test_tags_lead_to_their_commit(repo: Repo, store: Store) -> None:
    repo.git("tag", "-a", "-m", "x", "outer", "HEAD")
    tag = repo.git("rev-parse", "refs/tags/outer")
    assert store.tree(tag) == repo.git("rev-parse", "HEAD^{tree}")
    assert store.blob(tag, "calc.py") is not None
    with pytest.raises(GitFailed):
        store.content(tag)


def test_replacements_and_grafts_count_for_nothing(repo: Repo, store: Store) -> None:
    true = repo.git("rev-parse", "HEAD")
    blob = repo.git("rev-parse", "HEAD:calc.py")
    other = repo.commit({"calc.py": "false\n"})
    repo.git("replace", true, other)
    repo.git("replace", blob, repo.git("rev-parse", f"{other}:calc.py"))
    repo.write({".git/info/grafts": f"{other}\n"})
    assert b"return" in (store.blob(true, "calc.py") or b"")
    assert b"return" in store.content(blob)
    assert open_repository(repo.path).git.line("rev-list", "--count", other) == "2"


def test_objects_of_other_repositories_are_seen(repo: Repo, tmp_path: Path) -> None:
    middle, far = tmp_path / "middle", tmp_path / "far"
    repo.git("clone", "-q", "--shared", str(repo.path), str(middle))
    repo.git("clone", "-q", "--shared", str(middle), str(far))
    (far / ".git/objects/info/alternates").write_text("# a comment\n\n../../../middle/.git/objects\n/gone\n")
    head = repo.git("rev-parse", "HEAD")
    for through in BOTH:
        assert b"return" in (through(far).blob(head, "calc.py") or b"")
    assert isinstance(open_store(open_repository(far)), Library)


def test_a_huge_blob_is_measured_and_read(store: Store) -> None:
    content = os.urandom(1000) * 20_000
    blob = store.write_blob(content)
    assert store.sizes([blob]) == (20_000_000,)
    assert store.content(blob) == content


def test_both_see_what_git_wrote_and_packed_meanwhile(repo: Repo, store: Store) -> None:
    assert store.read_ref("refs/heads/main") is not None
    commit = repo.commit({"late.txt": "late"})
    repo.git("gc", "-q", "--prune=now")
    assert store.read_ref("refs/heads/main") == commit
    assert store.blob(commit, "late.txt") == b"late"


@pytest.mark.parametrize("odd", ["  A <B>\n", "", "\0", "..,;'\"", "x\udcff", "é", "a\tb", "\x01\x7fa.b."])
def test_identities_are_made_such_as_git_would_make_them(repo: Repo, odd: str) -> None:
    head = repo.git("rev-parse", "HEAD")
    made = {through(repo.path, Identity(odd, odd)).commit(head_tree(repo), (head,), "x") for through in BOTH}
    assert len(made) == 1
    name = repo.git("log", "-1", "--format=%an", *made)
    assert name == clean_identity(Identity(odd, odd)).name
    assert clean_identity(Identity("", "")) == AGENT


def head_tree(repo: Repo) -> str:
    return repo.git("rev-parse", "HEAD^{tree}")


@pytest.mark.parametrize("moment", [0.0, 1.0, 99_999_999.5, 2_147_483_648.0, 4_102_444_800.0])
def test_both_write_every_moment_alike(repo: Repo, moment: float) -> None:
    made = {through(repo.path, WHO, lambda: moment).commit(head_tree(repo), (), "x") for through in BOTH}
    assert repo.git("log", "-1", "--format=%at", *made) == str(int(moment))


NAMES = st.text(st.characters(exclude_characters="\0/", max_codepoint=0x2FF), min_size=1, max_size=8) | st.sampled_from(
    ["caf\udce9", ".git", "..", "a b", "\n", "a\\", ":x", "-", "*", "GIT~1"]
)
MESSAGES = st.text(st.sampled_from("a#\n\r\0\t é\udcff"), max_size=30)


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(files=st.dictionaries(NAMES, st.binary(max_size=20), max_size=4), message=MESSAGES)
def test_both_make_the_same_objects_or_refuse_the_same(repo: Repo, files: dict[str, bytes], message: str) -> None:
    def make(through: Callable[[Path], Store]) -> tuple[object, ...]:
        store = through(repo.path)
        try:
            tree = store.write_tree([Entry(name, store.write_blob(content)) for name, content in files.items()])
        except GitFailed:
            return ("refused",)
        commit = store.commit(tree, (), message)
        read = [store.blob(commit, name) for name in (*files, "a", "", "a/b")]
        return (tree, commit, store.tree(commit), *read)

    assert make(through_library) == make(through_executable)


def test_the_back_end_fits_the_repository(repo: Repo, tmp_path: Path) -> None:
    assert isinstance(open_store(open_repository(repo.path)), Library)
    long = make_repo(tmp_path / "long")
    long.git("init", "-q", "--object-format=sha256", str(tmp_path / "sha256"))
    made = Repo(tmp_path / "sha256")
    commit = made.commit({"a": "1"})
    store = open_store(open_repository(made.path))
    assert isinstance(store, Plumbing)
    assert len(commit) == 64
    next_one = store.commit(store.tree(commit), (commit,), "more", ref="refs/agent/x")
    assert store.read_ref("refs/agent/x") == next_one
    tree = store.write_tree([Entry("a", store.write_blob(b"1")), Entry("sub", "1" * 64, COMMIT)])
    assert (store.blob(tree, "a"), store.sizes([made.git("rev-parse", "HEAD:a")])) == (b"1", (1,))
    with pytest.raises(GitFailed):
        store.create_ref("refs/agent/x", commit)


FULL = """
import resource, sys
from bot.errors import GitFailed
from tests.git.stores import BOTH
from pathlib import Path
path, tree, parent, ref = sys.argv[1:]
for make in BOTH:
    store = make(Path(path))
    for where in (ref, None):
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, -1))
        try:
            print("made", store.commit(tree, [parent], "no room", ref=where))
        except GitFailed:
            print("refused")
        resource.setrlimit(resource.RLIMIT_FSIZE, (-1, -1))
"""


def test_a_commit_for_which_there_is_no_room_is_none(repo: Repo) -> None:
    head = repo.git("rev-parse", "HEAD")
    tree, ref = repo.git("rev-parse", "HEAD^{tree}"), "refs/heads/agent/x"
    repo.git("update-ref", ref, head)
    argv = [sys.executable, "-c", FULL, str(repo.path), tree, head, ref]
    done = subprocess.run(argv, check=False, capture_output=True, text=True, cwd=Path(__file__).parents[2])
    assert (done.returncode, done.stdout.split()) == (0, ["refused"] * 4), done.stderr
    assert repo.git("rev-parse", ref) == head
