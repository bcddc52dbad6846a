"""GitHub's payloads about CI runs and check runs, as far as we go by them."""

from collections.abc import Mapping
from typing import Literal

from bot.core.hub import Annotation, Job, JobStep
from bot.forge.github.shapes import Shape

LEVELS: Mapping[str, Literal["notice", "warning", "failure"]] = {
    "notice": "notice",
    "warning": "warning",
    "failure": "failure",
}


class StepShape(Shape):
    """A step of a job."""

    number: int
    name: str
    conclusion: str | None = None


class JobShape(Shape):
    """A job of a CI run."""

    id: int
    name: str
    conclusion: str | None = None
    steps: tuple[StepShape, ...] | None = None
    html_url: str | None = None
    check_run_url: str | None = None

    def job(self) -> Job:
        """Return it in our words."""
        steps = (JobStep(number=s.number, name=s.name, conclusion=s.conclusion or "") for s in self.steps or ())
        check = (self.check_run_url or "").rpartition("/")[2]
        return Job(
            id=self.id,
            name=self.name,
            conclusion=self.conclusion or "",
            steps=tuple(steps),
            url=self.html_url or "",
            check=int(check) if check.isascii() and check.isdecimal() and len(check) < 19 else 0,  # noqa: PLR2004 - what fits into 64 bits
        )


class JobsShape(Shape):
    """A page of jobs."""

    total_count: int
    jobs: tuple[JobShape, ...]


class AnnotationShape(Shape):
    """A remark on lines of a file."""

    path: str
    start_line: int
    end_line: int
    annotation_level: str | None = None
    title: str | None = None
    message: str | None = None

    def annotation(self) -> Annotation:
        """Return it in our words."""
        return Annotation(
            path=self.path,
            start=self.start_line,
            end=self.end_line,
            level=LEVELS.get(self.annotation_level or "", "notice"),
            title=self.title or "",
            message=self.message or "",
        )


class OutputShape(Shape):
    """What a check run says."""

    annotations_count: int = 0


class CheckShape(Shape):
    """A check run."""

    id: int
    external_id: str | None = None
    html_url: str | None = None
    output: OutputShape


class ChecksShape(Shape):
    """A page of check runs."""

    total_count: int
    check_runs: tuple[CheckShape, ...]
