"""Publishing from a person's machine: what was verified here is pushed, and a pull request asks for it."""

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from bot.app.acceptance import is_snapshot
from bot.app.desk import Desk
from bot.app.finished import Finished, open_finished
from bot.app.github.destination import Destination
from bot.app.github.door import log, tell_error
from bot.app.github.home import Home, find_home
from bot.app.github.issue import read_name
from bot.app.github.parcel import Parcel, pack, refuse
from bot.app.github.pulls import Opened, Page, open_pull
from bot.app.github.target import find_base, hold_against
from bot.app.github.tasks import split_goal
from bot.app.moving import settle
from bot.app.perform import render
from bot.app.signals import interruptible
from bot.core.account import live
from bot.core.event import Published
from bot.core.hub import PullRequest
from bot.core.publication.attention import holds
from bot.core.publication.pull import pull_body, pull_title
from bot.core.publication.setting import SHORT, Pusher, Setting
from bot.core.publication.words import tell_ending
from bot.core.report import Report
from bot.core.summary import summarize
from bot.core.task import Source
from bot.core.trigger.trigger import Trigger
from bot.errors import AgentError, UsageError
from bot.git.pull import Place
from bot.git.record import RunRef
from bot.git.repository import Repository, open_repository


@dataclass(frozen=True, slots=True)
class Publication:
    """What became of a run that was to be published."""

    report: Report
    url: str = ""
    """Of the pull request; where it could not be opened, of the page where a person can."""
    trouble: str = ""
    """Why there is no pull request; one line."""
    verified: bool = False
    """Whether all of it is verified on the branch that it is for, as far as that is known."""

    @property
    def code(self) -> int:
        """0 when verified work was published, 130 when the run was interrupted before, else 1."""
        if self.trouble and not self.url:
            return self.report.exit_code or (0 if self.report.outcome == "nothing" else 1)
        return 0 if self.verified and not self.trouble else 1


def prepare(desk: Desk) -> None:
    """Find out before a run begins whether it could be published. Raises UsageError, ForgeError."""
    if is_snapshot(desk.repository, desk.base):
        raise UsageError("a run from uncommitted work is not published", "commit it first, or leave out --pr")
    find_base(find_home(desk.repository), desk.base)


def publish_after(directory: Path, report: Report) -> Publication:
    """Publish what a run has just made, if it made anything; what goes wrong is in the value."""
    if not live(report):
        return Publication(report, trouble="" if report.outcome == "nothing" else "there is nothing to publish")
    again = f"git agent publish {report.run}"
    if report.stop == "interrupted":
        return Publication(report, trouble=f"not published, since it was interrupted: {again}")
    try:
        return publish(directory, report.run)
    except AgentError as error:
        return Publication(report, trouble=f"{tell_error(error)}; to try again: {again}")


def publish(directory: Path, prefix: str) -> Publication:
    """Push a run, and open or update its pull request. Raises UsageError, ForgeError, GitFailed."""
    repository = open_repository(directory)
    settle(repository, prefix)
    finished = open_finished(repository, prefix)
    report = summarize(finished.events)
    refuse(finished, report)
    home = _find_home(repository, report.task.source)
    parcel = pack(finished, home)
    # Nobody else works on the run meanwhile
    with interruptible(), RunRef(repository, finished.run, render, resume=True) as record:
        if tuple(record.events) != finished.events:
            raise UsageError(f"{finished.run} was changed by another command meanwhile", "try again")
        said, opened = _deliver(parcel, report)
        event = Published(at=time.time(), where=opened.pull.url if opened.pull else "", commit=parcel.tip)
        if opened.pull is not None and not _is_known(finished, event):
            record.record(event)
        return _tell(parcel, summarize(record.events), said, opened)


def _is_known(finished: Finished, event: Published) -> bool:
    return any(
        isinstance(told, Published) and (told.where, told.commit) == (event.where, event.commit)
        for told in finished.events
    )


def _find_home(repository: Repository, source: Source) -> Home:
    """Find the repository that a run belongs to: its issue's, where it has one. Raises UsageError, ForgeError."""
    page: Place | None = None
    with suppress(UsageError):
        page = read_name(source.url).page if source.kind == "issue" else None
    try:
        return find_home(repository, page)
    except UsageError:
        if page is None:
            raise
        # It may have another name by now than the remote has for it
        home = find_home(repository)
        if home.known.full_name.casefold() != page.path:
            raise
        return home


def _deliver(parcel: Parcel, report: Report) -> tuple[Setting, Opened]:
    """Push, and ask for it. Raises UsageError, ForgeError, GitFailed."""
    home, finished = parcel.home, parcel.finished
    pull = next(iter(home.github.pulls(head=finished.branch)), None)
    setting = _describe(parcel, report, pull)
    moved = parcel.push()
    if moved:
        log(f"pushed {' and '.join(moved)} to {home.known.full_name}")
    page = Page(pull_title(report, setting), pull_body(report, setting), draft=not holds(report, setting))
    there = Destination(finished.branch, parcel.tip, setting.base.ref, pull)
    return setting, open_pull(home.github, there, page)


def _describe(parcel: Parcel, report: Report, pull: PullRequest | None) -> Setting:
    """Put what is known here of a run beside its report into one value. Raises UsageError, ForgeError."""
    home, finished = parcel.home, parcel.finished
    base = find_base(home, finished.lineage.base, pull.base_ref if pull is not None else "")
    me = home.github.whoami()
    source = report.task.source
    number = int(source.ref) if source.kind == "issue" and source.ref.isdecimal() and source.ref.isascii() else 0
    words, title, body = split_goal(report.task.goal, number) if number else ("", "", "")
    trigger = Trigger(
        event="desk",
        repository=home.known.full_name,
        number=number,
        title=title,
        body=body,
        text=words,
        author=me,
        url=source.url,
    )
    return Setting(
        trigger=trigger,
        server=home.site.server,
        at=time.time(),
        base=hold_against(home, base, parcel.tip),
        branch=finished.branch,
        tip=parcel.tip,
        checks=finished.started.checks,
        pull=pull.number if pull is not None else 0,
        pusher=_pusher(person=me is not None),
    )


def _pusher(*, person: bool) -> Pusher:
    if person:
        return "person"
    return "job" if os.environ.get("GITHUB_ACTIONS") else "app"


def _tell(parcel: Parcel, report: Report, setting: Setting, opened: Opened) -> Publication:
    """Say what was done, to whoever reads along."""
    verified = holds(report, setting)
    if opened.pull is None:
        lacks = f"#{setting.pull} could not be brought up to date" if setting.pull else "there is no pull request"
        trouble = f"{parcel.finished.branch} is pushed, and {lacks}: {opened.trouble}"
        return Publication(report, report.pr if setting.pull else opened.compare, trouble, verified)
    pull = opened.pull
    how = "a draft" if pull.draft else "ready for review"
    log(f"{'updated' if setting.pull else 'opened'} #{pull.number} into {pull.base_ref}, {how}")
    for why in _reserve(report, setting):
        log(f"  {why}")
    return Publication(report, pull.url, verified=verified)


def _reserve(report: Report, setting: Setting) -> Iterator[str]:
    """Say why not all of it is verified where it is to be merged."""
    base = setting.base
    if report.outcome != "verified":
        ending = tell_ending(report)
        yield f"{ending.word}: {ending.rest}"
    if base.later:
        yield f"{base.ref} went on to {base.later[:SHORT]} meanwhile: it can be merged, but no check ran on it there"
    elif base.state == "conflicts":
        yield f"{base.ref} went on to {base.now[:SHORT]} meanwhile, and this conflicts with it {base.detail}"
    elif base.state != "same":
        yield f"{base.ref} went on to {base.now[:SHORT]} meanwhile: {base.detail}"
