"""The table of misbehaviours for the page on models; `python -m tests.served.table` writes it anew."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tests.served.campaign import FAMILIES, play
from tests.served.play import Played
from tests.served.server import WIRES, Wire
from tests.served.verdict import outcome

PAGE = Path(__file__).parents[2] / "docs" / "models.md"
BEGIN, END = "<!-- misbehaviours: begin -->\n", "<!-- misbehaviours: end -->\n"
NAMES: Mapping[Wire, str] = {"openai": "chat completions", "responses": "Responses", "anthropic": "messages"}


def write(runs: Sequence[Played]) -> str:
    """Write the table: what was done each time, until the end; wires that are alike are one row."""
    lines = ["| the service | git agent | requests | waits |", "|---|---|--:|--:|"]
    for family, rows in FAMILIES.items():
        lines.append(f"| **{family}** | | | |")
        for row in rows():
            lines += _rows([run for run in runs if run.often and run.row.does == row.does and run.wire in row.wires])
    return "\n".join([*lines, ""])


def _rows(runs: Sequence[Played]) -> Iterator[str]:
    told = {run.wire: outcome(run) for run in runs}
    for what in dict.fromkeys(told.values()):
        wires = [NAMES[wire] for wire in told if told[wire] == what]
        only = "" if len(wires) == len(WIRES) else f" ({', '.join(wires)})"
        yield "| " + " | ".join((runs[0].row.does + only, *what)) + " |"


def tells(run: Played) -> bool:
    """Say whether the page has a row for what became of a run."""
    rows = (line for line in shown().splitlines() if line.startswith(f"| {run.row.does}"))
    return any(line.endswith(f"| {' | '.join(outcome(run))} |") for line in rows)


def shown() -> str:
    """Return the table that the page shows."""
    return PAGE.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]


def main() -> None:
    """Play everything, and write down what happened."""
    with tempfile.TemporaryDirectory() as folder:
        runs = play(Path(folder)).runs
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    PAGE.write_text(before + BEGIN + write(runs) + END + rest.partition(END)[2], encoding="utf-8")


if __name__ == "__main__":
    main()
