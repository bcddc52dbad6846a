"""A run is handed over in one file that holds its branch and its record, and that any git can read."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from bot.app.perform import render
from bot.core.event import Acted, Committed, Ended, Started, Undone
from bot.core.message import ToolCall, ToolResult
from bot.core.task import Task
from bot.errors import WorkspaceError
from bot.git.bundle import read_header, write_bundle
from bot.git.quarantine import open_quarantine
from bot.git.record import RunRef, append_events
from bot.git.remote import Remote
from bot.git.repository import open_repository
from bot.git.runs import read_events
from tests.app.walk import BRANCH, RUN, Files, Walk, make_walk
from tests.conftest import Repo
from tests.git.kinds import filled, partial

HEAD, REF = f"refs/heads/{BRANCH}", f"refs/agent/runs/{RUN}"
STEPS: Sequence[Files] = ({"calc.py": b"mended\n", "new/one.py": b"1\n"}, {"deep/b.py": b"b = 2\n"})


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Walk:
    return make_walk(filled(tmp_path_factory.mktemp("walk") / "repo"), STEPS)


def shallow(path: Path) -> Repo:
    source = filled(path / "source")
    source.git("clone", "-q", "--depth=1", f"file://{source.path}", str(path / "clone"))
    return Repo(path / "clone")


@pytest.mark.parametrize("kind", ["plain", "shallow", "partial", "sha256"])
def test_what_was_written_is_what_is_received(kind: str, walk: Walk, tmp_path: Path) -> None:
    if kind != "plain":
        makers = {"shallow": shallow, "partial": partial}
        long = kind == "sha256"
        repo = filled(tmp_path / "repo", "--object-format=sha256") if long else makers[kind](tmp_path)
        walk = make_walk(repo, STEPS)
    source = tmp_path / "source" if (tmp_path / "source").exists() else walk.repo.path
    path = tmp_path / "run.bundle"
    told = write_bundle(walk.repository, path, run=RUN, branch=BRANCH, base=walk.base)
    assert told.tip == walk.commits[-1]
    assert write_bundle(walk.repository, tmp_path / "again", run=RUN, branch=BRANCH, base=walk.base) == told
    assert (tmp_path / "again").read_bytes() == path.read_bytes()
    with open_quarantine(tmp_path, "sha256" if kind == "sha256" else "sha1") as quarantine:
        quarantine.bring(Remote(f"file://{source}"), [walk.base])
        assert quarantine.receive(path, run=RUN, branch=BRANCH, bases={walk.base}) == told
        assert read_events(quarantine.repository, RUN) == walk.events
        refs = quarantine.git.output("for-each-ref", "--format=%(refname) %(objectname)").decode().split("\n")[:-1]
        assert refs == [f"{REF} {told.record}", f"{HEAD} {told.tip}", f"refs/quarantine/0 {walk.base}"]
    assert sorted(entry.name for entry in tmp_path.glob("agent-quarantine-*")) == []


def test_any_git_can_read_it_and_the_record_goes_on(walk: Walk, tmp_path: Path) -> None:
    path = tmp_path / "run.bundle"
    write_bundle(walk.repository, path, run=RUN, branch=BRANCH, base=walk.base)
    walk.repo.git("clone", "-q", "--no-tags", "--single-branch", "-b", "main", str(walk.repo.path), str(tmp_path / "c"))
    other = Repo(tmp_path / "c")
    assert "okay" in other.git("bundle", "verify", str(path)) or other.git("bundle", "list-heads", str(path))
    other.git("fetch", "-q", str(path), f"{REF}:{REF}", f"{HEAD}:{HEAD}")
    ended = Ended(at=9.0, stop="interrupted")
    append_events(open_repository(other.path), RUN, [ended], render)
    assert read_events(open_repository(other.path), RUN) == (*walk.events, ended)


def test_a_run_without_commits_is_its_record_alone(tmp_path: Path) -> None:
    repo = filled(tmp_path / "repo")
    base = repo.git("rev-parse", "HEAD")
    with RunRef(open_repository(repo.path), RUN, render) as record:
        record.record(Started(at=1.0, run=RUN, task=Task(base=base), branch=BRANCH))
        record.record(Ended(at=2.0, stop="limit:turns"))
    told = write_bundle(open_repository(repo.path), tmp_path / "b", run=RUN, branch="", base=base)
    header = read_header((tmp_path / "b").read_bytes())
    assert (told.tip, header.refs, header.needs) == ("", ((REF, told.record),), (base,))
    repo.git("branch", BRANCH)
    assert write_bundle(open_repository(repo.path), tmp_path / "b", run=RUN, branch=BRANCH, base=base) == told


def test_drafts_stay_at_home_unless_the_run_goes_on_from_them(walk: Walk, tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    walk.repo.git("clone", "-q", "--mirror", str(walk.repo.path), str(repo.path / ".git"))
    repo.git("config", "core.bare", "false")
    repository = open_repository(repo.path)
    tree = repo.git("rev-parse", f"{walk.base}:deep")
    call = ToolCall(id="c", name="edit_file", arguments={})
    acted = Acted(at=5.0, call=call, result=ToolResult(call_id="c", ok=True, output=""), tree=tree)
    for stop, kept in (("needs_human", True), ("done", False)):
        append_events(repository, RUN, [acted, Ended(at=6.0, stop=stop)], render)
        told = write_bundle(repository, tmp_path / "b", run=RUN, branch=BRANCH, base=walk.base)
        listed = repo.git("rev-list", "--objects", told.record, f"^{walk.base}").split()
        trees = repo.git("log", "--format=%T", told.record, f"^{walk.base}").split()
        assert (tree in trees) is kept
        assert told.record in listed


def test_steps_that_were_taken_back_can_be_brought_back_elsewhere(walk: Walk, tmp_path: Path) -> None:
    repo = Repo(tmp_path / "repo")
    walk.repo.git("clone", "-q", "--mirror", str(walk.repo.path), str(repo.path / ".git"))
    repo.git("config", "core.bare", "false")
    first, last = walk.commits
    append_events(open_repository(repo.path), RUN, [Undone(at=5.0, step=1, commit=first)], render)
    repo.git("update-ref", HEAD, first)
    told = write_bundle(open_repository(repo.path), tmp_path / "b", run=RUN, branch=BRANCH, base=walk.base)
    assert told.tip == first
    assert repo.git("log", "-1", "--format=%P", told.record).split() == [first, last]
    made = [event.commit for event in walk.events if isinstance(event, Committed)]
    assert made == [first, last]


def test_a_header_is_read_as_it_was_written_or_not_at_all() -> None:
    sha, long = "a" * 40, "b" * 64
    good = f"# v2 git bundle\n-{sha} a subject\n{sha} refs/heads/x\n\nPACK".encode()
    assert read_header(good)[:3] == ("sha1", (sha,), (("refs/heads/x", sha),))
    wide = f"# v3 git bundle\n@object-format=sha256\n{long} refs/heads/x\n\n".encode()
    assert read_header(wide).format == "sha256"
    bad = (
        b"",
        b"PACK\n\n",
        good.replace(b"v2", b"v9"),
        good.replace(b"\n\n", b"\n"),
        good.replace(b"\n-", b"\n--"),
        good.replace(b"# v2 git bundle", b"# v3 git bundle\n@filter=blob:none"),
        good.replace(b"# v2 git bundle", b"# v3 git bundle\n@object-format=sha256"),
        good.replace(sha[:1].encode(), b"A", 1).replace(b"Aaa", b"AAA"),
        b"# v2 git bundle\n" + f"{sha} refs/heads/x\n".encode() * 2_000 + b"\n",
    )
    for data in bad:
        with pytest.raises(WorkspaceError):
            read_header(data)
