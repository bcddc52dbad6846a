"""What a person reads of a push that a hook judged: which ref, what failed, where, and what to type next."""

import re
import shlex
from collections.abc import Iterator, Sequence

from rich.text import Text

from bot.app.hooks.hearing import Heard
from bot.app.hooks.telling import COMMAND, OURS, SHOWN, WIDTH, name_failed, tell_worse
from bot.core.check import Rung, Verdict
from bot.core.escape import line
from bot.core.redact import sanitize
from bot.git.pushes import Span
from bot.trace.terminal import tally

SHORT = 10
_PLAIN = re.compile(r"[\w./+@#=-]+")
"""Names that can be typed as they are shown, but for what a shell makes of them."""


def tell_heard(span: Span, heard: Heard, remote: str) -> Iterator[Text]:
    """Say what a person should know of a tip that was judged; nothing where all is well."""
    name = _name(span)
    if heard.word == "worse":
        yield from _tell_failure(span, heard, remote)
    elif heard.word == "holds":
        yield from _tell_notes(name, heard)


def tell_pass(span: Span, heard: Heard) -> Text:
    """Say what passed, for somebody who looks on."""
    passed = [f"{result.check} ({tally(result)})" for result in heard.verdict.results if result.status == "passed"]
    return Text(f"{OURS}{_name(span)} passes {', '.join(passed) or 'nothing'}", style="dim")


def tell_unjudged(names: Sequence[str], why: str) -> Text:
    """Say of which refs nothing is known, and why."""
    return Text(f"{OURS}not judged: {name_all(names)} ({line(sanitize(why), WIDTH)})", style="yellow")


def tell_mending(span: Span) -> Text:
    """Name the command that looks for a mended commit."""
    since = f" --since {span.base[:SHORT]}" if span.base else ""
    return Text.assemble("mend it:          ", (f"git agent fix --base {_typed(span)}{since}", COMMAND))


def tell_warning() -> Text:
    """Say that nothing is refused."""
    return Text(f"{OURS}pushed all the same (agent.hook.push is warn)", style="yellow")


def tell_way_out() -> Text:
    """Name the way past the hook."""
    return Text.assemble("push it as it is: ", ("git push --no-verify", COMMAND))


def explain(verdict: Verdict) -> str:
    """Say why checks tell nothing of a tree."""
    silent = [f"no evidence from {one.check}: {one.summary}" for one in verdict.results if one.status == "errored"]
    kept = [f"{case} could not be told, for a cause outside of the tree" for case in verdict.comparison.prevented]
    return _first((*silent, *kept)) if silent or kept else "the checks gave no evidence"


def name_all(names: Sequence[str]) -> str:
    """Name the first few of many."""
    names = tuple(dict.fromkeys(line(sanitize(name), WIDTH) for name in names))
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def _name(span: Span) -> str:
    return name_all([update.name for update in span.updates])


def _tell_failure(span: Span, heard: Heard, remote: str) -> Iterator[Text]:
    verdict = heard.verdict
    held = f"{span.base[:SHORT]}, which {remote} has, does not" if span.base else f"{remote} has nothing of it yet"
    yield Text(f"{OURS}{_name(span)} fails {name_failed(verdict)}; {held}", style="bold red")
    yield from tell_worse(verdict)
    for missing in heard.judged.proved.commits[-1].uncommitted:
        yield Text(f"  → {line(sanitize(missing.text), WIDTH)}", style="cyan")


def _tell_notes(name: str, heard: Heard) -> Iterator[Text]:
    """Say what goes through all the same, a line for each kind."""
    commit, verdict = heard.judged.proved.commits[-1], heard.verdict
    # That a project has no tests it knows, and needs not be told at each push
    tested = any(result.rung.height >= Rung.UNIT.height for result in verdict.telling)
    kinds = (
        ("fails as before", verdict.comparison.failing),
        ("needs a person", commit.doubts if tested else ()),
        ("says something else of its checks", commit.contradiction),
    )
    for words, found in kinds:
        if found:
            yield Text(f"{OURS}{name} {words}: {_first(found)}", style="yellow")


def _first(found: Sequence[str]) -> str:
    more = f" and {len(found) - 1} more" if len(found) > 1 else ""
    return f"{line(sanitize(found[0]), WIDTH)}{more}"


def _typed(span: Span) -> str:
    """Name a tip so that it can be typed: by its branch, else by its id."""
    branches = [update.local for update in span.updates if update.local.startswith("refs/heads/")]
    names = (name.removeprefix("refs/heads/") for name in branches if _PLAIN.fullmatch(name))
    return shlex.quote(next(names, span.tip[:SHORT]))
