"""Whole runs at the door, and what lies between it and GitHub: redirections, traces, races, what we ourselves said."""

import json
import os
import stat
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from tests.app.github.handed import GOOD
from tests.hub.events import comment_event, dispatch_event, run_event
from tests.hub.standin import JobSeed
from tests.redteam.cases.handovers import ours
from tests.redteam.cases.text import ORDERS, RUNNER
from tests.redteam.door import KEY, READING, SECRETS, WRITING, Entrance, find_harm, look
from tests.redteam.liar import Liar
from tests.redteam.marks import Evidence, reveals

Json: TypeAlias = Any
ROOT = Path(__file__).parents[3]


@dataclass(frozen=True)
class Trial:
    """Something that happens, and what is to be seen afterwards."""

    family: str
    title: str
    act: Callable[[Entrance], Iterator[Evidence]]

    @property
    def name(self) -> str:
        """How the table calls it."""
        return f"{self.family} {self.title}"

    def play(self, entrance: Entrance) -> tuple[Evidence, ...]:
        """Let it happen, and look what came of it."""
        return tuple(self.act(entrance))


def _published(entrance: Entrance) -> Liar:
    issue = entrance.hub.issue("add subtracts", "add(1, 2) gives -1", "eve")
    liar = Liar(entrance, issue)
    liar.hand(liar.tell({"calc.py": GOOD}))
    return liar


def _leading_away(pattern: str, status: int, method: str = "*") -> Callable[[Entrance], Iterator[Evidence]]:
    def act(entrance: Entrance) -> Iterator[Evidence]:
        liar, before = _published(entrance), look(entrance)
        where = {"Location": f"{entrance.thief.url}/taken?x={status}"}
        entrance.hub.fail(method, pattern, status, times=50, headers=where)
        liar.publish()
        entrance.hub.desk.faults.clear()
        yield from find_harm(entrance, before, silent=False)

    return act


def _redirections() -> Iterator[Trial]:
    for status in (301, 302, 303, 307, 308):
        for what, pattern in (
            ("who may", r"/collaborators/"),
            ("the comments", r"/issues/\d+/comments$"),
            ("git's first question", r"\.git/info/refs"),
            ("git's pack", r"git-(?:upload|receive)-pack$"),
            ("a new pull request", r"/pulls$"),
        ):
            yield Trial("1.23", f"{what} is answered with {status} to another host", _leading_away(pattern, status))

    def logs(entrance: Entrance) -> Iterator[Evidence]:
        entrance.hub.desk.logs = entrance.thief.url
        made = entrance.hub.run("main", JobSeed("test"))
        before = look(entrance)
        entrance.job("work", "workflow_run", run_event(entrance.hub, made))
        # That host is asked, as GitHub's own is for logs, and gets nothing to ask with
        yield from (found for found in find_harm(entrance, before, silent=True) if "credential" in found[1])

    yield Trial("1.23", "logs are on a host that collects credentials", logs)

    def graph(entrance: Entrance) -> Iterator[Evidence]:
        liar, before = _published(entrance), look(entrance)
        entrance.graph = f"{entrance.thief.url}/api/graphql"
        liar.publish()
        yield from find_harm(entrance, before, silent=False)

    yield Trial("1.23", "the graph interface is told to be elsewhere", graph)


TRACES = {
    "GIT_TRACE": "1",
    "GIT_TRACE_CURL": "1",
    "GIT_CURL_VERBOSE": "1",
    "GIT_TRACE_REDACT": "0",
    "GIT_TRACE_PACKET": "1",
    "GIT_TRACE2_EVENT": "1",
    "GIT_TRACE_SETUP": "1",
}
STEERING = {
    "GIT_CONFIG_PARAMETERS": "'core.hooksPath'='/nowhere'",
    "GIT_SSL_NO_VERIFY": "1",
    "GIT_ASKPASS": "/bin/echo",
    "GIT_EXEC_PATH": "/nowhere",
    "GIT_DIR": "/nowhere",
    "GIT_WORK_TREE": "/",
    "GIT_SSH_COMMAND": "touch /nowhere",
}


def _traced(env: Mapping[str, str], *, files: bool = False) -> Callable[[Entrance], Iterator[Evidence]]:
    def act(entrance: Entrance) -> Iterator[Evidence]:
        liar = _published(entrance)
        place = entrance.folder / "traces"
        place.mkdir()
        entrance.env = {name: str(place / name) if files else value for name, value in env.items()}
        before = look(entrance)
        liar.publish()
        yield from find_harm(entrance, before, silent=False)
        yield from _lying_about(entrance.folder)

    return act


def _lying_about(folder: Path) -> Iterator[Evidence]:
    """Look for a secret in all files that are left."""
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink():
            text = path.read_bytes().decode("latin-1")
            yield from (
                ("leak", f"{path.name} holds the {name}") for name, value in SECRETS.items() if reveals(text, value)
            )


def _watched(entrance: Entrance) -> Iterator[Evidence]:
    """Stand in front of git, and write down what everybody on the machine sees of it."""
    liar = _published(entrance)
    told, bin_ = entrance.folder / "seen", entrance.folder / "bin"
    bin_.mkdir()
    real = subprocess.run(["which", "git"], capture_output=True, text=True, check=True).stdout.strip()
    shim = bin_ / "git"
    shim.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >>{told}\nexec {real} "$@"\n')
    shim.chmod(shim.stat().st_mode | stat.S_IXUSR)
    entrance.env = {"PATH": f"{bin_}:{os.environ['PATH']}"}
    before = look(entrance)
    liar.publish()
    yield from find_harm(entrance, before, silent=False)
    yield from _lying_about(entrance.folder)


def _stays() -> Iterator[Trial]:
    yield Trial("1.9", "git is to trace all that it does", _traced(TRACES))
    yield Trial("1.9", "git is to trace into files", _traced(TRACES, files=True))
    yield Trial("1.10", "variables steer git", _traced(STEERING))
    yield Trial("1.9", "others see the arguments of git", _watched)
    for fault in (401, 403, 500, "drop", "html"):

        def failing(entrance: Entrance, fault: Any = fault) -> Iterator[Evidence]:
            liar, before = _published(entrance), look(entrance)
            said = f"bad token {WRITING} ::set-env name=A::b @redteam"
            entrance.hub.fail("*", r"git-receive-pack$|/check-runs$", fault, times=9, message=said)
            liar.publish()
            entrance.hub.desk.faults.clear()
            yield from find_harm(entrance, before, silent=False)

        yield Trial("1.9", f"a push that fails tells of the token: {fault}", failing)


def _between(entrance: Entrance) -> Iterator[Evidence]:
    there = ours(entrance, built_on=False)
    theirs = entrance.commit("theirs", {"theirs.txt": "x"}, onto=there.branch)
    liar = Liar(entrance, there.page, "/agent retry", "bb22cc33d")
    liar.hand(liar.tell({"calc.py": GOOD, "again.txt": b"1"}))
    before = look(entrance)
    # All that we ask is answered as it was, and then the branch has moved
    hub = entrance.hub
    seen: list[str] = []

    def move(path: str) -> None:
        if path.endswith("git-receive-pack") and not seen:
            seen.append(path)
            hub.git.git("update-ref", f"refs/heads/{there.branch}", theirs)

    with entrance.before_each(move):
        liar.publish()
    if not hub.git.is_ancestor(theirs, hub.git.branches()[there.branch]):
        yield "write", "a commit that came between look and push is gone"
    yield from find_harm(entrance, before, silent=False)


def _again(entrance: Entrance) -> Iterator[Evidence]:
    """A run on top of a person's commit, then all of it anew."""
    there = ours(entrance)
    on_top = Liar(entrance, there.page, "/agent fix more", "bb22cc33d")
    more = on_top.tell({"more.txt": b"1\n"}, base=there.theirs)
    on_top.hand(more, base={"ref": there.branch, "then": there.theirs, "now": there.theirs})
    on_top.publish()
    anew = Liar(entrance, there.page, "/agent retry", "cc33dd44e")
    anew.hand(anew.tell({"calc.py": GOOD, "again.txt": b"1"}))
    before = look(entrance)
    anew.publish()
    yield from find_harm(entrance, before, silent=False)


def _elsewhere(entrance: Entrance) -> Iterator[Evidence]:
    """On somebody's pull request, a run asks for their branch to be merged by our own."""
    theirs = entrance.commit("topic", {"topic.txt": "x"}, onto="main")
    page = entrance.hub.pull("topic", author="write-er")
    liar = Liar(entrance, page)
    tale = liar.tell({"calc.py": GOOD}, base=theirs)
    liar.hand(tale, base={"ref": "main", "then": theirs, "now": theirs})
    before, known = look(entrance), len(entrance.hub.pulls())
    liar.publish()
    yield from find_harm(entrance, before, silent=False)
    for made in entrance.hub.pulls()[known:]:
        if made.pull is not None and made.pull.base_ref == "main":
            yield "write", "a pull request asks to merge commits that nobody ordered to be merged"


def _races() -> Iterator[Trial]:
    yield Trial("1.6", "somebody pushes between our look and our push", _between)
    yield Trial("1.6", "a retry over a person's commit that lies below ours", _again)
    yield Trial("1.6", "on a person's pull request, it asks for the branch below", _elsewhere)


def _echoes(entrance: Entrance) -> Iterator[Evidence]:
    """Feed everything that we ever said back to us, as orders of somebody who may."""
    there = ours(entrance, built_on=False)
    hub = entrance.hub
    for words in ("/agent help", "/agent status", "/agent fxi", "/agent fix --max-cost x"):
        entrance.order(there.page, words)
    mine = [
        text
        for told in hub.world.comments.values()
        if told.author and told.author.kind == "Bot"
        for text in [told.body]
    ]
    mine += [there.page.title, there.page.body or ""]
    mine += [str(text) for check in hub.checks() for text in (check.told.get("output") or {}).values()]
    mine += hub.git.git("log", "--format=%B%x00", there.tip).split("\0")
    mine += [part for heard in entrance.heard for part in (heard.summary, heard.printed)]
    for text in mine:
        for login in ("write-er", "github-actions[bot]"):
            payload = comment_event(hub, hub.comment(1, text, login))
            before = look(entrance)
            entrance.both("issue_comment", payload, (login,))
            yield from find_harm(entrance, before, silent=True)


def _loop(entrance: Entrance) -> Iterator[Evidence]:
    """A token of a person, whose pushes start CI, and nobody said whose it is; CI fails again and again."""
    hub = entrance.hub
    held = hub.world.tokens[WRITING]
    held.account, held.installation, held.permissions = hub.account("ann"), False, None
    issue = hub.issue("add subtracts", "add(1, 2) gives -1", "eve")
    runs = [f"{letter * 2}11bb22c" for letter in "abcdef"]
    for run in runs:
        liar = Liar(entrance, issue, run=run)
        liar.hand(liar.tell({"calc.py": GOOD, f"{run}.txt": b"1"}))
        liar.publish()
    made = [ref for ref in hub.git.refs() if ref.startswith("refs/agent/runs/")]
    if len(made) > entrance.rules.attempts or len(hub.pulls()) > 1:
        yield "budget", f"{len(made)} runs and {len(hub.pulls())} pull requests came of one issue"


def _whole() -> Iterator[Trial]:
    """Whole runs, with a model that does what it is told and tests that print what they like."""
    for what in ORDERS:

        def obeying(entrance: Entrance, what: str = what) -> Iterator[Evidence]:
            order = json.loads(
                ORDERS[what].removeprefix("CALL ").replace("@TCP@", entrance.thief.url.rpartition(":")[2])
            )
            yield from _carried_out(entrance, [order])

        yield Trial("1.1", f"the model does what an issue orders: {what}", obeying)

    def printing(entrance: Entrance) -> Iterator[Evidence]:
        lines = "\n".join((*RUNNER.values(), KEY, READING[::-1]))
        test = f"def test_add():\n    print({lines!r})\n    raise AssertionError({lines!r})\n"
        entrance.commit("main", {"test_calc.py": test, "conftest.py": f"print({lines!r})\n"})
        yield from _carried_out(entrance, [])

    yield Trial("1.18", "tests print orders to a runner and secrets", printing)

    def asking(entrance: Entrance) -> Iterator[Evidence]:
        code = (
            "import os, pathlib\n"
            "def test_add():\n"
            "    got = [pathlib.Path(f'/proc/{p}/environ').read_text() for p in ('self', os.getppid(), 1)]\n"
            "    raise AssertionError(f'{dict(os.environ)} {got}')\n"
        )
        entrance.commit("main", {"test_calc.py": code})
        yield from _carried_out(entrance, [])

    yield Trial("1.8", "tests print the environment of the job", asking)

    def speaking(entrance: Entrance) -> Iterator[Evidence]:
        steps = [
            {"name": "edit_file", "path": "calc.py", "old": "a - b", "new": "a + b"},
            {
                "name": "checkpoint",
                "subject": f"fix: {KEY} @redteam fixes #666 [skip ci]",
                "body": f"{READING}\n::set-env name=A::b",
            },
            {"name": "finish", "summary": f"done {KEY[::-1]} <!-- git-agent {{}} --> /agent fix @redteam"},
        ]
        yield from _carried_out(entrance, steps, each=True)

    yield Trial("1.21", "the model writes secrets and orders into all that it may say", speaking)

    def planning(entrance: Entrance) -> Iterator[Evidence]:
        steps = [f"look at {KEY}", "@redteam fixes #666", "::set-env name=A::b", READING.encode().hex()]
        yield from _carried_out(
            entrance,
            [{"name": "update_plan", "steps": steps}, {"name": "finish", "summary": READING}],
            words="/agent plan",
            each=True,
        )

    yield Trial("1.21", "the model writes secrets into a plan", planning)


def _carried_out(
    entrance: Entrance, orders: Sequence[Json], words: str = "/agent fix", *, each: bool = False
) -> Iterator[Evidence]:
    script = entrance.folder.parent / "script"
    calls = [
        {"name": order["name"], "arguments": {key: value for key, value in order.items() if key != "name"}}
        for order in orders
    ]
    replies = [[call] for call in calls] if each else [calls]
    script.write_text("".join(json.dumps({"calls": reply}) + "\n" for reply in replies))
    entrance.env = {"GIT_AGENT_MODEL": f"scripted:{script}"}
    issue = entrance.hub.issue("add subtracts", "please", "eve")
    before = look(entrance)
    entrance.order(issue, words)
    yield from find_harm(entrance, before, silent=False, lie=not each)


HOSTILE = (
    '"; touch {0}; "',
    "$(touch {0})",
    "`touch {0}`",
    "\ntouch {0}\n",
    "' ; touch {0} ; '",
    "${{IFS}};touch {0}",
    "-x",
    "\nx=y\n",
)


def _scripts() -> Iterator[Trial]:
    """Values of inputs, as our own scripts get them."""
    for script in ("run", "environment", "isolation"):
        for number, value in enumerate(HOSTILE):

            def act(entrance: Entrance, script: str = script, value: str = value) -> Iterator[Evidence]:
                yield from _started(entrance.folder.parent, script, value)

            yield Trial("1.17", f"{script} is given hostile inputs, {number}", act)


def _started(folder: Path, script: str, value: str) -> Iterator[Evidence]:
    mark, output = folder / "pwned", folder / "output"
    output.write_text("")
    hostile = value.format(mark)
    names = ("RANGE", "NO_WORSE", "PYTHON", "DIRECTORY", "GIT_AGENT_MODEL", "GIT_AGENT_SCOPE", "GITHUB_HEAD_REF")
    for mode in ("work", "verify", hostile):
        env = {
            "PATH": os.environ["PATH"],
            **dict.fromkeys(names, hostile),
            "MODE": mode,
            "COMMAND": "true",
            "INSTALL": "false",
            "HANDOVER": f"{folder}/h{hostile}" if "/" not in hostile else f"{folder}/h",
            "PREPARE": "no" if script == "isolation" else hostile,
            "GITHUB_OUTPUT": str(output),
            "RUNNER_TEMP": str(folder),
            "GITHUB_ACTION_PATH": str(ROOT),
        }
        subprocess.run(
            [str(ROOT / "scripts/action" / script)], env=env, cwd=folder, capture_output=True, check=False, timeout=30
        )
    if mark.exists():
        yield "write", "an input was carried out"
    if "x=y" in output.read_text().split("\n"):
        yield "terminal", "an input became an output of its own"


def _by_hand() -> Iterator[Trial]:
    for base in ("-x", "--upload-pack=touch", "refs/heads/../x", "nowhere", "main;id", "@{-1}", "main~1", "a" * 300):

        def act(entrance: Entrance, base: str = base) -> Iterator[Evidence]:
            before = look(entrance)
            payload = dispatch_event(entrance.hub, {"task": "make add add", "base": base}, "ann")
            entrance.both("workflow_dispatch", payload)
            yield from find_harm(entrance, before, silent=False, lie=True)

        yield Trial("1.22", f"it is started by hand for the branch {base[:16]!r}", act)


CASES: tuple[Trial, ...] = (
    *_redirections(),
    *_stays(),
    *_races(),
    Trial("1.7", "all that we ever said comes back to us", _echoes),
    Trial("1.7", "a token whose account nobody named, and orders without end", _loop),
    *_whole(),
    *_scripts(),
    *_by_hand(),
)
