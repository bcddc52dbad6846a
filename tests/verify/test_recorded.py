"""Case ids that hold something secret compare with what was recorded of them."""

from pathlib import Path

from bot.core.check import CaseResult, CheckResult, Rung, Verdict
from bot.core.event import Baselined
from bot.core.redact import Redactor
from bot.verify.compare import compare
from bot.verify.recorded import recorded
from tests.conftest import Repo
from tests.product import FINISH, agent, calls, checkpoint, edit, script

URLS = ("http://ada:one@example.invalid", "http://bob:two@example.invalid")


def result(*ids: str) -> CheckResult:
    cases = tuple(CaseResult(id=f"t.py::test[{name}]", outcome="passed") for name in ids)
    return CheckResult(check="pytest", rung=Rung.UNIT, status="passed", cases=cases)


def test_ids_that_become_equal_stay_cases_of_their_own() -> None:
    names = [case.id for case in recorded(result(*URLS, "plain"), Redactor(())).cases]
    assert len(set(names)) == 3
    assert not any("one" in name or "two" in name for name in names[:2])
    assert names[2] == "t.py::test[plain]"


def test_a_result_without_secrets_is_the_same_object() -> None:
    plain = result("plain")
    assert recorded(plain, Redactor(("hunter2hunter2",))) is plain


def test_a_recorded_verdict_compares_clean_with_the_next_one() -> None:
    redactor = Redactor(())
    first = Verdict(tree="t", results=(recorded(result(*URLS), redactor),))
    kept = redactor.event(Baselined(verdict=first))
    assert isinstance(kept, Baselined)
    comparison = compare(kept.verdict, [recorded(result(*URLS), redactor)])
    assert (comparison.removed, comparison.new) == ((), ())


def test_a_project_whose_test_ids_hold_credentials_can_be_mended(repo: Repo, tmp_path: Path) -> None:
    repo.commit(
        {
            "test_urls.py": (
                "import pytest\n\n\n"
                f"@pytest.mark.parametrize('url', {list(URLS)!r})\n"
                "def test_url(url):\n    assert url.startswith('http')\n"
            )
        },
        "urls",
    )
    ran = agent(
        repo,
        "fix",
        "x",
        "--json",
        "--model",
        script(tmp_path / "s", calls(edit("a - b", "a + b"), checkpoint()), calls(FINISH)),
    )
    assert ran.code == 0, ran.err
    assert "ada:one" not in ran.out
