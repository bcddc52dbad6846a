"""A run of this machine as it is published from here: its branch and its record, looked through and pushed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bot.app.acceptance import is_snapshot
from bot.app.finished import Finished, short
from bot.app.github.content import find_secrets, find_told, leaks
from bot.app.github.exhibit import Exhibit
from bot.app.github.grounds import read_kept
from bot.app.github.home import Home
from bot.app.github.pushing import explain_push, send
from bot.app.secrecy import take_secrets
from bot.core.account import live
from bot.core.redact import Redactor
from bot.core.report import Report
from bot.errors import ForgeError, GitFailed, UsageError, WorkspaceError
from bot.git.bundle import write_record
from bot.git.remote import Move, PushKind, tips
from bot.git.trail import PREFIX

HINTS: Mapping[PushKind, str] = {
    "denied": "the token has to be allowed to write contents (a classic one: the scope repo)",
    "workflows": "the token has to be allowed to write workflows (a classic one: the scope workflow)",
    "moved": "try again",
}
SAFE = "what was verified is safe on its branch here"


def refuse(finished: Finished, report: Report) -> None:
    """Refuse what is not to be published, whatever GitHub says of it. Raises UsageError."""
    run = finished.run
    if not live(report):
        if report.pr:
            text = f"nothing of {run} is left, and {report.pr} still asks for what was undone"
            raise UsageError(text, f"close it there, or have it back: git agent redo {run}")
        raise UsageError(f"{run} has no verified commit to publish", f"git agent show {run} tells why")
    if not finished.own:
        text = f"what the record of {run} says was not found here, so that it is not ours to publish"
        hint = f"publish it where it was made; git agent verify {run} runs its proof again"
        raise UsageError(text, hint)
    if is_snapshot(finished.repository, finished.lineage.base):
        text = f"{run} started from your uncommitted work, which is yours to publish"
        raise UsageError(text, f"commit that, then git agent accept {run}, and push")


@dataclass(frozen=True, slots=True)
class Parcel:
    """What is pushed."""

    finished: Finished
    home: Home
    record: str
    """The record as it is handed on: one commit, without what was thrown away."""

    @property
    def tip(self) -> str:
        """Where the branch is to stand."""
        return self.finished.lineage.head

    def push(self) -> tuple[str, ...]:
        """Push branch and record, and name what was not there yet. Raises UsageError, ForgeError, GitFailed."""
        finished, home = self.finished, self.home
        git, record = finished.repository.shared, PREFIX + finished.run
        stands = tips(git, home.remote, [record, finished.ref])
        self._refuse_others(stands.get(finished.ref, ""), stands.get(record, ""))
        # The branch last: without its record it could not be gone on with
        wanted = ((record, self.record), (finished.ref, self.tip))
        moves = [Move(ref, sha, stands.get(ref, "")) for ref, sha in wanted if stands.get(ref) != sha]
        if not moves:
            return ()
        told = send(git, home.remote, moves).pushed
        if told.kind != "ok":
            raise ForgeError(f"not pushed: {explain_push(told)}; {SAFE}", HINTS.get(told.kind, ""))
        names = {finished.ref: finished.branch, record: f"the record of {finished.run}"}
        return tuple(names[move.ref] for move in reversed(moves))

    def _refuse_others(self, branch: str, record: str) -> None:
        """Leave alone what others have put there. Raises UsageError."""
        finished, there = self.finished, self.home.known.full_name
        if branch and branch not in {finished.lineage.base, *finished.copies.commits}:
            text = f"{finished.branch} of {there} has commits that are not of {finished.run}: it is left as it is"
            raise UsageError(text, f"to see them: git fetch {self.home.remote.url} {finished.branch}")
        if record and record != self.record and not self._is_older():
            text = f"{finished.run} was gone on with at {there}, by its record: what is there is left as it is"
            raise UsageError(text, "go on with it there, by an order under its pull request")

    def _is_older(self) -> bool:
        """Say whether the record there tells the beginning of what this one does. Raises GitFailed."""
        try:
            kept = read_kept(self.home.remote, self.finished.run)
        except GitFailed:
            raise
        except (UsageError, WorkspaceError):
            return False
        return kept == self.finished.events[: len(kept)]


def pack(finished: Finished, home: Home) -> Parcel:
    """Make the record as it is handed on, and look for secrets in all of it. Raises UsageError."""
    record = write_record(finished.repository, finished.run, finished.events, finished.lineage.head)
    base = frozenset({finished.lineage.base})
    # By the record all commits can be found, the branch's too
    shown = Exhibit(finished.repository, finished.run, "", base, finished.events, record)
    found = next(_find_leaks(shown, short(finished.ref)), "")
    if found:
        raise UsageError(f"not published: {found}", "what is pushed once cannot be taken back")
    return Parcel(finished, home, record)


def _find_leaks(shown: Exhibit, branch: str) -> Iterator[str]:
    """Say where secrets would be published: in a change, a message, a name, or in the record."""
    redactor = Redactor(take_secrets().values)
    for commit in shown.commits.values():
        if commit.id != shown.record:
            for fault in find_secrets(shown.comparison.differ(shown.parent(commit.id), commit.id), redactor):
                yield f"{fault} (commit {commit.id[:10]})"
            yield from leaks(f"the message of {commit.id[:10]}", commit.message, redactor)
    yield from leaks("the name of its branch", branch, redactor)
    yield from find_told(shown, redactor)
