"""The build does what it says, on a bare machine too."""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted(ROOT.glob(".github/workflows/*.yml"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_pinned_by_hash_with_their_version_beside(path: Path) -> None:
    used = re.findall(r"uses: (.+)", path.read_text())
    assert used
    pinned = re.compile(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+|\./action")
    assert [use for use in used if not pinned.fullmatch(use)] == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_hold_no_more_rights_than_they_need(path: Path) -> None:
    text = path.read_text()
    assert re.search(r"^permissions: \{\}$", text, re.MULTILINE)
    assert text.count("actions/checkout@") == text.count("persist-credentials: false")


def test_ci_runs_what_a_person_runs() -> None:
    steps = re.findall(r"^ +(?:- )?run: (.+)", (ROOT / ".github/workflows/ci.yml").read_text(), re.MULTILINE)
    assert steps == ["scripts/action/isolation", "make check", "make test"]
    lines = (ROOT / ".ci/run").read_text().splitlines()
    assert [line for line in lines if line.startswith("make ")] == ["make check", "make test"]
    assert lines[-1] == "make test"


@pytest.mark.parametrize("name", [".ci/run", "scripts/git-agent"])
def test_scripts_can_be_executed(name: str) -> None:
    assert os.access(ROOT / name, os.X_OK)


def test_makefile_says_what_is_missing_without_a_python(tmp_path: Path) -> None:
    for name in ("make", "sh", "sed"):
        found = subprocess.run(
            ["sh", "-c", f"command -v {name}"], capture_output=True, text=True, check=False
        ).stdout.strip()
        if not found:
            pytest.skip(f"there is no {name} here")
        (tmp_path / name).symlink_to(found)
    for name in ("Makefile", "pyproject.toml", "scripts/git-agent", "man/git-agent.1"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    done = subprocess.run(
        [str(tmp_path / "make"), "-C", str(tmp_path), "setup"],
        env={"PATH": str(tmp_path), "HOME": str(tmp_path), "LC_ALL": "C"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "no Python 3.11 or newer" in done.stderr


def test_script_stops_at_the_first_failure(tmp_path: Path) -> None:
    (tmp_path / ".ci").mkdir()
    (tmp_path / ".ci/run").write_bytes((ROOT / ".ci/run").read_bytes())
    (tmp_path / "Makefile").write_text("check:\n\t@echo checked; exit 1\ntest:\n\t@echo tested\n")
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("git", "bwrap"):  # present, so that nothing is installed by a test
        (tools / name).write_text("#!/bin/sh\n")
        (tools / name).chmod(0o755)
    done = subprocess.run(
        ["bash", str(tmp_path / ".ci/run")],
        env={**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "checked" in done.stdout
    assert "tested" not in done.stdout
