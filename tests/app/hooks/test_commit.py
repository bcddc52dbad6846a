"""A commit is judged before it is made, and a mended one is held ready where it fails."""

from collections.abc import Mapping
from pathlib import Path
from typing import TextIO

import pytest

from bot.app.acceptance import accept
from bot.app.hooks.commit import judge_commit
from bot.app.hooks.run import run_hook
from bot.app.hooks.telling import tell_failure, tell_notes, tell_pass
from bot.core.check import CaseResult, CheckResult, Comparison, Rung, Verdict
from bot.core.hook import Sifted, Unjudged
from bot.errors import UsageError
from tests.conftest import Repo, make_repo
from tests.product import calls, checkpoint, edit, script

GOOD, BAD = "def add(a, b):\n    return a + b\n", "def add(a, b):\n    return a - b\n\n\nMORE = 1\n"
ADDS = "pytest=grep -q 'a + b' calc.py"


@pytest.fixture
def desk(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository whose only check is one that costs nothing, with a change staged that fails it."""
    settings = {"ISOLATION": "process", "CHECKS": ADDS, "HOOK_FIX": "off", "HOOK_SECONDS": "60"}
    for name, value in settings.items():
        monkeypatch.setenv(f"GIT_AGENT_{name}", value)
    repo.commit({"calc.py": GOOD})
    repo.write({"calc.py": BAD})
    repo.git("add", "calc.py")
    return repo


def mended_by(monkeypatch: pytest.MonkeyPatch, place: Path, *lines: Mapping[str, object]) -> None:
    monkeypatch.setenv("GIT_AGENT_HOOK_FIX", "offer")
    monkeypatch.setenv("GIT_AGENT_HOOK_MODEL", script(place, *lines))


def test_a_commit_that_makes_nothing_worse_goes_through_without_a_word(
    desk: Repo, capfd: pytest.CaptureFixture[str]
) -> None:
    desk.write({"calc.py": GOOD + "\n\nMORE = 1\n"})
    desk.git("add", "calc.py")
    state = desk.state()
    assert (judge_commit(desk.path), capfd.readouterr(), desk.state()) == (0, ("", ""), state)
    desk.git("reset", "-q")
    assert judge_commit(desk.path) == 0, "nothing is about to be committed"


def test_a_refusal_changes_nothing_and_says_what_failed_and_what_to_type(
    desk: Repo, capfd: pytest.CaptureFixture[str]
) -> None:
    state = desk.state()
    assert judge_commit(desk.path) == 1
    out, err = capfd.readouterr()
    assert out == ""
    assert err.splitlines()[0] == "git agent: this commit fails pytest (exit code 1)"
    assert err.splitlines()[-1] == "commit it as is:  git commit --no-verify"
    assert desk.state() == state


def test_a_mended_commit_is_shown_and_taken_by_the_command_that_is_named(
    desk: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    mended_by(monkeypatch, tmp_path / "s", calls(edit("a - b", "a + b"), checkpoint()))
    before = desk.git("for-each-ref", "--format=%(refname)", "refs/heads", "refs/stash", "refs/tags")
    assert judge_commit(desk.path) == 1
    err = capfd.readouterr().err
    assert ("-    return a - b" in err, "+    return a + b" in err) == (True, True)
    assert "verified by syntax, pytest:" in err
    assert desk.git("for-each-ref", "--format=%(refname)", "refs/heads", "refs/stash", "refs/tags") == before
    (told,) = [line for line in err.splitlines() if line.startswith("take it:")]
    run, _, again = told.removeprefix("take it:").strip().removeprefix("git agent accept ").partition(" && ")
    assert again == "git commit"
    accept(desk.path, run)
    assert desk.git("show", ":calc.py") == BAD.replace("a - b", "a + b").rstrip()
    assert (judge_commit(desk.path), capfd.readouterr().err) == (0, "")


def test_a_mend_that_leaves_nothing_to_commit_is_told_as_that(
    desk: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    mended_by(monkeypatch, tmp_path / "s", calls(edit("a - b", "a + b"), checkpoint()))
    desk.write({"calc.py": GOOD.replace("+", "-")})
    desk.git("add", "calc.py")
    assert judge_commit(desk.path) == 1
    err = capfd.readouterr().err
    assert "git agent: mended only by taking all of it back" in err
    assert " && git commit" not in err


def test_what_is_not_mended_is_not_offered(
    desk: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    mended_by(monkeypatch, tmp_path / "s", calls(("finish", {"summary": "I cannot"})))
    assert judge_commit(desk.path) == 1
    err = capfd.readouterr().err
    assert "git agent: not mended" in err
    assert "why it was not:   git agent show " in err
    assert "git agent accept" not in err
    monkeypatch.setenv("GIT_AGENT_HOOK_MODEL", "nobody")
    assert judge_commit(desk.path) == 1
    assert "git agent: not mended: there is no model 'nobody'" in capfd.readouterr().err


def test_the_first_commit_of_a_repository_is_judged_and_mended(
    tmp_path: Path, desk: Repo, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    mended_by(monkeypatch, tmp_path / "s", calls(edit("a - b", "a + b"), checkpoint()))
    fresh = make_repo(tmp_path / "fresh")
    fresh.write({"calc.py": BAD})
    fresh.git("add", "calc.py")
    assert judge_commit(fresh.path) == 1
    assert "+    return a + b" in capfd.readouterr().err


def test_inside_the_hook_it_is_staged_only_when_somebody_says_so(
    desk: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    mended_by(monkeypatch, tmp_path / "s", calls(edit("a - b", "a + b"), checkpoint()))
    monkeypatch.setenv("GIT_AGENT_HOOK_FIX", "stage")
    assert judge_commit(desk.path) == 1, "nobody looks on"
    answer = tmp_path / "answer"

    def terminal() -> TextIO:
        return answer.open(encoding="utf-8")

    answer.write_text("\n")
    assert judge_commit(desk.path, terminal) == 1
    assert desk.git("show", ":calc.py") == BAD.rstrip()
    answer.write_text("y\n")
    desk.write({"calc.py": BAD + "LATER = 2\n"})
    capfd.readouterr()
    assert judge_commit(desk.path, terminal) == 1, "there is work that is not staged"
    assert "git agent: not staged: calc.py" in capfd.readouterr().err
    desk.write({"calc.py": BAD})
    assert judge_commit(desk.path, terminal) == 0
    assert desk.git("status", "--porcelain") == "M  calc.py"
    assert desk.git("show", ":calc.py") == BAD.replace("a - b", "a + b").rstrip()


def test_what_could_not_be_judged_in_time_goes_through_and_is_named(
    desk: Repo, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GIT_AGENT_CHECKS", "pytest=sleep 20")
    monkeypatch.setenv("GIT_AGENT_HOOK_SECONDS", "0.3")
    assert judge_commit(desk.path) == 0
    assert capfd.readouterr().err.startswith("git agent: not judged: pytest (")
    monkeypatch.setenv("GIT_AGENT_HOOK_STRICT", "true")
    assert judge_commit(desk.path) == 1
    assert "git agent: refused, as agent.hook.strict is set" in capfd.readouterr().err


def test_what_failed_before_and_what_nobody_could_ask_is_told_in_a_line_each() -> None:

    result = CheckResult(check="t", rung=Rung.UNIT, status="failed")
    verdict = Verdict(tree="t", results=(result,), comparison=Comparison(flaky=("t::c",), complained=("t::d",)))
    sifted = Sifted(tree="t", base="b", verdict=verdict, old=("t::a", "t::b"), unjudged=(Unjudged(check="u", why="w"),))
    assert [line.plain for line in tell_notes(sifted)] == [
        "git agent: not judged: u (w)",
        "git agent: fails as before this commit: t::a and 1 more",
        "git agent: new, but by another version of the tool than the project names: t::d",
        "git agent: passes only sometimes: t::c",
    ]


def test_a_finding_is_told_in_one_line_and_what_is_old_is_not_counted() -> None:
    def finding(code: str, number: int) -> CaseResult:
        said = f"{code} line {number} is odd"
        return CaseResult(id=f"a.py::{code}::it is odd", outcome="failed", message=said, path="a.py", line=number)

    lint = CheckResult(check="lint", rung=Rung.STATIC, status="failed", cases=(finding("E1", 3), finding("E2", 9)))
    old = CheckResult(check="old", rung=Rung.STATIC, status="failed", cases=(finding("E3", 5),))
    compared = Comparison(broken=("a.py::E1::it is odd",), failing=("a.py::E2::it is odd", "a.py::E3::it is odd"))
    verdict = Verdict(tree="t", results=(lint, old), comparison=compared)
    sifted = Sifted(tree="t", base="b", verdict=verdict, old=compared.failing)
    assert [line.plain for line in (*tell_failure(sifted), *tell_notes(sifted))] == [
        "git agent: this commit fails lint (1 new of 2 failures)",
        "  a.py:3  E1 line 3 is odd",
        "git agent: fails as before this commit: lint, old (a.py: it is odd (E2) and 1 more)",
    ]


def test_somebody_who_looks_on_reads_what_passed_or_that_nothing_was_there_to_ask() -> None:
    good = CheckResult(check="t", rung=Rung.UNIT, status="passed", summary="all good")
    told = [Sifted(tree="t", base="b", verdict=Verdict(tree="t", results=results)) for results in ((good,), ())]
    late = told[1].model_copy(update={"unjudged": (Unjudged(check="u", why="w"),)})
    assert [[line.plain for line in tell_pass(each)] for each in (*told, late)] == [
        ["git agent: passed t (all good) in 0.0 s"],
        ["git agent: nothing here that a check looks at"],
        [],
    ]


def test_hooks_that_git_does_not_have_are_refused_and_off_is_off(desk: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="there is no hook 'post-commit' here"):
        run_hook("post-commit", (), desk.path)
    monkeypatch.setenv("GIT_AGENT", "off")
    assert [run_hook(name, (), desk.path) for name in ("pre-commit", "pre-push", "commit-msg")] == [0, 0, 0]


def test_what_looks_like_a_secret_is_not_shown_of_what_a_check_says(
    desk: Repo, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GIT_AGENT_CHECKS", "pytest=grep -q 'a + b' calc.py || ! echo ghp_" + "a1B2c3D4e5F6" * 3)
    assert judge_commit(desk.path) == 1
    said = capfd.readouterr().err
    assert "[redacted]" in said, said
    assert "ghp_" not in said
