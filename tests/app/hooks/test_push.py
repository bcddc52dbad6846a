"""A push, judged when git asks whether it may go on."""

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.app.hooks.hearing import find_worse
from bot.app.hooks.push import judge_push
from bot.app.hooks.pushseal import describe_push
from bot.app.hooks.sealing import shelf_of
from bot.app.hooks.seals import Seal, write
from bot.core.check import CaseResult, CheckResult, Comparison, Rung, Verdict
from bot.errors import NotARepository, UsageError
from bot.git.pushes import find_spans, read_updates
from bot.git.repository import open_repository
from tests.conftest import Repo, make_repo
from tests.product import leftovers

ZERO = "0" * 40
GOOD, BAD, WORSE = "a = 1\n", "a = (\n", "a = (((\n"


@dataclass
class Door:
    """A clone of a project with one file and one check: that the file can be read."""

    repo: Repo
    capsys: pytest.CaptureFixture[str]

    def push(self, *lines: str, remote: str = "origin", url: str = "../remote.git") -> tuple[int, list[str]]:
        """Ask about a push; return the code and what was said."""
        told = "".join(f"{line}\n" for line in lines).encode()
        code = judge_push(self.repo.path, (remote, url), told)
        said = self.capsys.readouterr()
        assert said.out == ""
        return code, said.err.splitlines()

    def line(self, branch: str, old: str = ZERO) -> str:
        """Write what git says of a branch that is pushed."""
        return f"refs/heads/{branch} {self.repo.git('rev-parse', branch)} refs/heads/{branch} {old}"

    def branch(self, name: str, start: str, content: str) -> str:
        """Commit the file on a branch."""
        self.repo.git("switch", "-q", "-c", name, start)
        return self.repo.commit({"m.py": content}, name)


@pytest.fixture
def door(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Door:
    repo = make_repo(tmp_path / "repo")
    repo.commit({"m.py": GOOD})
    repo.git("update-ref", "refs/remotes/origin/main", "HEAD")
    return Door(repo, capsys)


def test_what_makes_something_worse_is_refused_with_what_to_type_next(door: Door) -> None:
    base = door.repo.git("rev-parse", "--short=10", "main")
    door.branch("bad", "main", BAD)
    before = door.repo.state()
    code, said = door.push(door.line("bad"))
    assert code == 1
    assert said[0] == f"git agent: bad fails syntax (1 failed); {base}, which origin has, does not"
    assert said[1].startswith("  m.py:1  SyntaxError")
    assert said[-2:] == [
        f"mend it:          git agent fix --base bad --since {base}",
        "push it as it is: git push --no-verify",
    ]
    assert door.repo.state() == before
    assert leftovers(door.repo) == []


def test_every_ref_is_told_of_and_one_that_fails_refuses_all(door: Door) -> None:
    start = door.branch("old", "main", BAD)
    door.repo.git("update-ref", "refs/remotes/origin/old", start)
    door.branch("older", "old", BAD + "b = 1\n")
    door.branch("good", "main", "a = 2\n")
    door.repo.git("branch", "same", "good")
    assert door.push(door.line("good"), door.line("same")) == (0, [])
    code, said = door.push(door.line("older"), door.line("good"))
    assert (code, len(said)) == (0, 1)
    assert said[0].startswith("git agent: older fails as before: ")
    door.branch("bad", "main", WORSE)
    code, said = door.push(door.line("older"), door.line("good"), door.line("bad"))
    assert code == 1
    assert said[0].startswith("git agent: older fails as before")
    assert sum(line.startswith("mend it") for line in said) == 1


def test_a_person_says_what_becomes_of_a_push_that_fails(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    door.branch("bad", "main", BAD)
    monkeypatch.setenv("GIT_AGENT_HOOK_PUSH", "warn")
    code, said = door.push(door.line("bad"))
    assert code == 0
    assert said[-1] == "git agent: pushed all the same (agent.hook.push is warn)"
    assert not [line for line in said if "--no-verify" in line]
    monkeypatch.setenv("GIT_AGENT_HOOK_PUSH", "off")
    assert door.push("junk") == (0, [])


def test_what_takes_too_long_goes_through_unless_strictness_is_wished(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    door.branch("slow", "main", "a = 2\n")
    monkeypatch.setenv("GIT_AGENT_HOOK_PUSH_SECONDS", "0.5")
    monkeypatch.setenv("GIT_AGENT_CHECKS", "slow=sleep 60")
    late = "git agent: not judged: slow (it takes more than 0.5 s, see agent.hook.push-seconds)"
    assert door.push(door.line("slow")) == (0, [late])
    assert leftovers(door.repo) == []
    monkeypatch.setenv("GIT_AGENT_HOOK_STRICT", "true")
    assert door.push(door.line("slow")) == (1, [late, "push it as it is: git push --no-verify"])


def test_a_first_push_is_held_against_nothing_and_no_secret_of_an_address_is_told(door: Door) -> None:
    door.repo.git("update-ref", "-d", "refs/remotes/origin/main")
    door.repo.commit({"m.py": BAD})
    url = "https://person:hunter2secret@example.invalid/x.git?token=hunter2secret"
    code, said = door.push(door.line("main"), remote=url, url=url)
    assert code == 1
    assert said[0] == "git agent: main fails syntax (1 failed); https://example.invalid/x.git has nothing of it yet"
    assert said[-2] == "mend it:          git agent fix --base main"
    assert "hunter2" not in "".join(said)


def test_what_is_nothing_to_judge_is_passed_in_silence(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    repo = door.repo
    assert door.push() == (0, [])
    head = repo.git("rev-parse", "HEAD")
    assert door.push(f"(delete) {ZERO} refs/heads/gone {head}", door.line("main")) == (0, [])
    repo.git("switch", "-q", "--orphan", "texts")
    text = repo.commit({"text.txt": "1\n"})
    repo.commit({"text.txt": "2\n"})
    assert door.push(door.line("texts", text)) == (0, [])
    with pytest.raises(UsageError, match="cannot be read"):
        door.push("junk")
    with pytest.raises(NotARepository):
        judge_push(repo.path.parent, (), b"")
    # Under the framework git's words are gone
    monkeypatch.setenv("PRE_COMMIT_REMOTE_NAME", "origin")
    monkeypatch.setenv("PRE_COMMIT_LOCAL_BRANCH", "refs/heads/bad")
    monkeypatch.setenv("PRE_COMMIT_REMOTE_BRANCH", "refs/heads/bad")
    door.branch("bad", "main", BAD)
    assert judge_push(repo.path, (), b"") == 1


def test_what_was_found_of_the_same_tip_is_said_again_and_that_it_fails_is_found_anew(door: Door) -> None:
    door.branch("bad", "main", BAD)
    repository = open_repository(door.repo.path)
    (span,) = find_spans(repository, "origin", read_updates(door.line("bad").encode())).spans
    described = describe_push(repository, span)
    assert described is not None
    shelf_of(repository).put(described, write(Seal(0, "as before\n"), (), 60))
    assert door.push(door.line("bad")) == (0, ["as before"])
    shelf_of(repository).put(described, write(Seal(1, "as before\n"), (), 60))
    assert door.push(door.line("bad"))[0] == 1


def test_an_odd_name_is_shown_harmless_and_typed_as_its_commit(door: Door) -> None:
    tip = door.branch("bad", "main", BAD)
    for name in ("\u202egnp", "x;$(touch\u00a0y)caf\udce9"):
        told = f"refs/heads/{name} {tip} refs/heads/x {ZERO}\n".encode("utf-8", "surrogateescape")
        assert judge_push(door.repo.path, ("origin", ""), told) == 1
        said = door.capsys.readouterr().err.splitlines()
        assert said[0].isprintable()
        assert f"git agent fix --base {tip[:10]} " in said[-2]


def test_a_hook_in_a_real_push_refuses_and_lets_itself_be_passed(door: Door, tmp_path: Path) -> None:
    repo, remote = door.repo, Repo(tmp_path / "remote.git")
    remote.path.mkdir()
    remote.git("init", "-q", "--bare", "--template=")
    repo.git("remote", "add", "origin", "../remote.git")
    repo.git("push", "-q", "origin", "main")
    door.branch("bad", "main", BAD)
    hook = repo.path / ".git/hooks/pre-push"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -m bot hook run pre-push "$@"\n')
    hook.chmod(0o755)
    environment = {**os.environ, "GIT_AGENT_HOOK_PUSH": "refuse"}
    before = repo.state()
    done = subprocess.run(
        ["git", "push", "origin", "bad"], cwd=repo.path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("git agent: bad fails syntax")
    assert repo.state() == before
    assert remote.git("for-each-ref", "--format=%(refname)") == "refs/heads/main"
    repo.git("push", "-q", "--no-verify", "origin", "bad")


CASE = CaseResult(id="t.py::t", outcome="failed")


def verdict(status: str, *, broken: Sequence[str] = (), cases: Sequence[CaseResult] = ()) -> Verdict:
    result = CheckResult.model_validate(
        {"check": "pytest", "rung": Rung.UNIT, "status": status, "cases": [case.model_dump() for case in cases]}
    )
    return Verdict(tree="t", results=(result,), comparison=Comparison(broken=tuple(broken)))


@pytest.mark.parametrize(
    ("verdicts", "worse"),
    [
        ([verdict("failed", broken=[CASE.id], cases=[CASE])], {CASE.id}),
        # Where it was merged from it failed already
        ([verdict("failed", broken=[CASE.id], cases=[CASE]), verdict("failed", cases=[CASE])], set()),
        # There nobody asked, since something else was worse
        ([verdict("failed", broken=[CASE.id], cases=[CASE]), verdict("skipped", broken=["x"])], {CASE.id, "x"}),
        ([verdict("failed", broken=[CASE.id], cases=[CASE])] * 2, {CASE.id}),
    ],
)
def test_worse_is_what_is_worse_than_all_that_is_there(verdicts: Sequence[Verdict], worse: set[str]) -> None:
    assert find_worse(verdicts) == worse


def test_what_was_merged_from_there_is_held_against_nobody(door: Door) -> None:
    start = door.branch("feature", "main", GOOD + "b = 1\n")
    door.repo.git("switch", "-q", "main")
    door.repo.commit({"n.py": BAD})
    door.repo.git("update-ref", "refs/remotes/origin/main", "main")
    door.repo.git("switch", "-q", "feature")
    door.repo.git("merge", "-q", "--no-gpg-sign", "-m", "merge", "main")
    code, said = door.push(door.line("feature", start))
    assert code == 0
    assert said[0].startswith("git agent: feature fails as before: n.py")
