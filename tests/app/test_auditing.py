"""The audit log as a reviewer reads it: in columns on a terminal, a line each elsewhere, one object for a program."""

import io

import pytest
from rich.console import Console

from bot.app import auditing
from bot.core.event import Started
from bot.core.ledger import Ledger
from bot.git.record import RunRef
from bot.git.repository import open_repository
from tests.conftest import Repo
from tests.core.test_bookkeeping import BOOK, EVENTS
from tests.git.past import render
from tests.product import agent


@pytest.fixture
def run(repo: Repo) -> str:
    first = EVENTS[0]
    assert isinstance(first, Started)
    based = first.task.model_copy(update={"base": repo.git("rev-parse", "HEAD")})
    with RunRef(open_repository(repo.path), "r1", render) as record:
        for event in (first.model_copy(update={"task": based}), *EVENTS[1:11]):
            record.record(event)
    return "r1"


def test_show_audit_tells_a_line_each_and_the_totals_or_one_object(repo: Repo, run: str) -> None:
    lines = agent(repo, "show", run, "--audit").out.splitlines()
    told = Ledger.model_validate_json(agent(repo, "show", run, "--audit", "--json").out)
    start, end = (number for number, line in enumerate(lines) if not line)
    body = lines[start + 1 : end]
    assert len(body) == len(told.entries)
    assert {(line[9:11], line[22:24], line[35:37]) for line in body} == {("  ", "  ", "  ")}
    assert any("issue 5 by mallory; it holds text that its page does not show" in line for line in lines)
    for words in (
        "request      stop         turn 1; 1,000 bytes sent; 10 tokens in (4 cached), 2 out, $0.50; 1.50 s; 0 calls",
        "1.25 s; bubblewrap; hit time; ran /bin/x y",
        "call         refused      read_file path=../x; denied: denied because; 0.00 s",
        "decision     deny         by policy: deletes the file a.py (delete a.py)",
        "check        failed       pytest on tree 1111111111; for the base; 2.50 s; landlock; hit memory; declared as",
    ):
        assert any(words in line for line in body), words
    assert "decisions   deny by policy 1" in lines[end:]


@pytest.mark.parametrize("width", [80, 120])
def test_on_a_terminal_nothing_is_wider_than_it(width: int) -> None:
    written = io.StringIO()
    console = Console(file=written, force_terminal=True, width=width, color_system=None, highlight=False)
    auditing.write(console, BOOK)
    assert max(map(len, written.getvalue().splitlines())) <= width
