"""What a person reads of a commit that a hook judged: what failed, where, and what to type next."""

from collections.abc import Collection, Iterator, Sequence

from rich.text import Text

from bot.core.change import readable
from bot.core.check import CheckResult, Verdict
from bot.core.escape import line
from bot.core.hook import Sifted
from bot.core.publication.words import spell
from bot.core.redact import sanitize
from bot.core.report import Report
from bot.core.undecided import questions
from bot.forge.local import coloured
from bot.forge.words import headline
from bot.git.staging import Obstacle
from bot.trace.terminal import tally
from bot.verify.digest import Failure, digest, parse

OURS = "git agent: "
SHOWN = 4
"""Failures that are shown of all."""
WIDTH = 160
"""Characters of what a failure says."""
DIFF = 40
"""Lines of a mended change that are shown; the rest is one command away."""
COMMAND = "bold cyan"


def tell_pass(sifted: Sifted) -> Iterator[Text]:
    """Say what passed, for somebody who looks on."""
    passed = [f"{result.check} ({tally(result)})" for result in sifted.verdict.results if result.status == "passed"]
    if passed:
        yield Text(f"{OURS}passed {', '.join(passed)} in {sifted.seconds:.1f} s", style="dim")
    elif not (sifted.verdict.results or sifted.unjudged):
        yield Text(f"{OURS}nothing here that a check looks at", style="dim")


def tell_notes(sifted: Sifted) -> Iterator[Text]:
    """Say what was not judged, and what is held against nobody."""
    if sifted.unjudged:
        told = ", ".join(f"{one.check} ({line(one.why, 80)})" for one in sifted.unjudged)
        yield Text(f"{OURS}not judged: {told}", style="yellow")
    if sifted.old:
        yield Text(f"{OURS}fails as before this commit: {_name_old(sifted)}", style="yellow")
    complained = sifted.verdict.comparison.complained
    if complained:
        yield Text(
            f"{OURS}new, but by another version of the tool than the project names: {_count(complained)}",
            style="yellow",
        )
    flaky = sifted.verdict.comparison.flaky
    if flaky:
        yield Text(f"{OURS}passes only sometimes: {_count(flaky)}", style="yellow")


def _name_old(sifted: Sifted) -> str:
    old = {*sifted.old}
    checks = ", ".join(result.check for result in sifted.verdict.results if not old.isdisjoint(result.bad))
    return f"{checks} ({_count(sifted.old)})" if checks else _count(sifted.old)


def _count(cases: Sequence[str]) -> str:
    more = f" and {len(cases) - 1} more" if len(cases) > 1 else ""
    return f"{line(sanitize(spell(cases[0])), 100)}{more}"


def tell_failure(sifted: Sifted) -> Iterator[Text]:
    """Say what got worse, one line a failure with what it says below."""
    yield Text(f"{OURS}this commit fails {name_failed(sifted.verdict)}", style="bold red")
    yield from tell_worse(sifted.verdict)


def name_failed(verdict: Verdict) -> str:
    """Name the checks in which something got worse, with their counts."""
    worse = _worse(verdict)
    bad = _bad(verdict)
    # One whose failures are all old is no reason
    blamed = [result for result in bad if not worse.isdisjoint(result.bad)] or bad
    return ", ".join(_sum(result, worse) for result in blamed) or "its checks"


def _worse(verdict: Verdict) -> set[str]:
    return {*verdict.comparison.broken, *verdict.comparison.prevented}


def tell_worse(verdict: Verdict) -> Iterator[Text]:
    """Say what got worse, as far as there is room for it."""
    worse = _worse(verdict)
    found = list(_failures(verdict, worse))
    for failure in found[:SHOWN]:
        yield from _tell(failure)
    if not found:
        yield from (Text(f"  {line(sanitize(spell(case)), WIDTH)}", style="red") for case in sorted(worse)[:SHOWN])
        for result in _bad(verdict):
            yield from (Text(f"    {line(sanitize(said), WIDTH)}", style="dim") for said in _last_words(result))
    left = max(len(worse), len(found)) - min(len(found) or len(worse), SHOWN)
    if left > 0:
        yield Text(f"  … and {left} more", style="dim")


def _failures(verdict: Verdict, worse: Collection[str]) -> Iterator[Failure]:
    """Give each case that got worse with what was told of it; those alike are told once, and shown each."""
    told = {(one.check, one.id): one for one in parse(digest(verdict))}
    for result in _bad(verdict):
        for case in result.cases:
            if case.id in worse and case.id != result.check:
                said = Failure(result.check, case.id, case.path, case.line, case.message.strip().partition("\n")[0])
                yield told.get((result.check, case.id), said)


def _bad(verdict: Verdict) -> Sequence[CheckResult]:
    return [result for result in verdict.results if result.status in ("failed", "errored")]


def _sum(result: CheckResult, worse: Collection[str]) -> str:
    new = sum(name in worse for name in result.bad)
    told = f"{new} new of {len(result.bad)} failures" if 0 < new < len(result.bad) else tally(result)
    return f"{result.check} ({told})"


def _tell(found: Failure) -> Iterator[Text]:
    # What a terminal obeys may be part of a name: taken out, it would be another one's
    failure = found._replace(id=_visible(found.id), path=_visible(found.path))
    where = f"{line(sanitize(failure.path), WIDTH)}:{failure.line}"
    if failure.path and failure.message and spell(failure.id) != failure.id:
        # A finding is what it says; a test has a name besides
        yield Text.assemble("  ", (where, "red"), f"  {line(sanitize(failure.message), WIDTH)}")
        return
    about = Text(f"  {line(sanitize(failure.id.removeprefix(f'{failure.path}::')), WIDTH)}", style="red")
    if failure.path:
        about.append(f"  {where}", style="dim")
    yield about
    if failure.message:
        yield Text(f"    {line(sanitize(failure.message), WIDTH)}")


def _last_words(result: CheckResult) -> Sequence[str]:
    """Return how a command ended that says nothing of cases, and the end of what it printed."""
    printed = [text for text in result.output.splitlines() if text.strip()]
    return (result.summary, *printed[-SHOWN:])


def _visible(name: str) -> str:
    return readable(name.encode("utf-8", "backslashreplace"))


def tell_mended(report: Report, patch: str, *, empty: bool) -> Iterator[Text]:
    """Show what would mend it, and on what evidence; `empty` when nothing of the commit would be left."""
    checks = report.steps[-1].checks if report.steps else ()
    proof = ", ".join(check.name for check in checks if check.status == "passed")
    how = f"by {line(report.model, 60)} in {report.usage.seconds:.1f} s, verified by {proof}:"
    if empty:
        yield Text(f"{OURS}mended only by taking all of it back, {how}", style="bold yellow")
    else:
        yield Text(f"{OURS}mended {how}", style="bold green")
    for asked in questions(report.findings):
        yield Text(f"  ? {line(sanitize(asked), WIDTH)}", style="bold yellow")
    shown = coloured(patch, limit=DIFF)
    yield from (Text("  ").append_text(one) for one in shown.split())


def tell_taking(run: str, again: str) -> Text:
    """Name the command that takes what mends it; `again` is how to commit then."""
    return Text.assemble("take it:          ", (f"git agent accept {run}{again}", COMMAND))


def tell_obstacles(found: Sequence[Obstacle]) -> Text:
    """Say why it is not staged at once."""
    told = "; ".join(line(one.text, WIDTH) for one in found[:SHOWN])
    return Text(f"{OURS}not staged: {told}", style="yellow")


def tell_in_vain(report: Report) -> Iterator[Text]:
    """Say that nothing was found that mends it, or not all of it."""
    sentence = headline(report)[2]
    yield Text(f"{OURS}not mended by {line(report.model, 60)}: {line(sanitize(sentence), WIDTH)}", style="yellow")
    what = "what there is:    " if report.steps else "why it was not:   "
    yield Text.assemble(what, (f"git agent show {report.run}", COMMAND))


def tell_late(seconds: float) -> Text:
    """Say that the time was too short to find what mends it."""
    return Text(f"{OURS}not mended: nothing was found within {seconds:g} s, see agent.hook.seconds", style="yellow")


def tell_strict() -> Text:
    """Say that what was not judged is refused."""
    return Text(f"{OURS}refused, as agent.hook.strict is set", style="bold red")


def tell_way_out() -> Text:
    """Name the way past the hook, which is nobody's to close."""
    return Text.assemble("commit it as is:  ", ("git commit --no-verify", COMMAND))
