"""What a person does with a finished run: take it, go back, tidy up."""

import time
from collections.abc import Iterator
from pathlib import Path

from bot.app.assemble import choose_bay
from bot.app.desk import Desk, open_desk
from bot.app.perform import render
from bot.app.proving.judge import climb
from bot.app.signals import interruptible
from bot.app.views import RunLine, is_taken, list_lines, split_step
from bot.core.check import Verdict
from bot.core.event import Ended, Published, Undone
from bot.core.render import commit_message
from bot.core.report import Report, Step
from bot.core.summary import summarize
from bot.core.task import Record
from bot.errors import AgentError, UsageError
from bot.git.forward import move_forward
from bot.git.leftovers import remove_leftovers
from bot.git.names import is_ours
from bot.git.repository import Repository, open_repository
from bot.git.results import GitShelf
from bot.git.runs import append_events, close_journal, dead_journals, find_run, is_live, read_events
from bot.git.signals import uninterrupted
from bot.git.transplant import transplant
from bot.git.workspace import open_workspace


def accept(directory: Path, prefix: str) -> str:
    """Bring a run's verified commits onto the current branch; say what was done. Raises UsageError."""
    desk = open_desk(directory, {})
    repository = desk.repository
    told = _finished(repository, prefix)
    head = repository.default_base()
    if is_taken(repository, told.tip):
        return f"{told.run} is part of {_here(repository)} already"
    with interruptible():
        if repository.git.ask("merge-base", "--is-ancestor", head, told.tip).code == 0:
            tip, how = told.tip, "fast-forward"
        else:
            tip, how = _replant(desk, told, head), "cherry-pick, verified again"
        with uninterrupted():
            move_forward(repository, head, tip)
            taken = Published(at=time.time(), where=f"{_here(repository)} ({how})", commit=tip)
            append_events(repository, told.run, [taken], render)
    return f"{_here(repository)} is at {tip[:10]} now ({how}); go back with: git reset --keep {head[:10]}"


def _finished(repository: Repository, prefix: str) -> Report:
    run = find_run(repository, prefix)
    told = summarize(read_events(repository, run))
    if is_live(repository, run):
        raise UsageError(f"{run} is still running")
    if told.tip == told.base:
        raise UsageError(f"{run} has no verified commit to take", f"git agent show {run} tells why")
    return told


def _here(repository: Repository) -> str:
    return repository.current_branch() or "HEAD"


def _replant(desk: Desk, told: Report, head: str) -> str:
    """Make the commits again on top of `head`, each judged there. Raises UsageError."""
    bay = choose_bay(desk)
    # Nothing of it needs a name until all of it has passed
    with open_workspace(desk.repository, base=head, run=f"{told.run}-{head[:7]}", branch="") as workspace:
        with workspace.clean(head) as root:
            ladder = bay.ladder(root, desk.settings.checks)
        before = climb(ladder, workspace, workspace.tree(), None)
        for number, step in enumerate((step for step in told.steps if step.commit and not step.undone), 1):
            tree = transplant(workspace, step.commit)
            verdict = climb(ladder, workspace, tree, before)
            if not verdict.ok:
                text = f"on top of {head[:10]} the step {step.subject!r} no longer passes: nothing was taken"
                raise UsageError(text, "run git agent fix again from here")
            workspace.commit(tree, _message(told, step, number, verdict))
            before = verdict
        return workspace.head


def _message(told: Report, step: Step, number: int, verdict: Verdict) -> str:
    return commit_message(
        step.subject, "", run=told.run, step=number, verdict=verdict, model=told.model, task=told.task
    )


def undo(directory: Path, spec: str) -> str:
    """Move a run's branch back before a step; the steps stay in the record. Raises UsageError."""
    repository = open_repository(directory)
    prefix, number = split_step(spec)
    told = _finished(repository, prefix)
    live = [step for step in told.steps if step.commit and not step.undone]
    number = len(live) if number is None else number
    if number > len(live):
        raise UsageError(f"{told.run} has no step {number} to undo", f"its branch stands at step {len(live)}")
    if is_taken(repository, live[number - 1].commit):
        raise UsageError(
            f"step {number} of {told.run} is part of {_here(repository)} already",
            f"take it back there with: git revert {live[number - 1].commit[:10]}",
        )
    target = live[number - 2].commit if number > 1 else told.base
    _move_back(repository, told, target)
    append_events(repository, told.run, [Undone(at=time.time(), step=number - 1, commit=target)], render)
    where = f"step {number - 1}" if number > 1 else "its base"
    return (
        f"{told.branch} is back at {where} ({target[:10]}); the undone steps stay readable: git agent show {told.run}"
    )


def _move_back(repository: Repository, told: Report, target: str) -> None:
    """Move a run's branch, unless somebody else has a part in it. Raises UsageError."""
    branch = told.branch
    if not is_ours(branch):
        raise UsageError(f"{branch} is not a branch that git agent made")
    if place := repository.place_of(branch):
        raise UsageError(f"{branch} is checked out in {place}", "switch to another branch there first")
    at = _tip(repository, branch)
    if at != told.tip:
        now = f"stands at {at[:10]}, not where {told.run} left it" if at else "is gone"
        raise UsageError(f"{branch} {now}: nothing was undone", f"{told.run} left it at {told.tip[:10]}")
    repository.shared.output("update-ref", "-m", "git agent: undo", f"refs/heads/{branch}", target, told.tip)


def _tip(repository: Repository, branch: str) -> str:
    answer = repository.shared.ask("rev-parse", "--verify", "--quiet", f"refs/heads/{branch}")
    return "" if answer.code else answer.output.decode().strip()


class Cleaned(Record):
    """What was removed, or would be, and what stays."""

    removed: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    """Each with the reason."""
    dry_run: bool = False

    @property
    def text(self) -> str:
        """Say it, a line each."""
        verb = "would remove" if self.dry_run else "removed"
        removed = [f"{verb} {item}" for item in self.removed] or ["nothing to remove"]
        return "\n".join((*removed, *(f"kept {item}" for item in self.kept)))


def clean(directory: Path, *, force: bool, dry_run: bool) -> Cleaned:
    """Remove what dead runs left behind, results of days past and the branches that were taken."""
    repository = open_repository(directory)
    done = [_name(left) for left in remove_leftovers(repository, dry_run=dry_run)]
    done += _close_journals(repository, dry_run=dry_run)
    old = GitShelf(repository).sweep(dry_run=dry_run)
    done += [f"{old.text}, older than a day"] if old.number else []
    kept = []
    for line in list_lines(repository).runs:
        tip = _tip(repository, line.branch) if is_ours(line.branch) else ""
        if not tip or line.state == "running":
            continue
        why = _why_kept(repository, line, tip, force=force)
        if why:
            kept.append(f"{line.branch}: {why}")
            continue
        if not dry_run:
            repository.shared.output("update-ref", "-d", f"refs/heads/{line.branch}", tip)
        done.append(f"branch {line.branch}")
    return Cleaned(removed=tuple(done), kept=tuple(kept), dry_run=dry_run)


def _name(left: str) -> str:
    return f"worktree {left}" if Path(left).is_absolute() else f"branch {left}"


def _close_journals(repository: Repository, *, dry_run: bool) -> Iterator[str]:
    """Put what dead runs wrote down into their refs, so that they count as ended."""
    for run in dead_journals(repository):
        end = Ended(at=time.time(), stop="interrupted", detail="its process died; verified commits are kept")
        try:
            if not dry_run:
                close_journal(repository, run, end, render)
        except AgentError:
            # Somebody else may still make something of it
            continue
        yield f"journal of {run}"


def _why_kept(repository: Repository, line: RunLine, tip: str, *, force: bool) -> str:
    """Say why a run's branch must stay; empty when it may go."""
    if tip != line.tip:
        return f"it stands at {tip[:10]}, not where its run left it"
    if place := repository.place_of(line.branch):
        return f"it is checked out in {place}"
    if line.taken or line.steps == 0 or force:
        return ""
    return "its commits are not part of HEAD (--force deletes it)"
