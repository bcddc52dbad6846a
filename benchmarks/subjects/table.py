"""What came of the sets, in words: one line for each program, and tables over all."""

import statistics
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from subjects.solving import Result


def show(result: Result) -> str:
    """Write one line."""
    if not result.offered:
        mark = "none"
    elif not result.plausible:
        mark = "FAILS"
    elif result.correct[0]:
        mark = "correct"
    else:
        mark = f"other ({result.correct.index(True) + 1})" if any(result.correct) else "other"
    unproved = " UNPROVED" if result.proved is False else ""
    told = f"{result.template}: {result.change}" if result.offered else result.reason
    numbers = f"{result.seconds:6.1f} s {result.tried:6}"
    return f"{result.name:26} {result.kind:15} {mark:9}{unproved} {numbers}  {told[:110]}"


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value that so great a share does not exceed; 0 where there is none."""
    ranked = sorted(values)
    return ranked[min(len(ranked) - 1, int(share * len(ranked)))] if ranked else 0.0


def spread(values: Sequence[float]) -> str:
    """Write the median and the value that nine of ten do not exceed."""
    return f"{statistics.median(values):.2f} / {percentile(values, 0.9):.2f}" if values else "-"


def tables(results: Sequence[Result]) -> Iterator[str]:
    """Write what came of each set, then of each kind of fault and of each template."""
    yield f"{'set':14} programs plausible  correct anywhere  fails  seconds until the first: median / 90 %"
    for name, group in sorted(_grouped(results, lambda result: result.set).items()):
        yield _row(name, group)
    for name, group in sorted(_grouped(results, lambda result: result.set).items()):
        yield f"\n{name}: by what is wrong, plausible -> correct of how many"
        for kind, some in _ranked(group, lambda result: result.kind):
            yield f"  {kind:20} {_plausible(some):4} -> {_correct(some):3} of {len(some)}"
        yield f"{name}: by template, plausible -> correct"
        for template, some in _ranked([r for r in group if r.offered], lambda result: result.template):
            yield f"  {template:20} {_plausible(some):4} -> {_correct(some):3}"


def _row(name: str, group: Sequence[Result]) -> str:
    anywhere = sum(any(result.correct) for result in group)
    fails = sum(result.offered and not result.plausible for result in group)
    first = [result.first for result in group if result.first is not None]
    rates = [result.tried / result.seconds for result in group if result.tried and result.seconds]
    numbers = (
        f"seconds in all {spread([result.seconds for result in group])}",
        f"processor seconds {spread([result.cpu for result in group])}",
        f"candidates {spread([float(result.tried) for result in group])}",
        f"a second {spread(rates)}",
    )
    counts = f"{len(group):8} {_plausible(group):9} {_correct(group):8} {anywhere:8} {fails:6}"
    lines = [f"{name:14} {counts}  {spread(first)}", f"{'':14} {', '.join(numbers)}"]
    claimed = [result for result in group if result.outcome == "verified"]
    if any(result.outcome for result in group):
        proved, false = sum(bool(r.proved) for r in claimed), sum(not r.plausible for r in claimed)
        lines.append(f"{'':14} {len(claimed)} verified, {proved} proved again by git agent verify, {false} wrongly")
    return "\n".join(lines)


def _plausible(group: Sequence[Result]) -> int:
    return sum(result.plausible for result in group)


def _correct(group: Sequence[Result]) -> int:
    return sum(result.plausible and result.correct[0] for result in group)


def _grouped(results: Sequence[Result], key: Callable[[Result], str]) -> dict[str, list[Result]]:
    found: dict[str, list[Result]] = defaultdict(list)
    for result in results:
        found[key(result)].append(result)
    return dict(found)


def _ranked(results: Sequence[Result], key: Callable[[Result], str]) -> list[tuple[str, list[Result]]]:
    return sorted(_grouped(results, key).items(), key=lambda pair: (-len(pair[1]), pair[0]))
