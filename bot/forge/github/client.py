"""GitHub as we use it: all that is asked, all that is changed, and nothing of it twice."""

import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypeAlias, TypeVar
from urllib.parse import quote

from pydantic import JsonValue, TypeAdapter

from bot.core.hub import Annotation, CheckRun, Comment, PullRequest, Reaction
from bot.errors import ForgeError, ForgeNotFound, ForgeRejected
from bot.forge.github.checks import CheckShape, ChecksShape
from bot.forge.github.faults import find_words
from bot.forge.github.limits import ANNOTATIONS
from bot.forge.github.line import origin_of
from bot.forge.github.reading import COMMENT, PULL, Reader
from bot.forge.github.shapes import GraphShape
from bot.forge.github.wire import Body, fit

T = TypeVar("T")
Place: TypeAlias = Literal["issue", "comment", "review_comment"]

CHECK = TypeAdapter(CheckShape)
CHECKS = TypeAdapter(ChecksShape)
GRAPH = TypeAdapter(GraphShape)
ANYTHING: TypeAdapter[JsonValue] = TypeAdapter(JsonValue)

PLACES: Mapping[Place, str] = {
    "issue": "/issues/{}/reactions",
    "comment": "/issues/comments/{}/reactions",
    "review_comment": "/pulls/comments/{}/reactions",
}
CHANGE_DRAFT = "mutation($id: ID!) {{ {0}(input: {{pullRequestId: $id}}) {{ pullRequest {{ isDraft }} }} }}"


class GitHub(Reader):
    """One repository as a token sees and changes it."""

    def create_comment(self, number: int, body: str) -> Comment:
        """Comment on an issue or a pull request. Raises ForgeError."""
        started = self._wire.clock.now()
        return self._wire.write(
            lambda: self._comment("POST", f"/issues/{number:d}/comments", body),
            lambda: _find(self.comments(number, since=started), body, started),
        )

    def edit_comment(self, comment: int, body: str) -> Comment:
        """Replace the text of a comment on an issue or a pull request. Raises ForgeError."""
        path = f"/issues/comments/{comment:d}"
        return self._wire.write(
            lambda: self._comment("PATCH", path, body),
            lambda: _find((self._wire.read(COMMENT, path).comment(),), body),
        )

    def reply_to_review(self, number: int, comment: int, body: str) -> Comment:
        """Answer a remark on the lines of a pull request. Raises ForgeError."""
        started = self._wire.clock.now()
        return self._wire.write(
            lambda: self._comment("POST", f"/pulls/{number:d}/comments/{comment:d}/replies", body),
            lambda: _find(self.review_comments(number, since=started), body, started),
        )

    def _comment(self, verb: str, path: str, body: str) -> Comment:
        return fit(COMMENT, self._wire.send(verb, path, {"body": body})).comment()

    def react(self, place: Place, number: int, kind: Reaction) -> bool:
        """React to an issue (by its number) or a comment (by its id); False where that cannot be had."""
        path = PLACES[place].format(int(number))
        return self._try("react", lambda: fit(ANYTHING, self._wire.send("POST", path, {"content": kind}))) is not None

    def create_pull(self, title: str, body: str, head: str, base: str, *, draft: bool = False) -> PullRequest:
        """Open a pull request of a branch, or return the one that is open; ready where there are no drafts.

        Raises ForgeError.
        """
        found = self._open_pull(head, base)
        if found is not None:
            return found
        asked: Body = {"title": title, "body": body, "head": head, "base": base, "draft": draft}
        try:
            return self._wire.write(lambda: self._pull("POST", "/pulls", asked), lambda: self._open_pull(head, base))
        except ForgeRejected as fault:
            if fault.reason == "draft" and draft:
                self._wire.log("the repository has no drafts: the pull request is opened as ready")
                return self.create_pull(title, body, head, base)
            found = self._open_pull(head, base) if fault.reason == "exists" else None
            if found is None:
                raise
            return found

    def _open_pull(self, head: str, base: str) -> PullRequest | None:
        return next(iter(self.pulls(head=head, base=base)), None)

    def edit_pull(
        self,
        number: int,
        *,
        title: str | None = None,
        body: str | None = None,
        state: Literal["open", "closed"] | None = None,
        base: str | None = None,
    ) -> PullRequest:
        """Change of a pull request what is given. Raises ForgeError."""
        given = {"title": title, "body": body, "state": state, "base": base}
        asked: Body = {name: value for name, value in given.items() if value is not None}

        def look() -> PullRequest | None:
            told = self.pull(number)
            stands = {"title": told.title, "body": told.body, "state": _state(told), "base": told.base_ref}
            return told if all(_same(stands[name], str(value)) for name, value in asked.items()) else None

        return self._wire.write(lambda: self._pull("PATCH", f"/pulls/{number:d}", asked), look)

    def _pull(self, verb: str, path: str, asked: Body) -> PullRequest:
        return fit(PULL, self._wire.send(verb, path, asked)).pull()

    def mark_ready(self, pull: PullRequest) -> bool:
        """Say that a draft is ready for review; False where that cannot be had."""
        return self._change_draft(pull, "markPullRequestReadyForReview", draft=False)

    def to_draft(self, pull: PullRequest) -> bool:
        """Make a pull request a draft again; False where that cannot be had."""
        return self._change_draft(pull, "convertPullRequestToDraft", draft=True)

    def _change_draft(self, pull: PullRequest, mutation: str, *, draft: bool) -> bool:
        if not pull.node or origin_of(self.graph) != origin_of(self._wire.api_url):
            return False
        asked: Body = {"query": CHANGE_DRAFT.format(mutation), "variables": {"id": pull.node}}
        answer = self._try(mutation, lambda: self._wire.send("POST", self.graph, asked))
        if answer is not None:
            told = self._try(mutation, lambda: fit(GRAPH, answer))
            if told is not None and told.draft(mutation) is draft:
                return True
            self._wire.log(f"{mutation}: {find_words(answer.body) or 'no answer to go by'}")
        seen = self._try(mutation, lambda: self.pull(pull.number))
        return seen is not None and seen.draft is draft

    def add_labels(self, number: int, labels: Sequence[str]) -> tuple[str, ...]:
        """Put those labels that the repository has on an issue or a pull request; return them, none on failure."""
        known = tuple(name for name in labels if self._try("label", lambda name=name: self._knows(name)))  # type: ignore[misc]
        if not known:
            return ()
        path = f"/issues/{number:d}/labels"

        def look() -> bool | None:
            return set(known) <= set(self.issue(number).labels) or None

        def put() -> bool:
            return fit(ANYTHING, self._wire.send("POST", path, {"labels": list(known)})) is not None

        return known if self._try("label", lambda: self._wire.write(put, look)) else ()

    def _knows(self, label: str) -> bool:
        # GitHub makes a label that it is given and does not have; such a name leads to another address
        if not label.strip("."):
            return False
        try:
            self._wire.get(f"/labels/{quote(label, safe='')}")
        except ForgeNotFound:
            return False
        return True

    def create_check(self, check: CheckRun) -> str:
        """Put a finished check on a commit; return its address. Raises ForgeError."""
        mark = uuid.uuid4().hex
        batches = [check.annotations[at : at + ANNOTATIONS] for at in range(0, len(check.annotations), ANNOTATIONS)]
        first: Body = {
            "name": check.name,
            "head_sha": check.sha,
            "external_id": mark,
            "status": "completed",
            "conclusion": check.conclusion,
            "output": _output(check, batches[0] if batches else ()),
            **({"details_url": check.url} if check.url else {}),
        }
        made = self._wire.write(
            lambda: fit(CHECK, self._wire.send("POST", "/check-runs", first)), lambda: self._find_check(check, mark)
        )
        for index, batch in enumerate(batches[1:], start=1):
            self._annotate(made.id, check, batch, before=index * ANNOTATIONS)
        return made.html_url or ""

    def _find_check(self, check: CheckRun, mark: str) -> CheckShape | None:
        path = f"/commits/{quote(check.sha)}/check-runs"
        asked = {"check_name": check.name, "filter": "all"}
        for page in self._wire.pages(CHECKS, path, lambda told: len(told.check_runs), asked):
            for found in page.check_runs:
                if found.external_id == mark:
                    return found
        return None

    def _annotate(self, id_: int, check: CheckRun, batch: Sequence[Annotation], before: int) -> None:
        path = f"/check-runs/{id_:d}"

        def look() -> CheckShape | None:
            told = self._wire.read(CHECK, path)
            return told if told.output.annotations_count > before else None

        self._wire.write(lambda: fit(CHECK, self._wire.send("PATCH", path, {"output": _output(check, batch)})), look)

    def _try(self, what: str, act: Callable[[], T]) -> T | None:
        try:
            return act()
        except ForgeError as fault:
            self._wire.log(f"{what}: {fault.message}")
            return None


def _output(check: CheckRun, batch: Sequence[Annotation]) -> dict[str, JsonValue]:
    told: dict[str, JsonValue] = {"title": check.title, "summary": check.summary}
    if check.text:
        told["text"] = check.text
    if batch:
        told["annotations"] = [_annotation(each) for each in batch]
    return told


def _annotation(told: Annotation) -> dict[str, JsonValue]:
    return {
        "path": told.path,
        "start_line": told.start,
        "end_line": told.end,
        "annotation_level": told.level,
        "message": told.message,
        **({"title": told.title} if told.title else {}),
    }


def _find(comments: Sequence[Comment], body: str, since: float = 0.0) -> Comment | None:
    """Find the comment that we may have written, by its text."""
    return next((told for told in comments if told.created >= since and _same(told.body, body)), None)


def _same(stored: str, sent: str) -> bool:
    return stored.replace("\r\n", "\n").strip() == sent.replace("\r\n", "\n").strip()


def _state(pull: PullRequest) -> str:
    return "open" if pull.open else "closed"
