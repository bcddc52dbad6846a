"""Are a project's checks found without being told, and is its baseline what its own command says?

    python benchmarks/projects.py FOLDER [--only NAME,NAME]

FOLDER holds the checkouts that checkouts.py makes. For each: the checks that `doctor` names beside the tools that the
project runs by itself, then the outcome of every test on the base beside the one in the project's own report.
"""

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from checkouts import Name, Project, dirty, here, junit_name, own_outcomes, read_projects, worse
from ours import command, open_ours

from bot.core.check import Rung, Verdict

SHOWN = 8
TESTS = (Rung.UNIT, Rung.INTEGRATION)
SAME = {"xpassed": "passed"}
"""JUnit XML does not tell these apart."""


def doctor(project: Project) -> tuple[dict[str, str], list[str]]:
    """Ask the doctor which checks there are and why, and what it says of what is none."""
    told = json.loads(command(project.root, "doctor", "--json").stdout)
    findings = [(finding["name"], finding["text"]) for finding in told["findings"]]
    checks = {name.removeprefix("check "): text for name, text in findings if name.startswith("check ")}
    return checks, [text for name, text in findings if name in ("note", "not a check")]


def show_checks(project: Project) -> set[str]:
    """Print what was found beside what the project runs; return what is neither found nor named."""
    found, notes = doctor(project)
    absent = {tool for tool in project.runs if not any(_stands_for(name, tool) for name in found)}
    named = {tool for tool in absent if any(re.search(rf"\b{re.escape(tool)}\b", note) for note in notes)}
    missed = absent - named
    beyond = {name for name in found if name != "syntax" and not any(_stands_for(name, tool) for tool in project.runs)}
    print(f"\n== {project.name}")
    print(f"   runs by itself: {', '.join(project.runs)}   ({project.said}: {' '.join(project.command)})")
    for name, reason in found.items():
        print(f"   found {name:14} {reason}")
    for note in notes:
        print(f"   note  {note}")
    print(f"   named, not run: {', '.join(sorted(named)) or 'none'}")
    print(f"   missed: {', '.join(sorted(missed)) or 'none'}; beyond: {', '.join(sorted(beyond)) or 'none'}")
    return missed


def _stands_for(check: str, tool: str) -> bool:
    """Tell whether a check is the tool; one that is run twice, or for one package, carries more in its name."""
    return check == tool or check.replace(":", " ").replace("@", " ").replace("/", " ").split()[0] == tool


def outcomes(verdict: Verdict) -> dict[Name, str]:
    """Name what we say of each test as JUnit XML does."""
    told: dict[Name, str] = {}
    for result in verdict.results:
        for case in result.cases if result.rung in TESTS else ():
            name = junit_name(case.id)
            told[name] = worse(told.get(name, "passed"), SAME.get(case.outcome, case.outcome))
    return told


def show_differences(own: Mapping[Name, str], ours: Mapping[Name, str]) -> int:
    """Print where the two part and count it."""
    kinds: dict[str, list[str]] = {}
    for name in sorted({*own, *ours}):
        one, other = own.get(name, "absent"), ours.get(name, "absent")
        if one != other:
            kinds.setdefault(f"own {one}, ours {other}", []).append("::".join(name))
    for kind, names in kinds.items():
        print(f"   DIFFERS {kind}: {len(names)}")
        for text in names[:SHOWN]:
            print(f"      {text}")
    return sum(map(len, kinds.values()))


def main() -> None:
    """Look at every project and print a line for each at the end."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    rows = [
        examine(project)
        for project in here(read_projects(options.folder, tuple(filter(None, options.only.split(",")))))
    ]
    print(f"\n{'project':16} {'tests':>6} {'differ':>7}  missed")
    for row in rows:
        print(row)


def examine(project: Project) -> str:
    """Look at one project."""
    missed = show_checks(project)
    own = own_outcomes(project)
    with open_ours(project.root) as opened:
        timed = opened.judge(opened.tree("HEAD"))
    for result in timed.verdict.results:
        outcome = dict(Counter(case.outcome for case in result.cases)) if result.rung in TESTS else len(result.cases)
        seconds = timed.checks[result.check]
        print(f"   {result.check:14} {result.status:8} {seconds:6.1f} s {outcome} {result.summary[:150]}")
        if result.flakes or result.hidden or result.rewritten:
            print(f"      flakes {result.flakes} hidden {result.hidden} rewritten {result.rewritten}")
    print(f"   own outcomes: {dict(Counter(own.values()))}")
    count = show_differences(own, outcomes(timed.verdict))
    if changes := dirty(project.root):
        print(f"   LEFT BEHIND in the checkout:\n{changes}")
    print(f"   flaky: {timed.verdict.comparison.flaky}", flush=True)
    return f"{project.name:16} {len(own):6} {count:7}  {', '.join(sorted(missed))}"


if __name__ == "__main__":
    main()
