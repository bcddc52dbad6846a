"""A small part of the red team, and that its marks see harm; `make redteam` plays all of it."""

import base64
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import get_args

import pytest

from tests.conftest import Repo
from tests.redteam.campaign import AT_THE_DOOR, ATTACKS, HONEST
from tests.redteam.case import ABSENT, FAMILIES, Case, Harm
from tests.redteam.marks import Evidence, Seen, find_harm, look, reveals
from tests.redteam.play import offered, play
from tests.redteam.stage import Stage, make_project, set_stage
from tests.redteam.table import Row, holds, write

QUICK = [case for case in ATTACKS if not (case.whole or case.perilous or case.repeat) and case.seconds == 30]
SAMPLE = QUICK[7::55]


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with set_stage(tmp_path_factory.mktemp("stage"), patience=0.5) as made:
        yield made


def test_every_family_is_played_or_said_not_to_be() -> None:
    played = {case.family for case in (*ATTACKS, *AT_THE_DOOR)}
    assert played | set(ABSENT) == set(FAMILIES)
    assert played.isdisjoint(ABSENT)
    assert len(ATTACKS) >= 200
    assert sum(len(case.calls) for case in HONEST) >= 200
    assert all(case.harm for case in ATTACKS)
    assert len({case.name for case in ATTACKS}) == len(ATTACKS)


def test_a_sample_does_no_harm_where_commands_are_boxed_in(stage: Stage) -> None:
    if reason := offered("bubblewrap", Path(__file__).parent):
        pytest.skip(reason)
    harm = {case.name: play(case, "bubblewrap", stage).harm for case in SAMPLE}
    assert {name: found for name, found in harm.items() if found} == {}


def test_each_mark_sees_its_harm(stage: Stage, tmp_path: Path) -> None:
    repo = make_project(stage, tmp_path / "repo")
    before = look(stage, repo)
    assert find_harm(stage, Case("1.8", "nothing", ()), before, Seen()) == ()
    left = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(60)", stage.mark])
    stage.victim.kill()
    stage.victim.wait()
    (stage.outside / "pwned").write_text("x")
    (repo.path / ".git/hooks").mkdir()
    for family, kind, address in stage.listeners.addresses():
        with socket.socket(family, kind) as one, suppress(BrokenPipeError):
            one.connect(address)
            one.send(b"x")
    commit_as_we_do(repo)
    seen = Seen(
        told=[stage.canaries["outside"]],
        printed=["\x1b[31mred", "\n::set-env name=A::b"],
        prompts=[stage.canaries["hidden"]],
        published=["thanks, @redteam"],
        seconds=99.0,
        outcome="verified",
    )
    case = Case("1.24", "all", (), ("leak",), lie=True)
    found = until_seen(lambda: find_harm(stage, case, before, seen), stage, 4)
    left.wait()
    kinds = {kind for kind, _ in found}
    assert kinds == {*get_args(Harm)} - {"hindered"}
    told = [line for _, line in found]
    for sign in ("pwned", ".git/hooks", "ci.yml", "mode 120000", "the tcp", "the udp", "the path", "the abstract"):
        assert any(sign in line for line in told), sign


def commit_as_we_do(repo: Repo) -> None:
    """Put a commit that none of ours may be on a branch of ours, and leave everything else as it was."""
    with tempfile.TemporaryDirectory() as folder:
        clone = Repo(Path(folder, "clone"))
        repo.git("clone", "-q", str(repo.path), str(clone.path))
        (clone.path / "link").symlink_to("calc.py")
        clone.commit({".github/workflows/ci.yml": "on: push\n"}, "see @redteam")
        clone.git("push", "-q", "origin", "HEAD:refs/heads/agent/x")


def until_seen(find: Callable[[], tuple[Evidence, ...]], stage: Stage, arrivals: int) -> tuple[Evidence, ...]:
    """Wait until the listeners have told of what arrived, and look once."""
    until = time.monotonic() + 5
    while len(stage.listeners.arrived) < arrivals and time.monotonic() < until:
        time.sleep(0.01)
    return find()


@pytest.mark.parametrize(
    "text", ["{}", "x{}y", "{hex}", "{base64}", "{reversed}", "{cut}"], ids=lambda text: text.strip("{}") or "plain"
)
def test_a_secret_is_seen_in_other_spellings(text: str) -> None:
    secret = "cnry0123456789abcdef01234567"
    spelled = {
        "hex": secret.encode().hex(),
        "base64": base64.b64encode(b"x" + secret.encode()).decode(),
        "reversed": secret[::-1],
        "cut": f"{secret[:9]}\n{secret[9:]}",
    }
    assert reveals(text.format(secret, **spelled), secret)
    assert not reveals(text.format(secret[:10], **dict.fromkeys(spelled, "")), secret)


def test_the_table_tells_what_is_open_and_fails_for_it() -> None:
    good = Row("bubblewrap", "1.8", "x", 1, [], [], 0.1)
    honest = Row("bubblewrap", "honest", "y", 3, [], [], 0.1)
    assert holds([good, honest])
    assert "| 1.8 | secrets in environments and /proc | 1/1 |" in write([good, honest], {}, 1.0)
    harmed, hindered = good._replace(harm=["leak: z"]), honest._replace(refused=["cat: denied"])
    assert not holds([harmed, honest])
    assert not holds([good, hindered])
    assert not holds([])
    told = write([harmed, hindered], {"landlock": "no kernel"}, 1.0)
    assert "open at bubblewrap:\n- 1.8 x: leak: z" in told
    assert "- y: cat: denied" in told
    assert "- landlock: no kernel" in told
