"""The tool that runs one declared check on the files as they stand, in a clean tree."""

import shlex
from difflib import get_close_matches

from bot.core.check import Check, CheckResult, Verdict
from bot.core.policy import refuse_path
from bot.core.telling import squeeze
from bot.errors import Denied, NotFound
from bot.tools.schema import Strings
from bot.tools.tool import Access, Arguments, Bench, Done, Tool
from bot.verify.digest import digest, is_silent

FACTS = ("FAILED ", "SAME ", "ALIKE ", "PREVENTED ", "FLAKY ", "MORE ")
"""Lines of a digest that tell of cases."""
PRINTED = 5000
"""Bytes of a check's own output that are shown when nothing else says why it did not pass."""


class RunCheck(Arguments):
    """Run a check, on all or on paths or test ids."""

    name: str
    targets: Strings = ()


def run_check(args: RunCheck, bench: Bench) -> Done:
    """Run a check and answer with its status, then what failed, one line each. Raises NotFound, Denied."""
    check = _declared(args.name, bench)
    for target in args.targets:
        refuse_target(target)
    tree = bench.workspace.tree()
    result = bench.ladder.ask(bench.workspace, tree, check, args.targets)
    bench.unsettle()
    ran = shlex.join((*check.argv, *args.targets))
    return Done("\n".join(_told(result, tree)), isolation=result.isolation, ran=ran, hit=result.hit)


def refuse_target(target: str) -> None:
    """Check a path or a test id that is passed on to a check. Raises Denied."""
    reason = "it would be an option" if target.startswith("-") else refuse_path(target.partition("::")[0])
    if reason is not None:
        raise Denied(f"target {target!r}: {reason}")


def _declared(name: str, bench: Bench) -> Check:
    known = {check.name: check for check in bench.ladder.checks}
    if name in known:
        return known[name]
    near = get_close_matches(name, known, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise NotFound(f"there is no check {name!r}{hint} The checks are: {', '.join(known) or 'none'}")


def _told(result: CheckResult, tree: str) -> list[str]:
    counts = f"{result.count('passed', 'xfailed')} passed, {result.count('failed', 'error')} failed"
    said = [counts] if result.cases else []
    said += [result.summary] if result.summary and not result.summary.startswith(counts) else []
    head = ": ".join([f"{result.check}: {result.status}", *said])
    if result.status not in ("failed", "errored"):
        return [head]
    shown = digest(Verdict(tree=tree, results=(result,))).split("\n")
    facts = [line for line in shown if line.startswith(FACTS)]  # a verdict is not for one check to give
    printed = squeeze(result.output, PRINTED).strip("\n") if is_silent(result) else ""
    return [head, *facts, *([printed] if printed else [])]


RUN_CHECK = Tool("run_check", RunCheck, Access.EXECUTE, run_check)
