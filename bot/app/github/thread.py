"""What is said where an order stands: one comment that is edited in place, and short answers."""

import sys
from dataclasses import dataclass, field, replace

from bot.app.github.admission import count_attempts, find_head
from bot.app.github.delivery import Delivered
from bot.app.github.destination import Destination
from bot.app.github.door import Door, log, put_outputs, put_summary, tell_error
from bot.app.github.grounds import read_kept
from bot.app.github.inspection import Inspection
from bot.app.github.memory import Memory, is_own, recall
from bot.app.github.pulls import Page
from bot.app.github.settings import describe
from bot.core.allowance import seal, waiting
from bot.core.handover import Handover
from bot.core.hub import Reaction
from bot.core.publication.attention import holds, tell_outcome
from bot.core.publication.checkrun import check_run
from bot.core.publication.outputs import tell_outputs, workflow_commands
from bot.core.publication.progress import Progress, progress_comment
from bot.core.publication.pull import pull_body, pull_title, tell_undelivered
from bot.core.publication.replies import Standing, help_text, reply, status_text
from bot.core.publication.sections import show_plan
from bot.core.publication.setting import Setting
from bot.core.publication.summary import job_summary, refusal_summary
from bot.core.trigger.gate import Refusal
from bot.errors import AgentError, ForgeError

TROUBLE = frozenset({"failed", "refused", "no-plan", "unreadable"})
"""How an order ends that somebody has to look after."""


@dataclass(frozen=True, slots=True)
class Thread:
    """The place where an order stands, and what was said there before."""

    door: Door
    number: int
    """Issue or pull request; 0 where there is none to talk on."""
    memory: Memory
    made: list[int] = field(default_factory=list)
    """Our comment, by its id, where it was written just now."""

    def talk(self) -> None:
        """Answer an order that needs no run."""
        verb = self.door.order.verb
        if verb == "help":
            self._answer(help_text())
        elif verb == "status":
            self._answer(status_text(self._standing(), describe(self.door).links))
        else:
            self.react("+1")
        put_outputs(self.door.call, (("outcome", "answered"),))

    def _standing(self) -> Standing:
        state, rules = self.memory.state, self.door.call.rules
        last, head = self.memory.last, find_head(self.door)
        wait = rules.pause - (describe(self.door).at - last.at) if last is not None else 0.0
        return Standing(
            attempts=state.attempts,
            branch=state.branch,
            pull=state.pull,
            left=max(0, rules.attempts - count_attempts(self.door, state.attempts, head)),
            wait=max(0.0, wait),
            waits=self._waits(last.run) if last is not None and last.run else "",
        )

    def _waits(self, run: str) -> str:
        """Find the seal of what a run waits for, in its record."""
        try:
            return seal(waiting(read_kept(self.door.remote, run)))
        except AgentError as error:
            log(f"the record of {run} was not read: {error.message}")
            return ""

    def correct(self, refusal: Refusal) -> None:
        """Tell somebody who may order why this order is not carried out; what was told before stays as it is."""
        self.react("confused")
        said = reply(refusal.reply) if refusal.code != "mistake" else f"{refusal.reply}\n\n{help_text()}"
        self._answer(said)
        put_summary(self.door.call, refusal_summary(refusal.code, refusal.text, describe(self.door)))

    def fail(self, said: str) -> None:
        """Say that the job did not come to an end, so that nobody waits for it."""
        self._close(Progress(self.setting(), said=said, reason="failed"), "failed")

    def tell(self, claim: Handover) -> None:
        """Say why no run was made, or what it would do."""
        setting = self.setting(claim)
        reason = claim.reason or "planned"
        progress = Progress(setting, said=claim.said, reason=reason, plan=claim.plan, design=claim.design)
        self._close(progress, reason)

    def refuse(self, claim: Handover, found: Inspection) -> None:
        """Say why what was handed over is not published."""
        said = "What the run handed over was not published:\n" + "\n".join(found.faults)
        self._close(Progress(self.setting(claim), said=said, reason="unfit"), "refused")

    def keep(self, claim: Handover, found: Inspection, why: str) -> None:
        """Say that verified commits could not be pushed, and where they are kept."""
        log(f"not pushed: {why}")
        setting = replace(self.setting(claim, found), branch="")
        self._finish(Progress(setting, found.report, claim.said, undelivered=why))

    def end(self, claim: Handover, found: Inspection) -> None:
        """Tell of a run that left no commits."""
        self._finish(Progress(self.setting(claim, found), found.report, claim.said, reason=claim.reason))

    def deliver(self, claim: Handover, found: Inspection, delivered: Delivered) -> None:
        """Tell of a run whose commits were pushed."""
        there, pull = delivered.destination, delivered.pull
        setting = self.setting(claim, found, branch=there.branch, pull=pull.number if pull is not None else 0)
        said = "\n".join(filter(None, (claim.said, there.why)))
        reason = claim.reason if claim.reason == "undone" else ""
        progress = Progress(
            setting, found.report, said, reason, undelivered=delivered.trouble, compare=delivered.compare
        )
        self._finish(progress, pull.url if pull is not None else "")
        self._check(setting, found)

    def page(self, claim: Handover, found: Inspection, there: Destination) -> Page:
        """Write what the pull request says."""
        assert found.report is not None, "asked for where there is one"
        number = there.pull.number if there.pull is not None else 0
        setting = self.setting(claim, found, branch=there.branch, pull=number)
        body = pull_body(found.report, setting, "\n".join(filter(None, (claim.said, there.why))))
        above = there.pull is not None and there.expected == found.base
        title = there.pull.title if there.pull is not None and above else pull_title(found.report, setting)
        return Page(title, body, draft=not holds(found.report, setting))

    def setting(
        self, claim: Handover | None = None, found: Inspection | None = None, *, branch: str = "", pull: int = 0
    ) -> Setting:
        """Put what is known here into one value."""
        base = {"base": claim.base} if claim is not None else {}
        return describe(self.door, found=found, branch=branch, pull=pull, known=self.memory.state, **base)

    def react(self, kind: Reaction) -> None:
        """React to the order, as far as that can be had."""
        trigger = self.door.trigger
        if trigger.comment:
            self.door.github.react("review_comment" if trigger.spot else "comment", trigger.comment, kind)
        elif self.number and not trigger.cause:
            self.door.github.react("issue", self.number, kind)

    def _answer(self, text: str) -> None:
        github, trigger = self.door.github, self.door.trigger
        if trigger.spot is not None and trigger.comment:
            github.reply_to_review(self.number, trigger.comment, text)
        elif self.number:
            github.create_comment(self.number, text)

    def _finish(self, progress: Progress, url: str = "") -> None:
        report, setting = progress.report, progress.setting
        assert report is not None, "asked for where there is one"
        unsaid = self._comment(progress)
        lost = bool(progress.undelivered)
        self.react(_feel(progress))
        trouble = tell_undelivered(progress.undelivered, progress.compare, setting) if lost else ""
        told = "\n".join(filter(None, (progress.said, unsaid)))
        put_summary(self.door.call, job_summary(report, setting, told, trouble))
        outcome = progress.reason or tell_outcome(report, setting)
        outputs = dict(tell_outputs(report, setting.pull, url, str(self.door.call.handover), outcome))
        put_outputs(self.door.call, {**outputs, "branch": setting.branch}.items())

    def _close(self, progress: Progress, outcome: str) -> None:
        """End without a run that is told of."""
        # Nobody asked, and nothing is new
        quiet = outcome == "nothing" and self.door.trigger.cause
        unsaid = "" if quiet else self._comment(progress)
        self.react("confused" if outcome in TROUBLE else "eyes")
        told = "\n".join(filter(None, (progress.said, unsaid)))
        plan = show_plan(progress.plan, progress.design)
        put_summary(self.door.call, refusal_summary(progress.reason, told, progress.setting, plan))
        put_outputs(self.door.call, (("outcome", outcome),))

    def _comment(self, progress: Progress) -> str:
        """Edit our comment, or write it; where that is not allowed, say so for another place."""
        github, text = self.door.github, progress_comment(progress)
        try:
            known = self.made or ([self.memory.comment.id] if self.memory.comment is not None else [])
            if self.number and known:
                log(f"told in {github.edit_comment(known[0], text).url}")
            elif self.number:
                self._create(text)
        except ForgeError as error:
            log(f"no comment: {tell_error(error)}")
            return f"the comment could not be written: {error.message}"
        return ""

    def _create(self, text: str) -> None:
        """Write our comment; one that we would not know again is told of, since it would be written anew each time."""
        comment = self.door.github.create_comment(self.number, text)
        self.made.append(comment.id)
        log(f"told in {comment.url}")
        if not is_own(comment.author, self.door.rules):
            who = comment.author.login if comment.author is not None else "nobody"
            log(f"the token writes as {who}, and the input identity does not say so: earlier runs are not found")

    def _check(self, setting: Setting, found: Inspection) -> None:
        """Put the verdict beside the commit, where the token may, and beside the lines in the log."""
        assert found.report is not None, "asked for where there is one"
        check = check_run(found.report, setting)
        sys.stdout.write(workflow_commands(check.annotations))
        try:
            self.door.github.create_check(check)
        except ForgeError as error:
            log(f"no check run: {error.message}")


def open_thread(door: Door) -> Thread:
    """Find the place where an order stands. Raises ForgeError."""
    return Thread(door, door.trigger.page, recall(door.github, door.trigger, door.rules))


def _feel(progress: Progress) -> Reaction:
    report = progress.report
    if report is None or progress.undelivered or report.outcome == "failed":
        return "confused"
    if progress.reason == "undone":
        return "+1"
    return "rocket" if holds(report, progress.setting) else "eyes"
