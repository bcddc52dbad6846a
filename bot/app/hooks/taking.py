"""Takes a mended commit that a hook refused: the person's own does not exist yet, so that the fix is staged for it."""

import time
from collections.abc import Iterator, Sequence

from bot.app.finished import Finished, full_ref, short, tip_of
from bot.app.moving import Way, carry_out
from bot.app.perform import render
from bot.app.signals import interruptible
from bot.core.branches import INDEX, Place
from bot.core.event import Committed, Published
from bot.core.lineage import follow
from bot.errors import UsageError
from bot.git.entries import read_steps
from bot.git.record import append_events
from bot.git.repository import Repository
from bot.git.runs import read_events
from bot.git.staging import SHOWN, Survey, refuse, survey
from bot.git.stance import UNSTAGED

STAGED = short(INDEX)


def take(finished: Finished) -> str:
    """Stage what mends the refused commit, in the index and in the files; say what was done. Raises UsageError."""
    repository, run, after = finished.repository, finished.run, finished.lineage.head
    if not finished.own:
        raise UsageError(f"{run} was not verified here", f"git agent verify {run} runs its proof again")
    if held := _holder(finished, after):
        return f"{run} is part of {held} already"
    stood = finished.staged or finished.lineage.base
    before = finished.lineage.base if stood == after else stood
    seen = survey(repository, before, after)
    _refuse(finished, seen)
    if finished.staged == after and not seen.pending:
        return f"{run} is staged already; {_next(repository, seen)}"
    place = Place(ref=INDEX, before=before, after=after)
    with interruptible():
        carry_out(finished, Published(at=time.time(), where=STAGED, commit=after, places=(place,)))
    return f"{_tell(seen)}\n{_next(repository, seen)}; to take it back: git agent undo {run}"


def note_staged(repository: Repository, run: str) -> None:
    """Write down that what mends a refused commit was staged inside the hook. Raises UsageError, WorkspaceError."""
    lineage = follow(read_events(repository, run))
    place = Place(ref=INDEX, before=lineage.base, after=lineage.head)
    event = Published(at=time.time(), where=STAGED, commit=lineage.head, places=(place,))
    append_events(repository, run, [event], render)


def go_back(finished: Finished, taken: Sequence[Committed]) -> Iterator[Way]:
    """Find out how the index, and the run's own branch where there is one, go back over steps. Raises UsageError."""
    run, lineage, staged = finished.run, finished.lineage, finished.staged
    kept = lineage.live[: -len(taken)]
    back = kept[-1].commit if kept else lineage.base
    tip = tip_of(finished.repository, finished.ref)
    if not staged and not tip:
        raise UsageError(f"{run} is not staged: there is nothing to undo", f"git agent accept {run} stages it")
    if staged and (held := _holder(finished, staged)):
        hint = f"git agent diff {run} | git apply -R --index"
        raise UsageError(f"{run} is part of {held} already, by a commit of yours", f"to take it out of there: {hint}")
    if staged and staged != back:
        _refuse(finished, survey(finished.repository, staged, back))
        yield Way(Place(ref=INDEX, before=staged, after=back))
    if tip == lineage.head:
        yield Way(Place(ref=finished.ref, before=tip, after=back))


def go_forth(finished: Finished) -> Iterator[Way]:
    """Find out how what the last undo took is staged again. Raises UsageError."""
    for place in finished.copies.undone[-1].places:
        if place.ref == INDEX:
            _refuse(finished, survey(finished.repository, place.after, place.before))
            yield Way(Place(ref=INDEX, before=place.after, after=place.before))
        elif place.ref == finished.ref and tip_of(finished.repository, finished.ref) == place.after:
            yield Way(Place(ref=place.ref, before=place.after, after=place.before))


def is_past(finished: Finished) -> bool:
    """Say whether the person went on from where a hook refused their commit, whatever became of that."""
    return finished.hooked and finished.repository.head != _judged_on(finished)


def _judged_on(finished: Finished) -> str:
    """Return the commit that the refused one would have come after; empty for none."""
    told = finished.repository.shared.line("rev-list", "--no-walk", "--parents", finished.lineage.base, "--")
    return told.split(" ")[1] if " " in told else ""


def _holder(finished: Finished, after: str) -> str:
    """Name where the person stands, if a commit was made there since that holds what was staged."""
    repository = finished.repository
    if not repository.head or not is_past(finished):
        return ""
    git = repository.shared
    left = read_steps(git, repository.head, after).keys() & read_steps(git, finished.lineage.base, after).keys()
    return "" if left else short(full_ref(repository))


def _refuse(finished: Finished, seen: Survey) -> None:
    """Stop where something of the person's is in the way. Raises UsageError."""
    way = "a git commit of what you have now is judged anew"
    if all(one.why == UNSTAGED for one in seen.obstacles):
        way = "to stage it: git stash push --keep-index, then this once more"
    refuse(seen.obstacles, f"git agent diff {finished.run} shows the fix; {way}")


def _tell(seen: Survey) -> str:
    """Say which files changed."""
    loose = set(seen.loose)
    staged = [path for path in seen.paths if path not in loose]
    parts = ((staged, "staged"), (seen.loose, "changed, and left as staged before"))
    return "\n".join(f"{words}: {_list(paths)}" for paths, words in parts if paths)


def _next(repository: Repository, seen: Survey) -> str:
    """Say how to commit it now: what git took from the files without staging it, it has to be told again."""
    # A fix may take back all that there was to commit
    since = ("HEAD",) if seen.loose else ("--cached", "HEAD")
    open_ended = not repository.head or (repository.git_dir / "MERGE_HEAD").exists()
    if not open_ended and not repository.git.ask("diff", "--quiet", "--no-ext-diff", *since, "--").code:
        return "nothing is left to commit"
    if not seen.loose:
        return "next: git commit"
    return "next: the same git commit again, with -a or with the names of these files"


def _list(paths: Sequence[str]) -> str:
    return ", ".join(paths[:SHOWN]) + (f" and {len(paths) - SHOWN} more" if paths[SHOWN:] else "")
