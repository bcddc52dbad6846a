"""Where a proof is written for other programs."""

import json
import os
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from bot.app.proving.export import Exports
from bot.errors import UsageError
from tests.conftest import Repo
from tests.product import agent


def test_files_are_written_beside_what_a_person_reads(repo: Repo, tmp_path: Path) -> None:
    repo.commit({"calc.py": "def add(a, b):\n    return a - b + 1\n"}, "wrong hunter2-hunter2")
    xml, sarif = tmp_path / "j.xml", tmp_path / "s.sarif"
    secret = {"MY_TOKEN": "hunter2-hunter2"}
    ran = agent(repo, "verify", "HEAD~1..HEAD", "--junit", str(xml), "--sarif", str(sarif), env=secret)
    assert ran.code == 1
    assert "does not hold" in ran.out
    assert b"hunter2" not in xml.read_bytes() + sarif.read_bytes()
    root = ET.parse(xml).getroot()
    assert root.findall(".//testcase[@name='test_zero']/failure")
    results = json.loads(sarif.read_text())["runs"][0]["results"]
    assert {"git-agent/not-proved", "pytest/failed"} <= {result["ruleId"] for result in results}


def test_standard_output_holds_the_document_alone(repo: Repo) -> None:
    repo.commit({"calc.py": "def add(a, b):\n    return a + b\n"}, "right")
    ran = agent(repo, "verify", "HEAD~1..HEAD", "--sarif", "-")
    assert ran.code == 0
    assert json.loads(ran.out)["version"] == "2.1.0"
    assert "✓ proved" in ran.err


@pytest.mark.parametrize(
    ("exports", "as_json"), [(Exports("-", "-"), 0), (Exports("-"), 1), (Exports(sarif="-"), 1), (Exports("-", "-"), 1)]
)
def test_two_documents_do_not_share_standard_output(exports: Exports, as_json: int) -> None:
    with pytest.raises(UsageError, match="only one of"):
        exports.check(as_json=bool(as_json))


def test_file_that_cannot_be_written_is_told_before_anything_runs(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for name in (tmp_path, tmp_path / "absent/x", tmp_path / "file/x"):
        with pytest.raises(UsageError, match="cannot write to"):
            Exports(str(name)).check(as_json=False)
    if os.geteuid() != 0:
        tmp_path.chmod(0o500)
        with pytest.raises(UsageError, match="cannot write to"):
            Exports(str(tmp_path / "x")).check(as_json=False)
        tmp_path.chmod(0o700)
