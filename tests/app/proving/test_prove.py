"""The proof again: without a model, of commits by anyone."""

import io
from pathlib import Path

from rich.console import Console

from bot.app.proving.prove import Wish, prove
from bot.app.proving.table import present
from bot.app.proving.target import find_target
from bot.app.proving.values import Proved
from bot.git.repository import open_repository
from tests.conftest import Repo
from tests.product import FINISH, agent, calls, checkpoint, edit, script

RIGHT = "def add(a, b):\n    return a + b\n"
OLD = "from calc import old\n\n\ndef test_old():\n    assert old() == 1\n"
ONE = "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"
SEVERAL = """import pytest

from calc import add


@pytest.mark.parametrize(("a", "b", "total"), [(1, 2, 3), (2, 2, 4)])
def test_add(a, b, total):
    assert add(a, b) == total
"""


ADDS = ("pytest=grep -q 'a + b' calc.py",)
GREEN = ("pytest=true",)
"""In the place of the project's tests, where a test of ours asks for nothing of theirs."""


def look(repo: Repo, what: str = "HEAD~1..HEAD", *, root: bool = False, **flags: object) -> tuple[Proved, str]:
    """Prove commits; return the proof and what a person reads of it."""
    stream = io.StringIO()
    judged = prove(repo.path, flags, Wish(what, root=root))
    present(judged, Console(file=stream, width=160, color_system=None))
    return judged.proved, stream.getvalue()


def claim(repo: Repo, tree: str, checks: str) -> None:
    """Let the last commit say something of itself."""
    trailers = f"Agent-Run: r1\nAgent-Step: 1\nAgent-Tree: {tree}\nAgent-Checks: {checks}"
    repo.git("commit", "-q", "--amend", "--no-gpg-sign", "-m", f"said\n\n{trailers}")


def test_what_a_commit_reaches_beside_its_text_is_told(repo: Repo) -> None:
    (repo.path / "elsewhere").symlink_to("/etc/passwd")
    (repo.path / "test_calc.py").chmod(0o755)
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{repo.git('rev-parse', 'HEAD')},sub")
    (repo.path / "sub").mkdir()
    files = {
        ".github/workflows/ci.yml": "on: push\n",
        "CALC.py": RIGHT,
        "pyproject.toml": "[tool.git-agent]\nworkers = 1\n",
    }
    repo.write({**files, "x.bin": b"\0\1"})
    repo.git("add", "elsewhere", "test_calc.py", "x.bin", *files)
    repo.git("commit", "-q", "--no-gpg-sign", "-m", "reach")
    proved, words = look(repo, checks=GREEN)
    told = (
        "pyproject.toml: [tool.git-agent] is changed",
        ".github/workflows/ci.yml: decides what runs, or who may do what (protected (.github/workflows/**))",
        "elsewhere: a link",
        "sub: a submodule: what it leads to was not looked at",
        "test_calc.py: its mode went from 100644 to 100755",
        "x.bin: binary content, which nobody can read here",
        "CALC.py and calc.py are one name where letter case does not count; give one of them another name",
    )
    assert set(told) <= set(proved.commits[0].notes)
    assert all(text.partition(":")[0] in words for text in told)
    assert proved.commits[0].outcome == "needs_person"


def test_a_run_and_each_of_its_commits_hold(repo: Repo, tmp_path: Path) -> None:
    lines = (
        calls(edit("a - b", "a + b"), checkpoint("Add adds")),
        calls(edit("a + b", "b + a"), checkpoint("Turn it round")),
        calls(FINISH),
    )
    report = agent(repo, "fix", "x", "--json", "--model", script(tmp_path / "s", *lines)).report
    ran = agent(repo, "verify", "--json", report.run)
    proved = Proved.model_validate_json(ran.out)
    assert ran.code == 0
    assert [(commit.ok, commit.green, commit.claim) for commit in proved.commits] == [(True, True, "agrees")] * 2
    assert [commit.proof.mode for commit in proved.commits] == ["reproduction", "none"]
    assert proved.target == f"run {report.run}"
    target = find_target(open_repository(repo.path), report.branch)
    assert [listed.commit for listed in target.commits] == [step.commit for step in report.steps]


def test_a_persons_commit_is_judged_as_well(repo: Repo) -> None:
    repo.commit({"calc.py": RIGHT}, "right")
    proved, words = look(repo)
    assert [(commit.green, commit.claim) for commit in proved.commits] == [(True, "none")]
    assert proved.commits[0].proof.green == ("test_calc.py::test_add",)
    assert "✓ proved" in words


def test_a_commit_that_breaks_something_does_not_hold(repo: Repo) -> None:
    repo.commit({"calc.py": "def add(a, b):\n    return a - b + 1\n"}, "wrong")
    proved, words = look(repo)
    assert not proved.ok
    assert "test_calc.py::test_zero" in proved.commits[0].detail
    assert "✗ test_calc.py::test_zero (test_calc.py:9)" in words


def test_a_tip_that_fails_as_before_is_not_proved_unless_that_is_enough(repo: Repo) -> None:
    repo.commit({"notes.txt": "nothing to do with it\n"}, "notes")
    proved, words = look(repo)
    assert (proved.ok, proved.green) == (True, False)
    assert "not proved: nothing got worse, but not every check passes" in words
    assert agent(repo, "verify", "HEAD~1..HEAD", "--no-worse").code == 0


def test_a_claim_about_another_tree_is_found_out(repo: Repo) -> None:
    repo.commit({"calc.py": RIGHT})
    claim(repo, "a" * 40, "syntax=passed pytest=passed(1)")
    proved, words = look(repo, checks=GREEN)
    assert proved.commits[0].claim == "differs"
    assert f"the commit says that its tree is {'a' * 40}" in words
    assert "not proved: a commit says something else" in words


def test_a_check_that_is_not_given_again_is_named(repo: Repo) -> None:
    repo.commit({"calc.py": RIGHT})
    claim(repo, repo.git("rev-parse", "HEAD^{tree}"), "syntax=passed pytest=passed(1) mine=passed(1)")
    assert "mine=passed" in look(repo, checks=GREEN)[1]
    proved, _ = look(repo, checks=(*GREEN, "mine=true"))
    assert (proved.commits[0].claim, proved.commits[0].contradiction) == ("agrees", ())


def test_what_cannot_be_proved_is_refused_in_one_line(repo: Repo) -> None:
    ran = agent(repo, "verify", "#12")
    assert ran.code == 2
    assert len(ran.err.strip().splitlines()) == 1


def test_commits_do_not_say_how_they_are_judged(repo: Repo) -> None:
    repo.commit({"pyproject.toml": '[tool.git-agent.checks]\nonly = "true"\n'}, "only this one counts")
    assert "only" not in {check.name for check in look(repo)[0].commits[0].checks}


def test_a_commit_that_changes_a_test_needs_a_person(repo: Repo) -> None:
    tests = (repo.path / "test_calc.py").read_text()
    repo.commit({"test_calc.py": tests.replace("== 3", "== -1")}, "weaker")
    proved, words = look(repo)
    assert (proved.commits[0].green, proved.commits[0].outcome) == (True, "needs_person")
    assert "needs a person: test_calc.py" in words
    assert "✓ proved" not in words


def test_a_commit_that_drops_a_test_says_which(repo: Repo) -> None:
    repo.commit({"test_calc.py": "def test_other():\n    pass\n"}, "fewer")
    proved, words = look(repo)
    assert proved.commits[0].outcome == "needs_person"
    assert "needs a person: test_calc.py: test_add (removed)" in words


def test_a_commit_that_drops_code_with_its_test_is_not_blamed(repo: Repo) -> None:
    repo.commit({"calc.py": f"{RIGHT}\n\ndef old():\n    return 1\n", "test_old.py": OLD}, "old")
    repo.git("rm", "-q", "test_old.py")
    repo.commit({"calc.py": RIGHT}, "without old")
    proved, words = look(repo)
    assert proved.commits[0].outcome == "needs_person"
    assert "needs a person: test_old.py: test_old (removed: test_old.py is gone)" in words
    assert "does not hold: " not in words


def test_a_commit_that_drops_a_test_and_breaks_another_does_not_hold(repo: Repo) -> None:
    repo.commit({"test_old.py": OLD, "calc.py": f"{RIGHT}\n\ndef old():\n    return 1\n"}, "old")
    repo.git("rm", "-q", "test_old.py")
    repo.commit({"calc.py": "def add(a, b):\n    return 0\n"}, "broken")
    assert look(repo)[0].commits[0].outcome == "fails"


def test_a_commit_that_only_makes_a_test_one_of_several_cases_holds(repo: Repo) -> None:
    repo.commit({"calc.py": RIGHT, "test_calc.py": ONE}, "one")
    repo.commit({"test_calc.py": SEVERAL}, "several")
    proved, _ = look(repo)
    assert (proved.commits[0].outcome, proved.commits[0].doubts) == ("holds", ())


def test_very_first_commit_is_held_against_nothing(repo: Repo) -> None:
    proved, _ = look(repo, "main", root=True, checks=ADDS)
    assert (proved.ok, proved.base, proved.base_checks) == (False, "", ())
    repo.write({"calc.py": RIGHT})
    repo.git("commit", "-q", "--all", "--amend", "--no-gpg-sign", "-m", "right from the start")
    proved, _ = look(repo, "main", root=True, checks=ADDS)
    assert (proved.green, proved.commits[0].doubts) == (True, ())


def test_merge_is_judged_as_one_change_and_said_to_be_one(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "topic")
    repo.commit({"calc.py": "def add(a, b):\n    return 0\n"}, "halfway")
    repo.commit({"calc.py": RIGHT}, "right")
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--no-ff", "--no-gpg-sign", "-m", "merge", "topic")
    proved, words = look(repo, checks=ADDS)
    assert proved.green
    assert "a merge, held against its first parent" in words


def test_what_only_the_checkout_has_is_named_although_nothing_got_worse(repo: Repo) -> None:
    text = "def test_data():\n    assert open('kept/data.txt').read()\n"
    repo.commit({"calc.py": RIGHT, "test_data.py": text, ".gitignore": "kept/\n"}, "needs data")
    repo.commit({"README": "words\n"}, "words")
    repo.write({"kept/data.txt": "data\n"})
    proved, words = look(repo)
    assert proved.commits[0].outcome == "holds"
    assert "• the checks lack kept, which no commit holds; to carry it: git config --add agent.carry kept" in words
    assert "fails as before: test_data.py::test_data" in words


def test_a_project_without_tests_is_said_to_be_one(repo: Repo) -> None:
    repo.git("rm", "-q", "test_calc.py")
    repo.commit({"calc.py": RIGHT}, "no tests")
    repo.commit({"calc.py": f"{RIGHT}# more\n"}, "more")
    assert "no test was found: nothing here says what the code does" in look(repo)[1]


def test_a_tool_in_another_version_than_the_projects_blames_nobody(repo: Repo) -> None:
    hook = "repos:\n- repo: https://example.com/ruff-pre-commit\n  rev: v0.0.1\n  hooks:\n  - id: ruff-check\n"
    repo.commit({".pre-commit-config.yaml": hook, "ruff.toml": "", "calc.py": RIGHT}, "linted")
    repo.commit({"calc.py": f"import os\n\n\n{RIGHT}"}, "unused")
    proved, words = look(repo)
    commit = proved.commits[0]
    assert (commit.outcome, commit.green) == ("needs_person", False)
    assert {check.name: check.status for check in commit.checks}["pytest"] == "passed"
    assert "where the project names 0.0.1" in words
    assert "newly complains of calc.py:1: F401" in words
