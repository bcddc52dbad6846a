"""What a push brings, as git tells it to a hook."""

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import UsageError
from bot.git.pushes import (
    LONGEST,
    MOST_SPANS,
    Span,
    Spans,
    Update,
    find_spans,
    read_framework,
    read_updates,
)
from bot.git.repository import Repository, open_repository
from tests.conftest import Repo, make_repo

ZERO = "0" * 40
A, B = "a" * 40, "b" * 40

Commit: TypeAlias = tuple[str, str, Sequence[str], Mapping[str, str]]
"""Name, branch, parents, files."""

HISTORY: Sequence[Commit] = (
    ("m1", "main", (), {"a.txt": "1"}),
    ("m2", "main", ("m1",), {"a.txt": "2"}),
    ("m3", "main", ("m2",), {"a.txt": "3"}),
    ("f1", "feature", ("m2",), {"f.txt": "1"}),
    ("f2", "feature", ("f1",), {"f.txt": "2"}),
    ("merge", "merged", ("f2", "m3"), {"a.txt": "3"}),
    ("other", "other", (), {"o.txt": "1"}),
    ("rebased", "rebased", ("m3",), {"f.txt": "9"}),
    ("empty", "empty", ("m3",), {}),
)


def write(path: Path, history: Sequence[Commit]) -> Mapping[str, str]:
    """Make commits in one go and return their ids by their names."""
    marks = {name: number for number, (name, *_) in enumerate(history, 1)}
    stream = ""
    for name, branch, parents, files in history:
        stream += f"commit refs/heads/{branch}\nmark :{marks[name]}\n"
        stream += f"committer p <p@example.invalid> {1_700_000_000 + marks[name]} +0000\ndata 1\nx\n"
        places = (f":{marks[parent]}" if parent in marks else parent for parent in parents)
        stream += "".join(f"{word} {place}\n" for word, place in zip(("from", "merge"), places, strict=False))
        stream += "".join(f"M 100644 inline {file}\ndata {len(text)}\n{text}\n" for file, text in files.items())
    listed = path / ".git/marks"
    command = ["git", "fast-import", "--quiet", f"--export-marks={listed}"]
    subprocess.run(command, cwd=path, input=stream.encode(), check=True)
    found = dict(line.split() for line in listed.read_text().splitlines())
    return {name: found[f":{number}"] for name, number in marks.items()}


@dataclass(frozen=True)
class World:
    """A repository with a few histories, and the ids of their commits."""

    repo: Repo
    repository: Repository
    ids: Mapping[str, str]

    def spans(self, *lines: str, remote: str = "origin") -> Spans:
        """Look at a push that moves these refs, with names for ids."""
        told = "".join(f"{' '.join(self.ids.get(word, word) for word in line.split())}\n" for line in lines)
        return find_spans(self.repository, remote, read_updates(told.encode()))

    def starts(self, *lines: str, remote: str = "origin") -> list[tuple[str, ...]]:
        """Name each tip that is new, followed by what it starts from."""
        names = {value: key for key, value in self.ids.items()}
        return [
            (names[span.tip], *(names[each] for each in span.starts))
            for span in self.spans(*lines, remote=remote).spans
        ]

    def refs(self, **places: str) -> None:
        """Have remotes stand at commits: `origin_main="m3"`."""
        lines = [f"update refs/remotes/{name.replace('_', '/')} {self.ids[at]}\n" for name, at in places.items()]
        subprocess.run(["git", "update-ref", "--stdin"], cwd=self.repo.path, input="".join(lines).encode(), check=True)


@pytest.fixture
def world(tmp_path: Path) -> World:
    repo = make_repo(tmp_path / "repo")
    ids = write(repo.path, HISTORY)
    repo.git("tag", "--no-sign", "-a", "-m", "noted", "noted", ids["f2"])
    noted = repo.git("rev-parse", "refs/tags/noted")
    return World(repo, open_repository(repo.path), {**ids, "noted": noted, "0": ZERO})


def test_lines_of_git_are_read_whatever_a_person_called_what_they_push() -> None:
    told = (
        f"refs/heads/x {A} refs/heads/x {B}\n(delete) {ZERO} refs/heads/y {A}\nHEAD {A} refs/heads/z {ZERO}\n"
        f"{A} {A} refs/tags/v1 {ZERO}\n:/some words {'c' * 64} refs/heads/w {'0' * 64}"
    )
    updates = read_updates(told.encode())
    assert updates == (
        Update("refs/heads/x", A, "refs/heads/x", B),
        Update("(delete)", "", "refs/heads/y", A),
        Update("HEAD", A, "refs/heads/z", ""),
        Update(A, A, "refs/tags/v1", ""),
        Update(":/some words", "c" * 64, "refs/heads/w", ""),
    )
    assert [update.name for update in updates] == ["x", "y", "z", "v1", "w"]


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"junk",
        b"refs/heads/x",
        f"refs/heads/x {A} refs/heads/x".encode(),
        f"refs/heads/x {A} refs/heads/x {B}\0".encode(),
        f"refs/heads/x {A.upper()} refs/heads/x {B}".encode(),
        f"refs/heads/x {A} heads/x {B}".encode(),
        f"refs/heads/x {A} refs/heads/../x {B}".encode(),
        f"refs/heads/x {A} refs/heads/x {'b' * 64}".encode(),
        f" {A} refs/heads/x {B}".encode(),
        b"x" * LONGEST + f" {A} refs/heads/x {B}".encode(),
        f"refs/heads/x {A[:39]}g refs/heads/x {B}".encode(),
    ],
)
def test_what_git_cannot_have_written_is_left_out_and_takes_nothing_with_it(line: bytes) -> None:
    good = f"refs/heads/x {A} refs/heads/x {B}".encode()
    assert read_updates(line) == ()
    assert read_updates(line + b"\n" + good + b"\n" + line) == read_updates(good)


@given(st.binary(max_size=300) | st.text(alphabet="ab0 /refs\n\0", max_size=300).map(str.encode))
def test_any_bytes_are_read_to_the_end(told: bytes) -> None:
    for update in read_updates(told):
        assert update.remote.startswith("refs/")
        assert update.local.isprintable()


@given(
    st.lists(
        st.tuples(
            st.text(min_size=1, max_size=20).filter(lambda name: not {"\0", "\n"} & {*name}),
            st.sampled_from([A, B, ZERO]),
            st.sampled_from(["refs/heads/é", "refs/tags/v1", "refs/for/main"]),
            st.sampled_from([A, ZERO]),
        ),
        max_size=5,
    )
)
def test_what_git_writes_is_read_back(lines: list[tuple[str, str, str, str]]) -> None:
    told = "\n".join(" ".join(fields) for fields in lines).encode("utf-8", "replace")
    found = [(update.tip or ZERO, update.remote, update.old or ZERO) for update in read_updates(told)]
    assert found == [fields[1:] for fields in lines]


def test_each_ref_is_held_against_what_the_remote_has_of_its_history(world: World) -> None:
    world.refs(origin_main="m2")
    new = "refs/heads/feature f2 refs/heads/feature 0"
    forward = "refs/heads/main m3 refs/heads/main m2"
    assert world.starts(new) == [("f2", "m2")]
    assert world.starts(forward) == [("m3", "m2")]
    assert world.starts("refs/heads/feature f2 refs/heads/feature f1") == [("f2", "f1")]
    # Someone else pushed there: their commit is not here
    assert world.starts(f"refs/heads/feature f2 refs/heads/feature {A}") == [("f2", "m2")]
    assert world.starts("refs/heads/rebased rebased refs/heads/feature f2") == [("rebased", "m2")]
    assert world.starts("refs/heads/other other refs/heads/other 0") == [("other",)]
    assert world.starts("HEAD~1 f1 refs/heads/feature 0") == [("f1", "m2")]
    assert world.starts(new, forward) == [("f2", "m2"), ("m3", "m2")]
    span = world.spans(new).spans[0]
    assert (span.tree, span.base_tree) == (
        world.repo.git("rev-parse", "feature^{tree}"),
        world.repo.git("rev-parse", "main~1^{tree}"),
    )


def test_what_brings_nothing_new_is_not_judged(world: World) -> None:
    world.refs(origin_main="m3", origin_dev="f2")
    for line in (
        "(delete) 0 refs/heads/old m1",
        "refs/heads/feature f2 refs/heads/again 0",
        "refs/heads/feature f1 refs/heads/feature f2",
        "refs/notes/commits other refs/notes/commits 0",
        "refs/agent/runs/r1 other refs/agent/runs/r1 0",
        "refs/stash other refs/stash 0",
        "refs/tags/old noted refs/tags/old 0",
        f"refs/heads/gone {B} refs/heads/gone 0",
        "refs/heads/empty empty refs/heads/empty 0",
        f"refs/tags/tree {world.repo.git('rev-parse', 'main^{tree}')} refs/tags/tree 0",
    ):
        assert world.spans(line) == Spans(), line


def test_what_was_merged_from_there_counts_as_a_start_and_where_the_ref_stood_comes_first(world: World) -> None:
    world.refs(origin_main="m3")
    merge = "refs/heads/merged merge refs/heads/feature"
    assert world.starts(f"{merge} f1") == [("merge", "f1", "m3")]
    # Once it was merged, main is the better one
    assert world.starts(f"{merge} m1") == [("merge", "m3")]
    assert world.starts("refs/heads/rebased rebased refs/heads/feature f2") == [("rebased", "m3")]


def test_tags_lead_to_their_commits_and_refs_of_one_commit_are_judged_once(world: World) -> None:
    world.refs(origin_main="m2")
    tagged = "refs/tags/noted noted refs/tags/noted 0"
    assert world.starts(tagged) == [("f2", "m2")]
    spans = world.spans(tagged, "refs/heads/feature f2 refs/heads/feature f1").spans
    assert [[update.name for update in span.updates] for span in spans] == [["noted", "feature"]]
    assert spans[0].base == world.ids["f1"]


def test_of_an_address_or_a_new_remote_nothing_is_known_but_what_others_have_or_the_usual_branch(world: World) -> None:
    new = "refs/heads/feature f2 refs/heads/feature 0"
    for remote in ("https://user:secret@example.invalid/x.git", "../x.git", "", "*", "fresh"):
        assert world.starts(new, remote=remote) == [("f2", "m2")], remote
    # The first push of all: there is nothing to hold the usual branch against
    assert world.starts("refs/heads/main m3 refs/heads/main 0") == [("m3",)]
    world.refs(upstream_dev="f1")
    assert world.starts(new, remote="fresh") == [("f2", "f1")]
    world.refs(fresh_main="m1")
    assert world.starts(new, remote="fresh") == [("f2", "m1")]


def test_a_whole_repository_is_looked_at_as_far_as_there_is_time(world: World) -> None:
    write(
        world.repo.path,
        [(str(n), f"many-{n}", (world.ids["m3"],), {"n.txt": str(n)}) for n in range(MOST_SPANS + 2)],
    )
    listed = world.repo.git("for-each-ref", "--format=%(refname) %(objectname)", "refs/heads/many-*")
    tips = [f"{line} {line.split()[0]} {ZERO}" for line in listed.splitlines()]
    world.refs(origin_main="m3")
    found = world.spans(*tips)
    assert len(found.spans) == MOST_SPANS
    assert len(found.left) == 2


def test_a_shallow_clone_says_that_what_is_before_may_be_missing(world: World, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    source = f"file://{world.repo.path}"
    command = ["git", "clone", "-q", "--depth=1", "--no-single-branch", source, str(clone)]
    subprocess.run(command, check=True, capture_output=True)
    shallow = replace(world, repository=open_repository(clone))
    assert shallow.starts("refs/heads/x m3 refs/heads/x 0") == []
    work = Repo(clone)
    head = work.commit({"w.txt": "1"})
    ids = replace(shallow, ids={**shallow.ids, "work": head})
    assert ids.starts("refs/heads/main work refs/heads/main m3") == [("work", "m3")]
    work.git("remote", "remove", "origin")
    work.git("branch", "-q", "-m", "trunk")
    (span,) = ids.spans("refs/heads/trunk work refs/heads/main 0").spans
    assert (span.base, span.cut) == ("", True)


def test_the_pre_commit_framework_tells_of_a_push_in_its_own_words(world: World) -> None:
    tip, old = world.ids["f2"], world.ids["m2"]
    branches = {"PRE_COMMIT_LOCAL_BRANCH": "refs/heads/feature", "PRE_COMMIT_REMOTE_BRANCH": "refs/heads/f"}
    told = {**branches, "PRE_COMMIT_TO_REF": tip, "PRE_COMMIT_FROM_REF": old}
    whole = (Update("refs/heads/feature", tip, "refs/heads/f", old),)
    assert read_framework(told, world.repository) == whole
    # All is new: no range is named
    assert read_framework(branches, world.repository) == (whole[0]._replace(old=""),)
    # By hand
    by_hand = {"PRE_COMMIT_TO_REF": "feature", "PRE_COMMIT_FROM_REF": "main~1"}
    assert read_framework(by_hand, world.repository) == (Update("feature", tip, "feature", old),)
    assert read_framework({}, world.repository) == ()
    with pytest.raises(UsageError):
        read_framework({"PRE_COMMIT_TO_REF": "--all"}, world.repository)


def test_looking_changes_nothing(world: World) -> None:
    world.refs(origin_main="m2")
    before = world.repo.state()
    assert isinstance(world.spans("refs/heads/feature f2 refs/heads/feature 0").spans[0], Span)
    assert world.repo.state() == before
