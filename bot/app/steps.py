"""What a person does with a finished run: take it, go back, tidy up."""

import os
import time
from pathlib import Path

from bot.app.assemble import choose_bay
from bot.app.desk import Desk, open_desk
from bot.app.perform import render
from bot.app.proof import climb
from bot.app.views import is_taken, list_lines, split_step
from bot.core.check import Verdict
from bot.core.event import Published, Undone
from bot.core.render import commit_message
from bot.core.report import Report, Step, summarize
from bot.errors import UsageError
from bot.git.leftovers import remove_leftovers
from bot.git.repository import Repository, open_repository
from bot.git.run import Git
from bot.git.runs import append_events, find_run, is_live, read_events
from bot.git.transplant import find_operation, transplant
from bot.git.workspace import choose_branch, open_workspace


def accept(directory: Path, prefix: str) -> str:
    """Bring a run's verified commits onto the current branch; say what was done. Raises UsageError."""
    desk = open_desk(directory, {})
    repository = desk.repository
    told = _finished(repository, prefix)
    head = repository.default_base()
    if is_taken(repository, told.tip):
        return f"{told.run} is part of {_here(repository)} already"
    if repository.git.ask("merge-base", "--is-ancestor", head, told.tip).code == 0:
        tip, how = told.tip, "fast-forward"
    else:
        tip, how = _replant(desk, told, head), "cherry-pick, verified again"
    _forward(repository, head, tip)
    append_events(
        repository, told.run, [Published(at=time.time(), where=f"{_here(repository)} ({how})", commit=tip)], render
    )
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
    run = f"{told.run}-{head[:7]}"
    branch = choose_branch(desk.repository, "accept", run)
    bay = choose_bay(desk)
    with open_workspace(desk.repository, base=head, run=run, branch=branch) as workspace:
        with workspace.clean(head) as root:
            ladder = bay.ladder(root, desk.settings.checks)
            before = climb(ladder, root, workspace.tree(), None)
        for number, step in enumerate((step for step in told.steps if step.commit and not step.undone), 1):
            tree = transplant(workspace, step.commit)
            with workspace.clean(tree) as root:
                verdict = climb(ladder, root, tree, before)
            if not verdict.ok:
                text = f"on top of {head[:10]} the step {step.subject!r} no longer passes: nothing was taken"
                raise UsageError(text, "run git agent fix again from here")
            workspace.commit(tree, _message(told, step, number, verdict))
            before = verdict
        tip = workspace.head
    desk.repository.shared.output("update-ref", "-d", f"refs/heads/{branch}", tip)
    return tip


def _message(told: Report, step: Step, number: int, verdict: Verdict) -> str:
    return commit_message(
        step.subject, "", run=told.run, step=number, verdict=verdict, model=told.model, task=told.task
    )


def _forward(repository: Repository, head: str, tip: str) -> None:
    """Move the person's branch and files; anything of theirs in the way stops it before anything is touched."""
    operation = find_operation(repository.git_dir)
    if operation:
        raise UsageError(f"a {operation} is in progress here: finish or abort it first")
    overlap = sorted(set(_changed(repository, head, tip)) & set(_dirty(repository)))
    if overlap:
        names = ", ".join(os.fsencode(name).decode("utf-8", "backslashreplace") for name in overlap[:5])
        raise UsageError(f"uncommitted work of yours is in the way: {names}", "commit or stash it first")
    # Without the overrides that switch filters off: these are the person's own files, as their git would write them.
    Git(repository.git_dir, repository.root).output("merge", "--ff-only", "--quiet", "--no-stat", tip)


def _changed(repository: Repository, old: str, new: str) -> tuple[str, ...]:
    return tuple(
        map(os.fsdecode, repository.git.names("diff-tree", "-r", "-z", "--name-only", "--no-renames", old, new))
    )


def _dirty(repository: Repository) -> tuple[str, ...]:
    names = ("status", "--porcelain", "-z", "--untracked-files=all", "--no-renames", "--ignored=no")
    return tuple(os.fsdecode(entry[3:]) for entry in repository.git.names(*names))


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
    if repository.current_branch() == told.branch:
        raise UsageError(f"you stand on {told.branch}", "switch to another branch first")
    repository.shared.output("update-ref", "-m", "git agent: undo", f"refs/heads/{told.branch}", target, told.tip)
    append_events(repository, told.run, [Undone(at=time.time(), step=number - 1, commit=target)], render)
    where = f"step {number - 1}" if number > 1 else "its base"
    return (
        f"{told.branch} is back at {where} ({target[:10]}); the undone steps stay readable: git agent show {told.run}"
    )


def clean(directory: Path, *, force: bool, dry_run: bool) -> str:
    """Remove what dead runs left behind and the branches that were taken; say what."""
    repository = open_repository(directory)
    done = [f"worktree {name}" for name in remove_leftovers(repository, dry_run=dry_run)]
    kept = []
    for line in list_lines(repository).runs:
        ref = f"refs/heads/{line.branch}"
        at = repository.shared.ask("rev-parse", "--verify", "--quiet", ref)
        if at.code or line.state == "running" or line.branch == repository.current_branch():
            continue
        tip = at.output.decode().strip()
        if not (line.taken or force or line.steps == 0) or tip != line.tip:
            kept.append(line.branch)
            continue
        if not dry_run:
            repository.shared.output("update-ref", "-d", ref, tip)
        done.append(f"branch {line.branch}")
    verb = "would remove" if dry_run else "removed"
    told = [f"{verb} {item}" for item in done] or ["nothing to remove"]
    return "\n".join(
        (*told, *(f"kept {branch}: its commits are not part of HEAD (--force deletes it)" for branch in kept))
    )
