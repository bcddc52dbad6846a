"""Makes steps again on top of something else, or takes them back there, in a throwaway worktree and judged."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from bot.app.bay import choose_bay
from bot.app.desk import Desk, choose_signer
from bot.app.finished import Finished, parent
from bot.app.proving.judge import climb
from bot.core.branches import Made
from bot.core.check import Verdict
from bot.core.render import commit_message
from bot.core.standing import terms
from bot.core.task import Source
from bot.errors import UsageError
from bot.git.transplant import take_back, transplant
from bot.git.workspace import GitWorkspace, open_workspace
from bot.verify.ladder import Ladder

SHOWN = 3


class Pick(NamedTuple):
    """A step, and the commit that holds its change."""

    step: int
    commit: str


class Planted(NamedTuple):
    """What was made."""

    tip: str
    made: tuple[Made, ...] = ()
    judged: bool = False
    """Whether checks were run, because there was a tree that nothing was known of."""


def replant(desk: Desk, finished: Finished, onto: str, picks: Sequence[Pick]) -> Planted:
    """Make steps again on top of a commit, each judged there. Raises UsageError."""
    with _open(desk, finished, onto) as court:
        made = tuple(_make_again(court, picks))
        return Planted(court.workspace.head, made, court.judged)


def review(desk: Desk, finished: Finished, picks: Sequence[Pick]) -> None:
    """Judge steps where they stand, each held against the one before. Raises UsageError where one does not hold."""
    with _open(desk, finished, finished.lineage.base) as court:
        for pick in picks:
            verdict = court.hear(court.workspace.store.tree(pick.commit))
            if not verdict.ok:
                text = f"step {pick.step} does not hold when the checks are run here: nothing was changed"
                raise UsageError(text, f"git agent verify {finished.run} tells more")
            court.before = verdict


def replant_reverse(desk: Desk, finished: Finished, onto: str, picks: Sequence[Pick]) -> Planted:
    """Take steps back on top of a commit, the last one first, with one commit that is judged. Raises UsageError."""
    with _open(desk, finished, onto) as court:
        workspace = court.workspace
        tree = ""
        for pick in picks:
            tree = take_back(workspace, pick.commit)
        if tree == workspace.store.tree(workspace.head):
            return Planted(onto)
        verdict = court.known(tree) or court.hear_reverse(tree, picks)
        commit = workspace.commit(tree, _words_back(finished, picks, verdict))
        made = tuple(Made(step=pick.step, commit=commit, back=True) for pick in picks)
        return Planted(commit, made, court.judged)


@dataclass(slots=True)
class _Court:
    """Judges trees that nothing is known of, against what is known; checks are only looked for when they are needed."""

    desk: Desk
    finished: Finished
    workspace: GitWorkspace
    onto: str
    before: Verdict | None = None
    """The verdict on what the next tree is held against."""
    ladder: Ladder | None = field(default=None, init=False)

    @property
    def judged(self) -> bool:
        """Whether anything had to be run."""
        return self.ladder is not None

    def known(self, tree: str) -> Verdict | None:
        """Return what was said of a tree in the run."""
        return self.finished.known.get(tree)

    def hear(self, tree: str) -> Verdict:
        """Run the checks on a tree, and on the one before it where that was not done."""
        if self.ladder is None:
            self.ladder = self._find_checks()
        if self.before is None:
            self.before = climb(self.ladder, self.workspace, self.workspace.store.tree(self.workspace.head), None)
        return climb(self.ladder, self.workspace, tree, self.before)

    def _find_checks(self) -> Ladder:
        """Find the checks of what is built upon, and those of the run where its record was written here."""
        before = terms(self.finished.events).checks if self.finished.local else ()
        with self.workspace.clean(self.onto) as root:
            return choose_bay(self.desk).ladder_again(root, self.desk.settings.checks, before)

    def hear_reverse(self, tree: str, picks: Sequence[Pick]) -> Verdict:
        """Judge a tree without some steps: what they mended may fail again, and their tests go. Raises UsageError."""
        verdict = self.hear(tree)
        first = min(picks, key=lambda pick: pick.step)
        start = parent(self.finished.repository, self.finished.original(first.step))
        earlier = self.finished.known.get(self.workspace.store.tree(start))
        known = {case.id: case.bad for result in earlier.results for case in result.cases} if earlier else {}
        compared = verdict.comparison
        worse = [case for case in (*compared.broken, *compared.prevented) if not known.get(case)]
        worse += [case for case in compared.removed if known.get(case) is False]
        if worse:
            names = ", ".join(worse[:SHOWN]) + (f" and {len(worse) - SHOWN} more" if worse[SHOWN:] else "")
            commits = " ".join(pick.commit[:10] for pick in picks)
            text = f"what came since needs it: without it {names} would fail; nothing was changed"
            raise UsageError(text, f"to take it back all the same: git revert {commits}")
        return verdict


@contextmanager
def _open(desk: Desk, finished: Finished, onto: str) -> Iterator[_Court]:
    # Nothing of it needs a name until all of it has passed
    run = f"{finished.run}-{onto[:7]}"
    with open_workspace(desk.repository, base=onto, run=run, branch="") as workspace:
        if desk.settings.sign:
            workspace.signer = choose_signer(desk, onto)
        yield _Court(desk, finished, workspace, onto)


def _make_again(court: _Court, picks: Sequence[Pick]) -> Iterator[Made]:
    """Make each step again; one that brings nothing new is left out. Raises UsageError."""
    workspace = court.workspace
    # All of it first: a conflict in the last one is told before checks of the others have run
    trees = [transplant(workspace, pick.commit) for pick in picks]
    for pick, tree in zip(picks, trees, strict=True):
        if tree == workspace.store.tree(workspace.head):
            continue
        verdict = court.known(tree) or court.hear(tree)
        if not verdict.ok:
            subject = court.finished.subject(pick.step)
            text = f"on top of {court.onto[:10]} the step {subject!r} no longer passes: nothing was changed"
            raise UsageError(text, "run git agent fix again from here")
        yield Made(step=pick.step, commit=workspace.commit(tree, _words(court.finished, pick.step, verdict)))
        court.before = verdict


def _words(finished: Finished, step: int, verdict: Verdict) -> str:
    started = finished.started
    return commit_message(
        finished.subject(step), "", run=finished.run, step=step, verdict=verdict, model=started.model, task=started.task
    )


def _words_back(finished: Finished, picks: Sequence[Pick], verdict: Verdict) -> str:
    steps = sorted(pick.step for pick in picks)
    subject = f"Revert: {finished.subject(steps[0])}"
    if len(steps) > 1:
        subject = f"Revert steps {', '.join(map(str, steps))} of {finished.run}"
    body = "\n".join(f"This reverts commit {pick.commit}." for pick in picks)
    # It mends nothing, whatever the steps did
    task = finished.started.task.model_copy(update={"source": Source()})
    model = finished.started.model
    return commit_message(subject, body, run=finished.run, step=steps[0], verdict=verdict, model=model, task=task)
