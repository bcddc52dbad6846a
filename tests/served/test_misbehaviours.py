"""Every way in which a service misbehaves, met by the product's own loop through the official SDKs."""

from pathlib import Path

from tests.served import table
from tests.served.campaign import play, rows
from tests.served.verdict import problems


def test_a_service_that_misbehaves_ends_as_the_page_says_and_nothing_is_done_twice(tmp_path: Path) -> None:
    # One test: whoever runs it imports both SDKs, and every run is looked at in all ways
    campaign = play(tmp_path, doubts=lambda run: any(problems(run)) or (run.often and not table.tells(run)))
    assert [problem for run in campaign.runs for problem in problems(run)] == []
    assert campaign.elsewhere.requests == []
    assert campaign.broken == []
    assert table.write(campaign.runs) == table.shown(), "run `python -m tests.served.table`"


def test_rows_have_names_of_their_own_and_are_many() -> None:
    names = [(row.does, wire) for row in rows() for wire in row.wires]
    assert len(set(names)) == len(names) >= 160
