"""The proof again: without a model, of commits by anyone."""

import json
from pathlib import Path

from bot.app.proof import Proved
from tests.conftest import Repo
from tests.product import FINISH, agent, calls, checkpoint, edit, script


def prove(repo: Repo, *args: str) -> tuple[int, Proved]:
    ran = agent(repo, "verify", "--json", *args)
    assert ran.out, ran.err
    return ran.code, Proved.model_validate_json(ran.out)


def test_a_run_and_each_of_its_commits_hold(repo: Repo, tmp_path: Path) -> None:
    lines = (
        calls(edit("a - b", "a + b"), checkpoint("Add adds")),
        calls(edit("a + b", "b + a"), checkpoint("Turn it round")),
        calls(FINISH),
    )
    report = agent(repo, "fix", "x", "--json", "--model", script(tmp_path / "s", *lines)).report
    code, proved = prove(repo, report.run)
    assert code == 0
    assert [(commit.ok, commit.green, commit.claim) for commit in proved.commits] == [(True, True, "agrees")] * 2
    for step in report.steps:
        assert prove(repo, f"{step.commit}~1..{step.commit}")[0] == 0
    assert prove(repo, report.branch)[1].commits == proved.commits or prove(repo, report.branch)[0] == 0


def test_a_persons_commit_is_judged_as_well(repo: Repo) -> None:
    repo.commit({"calc.py": "def add(a, b):\n    return a + b\n"}, "right")
    code, proved = prove(repo, "HEAD~1..HEAD")
    assert code == 0
    assert [(commit.green, commit.claim) for commit in proved.commits] == [(True, "none")]


def test_a_commit_that_breaks_something_does_not_hold(repo: Repo) -> None:
    repo.commit({"calc.py": "def add(a, b):\n    return a - b + 1\n"}, "wrong")
    code, proved = prove(repo, "HEAD~1..HEAD")
    assert code == 1
    assert "test_calc.py::test_zero" in proved.commits[0].detail


def test_a_claim_about_another_tree_is_found_out(repo: Repo, tmp_path: Path) -> None:
    lines = (calls(edit("a - b", "a + b"), checkpoint("Add adds")), calls(FINISH))
    report = agent(repo, "fix", "x", "--json", "--model", script(tmp_path / "s", *lines)).report
    message = repo.git("log", "-1", "--format=%B", report.tip)
    repo.commit({"calc.py": "def add(a, b):\n    return b + a\n"}, message)
    code, proved = prove(repo, "HEAD~1..HEAD")
    assert code == 1
    assert proved.commits[0].claim == "differs"
    words = agent(repo, "verify", "HEAD~1..HEAD").out
    assert f"the commit says that its tree is {report.steps[0].tree}" in words
    assert "not proved: a commit says something else" in words


def test_a_check_that_is_not_given_again_is_named(repo: Repo, tmp_path: Path) -> None:
    lines = (calls(edit("a - b", "a + b"), checkpoint("Add adds")), calls(FINISH))
    model = script(tmp_path / "s", *lines)
    report = agent(repo, "fix", "x", "--json", "--check", "mine=true", "--model", model).report
    words = agent(repo, "verify", report.run).out
    assert "mine=passed" in words
    assert "was one declared with --check?" in words
    assert agent(repo, "verify", report.run, "--check", "mine=true").code == 0


def test_what_cannot_be_proved_is_refused_in_one_line(repo: Repo) -> None:
    for what in ("HEAD..HEAD", "nowhere", "main", "a...b"):
        ran = agent(repo, "verify", what)
        assert ran.code == 2, what
        assert len(ran.err.strip().splitlines()) == 1


def test_a_file_that_was_not_committed_does_not_help(repo: Repo) -> None:
    repo.write({".gitignore": "helper.py\n"})
    repo.commit({"calc.py": "from helper import plus\n\n\ndef add(a, b):\n    return plus(a, b)\n"}, "leans on helper")
    repo.write({"helper.py": "def plus(a, b):\n    return a + b\n"})
    code, proved = prove(repo, "HEAD~1..HEAD")
    assert code == 1
    assert json.loads(proved.model_dump_json())["commits"][0]["green"] is False


def test_a_commit_that_changes_a_test_needs_a_person(repo: Repo) -> None:
    tests = (repo.path / "test_calc.py").read_text()
    repo.commit({"test_calc.py": tests.replace("== 3", "== -1")}, "weaker")
    code, proved = prove(repo, "HEAD~1..HEAD")
    assert code == 1
    assert proved.commits[0].green
    assert proved.commits[0].doubts == ("test_calc.py is part of the evidence and was changed",)
    words = agent(repo, "verify", "HEAD~1..HEAD").out
    assert "needs a person: test_calc.py is part of the evidence and was changed" in words
    assert "✓ proved" not in words


def test_a_commit_that_drops_a_test_says_which(repo: Repo) -> None:
    repo.commit({"test_calc.py": "def test_other():\n    pass\n"}, "fewer")
    code, proved = prove(repo, "HEAD~1..HEAD")
    assert code == 1
    assert "REMOVED test_calc.py::test_add" in proved.commits[0].detail
