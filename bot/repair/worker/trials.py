"""Tries patches that somebody else wrote, each in a fresh process on its own copy of the tree, in its share of time."""

from __future__ import annotations

from typing import Any

from bot.repair.worker.cold import Patch, Verdict, files_of
from bot.repair.worker.job import Job
from bot.repair.worker.nursery import patch_of
from bot.repair.worker.pool import Pool

REASONED = 3
"""Failing tests of which the reasons are told."""


def try_all(job: Job) -> str:
    """Tell what becomes of each patch; the unpatched tree is run beside them."""
    patches: list[tuple[int, Patch]] = [(-1, Patch()), *((n, patch_of(p)) for n, p in job.asked["patches"])]
    pool = Pool(job.workers, (job.pipe,))
    verdicts: dict[int, Verdict] = {}
    try:
        while (patches or pool.children) and job.left > 0:
            while patches and pool.free:
                number, patch = patches.pop(0)
                task: dict[str, Any] = {"files": files_of(job.tests), "wanted": [], "needed": []}
                turns = -(-(len(patches) + 1) // job.workers)
                job.run_cold(pool, "trial", number, patch, task, job.left / turns)
            for child, ended in pool.events():
                if ended:
                    number, verdicts[number] = job.collect(child)
                    _tell(job, verdicts, number)
    finally:
        pool.close()
    return "found" if not patches else "out of time"


def _tell(job: Job, verdicts: dict[int, Verdict], number: int) -> None:
    """Tell a verdict once it can be set against that on the unpatched tree."""
    before = verdicts.get(-1)
    if before is None:
        return
    for index in [number] if number >= 0 else [n for n in verdicts if n >= 0]:
        passed, detail = judge(before, verdicts[index], job.tests)
        job.tell("trial", index=index, passed=passed, detail=detail)


def _list(names: list[str], after: Verdict) -> str:
    """Name tests, and say why they failed while there are few."""
    if len(names) > REASONED:
        return ", ".join(names)
    return "; ".join(f"{name} ({after.messages.get(name, 'no reason given')})" for name in names)


def judge(before: Verdict, after: Verdict, tests: list[str]) -> tuple[bool, str]:
    """Decide whether every wanted test passes and nothing that passed broke; says why not."""
    marks = tuple(f"{test}{end}" for test in tests for end in ("::", "["))
    bad = [n for n, o in after.outcomes.items() if o == "failed"]
    if not after.complete:
        return False, "the tests did not come to an end"
    if after.broken:
        return False, f"could not be collected: {', '.join(sorted(after.broken))}"
    wanted = [n for n in {**before.outcomes, **after.outcomes} if n in tests or n.startswith(marks)]
    wanted = wanted if tests else [n for n, o in before.outcomes.items() if o == "failed"]
    missing = [t for t in tests if not any(n == t or n.startswith((f"{t}::", f"{t}[")) for n in after.outcomes)]
    if missing:
        return False, f"no such test: {', '.join(missing)}"
    failing = [n for n in wanted if after.outcomes.get(n) != "passed"]
    broken = [n for n, o in before.outcomes.items() if o == "passed" and after.outcomes.get(n) != "passed"]
    passing = f"passes {len(wanted) - len(failing)} of {len(wanted)}; " if len(wanted) > 1 else ""
    for words, names in ((f"{passing}still failing", failing), ("broken", broken)):
        if names:
            return False, f"{words}: {_list(names, after)}"
    if not wanted and not before.broken:
        return False, "no test failed before"
    others = f"; still failing as before: {', '.join(bad[:5])}" if bad else ""
    return True, f"{len(wanted)} passed{others}"
