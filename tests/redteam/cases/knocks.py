"""Events that nothing may come of: by strangers and bots, from forks, changed afterwards, or no orders at all."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from tests.hub.events import comment_event, dispatch_event, label_event, review_event, run_event
from tests.hub.faults import Manner
from tests.hub.standin import JobSeed
from tests.redteam.door import Entrance, find_harm, look
from tests.redteam.marks import Evidence

Json: TypeAlias = Any
Make: TypeAlias = Callable[[Entrance, "Knock"], tuple[str, Json]]
BOT = {"login": "evil[bot]", "id": 7000002, "type": "Bot"}
OURS = {"login": "github-actions[bot]", "id": 41898282, "type": "Bot"}
GONE = object()
"""A value that a payload does not have."""


def _comment(entrance: Entrance, knock: "Knock") -> tuple[str, Json]:
    hub = entrance.hub
    issue = hub.issue("add subtracts", "add(1, 2) gives -1", "eve")
    return "issue_comment", comment_event(hub, hub.comment(issue.number, knock.text, knock.login))


def _on_fork(entrance: Entrance, knock: "Knock") -> tuple[str, Json]:
    return "issue_comment", comment_event(entrance.hub, entrance.hub.comment(_fork(entrance), knock.text, knock.login))


def _on_line(entrance: Entrance, knock: "Knock") -> tuple[str, Json]:
    hub = entrance.hub
    entrance.commit("topic", {"topic.txt": knock.title}, onto="main")
    page = hub.pull("topic", author="eve")
    hub.pass_time(2)
    return "pull_request_review_comment", review_event(hub, hub.review_comment(page.number, knock.text, knock.login))


def _on_line_of_fork(entrance: Entrance, knock: "Knock") -> tuple[str, Json]:
    hub = entrance.hub
    remark = hub.review_comment(_fork(entrance), knock.text, knock.login)
    return "pull_request_review_comment", review_event(hub, remark)


def _fork(entrance: Entrance) -> int:
    hub = entrance.hub
    if "eve/widgets" not in hub.world.forks:
        hub.fork("eve/widgets")
    hub.world.forks["eve/widgets"].git("update-ref", "refs/heads/agent/evil", "refs/heads/main")
    page = hub.pull("agent/evil", author="eve", fork="eve/widgets")
    hub.pass_time(2)
    return page.number


def _label(entrance: Entrance, knock: "Knock") -> tuple[str, Json]:
    hub = entrance.hub
    issue = hub.issue("add subtracts", "please", "eve")
    hub.label(issue.number, "agent", knock.login)
    return "issues", label_event(hub, issue.number, "agent", knock.login)


def _dispatch(entrance: Entrance, knock: "Knock") -> tuple[str, Json]:
    return "workflow_dispatch", dispatch_event(entrance.hub, {"task": knock.text}, knock.login)


def _ci(entrance: Entrance, knock: "Knock") -> tuple[str, Json]:
    return "workflow_run", run_event(entrance.hub, entrance.hub.run("main", JobSeed("test"), actor=knock.login))


def _ci_of_fork(entrance: Entrance, knock: "Knock") -> tuple[str, Json]:
    _fork(entrance)
    made = entrance.hub.run(
        "agent/evil",
        JobSeed("test"),
        actor=knock.login,
        event="pull_request",
        repository="eve/widgets",
        sha=entrance.hub.git.branches()["main"],
    )
    return "workflow_run", run_event(entrance.hub, made)


@dataclass(frozen=True)
class Knock:
    """One event. What `change` names, by a path with dots, is told otherwise than it is."""

    family: str
    title: str
    make: Make = _comment
    text: str = "/agent fix"
    login: str = "ann"
    actors: Sequence[str] | None = None
    """Who started the job; whoever gave the order where that is not said."""
    change: Mapping[str, Json] = field(default_factory=dict)
    fault: tuple[str, int | Manner] | None = None
    """A pattern of addresses, and what goes wrong there."""
    after: Callable[[Entrance], object] | None = None
    """What happens between the event and the job."""
    silent: bool = True
    """Whether nothing at all may come of it; else somebody who may order is told why not, and nothing is pushed."""

    @property
    def name(self) -> str:
        """How the table calls it."""
        return f"{self.family} {self.title}"

    def play(self, entrance: Entrance) -> tuple[Evidence, ...]:
        """Let it happen, and look what came of it."""
        event, payload = self.make(entrance, self)
        for path, value in self.change.items():
            _put(payload, path.split("."), value)
        if self.after is not None:
            self.after(entrance)
        before = look(entrance)
        if self.fault is not None:
            entrance.hub.fail("GET", *self.fault, times=100)
        try:
            entrance.both(event, payload, (self.login,) if self.actors is None else self.actors)
        finally:
            entrance.hub.desk.faults.clear()
        return find_harm(entrance, before, silent=self.silent)


def _put(payload: Json, path: Sequence[str], value: Json) -> None:
    for name in path[:-1]:
        payload = payload[name]
    if value is GONE:
        del payload[path[-1]]
    else:
        payload[path[-1]] = value


VERBS = ("fix", "plan", "approve", "undo", "retry", "stop", "status", "help", "fxi")
ODD = ("ann/../eve", "ann%2Fx", "", "ann\n", "ann ", "\u0430nn", "ann#", "ann?x=1", "..", "a" * 5_000)
"""Logins that are nobody's, and would lead elsewhere in an address."""
ASKING = r"/collaborators/"


def _strangers() -> Iterator[Knock]:
    for verb in VERBS:
        yield Knock("1.3", f"a stranger orders: {verb}", text=f"/agent {verb}", login="eve")
    for role in ("read", "triage"):
        yield Knock("1.3", f"somebody with the role {role} orders", login=f"{role}-er")
        yield Knock("1.3", f"somebody with the role {role} puts the label on", _label, login=f"{role}-er")
        yield Knock("1.3", f"somebody with the role {role} remarks on a line", _on_line, login=f"{role}-er")
        yield Knock("1.3", f"CI of somebody with the role {role} failed", _ci, login=f"{role}-er")
        yield Knock("1.3", f"somebody with the role {role} starts it by hand", _dispatch, login=f"{role}-er")
    for what in (401, 403, 404, 500, 502, "drop", "html", "cut"):
        yield Knock("1.3", f"what somebody may do cannot be asked: {what}", fault=(ASKING, what))
    for login in ODD:
        yield Knock("1.3", f"an odd login: {login[:12]!r}", change={"comment.user.login": login})
        yield Knock("1.3", f"an odd actor: {login[:12]!r}", actors=("ann", login))
    for name, change in (
        ("a deleted author", {"comment.user": None}),
        ("no sender", {"sender": None}),
        ("no sender at all", {"sender": GONE}),
        ("another sender than author", {"sender.login": "eve", "sender.id": 77}),
        ("an association that lies", {"comment.user.login": "eve", "comment.author_association": "OWNER"}),
        ("an organization", {"comment.user.type": "Organization"}),
        ("an account of no kind", {"comment.user.type": "Mannequin"}),
        ("an id of nobody", {"comment.user.id": 0}),
    ):
        yield Knock("1.3", f"an order of {name}", change=change)
    yield Knock("1.3", "a stranger starts an old job again", actors=("ann", "eve"))
    yield Knock("1.3", "a stranger started CI again", _ci, change={"workflow_run.triggering_actor.login": "eve"})
    yield Knock("1.3", "CI of nobody", _ci, change={"workflow_run.actor": None})


def _bots() -> Iterator[Knock]:
    for name, account in (
        ("an App", BOT),
        ("our own account", OURS),
        ("our own account under another name", {**OURS, "login": "someone", "type": "User"}),
        ("Copilot", {"login": "Copilot", "id": 198982749, "type": "Bot"}),
        ("dependabot, as the graph interface spells it", {"login": "dependabot", "id": 49699333, "type": "Bot"}),
        ("a person called like a bot", {"login": "x[bot]", "id": 7000003, "type": "User"}),
        ("a bot called like a person with rights", {"login": "ann", "id": 7000004, "type": "Bot"}),
        ("a bot in capital letters", {"login": "EVIL[BOT]", "id": 7000005, "type": "User"}),
    ):
        told = {"comment.user": account, "sender": account}
        yield Knock("1.4", f"an order of {name}", change=told, actors=(str(account["login"]),))
        yield Knock("1.4", f"an order of {name}, by a job of a person", change=told)
        acted = {"workflow_run.actor": account, "workflow_run.triggering_actor": account}
        yield Knock("1.4", f"CI of {name} failed", _ci, change=acted)
        yield Knock("1.4", f"the label of {name}", _label, change={"sender": account})


def _forks() -> Iterator[Knock]:
    for verb in ("fix", "plan", "retry", "approve", "undo"):
        yield Knock("1.5", f"{verb} on a pull request of a fork", _on_fork, text=f"/agent {verb}")
    yield Knock("1.5", "a remark on a line of a fork", _on_line_of_fork)
    lies = {"pull_request.head.repo": {"id": 1296269, "full_name": "ann/widgets"}}
    yield Knock("1.5", "a remark on a line of a fork that is told to be ours", _on_line_of_fork, change=lies)
    yield Knock("1.5", "a fork that is gone", _on_line_of_fork, change={"pull_request.head.repo": None})
    yield Knock("1.5", "CI of a fork", _ci_of_fork)
    yield Knock("1.5", "CI of a fork that is gone", _ci_of_fork, change={"workflow_run.head_repository": None})
    for cause in ("pull_request_target", "issue_comment", "workflow_run", "repository_dispatch", "", "PUSH"):
        told = {"workflow_run.event": cause}
        yield Knock("1.5", f"CI whose commit a stranger may have chosen: {cause or 'no cause'}", _ci, change=told)
    told = {"workflow_run.path": ".github/workflows/agent.yml@main", "workflow_run.name": "CI"}
    yield Knock("1.7", "our own workflow failed", _ci, change=told)
    yield Knock("1.7", "a workflow of our name failed", _ci, change={"workflow_run.name": "agent"})


def _swaps() -> Iterator[Knock]:
    for name, change in (
        ("an edited comment", {"comment.updated_at": "2999-01-01T00:00:00Z"}),
        ("a comment without a time", {"comment.created_at": None}),
        ("a comment without a time of change", {"comment.updated_at": GONE}),
        ("an event of a change", {"action": "edited"}),
        ("an event of a deletion", {"action": "deleted"}),
        ("another repository", {"repository.full_name": "eve/widgets"}),
        ("a name of a repository that leads elsewhere", {"repository.full_name": "ann/widgets/../../eve/widgets"}),
    ):
        yield Knock("1.6", f"an order with {name}", change=change)
    old = {"comment.created_at": "2020-01-01T00:00:00Z", "comment.updated_at": "2020-01-01T00:00:00Z"}
    yield Knock("1.6", "a job of years ago is started again", change=old, silent=False)
    ahead = dict.fromkeys(old, "2999-01-01T00:00:00Z")
    yield Knock("1.6", "an order of the future", change=ahead, silent=False)
    yield Knock(
        "1.6",
        "another commit than the one on the page",
        _on_line,
        change={"pull_request.head.sha": "a" * 40},
        silent=False,
    )
    yield Knock("1.6", "CI of another commit than stands there", _ci, change={"workflow_run.head_sha": "b" * 40})
    push: Callable[[Entrance], object] = lambda entrance: entrance.commit("topic", {"late.txt": "x"})  # noqa: E731
    yield Knock("1.6", "a push after the order", _on_line, after=push, silent=False)
    for ref in ("-x", "--upload-pack=touch x", "../main", "refs/heads/../x", "a b", "main\n", "", "main~1", "@{-1}"):
        told = {"workflow_run.head_branch": ref}
        yield Knock("1.22", f"CI of a branch that is none: {ref!r}", _ci, change=told)


ZERO = "\u200b"
SPELLED = {
    "a quotation": "> /agent fix",
    "a quotation in a quotation": "> > /agent fix\n\nthanks",
    "a block of code": "```\n/agent fix\n```",
    "an indented block": "    /agent fix",
    "a code span": "`/agent fix`",
    "a hidden comment": "<!-- /agent fix -->",
    "a hidden comment over lines": "<!--\n/agent fix\n-->\nthanks",
    "a details block": "<details>\n/agent fix\n</details>",
    "a list": "- /agent fix",
    "a heading": "# /agent fix",
    "a table": "| /agent fix |\n|---|\n| x |",
    "a later line": "thanks!\n/agent fix",
    "another word": "/agents fix",
    "another verb": "/agentfix",
    "a mention of it": "you can say /agent fix here",
    "letters of another script": "/\u0430gent fix",
    "a slash of another kind": "\u2215agent fix",
    "letters in another order": "\u202e/agent fix",
    "letters in full width": "\uff0f\uff41gent fix",
    "a link": "[/agent fix](https://example.invalid)",
    "bold": "**/agent fix**",
    "only unseen letters": "".join(chr(ord(c) + 0xE0000) for c in "/agent fix"),
    "nothing": "",
    "a quotation that goes on lazily": "> hello\n/agent fix",
    "our own mark": '/agent fix\n\n<!-- git-agent {"version": 1} -->',
    "our own mark in front": "<!-- git-agent {} -->\n/agent fix",
}


def _texts() -> Iterator[Knock]:
    for name, text in SPELLED.items():
        yield Knock("1.7", f"no order: {name}", text=text)
    yield Knock("1.7", "an order in the title alone", text="thanks", change={"issue.title": "/agent fix"})
    yield Knock("1.7", "an order in the text of the issue alone", text="thanks", change={"issue.body": "/agent fix"})
    yield Knock("1.7", "another label", _label, change={"label.name": "agents"})
    yield Knock("1.7", "CI that passed", _ci, change={"workflow_run.conclusion": "success"})
    yield Knock("1.7", "CI that is going on", _ci, change={"action": "in_progress"})


CASES: tuple[Knock, ...] = (*_strangers(), *_bots(), *_forks(), *_swaps(), *_texts())
