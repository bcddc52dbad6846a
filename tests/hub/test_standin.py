"""The stand-in does what GitHub does, as far as our client can tell."""

import http.client
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.hub.asking import ask, graph, push
from tests.hub.events import comment_event, dispatch_event, label_event, review_event, run_event, schedule_event
from tests.hub.fixtures import fill, hub  # noqa: F401
from tests.hub.standin import READ_TOKEN, READS, WRITES, JobSeed, Standin


@pytest.fixture
def loose(tmp_path: Path, templates: Path) -> Iterator[Standin]:
    """One whose violations are expected."""
    with Standin(tmp_path / "loose") as made:
        fill(made, templates)
        yield made
        assert made.lies == []


@pytest.fixture
def work(hub: Standin, tmp_path: Path) -> Repo:  # noqa: F811
    """A clone with a branch that has one commit more than `main`."""
    made = Repo(tmp_path / "work")
    subprocess.run(["git", "clone", "-q", str(hub.git_folder), str(made.path)], check=True)
    made.git("checkout", "-q", "-b", "agent/fix")
    made.commit({"calc.py": "def add(a, b):\n    return a + b\n"}, "mend it")
    return made


# Who is let in


def test_requests_outside_the_contract_are_refused_and_remembered(loose: Standin) -> None:
    loose.issue()
    assert ask(loose, "GET", "/hooks").status == 404
    assert ask(loose, "POST", "/issues/1/comments", {"text": "x"}).status == 422
    assert ask(loose, "GET", "/pulls?state=merged").status == 422
    assert ask(loose, "GET", "", headers={"X-GitHub-Api-Version": "2020-01-01"}).status == 400
    assert ask(loose, "POST", loose.graph, {"query": "{ viewer { nme } }"}).value["errors"]
    assert len(loose.violations) == 6
    assert loose.comments(1) == []


def test_a_token_may_what_it_is_given(hub: Standin) -> None:  # noqa: F811
    hub.issue()
    hub.token("person", "ann", installation=False)
    hub.token("stranger", "eve", installation=False)
    hub.token("fine", "ann", permissions=READS, installation=False)
    said = {"body": "x"}
    refused = ask(hub, "POST", "/issues/1/comments", said, token=READ_TOKEN)
    assert (refused.status, refused.words) == (403, "Resource not accessible by integration")
    assert refused.headers["x-accepted-github-permissions"] == "issues=write"
    assert ask(hub, "POST", "/issues/1/comments", said, token="fine").words.endswith("by personal access token")
    assert ask(hub, "GET", "", token="").status == 401
    assert ask(hub, "GET", "", token="wrong").words == "Bad credentials"
    assert ask(hub, "GET", "", token="stranger").status == 404
    assert ask(hub, "GET", "//repos/other/one").status == 404
    assert ask(hub, "GET", "//user").status == 403
    assert ask(hub, "GET", "//user", token="person").value["login"] == "ann"
    assert ask(hub, "POST", "/issues/1/comments", said, token="person").value["user"]["type"] == "User"
    assert ask(hub, "POST", "/issues/1/comments", said).value["user"]["id"] == 41898282
    assert [entry.authorized for entry in hub.asked("GET", "^$|/repos/ann/widgets$")][:1] == [False]


@pytest.mark.parametrize(
    ("role", "permission", "name"),
    [("admin", "admin", ""), ("maintain", "write", ""), ("write", "write", ""), ("triage", "read", ""),
     ("read", "read", ""), ("write", "write", "deployer")],
)  # fmt: skip
def test_permissions_are_told_as_github_tells_them(loose: Standin, role: str, permission: str, name: str) -> None:
    loose.allow("bob", role, name)
    told = ask(loose, "GET", "/collaborators/bob/permission").value
    assert (told["permission"], told["role_name"]) == (permission, name or role)


def test_nobody_unknown_has_a_permission(hub: Standin) -> None:  # noqa: F811
    hub.account("eve")
    hub.account("evil[bot]")
    assert ask(hub, "GET", "/collaborators/eve/permission").value["permission"] == "none"
    assert ask(hub, "GET", "/collaborators/nobody/permission").words == "nobody is not a user"
    assert ask(hub, "GET", "/collaborators/evil%5Bbot%5D/permission").status == 404
    hub.world.settings.private = False
    assert ask(hub, "GET", "/collaborators/eve/permission").value["permission"] == "read"


# Issues and comments


def test_comments_are_written_edited_and_limited(hub: Standin) -> None:  # noqa: F811
    issue, comments = hub.issue(author=None), "/issues/1/comments"
    made = ask(hub, "POST", comments, {"body": "x" * 65_536}).value
    edited = ask(hub, "PATCH", f"/issues/comments/{made['id']}", {"body": "done"}).value
    assert (edited["id"], edited["created_at"]) == (made["id"], made["created_at"])
    assert edited["updated_at"] > made["updated_at"]
    assert "too long" in ask(hub, "POST", comments, {"body": "🙂" * 65_537}).words
    assert ask(hub, "POST", comments, {"body": " "}).status == 422
    assert ask(hub, "GET", "/issues/1").value["user"] is None
    since = ask(hub, "GET", f"{comments}?since=2999-01-01T00:00:00Z")
    assert since.value == []
    issue.locked = True
    assert "locked" in ask(hub, "POST", comments, {"body": "x"}).words
    assert ask(hub, "DELETE", f"/issues/comments/{made['id']}").status == 204
    assert ask(hub, "GET", f"/issues/comments/{made['id']}").status == 404


def test_lists_come_in_pages(hub: Standin) -> None:  # noqa: F811
    hub.issue()
    for index in range(5):
        hub.comment(1, str(index))
    first = ask(hub, "GET", "/issues/1/comments?per_page=2")
    assert [entry["body"] for entry in first.value] == ["0", "1"]
    links = {part.split("; rel=")[1]: part.split(";")[0] for part in first.headers["link"].split(", ")}
    assert f"/repositories/{hub.world.id}/issues/1/comments?per_page=2&page=2" in links['"next"']
    last = ask(hub, "GET", links['"last"'].strip("<>"))
    assert [entry["body"] for entry in last.value] == ["4"]
    assert 'rel="next"' not in last.headers["link"]


def test_pictures_labels_and_states(hub: Standin) -> None:  # noqa: F811
    issue, comment = hub.issue(labels=["Bug"]), hub.comment(1, "/agent fix")
    assert ask(hub, "POST", f"/issues/comments/{comment.id}/reactions", {"content": "eyes"}).status == 201
    again = ask(hub, "POST", f"/issues/comments/{comment.id}/reactions", {"content": "eyes"})
    assert again.status == 200
    assert hub.reactions(comment) == [("github-actions[bot]", "eyes")]
    assert ask(hub, "DELETE", f"/issues/comments/{comment.id}/reactions/{again.value['id']}").status == 204
    assert ask(hub, "POST", "/issues/1/labels", {"labels": ["new", "bug"]}).status == 200
    assert hub.labels(1) == ["Bug", "new"]
    assert ask(hub, "GET", "/labels/BUG").value["name"] == "Bug"
    assert ask(hub, "DELETE", "/issues/1/labels/new").status == 200
    assert [entry["event"] for entry in ask(hub, "GET", "/issues/1/events").value] == ["labeled", "unlabeled"]
    assert ask(hub, "PATCH", "/issues/1", {"state": "closed"}).value["closed_at"]
    assert not issue.open
    assert ask(hub, "POST", "/labels", {"name": "bug"}).words.endswith("already_exists")


# Pull requests


def test_a_pull_request_follows_its_branch_to_its_end(hub: Standin, work: Repo) -> None:  # noqa: F811
    asked = {"title": "Mend", "head": "agent/fix", "base": "main", "body": "why", "draft": True}
    assert ask(hub, "POST", "/pulls", asked).words == "Validation Failed invalid"
    assert push(hub, work, "agent/fix").returncode == 0
    made = ask(hub, "POST", "/pulls", asked).value
    assert (made["number"], made["draft"], made["mergeable"], made["commits"]) == (1, True, True, 1)
    assert "already exists for ann:agent/fix." in ask(hub, "POST", "/pulls", asked).words
    assert [entry["number"] for entry in ask(hub, "GET", "/pulls?head=ann:agent/fix&base=main").value] == [1]
    assert ask(hub, "GET", "/pulls?head=eve:agent/fix").value == []
    assert [entry["filename"] for entry in ask(hub, "GET", "/pulls/1/files").value] == ["calc.py"]
    assert ask(hub, "GET", "/compare/main...agent/fix").value["ahead_by"] == 1
    assert ask(hub, "GET", "/issues/1").value["pull_request"]["merged_at"] is None

    tip = work.commit({"calc.py": "# other\n"}, "more")
    push(hub, work, "agent/fix")
    assert ask(hub, "GET", "/pulls/1").value["head"]["sha"] == tip
    assert hub.git.refs("refs/pull/")["refs/pull/1/head"] == tip
    for mutation, draft in (("markPullRequestReadyForReview", False), ("convertPullRequestToDraft", True)):
        query = f"mutation($id: ID!) {{ {mutation}(input: {{pullRequestId: $id}}) {{ pullRequest {{ isDraft }} }} }}"
        assert graph(hub, query, id=made["node_id"]).value["data"][mutation]["pullRequest"]["isDraft"] is draft
        missing = graph(hub, query, id="PR_none").value
        assert missing["errors"][0]["type"] == "NOT_FOUND"

    push(hub, work, ":agent/fix")
    assert ask(hub, "GET", "/pulls/1").value["state"] == "closed"
    assert "deleted" in ask(hub, "PATCH", "/pulls/1", {"state": "open"}).words
    kinds = [entry["activity_type"] for entry in ask(hub, "GET", "/activity?ref=agent/fix").value]
    assert kinds == ["branch_deletion", "push", "branch_creation"]


def test_a_pull_request_that_is_pushed_to_its_base_is_merged(hub: Standin, work: Repo) -> None:  # noqa: F811
    push(hub, work, "agent/fix")
    hub.pull("agent/fix")
    assert "No commits between" in ask(hub, "POST", "/pulls", {"title": "t", "head": "main", "base": "main"}).words
    work.git("push", "-q", str(hub.git_folder), "agent/fix:main")
    assert ask(hub, "GET", "/pulls/1").value["merged"] is True
    assert ask(hub, "PATCH", "/pulls/1", {"state": "open"}).status == 422


def test_what_stands_in_the_way_of_a_pull_request(hub: Standin, work: Repo) -> None:  # noqa: F811
    push(hub, work, "agent/fix")
    asked = {"title": "Mend", "head": "agent/fix", "base": "main", "draft": True}
    hub.world.settings.drafts = False
    assert "Draft pull requests are not supported" in ask(hub, "POST", "/pulls", asked).words
    hub.world.settings.actions_may_create_pulls = False
    assert "GitHub Actions is not permitted" in ask(hub, "POST", "/pulls", asked).words
    hub.world.settings.actions_may_create_pulls, hub.world.settings.lag = True, 1
    asked["draft"] = False
    assert "too long" in ask(hub, "POST", "/pulls", {**asked, "body": "x" * 65_537}).words
    assert ask(hub, "POST", "/pulls", asked).status == 201
    assert "Could not resolve to a node" in ask(hub, "POST", "/issues/1/labels", {"labels": ["a"]}).words
    assert ask(hub, "POST", "/issues/1/labels", {"labels": ["a"]}).status == 200
    hub.world.settings.archived = True
    assert ask(hub, "POST", "/issues/1/comments", {"body": "x"}).words == "Repository was archived so is read-only."


def test_forks_are_somebody_elses(hub: Standin, work: Repo) -> None:  # noqa: F811
    fork = hub.fork("eve/widgets")
    work.git("push", "-q", str(fork.path), "agent/fix:patch-1")
    pull = hub.pull("patch-1", fork="eve/widgets", author="eve")
    told = ask(hub, "GET", "/pulls/1").value
    assert (told["head"]["repo"]["full_name"], told["head"]["label"]) == ("eve/widgets", "eve:patch-1")
    assert told["head"]["repo"]["id"] != told["base"]["repo"]["id"]
    assert hub.git.refs("refs/pull/") == {"refs/pull/1/head": work.git("rev-parse", "agent/fix")}
    assert push(hub, work, "agent/fix:refs/pull/1/head").returncode
    hub.delete_fork("eve/widgets")
    assert ask(hub, "GET", "/pulls/1").value["head"]["repo"] is None
    assert not pull.open


# Runs of workflows


def test_logs_lie_elsewhere_and_want_no_token(hub: Standin) -> None:  # noqa: F811
    remark = {"path": "calc.py", "start_line": 2, "end_line": 2, "annotation_level": "failure", "message": "wrong"}
    old = JobSeed("old", log=None)
    run = hub.run("main", JobSeed("tests", annotations=(remark,)), old, JobSeed("lint", "success", ()), attempt=2)
    jobs = ask(hub, "GET", f"/actions/runs/{run.id}/attempts/2/jobs").value
    assert [(job["name"], job["conclusion"]) for job in jobs["jobs"]] == [
        ("tests", "failure"), ("old", "failure"), ("lint", "success"),
    ]  # fmt: skip
    assert [step["name"] for step in jobs["jobs"][0]["steps"]] == ["Set up job", "Run tests"]
    moved = ask(hub, "GET", f"/actions/jobs/{run.jobs[0].id}/logs")
    assert moved.status == 302
    assert not moved.headers["location"].startswith(hub.server)
    assert "exit code 1" in ask(hub, "GET", moved.headers["location"], token="").value
    assert ask(hub, "GET", moved.headers["location"]).status == 403
    assert [entry.authorized for entry in hub.asked("GET", "^logs:")] == [False, True]
    assert ask(hub, "GET", f"/actions/jobs/{run.jobs[1].id}/logs").status == 410
    check = jobs["jobs"][0]["check_run_url"].rpartition("/")[2]
    assert ask(hub, "GET", f"/check-runs/{check}/annotations").value[0]["message"] == "wrong"
    assert ask(hub, "GET", f"/actions/runs/{run.id}").value["conclusion"] == "failure"


def test_checks_grow(hub: Standin) -> None:  # noqa: F811
    sha = hub.git.branches()["main"]
    output = {"title": "t", "summary": "s"}
    remark = {"path": "a", "start_line": 1, "end_line": 1, "annotation_level": "notice", "message": "m"}
    asked = {"name": "agent", "head_sha": sha, "status": "completed", "conclusion": "success"}
    made = ask(hub, "POST", "/check-runs", {**asked, "output": {**output, "annotations": [remark] * 50}}).value
    grown = ask(hub, "PATCH", f"/check-runs/{made['id']}", {"output": {**output, "annotations": [remark]}}).value
    assert (grown["output"]["annotations_count"], grown["conclusion"]) == (51, "success")
    assert ask(hub, "POST", "/check-runs", {**asked, "output": {"title": "t", "summary": "ä" * 40_000}}).status == 422
    assert ask(hub, "POST", "/check-runs", {**asked, "head_sha": "0" * 40}).status == 422
    assert [entry["name"] for entry in ask(hub, "GET", "/commits/main/check-runs").value["check_runs"]] == ["agent"]


# What goes wrong


def test_it_fails_when_it_is_told_to(hub: Standin) -> None:  # noqa: F811
    hub.issue()
    said = {"body": "x"}
    hub.fail("POST", "/comments$", 502, times=2)
    assert [ask(hub, "POST", "/issues/1/comments", said).status for _ in range(3)] == [502, 502, 201]
    hub.fail("POST", "/comments$", "drop", after=True)
    with pytest.raises(http.client.RemoteDisconnected):
        ask(hub, "POST", "/issues/1/comments", said)
    assert len(hub.comments(1)) == 2
    hub.fail("GET", "/issues/1", "html")
    assert "Unicorn" in ask(hub, "GET", "/issues/1").value
    hub.fail("GET", "/issues/1", "cut")
    with pytest.raises(http.client.IncompleteRead):
        ask(hub, "GET", "/issues/1")
    hub.fail_by_secondary_limit(wait=7)
    refused = ask(hub, "GET", "/issues/1")
    assert (refused.status, refused.headers["retry-after"]) == (403, "7")
    assert "secondary rate limit" in refused.words
    hub.fail_by_limit()
    assert ask(hub, "GET", "/issues/1").headers["x-ratelimit-remaining"] == "0"
    hub.fail("GET", "/issues/1", "slow", seconds=0.01)
    assert ask(hub, "GET", "/issues/1").status == 200
    assert hub.asked("POST", "/comments$")[0].status == 502


def test_a_push_may_take_effect_though_its_answer_is_lost(hub: Standin, work: Repo) -> None:  # noqa: F811
    hub.fail("POST", "git-receive-pack$", "drop", after=True)
    assert push(hub, work, "agent/fix").returncode
    assert hub.git.branches()["agent/fix"] == work.git("rev-parse", "HEAD")
    hub.fail("GET", "info/refs$", 503)
    assert "503" in push(hub, work, "agent/fix:again").stderr


def test_the_graph_tells_of_texts(hub: Standin) -> None:  # noqa: F811
    hub.issue("Broken")
    comment = hub.comment(1, "/agent fix")
    node = hub.shapes.node("IC", comment.id)
    asked = "query($id: ID!) { node(id: $id) { ... on IssueComment { body lastEditedAt } } viewer { login } }"
    assert graph(hub, asked, id=node).value["data"]["node"] == {"body": "/agent fix", "lastEditedAt": None}
    hub.edit(comment, "/agent undo")
    assert graph(hub, asked, id=node).value["data"]["node"]["lastEditedAt"]
    fold = (
        "mutation($id: ID!) { minimizeComment(input: {subjectId: $id, classifier: OUTDATED}) "
        "{ minimizedComment { isMinimized minimizedReason } } }"
    )
    assert (
        graph(hub, fold, id=node).value["data"]["minimizeComment"]["minimizedComment"]["minimizedReason"] == "outdated"
    )
    found = 'query { repository(owner: "ann", name: "widgets") { viewerPermission issue(number: 1) { title } } }'
    assert graph(hub, found).value["data"]["repository"]["issue"] == {"title": "Broken"}
    denied = ask(hub, "POST", hub.graph, {"query": fold, "variables": {"id": node}}, token=READ_TOKEN)
    assert denied.value["errors"][0]["type"] == "FORBIDDEN"


def test_its_time_is_its_own(hub: Standin) -> None:  # noqa: F811
    before = ask(hub, "GET", "/issues").headers["date"]
    hub.pass_time(90_000)
    assert ask(hub, "GET", "/issues").headers["date"] != before


def test_another_name_leads_to_the_new_one(hub: Standin, work: Repo) -> None:  # noqa: F811
    hub.issue()
    old, clone = f"//repos/{hub.full_name}", hub.clone_url
    hub.rename("ann/gadgets")
    moved = ask(hub, "GET", f"{old}/issues/1?x=1")
    assert (moved.status, moved.value["message"]) == (301, "Moved Permanently")
    assert moved.headers["location"] == f"{hub.api}/repositories/{hub.world.id}/issues/1?x=1"
    assert ask(hub, "POST", f"{old}/issues/1/comments", {"body": "x"}).status == 307
    assert ask(hub, "GET", f"//repositories/{hub.world.id}").value["full_name"] == "ann/gadgets"
    assert clone != hub.clone_url
    assert push(hub, work, "agent/fix").returncode == 0


# Git


def test_git_is_refused_what_github_refuses(hub: Standin, work: Repo) -> None:  # noqa: F811
    hub.world.settings.largest_file = 1_000
    hub.token("workflows", permissions={**WRITES, "workflows": "write"})
    assert "denied to github-actions[bot]" in push(hub, work, "agent/fix", token=READ_TOKEN).stderr
    assert push(hub, work, "agent/fix", token="wrong").returncode == 128
    refused = push(hub, work, "agent/fix:main", "agent/fix:refs/pull/9/head", "agent/fix:other")
    assert "[remote rejected] (protected branch hook declined)" in refused.stdout
    assert "[remote rejected] (deny updating a hidden ref)" in refused.stdout
    assert "GH006" in refused.stderr
    assert "GH002" in push(hub, work, f"agent/fix:refs/heads/{'a' * 40}").stderr
    assert hub.git.branches().keys() == {"main"}

    assert push(hub, work, "agent/fix", "agent/fix:refs/agent/runs/1").returncode == 0
    work.git("commit", "-q", "--amend", "-m", "other")
    assert "(non-fast-forward)" in push(hub, work, "agent/fix").stdout
    assert "(stale info)" in push(hub, work, f"--force-with-lease=agent/fix:{'1' * 40}", "agent/fix").stdout
    assert push(hub, work, "+agent/fix").returncode == 0
    assert [entry.kind for entry in hub.activity()][-1] == "force_push"

    work.commit({".github/workflows/ci.yml": "on: push\n"})
    said = "refusing to allow a GitHub App to create or update workflow `.github/workflows/ci.yml` without `workflows`"
    assert said in push(hub, work, "agent/fix").stdout
    assert push(hub, work, "agent/fix", token="workflows").returncode == 0
    work.commit({"a large one": "x" * 1_001})
    assert "File a large one is larger" in push(hub, work, "agent/fix").stderr
    hub.world.settings.archived = True
    assert "read-only" in push(hub, work, "agent/fix").stderr


def test_commits_are_fetched_by_their_id_and_in_part(hub: Standin, tmp_path: Path) -> None:  # noqa: F811
    hub.world.settings.private = False
    tip = hub.git.branches()["main"]
    target = Repo(tmp_path / "part")
    subprocess.run(["git", "init", "-q", str(target.path)], check=True)
    target.git("fetch", "-q", "--depth=1", "--filter=blob:none", hub.clone_url, tip)
    assert target.git("rev-parse", "FETCH_HEAD") == tip
    hub.world.settings.private = True
    assert target.git("ls-remote", hub.clone_url, check=False) == ""


# What others start from


def test_events_are_as_github_hands_them_over(hub: Standin, work: Repo) -> None:  # noqa: F811
    push(hub, work, "agent/fix")
    issue, pull = hub.issue(), hub.pull("agent/fix")
    told = comment_event(hub, hub.comment(issue.number, "/agent fix", "bob"))
    assert (told["comment"]["user"]["login"], told["issue"]["number"]) == ("bob", issue.number)
    assert "pull_request" not in told["issue"]
    assert comment_event(hub, hub.comment(pull.number, "/agent fix"))["issue"]["pull_request"]
    reviewed = review_event(hub, hub.review_comment(pull.number, "/agent fix"))
    assert reviewed["pull_request"]["head"]["sha"] == reviewed["comment"]["commit_id"]
    hub.label(issue.number, "agent")
    assert label_event(hub, issue.number, "agent")["label"]["name"] == "agent"
    assert run_event(hub, hub.run("agent/fix", pulls=(pull.number,)))["workflow_run"]["conclusion"] == "failure"
    assert dispatch_event(hub, {"order": "fix"})["inputs"] == {"order": "fix"}
    assert schedule_event(hub)["repository"]["default_branch"] == "main"


def test_it_runs_as_a_process(tmp_path: Path, repo: Repo) -> None:
    steps = [
        ["allow", {"login": "bob", "role": "write"}],
        ["issue", {"title": "It is broken"}],
        ["run", {"branch": "main", "jobs": [{"name": "tests"}]}],
    ]
    (tmp_path / "seed.json").write_text(json.dumps(steps))
    command = [sys.executable, "-m", "tests.hub", str(tmp_path / "hub"), "--git", str(repo.path)]
    with subprocess.Popen(
        [*command, "--seed", str(tmp_path / "seed.json")], cwd=Path(__file__).parents[2], stdout=subprocess.PIPE
    ) as process:
        try:
            assert process.stdout
            told = json.loads(process.stdout.readline())
            answer = subprocess.run(["git", "ls-remote", told["clone"]], capture_output=True, text=True, check=False)
            assert answer.returncode == 128
        finally:
            process.terminate()
    assert process.returncode == 0
