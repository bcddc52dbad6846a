"""Runs the proof of commits again, without a model, whoever made them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from rich.table import Table
from rich.text import Text

from bot.app import consoles
from bot.app.assemble import choose_bay
from bot.app.desk import Desk
from bot.app.signals import interruptible
from bot.core.check import Verdict
from bot.core.evidence import Work
from bot.core.render import parse_trailers, state_checks
from bot.core.report import CheckSummary, summarize, summarize_check
from bot.core.task import Record
from bot.errors import UsageError
from bot.forge.local import brief
from bot.git.audit import changes
from bot.git.repository import Repository
from bot.git.runs import list_runs, read_all, read_events
from bot.git.snapshot import Snapshots, open_snapshots
from bot.protocols import Cleaner
from bot.verify.digest import digest
from bot.verify.ladder import Ladder


class ProvedCommit(Record):
    """What became of one commit when its checks were run again."""

    commit: str
    tree: str
    subject: str
    ok: bool
    """Whether every check gave evidence and nothing is worse than before the commit."""
    green: bool
    """Whether every check passes outright."""
    claim: Literal["none", "agrees", "differs"]
    """What the commit's own trailers say of its tree and checks, held against what was found."""
    checks: tuple[CheckSummary, ...]
    detail: str = ""
    """What is wrong: of the tree, and of what the commit says of it."""
    doubts: tuple[str, ...] = ()
    """Why a person has to judge whatever the checks say, such as tests that were changed."""


class Proved(Record):
    """The proof of a range of commits, oldest first."""

    base: str
    base_checks: tuple[CheckSummary, ...]
    commits: tuple[ProvedCommit, ...]

    @property
    def ok(self) -> bool:
        """Whether every commit holds, says the truth, and leaves what the evidence rests on alone."""
        held = all(commit.ok and commit.claim != "differs" and not commit.doubts for commit in self.commits)
        return bool(self.commits) and held


def prove(desk: Desk, what: str) -> Proved:
    """Prove a range, a branch or a run. Raises UsageError."""
    base, tip = find_range(desk.repository, what)
    return judge_commits(desk, base, tip)


def find_range(repository: Repository, what: str) -> tuple[str, str]:
    """Turn `A..B`, a run or a branch into a base and a tip. Raises UsageError."""
    old, dots, new = what.partition("..")
    if dots:
        if new.startswith("."):
            raise UsageError(f"not a range: {what!r}", "write A..B")
        return repository.resolve(old or "HEAD"), repository.resolve(new or "HEAD")
    runs = [run for run in list_runs(repository) if what and run.startswith(what)]
    if len(runs) == 1:
        told = summarize(read_events(repository, runs[0]))
        if told.tip == told.base:
            raise UsageError(f"{runs[0]} has no commit to prove")
        return told.base, told.tip
    return _branch_range(repository, what)


def _branch_range(repository: Repository, what: str) -> tuple[str, str]:
    tip = repository.resolve(what)
    told = [summarize(events) for _, events in read_all(repository) if events]
    base = next((report.base for report in told if report.tip == tip and report.base != tip), None)
    if base is not None:
        return base, tip
    answer = repository.git.ask("merge-base", "HEAD", tip)
    base = answer.output.decode().strip()
    if answer.code or base == tip:
        raise UsageError(f"{what} holds no commit that HEAD lacks", f"name a range, for example {what}~1..{what}")
    return base, tip


def judge_commits(desk: Desk, base: str, tip: str) -> Proved:
    """Judge the base, then each commit against the one before it."""
    repository = desk.repository
    listed = repository.git.output("rev-list", "--reverse", "--first-parent", f"{base}..{tip}").decode().split()
    if not listed:
        raise UsageError(f"there is no commit in {base[:10]}..{tip[:10]}")
    bay = choose_bay(desk)
    with interruptible(), open_snapshots(repository) as snapshots:
        tree = _tree(repository, base)
        with snapshots.clean(tree) as root:
            ladder = bay.ladder(root, desk.settings.checks)
        run = _Proof(repository, snapshots, ladder)
        first = run.judge(tree, None)
        return Proved(base=base, base_checks=_short(first), commits=tuple(run.walk(listed, first)))


def _tree(repository: Repository, commit: str) -> str:
    return repository.git.line("rev-parse", "--verify", f"{commit}^{{tree}}")


def _short(verdict: Verdict) -> tuple[CheckSummary, ...]:
    return tuple(map(summarize_check, verdict.results))


def climb(ladder: Ladder, cleaner: Cleaner, tree: str, before: Verdict | None) -> Verdict:
    """Judge a tree without telling anybody about each check."""
    checks = ladder.judge(cleaner, tree, before)
    while True:
        try:
            next(checks)
        except StopIteration as end:
            verdict: Verdict = end.value
            return verdict


@dataclass(frozen=True, slots=True)
class _Proof:
    repository: Repository
    snapshots: Snapshots
    ladder: Ladder

    def judge(self, tree: str, before: Verdict | None) -> Verdict:
        return climb(self.ladder, self.snapshots, tree, before)

    def walk(self, commits: list[str], before: Verdict) -> Iterator[ProvedCommit]:
        for commit in commits:
            verdict = self.judge(_tree(self.repository, commit), before)
            yield self._proved(commit, before, verdict)
            if verdict.ok:
                before = verdict

    def _doubts(self, commit: str, before: Verdict, after: Verdict) -> tuple[str, ...]:
        """Say why the verdict on a commit is not enough by itself."""
        change = changes(self.repository, before.tree, commit)
        changed = after.comparison.changed
        work = Work(change.files, [change.patch], self.ladder.checks, before, after, changed)
        return tuple(doubt.text for doubt in work.doubts() if doubt.grave)

    def _proved(self, commit: str, before: Verdict, verdict: Verdict) -> ProvedCommit:
        message = self.repository.git.output("log", "-1", "--format=%B", commit).decode("utf-8", "replace")
        claim = _claim(message, verdict)
        complaints = (
            "" if verdict.green and verdict.ok else digest(verdict),
            _contradict(message, verdict) if claim == "differs" else "",
        )
        return ProvedCommit(
            commit=commit,
            tree=verdict.tree,
            subject=message.partition("\n")[0],
            ok=verdict.ok,
            green=verdict.green,
            claim=claim,
            checks=_short(verdict),
            detail="\n".join(filter(None, complaints)),
            doubts=self._doubts(commit, before, verdict),
        )


def _claim(message: str, verdict: Verdict) -> Literal["none", "agrees", "differs"]:
    claim = parse_trailers(message)
    if claim is None:
        return "none"
    return "agrees" if claim.tree == verdict.tree and claim.checks == state_checks(verdict) else "differs"


def _contradict(message: str, verdict: Verdict) -> str:
    """Say where a commit's trailers and the proof part."""
    claim = parse_trailers(message)
    assert claim is not None, "only a claim can differ"
    lines = []
    if claim.tree != verdict.tree:
        lines.append(f"the commit says that its tree is {claim.tree}, it is {verdict.tree}")
    if claim.checks != (found := state_checks(verdict)):
        lines += [f"the commit says  {' '.join(claim.checks)}", f"the proof says   {' '.join(found)}"]
    return "\n".join(lines)


def present(proved: Proved) -> None:
    """Print a proof for a person."""
    console = consoles.results()
    table = Table(box=None, padding=(0, 2, 0, 0), show_edge=False, header_style="dim")
    table.add_column("commit", no_wrap=True)
    table.add_column("subject", no_wrap=True, overflow="ellipsis")
    for title in (*(check.name for check in proved.base_checks), "trailers", ""):
        table.add_column(title, no_wrap=True)
    table.add_row(proved.base[:10], Text("(base)", style="dim"), *map(brief, proved.base_checks), "", "")
    for commit in proved.commits:
        word = Text("holds", style="green") if commit.ok else Text("does not hold", style="red")
        if commit.ok and commit.doubts:
            word = Text("needs a person", style="yellow")
        claim = Text(commit.claim, style="red" if commit.claim == "differs" else "")
        table.add_row(commit.commit[:10], Text(commit.subject), *map(brief, commit.checks), claim, word)
    console.print(table)
    for commit in proved.commits:
        if not commit.ok or commit.claim == "differs":
            console.print(Text(f"\n{commit.commit[:10]}\n{commit.detail}"), soft_wrap=True)
        if commit.doubts:
            told = "\n".join(f"needs a person: {doubt}" for doubt in commit.doubts)
            console.print(Text(f"\n{commit.commit[:10]}\n{told}"), soft_wrap=True)
    console.print(_sentence(proved))


def _sentence(proved: Proved) -> Text:
    if not all(commit.ok for commit in proved.commits):
        return Text("\n✗ not proved: a commit makes a check worse, or a check gave no evidence", style="bold red")
    if any(commit.claim == "differs" for commit in proved.commits):
        text = "\n✗ not proved: a commit says something else of its checks (was one declared with --check?)"
        return Text(text, style="bold red")
    if not proved.ok:
        text = "\n● not proved by the checks alone: what the evidence rests on was changed, so a person has to judge"
        return Text(text, style="bold yellow")
    if proved.commits[-1].green:
        return Text("\n✓ proved: every check passes at the tip", style="bold green")
    return Text("\n● nothing got worse, but not every check passes at the tip", style="bold yellow")
