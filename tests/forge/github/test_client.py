"""Every method of the client against the stand-in, which holds each request against GitHub's own description."""

import subprocess
import sys
import time

import pytest

from bot.core.hub import Annotation, CheckRun
from bot.errors import ForgeDenied, ForgeNotFound, ForgeRejected
from bot.forge.github.client import GitHub
from bot.forge.github.patience import Patience
from tests.hub.standin import READ_TOKEN, WRITE_TOKEN, JobSeed, Standin

PATIENCE = Patience(connect=2, read=2, whole=5, sleep=lambda _: None)


def client(hub: Standin, token: str = WRITE_TOKEN) -> GitHub:
    return GitHub(
        hub.api, token, hub.full_name, server_url=hub.server, graphql_url=hub.graph, patience=PATIENCE, log=print
    )


def branch(hub: Standin, name: str) -> str:
    store = hub.git
    sha = store.git("commit-tree", "-p", "refs/heads/main", "-m", name, "refs/heads/main^{tree}")
    store.git("update-ref", f"refs/heads/{name}", sha)
    return sha


def test_what_github_tells_comes_in_our_words(hub: Standin) -> None:
    reader = client(hub, READ_TOKEN)
    told = reader.repository()
    assert (told.full_name, told.default_branch, told.private) == (hub.full_name, "main", hub.world.settings.private)
    for login, role in (("mia", "maintain"), ("tom", "triage"), ("eve", "none")):
        hub.allow(login, role)
        assert reader.permission(login) == role
    assert reader.permission("stranger") == "none"
    assert reader.whoami() is None
    issue = hub.issue("It <b>fails</b>", None, None, labels=["bug"])
    seen = reader.issue(issue.number)
    assert (seen.title, seen.body, seen.author, seen.labels) == ("It <b>fails</b>", "", None, ("bug",))
    assert seen.open
    assert not seen.pull
    for number in range(103):
        hub.comment(issue.number, f"comment {number}", None if number == 7 else "ann")
    comments = reader.comments(issue.number)
    assert [comment.body for comment in comments] == [f"comment {number}" for number in range(103)]
    assert comments[7].author is None
    assert comments[8].author is not None
    assert abs(comments[8].created - time.time()) < 60
    assert reader.comments(issue.number, since=time.time() + 3600) == ()
    with pytest.raises(ForgeNotFound):
        reader.pull(issue.number)


def test_branches_are_told_apart_by_their_whole_names(hub: Standin) -> None:
    reader = client(hub, READ_TOKEN)
    main, tip = hub.git.branches()["main"], branch(hub, "feature/#1")
    assert (reader.branch_tip("feature/#1"), reader.branch_tip("feature")) == (tip, "")
    assert [reader.is_protected(name) for name in ("main", "feature/#1", "nothing")] == [True, False, False]
    assert reader.compare(main, tip) == "ahead"
    assert reader.compare(tip, main) == "behind"
    assert reader.compare(main, main) == "identical"
    assert reader.pushed_at("nothing") is None
    pushed = reader.pushed_at("main")
    assert pushed is not None
    assert abs(pushed - time.time()) < 60


def test_pull_requests_are_found_by_branch_also_when_the_fork_is_gone(hub: Standin) -> None:
    reader = client(hub, READ_TOKEN)
    tip = branch(hub, "agent/x")
    mine = hub.pull("agent/x")
    hub.fork("eve/widgets")
    theirs = hub.pull("agent/x", fork="eve/widgets", author="eve")
    assert [pull.number for pull in reader.pulls(head="agent/x")] == [mine.number]
    assert [pull.number for pull in reader.pulls(base="main")] == [theirs.number, mine.number]
    assert reader.pulls(base="other") == ()
    told = reader.pull(mine.number)
    assert (told.head_sha, told.head_ref, told.base_ref) == (tip, "agent/x", "main")
    assert (told.head_repository, told.open, told.merged) == (hub.full_name, True, False)
    assert reader.issue(mine.number).pull
    hub.delete_fork("eve/widgets")
    assert reader.pull(theirs.number).head_repository == ""
    hub.lies.clear()  # GitHub's description of itself forgets that a fork may be gone


def test_red_runs_show_their_jobs_logs_and_remarks(hub: Standin) -> None:
    reader = client(hub, READ_TOKEN)
    remark = {"path": "calc.py", "start_line": 2, "end_line": 2, "annotation_level": "failure", "message": "no"}
    run = hub.run("main", JobSeed("test", log="red\n", annotations=(remark,)), JobSeed("lint", "success", log=None))
    test, lint = reader.jobs(run.id, 1)
    assert (test.name, test.conclusion, test.steps[1].conclusion) == ("test", "failure", "failure")
    assert reader.log(test.id) == "red\n"
    assert reader.log(lint.id) is None
    assert reader.log(12345) is None
    assert reader.annotations(test.check) == (Annotation(path="calc.py", start=2, end=2, message="no"),)
    with pytest.raises(ForgeNotFound):
        reader.jobs(run.id, 2)
    assert [asked.method for asked in hub.asked(pattern="^logs:")] == ["GET"]


def test_what_is_written_is_there_once(hub: Standin) -> None:
    writer = client(hub)
    issue = hub.issue()
    hub.fail("POST", "/comments$", 502, after=True)
    made = writer.create_comment(issue.number, "progress\n\n<!-- mark -->\n")
    assert [comment.id for comment in hub.comments(issue.number)] == [made.id]
    hub.fail("POST", "/comments$", "drop")
    writer.create_comment(issue.number, "second")
    assert [comment.body for comment in hub.comments(issue.number)][1:] == ["second"]
    hub.fail("PATCH", "/comments/", 500, after=True)
    assert writer.edit_comment(made.id, "done").body == "done"
    assert len(hub.asked("PATCH")) == 1
    assert writer.react("issue", issue.number, "eyes")
    assert writer.react("comment", made.id, "rocket")
    assert writer.react("comment", made.id, "rocket")
    assert not writer.react("comment", 4711, "eyes")
    assert [kind for _, kind in hub.reactions(hub.comments(issue.number)[0])] == ["rocket"]
    hub.world.label("agent")
    assert writer.add_labels(issue.number, ["agent", "unknown", ""]) == ("agent",)
    assert "unknown" not in hub.labels(issue.number)
    with pytest.raises(ForgeRejected) as raised:
        writer.create_comment(issue.number, "x" * 65_537)
    assert raised.value.reason == "too_long"


def test_a_pull_request_is_opened_once_and_changed_in_place(hub: Standin) -> None:
    writer = client(hub)
    branch(hub, "agent/x")
    hub.git.git("update-ref", "refs/heads/agent/same", "refs/heads/main")
    with pytest.raises(ForgeRejected) as raised:
        writer.create_pull("t", "b", "agent/same", "main")
    assert raised.value.reason == "nothing"
    hub.fail("POST", "/pulls$", 502, after=True)
    made = writer.create_pull("a fix", "because", "agent/x", "main", draft=True)
    assert writer.create_pull("a fix", "because", "agent/x", "main").number == made.number
    assert len(hub.pulls()) == 1
    assert made.draft
    assert writer.edit_pull(made.number, title="a better fix").title == "a better fix"
    assert writer.mark_ready(made)
    assert not writer.pull(made.number).draft
    assert writer.to_draft(made)
    assert not writer.mark_ready(made.model_copy(update={"node": "PR_nothing"}))
    assert writer.add_labels(made.number, ["none of these"]) == ()
    remark = hub.review_comment(made.number, "why?")
    assert writer.react("review_comment", remark.id, "+1")
    hub.fail("POST", "/replies$", 504, after=True)
    reply = writer.reply_to_review(made.number, remark.id, "because")
    assert [comment.id for comment in hub.replies(made.number)] == [remark.id, reply.id]
    assert not writer.edit_pull(made.number, state="closed").open
    assert writer.pulls(head="agent/x") == ()
    assert [pull.number for pull in writer.pulls(head="agent/x", state="all")] == [made.number]


def test_a_check_has_all_its_remarks_once(hub: Standin) -> None:
    writer = client(hub)
    notes = tuple(Annotation(path="calc.py", start=line, end=line, message=f"line {line}") for line in range(1, 121))
    check = CheckRun(
        name="git agent",
        sha=hub.git.branches()["main"],
        conclusion="neutral",
        title="one finding",
        summary="read it",
        text="more",
        annotations=notes,
        url="https://example.invalid/run",
    )
    hub.fail("POST", "/check-runs$", 502, after=True)
    hub.fail("PATCH", "/check-runs/", 502, after=True)
    hub.fail("PATCH", "/check-runs/", 502)
    assert writer.create_check(check)
    (made,) = hub.world.checks.values()
    assert [note["start_line"] for note in made.annotations] == list(range(1, 121))
    with pytest.raises(ForgeRejected) as raised:
        writer.create_check(check.model_copy(update={"summary": "é" * 40_000}))
    assert raised.value.reason == "too_long"


def test_a_token_that_may_only_read_is_told_what_it_lacks(hub: Standin) -> None:
    reader = client(hub, READ_TOKEN)
    issue = hub.issue()
    branch(hub, "agent/x")
    with pytest.raises(ForgeDenied) as commented:
        reader.create_comment(issue.number, "hello")
    assert "issues: write" in commented.value.permission
    with pytest.raises(ForgeDenied) as opened:
        reader.create_pull("t", "b", "agent/x", "main")
    assert "pull-requests: write" in opened.value.permission
    assert "pull-requests: write" in opened.value.hint
    assert not reader.react("issue", issue.number, "eyes")
    assert hub.comments(issue.number) == []
    with pytest.raises(ForgeDenied) as refused:
        client(hub, "ghs_wrong").issue(issue.number)
    assert refused.value.cause == "token"


def test_a_renamed_repository_is_followed(hub: Standin) -> None:
    writer = client(hub)
    issue = hub.issue()
    for number in range(101):
        hub.comment(issue.number, str(number))
    hub.rename("ann/gadgets")
    assert len(writer.comments(issue.number)) == 101
    assert writer.create_comment(issue.number, "still here").body == "still here"
    assert writer.repository().full_name == "ann/gadgets"
    writer.close()
    assert writer.issue(issue.number).open


def test_nothing_of_it_is_loaded_before_the_first_request() -> None:
    code = "import sys, bot.forge.github.client; print({'github', 'requests', 'urllib3'} & set(sys.modules))"
    said = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "set()"
