"""Takes away what runs left behind, as far as nobody needs it any more."""

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from bot.app.finished import Finished, is_ancestor, tip_of
from bot.app.hooks.sealing import shelf_of
from bot.app.hooks.taking import is_past
from bot.app.moving import settle_all
from bot.app.perform import render
from bot.core.change import readable
from bot.core.event import Ended
from bot.core.task import Record
from bot.errors import AgentError
from bot.git.disposal import sweep
from bot.git.intent import list_intents
from bot.git.journal import is_live, names
from bot.git.leftovers import remove_leftovers
from bot.git.locks import find_left, release
from bot.git.names import is_ours
from bot.git.record import close_journal
from bot.git.repository import Repository, open_repository
from bot.git.results import GitShelf, tag_shelf
from bot.git.runs import dead_journals, list_runs, read_events
from bot.git.stands import is_used, list_stands, remove_stand
from bot.git.store import open_store
from bot.git.trail import PREFIX
from bot.git.written import forget_others


def finish() -> None:
    """Delete what a command moved aside, once it has said what it had to say."""
    sweep()


class Cleaned(Record):
    """What was removed, or would be, and what stays."""

    removed: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    """Each with the reason."""
    settled: tuple[str, ...] = ()
    """Moves that a kill had stopped in the middle."""
    dry_run: bool = False

    @property
    def text(self) -> str:
        """Say it, a line each."""
        verb = "would remove" if self.dry_run else "removed"
        settled = [f"{'would settle' if self.dry_run else 'settled'} {item}" for item in self.settled]
        removed = [f"{verb} {item}" for item in self.removed] or ([] if settled else ["nothing to remove"])
        return "\n".join((*settled, *removed, *(f"kept {item}" for item in self.kept)))


def clean(directory: Path, *, force: bool, dry_run: bool) -> Cleaned:
    """Remove what dead runs left behind, results of days past and the branches that were taken."""
    repository = open_repository(directory)
    done = _Sweep(repository, force=force, dry_run=dry_run)
    settled = done.gather("a move that was interrupted", settle_all(repository, dry_run=dry_run))
    for what, find in (
        ("leftovers of dead runs", done.leftovers),
        ("journals of dead runs", done.journals),
        ("locks of dead runs", done.locks),
        ("kept results", done.results),
        ("folders for hooks", done.stands),
        ("branches", done.branches),
    ):
        done.removed += done.gather(what, find())
    if not dry_run and not any(list_intents(repository)):
        forget_others(repository, [PREFIX + run for run in (*list_runs(repository), *names(repository))])
    return Cleaned(removed=tuple(done.removed), kept=tuple(done.kept), settled=tuple(settled), dry_run=dry_run)


@dataclass(slots=True)
class _Sweep:
    repository: Repository
    force: bool
    dry_run: bool
    removed: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    folders: list[Path] = field(default_factory=list)
    """Those of dead runs, gone or about to go."""

    def gather(self, what: str, found: Iterable[str]) -> list[str]:
        """Do one part; what goes wrong in it keeps the others from nothing."""
        done: list[str] = []
        try:
            done.extend(found)
        except (AgentError, OSError) as error:
            self.kept.append(f"{what}: {error}")
        return done

    def leftovers(self) -> Iterator[str]:
        """Remove worktrees, folders and empty branches of dead runs."""
        for left in remove_leftovers(self.repository, dry_run=self.dry_run):
            if Path(left).is_absolute():
                self.folders.append(Path(left))
            yield f"worktree {left}" if Path(left).is_absolute() else f"branch {left}"

    def journals(self) -> Iterator[str]:
        """Put what dead runs wrote down into their refs, so that they count as ended."""
        for run in dead_journals(self.repository):
            yield from self._guarded(f"journal of {run}", partial(self._close, run))

    def locks(self) -> Iterator[str]:
        """Remove locks that a kill left at refs of ours."""
        for ref in tuple(find_left(self.repository)):
            if not any(is_live(self.repository, run) for run in list_runs(self.repository) if ref.endswith(run)):
                if not self.dry_run:
                    release(self.repository, (ref,))
                yield f"lock of {ref}"

    def results(self) -> Iterator[str]:
        """Drop what checks said of trees days ago."""
        old = GitShelf(self.repository).sweep(dry_run=self.dry_run)
        if old.number:
            yield f"{old.text}, older than a day"
        seals = shelf_of(self.repository).sweep(dry_run=self.dry_run)
        if seals.number:
            yield f"what hooks were answered of {seals.number} commit{'s' * (seals.number != 1)}, older than a day"
        tags = tag_shelf(self.repository).sweep(dry_run=self.dry_run)
        if tags.number:
            yield f"what was known of the project's files, {tags.size / 1e6:.1f} MB, older than a month"

    def stands(self) -> Iterator[str]:
        """Delete the folders that hooks judge commits in: the next hook makes its own anew."""
        for berth in list_stands(self.repository):
            told = f"folder for hooks {readable(os.fsencode(berth.folder))}, {berth.size / 1e6:.1f} MB"
            if is_used(berth) or not (self.dry_run or remove_stand(berth)):
                self.kept.append(f"{told}: a hook is using it, or it cannot be deleted")
            else:
                yield told

    def branches(self) -> Iterator[str]:
        """Delete the runs' branches that are of no use to anybody."""
        for run in list_runs(self.repository):
            if not is_live(self.repository, run):
                yield from self._guarded(f"the branch of {run}", partial(self._branch, run))

    def _guarded(self, what: str, act: Callable[[], str]) -> Iterator[str]:
        try:
            done = act()
        except (AgentError, OSError) as error:
            self.kept.append(f"{what}: {error}")
            return
        if done:
            yield done

    def _close(self, run: str) -> str:
        if not self.dry_run:
            close_journal(self.repository, run, self._end(run), render)
        return f"journal of {run}"

    def _end(self, run: str) -> Ended:
        """End a dead run at the last moment that is known of it: the time since then was not worked."""
        try:
            last = read_events(self.repository, run)[-1].at
        except AgentError:
            last = 0.0
        return Ended(at=last, stop="interrupted", detail="its process died; verified commits are kept")

    def _branch(self, run: str) -> str:
        finished = Finished(self.repository, run, read_events(self.repository, run))
        tip = tip_of(self.repository, finished.ref) if is_ours(finished.branch, run) else ""
        why = self._why_kept(finished, tip) if tip else ""
        if why:
            self.kept.append(f"{finished.branch}: {why}")
        if why or not tip:
            return ""
        if not self.dry_run:
            open_store(self.repository).delete_ref(finished.ref, tip)
        return f"branch {finished.branch}"

    def _why_kept(self, finished: Finished, tip: str) -> str:
        """Say why a run's branch must stay; empty when it may go."""
        lineage = finished.lineage
        if tip != lineage.head:
            return f"it stands at {tip[:10]}, not where its run left it"
        place = self.repository.place_of(finished.branch)
        if tip == lineage.base and not finished.own:
            return "nothing here tells that its run made it"
        if place and not any(Path(place).is_relative_to(folder) for folder in self.folders):
            return f"it is checked out in {place}"
        kept = is_ancestor(self.repository, tip, PREFIX + finished.run) or tip == lineage.base
        if not kept and lineage.live:
            return "the record of its run does not hold its commits"
        if not lineage.live or self.force or is_past(finished) or finished.holds(self.repository.default_base()):
            return ""
        return "its commits are not part of HEAD (--force deletes it)"
