"""The demonstration project has the faults that it is shown with, and no others."""

import json
import os
import re
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest

from bot.samples.project import Revision, revisions
from tests.conftest import Repo, make_repo

HISTORY = revisions()
FAULTY = ("Order whole cases only", "Report the items that move most")


def build(path: Path, history: tuple[Revision, ...] = HISTORY) -> Repo:
    made = make_repo(path)
    for revision in history:
        for name, content in revision.files:
            if content is None:
                (made.path / name).unlink()
            else:
                made.write({name: content})
        made.git("add", "--all")
        made.git("commit", "-q", f"--author={revision.author}", f"--date={revision.date}", "-m", revision.message)
    return made


def run(repo: Repo, *command: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    argv = (sys.executable, "-m", *command)
    return subprocess.run(argv, cwd=repo.path, env=environment, capture_output=True, text=True, check=False)


def lint(repo: Repo) -> set[str]:
    found = json.loads(run(repo, "ruff", "check", "--no-cache", "--output-format", "json", ".").stdout)
    return {f"{Path(finding['filename']).relative_to(repo.path)} {finding['code']}" for finding in found}


def types(repo: Repo) -> set[str]:
    shared = repo.path.parent.parent / "mypy"  # so that the standard library is read once for all the tests
    done = run(repo, "mypy", "--cache-dir", str(shared), "--output", "json")
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return {f"{finding['file']} {finding['code']}" for finding in found if finding["severity"] == "error"}


def failing(repo: Repo) -> set[str]:
    done = run(repo, "pytest", "-q", "-p", "no:cacheprovider", "-o", "addopts=")
    assert re.search(r"\d+ passed", done.stdout), done.stdout
    return set(re.findall(r"^FAILED (\S+)", done.stdout, re.MULTILINE))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    return build(tmp_path_factory.mktemp("samples") / "stockroom")


def test_history_is_told_by_people_over_time() -> None:
    dates = [datetime.fromisoformat(revision.date) for revision in HISTORY]
    assert dates == sorted(dates)
    assert all(date.tzinfo for date in dates)
    assert len({revision.author for revision in HISTORY}) == 2
    assert all(re.fullmatch(r"\w+ \w+ <\w+@example\.invalid>", revision.author) for revision in HISTORY)


def test_faults_come_with_the_last_commits_only() -> None:
    subjects = tuple(revision.message.partition("\n")[0] for revision in HISTORY)
    assert subjects[-2:] == FAULTY
    assert all(len(subject) <= 72 for subject in subjects)


def test_no_file_keeps_the_suffix_that_hides_it_from_our_own_tools() -> None:
    names = {name for revision in HISTORY for name, _ in revision.files}
    assert {"pyproject.toml", ".gitignore", "stockroom/orders.py", "tests/test_orders.py"} <= names
    assert not [name for name in names if name.endswith(".txt")]


def test_project_is_clean_before_the_faulty_commits(tmp_path: Path) -> None:
    repo = build(tmp_path / "before", HISTORY[:-2])
    assert (lint(repo), types(repo), failing(repo)) == (set(), set(), set())


def test_linter_finds_three_faults(project: Repo) -> None:
    assert lint(project) == {"stockroom/report.py F401", "stockroom/report.py F821", "stockroom/report.py I001"}


def test_type_checker_finds_two_faults(project: Repo) -> None:
    assert types(project) == {"stockroom/report.py assignment", "stockroom/report.py name-defined"}


def test_two_tests_fail_for_one_reason(project: Repo) -> None:
    assert failing(project) == {
        "tests/test_cli.py::test_reorder_list_has_sku_units_and_cost",
        "tests/test_orders.py::test_item_at_its_reorder_point_is_ordered",
    }


def test_obvious_mends_make_everything_green(tmp_path: Path) -> None:
    repo = build(tmp_path / "mended")
    mends = {
        "stockroom/orders.py": (("level < item.reorder_point", "level <= item.reorder_point"),),
        "stockroom/report.py": (("earlist:", "earliest:"), ("limit: int = None", "limit: int | None = None")),
    }
    for name, pairs in mends.items():
        text = (repo.path / name).read_text()
        for old, new in pairs:
            assert text.count(old) == 1
            text = text.replace(old, new)
        repo.write({name: text})
    run(repo, "ruff", "check", "--no-cache", "--fix", "--quiet", ".")
    assert run(repo, "ruff", "format", "--no-cache", "--check", ".").returncode == 0
    assert (lint(repo), types(repo), failing(repo)) == (set(), set(), set())
