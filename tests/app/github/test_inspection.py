"""What is handed over is held against its commits, and every lie of it is a fault."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from bot.app.github.inspection import UNPROVED, Expectation, inspect
from bot.core.approval import Decision, Question
from bot.core.branches import Made, Place
from bot.core.check import Verdict
from bot.core.event import (
    Acted,
    Baselined,
    Committed,
    Decided,
    Ended,
    Event,
    Proved,
    Published,
    Started,
    Undone,
    Verified,
)
from bot.core.message import Reply, ToolCall, ToolResult
from bot.core.proof import Audit, Proof
from bot.core.talk import Replied
from bot.core.task import Limits, Source, Task
from bot.git.audit import changes
from bot.git.bundle import write_bundle
from bot.git.objects import Identity
from bot.git.quarantine import open_quarantine
from bot.git.remote import Move, Remote, push_all, tips
from tests.app.github.handed import BRANCH, GOOD, HANDOVER, RUN, Files, Lab, Tale, judged, make_lab, rebased
from tests.app.walk import make_walk
from tests.git.kinds import filled

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
HELD = "correct-horse-battery-staple-42"
STEPS: tuple[Files, ...] = ({"calc.py": GOOD}, {"new/two.py": b"2\n"})
Lie = Callable[[Tale], None]


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Lab:
    return make_lab(tmp_path_factory.mktemp("lab") / "repo")


@pytest.fixture(scope="module")
def good(lab: Lab) -> Tale:
    return lab.tell(*STEPS)


def test_an_honest_run_has_no_faults_and_keeps_its_word(lab: Lab, good: Tale) -> None:
    tale = good.again()
    found = tale.inspect(replace(tale.expect(), secrets=(HELD,)))
    assert found.faults == ()
    assert found.report is not None
    assert (found.report.outcome, found.proved, found.tip, found.base) == ("verified", True, tale.tip, lab.base)
    assert [found.commits[-1], len(found.commits), len(found.events)] == [tale.tip, 2, 8]


def message(text: str) -> Lie:
    """Have the last step say something else; `{}` is what it should say."""

    def tell(tale: Tale) -> None:
        tree = tale.lab.tree(tale.tip, {"three.py": b"3\n"})
        tale.step({}, text.replace("{}", tale.words(3, judged(tree, ["test_add"]))), tree=tree)

    return tell


def step(files: Files) -> Lie:
    return lambda tale: tale.step(files)


def claim(**told: object) -> Lie:
    return lambda tale: tale.claim(**told)


def event(kind: type[Event], **told: object) -> Lie:
    return lambda tale: tale.change(kind, **told)


def task(**told: object) -> Lie:
    return lambda tale: tale.change(Started, task=tale.task.model_copy(update=told))


def merge(tale: Tale) -> None:
    side = tale.lab.store.commit(tale.lab.store.tree(tale.lab.base), [tale.lab.base], "side")
    tale.step({"three.py": b"3\n"}, parents=[tale.tip, side])


def on_top(tale: Tale) -> None:
    tale.tip = tale.lab.store.commit(tale.lab.tree(tale.tip, {"evil.py": b"1\n"}), [tale.tip], "more")


def slipped_in(tale: Tale) -> None:
    tale.more = (tale.lab.store.commit(tale.lab.tree(tale.tip, {"evil.py": b"1\n"}), [tale.tip], "more"),)


def swapped(tale: Tale) -> None:
    """Put other files under the words of a judged step."""
    tree = tale.lab.tree(tale.tip, {"good.py": b"1\n"})
    words = tale.words(3, judged(tree, ["test_add"]))
    bad = tale.lab.tree(tale.tip, {"good.py": b"import os\n"})
    tale.step({}, words, tree=tree)
    tale.tip = tale.lab.store.commit(bad, [tale.lab.repo.git("rev-parse", f"{tale.tip}^")], words)
    tale.change(Committed, commit=tale.tip)


def foreign(tale: Tale) -> None:
    tale.who = Identity("Ada", "ada@example.invalid")
    tale.step({"three.py": b"3\n"})


def others_step(tale: Tale) -> None:
    tree = tale.lab.tree(tale.tip, {"three.py": b"3\n"})
    words = tale.words(3, judged(tree, ["test_add"])).replace(f"Agent-Run: {RUN}", "Agent-Run: zz99yy88x")
    tale.step({}, words, tree=tree)


def other_issue(tale: Tale) -> None:
    """Close an issue that nobody asked about, in a step's message."""
    tree = tale.lab.tree(tale.tip, {"three.py": b"3\n"})
    task = tale.task.model_copy(update={"source": Source(kind="issue", ref="1")})
    tale.step({}, tale.words(3, judged(tree, ["test_add"]), task), tree=tree)


def elsewhere(tale: Tale) -> None:
    """Begin on another commit than the event's, which is an ancestor of it."""
    first = tale.lab.repo.git("rev-parse", f"{tale.lab.base}^")
    made = replace(tale.lab, base=first).tell(*STEPS)
    tale.events, tale.tip, tale.task = made.events, made.tip, made.task


def unhanded(tale: Tale) -> None:
    tale.tip = tale.lab.base


def unproved(tale: Tale) -> None:
    tale.drop(Proved)


def proved_before(tale: Tale) -> None:
    tale.drop(Ended)
    tale.step({"three.py": b"3\n"})
    tale.events.append(Ended(at=5.0, stop="done"))


def granted(tale: Tale) -> None:
    """Write down that a person allowed it, for a run to come."""
    question = Question(risk="protected", subject=".github/workflows/ci.yml", why="changes it")
    tale.events.append(Decided(call_id="c", decision=Decision(question=question, answer="run", by="person", who="ada")))


def granted_now(tale: Tale) -> None:
    question = Question(risk="protected", subject=".github/workflows/ci.yml", why="changes it")
    tale.events.append(Decided(call_id="c", decision=Decision(question=question, answer="run", by="earlier")))
    tale.step({".github/workflows/ci.yml": b"on: pull_request_target\n"})


def allowed_deletion(tale: Tale) -> None:
    question = Question(risk="delete", subject="", why="deletes the file far")
    call = ToolCall(id="c", name="delete_file", arguments={"path": "far"})
    tale.events.append(Decided(call_id="c", decision=Decision(question=question, answer="once", by="policy")))
    tale.events.append(Acted(call=call, result=ToolResult(call_id="c", ok=True, output="deleted")))
    tale.step({"far": None})


def other_diff(tale: Tale) -> None:
    last = [found for found in tale.events if isinstance(found, Verified)][-1]
    tale.change(Verified, change=last.change.model_copy(update={"patch": "nothing to see\n"}))


def table(tale: Tale) -> None:
    tale.step({"pyproject.toml": b"[project]\nname = 'demo'\n[tool.git-agent]\nconsent = 'yes'\n"})


def words(tale: Tale) -> None:
    tale.events.insert(2, Replied(at=2.0, reply=Reply(text=f"the key is {HELD[::-1]}")))


FILES: Mapping[str, tuple[Files, str]] = {
    "a workflow": ({".github/workflows/new.yml": b"on: push\n"}, "protected"),
    "a workflow in capitals": ({".GitHub/Workflows/new.yml": b"on: push\n"}, "protected"),
    "a workflow by a rename": (
        {".github/workflows/ci.yml": None, ".github/workflows/renamed.yml": b"on: push\n"},
        "protected",
    ),
    "a workflow that becomes a link": ({".github/workflows/ci.yml": (0o120000, b"../../far")}, "protected"),
    "a workflow of another mode": ({".github/workflows/ci.yml": (0o100755, b"on: push\n")}, "protected"),
    "an action": ({"tools/action.yml": b"runs:\n"}, "protected"),
    "who has to be asked": ({"CODEOWNERS": b"* @eve\n"}, "protected"),
    "a hook": ({".pre-commit-config.yaml": b"repos: []\n"}, "protected"),
    "attributes": ({".gitattributes": b"*.py binary\n"}, "protected"),
    "a link": ({"link": (0o120000, b"/etc/passwd")}, "links are not made"),
    "a submodule": ({"sub": (0o160000, b"1" * 40)}, "submodules are not touched"),
    "where submodules come from": ({".gitmodules": b"[submodule 'x']\n"}, "protected"),
    "a mode": ({"calc.py": (0o100755, GOOD)}, "mode went from"),
    "a binary": ({"prog": b"\x7fELF\0\0"}, "binary"),
    "a huge file": ({"huge.txt": b"x" * 1_100_000}, "larger than"),
    "very many files": ({f"many/{number}.py": b"1\n" for number in range(60)}, "60 files changed"),
    "a deletion": ({"far": None}, "nobody allowed it to be deleted"),
    "a token in a file": ({"key.py": f"KEY = '{TOKEN}'\n".encode()}, "looks like a GitHub token"),
    "a token in a name": ({f"{TOKEN}.py": b"1\n"}, "the name of a file"),
    "what we hold, in a file": ({"key.py": HELD.encode().hex().encode() + b"\n"}, "holds a secret"),
    "what we hold, in a name": ({f"{HELD}.py": b"1\n"}, "the name of a file"),
    "a name in other case": ({"CALC.py": b"1\n"}, "letter case"),
}

LIES: Mapping[str, tuple[Lie, str]] = {
    "another repository": (claim(repository="octo/other"), "another repository"),
    "another run of the workflow": (claim(workflow_run="98"), "another run of the workflow"),
    "no name of a run": (claim(run="../x"), "no name of one"),
    "a record that is not there": (claim(run="bb22cc33d", branch="agent/x-bb22cc33d"), "no record"),
    "a branch of a person": (claim(branch="main"), "none that git agent makes"),
    "a branch like ours": (claim(branch=f"agent/../main-{RUN}"), "none that git agent makes"),
    "another branch of ours": (claim(branch=f"agent/other-{RUN}"), "none that its record knows"),
    "another base, as it says itself": (claim(base=rebased("", "1" * 40)), "the commit that it says"),
    "another base": (elsewhere, "the commit that the event is about"),
    "a base that was made up": (task(base="1" * 40), "the commit that the event is about"),
    "another issue": (task(source=Source()), "another issue"),
    "another task": (task(goal="something else"), "another task"),
    "other rules": (task(scope=("src/**",)), "other rules"),
    "a plan that was carried out": (event(Started, planning=True), "a plan"),
    "a record of another run": (event(Started, run="zz99yy88x"), "of another run"),
    "a base that was judged otherwise": (event(Baselined, verdict=Verdict(tree="2" * 40)), "another base"),
    "a merge": (merge, "2 parents"),
    "a commit on top": (on_top, "no step that its record knows"),
    "a commit beside the record": (slipped_in, "no step that its record knows"),
    "steps that are told of only": (unhanded, "does not stand where its record says"),
    "other files under a step's words": (swapped, "other files than were judged"),
    "another author": (foreign, "not one that git agent writes"),
    "a step of another run": (others_step, "step of another run"),
    "no trailers": (message("mend it"), "does not say in its trailers"),
    "a trailer more": (message("{}Signed-off-by: Ada <a@b.c>\n"), "another message"),
    "a forged check": (
        lambda tale: message(
            tale.words(3, judged(tale.lab.tree(tale.tip, {"three.py": b"3\n"}), ["x"])).replace(
                "passed(1)", "passed(9)"
            )
        )(tale),
        "other results of checks",
    ),
    "an order to close another issue": (other_issue, "another message"),
    "a token in a message": (message(f"Use {TOKEN}\n\n{{}}"), "another message"),
    "another diff": (other_diff, "another change in step 2"),
    "no proof": (unproved, "no proof for these files"),
    "a proof of other files": (proved_before, "no proof for these files"),
    "a permission for later": (granted, "a person allowed what nobody is known"),
    "a permission that it gave itself": (granted_now, "protected"),
    "a deletion that it allowed itself": (allowed_deletion, "nobody allowed it to be deleted"),
    "what is set for us": (table, "[tool.git-agent]"),
    "a secret that was said": (words, "line 3 of its record holds"),
    "a secret in the report": (lambda t: setattr(t, "extra", {"report.md": HELD.encode()}), "report.md of its record"),
    "another task beside the trace": (lambda t: setattr(t, "extra", {"task.json": b"{}"}), "another task in one place"),
    "a file more in the record": (lambda t: setattr(t, "extra", {"evil.sh": b"x"}), "other files than git agent keeps"),
    "a record that cannot be read": (lambda t: setattr(t, "extra", {"trace.jsonl": b"{}\n"}), "record"),
    **{name: (step(files), fault) for name, (files, fault) in FILES.items()},
}


@pytest.mark.parametrize("name", LIES)
def test_a_lie_is_a_fault(good: Tale, name: str) -> None:
    tell, expected = LIES[name]
    tale = good.again()
    tell(tale)
    faults = tale.inspect(replace(tale.expect(), secrets=(HELD,))).faults
    assert any(expected in fault for fault in faults), faults
    assert not any(secret in fault for fault in faults for secret in (TOKEN, HELD))


def test_what_a_person_allowed_counts_where_the_publisher_knows_of_it(lab: Lab) -> None:
    tale = lab.tell({"calc.py": GOOD, "far": None, ".github/workflows/ci.yml": b"on: pull_request\n"})
    asked = [
        Question(risk="protected", subject=".github/workflows/ci.yml", why="changes it"),
        Question(risk="delete", subject="", why="deletes the file far"),
    ]
    tree = lab.store.tree(tale.tip)
    given = tuple(Decision(question=each, answer="once", by="person", tree=tree) for each in asked)
    assert tale.inspect(replace(tale.expect(), grants=given)).faults == ()
    told = replace(tale, events=[*tale.events, *(Decided(call_id="c", decision=each) for each in given)])
    assert told.inspect(replace(told.expect(), grants=given)).faults == ()
    assert len(tale.inspect(replace(tale.expect(), grants=given[:1])).faults) == 1
    for other in ({"tree": "3" * 40}, {"by": "policy"}, {"answer": "wait"}):
        weaker = tuple(each.model_copy(update=other) for each in given)
        # A file that may go may go whatever else is changed
        assert len(tale.inspect(replace(tale.expect(), grants=weaker)).faults) == (1 if "tree" in other else 2)


def test_limits_of_the_publisher_hold_and_not_those_of_the_record(lab: Lab) -> None:
    tale = lab.tell({"calc.py": GOOD, "new/two.py": b"2\n"})
    small = tale.task.model_copy(update={"limits": Limits(files=1)})
    assert any("max_files" in fault for fault in tale.inspect(replace(tale.expect(), task=small)).faults)


def test_steps_that_were_taken_back_are_no_fault_and_leave_less_to_claim(lab: Lab, good: Tale) -> None:
    tale = good.again()
    first = next(event.commit for event in tale.events if isinstance(event, Committed))
    place = Place(ref=f"refs/heads/{BRANCH}", before=tale.tip, after=first)
    tale.events.append(Undone(at=5.0, step=1, commit=first, where=(BRANCH,), places=(place,)))
    tale.more, tale.tip = (tale.tip,), first
    found = tale.inspect()
    assert (found.faults, found.commits, found.proved) == ((), (first,), False)
    assert found.report is not None
    assert found.report.outcome == "partial"
    assert UNPROVED in found.report.findings


def test_a_commit_that_takes_a_step_back_is_known_by_its_words(lab: Lab, good: Tale) -> None:
    tale = good.again()
    one, two = (event for event in tale.events if isinstance(event, Committed))
    for body, fault in ((f"This reverts commit {two.commit}.", ""), ("Fixes #1", "another message")):
        verdict = judged(one.tree, ["test_add"])
        said = tale.words(2, verdict, Task(base=lab.base)).replace("Step 2\n", f"Revert: Step 2\n\n{body}\n")
        back = lab.store.commit(one.tree, [two.commit], said)
        made = (Made(step=2, commit=back, back=True),)
        place = Place(ref=f"refs/heads/{BRANCH}", before=two.commit, after=back, made=made)
        undone = Undone(at=5.0, step=1, commit=back, where=(BRANCH,), how="reverted", places=(place,))
        told = replace(tale, events=[*tale.events, undone], tip=back)
        faults = told.inspect().faults
        assert any(fault in each for each in faults) if fault else faults == ()


def test_steps_that_were_made_again_stand_on_the_moved_base(lab: Lab, good: Tale) -> None:
    tale = good.again()
    onto = lab.store.commit(lab.tree(lab.base, {"theirs.py": b"0\n"}), [lab.base], "theirs")
    old, at, made = tale.tip, onto, []
    for event in [event for event in tale.events if isinstance(event, Committed)]:
        tree = lab.tree(at, STEPS[event.step - 1])
        at = lab.store.commit(tree, [at], tale.words(event.step, judged(tree, ["test_add"])))
        made.append(Made(step=event.step, commit=at))
    branch = f"{BRANCH}-2"
    place = Place(ref=f"refs/heads/{branch}", before="", after=at, made=tuple(made))
    tale.events.append(Published(at=5.0, where=branch, commit=at, places=(place,)))
    tale.tip, tale.more, tale.branch = at, (old,), branch
    tale.claim(branch=branch, base=rebased(onto, lab.base))
    both = frozenset({lab.base, onto})
    found = tale.inspect(replace(tale.expect(), bases=both))
    assert (found.faults, found.base, found.proved) == ((), onto, False)
    assert any("no step that its record knows" in fault for fault in tale.inspect().faults)
    tale.events.append(Proved(at=6.0, commit=at, proof=Proof(), audit=Audit()))
    again = tale.inspect(replace(tale.expect(), bases=both))
    assert (again.faults, again.proved) == ((), True)
    assert again.report is not None
    assert again.report.outcome == "verified"


def test_files_that_wait_for_an_answer_travel_with_the_record_and_hide_nothing(lab: Lab) -> None:
    tale = lab.tell(*STEPS[:1])
    tale.drop(Proved)
    tale.drop(Ended)
    for content, fault in ((b"on: pull_request\n", ""), (TOKEN.encode(), "looks like a GitHub token")):
        tree = lab.tree(tale.tip, {".github/workflows/ci.yml": content})
        question = Question(risk="protected", subject=".github/workflows/ci.yml", why="changes it")
        asked = Decided(call_id="c", decision=Decision(question=question, answer="wait", by="policy", tree=tree))
        draft = lab.store.commit(tree, [tale.tip], f"draft\n\nAgent-Run: {RUN}\n")
        ended = Ended(at=5.0, stop="needs_human")
        told = replace(tale, events=[*tale.events, asked, ended], more=(draft,))
        faults = told.inspect().faults
        assert any(fault in each for each in faults) if fault else faults == ()


def test_without_a_run_there_is_nothing_to_look_at(lab: Lab) -> None:
    tale = lab.tell()
    tale.claim(run="", branch="", said="there is no check to go by", reason="refused")
    found = tale.inspect()
    assert (found.faults, found.report, found.tip) == ((), None, "")


def test_a_run_without_commits_hands_over_its_record_alone(lab: Lab) -> None:
    tale = lab.tell()
    tale.drop(Proved)
    tale.change(Ended, stop="limit:turns")
    tale.claim(branch="")
    found = tale.inspect()
    assert (found.faults, found.tip, found.commits) == ((), "", ())
    assert found.report is not None
    assert found.report.outcome == "gave_up"


def test_a_record_tells_of_what_it_changed_and_not_of_something_else(lab: Lab, good: Tale) -> None:
    tale = good.again()
    last = [event for event in tale.events if isinstance(event, Verified)][-1]
    true = changes(lab.repository, lab.base, tale.tip)
    tale.change(Verified, change=last.change.model_copy(update={"files": true.files}))
    assert any("another change in step 2" in fault and "calc.py" in fault for fault in tale.inspect().faults)


def test_a_bundle_is_received_inspected_and_pushed_from_where_it_was_looked_at(tmp_path: Path) -> None:
    walk = make_walk(filled(tmp_path / "repo"), ({"calc.py": b"mended\n"}, {"deep/c.py": b"c\n"}), end=False)
    walk.repo.git("clone", "-q", "--bare", "--no-tags", "--single-branch", str(walk.repo.path), str(tmp_path / "hub"))
    remote = Remote(f"file://{tmp_path}/hub")
    told = write_bundle(walk.repository, tmp_path / "b", run=RUN, branch=BRANCH, base=walk.base)
    first = walk.events[0]
    assert isinstance(first, Started)
    with open_quarantine(tmp_path) as quarantine:
        quarantine.bring(remote, [walk.base])
        assert quarantine.receive(tmp_path / "b", run=RUN, branch=BRANCH, bases={walk.base}) == told
        expected = Expectation("octo/demo", frozenset({walk.base}), first.task)
        found = inspect(quarantine.repository, HANDOVER, expected)
        assert (found.faults, found.commits, found.record) == ((), walk.commits, told.record)
        moves = (Move(f"refs/heads/{BRANCH}", found.tip, ""), Move(f"refs/agent/runs/{RUN}", found.record, ""))
        assert [each.kind for each in push_all(quarantine.git, remote, moves)] == ["ok", "ok"]
        assert tips(quarantine.git, remote, ["refs/heads/agent/*"]) == {f"refs/heads/{BRANCH}": told.tip}


def test_a_run_that_is_gone_on_with_keeps_its_past_and_stays_about_the_same(good: Tale) -> None:
    tale = good.again()
    tale.events.append(Ended(at=9.0, stop="done"))
    page = tale.task.model_copy(update={"source": Source(kind="comment", ref="8"), "goal": "take it back"})
    known = replace(tale.expect(), task=page, kept=tuple(good.events))
    assert tale.inspect(known).faults == ()
    assert any("another issue" in fault for fault in tale.inspect(replace(known, kept=())).faults)
    tale.change(Baselined, at=7.0)
    assert any("does not go on from" in fault for fault in tale.inspect(known).faults)
