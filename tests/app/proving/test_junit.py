"""JUnit XML as its strictest well-known readers want it: the order, the attributes and the counts of Ant's schema."""

import re
import xml.etree.ElementTree as ET
from datetime import UTC, datetime

from hypothesis import example, given
from hypothesis import strategies as st

from bot.app.proving.export import make_clean
from bot.app.proving.junit import write_junit
from bot.app.proving.values import Judged
from bot.core.check import CaseResult, Verdict
from tests.app.proving.judged import COMMITS, judged

SUITE = {"name", "package", "id", "timestamp", "hostname", "tests", "failures", "errors", "skipped", "time"}
NUMBER = re.compile(r"\d+(\.\d+)?")


def written(proof: Judged) -> ET.Element:
    return ET.fromstring(write_junit(proof, datetime(2024, 1, 1, tzinfo=UTC), make_clean(("hunter2hunter2",))))


def check(root: ET.Element) -> None:
    """Hold a document against the schema."""
    assert root.tag == "testsuites"
    assert not root.attrib
    assert [suite.tag for suite in root] == ["testsuite"] * len(root)
    for number, suite in enumerate(root):
        assert set(suite.attrib) == SUITE
        assert suite.get("id") == str(number)
        assert suite.get("name", "").strip()
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", suite.get("timestamp", ""))
        tags = [child.tag for child in suite]
        assert tags == ["properties", *["testcase"] * (len(tags) - 3), "system-out", "system-err"]
        cases = suite.findall("testcase")
        counted = [
            str(len(cases)),
            *(str(len(suite.findall(f"testcase/{tag}"))) for tag in ("failure", "error", "skipped")),
        ]
        assert [suite.get(name) for name in ("tests", "failures", "errors", "skipped")] == counted
        for case in cases:
            check_case(case)


def check_case(case: ET.Element) -> None:
    assert set(case.attrib) == {"name", "classname", "time"}
    assert all(value == " ".join(value.split()) and value for value in case.attrib.values())
    assert NUMBER.fullmatch(case.get("time", ""))
    assert len(case) <= 1
    for told in case:
        assert told.tag in ("failure", "error", "skipped")
        assert set(told.attrib) == ({"message"} if told.tag == "skipped" else {"message", "type"})


def test_every_kind_of_proof_fits_the_schema() -> None:
    root = written(judged(*COMMITS, checks=7))
    check(root)
    names = [suite.get("name") for suite in root]
    assert names[:2] == ["1111111111 ruff", "1111111111 unit"]
    assert names[-1] == "git agent"


def test_cases_are_told_as_they_ended() -> None:
    root = written(judged("bad"))
    cases = {case.get("name"): case for case in root.findall("testsuite[@name='5555555555 unit']/testcase")}
    zero = cases["test_zero"].find("failure")
    assert zero is not None
    assert (zero.get("message"), zero.text) == ("assert 1 == 0", "t.py:9: assert 1 == 0\n> x")
    old = cases["test_old"].find("failure")
    assert old is not None
    assert old.get("message", "").startswith("fails as before: ")
    inner = cases["test_x[a::b]"]
    assert inner.get("classname") == "tests.t.Class"
    error = inner.find("error")
    assert error is not None
    assert error.get("type") == "ValueError"
    assert [len(cases[name]) for name in ("test_fine", "test_skip")] == [0, 1]


def test_what_is_wrong_with_the_commits_is_a_failure_too() -> None:
    told = {
        (case.get("classname"), failure.get("type"))
        for case in written(judged(*COMMITS)).findall("testsuite[@name='git agent']/testcase")
        for failure in case.findall("failure")
    }
    assert told == {
        ("commit 2222222222", "weakened"),
        ("commit 3333333333", "stale"),
        ("commit 5555555555", "worse"),
        ("commit 5555555555", "uncommitted"),
    }


def test_secrets_and_what_xml_cannot_hold_are_gone() -> None:
    proof = judged("bad", checks=7)
    text = write_junit(proof, datetime(2024, 1, 1, tzinfo=UTC), make_clean(("hunter2hunter2",))).decode()
    assert "ghp_a1B2" not in text
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]", text)


@given(st.text(max_size=40), st.text(max_size=80))
@example(name="", message="\x9b")
def test_any_text_gives_a_document_that_can_be_read(name: str, message: str) -> None:
    proof = judged("bad")
    case = CaseResult(id=name, outcome="failed", message=f"{message} hunter2hunter2")
    result = proof.verdicts[0].results[-1].model_copy(update={"cases": (case,)})
    root = written(Judged(proof.proved, proof.base, (Verdict(tree="f" * 40, results=(result,)),), proof.files))
    check(root)
    assert "hunter2" not in ET.tostring(root).decode()
