"""Proofs of every kind, as values."""

from collections.abc import Mapping

from bot.app.proving.values import Judged, Proved, ProvedCommit, Uncommitted
from bot.core.check import CaseResult, CheckResult, Comparison, Rung, Verdict
from bot.core.proof import Proof
from bot.core.report import summarize_check

NASTY = '\x1b[31mred\x00 \x0b \ufffe \U0001f600 ]]> <&" \ud800 token ghp_' + "a1B2" * 9


def commit(name: str, subject: str, **fields: object) -> ProvedCommit:
    start = {"commit": name * 40, "tree": "f" * 40, "subject": subject, "ok": True, "green": True, "claim": "none"}
    return ProvedCommit.model_validate({"checks": (), **start, **fields})


COMMITS: Mapping[str, ProvedCommit] = {
    "good": commit("1", "Add adds", claim="agrees", proof=Proof(green=("a", "b"), mode="reproduction")),
    "weak": commit("2", "Weaken", doubts=tuple(f"t.py: test_{n} (weakened)" for n in range(25)), notes=("a merge",)),
    "liar": commit("3", "Lie", claim="differs", contradiction=("the commit says  unit=passed(9)",)),
    "red": commit("4", "Leave it red", green=False, proof=Proof(reason="every check passed on the base")),
    "bad": commit(
        "5",
        f"Break {NASTY}",
        ok=False,
        green=False,
        detail=f"FAILED {NASTY}",
        uncommitted=(Uncommitted(check="unit", paths=("plus.py",)),),
    ),
}

CASES: Mapping[str, tuple[CaseResult, ...]] = {
    "bad": (
        CaseResult(id="t.py::test_zero", outcome="failed", message="assert 1 == 0\n> x", path="t.py", line=9),
        CaseResult(id="t.py::test_old", outcome="failed", message=NASTY, path="t.py", line=3),
        CaseResult(id="tests/t.py::Class::test_x[a::b]", outcome="error", message=NASTY, error="ValueError"),
        CaseResult(id="t.py::test_skip", outcome="skipped", message=NASTY),
        CaseResult(id="t.py::test_fine", outcome="passed", seconds=0.5),
    )
}
COMPARED = {"bad": Comparison(broken=("t.py::test_zero",), failing=("t.py::test_old",), removed=("t.py::test_gone",))}


def results(name: str, checks: int) -> tuple[CheckResult, ...]:
    cases = CASES.get(name, (CaseResult(id="t.py::test_zero", outcome="passed"),))
    failed = any(case.bad for case in cases)
    unit = CheckResult(
        check="unit", rung=Rung.UNIT, status="failed" if failed else "passed", cases=cases, output=NASTY, seconds=1.25
    )
    finding = CaseResult(
        id="src/a b.py::F401::`os` imported but unused", outcome="failed", message="unused", path="src/a b.py", line=2
    )
    ruff = CheckResult(check="ruff", rung=Rung.STATIC, status="failed", cases=(finding,))
    more = tuple(
        CheckResult(check=f"check{n}", rung=Rung.BUILD, status=status, summary=f"{status} {NASTY}")
        for n, status in zip(range(checks - 2), ("errored", "skipped", "failed", "passed") * 5, strict=False)
    )
    return ((ruff, unit) if checks > 1 else (unit,)) + (more if name == "bad" else ())


def judged(*names: str, checks: int = 2) -> Judged:
    verdicts = tuple(
        Verdict(tree="f" * 40, results=results(name, checks), comparison=COMPARED.get(name, Comparison()))
        for name in names
    )
    commits = tuple(
        COMMITS[name].model_copy(update={"checks": tuple(map(summarize_check, verdict.results))})
        for name, verdict in zip(names, verdicts, strict=True)
    )
    base = Verdict(tree="0" * 40, results=results("base", checks))
    proved = Proved(
        base="0" * 40,
        base_checks=tuple(map(summarize_check, base.results)),
        commits=commits,
        target="main..topic",
        tip=commits[-1].commit,
    )
    return Judged(proved, base, verdicts, tuple((".hidden", "t.py") for _ in names))
