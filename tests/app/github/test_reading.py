"""What one job hands to the other is read with distrust."""

from pathlib import Path

import pytest

from bot.app.github.door import Call
from bot.app.github.reading import read_handover
from bot.core.handover import LARGEST, NAME, Handover
from bot.errors import ConfigError


@pytest.fixture
def call(tmp_path: Path) -> Call:
    return Call("issue_comment", b"{}", "o/n", "http://localhost", "http://localhost", run_id="7", handover=tmp_path)


def test_a_claim_is_read_back(call: Call) -> None:
    claim = Handover(repository="o/n", workflow_run="7", run="r", said="text")
    (call.handover / NAME).write_text(claim.model_dump_json())
    assert read_handover(call) == claim


def test_a_job_that_left_nothing_is_told_apart(call: Call) -> None:
    assert read_handover(call) is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "cannot be read"),
        ("[]", "cannot be read"),
        ('{"repository": "o/n", "extra": 1}', "extra"),
        ('{"repository": "o/n", "workflow_run": "7", "said": "%s"}' % ("x" * 20_001), "said"),
        ('{"repository": "o/other", "workflow_run": "7"}', "another run"),
        ('{"repository": "o/n", "workflow_run": "8"}', "another run"),
        ('{"repository": "o/n", "workflow_run": "7"}' + " " * LARGEST, "larger"),
        ('{"repository": "o/n", "version": 2}', "version"),
        ("[" * 100_000, "cannot be read"),
        ('{"repository": "o/n", "workflow_run": "7", "reason": "verified"}', "reason"),
        ('{"repository": "o/n", "workflow_run": "7", "reason": "a\\nb"}', "reason"),
        ('{"repository": "o/n", "a\\nb": 1}', "a b: "),
    ],
)
def test_what_is_no_claim_of_this_run_is_refused(call: Call, text: str, why: str) -> None:
    (call.handover / NAME).write_text(text)
    with pytest.raises(ConfigError, match=why):
        read_handover(call)


def test_links_and_devices_are_not_followed(call: Call, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("{}")
    (call.handover / NAME).symlink_to(tmp_path / "secret")
    assert read_handover(call) is None
