"""What changed last is on trial: where a run begins to look, and what it must not take back unasked."""

from pathlib import Path

from tests.conftest import Repo
from tests.product import FINISH, agent, calls, checkpoint, edit, script

ADD = "def add(a, b):\n"
GUARD = "    if a is None:\n        raise ValueError(a)\n"
SUM = "    return a + b\n"
CHECK = ("--check", "pytest=grep -q 'ValueError' calc.py")


def test_a_change_that_brings_back_what_the_last_commit_took_away_needs_a_person(repo: Repo, tmp_path: Path) -> None:
    before = repo.commit({"calc.py": f"{ADD}{GUARD}{SUM}"})
    repo.commit({"calc.py": f"{ADD}{SUM}"})
    lines = (calls(edit(SUM, f"{GUARD}{SUM}"), checkpoint()), calls(FINISH))
    ran = agent(repo, "fix", "--json", *CHECK, "--model", script(tmp_path / "s", *lines))
    report = ran.report
    assert (ran.code, report.outcome, report.task.since) == (1, "partial", before)
    assert len(report.steps) == 1
    told = [finding for finding in report.findings if "partial revert" in finding]
    where = f"1 change of {report.base[:10]} taken back, at calc.py:2"
    assert told == [f"needs a person: partial revert: {where}"]


def test_a_person_names_where_what_is_on_trial_begins_and_is_told_when_that_is_no_ancestor(repo: Repo) -> None:
    head = repo.git("rev-parse", "HEAD")
    assert "no commit is called 'nowhere' here" in agent(repo, "fix", "--since", "nowhere").err
    for command in ("fix", "plan"):
        ran = agent(repo, command, "--since", "HEAD")
        assert ran.code == 2
        assert f"--since 'HEAD' is not a commit that the base {head[:10]} was made from" in ran.err
