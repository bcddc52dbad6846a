"""What the tests do not decide is asked by the report, whatever a model says of its change."""

from pathlib import Path

from bot.core.report import Report
from bot.core.undecided import questions
from bot.git.repository import open_repository
from bot.git.runs import list_runs
from tests.conftest import make_repo
from tests.product import agent
from tests.repair.test_vote import PROJECT


def test_a_change_beside_which_others_pass_is_verified_and_asked_about(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "bank")
    repo.commit(PROJECT)
    ran = agent(repo, "fix", "--model", "offline")
    assert ran.code == 0, ran.err
    first, *_ = ran.out.strip().split("\n")
    assert first.startswith("✓ verified, with 1 open question: every check passes")
    told = " ".join(ran.out.split())
    asked = "? bank.py:"
    assert asked in told
    assert told.index(asked) < told.index("Proof")
    assert ": the tests do not decide between `" in told
    assert "for `below_zero([" in told
    (run,) = list_runs(open_repository(repo.path))
    kept = agent(repo, "show", run, "--json")
    (question,) = questions(Report.model_validate_json(kept.out).findings)
    assert question in told
    # The commit says so, too: it may travel without the report
    body = repo.git("log", "-1", "--format=%b", ran.out.partition("Branch  ")[2].split()[0])
    assert "The tests do not decide between this and another small edit" in body
    assert "Say which is right before this is merged" in body
