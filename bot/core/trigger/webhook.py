"""The parts of GitHub's payloads that we go by: all else is ignored, and whatever GitHub leaves out may be missing."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

Number = Annotated[int, Field(strict=True, ge=0, lt=1 << 63)]


def read_moment(value: object) -> float:
    """Read a moment, in text or in seconds since 1970, as seconds since 1970. Raises ValueError."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 40:
        return float(value)
    if not isinstance(value, str):
        raise ValueError("this is no moment")  # noqa: TRY004 - pydantic tells of the one, and lets the other through
    moment = datetime.fromisoformat(value)
    if moment.tzinfo is None:
        raise ValueError("this moment has no time zone")
    return moment.timestamp()


Moment = Annotated[float, BeforeValidator(read_moment)]


class Foreign(BaseModel):
    """Something in a payload; what is null there counts as left out."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    @model_validator(mode="before")
    @classmethod
    def _leave_out_nulls(cls, data: Any) -> Any:
        return {key: value for key, value in data.items() if value is not None} if isinstance(data, dict) else data


class User(Foreign):
    """An account."""

    id: Number = 0
    login: str = ""
    type: str = ""


class Repo(Foreign):
    """A repository; null where a fork is gone."""

    id: Number = 0
    full_name: str = ""
    default_branch: str = ""
    html_url: str = ""


class Label(Foreign):
    """A label."""

    name: str = ""


class Page(Foreign):
    """What issues and pull requests have in common."""

    number: Number = Field(gt=0)
    title: str = ""
    body: str = ""
    user: User | None = None
    state: str = "open"
    html_url: str = ""
    created_at: Moment | None = None
    updated_at: Moment | None = None


class IssuePage(Page):
    """An issue, or the issue side of a pull request."""

    pull_request: Foreign | None = None


class End(Foreign):
    """One of the two sides of a pull request."""

    sha: str = ""
    ref: str = ""
    repo: Repo | None = None


class PullPage(Page):
    """A pull request."""

    head: End = End()
    base: End = End()


class Remark(Foreign):
    """A comment, on a page or on lines of a diff."""

    id: Number = Field(gt=0)
    body: str = ""
    user: User | None = None
    html_url: str = ""
    created_at: Moment | None = None
    updated_at: Moment | None = None
    path: str = ""
    line: Number | None = None
    original_line: Number | None = None
    diff_hunk: str = ""


class ShortPull(Foreign):
    """A pull request as a CI run names it; it may be of another repository."""

    number: Number = Field(gt=0)
    base: End = End()


class Run(Foreign):
    """A run of a workflow."""

    id: Number = Field(gt=0)
    run_attempt: Number = 1
    name: str = ""
    path: str = ""
    conclusion: str = ""
    event: str = ""
    html_url: str = ""
    display_title: str = ""
    head_sha: str = ""
    head_branch: str = ""
    head_repository: Repo | None = None
    pull_requests: tuple[ShortPull, ...] = ()
    actor: User | None = None
    triggering_actor: User | None = None
    run_started_at: Moment | None = None
    created_at: Moment | None = None
    updated_at: Moment | None = None


class Delivery(Foreign):
    """What every payload has."""

    action: str = ""
    repository: Repo = Repo()
    sender: User | None = None


class IssueComment(Delivery):
    """Somebody commented on an issue or on a pull request."""

    issue: IssuePage
    comment: Remark


class Issues(Delivery):
    """Something happened to an issue."""

    issue: IssuePage
    label: Label = Label()


class ReviewComment(Delivery):
    """Somebody commented on lines of a pull request."""

    pull_request: PullPage
    comment: Remark


class WorkflowRun(Delivery):
    """A run of a workflow was asked for, or began, or ended."""

    workflow_run: Run


class Inputs(Foreign):
    """What a person filled in to start the workflow by hand."""

    task: str = ""
    issue: str | Number = ""
    base: str = ""


class Dispatch(Delivery):
    """Somebody started the workflow by hand."""

    inputs: Inputs = Inputs()
    ref: str = ""


class Schedule(Delivery):
    """The clock started the workflow."""
