"""What came of the sets, as a picture: how much is mended and right, and how soon the first patch stands."""

import math
from collections.abc import Iterator, Sequence
from html import escape

from subjects.solving import Result

WIDTH, HEIGHT, LEFT, TOP = 1060, 420, 60, 60
PANE = 420
"""Width and, by 0.7, height of each of both pictures."""
DEEP = PANE * 0.7
COLOURS = ("#4477aa", "#ee6677", "#228833", "#aa8800", "#aa3377", "#66ccee")
FONT = 'font-family="sans-serif" font-size="12" fill="#222"'
SOONEST, LATEST = 0.1, 100.0
"""Seconds at both ends of the scale."""


def plot(results: Sequence[Result]) -> str:
    """Draw a picture in SVG: bars of plausible and correct patches, and curves of the time until the first."""
    names = sorted({result.set for result in results})
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" {FONT}>',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        *_scale(LEFT, "part of all programs"),
        *_bars(results, names),
        *_scale(LEFT + PANE + 100, "with a plausible patch after so many seconds"),
        *_curves(results, names),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _scale(left: float, title: str) -> Iterator[str]:
    yield _text(left, TOP - 30, title)
    for tenth in range(0, 11, 2):
        y = TOP + DEEP * (1 - tenth / 10)
        yield f'<line x1="{left}" y1="{y:.1f}" x2="{left + PANE}" y2="{y:.1f}" stroke="#ddd"/>'
        yield _text(left - 8, y + 4, f"{tenth * 10} %", "end")


def _bars(results: Sequence[Result], names: Sequence[str]) -> Iterator[str]:
    room = PANE / max(1, len(names))
    for number, name in enumerate(names):
        group = [result for result in results if result.set == name]
        plausible = sum(result.plausible for result in group)
        correct = sum(result.plausible and result.correct[0] for result in group)
        x = LEFT + room * (number + 0.2)
        colour = COLOURS[number % len(COLOURS)]
        for count, shift, opacity in ((plausible, 0.0, 0.45), (correct, 0.3, 1.0)):
            high = DEEP * count / len(group)
            place = f'x="{x + room * shift:.1f}" y="{TOP + DEEP - high:.1f}" width="{room * 0.28:.1f}"'
            yield f'<rect {place} height="{high:.1f}" fill="{colour}" opacity="{opacity}"/>'
            yield _text(x + room * (shift + 0.14), TOP + DEEP - high - 4, str(count), "middle")
        yield _text(x + room * 0.3, TOP + DEEP + 16, name, "middle")
        yield _text(x + room * 0.3, TOP + DEEP + 32, f"of {len(group)}", "middle")
    yield _text(LEFT, TOP + DEEP + 60, "pale: plausible; full: correct at the first rank")


def _curves(results: Sequence[Result], names: Sequence[str]) -> Iterator[str]:
    left = LEFT + PANE + 100
    for seconds in (0.1, 1.0, 10.0, 100.0):
        x = left + _along(seconds)
        yield f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{TOP + DEEP:.1f}" stroke="#ddd"/>'
        yield _text(x, TOP + DEEP + 16, f"{seconds:g}", "middle")
    for number, name in enumerate(names):
        group = [result for result in results if result.set == name]
        times = sorted(result.first for result in group if result.plausible and result.first is not None)
        colour = COLOURS[number % len(COLOURS)]
        y = TOP + DEEP
        points = [(float(left), y)]
        for rank, seconds in enumerate(times, 1):
            x = left + _along(seconds)
            points += [(x, y), (x, y := TOP + DEEP * (1 - rank / len(group)))]
        points.append((left + PANE, y))
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
        yield f'<rect x="{left + number * 84}" y="{TOP + DEEP + 50}" width="10" height="10" fill="{colour}"/>'
        yield f'<text x="{left + number * 84 + 14}" y="{TOP + DEEP + 59}" font-size="10">{escape(name)}</text>'


def _along(seconds: float) -> float:
    share = math.log(max(seconds, SOONEST) / SOONEST) / math.log(LATEST / SOONEST)
    return PANE * min(1.0, share)


def _text(x: float, y: float, words: str, anchor: str = "start") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'
