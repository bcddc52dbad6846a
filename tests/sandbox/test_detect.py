import os
import subprocess
import sys
from pathlib import Path

import pytest

from bot.errors import SandboxUnavailable
from bot.protocols import Command
from bot.sandbox.bubblewrap import BubblewrapExecutor
from bot.sandbox.detect import OPEN_UP, hint, pick
from bot.sandbox.landlock import LandlockExecutor
from bot.sandbox.site import Site
from tests.sandbox.conftest import Ground

CLOSED_KERNEL = "#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n"


def install(folder: Path, script: str) -> None:
    """Put a program in the place of bubblewrap."""
    program = folder / "bwrap"
    program.write_text(script)
    program.chmod(0o755)


def test_the_strongest_level_that_works_is_picked(boxing: BubblewrapExecutor, common: Ground) -> None:
    for level in ("auto", "bubblewrap"):
        picked = pick(level, Site(common.repo.path, common.repo.path / ".git", [Path(sys.executable)]))
        assert (picked.executor.isolation, picked.reason) == ("bubblewrap", "")


def test_the_weak_level_can_be_asked_for(common: Ground) -> None:
    picked = pick("process", Site(common.repo.path, common.repo.path / ".git", []))
    assert (picked.executor.isolation, picked.reason) == ("process", "")


def test_without_bubblewrap_the_next_level_is_picked_with_a_reason(
    sealing: LandlockExecutor, common: Ground, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    picked = pick("auto", Site(common.repo.path, common.repo.path / ".git", []))
    assert picked.executor.isolation == "landlock"
    assert picked.reason.startswith("bubblewrap is not installed")
    assert picked.whole == (not sealing.shortcomings)
    asked = pick("landlock", Site(common.repo.path, common.repo.path / ".git", []))
    assert asked.executor.isolation == "landlock"
    assert "bubblewrap" not in asked.reason


WITHOUT = """
import errno, struct, sys
from pathlib import Path
from bot.errors import SandboxUnavailable
from bot.sandbox.detect import pick
from bot.sandbox.seal import install, lock
from bot.sandbox.site import Site

repo = Path(sys.argv[1])
lock()
for answer in (errno.ENOSYS, errno.EOPNOTSUPP, errno.EPERM):
    steps = ((0x20, 0, 0, 0), (0x15, 0, 1, 444), (0x06, 0, 0, 0x50000 | answer), (0x06, 0, 0, 0x7FFF0000))
    install(b"".join(struct.pack("=HBBI", *step) for step in steps))
    try:
        pick("landlock", Site(repo, repo / ".git", []))
    except SandboxUnavailable as error:
        print(error.message, error.hint, sep=": ")
    picked = pick("auto", Site(repo, repo / ".git", []))
    print(picked.executor.isolation, picked.reason, sep=": ")
"""


def test_without_landlock_a_required_level_is_never_replaced(common: Ground) -> None:
    """The kernel itself answers as one without would."""
    environment = {"PATH": "/nowhere", "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[2]), *sys.path])}
    argv = [sys.executable, "-c", WITHOUT, str(common.repo.path)]
    done = subprocess.run(argv, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "this kernel has no Landlock: it takes Linux 5.13 or newer, built with Landlock",
        "process: bubblewrap is not installed; this kernel has no Landlock",
        "Landlock is switched off on this machine: add landlock to the kernel's lsm= parameter",
        "process: bubblewrap is not installed; Landlock is switched off on this machine",
        "Landlock is forbidden here: allow its system calls in the container's seccomp profile",
        "process: bubblewrap is not installed; Landlock is forbidden here",
    ]


def test_a_required_level_is_never_replaced(common: Ground, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SandboxUnavailable, match="not installed") as caught:
        pick("bubblewrap", Site(common.repo.path, common.repo.path / ".git", []))
    assert "apt install" in caught.value.hint


def test_a_kernel_that_forbids_namespaces_is_told_with_what_to_do(
    common: Ground, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    install(tmp_path, CLOSED_KERNEL)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert "uid map" in pick("auto", Site(common.repo.path, common.repo.path / ".git", [])).reason
    with pytest.raises(SandboxUnavailable, match="uid map") as caught:
        pick("bubblewrap", Site(common.repo.path, common.repo.path / ".git", []))
    assert caught.value.hint == OPEN_UP


def test_a_sandbox_in_which_nothing_runs_is_none(
    common: Ground, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    install(tmp_path, "#!/bin/sh\necho '{ \"exit-code\": 1 }' >&3\nexit 1\n")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    site = Site(common.repo.path, common.repo.path / ".git", [])
    assert pick("auto", site).executor.isolation != "bubblewrap"
    # Killed before it has made anything, it is no command of anybody's that was killed
    install(tmp_path, "#!/bin/sh\nkill -9 $$\n")
    with pytest.raises(SandboxUnavailable, match="bubblewrap said nothing"):
        BubblewrapExecutor(site).execute(Command(("true",), common.repo.path))


def test_no_hint_is_made_up() -> None:
    assert hint("the sandbox could not be made: something new") == ""
