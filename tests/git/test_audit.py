import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pygit2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pygit2.enums import FileMode

from bot.core.change import ChangeSet, FileChange
from bot.core.policy import refuse_change
from bot.core.task import Task
from bot.git.audit import PATCH_LIMIT, changes, examine, open_reader
from bot.git.difference import LibraryReader
from bot.git.difftree import ExecutableReader
from bot.git.repository import open_repository
from tests.conftest import Repo, make_repo


def audit(repo: Repo, old: str, new: str) -> ChangeSet:
    """Audit by both back ends, which have to agree on every byte but for the words behind a hunk's numbers."""
    repository = open_repository(repo.path)
    assert isinstance(open_reader(repository), LibraryReader)
    told = changes(repository, old, new)
    again = examine(ExecutableReader(repository.shared), old, new)
    assert [_bare(told)] == [_bare(again)]
    return told


def _bare(change: ChangeSet) -> ChangeSet:
    patch = re.sub(r"(?m)^(@@ [-+0-9, ]+ @@).*$", r"\1", change.patch)
    return change.model_copy(update={"patch": patch})


def only(change: ChangeSet) -> FileChange:
    assert len(change.files) == 1
    return change.files[0]


def test_equal_trees_are_no_change(repo: Repo) -> None:
    head = repo.git("rev-parse", "HEAD")
    tree = repo.git("rev-parse", "HEAD^{tree}")
    change = audit(repo, head, tree)
    assert not change
    assert (change.base, change.tree, change.files, change.patch) == (tree, tree, (), "")


def test_every_kind_of_change_is_listed_with_its_counts(repo: Repo) -> None:
    old = repo.commit(
        {"gone.txt": "a\nb\n", "kept.txt": "1\n2\n3\n", "emptied.txt": "x\n", "run.sh": "x\n", "t": "f\n"}
    )
    (repo.path / "gone.txt").unlink()
    (repo.path / "run.sh").chmod(0o755)
    (repo.path / "t").unlink()
    (repo.path / "t").symlink_to("kept.txt")
    new = repo.commit({"kept.txt": "1\n2\nx\ny\n", "emptied.txt": "", "new.txt": "n", "empty.txt": ""})
    change = audit(repo, old, new)
    found = {f.path: (f.kind, f.added, f.removed, f.old_mode, f.mode, f.size) for f in change.files}
    assert found == {
        "gone.txt": ("deleted", 0, 2, "100644", "100644", 0),
        "kept.txt": ("modified", 2, 1, "100644", "100644", 8),
        "emptied.txt": ("modified", 0, 1, "100644", "100644", 0),
        "run.sh": ("modified", 0, 0, "100644", "100755", 2),
        "t": ("typechange", 1, 1, "100644", "120000", 8),
        "new.txt": ("added", 1, 0, "", "100644", 1),
        "empty.txt": ("added", 0, 0, "", "100644", 0),
    }
    assert change.paths == tuple(sorted(found))


def test_a_rename_is_a_deletion_and_an_addition(repo: Repo) -> None:
    old = repo.git("rev-parse", "HEAD")
    repo.git("config", "diff.renames", "copies")
    repo.git("mv", "calc.py", "moved.py")
    assert [f.kind for f in audit(repo, old, repo.commit({})).files] == ["deleted", "added"]


def test_attributes_drivers_and_settings_do_not_blind_it(repo: Repo, tmp_path: Path) -> None:
    repo.write({".gitattributes": "*.py binary diff=hide\n", ".git/info/attributes": "*.py -diff\n"})
    old = repo.commit({})
    new = repo.commit({"calc.py": "def add(a, b):\n    return a + b\n"})
    for key, value in (
        ("diff.hide.textconv", f"touch {tmp_path}/marker; true"),
        ("diff.hide.command", f"touch {tmp_path}/marker; true"),
        ("diff.external", f"touch {tmp_path}/marker; true"),
        ("color.ui", "always"),
        ("color.diff", "always"),
        ("diff.noprefix", "true"),
        ("diff.mnemonicPrefix", "true"),
        ("diff.hide.binary", "true"),
        ("diff.hide.xfuncname", "(.*)"),
        ("diff.hide.algorithm", "patience"),
        ("diff.ignoreSubmodules", "all"),
        ("diff.submodule", "log"),
        ("diff.renames", "copies"),
        ("diff.relative", "true"),
        ("diff.algorithm", "histogram"),
        ("diff.context", "0"),
        ("diff.interHunkContext", "9"),
        ("diff.suppressBlankEmpty", "true"),
        ("diff.wsErrorHighlight", "all"),
        ("diff.colorMoved", "zebra"),
        ("diff.orderFile", "/nonexistent"),
        ("diff.srcPrefix", "x/"),
        ("core.quotePath", "true"),
        ("core.bigFileThreshold", "1"),
        ("core.whitespace", "cr-at-eol"),
    ):
        repo.git("config", key, value)
    change = audit(repo, old, new)
    file = only(change)
    assert (file.path, file.added, file.removed, file.binary) == ("calc.py", 1, 1, False)
    assert "\n+    return a + b\n" in change.patch
    assert "--- a/calc.py\n+++ b/calc.py\n" in change.patch
    assert not (tmp_path / "marker").exists()


def test_true_binary_content_is_named_and_not_shown(repo: Repo) -> None:
    old = repo.commit({"b.bin": b"\x00\x01old\n@@ --- \n"})
    change = audit(repo, old, repo.commit({"b.bin": b"\x00\x01new\n@@ --- \n", "z.txt": "z\n"}))
    first, second = change.files
    assert (first.binary, first.added, first.size) == (True, 0, 14)
    assert (second.binary, second.added) == (False, 1)
    assert "\x00" not in change.patch
    assert "Binary file: content not shown" in change.patch
    assert "+z" in change.patch


NAMES = [" lead", "trail ", "--", "tab\tname", "new\nline", '"q".py', "naïve ü.py", "a[1].py", ":y.py", "a/b c/-d", "*"]


@pytest.mark.parametrize("name", NAMES)
def test_odd_names_stand_for_themselves(repo: Repo, name: str) -> None:
    old = repo.commit({name: "a\n", "a1.py": "same\n"})
    change = audit(repo, old, repo.commit({name: "b\n"}))
    assert only(change).path == "".join(c if c.isprintable() else {"\t": "\\t", "\n": "\\n"}[c] for c in name)
    assert change.model_dump_json().encode()


def test_names_that_are_not_unicode_are_readable(repo: Repo) -> None:
    old = repo.git("rev-parse", "HEAD")
    Path(os.fsdecode(os.fsencode(repo.path) + b"/caf\xe9.py")).write_bytes(b"x\n")
    change = audit(repo, old, repo.commit({}))
    assert only(change).path == "caf\\xe9.py"
    assert change.model_dump_json().encode()


HOSTILE = b"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n\\ No newline\r\r\n\x0c\x85\xe2\x80\xa8 end"


def test_content_that_looks_like_a_patch_is_only_content(repo: Repo) -> None:
    old = repo.commit({"x": HOSTILE.replace(b"end", b"old"), "y": "1\n"})
    change = audit(repo, old, repo.commit({"x": HOSTILE, "y": "2\n", "z": HOSTILE * 3}))
    assert [(f.path, f.added, f.removed) for f in change.files] == [("x", 1, 1), ("y", 1, 1), ("z", 19, 0)]


def test_a_very_long_patch_is_cut_at_a_line_and_says_so(repo: Repo) -> None:
    old = repo.git("rev-parse", "HEAD")
    change = audit(repo, old, repo.commit({"long.txt": "0123456789\n" * 40_000, "z.py": "z\n"}))
    assert len(change.patch) < PATCH_LIMIT + 100
    assert change.patch.splitlines()[-2:][0] == "+0123456789"
    assert change.patch.splitlines()[-1].startswith("[patch cut: ")
    assert [f.added for f in change.files] == [40_000, 1]


def test_a_submodule_is_listed_with_its_mode(repo: Repo) -> None:
    old = repo.git("rev-parse", "HEAD")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{old},sub")
    repo.git("commit", "-q", "-m", "sub")
    file = only(audit(repo, old, repo.git("rev-parse", "HEAD")))
    assert (file.path, file.kind, file.mode) == ("sub", "added", "160000")


def test_line_endings_do_not_make_a_one_line_edit_bigger(repo: Repo) -> None:
    repo.git("config", "core.autocrlf", "false")
    old = repo.commit({"w.py": b"\xef\xbb\xbfa\r\nb\r\nc"})
    file = only(audit(repo, old, repo.commit({"w.py": b"\xef\xbb\xbfa\r\nB\r\nc"})))
    assert (file.added, file.removed) == (1, 1)


def test_a_small_threshold_for_big_files_hides_no_text(repo: Repo) -> None:
    repo.git("config", "core.bigFileThreshold", "4")
    old = repo.git("rev-parse", "HEAD")
    change = audit(repo, old, repo.commit({"long.txt": "one\n" * 9, "calc.py": "x\n"}))
    assert [(f.path, f.added, f.removed, f.binary) for f in change.files] == [
        ("calc.py", 1, 2, False),
        ("long.txt", 9, 0, False),
    ]


def test_files_that_are_marked_as_made_by_a_generator_are_shown_all_the_same(repo: Repo) -> None:
    marks = "*.py linguist-generated -diff -text export-ignore merge=ours\n"
    old = repo.commit({".gitattributes": marks, "a b.py": "1\n\n2\n"})
    change = audit(repo, old, repo.commit({"a b.py": "1\n\n3\n"}))
    assert "--- a/a b.py\t\n+++ b/a b.py\t\n@@ -1,3 +1,3 @@\n 1\n \n-2\n+3\n" in change.patch


@pytest.mark.parametrize("how", ["config", "modules", "submodule"])
def test_no_setting_hides_that_a_submodule_moved(repo: Repo, how: str) -> None:
    base = repo.git("rev-parse", "HEAD")
    ignore = "\tignore = all\n" if how == "modules" else ""
    repo.write({".gitmodules": f'[submodule "s"]\n\tpath = sub\n\turl = ./x\n{ignore}'})
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{base},sub")
    repo.git("add", ".gitmodules")
    repo.git("commit", "-q", "-m", "sub")
    old = repo.git("rev-parse", "HEAD")
    for key in {"config": ["diff.ignoreSubmodules"], "submodule": ["submodule.s.ignore"]}.get(how, []):
        repo.git("config", key, "all")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{old},sub")
    change = audit(repo, old, repo.git("write-tree"))
    assert (only(change).path, only(change).mode, only(change).old_mode) == ("sub", "160000", "160000")
    assert f"-Subproject commit {base}\n+Subproject commit {old}\n" in change.patch


def test_replaced_and_grafted_objects_are_seen_as_they_are(repo: Repo) -> None:
    old = repo.git("rev-parse", "HEAD")
    new = repo.commit({"calc.py": "evil()\n"})
    repo.git("replace", new, old)
    repo.git("replace", repo.git("rev-parse", f"{new}:calc.py"), repo.git("rev-parse", f"{old}:calc.py"))
    (repo.path / ".git/info").mkdir(exist_ok=True)
    (repo.path / ".git/info/grafts").write_text(f"{new}\n")
    change = audit(repo, old, new)
    assert (only(change).path, only(change).removed) == ("calc.py", 2)
    assert "+evil()\n" in change.patch


def test_a_file_and_a_link_that_share_a_line_are_told_as_gone_and_new(repo: Repo) -> None:
    old = repo.commit({"t": "same\nmore\n"})
    (repo.path / "t").unlink()
    (repo.path / "t").symlink_to("same\n")
    file = only(audit(repo, old, repo.commit({})))
    assert (file.kind, file.added, file.removed) == ("typechange", 1, 2)


def test_a_file_takes_the_place_of_a_folder_and_the_other_way_round(repo: Repo) -> None:
    old = repo.commit({"a/b/c.txt": "1\n", "a/d.txt": "2\n", "e": "3\n"})
    (repo.path / "a/b/c.txt").unlink()
    (repo.path / "a/b").rmdir()
    (repo.path / "a/d.txt").unlink()
    (repo.path / "a").rmdir()
    (repo.path / "e").unlink()
    change = audit(repo, old, repo.commit({"a": "4\n", "e/f/g": "5\n"}))
    assert [(f.path, f.kind) for f in change.files] == [
        ("a", "added"),
        ("a/b/c.txt", "deleted"),
        ("a/d.txt", "deleted"),
        ("e", "deleted"),
        ("e/f/g", "added"),
    ]


@pytest.mark.parametrize("content", [b"\0", b"a\n" * 5000 + b"\0\n", b"\xff\xfea\0\n\0"])
def test_a_zero_byte_makes_content_binary_wherever_it_stands(repo: Repo, content: bytes) -> None:
    old = repo.git("rev-parse", "HEAD")
    change = audit(repo, old, repo.commit({"text.py": content}))
    assert only(change).binary
    assert "\0" not in change.patch


def test_text_of_any_encoding_is_text(repo: Repo) -> None:
    old = repo.commit({"latin.py": b"# \xe9\nx = 1\n"})
    change = audit(repo, old, repo.commit({"latin.py": b"# \xe9\xff\nx = 2\r\n\x0c\x1c\xe2\x80\xa8"}))
    assert (only(change).binary, only(change).added, only(change).removed) == (False, 3, 2)
    assert "+# \\xe9\\xff\n" in change.patch
    assert change.model_dump_json().encode()


def test_everything_can_be_deleted(repo: Repo) -> None:
    old = repo.git("rev-parse", "HEAD")
    change = audit(repo, old, repo.git("hash-object", "-t", "tree", "-w", "/dev/null"))
    assert [(f.path, f.kind) for f in change.files] == [("calc.py", "deleted"), ("test_calc.py", "deleted")]
    assert audit(repo, change.tree, old).added == change.removed


def test_five_thousand_files_are_listed_one_by_one(repo: Repo) -> None:
    old = repo.git("rev-parse", "HEAD")
    objects = pygit2.Repository(str(repo.path))
    files = {f"d{n % 70}/f{n}.py": b"x = %d\n" % n for n in range(5000)}
    change = changes(open_repository(repo.path), old, grow(objects, files))
    assert change.paths == tuple(sorted(files))
    assert change.added == 5000
    assert len(change.patch) < PATCH_LIMIT + 100
    reasons = refuse_change(change, Task(base=old))
    assert reasons[0].startswith("5,000 files changed, at most 50 may in one step (max_files): ")
    assert len("\n".join(reasons)) < 10_000


def test_a_file_of_many_megabytes_is_measured_and_refused(repo: Repo) -> None:
    old = repo.git("rev-parse", "HEAD")
    big = {"big.txt": b"0123456789\n" * 1_100_000, "long.txt": b"x\n" * 100_000}
    change = changes(open_repository(repo.path), old, grow(pygit2.Repository(str(repo.path)), big))
    assert [(f.path, f.added, f.size) for f in change.files] == [
        ("big.txt", 1_100_000, 12_100_000),
        ("long.txt", 100_000, 200_000),
    ]
    reasons = refuse_change(change, Task(base=old))
    assert "big.txt: larger than 1,000,000 bytes (max_bytes); delete it" in reasons
    assert "its text is too long to be looked through: make smaller steps" in reasons


def test_a_new_name_beside_one_that_differs_in_letter_case_or_form_is_paired_with_it(repo: Repo) -> None:
    old = repo.commit({"docs/Read.md": "1\n", "na\u0308.py": "2\n", "Lib/a.py": "3\n", "lib/b.py": "4\n"})
    new = repo.commit({"docs/read.md": "1\n", "n\u00e4.py": "2\n", "lib/c.py": "5\n", "LIB/d/e.py": "6\n"})
    assert audit(repo, old, new).clashes == (
        ("LIB", "Lib"),
        ("LIB", "lib"),
        ("docs/read.md", "docs/Read.md"),
        ("n\u00e4.py", "na\u0308.py"),
    )


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("[tool.git-agent]\nmax_files = 3\n", "[tool.git-agent]\nmax_files = 9\n", True),
        ("[tool.git-agent]\nmax_files = 3\n", '[tool]\n"git-agent" = {max_files = 3}\n[tool.ruff]\n', False),
        ("[tool.ruff]\n", "[tool.ruff]\nline-length = 9\n", False),
        ("[tool.ruff]\n", "[tool.git-agent.checks]\nx = 'true'\n", True),
        ("[tool.git-agent]\nscope = ['x']\n", "not toml [\n", True),
        ("not toml [\n", "not toml ]\n", False),
        ("x = 1\n", "a = " + "[" * 3000 + "\n", False),
    ],
)
def test_a_change_of_what_the_project_sets_for_us_is_told(repo: Repo, old: str, new: str, *, told: bool) -> None:
    before = repo.commit({"pyproject.toml": old})
    assert audit(repo, before, repo.commit({"pyproject.toml": new, "sub/pyproject.toml": old})).settings is told


def test_settings_that_come_or_go_with_their_file_are_told(repo: Repo) -> None:
    empty, full = repo.git("rev-parse", "HEAD"), repo.commit({"pyproject.toml": "[tool.git-agent]\nworkers = 2\n"})
    assert audit(repo, empty, full).settings
    assert audit(repo, full, empty).settings


def test_a_repository_that_libgit2_cannot_read_is_audited_by_the_executable(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "sha256")
    repo.path.mkdir()
    repo.git("init", "-q", "-b", "main", "--object-format=sha256")
    old = repo.commit({"a.py": "1\n", "Lib/b.py": "2\n"})
    repository = open_repository(repo.path)
    assert isinstance(open_reader(repository), ExecutableReader)
    change = changes(repository, old, repo.commit({"a.py": "3\n", "lib/c.py": "4\n"}))
    assert [(f.path, f.added, f.removed, f.size) for f in change.files] == [("a.py", 1, 1, 2), ("lib/c.py", 1, 0, 2)]
    assert change.clashes == (("lib", "Lib"),)
    assert len(change.tree) == 64


def grow(objects: pygit2.Repository, files: Mapping[str, bytes]) -> str:
    """Write a tree of files beside those that are checked out."""
    index = pygit2.Index()
    index.read_tree(objects.head.peel(pygit2.Commit).tree)
    for name, content in files.items():
        index.add(pygit2.IndexEntry(name, objects.create_blob(content), FileMode.BLOB))
    return str(index.write_tree(objects))


NAMED = st.sampled_from(
    ["a", "b/c", "b/c d", "b/d/e.py", "new\nline", '"q', "x b/x", "ü.py", "\u2028", "diff --git a/a b/a", "back\\slash"]
)
LINE = st.sampled_from(
    [
        *("a", "b", "", " ", "diff --git a/x b/x", "@@ -1 +1 @@", "--- a/x", "+++ b/x", "+", "-", "-- ", "x\r", "c\rd"),
        *("\\ No newline at end of file", "\x0c", "\x1c", "\x85", "\u2028", "def f():", "    x", "index 00..11 100644"),
    ]
)
CONTENT = st.builds(lambda lines, end: "\n".join(lines) + end, st.lists(LINE, max_size=14), st.sampled_from(["", "\n"]))
MODE = st.sampled_from([FileMode.BLOB, FileMode.BLOB, FileMode.BLOB, FileMode.BLOB_EXECUTABLE, FileMode.LINK])
TREE = st.dictionaries(NAMED, st.tuples(MODE, CONTENT), max_size=7)


def plant(objects: pygit2.Repository, files: Mapping[str, tuple[FileMode, str]]) -> str:
    index = pygit2.Index()
    for name, (mode, content) in files.items():
        index.add(pygit2.IndexEntry(name, objects.create_blob(content.encode()), mode))
    return str(index.write_tree(objects))


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TREE, TREE)
def test_any_two_trees_are_told_apart_exactly(
    tmp_path: Path, one: dict[str, tuple[FileMode, str]], other: dict[str, tuple[FileMode, str]]
) -> None:
    repo = Repo(tmp_path / "pairs") if (tmp_path / "pairs").exists() else make_repo(tmp_path / "pairs")
    if not (repo.path / "first").exists():
        repo.commit({"first": "1\n"})
    objects = pygit2.Repository(str(repo.path))
    # What both have makes edits of contents, rather than all of it new
    old, new = plant(objects, one), plant(objects, {**one, **other} if len(other) % 2 else other)
    change = audit(repo, old, new)
    status = repo.git("diff-tree", "-r", "-z", "--name-only", "--no-renames", old, new).split("\0")[:-1]
    assert [path.encode("unicode_escape").decode() for path in status] == [
        path.encode("unicode_escape").decode() for path in map(_plain, change.paths)
    ]
    counted = {
        path: (int(added), int(removed))
        for added, removed, path in (
            entry.split("\t", 2)
            for entry in repo.git("diff", "--numstat", "-z", "--no-renames", old, new).split("\0")[:-1]
        )
    }
    for file in change.files:
        if file.kind != "typechange":
            assert counted[_plain(file.path)] == (file.added, file.removed)
    assert _applied(repo, old, change.patch) == new


def _plain(path: str) -> str:
    return path.replace("\\n", "\n").replace("\\u2028", "\u2028") if path != "back\\slash" else path


def _applied(repo: Repo, old: str, patch: str) -> str:
    """Let git itself apply what a person reads."""
    env = {**os.environ, "GIT_INDEX_FILE": str(repo.path / ".git/applied")}
    for args, text in ((("read-tree", old), ""), (("apply", "--cached", "--allow-empty", "-"), patch)):
        subprocess.run(["git", *args], cwd=repo.path, env=env, input=text.encode(), check=True, capture_output=True)
    done = subprocess.run(["git", "write-tree"], cwd=repo.path, env=env, check=True, capture_output=True, text=True)
    return done.stdout.strip()
