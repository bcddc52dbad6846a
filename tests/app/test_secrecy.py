"""That what git agent complains of holds no secret, and nothing that a workflow's runner would obey."""

from tests.product import run

TOKEN = "Kx29vTq81LmZ04bW"


def test_a_complaint_holds_no_secret_and_no_command_for_a_runner() -> None:
    done = run("-C", f"/none/{TOKEN}##[add-mask]x", "status", env={"MY_TOKEN": TOKEN, "GITHUB_ACTIONS": "true"})
    assert done.code == 2
    assert "/none/[redacted]## [add-mask]x" in done.err
