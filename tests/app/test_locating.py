"""What a run is told of where to look, from a repository as it is."""

import pytest

from bot.app.locating import Locator, make_locator
from bot.core.check import CaseResult, CheckResult, Rung, Verdict
from bot.git.contents import GitContents
from bot.git.past import read_past
from bot.git.repository import open_repository
from bot.git.results import tag_shelf
from bot.tools.mapping.gathering import Gatherer
from tests.conftest import Repo, executor, make_repo

GREEN = Verdict(tree="")
TESTS = """import pytest
from shop import Quota


@pytest.mark.parametrize("left", [1, 2])
def test_it_is_used_up(left):
    quota = Quota(left)
    assert quota.take(seconds=3) is None
"""
FILES = {
    "shop/__init__.py": "from shop.quotas import Quota\nfrom shop.mail import send\n",
    "shop/quotas.py": "class Quota:\n    def __init__(self, left):\n        self.left = left\n\n"
    "    def take(self, seconds):\n        self.left -= 1\n",
    "shop/mail.py": "def send(mail):\n    '''Send a mail, with retries.'''\n",
    "shop/limit.py": "def limit(value):\n    return value\n",
    "web/view.ts": "export class View {\n  renderQuota() {}\n}\n",
    "tests/test_shop.py": TESTS,
    "odd\nname.py": "def quota_of_an_odd_name(): ...\n",
    ".env": "QUOTA=1\n",
    "README.md": "The shop.\n",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    made = make_repo(tmp_path_factory.mktemp("locating") / "p")
    made.commit(FILES, "begin")
    made.commit({"shop/limit.py": "def limit(value):\n    return max(0, value)\n"}, "Stop avalanches of customers")
    return made


@pytest.fixture(scope="module")
def locator(project: Repo) -> Locator:
    repository = open_repository(project.path)
    contents = GitContents(repository)
    files = contents.files(repository.head)
    found = Gatherer(contents, tag_shelf(repository), executor()).gather(files)
    return make_locator(contents, files, found, read_past(repository, repository.head))


def test_a_task_leads_to_definitions_in_any_language(locator: Locator) -> None:
    assert locator.locate("Quota.take() takes none", GREEN)[0] == "shop/quotas.py:5 Quota.take — named in the task"
    assert locator.locate("mails are sent without a retry", GREEN)[0].startswith("shop/mail.py:1 send — its words:")
    assert locator.locate("the view does not render it", GREEN)[0].startswith("web/view.ts:2 View.renderQuota")
    assert locator.locate("see README.md", GREEN)[0] == "README.md — named in the task"


def test_what_was_said_of_earlier_changes_leads_to_files(locator: Locator) -> None:
    assert locator.locate("an avalanche comes, and customers", GREEN)[0].startswith("shop/limit.py")


def test_nothing_is_told_of_nothing_and_of_no_secret(locator: Locator) -> None:
    assert locator.locate("", GREEN) == ()
    assert locator.locate("the of and", GREEN) == ()
    assert not any(".env" in hint for hint in locator.locate(".env: QUOTA is wrong, see /etc/passwd, ../x.py", GREEN))
    assert all("\n" not in hint and hint.isprintable() for hint in locator.locate("quota of an odd name", GREEN))


def test_failing_tests_lead_to_what_they_import_through_packages(locator: Locator) -> None:
    cases = [
        CaseResult(
            id=f"tests/test_shop.py::test_it_is_used_up[{number}]", outcome="failed", path="tests/test_shop.py", line=8
        )
        for number in (1, 2)
    ]
    result = CheckResult(check="pytest", rung=Rung.UNIT, status="failed", cases=tuple(cases))
    told = locator.locate("", Verdict(tree="", results=(result,)))
    assert told[0].startswith("shop/quotas.py:5 Quota.take — imported by failing tests")
    assert not any(hint.startswith("tests/") for hint in told)
    (known,) = locator.read_tests(Verdict(tree="", results=(result,))).imports.values()
    assert "shop/quotas.py" in known
    assert "shop/mail.py" not in known


def test_the_past_is_of_files_as_the_tree_names_them_and_done_without_where_it_is_not_here(project: Repo) -> None:
    repository = open_repository(project.path)
    told = read_past(repository, repository.head)
    assert [change.subject for change in told] == ["Stop avalanches of customers", "begin"]
    assert told[0].paths == ("shop/limit.py",)
    assert {*told[1].paths} == {blob.path for blob in GitContents(repository).files(repository.head)}
    assert read_past(repository, "1" * 40) == ()
    project.git("config", "remote.origin.promisor", "true")
    assert read_past(repository, repository.head) == ()
    project.git("config", "--unset", "remote.origin.promisor")
