"""Pull requests and the comments on their lines."""

from typing import Any, TypeAlias

from tests.hub.answers.issues import check_comment, check_title, comment_of, lagging, react, set_state, touch
from tests.hub.calls import Answer, Call, Refused, check_text, invalid, route
from tests.hub.store import Store
from tests.hub.world import Comment, Issue, Pull, Spot

Json: TypeAlias = Any
READ, WRITE = "pull_requests=read", "pull_requests=write"


@route("GET", "/pulls", READ)
def pulls(call: Call) -> Answer:
    """Pull requests, newest first; open ones when nothing else is asked."""
    state, head, base = call.query.get("state", "open"), call.query.get("head"), call.query.get("base")
    found = [
        entry
        for entry in call.world.issues.values()
        if entry.pull
        and state in ("all", "open" if entry.open else "closed")
        # A head without its owner is no filter at all
        and (head is None or ":" not in head or head == _label(entry.pull))
        and base in (None, entry.pull.base_ref)
    ]
    shapes = call.shapes
    ordered = found if call.query.get("direction") == "asc" else found[::-1]
    return call.listing(ordered, lambda entry: shapes.pull(entry, whole=False))


def _label(pull: Pull) -> str:
    return f"{(pull.head_repository or '').partition('/')[0]}:{pull.head_ref}"


@route("POST", "/pulls", WRITE)
def open_pull(call: Call) -> Answer:
    """Open a pull request."""
    body, world = call.body, call.world
    if call.token.installation and not world.settings.actions_may_create_pulls:
        raise Refused(403, "GitHub Actions is not permitted to create or approve pull requests.")
    check_title("PullRequest", body.get("title") or "")
    check_text("PullRequest", "body", body.get("body"))
    if body.get("draft") and not world.settings.drafts:
        raise Refused(422, "Draft pull requests are not supported in this repository.")
    made = create_pull(call, *_sides(call, body["head"], body["base"]))
    return Answer(201, made, (("Location", made["url"]),))


def _sides(call: Call, head: str, base: str) -> tuple[str, str, Store, str, str]:
    """Return repository, branch and place of the head, and both commits."""
    world = call.world
    owner, _, ref = head.rpartition(":")
    name = next((fork for fork in world.forks if fork.startswith(f"{owner}/")), world.full_name)
    store = world.forks.get(name, world.store)
    tip, stem = store.branches().get(ref), world.store.branches().get(base)
    if stem is None:
        raise invalid("PullRequest", "base")
    if tip is None or (owner and name == world.full_name and owner.lower() != world.owner.lower()):
        raise invalid("PullRequest", "head")
    _refuse_pull(call, f"{name.partition('/')[0]}:{ref}", base)
    world.store.take(store, tip, "refs/pull/0/head")
    world.store.git("update-ref", "-d", "refs/pull/0/head")
    fork = world.store.merge_base(stem, tip)
    if fork is None:
        raise custom(f"The {ref} branch has no history in common with {base}")
    if fork == tip:
        raise custom(f"No commits between {base} and {head}")
    return name, ref, store, tip, stem


def _refuse_pull(call: Call, label: str, base: str) -> None:
    for entry in call.world.issues.values():
        if entry.pull and entry.open and _label(entry.pull) == label and entry.pull.base_ref == base:
            raise custom(f"A pull request already exists for {label}.")


def custom(message: str) -> Refused:
    """Return a failed validation in words."""
    return Refused(422, "Validation Failed", [{"resource": "PullRequest", "code": "custom", "message": message}])


def create_pull(call: Call, name: str, ref: str, store: Store, tip: str, stem: str) -> Json:
    """Write it down, and what can be fetched as its head."""
    world, body, now = call.world, call.body, call.world.now()
    number = world.next_number()
    world.store.take(store, tip, f"refs/pull/{number}/head")
    pull = Pull(name, ref, tip, body["base"], stem, draft=body.get("draft", False))
    pull.modifiable = body.get("maintainer_can_modify", False) and name != world.full_name
    world.issues[number] = Issue(number, body["title"], body.get("body"), call.token.account, now, now, pull=pull)
    return call.shapes.pull(world.issues[number])


@route("GET", "/pulls/{pull_number}", READ)
def pull(call: Call) -> Answer:
    """One of them."""
    return Answer(200, call.shapes.pull(call.issue("pull_number")))


@route("PATCH", "/pulls/{pull_number}", WRITE)
def edit_pull(call: Call) -> Answer:
    """Change words, state or base."""
    found, body = call.issue("pull_number"), call.body or {}
    assert found.pull
    check_text("PullRequest", "body", body.get("body"))
    if "title" in body:
        check_title("PullRequest", body["title"])
        found.title = body["title"]
    found.body = body.get("body", found.body)
    if body.get("state") == "open" and not found.open:
        _refuse_reopening(call, found.pull)
    if "base" in body:
        _rebase(call, found.pull, body["base"])
    set_state(call, found, body.get("state"))
    touch(call, found)
    return Answer(200, call.shapes.pull(found))


def _refuse_reopening(call: Call, pull: Pull) -> None:
    store = call.world.head_store(pull)
    tip = store.branches().get(pull.head_ref) if store else None
    if pull.merged or tip is None:
        raise invalid(
            "PullRequest", "state", "custom", f"state cannot be changed. The {pull.head_ref} branch has been deleted."
        )
    if not call.world.store.is_ancestor(pull.head_sha, tip):
        said = f"state cannot be changed. The {pull.head_ref} branch was force-pushed or recreated."
        raise invalid("PullRequest", "state", "custom", said)
    _refuse_pull(call, _label(pull), pull.base_ref)


def _rebase(call: Call, pull: Pull, base: str) -> None:
    stem = call.world.store.branches().get(base)
    if stem is None:
        raise invalid("PullRequest", "base")
    pull.base_ref, pull.base_sha = base, stem


@route("GET", "/pulls/{pull_number}/files", READ)
def files(call: Call) -> Answer:
    """What it changes."""
    pull, store = call.issue("pull_number").pull, call.world.store
    assert pull
    fork = store.merge_base(pull.base_sha, pull.head_sha) or pull.base_sha
    shapes = call.shapes
    return call.listing(store.changes(fork, pull.head_sha), lambda entry: shapes.file(entry, pull.head_sha))


@route("GET", "/pulls/{pull_number}/commits", READ)
def commits(call: Call) -> Answer:
    """Its commits, oldest first."""
    pull = call.issue("pull_number").pull
    assert pull
    return call.listing(call.world.store.log(f"{pull.base_sha}..{pull.head_sha}")[::-1], call.shapes.commit)


@route("GET", "/commits/{commit_sha}/pulls", READ)
def pulls_of_commit(call: Call) -> Answer:
    """Pull requests that a commit is part of."""
    sha, shapes = call.params["commit_sha"], call.shapes
    found = [entry for entry in call.world.issues.values() if entry.pull and entry.pull.head_sha == sha]
    return call.listing(found, lambda entry: shapes.pull(entry, whole=False))


@route("GET", "/pulls/{pull_number}/reviews", READ)
def reviews(call: Call) -> Answer:
    """Nobody writes whole reviews here."""
    call.issue("pull_number")
    return Answer(200, [])


@route("POST", "/pulls/{pull_number}/requested_reviewers", WRITE)
def ask_reviewers(call: Call) -> Answer:
    """Ask people to look; only collaborators can be asked."""
    found, names = call.issue("pull_number"), call.body.get("reviewers", [])
    assert found.pull
    lagging(call, found)
    if any(name.lower() not in call.world.roles for name in names):
        said = (
            "Reviews may only be requested from collaborators. One or more of the users or teams you specified is not "
            "a collaborator of the "
        )
        raise Refused(422, f"{said}{call.world.full_name} repository.")
    found.pull.reviewers = list(dict.fromkeys([*found.pull.reviewers, *names]))
    return Answer(201, call.shapes.pull(found, whole=False))


@route("GET", "/pulls/{pull_number}/comments", READ)
def review_comments(call: Call) -> Answer:
    """Comments on lines, oldest first."""
    number = call.issue("pull_number").number
    return call.listing(call.since(call.world.comments_of(number, review=True)), call.shapes.review_comment)


@route("GET", "/pulls/comments/{comment_id}", READ)
def review_comment(call: Call) -> Answer:
    """One of them."""
    return Answer(200, call.shapes.review_comment(comment_of(call, review=True)))


@route("POST", "/pulls/comments/{comment_id}/reactions", WRITE)
def react_to_review_comment(call: Call) -> Answer:
    """A picture under a comment on lines."""
    return react(call, comment_of(call, review=True).reactions)


@route("GET", "/pulls/comments/{comment_id}/reactions", READ)
def review_comment_reactions(call: Call) -> Answer:
    """The pictures under a comment on lines."""
    return call.listing(comment_of(call, review=True).reactions, call.shapes.reaction)


@route("POST", "/pulls/{pull_number}/comments/{comment_id}/replies", WRITE)
def reply(call: Call) -> Answer:
    """Answer a comment on lines."""
    above = comment_of(call, review=True)
    if above.number != call.issue("pull_number").number or above.spot is None:
        raise Refused(404, "Not Found")
    check_comment(call.body["body"])
    first = above.spot.reply_to or above.id
    spot = Spot(above.spot.path, above.spot.line, above.spot.hunk, above.spot.commit, reply_to=first)
    now = call.world.now()
    made = Comment(call.world.fresh(), above.number, call.body["body"], call.token.account, now, now, spot=spot)
    call.world.comments[made.id] = made
    return Answer(201, call.shapes.review_comment(made))
