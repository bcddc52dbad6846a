"""What is written to GitHub: secrets are taken out of all texts, whoever composed them."""

from bot.core.hub import Annotation, CheckRun
from bot.forge.github.client import GitHub
from tests.hub.standin import WRITE_TOKEN, Standin

KEY = "no-form-at-all-0123456789"


def test_no_text_that_is_written_holds_a_secret_and_names_stay_as_they_are(hub: Standin) -> None:
    github = GitHub(hub.api, WRITE_TOKEN, hub.full_name, server_url=hub.server, secrets=(KEY,))
    issue = hub.issue()
    told = f"{KEY} {KEY[::-1]} {WRITE_TOKEN} {KEY.encode().hex()}"
    comment = github.create_comment(issue.number, told)
    github.edit_comment(comment.id, f"again {told}")
    made = hub.git.git("commit-tree", "-p", "main", "-m", "x", "main^{tree}")
    hub.git.git("update-ref", f"refs/heads/agent/{KEY}", made)
    pull = github.create_pull(told, told, f"agent/{KEY}", "main")
    note = Annotation(path="calc.py", start=1, end=1, level="warning", title=told, message=told)
    github.create_check(_check(pull.head_sha, told, note))
    sent = [str(asked.body) for asked in hub.requests if asked.method != "GET"]
    assert len(sent) == 4
    for text in (KEY[::-1], WRITE_TOKEN, KEY.encode().hex()):
        assert not any(text in body for body in sent)
    assert [body.count(KEY) for body in sent] == [0, 0, 1, 0]
    assert pull.head_ref == f"agent/{KEY}"


def _check(sha: str, told: str, note: Annotation) -> CheckRun:
    return CheckRun(
        name="x", sha=sha, conclusion="neutral", title=told[:200], summary=told, text=told, annotations=(note,)
    )


def test_commits_of_a_pull_request_are_told_with_who_wrote_them(hub: Standin) -> None:
    github = GitHub(hub.api, WRITE_TOKEN, hub.full_name, server_url=hub.server)
    made = hub.git.git("commit-tree", "-p", "main", "-m", "one", "main^{tree}")
    hub.git.git("update-ref", "refs/heads/topic", made)
    (commit,) = github.pull_commits(hub.pull("topic").number)
    assert (commit.sha, commit.message) == (made, "one")
    assert commit.author == commit.committer == "Hub <hub@example.invalid>"
