"""Issues, comments, reactions and labels."""

from typing import Any, TypeAlias

from tests.hub.calls import Answer, Call, Refused, check_text, invalid, route
from tests.hub.world import Comment, Issue, Reaction

Json: TypeAlias = Any
LONGEST_TITLE = 256
LONGEST_LABEL = 50
READ = "issues=read; pull_requests=read"
WRITE = "issues=write; pull_requests=write"


@route("GET", "/issues", READ)
def issues(call: Call) -> Answer:
    """Issues and pull requests, newest first; open ones when nothing else is asked."""
    state, labels = call.query.get("state", "open"), [name for name in call.query.get("labels", "").split(",") if name]
    creator = call.query.get("creator")
    found = [
        entry
        for entry in call.world.issues.values()
        if state in ("all", "open" if entry.open else "closed")
        and all(name.lower() in {label.lower() for label in entry.labels} for name in labels)
        and (creator is None or (entry.author and entry.author.login == creator))
    ]
    return call.listing(call.since(found)[::-1], call.shapes.issue)


@route("POST", "/issues", "issues=write")
def open_issue(call: Call) -> Answer:
    """Open an issue."""
    world, body = call.world, call.body
    if not world.settings.issues:
        raise Refused(410, "Issues are disabled for this repo")
    check_title("Issue", body["title"])
    check_text("Issue", "body", body.get("body"))
    now = world.now()
    made = Issue(world.next_number(), body["title"], body.get("body"), call.token.account, now, now)
    made.labels = [world.label(_label_name(entry)).name for entry in body.get("labels", ())]
    world.issues[made.number] = made
    return Answer(201, call.shapes.issue(made))


@route("GET", "/issues/{issue_number}", READ)
def issue(call: Call) -> Answer:
    """One of them."""
    return Answer(200, call.shapes.issue(call.issue()))


@route("PATCH", "/issues/{issue_number}")
def edit_issue(call: Call) -> Answer:
    """Change words, state or labels."""
    found, body = call.issue(), call.body or {}
    demand_for(call, found)
    check_text("Issue", "body", body.get("body"))
    if "title" in body:
        check_title("Issue", body["title"])
        found.title = body["title"]
    found.body = body.get("body", found.body)
    if "labels" in body:
        found.labels = [call.world.label(_label_name(entry)).name for entry in body["labels"]]
    set_state(call, found, body.get("state"))
    found.reason = body.get("state_reason", found.reason)
    touch(call, found)
    return Answer(200, call.shapes.issue(found))


def set_state(call: Call, issue: Issue, state: str | None) -> None:
    """Open or close."""
    if state is None or (state == "open") == issue.open:
        return
    issue.open, issue.closed = state == "open", None if state == "open" else call.world.now()
    call.world.event(issue, "reopened" if issue.open else "closed", call.token.account)


def touch(call: Call, issue: Issue) -> None:
    """Note that something about an issue changed."""
    issue.updated = max(issue.updated, call.world.now())


def demand_for(call: Call, issue: Issue) -> None:
    """Refuse a token that may not write to an issue, or to a pull request where it is one."""
    call.demand("pull_requests=write" if issue.pull else "issues=write")


def check_title(resource: str, title: Json) -> None:
    """Refuse a title that is none."""
    if not str(title).strip():
        raise invalid(resource, "title", "missing_field")
    check_text(resource, "title", str(title), LONGEST_TITLE)


@route("GET", "/issues/{issue_number}/events", READ)
def events(call: Call) -> Answer:
    """What happened to an issue, oldest first."""
    return call.listing(call.issue().events, call.shapes.event)


@route("GET", "/issues/{issue_number}/comments", READ)
def comments(call: Call) -> Answer:
    """Comments, oldest first."""
    return call.listing(call.since(call.world.comments_of(call.issue().number)), call.shapes.comment)


@route("GET", "/issues/comments", READ)
def all_comments(call: Call) -> Answer:
    """Comments on all issues, oldest first."""
    found = call.since([entry for entry in call.world.comments.values() if entry.spot is None])
    return call.listing(found[::-1] if call.query.get("direction") == "desc" else found, call.shapes.comment)


@route("POST", "/issues/{issue_number}/comments")
def write_comment(call: Call) -> Answer:
    """Write a comment."""
    found, text = call.issue(), call.body["body"]
    demand_for(call, found)
    if found.locked:
        raise Refused(403, "Unable to create comment because issue is locked.")
    check_comment(text)
    now = call.world.now()
    made = Comment(call.world.fresh(), found.number, text, call.token.account, now, now)
    call.world.comments[made.id] = made
    touch(call, found)
    shape = call.shapes.comment(made)
    return Answer(201, shape, (("Location", shape["url"]),))


def check_comment(text: str) -> None:
    """Refuse a comment that is empty or too long."""
    if not text.strip():
        raise invalid("IssueComment", "body", "missing_field")
    check_text("IssueComment", "body", text)


def comment_of(call: Call, *, review: bool = False) -> Comment:
    """Return the comment in the path."""
    found = call.world.comments.get(call.number("comment_id"))
    if found is None or (found.spot is not None) != review:
        raise Refused(404, "Not Found")
    return found


@route("GET", "/issues/comments/{comment_id}", READ)
def comment(call: Call) -> Answer:
    """One of them."""
    return Answer(200, call.shapes.comment(comment_of(call)))


@route("PATCH", "/issues/comments/{comment_id}")
def edit_comment(call: Call) -> Answer:
    """Change its words; an edit is always later than what it edits, which makes it visible within a second."""
    found = comment_of(call)
    demand_for(call, call.world.issues[found.number])
    check_comment(call.body["body"])
    found.body = call.body["body"]
    found.updated = max(call.world.now(), found.updated + 1)
    return Answer(200, call.shapes.comment(found))


@route("DELETE", "/issues/comments/{comment_id}")
def delete_comment(call: Call) -> Answer:
    """Take it away."""
    found = comment_of(call)
    demand_for(call, call.world.issues[found.number])
    del call.world.comments[found.id]
    return Answer(204)


def react(call: Call, entries: list[Reaction]) -> Answer:
    """Put a picture under something; the same one of the same account is there once."""
    content = call.body["content"]
    same = [entry for entry in entries if entry.content == content and entry.account is call.token.account]
    if same:
        return Answer(200, call.shapes.reaction(same[0]))
    made = Reaction(call.world.fresh(), content, call.token.account, call.world.now())
    entries.append(made)
    return Answer(201, call.shapes.reaction(made))


def unreact(call: Call, entries: list[Reaction]) -> Answer:
    """Take a picture away."""
    found = [entry for entry in entries if entry.id == call.number("reaction_id")]
    if not found:
        raise Refused(404, "Not Found")
    entries.remove(found[0])
    return Answer(204)


@route("POST", "/issues/{issue_number}/reactions")
def react_to_issue(call: Call) -> Answer:
    """A picture under an issue."""
    demand_for(call, call.issue())
    return react(call, call.issue().reactions)


@route("GET", "/issues/{issue_number}/reactions", READ)
def issue_reactions(call: Call) -> Answer:
    """The pictures under an issue."""
    return call.listing(call.issue().reactions, call.shapes.reaction)


@route("DELETE", "/issues/{issue_number}/reactions/{reaction_id}")
def unreact_to_issue(call: Call) -> Answer:
    """No picture under an issue."""
    demand_for(call, call.issue())
    return unreact(call, call.issue().reactions)


@route("POST", "/issues/comments/{comment_id}/reactions")
def react_to_comment(call: Call) -> Answer:
    """A picture under a comment."""
    found = comment_of(call)
    demand_for(call, call.world.issues[found.number])
    return react(call, found.reactions)


@route("GET", "/issues/comments/{comment_id}/reactions", READ)
def comment_reactions(call: Call) -> Answer:
    """The pictures under a comment."""
    return call.listing(comment_of(call).reactions, call.shapes.reaction)


@route("DELETE", "/issues/comments/{comment_id}/reactions/{reaction_id}")
def unreact_to_comment(call: Call) -> Answer:
    """No picture under a comment."""
    found = comment_of(call)
    demand_for(call, call.world.issues[found.number])
    return unreact(call, found.reactions)


@route("GET", "/labels", READ)
def labels(call: Call) -> Answer:
    """Labels of the repository."""
    return call.listing(list(call.world.labels.values()), call.shapes.label)


@route("POST", "/labels", WRITE)
def make_label(call: Call) -> Answer:
    """Make a label."""
    name = call.body["name"]
    if name.lower() in call.world.labels:
        raise invalid("Label", "name", "already_exists")
    check_text("Label", "name", name, LONGEST_LABEL)
    made = call.world.label(name)
    made.color, made.description = call.body.get("color", made.color), call.body.get("description")
    return Answer(201, call.shapes.label(made))


@route("GET", "/labels/{name}", READ)
def label(call: Call) -> Answer:
    """One of them."""
    found = call.world.labels.get(call.params["name"].lower())
    if found is None:
        raise Refused(404, "Not Found")
    return Answer(200, call.shapes.label(found))


@route("GET", "/issues/{issue_number}/labels", READ)
def issue_labels(call: Call) -> Answer:
    """Labels of an issue."""
    return call.listing([call.world.label(name) for name in call.issue().labels], call.shapes.label)


@route("POST", "/issues/{issue_number}/labels")
def add_labels(call: Call) -> Answer:
    """Put labels on; those that do not exist are made."""
    found = call.issue()
    demand_for(call, found)
    return _put_labels(call, found, keep=True)


@route("PUT", "/issues/{issue_number}/labels")
def set_labels(call: Call) -> Answer:
    """Put exactly these labels on."""
    found = call.issue()
    demand_for(call, found)
    return _put_labels(call, found, keep=False)


@route("DELETE", "/issues/{issue_number}/labels/{name}")
def remove_label(call: Call) -> Answer:
    """Take one label off."""
    found, name = call.issue(), call.params["name"].lower()
    demand_for(call, found)
    if name not in {entry.lower() for entry in found.labels}:
        raise Refused(404, "Label does not exist")
    found.labels = [entry for entry in found.labels if entry.lower() != name]
    call.world.event(found, "unlabeled", call.token.account, name)
    touch(call, found)
    return Answer(200, [call.shapes.label(call.world.label(entry)) for entry in found.labels])


def _put_labels(call: Call, issue: Issue, *, keep: bool) -> Answer:
    lagging(call, issue)
    told = call.body.get("labels", []) if isinstance(call.body, dict) else call.body or []
    names = [_label_name(entry) for entry in told]
    for name in names:
        check_text("Label", "name", name, LONGEST_LABEL)
    before = issue.labels if keep else []
    wanted = [*before, *(call.world.label(name).name for name in names)]
    for name in wanted:
        if name not in issue.labels:
            call.world.event(issue, "labeled", call.token.account, name)
    issue.labels = list(dict.fromkeys(wanted))
    touch(call, issue)
    return Answer(200, [call.shapes.label(call.world.label(name)) for name in issue.labels])


def lagging(call: Call, issue: Issue) -> None:
    """Refuse the first calls about a fresh pull request, which GitHub does not find everywhere at once."""
    if issue.pull and issue.looked_up < call.world.settings.lag:
        issue.looked_up += 1
        node = call.shapes.node("PR", issue.number)
        raise Refused(422, f"Could not resolve to a node with the global id of '{node}'.")


def _label_name(entry: Json) -> str:
    return str(entry["name"] if isinstance(entry, dict) else entry)
