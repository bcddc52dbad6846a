"""Values of the stand-in in the words of GitHub; keys that say nothing to us are filled in from the contract."""

import base64
from typing import Any, TypeAlias
from urllib.parse import quote

from tests.hub.store import Changed, Found
from tests.hub.world import (
    Account,
    Activity,
    Check,
    Comment,
    Event,
    Issue,
    Job,
    Label,
    Pull,
    Reaction,
    Run,
    World,
    stamp,
)

Json: TypeAlias = Any
PICTURES = ("+1", "-1", "laugh", "confused", "heart", "hooray", "eyes", "rocket")


class Shapes:
    """All of them, with the addresses of one server."""

    def __init__(self, world: World, api: str, server: str) -> None:
        self.world, self.api, self.server = world, api, server

    @property
    def url(self) -> str:
        """Where the repository is in the interface."""
        return f"{self.api}/repos/{self.world.full_name}"

    @property
    def page(self) -> str:
        """Where a person sees the repository."""
        return f"{self.server}/{self.world.full_name}"

    def node(self, kind: str, number: int) -> str:
        """Return the id of something for the graph interface."""
        return f"{kind}_{base64.urlsafe_b64encode(f'{self.world.id}:{number}'.encode()).decode().rstrip('=')}"

    def account(self, account: Account | None) -> Json:
        """A person or a bot; null for one that is gone."""
        if account is None:
            return None
        here = f"{self.api}/users/{quote(account.login)}"
        ends = ("followers", "subscriptions", "organizations", "repos", "received_events")
        return {
            "login": account.login,
            "id": account.id,
            "node_id": self.node("U", account.id),
            "type": account.kind,
            "site_admin": False,
            "avatar_url": f"{self.server}/avatars/{account.id}",
            "gravatar_id": "",
            "url": here,
            "html_url": self.server
            + ("/apps/" if account.kind == "Bot" else "/")
            + account.login.removesuffix("[bot]"),
            "following_url": f"{here}/following{{/other_user}}",
            "gists_url": f"{here}/gists{{/gist_id}}",
            "starred_url": f"{here}/starred{{/owner}}{{/repo}}",
            "events_url": f"{here}/events{{/privacy}}",
            **{f"{name}_url": f"{here}/{name}" for name in ends},
        }

    def repository(self, full_name: str | None = None) -> Json:
        """The repository, or a fork of it."""
        world = self.world
        name = full_name or world.full_name
        own = name == world.full_name
        owner = world.account(name.partition("/")[0])
        url, page = f"{self.api}/repos/{name}", f"{self.server}/{name}"
        return {
            "id": world.id if own else world.id + 1 + list(world.forks).index(name),
            "node_id": self.node("R", world.id if own else 0),
            "name": name.partition("/")[2],
            "full_name": name,
            "owner": self.account(owner),
            "private": world.settings.private,
            "visibility": "private" if world.settings.private else "public",
            "fork": not own,
            "html_url": page,
            "url": url,
            "clone_url": f"{page}.git",
            "git_url": f"git:{page.partition(':')[2]}.git",
            "ssh_url": f"git@localhost:{name}.git",
            "default_branch": world.default_branch,
            "archived": world.settings.archived,
            "disabled": False,
            "has_issues": world.settings.issues,
            "description": None,
            "language": "Python",
            "created_at": "2024-01-01T00:00:00Z",
            "updated_at": "2024-01-01T00:00:00Z",
            "pushed_at": "2024-01-01T00:00:00Z",
            "topics": [],
            "license": None,
            "mirror_url": None,
            "homepage": None,
            **self._repository_urls(url, page),
        }

    def _repository_urls(self, url: str, page: str) -> Json:
        plain = ("contributors", "deployments", "downloads", "events", "forks", "hooks", "languages", "merges",
                 "stargazers", "subscribers", "subscription", "tags", "teams")  # fmt: skip
        ended = {
            "archive": "/{archive_format}{/ref}", "assignees": "/assignees{/user}", "blobs": "/git/blobs{/sha}",
            "branches": "/branches{/branch}", "collaborators": "/collaborators{/collaborator}",
            "comments": "/comments{/number}", "commits": "/commits{/sha}", "compare": "/compare/{base}...{head}",
            "contents": "/contents/{+path}", "git_commits": "/git/commits{/sha}", "git_refs": "/git/refs{/sha}",
            "git_tags": "/git/tags{/sha}", "issue_comment": "/issues/comments{/number}",
            "issue_events": "/issues/events{/number}", "issues": "/issues{/number}", "keys": "/keys{/key_id}",
            "labels": "/labels{/name}", "milestones": "/milestones{/number}",
            "notifications": "/notifications{?since,all,participating}", "pulls": "/pulls{/number}",
            "releases": "/releases{/id}", "statuses": "/statuses/{sha}", "trees": "/git/trees{/sha}",
        }  # fmt: skip
        return {
            **{f"{name}_url": f"{url}/{name}" for name in plain},
            **{f"{name}_url": url + end for name, end in ended.items()},
            "svn_url": page,
        }

    def reactions(self, entries: list[Reaction], url: str) -> Json:
        """How many of each picture."""
        counts = {name: sum(entry.content == name for entry in entries) for name in PICTURES}
        return {"url": f"{url}/reactions", "total_count": len(entries), **counts}

    def reaction(self, entry: Reaction) -> Json:
        """One of them."""
        return {
            "id": entry.id,
            "node_id": self.node("REA", entry.id),
            "user": self.account(entry.account),
            "content": entry.content,
            "created_at": stamp(entry.created),
        }

    def label(self, label: Label) -> Json:
        """A label."""
        return {
            "id": label.id,
            "node_id": self.node("LA", label.id),
            "url": f"{self.url}/labels/{label.name}",
            "name": label.name,
            "color": label.color,
            "default": False,
            "description": label.description,
        }

    def issue_page(self, issue: Issue) -> str:
        """Where a person sees an issue."""
        return f"{self.page}/{'pull' if issue.pull else 'issues'}/{issue.number}"

    def issue(self, issue: Issue) -> Json:
        """An issue, or the issue side of a pull request."""
        url = f"{self.url}/issues/{issue.number}"
        made = {
            **self._issue_words(issue),
            "id": 2_000_000 + issue.number,
            "node_id": self.node("PR" if issue.pull else "I", issue.number),
            "url": url,
            "repository_url": self.url,
            "labels_url": f"{url}/labels{{/name}}",
            "comments_url": f"{url}/comments",
            "events_url": f"{url}/events",
            "state_reason": issue.reason,
            "reactions": self.reactions(issue.reactions, url),
            "comments": len(self.world.comments_of(issue.number)),
        }
        if issue.pull:
            pull = f"{self.url}/pulls/{issue.number}"
            page = self.issue_page(issue)
            merged = stamp(issue.closed) if issue.pull.merged else None
            made["pull_request"] = {
                "url": pull, "html_url": page, "diff_url": f"{page}.diff", "patch_url": f"{page}.patch",
                "merged_at": merged,
            }  # fmt: skip
            made["draft"] = issue.pull.draft
        return made

    def _issue_words(self, issue: Issue) -> Json:
        """What issues and pull requests have alike."""
        return {
            "number": issue.number,
            "title": issue.title,
            "body": issue.body,
            "user": self.account(issue.author),
            "state": "open" if issue.open else "closed",
            "locked": issue.locked,
            "active_lock_reason": None,
            "labels": [self.label(self.world.label(name)) for name in issue.labels],
            "assignee": None,
            "assignees": [],
            "milestone": None,
            "html_url": self.issue_page(issue),
            "created_at": stamp(issue.created),
            "updated_at": stamp(issue.updated),
            "closed_at": stamp(issue.closed),
            "author_association": self.association(issue.author),
        }

    def association(self, account: Account | None) -> str:
        """What GitHub believes somebody to be to the repository."""
        if account is None:
            return "NONE"
        if account.login == self.world.owner:
            return "OWNER"
        return "COLLABORATOR" if self.world.roles.get(account.login.lower()) else "NONE"

    def comment(self, comment: Comment) -> Json:
        """A comment on an issue."""
        issue = self.world.issues[comment.number]
        url = f"{self.url}/issues/comments/{comment.id}"
        return {
            "id": comment.id,
            "node_id": self.node("IC", comment.id),
            "url": url,
            "html_url": f"{self.issue_page(issue)}#issuecomment-{comment.id}",
            "issue_url": f"{self.url}/issues/{comment.number}",
            "body": comment.body,
            "user": self.account(comment.author),
            "created_at": stamp(comment.created),
            "updated_at": stamp(comment.updated),
            "author_association": self.association(comment.author),
            "performed_via_github_app": None,
            "reactions": self.reactions(comment.reactions, url),
        }

    def review_comment(self, comment: Comment) -> Json:
        """A comment on lines of a pull request."""
        spot = comment.spot
        assert spot
        issue = self.world.issues[comment.number]
        url, page = f"{self.url}/pulls/comments/{comment.id}", f"{self.issue_page(issue)}#discussion_r{comment.id}"
        pull = f"{self.url}/pulls/{comment.number}"
        made = {
            "id": comment.id,
            "node_id": self.node("PRRC", comment.id),
            "url": url,
            "html_url": page,
            "pull_request_url": pull,
            "pull_request_review_id": None,
            "body": comment.body,
            "user": self.account(comment.author),
            "created_at": stamp(comment.created),
            "updated_at": stamp(comment.updated),
            "author_association": self.association(comment.author),
            "path": spot.path,
            "line": spot.line,
            "original_line": spot.line,
            "side": "RIGHT",
            "subject_type": "line",
            "diff_hunk": spot.hunk,
            "commit_id": spot.commit,
            "original_commit_id": spot.commit,
            "reactions": self.reactions(comment.reactions, url),
            "_links": {"self": {"href": url}, "html": {"href": page}, "pull_request": {"href": pull}},
        }
        return made if spot.reply_to is None else {**made, "in_reply_to_id": spot.reply_to}

    def event(self, event: Event) -> Json:
        """Something that happened to an issue."""
        made = {
            "id": event.id,
            "node_id": self.node("EV", event.id),
            "url": f"{self.url}/issues/events/{event.id}",
            "event": event.event,
            "actor": self.account(event.actor),
            "created_at": stamp(event.created),
            "commit_id": None,
            "commit_url": None,
            "performed_via_github_app": None,
        }
        return {**made, "label": {"name": event.label, "color": "ededed"}} if event.label else made

    def pull(self, issue: Issue, *, whole: bool = True) -> Json:
        """A pull request; in lists without what costs a merge."""
        pull = issue.pull
        assert pull
        url, page = f"{self.url}/pulls/{issue.number}", self.issue_page(issue)
        made = {
            **self._issue_words(issue),
            "id": 3_000_000 + issue.number,
            "node_id": self.node("PR", issue.number),
            "url": url,
            "diff_url": f"{page}.diff",
            "patch_url": f"{page}.patch",
            "issue_url": f"{self.url}/issues/{issue.number}",
            "commits_url": f"{url}/commits",
            "review_comments_url": f"{url}/comments",
            "review_comment_url": f"{self.url}/pulls/comments{{/number}}",
            "comments_url": f"{self.url}/issues/{issue.number}/comments",
            "statuses_url": f"{self.url}/statuses/{pull.head_sha}",
            "draft": pull.draft,
            "merged_at": stamp(issue.closed) if pull.merged else None,
            "merge_commit_sha": pull.merge_sha,
            "auto_merge": None,
            "requested_reviewers": [self.account(self.world.account(name)) for name in pull.reviewers],
            "requested_teams": [],
            "head": self._side(pull.head_repository, pull.head_ref, pull.head_sha),
            "base": self._side(self.world.full_name, pull.base_ref, pull.base_sha),
            "_links": self._pull_links(issue, pull),
        }
        return {**made, **self._merging(issue, pull)} if whole else made

    def _side(self, repository: str | None, ref: str, sha: str) -> Json:
        owner = repository.partition("/")[0] if repository else None
        return {
            "label": f"{owner or 'unknown repository'}:{ref}" if owner else ref,
            "ref": ref,
            "sha": sha,
            "user": self.account(self.world.account(owner)) if owner else None,
            "repo": self.repository(repository) if repository else None,
        }

    def _pull_links(self, issue: Issue, pull: Pull) -> Json:
        url, issues = f"{self.url}/pulls/{issue.number}", f"{self.url}/issues/{issue.number}"
        links = {
            "self": url,
            "html": self.issue_page(issue),
            "issue": issues,
            "comments": f"{issues}/comments",
            "review_comments": f"{url}/comments",
            "review_comment": f"{self.url}/pulls/comments{{/number}}",
            "commits": f"{url}/commits",
            "statuses": f"{self.url}/statuses/{pull.head_sha}",
        }
        return {name: {"href": link} for name, link in links.items()}

    def _merging(self, issue: Issue, pull: Pull) -> Json:
        store = self.world.store
        clean = issue.open and store.merges(pull.base_sha, pull.head_sha)
        commits = store.log(f"{pull.base_sha}..{pull.head_sha}")
        fork = store.merge_base(pull.base_sha, pull.head_sha) or pull.base_sha
        changes = store.changes(fork, pull.head_sha)
        return {
            "merged": pull.merged,
            "mergeable": clean if issue.open else None,
            "mergeable_state": ("draft" if pull.draft else "clean") if clean else "dirty" if issue.open else "unknown",
            "rebaseable": clean if issue.open else None,
            "merged_by": None,
            "maintainer_can_modify": pull.modifiable,
            "comments": len(self.world.comments_of(issue.number)),
            "review_comments": len(self.world.comments_of(issue.number, review=True)),
            "commits": len(commits),
            "additions": sum(entry.added for entry in changes),
            "deletions": sum(entry.removed for entry in changes),
            "changed_files": len(changes),
        }

    def file(self, change: Changed, sha: str) -> Json:
        """A file of a pull request or of a comparison."""
        made = {
            "filename": change.path,
            "status": change.status,
            "sha": change.sha,
            "additions": change.added,
            "deletions": change.removed,
            "changes": change.added + change.removed,
            "blob_url": f"{self.page}/blob/{sha}/x",
            "raw_url": f"{self.page}/raw/{sha}/x",
            "contents_url": f"{self.url}/contents/x?ref={sha}",
        }
        return {**made, "previous_filename": change.before} if change.before else made

    def commit(self, found: Found) -> Json:
        """A commit, as lists of commits have it."""
        url = f"{self.url}/commits/{found.sha}"
        return {
            "sha": found.sha,
            "node_id": self.node("C", int(found.sha[:8], 16)),
            "url": url,
            "html_url": f"{self.page}/commit/{found.sha}",
            "comments_url": f"{url}/comments",
            "author": None,
            "committer": None,
            "parents": [self._parent(sha) for sha in found.parents],
            "commit": {
                "url": f"{self.url}/git/commits/{found.sha}",
                "author": _person(found.author),
                "committer": _person(found.committer),
                "message": found.message,
                "comment_count": 0,
                "tree": {"sha": found.tree, "url": f"{self.url}/git/trees/{found.tree}"},
                "verification": UNSIGNED,
            },
        }

    def git_commit(self, found: Found) -> Json:
        """A commit, as git's own objects have it."""
        return {
            "sha": found.sha,
            "node_id": self.node("C", int(found.sha[:8], 16)),
            "url": f"{self.url}/git/commits/{found.sha}",
            "html_url": f"{self.page}/commit/{found.sha}",
            "author": _person(found.author),
            "committer": _person(found.committer),
            "message": found.message,
            "tree": {"sha": found.tree, "url": f"{self.url}/git/trees/{found.tree}"},
            "parents": [self._parent(sha) for sha in found.parents],
            "verification": UNSIGNED,
        }

    def _parent(self, sha: str) -> Json:
        return {"sha": sha, "url": f"{self.url}/commits/{sha}", "html_url": f"{self.page}/commit/{sha}"}

    def ref(self, name: str, sha: str) -> Json:
        """A ref."""
        made = {"type": "commit", "sha": sha, "url": f"{self.url}/git/commits/{sha}"}
        return {"ref": name, "node_id": self.node("REF", 0), "url": f"{self.url}/git/{name}", "object": made}

    def activity(self, entry: Activity) -> Json:
        """A movement of a branch."""
        return {
            "id": entry.id,
            "node_id": self.node("PSH", entry.id),
            "before": entry.before,
            "after": entry.after,
            "ref": entry.ref,
            "timestamp": stamp(entry.at),
            "activity_type": entry.kind,
            "actor": self.account(entry.actor),
        }

    def check(self, check: Check) -> Json:
        """A check run."""
        told, url = check.told, f"{self.url}/check-runs/{check.id}"
        output = told.get("output", {})
        return {
            "id": check.id,
            "node_id": self.node("CR", check.id),
            "name": check.name,
            "head_sha": check.sha,
            "external_id": told.get("external_id", ""),
            "status": told.get("status", "queued"),
            "conclusion": told.get("conclusion"),
            "started_at": stamp(check.started),
            "completed_at": stamp(check.completed),
            "url": url,
            "html_url": f"{self.page}/runs/{check.id}",
            "details_url": told.get("details_url", f"{self.page}/runs/{check.id}"),
            "check_suite": {"id": 1},
            "app": {"id": 15368, "slug": "github-actions", "name": "GitHub Actions", "node_id": "A_1"},
            "pull_requests": [],
            "output": {
                "title": output.get("title"),
                "summary": output.get("summary"),
                "text": output.get("text"),
                "annotations_count": len(check.annotations),
                "annotations_url": f"{url}/annotations",
            },
        }

    def annotation(self, told: Json) -> Json:
        """A remark on lines of a file."""
        known = ("path", "start_line", "end_line", "annotation_level", "message")
        rest = ("start_column", "end_column", "title", "raw_details")
        return {
            **{name: told[name] for name in known},
            **{name: told.get(name) for name in rest},
            "blob_href": f"{self.page}/blob/x",
        }

    def run(self, run: Run) -> Json:
        """A run of a workflow."""
        url, page = f"{self.url}/actions/runs/{run.id}", f"{self.page}/actions/runs/{run.id}"
        ends = ("jobs", "logs", "artifacts", "cancel", "rerun")
        return {
            "id": run.id,
            "node_id": self.node("WFR", run.id),
            "name": run.name,
            "display_title": run.name,
            "path": run.path,
            "head_branch": run.branch,
            "head_sha": run.sha,
            "run_number": 1,
            "run_attempt": run.attempt,
            "event": run.event,
            "status": "completed" if run.conclusion else "in_progress",
            "conclusion": run.conclusion,
            "workflow_id": 161335,
            "check_suite_id": 1,
            "check_suite_node_id": "CS_1",
            "url": url,
            "html_url": page,
            "pull_requests": [self.run_pull(number) for number in run.pulls],
            "created_at": stamp(run.created),
            "updated_at": stamp(run.created),
            "run_started_at": stamp(run.created),
            "actor": self.account(run.actor),
            "triggering_actor": self.account(run.triggering),
            **{f"{name}_url": f"{url}/{name}" for name in ends},
            "previous_attempt_url": None,
            "workflow_url": f"{self.url}/actions/workflows/161335",
            "check_suite_url": f"{self.url}/check-suites/1",
            "head_commit": self._head_commit(run.sha),
            "repository": self.repository(),
            "head_repository": self.repository(run.repository) if run.repository else None,
        }

    def run_pull(self, number: int) -> Json:
        """A pull request, as short as runs of workflows name it."""
        issue = self.world.issues[number]
        assert issue.pull
        small = {"id": self.world.id, "url": self.url, "name": self.world.name}
        return {
            "id": 3_000_000 + number,
            "number": number,
            "url": f"{self.url}/pulls/{number}",
            "head": {"ref": issue.pull.head_ref, "sha": issue.pull.head_sha, "repo": small},
            "base": {"ref": issue.pull.base_ref, "sha": issue.pull.base_sha, "repo": small},
        }

    def _head_commit(self, sha: str) -> Json:
        found = next(iter(self.world.store.log(sha, limit=1))) if self.world.store.resolve(sha) else None
        if found is None:
            return None
        person = {"name": found.author[0], "email": found.author[1]}
        return {
            "id": sha, "tree_id": found.tree, "message": found.message, "timestamp": found.committer[2],
            "author": person, "committer": person,
        }  # fmt: skip

    def job(self, job: Job) -> Json:
        """A job of a run."""
        run = self.world.runs[job.run]
        url, status = f"{self.url}/actions/jobs/{job.id}", "completed" if job.conclusion else "in_progress"
        ended = stamp(run.created) if job.conclusion else None
        return {
            "id": job.id,
            "run_id": run.id,
            "run_url": f"{self.url}/actions/runs/{run.id}",
            "run_attempt": job.attempt,
            "node_id": self.node("CR", job.id),
            "head_sha": run.sha,
            "head_branch": run.branch,
            "workflow_name": run.name,
            "url": url,
            "html_url": f"{self.page}/actions/runs/{run.id}/job/{job.id}",
            "status": status,
            "conclusion": job.conclusion,
            "created_at": stamp(run.created),
            "started_at": stamp(run.created),
            "completed_at": ended,
            "name": job.name,
            "steps": [
                {"name": name, "status": "completed", "conclusion": conclusion, "number": number, "started_at": ended,
                 "completed_at": ended}
                for number, (name, conclusion) in enumerate(job.steps, 1)
            ],
            "check_run_url": f"{self.url}/check-runs/{job.check}",
            "labels": ["ubuntu-latest"],
            "runner_id": 1,
            "runner_name": "hosted",
            "runner_group_id": 1,
            "runner_group_name": "GitHub Actions",
        }  # fmt: skip


UNSIGNED = {"verified": False, "reason": "unsigned", "signature": None, "payload": None, "verified_at": None}


def _person(told: tuple[str, str, str]) -> Json:
    return {"name": told[0], "email": told[1], "date": told[2]}
