"""SARIF 2.1.0: what the schema asks for, and what the readers of it need beyond that."""

import json
import re
from typing import Any
from urllib.parse import unquote

from bot.app.proving.export import make_clean
from bot.app.proving.sarif import write_sarif
from bot.app.proving.values import Judged
from tests.app.proving.judged import COMMITS, judged

TOP = {"$schema", "version", "runs"}
RUN = {"tool", "automationDetails", "invocations", "originalUriBaseIds", "columnKind", "results"}
RESULT = {"ruleId", "ruleIndex", "level", "baselineState", "message", "locations", "partialFingerprints"}


def written(proof: Judged) -> Any:
    document = json.loads(write_sarif(proof, make_clean(())))
    check(document)
    return document["runs"][0]["results"]


def check(document: Any) -> None:
    """Hold a document against what the schema requires of the parts that are used."""
    assert set(document) == TOP
    assert document["version"] == "2.1.0"
    (run,) = document["runs"]
    assert set(run) == RUN
    driver = run["tool"]["driver"]
    assert set(driver) == {"name", "semanticVersion", "rules"}
    assert re.fullmatch(r"\d+\.\d+\.\d+.*", driver["semanticVersion"])
    ids = [rule["id"] for rule in driver["rules"]]
    assert len(set(ids)) == len(ids)
    assert all(set(rule) == {"id", "shortDescription"} and rule["shortDescription"]["text"] for rule in driver["rules"])
    assert run["invocations"] == [{"executionSuccessful": True}]
    for result in run["results"]:
        assert set(result) - {"properties"} == RESULT
        assert ids[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in ("none", "note", "warning", "error")
        assert result["baselineState"] in ("new", "unchanged", "updated", "absent")
        assert result["message"]["text"].strip()
        assert all(re.fullmatch(r"[0-9a-f]{32}", mark) for mark in result["partialFingerprints"].values())
        check_place(result["locations"], run["originalUriBaseIds"])


def check_place(locations: Any, bases: Any) -> None:
    (location,) = locations
    place = location["physicalLocation"]
    artifact = place["artifactLocation"]
    assert set(place) <= {"artifactLocation", "region"}
    assert artifact["uriBaseId"] in bases
    assert re.fullmatch(r"(?!/)(?!\w+:)[A-Za-z0-9._~/%-]+", artifact["uri"])
    if "region" in place:
        assert place["region"]["startLine"] >= 1


def test_every_kind_of_proof_fits_the_schema() -> None:
    for names in (("good",), tuple(COMMITS), tuple(COMMITS)[::-1]):
        written(judged(*names, checks=7))


def test_findings_stand_at_their_lines_and_count_only_when_they_are_new() -> None:
    results = {result["ruleId"]: result for result in written(judged("bad")) if not result["ruleId"].startswith("unit")}
    finding = results["ruff/F401"]
    place = finding["locations"][0]["physicalLocation"]
    assert unquote(place["artifactLocation"]["uri"]) == "src/a b.py"
    assert place["region"] == {"startLine": 2}
    assert finding["message"]["text"] == "`os` imported but unused"
    tests = [(r["level"], r["baselineState"]) for r in written(judged("bad")) if r["ruleId"] == "unit/failed"]
    assert tests == [("error", "new"), ("note", "unchanged"), ("error", "new")]


def test_doubts_stand_at_the_files_that_they_are_about() -> None:
    results = [r for r in written(judged("weak", "good")) if r["ruleId"] == "git-agent/weakened-evidence"]
    assert len(results) == 25
    assert {r["level"] for r in results} == {"warning"}
    assert {r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in results} == {"t.py"}
    assert {r["properties"]["commit"] for r in results} == {COMMITS["weak"].commit}


def test_finding_is_known_again_when_its_line_and_its_commit_have_moved() -> None:
    def marks(proof: Judged) -> set[str]:
        return {r["partialFingerprints"]["gitAgentFinding/v1"] for r in written(proof)}

    first, proof = judged("bad"), judged("bad")
    moved = tuple(
        result.model_copy(update={"cases": tuple(case.model_copy(update={"line": 77}) for case in result.cases)})
        for result in proof.verdicts[0].results
    )
    commit = proof.proved.commits[0].model_copy(update={"commit": "9" * 40})
    again = Judged(
        proof.proved.model_copy(update={"commits": (commit,)}),
        proof.base,
        (proof.verdicts[0].model_copy(update={"results": moved}),),
        proof.files,
    )
    assert marks(first) == marks(again)


def test_secrets_are_gone() -> None:
    assert b"ghp_a1B2" not in write_sarif(judged(*COMMITS, checks=7), make_clean(()))
