"""Branches, commits and files, as they are in the bare repository."""

import base64
from typing import Any, TypeAlias

from tests.hub.calls import Answer, Call, Refused, route
from tests.hub.store import Found

Json: TypeAlias = Any
READ, WRITE = "contents=read", "contents=write"
MANY = 250
"""Commits in a comparison."""


def commit_at(call: Call, revision: str) -> Found:
    """Return the commit that a branch or an id names."""
    sha = call.world.store.resolve(revision)
    if sha is None:
        raise Refused(422, f"No commit found for SHA: {revision}")
    return call.world.store.log(sha, limit=1)[0]


@route("GET", "/branches", READ)
def branches(call: Call) -> Answer:
    """All branches."""

    def shape(pair: tuple[str, str]) -> Json:
        url = f"{call.shapes.url}/commits/{pair[1]}"
        protected = pair[0] in call.world.settings.protected
        return {"name": pair[0], "commit": {"sha": pair[1], "url": url}, "protected": protected}

    return call.listing(sorted(call.world.store.branches().items()), shape)


@route("GET", "/branches/{branch}", READ)
def branch(call: Call) -> Answer:
    """One of them."""
    name = call.params["branch"]
    tip = call.world.store.branches().get(name)
    if tip is None:
        raise Refused(404, "Branch not found")
    here = f"{call.shapes.url}/branches/{name}"
    made = {
        "name": name,
        "commit": call.shapes.commit(call.world.store.log(tip, limit=1)[0]),
        "protected": name in call.world.settings.protected,
        "protection_url": f"{here}/protection",
        "_links": {"self": here, "html": f"{call.shapes.page}/tree/{name}"},
    }
    return Answer(200, made)


@route("GET", "/rules/branches/{branch}", "metadata=read")
def rules(call: Call) -> Answer:
    """What the rulesets of the repository say for a branch; it need not exist."""
    told = {"ruleset_source_type": "Repository", "ruleset_source": call.world.full_name, "ruleset_id": 1}
    kinds = call.world.settings.rules.get(call.params["branch"], ())
    return call.listing(kinds, lambda kind: {"type": kind, **told})


@route("GET", "/commits", READ)
def commits(call: Call) -> Answer:
    """Commits, newest first."""
    start = commit_at(call, call.query.get("sha", call.world.default_branch))
    return call.listing(call.world.store.log(start.sha), call.shapes.commit)


@route("GET", "/commits/{ref}", READ)
def commit(call: Call) -> Answer:
    """One of them, and what it changes."""
    found = commit_at(call, call.params["ref"])
    changes = call.world.store.changes(found.parents[0], found.sha) if found.parents else []
    files = [call.shapes.file(entry, found.sha) for entry in changes]
    return Answer(200, call.shapes.commit(found) | {"files": files})


@route("GET", "/git/commits/{commit_sha}", READ)
def git_commit(call: Call) -> Answer:
    """A commit as git has it."""
    sha = call.params["commit_sha"]
    if call.world.store.resolve(sha) != sha:
        raise Refused(404, "Not Found")
    return Answer(200, call.shapes.git_commit(commit_at(call, sha)))


@route("GET", "/git/ref/{ref}", READ)
def ref(call: Call) -> Answer:
    """A ref by its full name without `refs/`."""
    name, refs = f"refs/{call.params['ref']}", call.world.store.refs()
    sha = refs.get(name)
    if not refs:
        raise Refused(409, "Git Repository is empty.")
    if sha is None:
        raise Refused(404, "Not Found")
    return Answer(200, call.shapes.ref(name, sha))


@route("GET", "/git/matching-refs/{ref}", READ)
def matching(call: Call) -> Answer:
    """All refs that begin so."""
    found = sorted(call.world.store.refs(f"refs/{call.params['ref']}").items())
    return call.listing(found, lambda pair: call.shapes.ref(*pair))


@route("POST", "/git/refs", WRITE)
def make_ref(call: Call) -> Answer:
    """Make a ref."""
    name, sha = call.body["ref"], call.body["sha"]
    if not name.startswith("refs/") or name.count("/") < 2:
        raise Refused(422, "Reference name must start with 'refs/' and have at least two slashes.")
    if call.world.store.has_ref(name):
        raise Refused(422, "Reference already exists")
    if call.world.store.resolve(sha) is None:
        raise Refused(422, "Object does not exist")
    call.world.store.git("update-ref", name, sha)
    return Answer(201, call.shapes.ref(name, sha))


@route("PATCH", "/git/refs/{ref}", WRITE)
def move_ref(call: Call) -> Answer:
    """Move a ref; forward, unless forced."""
    name, sha, store = f"refs/{call.params['ref']}", call.body["sha"], call.world.store
    before = store.refs().get(name)
    if before is None:
        raise Refused(422, "Reference does not exist")
    _refuse_protected(call, name)
    if not call.body.get("force") and not store.is_ancestor(before, sha):
        raise Refused(422, "Update is not a fast forward")
    store.git("update-ref", name, sha)
    return Answer(200, call.shapes.ref(name, sha))


@route("DELETE", "/git/refs/{ref}", WRITE)
def delete_ref(call: Call) -> Answer:
    """Take a ref away."""
    name = f"refs/{call.params['ref']}"
    if not call.world.store.has_ref(name):
        raise Refused(422, "Reference does not exist")
    _refuse_protected(call, name)
    call.world.store.git("update-ref", "-d", name)
    return Answer(204)


def _refuse_protected(call: Call, name: str) -> None:
    if name.removeprefix("refs/heads/") in call.world.settings.protected:
        raise Refused(422, "Cannot update this protected ref.")


@route("GET", "/compare/{basehead}", READ)
def compare(call: Call) -> Answer:
    """What is on one side and not on the other."""
    store, (base, _, head) = call.world.store, call.params["basehead"].partition("...")
    sides = [store.resolve(_own(call, name)) for name in (base, head)]
    fork = store.merge_base(sides[0], sides[1]) if sides[0] and sides[1] else None
    if sides[0] is None or sides[1] is None or fork is None:
        raise Refused(404, "Not Found" if None in sides else f"No common ancestor between {base} and {head}.")
    ahead, behind = store.log(f"{sides[0]}..{sides[1]}"), store.log(f"{sides[1]}..{sides[0]}")
    words = {(True, True): "diverged", (True, False): "ahead", (False, True): "behind", (False, False): "identical"}
    page = f"{call.shapes.page}/compare/{call.params['basehead']}"
    made = {
        "url": f"{call.shapes.url}/compare/{call.params['basehead']}",
        "html_url": page, "permalink_url": page, "diff_url": f"{page}.diff", "patch_url": f"{page}.patch",
        "status": words[bool(ahead), bool(behind)],
        "ahead_by": len(ahead), "behind_by": len(behind), "total_commits": len(ahead),
        "base_commit": call.shapes.commit(store.log(sides[0], limit=1)[0]),
        "merge_base_commit": call.shapes.commit(store.log(fork, limit=1)[0]),
        "commits": [call.shapes.commit(entry) for entry in ahead[::-1][:MANY]],
        "files": [call.shapes.file(entry, sides[1]) for entry in store.changes(fork, sides[1])[:300]],
    }  # fmt: skip
    return Answer(200, made)


def _own(call: Call, name: str) -> str:
    owner, _, ref = name.rpartition(":")
    return ref if owner in ("", call.world.owner) else name


@route("GET", "/contents/{path}", READ)
def content(call: Call) -> Answer:
    """A file."""
    path = call.params["path"]
    start = call.world.store.resolve(call.query.get("ref", call.world.default_branch))
    text = call.world.store.text(start, path) if start else None
    if text is None:
        raise Refused(404, "Not Found" if start else f"No commit found for the ref {call.query.get('ref')}")
    here = f"{call.shapes.url}/contents/{path}"
    sha = call.world.store.git("rev-parse", f"{start}:{path}")
    made = {
        "type": "file", "encoding": "base64", "size": len(text), "name": path.rpartition("/")[2], "path": path,
        "content": base64.encodebytes(text).decode(), "sha": sha, "url": here,
        "git_url": f"{call.shapes.url}/git/blobs/{sha}", "html_url": f"{call.shapes.page}/blob/main/{path}",
        "download_url": f"{call.shapes.page}/raw/main/{path}", "_links": {"git": None, "html": None, "self": here},
    }  # fmt: skip
    return Answer(200, made)


@route("GET", "/activity", READ)
def activity(call: Call) -> Answer:
    """Movements of branches, newest first."""
    name, kind, actor = call.query.get("ref"), call.query.get("activity_type"), call.query.get("actor")
    full = name if name is None or name.startswith("refs/") else f"refs/heads/{name}"
    found = [
        entry
        for entry in call.world.activity
        if full in (None, entry.ref) and kind in (None, entry.kind) and actor in (None, entry.actor.login)
    ]
    after = next((at + 1 for at, entry in enumerate(found[::-1]) if str(entry.id) == call.query.get("after")), 0)
    rest, size = found[::-1][after:], int(call.query.get("per_page", 30))
    link = f"{call.api}/repositories/{call.world.id}/activity?per_page={size}&after={rest[:size][-1].id if rest else 0}"
    more = (("Link", f'<{link}>; rel="next"'),) if len(rest) > size else ()
    return Answer(200, [call.shapes.activity(entry) for entry in rest[:size]], more)


@route("POST", "/statuses/{sha}", "statuses=write")
def write_status(call: Call) -> Answer:
    """Say how a commit did."""
    if call.world.store.resolve(call.params["sha"]) is None:
        raise Refused(422, f"No commit found for SHA: {call.params['sha']}")
    made = {"sha": call.params["sha"], "context": "default", "description": None, "target_url": None, **call.body}
    call.world.statuses.append(made)
    return Answer(201, _status(call, made))


@route("GET", "/commits/{ref}/status", "statuses=read")
def status(call: Call) -> Answer:
    """How a commit did, all in all."""
    sha = commit_at(call, call.params["ref"]).sha
    last = {entry["context"]: entry for entry in call.world.statuses if entry["sha"] == sha}
    states = {entry["state"] for entry in last.values()}
    whole = "failure" if states & {"failure", "error"} else "success" if states == {"success"} else "pending"
    here = f"{call.shapes.url}/commits/{sha}"
    made = {
        "state": whole, "statuses": [_status(call, entry) for entry in last.values()], "sha": sha,
        "total_count": len(last), "repository": call.shapes.repository(), "commit_url": here, "url": f"{here}/status",
    }  # fmt: skip
    return Answer(200, made)


def _status(call: Call, entry: Json) -> Json:
    known = {name: entry[name] for name in ("state", "description", "target_url", "context")}
    return {**known, "creator": call.shapes.account(call.token.account), "avatar_url": None}
