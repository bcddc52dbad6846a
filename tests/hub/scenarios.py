"""What our client does with GitHub, against any implementation of it."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

import pytest

from bot.core.hub import Annotation, CheckRun
from bot.errors import ForgeDenied, ForgeNotFound, ForgeRejected
from bot.forge.github.client import GitHub
from tests.hub.stage import HURRY, Stage

Scenario: TypeAlias = Callable[[Stage], None]


def tells_who_may_what(stage: Stage) -> None:
    github = stage.github
    assert github.permission("ann") == "admin"
    assert github.permission("eve") == "none"
    assert github.permission("nobody-has-this-name") == "none"
    assert github.repository().full_name == "ann/widgets"
    assert github.repository().default_branch == "main"


def tells_that_somebody_may_write(stage: Stage) -> None:
    assert stage.github.permission("bob") == "write"


def writes_one_comment_and_edits_it_in_place(stage: Stage) -> None:
    github, number = stage.github, stage.issue("It is broken", "Please mend it.")
    made = github.create_comment(number, "I look at it.")
    edited = github.edit_comment(made.id, "Done: `a < b` & **c**\n\n| x | y |\n|---|---|")
    assert (edited.id, edited.created) == (made.id, made.created)
    assert edited.updated >= made.updated
    assert [(entry.id, entry.body) for entry in github.comments(number)] == [(made.id, edited.body)]


def tells_of_an_issue(stage: Stage) -> None:
    number = stage.issue("It is broken: äöü 🙂", "Body\nwith lines")
    told = stage.github.issue(number)
    assert (told.title, told.body, told.open, told.pull) == ("It is broken: äöü 🙂", "Body\nwith lines", True, False)
    assert told.author
    assert told.author.login == "ann"


def reads_all_pages_of_comments(stage: Stage) -> None:
    number = stage.issue("A long talk")
    for index in range(102):
        stage.comment(number, f"comment {index}")
    assert [entry.body for entry in stage.github.comments(number)] == [f"comment {index}" for index in range(102)]


def opens_one_pull_request_and_updates_it(stage: Stage) -> None:
    github, head = stage.github, stage.branch()
    made = github.create_pull("Mend it", "Because.", head, "main", draft=True)
    assert (made.draft, made.open, made.head_ref, made.base_ref) == (True, True, head, "main")
    assert made.head_sha == github.branch_tip(head)
    again = github.create_pull("Mend it again", "Because.", head, "main")
    assert again.number == made.number
    edited = github.edit_pull(made.number, title="Mended", body="With proof.")
    assert (edited.title, edited.body) == ("Mended", "With proof.")
    assert [entry.number for entry in github.pulls(head=head, base="main")] == [made.number]
    assert github.pulls(head="main") == ()
    assert not github.edit_pull(made.number, state="closed").open
    assert github.pulls(head=head) == ()


def tells_of_a_pull_request_as_an_issue(stage: Stage) -> None:
    made = stage.github.create_pull("Mend it", "", stage.branch(), "main")
    assert stage.github.issue(made.number).pull


def puts_on_labels_that_exist(stage: Stage) -> None:
    github, number = stage.github, stage.issue("It is broken")
    stage.label("git-agent")
    assert github.add_labels(number, ["git-agent", "made up"]) == ("git-agent",)
    assert github.issue(number).labels == ("git-agent",)


def writes_a_check_with_many_remarks(stage: Stage) -> None:
    github = stage.github
    remarks = tuple(Annotation(path="calc.py", start=at, end=at, message=f"line {at}") for at in range(1, 61))
    sha = github.branch_tip("main")
    check = CheckRun(name="git agent", sha=sha, conclusion="neutral", title="60", summary="…", annotations=remarks)
    assert github.create_check(check)


def knows_where_branches_stand(stage: Stage) -> None:
    github, head = stage.github, stage.branch()
    assert github.branch_tip("no/such/branch") == ""
    assert github.compare("main", head) == "ahead"
    assert github.compare(head, "main") == "behind"
    assert github.compare("main", "main") == "identical"
    assert not github.is_protected(head)


def says_what_is_not_there(stage: Stage) -> None:
    for ask in (stage.github.issue, stage.github.pull, stage.github.comments):
        with pytest.raises(ForgeNotFound):
            ask(4_040_404)


def puts_pictures_under_texts(stage: Stage) -> None:
    number = stage.issue("It is broken")
    comment = stage.github.create_comment(number, "Mended")
    assert stage.github.react("issue", number, "eyes")
    assert stage.github.react("comment", comment.id, "rocket")


def takes_a_pull_request_out_of_draft_and_back(stage: Stage) -> None:
    made = stage.github.create_pull("Mend it", "", stage.branch(), "main", draft=True)
    assert stage.github.mark_ready(made)
    assert stage.github.to_draft(made)


def is_refused_with_an_unknown_token(stage: Stage) -> None:
    stranger = GitHub(stage.github._wire.api_url, "unknown", "ann/widgets", patience=HURRY)
    with pytest.raises(ForgeDenied) as refused:
        stranger.repository()
    assert refused.value.cause == "token"


def is_refused_a_text_that_is_too_long(stage: Stage) -> None:
    with pytest.raises(ForgeRejected):
        stage.github.create_comment(stage.issue("It is broken"), "x" * 65_537)


def is_refused_a_branch_that_is_not_there(stage: Stage) -> None:
    with pytest.raises(ForgeRejected):
        stage.github.create_pull("Mend it", "", "agent/nothing", "main")


def is_refused_a_branch_without_commits(stage: Stage) -> None:
    with pytest.raises(ForgeRejected):
        stage.github.create_pull("Mend it", "", "main", "main")


def knows_when_a_branch_moved(stage: Stage) -> None:
    assert stage.github.pushed_at(stage.branch())


SCENARIOS: tuple[Scenario, ...] = (
    tells_who_may_what,
    tells_that_somebody_may_write,
    writes_one_comment_and_edits_it_in_place,
    tells_of_an_issue,
    reads_all_pages_of_comments,
    opens_one_pull_request_and_updates_it,
    tells_of_a_pull_request_as_an_issue,
    puts_on_labels_that_exist,
    writes_a_check_with_many_remarks,
    knows_where_branches_stand,
    says_what_is_not_there,
    puts_pictures_under_texts,
    takes_a_pull_request_out_of_draft_and_back,
    is_refused_with_an_unknown_token,
    is_refused_a_text_that_is_too_long,
    is_refused_a_branch_that_is_not_there,
    is_refused_a_branch_without_commits,
    knows_when_a_branch_moved,
)
NOT_IN_EMULATE: Mapping[Scenario, str] = {
    tells_that_somebody_may_write: "calls `push` what GitHub calls `write`",
    tells_of_a_pull_request_as_an_issue: "has pull requests that are no issues",
    puts_pictures_under_texts: "has no reactions",
    takes_a_pull_request_out_of_draft_and_back: "has no graph interface",
    is_refused_with_an_unknown_token: "takes any token for its first account",
    is_refused_a_text_that_is_too_long: "has no limit on texts",
    is_refused_a_branch_that_is_not_there: "opens pull requests of branches that it has not",
    knows_when_a_branch_moved: "has no activity of branches",
}
"""These fail there, which is checked: one that begins to pass is taken off. Beside them it has no runs of workflows
that can be put in, no logs, no git over HTTP, no limits on requests, no faults on demand and no forks of others."""
