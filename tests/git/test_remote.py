"""A remote is asked, fetched from and pushed to with a token that no argument, file, message or other address sees."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bot.errors import ConfigError, GitFailed
from bot.git.remote import Move, Pushed, Remote, connect, fetch, find_fork, is_cut, push, push_all, tips
from bot.git.run import Git
from tests.conftest import Repo, make_repo
from tests.hub.standin import READ_TOKEN, WRITE_TOKEN, Standin

BRANCH = "refs/heads/agent/mend-r1"
RECORD = "refs/agent/runs/r1"


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Standin]:
    """GitHub with four commits on `main`."""
    folder = tmp_path_factory.mktemp("hub")
    source = make_repo(folder / "source")
    for number in range(4):
        source.commit({"calc.py": f"{number}\n"}, f"commit {number}")
    with Standin(folder / "standin") as standin:
        source.git("push", "-q", str(standin.git_folder), "main")
        yield standin


@pytest.fixture
def clone(hub: Standin, tmp_path: Path) -> Repo:
    """A whole clone."""
    Repo(tmp_path).git("clone", "-q", str(hub.git_folder), "clone")
    return Repo(tmp_path / "clone")


def git_of(repo: Repo) -> Git:
    return Git(repo.path / ".git")


def made(repo: Repo, name: str = "new.py", content: str | bytes = "1\n") -> str:
    return repo.commit({name: content}, "made")


def writing(hub: Standin) -> Remote:
    return Remote(hub.clone_url, WRITE_TOKEN)


def test_only_addresses_of_servers_are_taken() -> None:
    bad = (
        *("", "x", "/srv/x.git", "ssh://git@github.com/o/r.git", "git@github.com:o/r.git", "ext::sh -c id"),
        *("https://u:p@github.com/o/r", "https://github.com/o/r?x=1", "https://github.com/o/r#x", "https:///o/r"),
        *("https://github.com/o/r\nx", "https://github.com", "file://host/x", "--upload-pack=id", "https://[::1/x"),
    )
    for url in bad:
        with pytest.raises(ConfigError):
            Remote(url)
    for token in ("a b", "a\nb", "t\u00f6ken"):
        with pytest.raises(ConfigError):
            Remote("https://github.com/o/r.git", token)
    with pytest.raises(ConfigError):
        Remote("file:///srv/x.git", "token")
    assert "secret" not in repr(Remote("http://ghes.local:8080/o/r.git", "secret"))


def test_the_token_is_in_the_environment_for_this_address_alone(hub: Standin, clone: Repo) -> None:
    remote = writing(hub)
    git = connect(git_of(clone), remote)
    assert git.config[-1] == (f"http.{hub.clone_url}.extraHeader", f"Authorization: Basic {remote.basic}")
    here = git.line("config", "--get-urlmatch", "http.extraheader", f"{hub.clone_url}/info/refs")
    assert here.endswith(remote.basic)
    for other in (f"{hub.server}/ann/widgets.git.evil/x", f"{hub.server}/ann/other.git", "http://127.0.0.1/x"):
        assert git.ask("config", "--get-urlmatch", "http.extraheader", other).code
    assert git.ask("fetch", "ext::sh -c id").code
    assert tips(git_of(clone), remote, ["refs/heads/main"]) == {"refs/heads/main": clone.git("rev-parse", "HEAD")}
    leaks = [str(p) for p in clone.path.rglob("*") if p.is_file() and remote.basic.encode() in p.read_bytes()]
    assert leaks == []


def test_no_other_credential_of_the_machine_takes_part(hub: Standin, clone: Repo) -> None:
    clone.git("config", f"http.{hub.server}/.extraheader", "Authorization: Basic b3RoZXI6b3RoZXI=")
    clone.git("config", "credential.helper", f"!touch {clone.path}/asked; echo password=x")
    (Path(os.environ["HOME"]) / ".gitconfig").write_text("[http]\n\textraheader = X-Other: 1\n")
    assert tips(git_of(clone), writing(hub), ["refs/heads/*"])
    last = [asked for asked in hub.requests if "info/refs" in asked.path][-1]
    assert "x-other" not in {name.lower() for name in last.headers}
    with pytest.raises(GitFailed, match="git ls-remote failed"):
        tips(git_of(clone), Remote(hub.clone_url), ["refs/heads/*"])
    assert not (clone.path / "asked").exists()


def test_patterns_fit_whole_names(hub: Standin, clone: Repo) -> None:
    hub.git.git("update-ref", "refs/heads/x/refs/heads/main", "refs/heads/main")
    assert list(tips(git_of(clone), writing(hub), ["refs/heads/main"])) == ["refs/heads/main"]
    assert set(tips(git_of(clone), writing(hub), ["refs/heads/*"])) >= {"refs/heads/x/refs/heads/main"}


def test_a_whole_history_is_never_cut_and_a_cut_one_is_made_longer(hub: Standin, clone: Repo, tmp_path: Path) -> None:
    remote, git = Remote(hub.clone_url, READ_TOKEN), git_of(clone)
    fetch(git, remote, ["+refs/heads/main:refs/agent/main"], depth=1)
    assert not is_cut(git)
    Repo(tmp_path).git("clone", "-q", "--depth=1", f"file://{hub.git_folder}", "cut")
    cut = Git(tmp_path / "cut/.git")
    first = clone.git("rev-parse", "HEAD~2")
    fetch(cut, remote, [f"+{first}:refs/agent/old"], depth=1)
    assert is_cut(cut)
    assert cut.ask("merge-base", "HEAD", first).code
    assert find_fork(cut, remote, clone.git("rev-parse", "HEAD"), first) == first
    alone = clone.git("commit-tree", "HEAD^{tree}", "-m", "a history of its own")
    assert find_fork(git, remote, clone.git("rev-parse", "HEAD"), alone) == ""


def test_only_refs_of_ours_are_pushed_to(hub: Standin, clone: Repo) -> None:
    commit = made(clone)
    refs = (
        *("refs/heads/main", "main", "HEAD", "refs/tags/v1", "refs/heads/agent", "refs/heads/agentx/y"),
        *("refs/heads/agent/../main", "refs/heads/agent/x:refs/heads/main", "refs/agent/other/x", "+" + BRANCH),
        *("refs/heads/agent/x\nrefs/heads/main", "refs/pull/1/head", "refs/heads/agent/*", ":refs/heads/agent/x"),
    )
    for ref in refs:
        with pytest.raises(GitFailed, match="not a ref of ours"):
            push(git_of(clone), writing(hub), commit, ref, "")
    for sha in ("HEAD", "main", "", "-x"):
        with pytest.raises(GitFailed, match="full id"):
            push(git_of(clone), writing(hub), sha, BRANCH, "")


def test_a_push_makes_moves_and_notices_that_others_moved(hub: Standin, clone: Repo) -> None:
    git, remote, ref = git_of(clone), writing(hub), "refs/heads/agent/moves-r1"
    one, two, other = made(clone), made(clone, "two.py"), made(clone, "three.py")
    assert push(git, remote, one, ref, "") == Pushed("ok")
    assert push(git, remote, one, ref, "").kind == "ok"
    assert push(git, remote, two, ref, "").kind == "moved"
    assert push(git, remote, two, ref, other).kind == "moved"
    assert tips(git, remote, [ref]) == {ref: one}
    assert push(git, remote, two, ref, one).kind == "ok"
    back = clone.git("rev-parse", "HEAD~3")
    # A fetch in the background is no permission
    clone.git("fetch", "-q", str(hub.git_folder), f"{ref}:refs/remotes/origin/agent/moves-r1")
    assert push(git, remote, back, ref, one).kind == "moved"
    assert push(git, remote, back, ref, two).kind == "ok"


def test_several_refs_move_together_or_not_at_all(hub: Standin, clone: Repo) -> None:
    git, remote = git_of(clone), writing(hub)
    branch, record = "refs/heads/agent-both-r2", "refs/agent/runs/r2"
    one, two = made(clone), made(clone, "two.py")
    assert [each.kind for each in push_all(git, remote, (Move(branch, one, ""), Move(record, two, "")))] == ["ok", "ok"]
    told = push_all(git, remote, (Move(branch, two, one), Move(record, one, "")))
    assert [each.kind for each in told] == ["moved", "moved"]
    assert tips(git, remote, ["refs/*"]).get(branch) == one
    hub.git.git("config", "receive.advertiseAtomic", "false")
    told = push_all(git, remote, (Move(branch, two, two), Move(record, one, two)))
    assert [each.kind for each in told] == ["moved", "moved"]
    told = push_all(git, remote, (Move(branch, two, one), Move(record, one, two)))
    assert [each.kind for each in told] == ["ok", "ok"]
    hub.git.git("config", "--unset", "receive.advertiseAtomic")


def test_a_refusal_is_told_by_its_kind_and_never_taken_for_success(hub: Standin, clone: Repo) -> None:
    git, remote, settings = git_of(clone), writing(hub), hub.world.settings
    commit = made(clone, content="large\n")
    settings.protected.add("agent/mend-r1")
    protected = push(git, remote, commit, BRANCH, "")
    settings.protected.discard("agent/mend-r1")
    settings.largest_file = 1
    large = push(git, remote, commit, BRANCH, "")
    settings.largest_file = 100 << 20
    flow = made(clone, ".github/workflows/x.yml")
    workflows = push(git, remote, flow, BRANCH, "")
    settings.archived = True
    archived = push(git, remote, commit, BRANCH, "")
    settings.archived = False
    reader = push(git, Remote(hub.clone_url, READ_TOKEN), commit, BRANCH, "")
    nobody = push(git, Remote(hub.clone_url, "ghs_unknown"), commit, BRANCH, "")
    gone = push(git, Remote("http://127.0.0.1:9/o/r.git", WRITE_TOKEN), commit, BRANCH, "")
    told = (protected, large, workflows, archived, reader, nobody, gone)
    kinds = ("protected", "too-large", "workflows", "denied", "denied", "denied", "unreachable")
    assert tuple(each.kind for each in told) == kinds, told
    assert "GH001" in large.detail
    assert not any(WRITE_TOKEN in each.detail or remote.basic in each.detail for each in told)
    assert tips(git, remote, [BRANCH]) == {}


def test_a_hook_is_quoted_without_what_it_knows_of_us(hub: Standin, clone: Repo, tmp_path: Path) -> None:
    Repo(tmp_path).git("init", "-q", "--bare", "plain.git")
    hook = tmp_path / "plain.git/hooks/pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\necho 'commits must be signed {WRITE_TOKEN} https://u:p@h/'\nexit 1\n")
    hook.chmod(0o755)
    told = push(git_of(clone), Remote(f"file://{tmp_path}/plain.git"), made(clone), BRANCH, "")
    assert told.kind == "hooked"
    assert "commits must be signed" in told.detail
    assert "u:p@" not in told.detail
    assert WRITE_TOKEN not in writing(hub).hide(told.detail)


def test_what_arrived_although_nobody_answered_is_a_success(hub: Standin, clone: Repo) -> None:
    git, remote, ref = git_of(clone), writing(hub), "refs/heads/agent/late-r1"
    commit = made(clone)
    hub.fail("POST", "git-receive-pack", 502, after=True)
    assert push(git, remote, commit, ref, "") == Pushed("ok")
    hub.fail("POST", "git-receive-pack", 502)
    assert push(git, remote, made(clone, "two.py"), ref, commit).kind == "unreachable"


def test_a_repository_that_was_renamed_gets_no_token_by_its_old_name(tmp_path: Path, clone: Repo, hub: Standin) -> None:
    hub.rename("ann/gadgets")
    try:
        told = push(git_of(clone), replace(writing(hub), url=f"{hub.server}/ann/widgets.git"), made(clone), BRANCH, "")
        assert (told.kind, "another address" in told.detail) == ("unreachable", True), told
    finally:
        hub.rename("ann/widgets")
        hub.world.former.clear()
