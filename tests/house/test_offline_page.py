"""What the page about the offline model shows is what it says, and what its tables hold."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from bot.core.message import Searching, Undecided
from bot.core.redact import Redactor
from bot.core.undecided import Undecideds
from bot.models.offline.briefing import Finding
from bot.models.offline.hunt import MOST_SEARCHES, SECONDS
from bot.models.offline.patches import Searched, Suspect
from bot.models.offline.summary import Ending, summarize
from bot.repair.worker.stream import FILES, LINES
from bot.trace.incoming import tell_search

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/offline.md").read_text(encoding="utf-8")
TABLES = ROOT / "bot/models/offline/tables"
HEAD = "--- a/tariff/shipping.py\n+++ b/tariff/shipping.py\n@@ -26 +26 @@\n-    if count > 8:\n"


def plain(text: str) -> str:
    return " ".join(text.split())


def entries(table: dict[str, object], *, advice: bool) -> Iterator[str]:
    """Name what tables hold: what stands in the place of something, or why nothing does."""
    for section, held in table.items():
        if isinstance(held, dict) and (section == "advice") == advice:
            for key, value in held.items():
                yield from value if isinstance(value, dict) else (key,)


def test_the_question_that_it_shows_is_asked_in_these_words() -> None:
    one, other = (f"{HEAD}+    {line}\n" for line in ("if count > 2:", "if count >= 7:"))
    proposed = Undecided(
        path="tariff/shipping.py", line=26, patch=one, others=3, other=other, call="discount(3)", answers=("10", "0")
    )
    (asked,) = Undecideds(proposed=(proposed,)).ask([one])
    assert f"? {plain(asked)}" in plain(PAGE)


def test_the_last_word_that_it_shows_is_said_in_these_words() -> None:
    message = "AssertionError: assert ['a', 'c', 'b'] == ['a', 'b', 'c']"
    name = "tests/test_waiting.py"
    left = [Finding("pytest", f"{name}::test_merge_interleaves", name, 13, message)]
    blamed = [
        Suspect("waiting.py", 14, 1.0, "def merge(one, other):"),
        Suspect("waiting.py", 16, 1.0, "return one + other"),
    ]
    said = summarize(Ending(left=left, vain=Searched(222, "exhausted"), suspects=blamed))
    assert f"```text\n{said}\n```" in PAGE


def test_its_figures_are_those_of_the_code() -> None:
    tables = [tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted(TABLES.glob("*.toml"))]
    known, told = (sum(len(list(entries(table, advice=advice))) for table in tables) for advice in (False, True))
    found = re.search(r"some (\d+) things that are gone .* and (\d+)", plain(PAGE))
    assert found
    assert abs(int(found[1]) - known) <= 10
    assert int(found[2]) == told
    assert (SECONDS, MOST_SEARCHES, LINES, FILES) == (60, 8, 250, 10)
    for words in ("after 60 seconds", "eight of them", "250 most suspicious lines of 10 files"):
        assert words in PAGE


def test_the_progress_that_it_shows_looks_like_that() -> None:
    told = tell_search(Searching(4312, "stockroom/orders.py:41", 38.0), Redactor(()))
    assert f"⠙ {told}  (turn 7 of 80)" in PAGE
