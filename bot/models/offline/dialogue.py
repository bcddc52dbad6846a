"""What the offline model says and hears: calls and their answers as steps of a script."""

import re
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias, TypeVar

from bot.models.offline.briefing import Briefing, Finding, findings, whole
from bot.models.offline.imports import Import, read_import
from bot.models.offline.patches import reverse
from bot.models.offline.replay import Act, Answer, Turn
from bot.models.offline.source import hunks

T = TypeVar("T")
Talk: TypeAlias = Generator[Turn, Answer, T]

MOST_TURNS = 60
"""Leaves room below the usual limit of a run for a last word."""
MOST_ROLLBACKS = 2
"""One less than ends a run that was not told otherwise."""
PAGE = 400
MOST_LINES = 8_000
MOST_FILES = 24
"""Files read for one idea."""

HEADER = re.compile(r"^(?P<path>.+): lines (?P<first>\d+)-(?P<last>\d+) of (?P<all>\d+)(?:, (?P<traits>.*))?$")
NUMBERED = re.compile(r"^ *(?P<number>\d+)│(?P<text>.*)$", re.DOTALL)
CUT = re.compile(r" … \(\+\d+ characters\)$")
EDITED = re.compile(r"^(?:patched )?.+: \d+ → \d+ lines")
STATUS = re.compile(r": (?P<status>passed|failed|skipped|errored)\b")
PLACE = re.compile(r"^(?P<path>\S.*?):(?P<line>\d+): (?P<text>.*)$")
REF = re.compile(r'read_output\(ref="(?P<ref>o\d+)"')


class Page(NamedTuple):
    """One answer of read_file."""

    lines: tuple[str, ...]
    total: int
    ends: bool
    """Whether the file ends with a newline."""


class Homes(NamedTuple):
    """Where a project gets a name from."""

    imports: tuple[Import, ...] = ()
    """How it is imported, the most usual way first."""
    paths: tuple[str, ...] = ()
    """Files that define it at their top level."""
    members: tuple[str, ...] = ()
    """Files that define it inside something else."""


class Change(NamedTuple):
    """One file before and after."""

    path: str
    old: str
    new: str


class State(NamedTuple):
    """What a check said of the files as they stand."""

    status: str
    findings: tuple[Finding, ...]
    whole: bool
    """Whether all findings were told."""


@dataclass(slots=True)
class Dialogue:
    """A conversation under way."""

    briefing: Briefing
    turns: int = 0
    rollbacks: int = 0
    texts: dict[str, str] = field(default_factory=dict)
    """Files as we know them to stand."""
    sought: dict[str, Homes] = field(default_factory=dict)
    """Where names come from, as the last verified commit has it."""
    digest: str = ""
    """What the checks said of the last verified commit; empty when that is not known."""
    refusal: str = ""
    """Why the last checkpoint was refused."""
    python: tuple[int, int] | None = None
    """The release of the project's interpreter, once it was asked for."""

    @property
    def spent(self) -> bool:
        """Whether it is time for the last word."""
        return self.turns >= MOST_TURNS or self.rollbacks >= MOST_ROLLBACKS

    def can(self, *tools: str) -> bool:
        """Whether these tools are offered."""
        return self.briefing.tools.issuperset(tools)

    def ask(self, *acts: Act, text: str = "") -> Talk[tuple[str, ...]]:
        """Make calls and return their answers."""
        self.turns += 1
        answer = yield Turn(acts, text)
        return answer.results

    def read(self, paths: Iterable[str]) -> Talk[dict[str, str]]:
        """Return the texts of files that can be read whole."""
        wanted = list(dict.fromkeys(paths))[:MOST_FILES]
        missing = [path for path in wanted if path not in self.texts]
        if missing:
            firsts = yield from self.ask(*(_read(path, 1) for path in missing), text=f"Reading {_some(missing)}.")
            pages = {path: [page] for path, answer in zip(missing, firsts, strict=True) if (page := read_page(answer))}
            yield from self._read_on(pages)
            self.texts.update({path: text for path, parts in pages.items() if (text := _whole(parts)) is not None})
        return {path: self.texts[path] for path in wanted if path in self.texts}

    def _read_on(self, pages: dict[str, list[Page]]) -> Talk[None]:
        """Read the rest of files that are longer than one answer."""
        for _ in range(MOST_LINES // PAGE):
            open_ends = [path for path, parts in pages.items() if 0 < _length(parts) < min(MOST_LINES, parts[0].total)]
            if not open_ends:
                return
            starts = [(path, start) for path in open_ends for start in _starts(pages[path])][:MOST_FILES]
            answers = yield from self.ask(*(_read(path, start) for path, start in starts), text="Reading on.")
            for (path, _start), answer in zip(starts, answers, strict=True):
                page = read_page(answer)
                if page is None or _start != _length(pages[path]) + 1:
                    continue
                pages[path].append(page)

    def check(self, name: str, targets: Sequence[str] = ()) -> Talk[State]:
        """Run a check on the files as they stand."""
        (answer,) = yield from self.ask(self.check_act(name, targets), text=f"Running {name}.")
        return (yield from self.heard(name, answer))

    def check_act(self, name: str, targets: Sequence[str] = ()) -> Act:
        """Make the call that runs a check."""
        return Act("run_check", {"name": name, "targets": list(targets)} if targets else {"name": name})

    def heard(self, name: str, answer: str) -> Talk[State]:
        """Read the answer of a check, also where it was too long to be shown at once."""
        told = yield from self.page(answer)
        status = STATUS.search(told.partition("\n")[0])
        return State(status["status"] if status else "errored", findings(told, [name]), whole=whole(told))

    def page(self, answer: str) -> Talk[str]:
        """Return the whole of an answer that was too long to be shown."""
        cut = REF.search(answer)
        if cut is None or not self.can("read_output"):
            return answer
        lines: list[str] = []
        for _ in range(5):
            act = Act("read_output", {"ref": cut["ref"], "start": len(lines) + 1})
            (more,) = yield from self.ask(act, text="Reading on.")
            page = read_page(more)
            if page is None:
                break
            lines += page.lines
            if len(lines) >= page.total:
                break
        return "\n".join(lines) if lines else answer

    def homes(self, name: str) -> Talk[Homes]:
        """Ask how the project gets at a name."""
        if name in self.sought or not self.can("search_text"):
            return self.sought.get(name, Homes())
        pattern = f"(import|def|class).*{name}|^{name} *[=:]"
        arguments: dict[str, str | bool | int] = {"pattern": pattern, "glob": "*.py", "regex": True, "limit": 300}
        (answer,) = yield from self.ask(Act("search_text", {**arguments}), text=f"Looking for `{name}`.")
        self.sought[name] = read_homes(answer, name)
        return self.sought[name]

    def edits(self, changes: Sequence[Change]) -> tuple[Act, ...]:
        """Make the calls that turn files from old to new."""
        return tuple(
            Act("replace_lines", {"path": change.path, "start": hunk.start, "end": hunk.end, "text": hunk.text})
            for change in changes
            for hunk in hunks(change.old, change.new)
        )

    def apply(self, changes: Sequence[Change], *after: Act, text: str) -> Talk[tuple[str, ...] | None]:
        """Edit files and make more calls in the same turn; None when an edit was refused, and then all is as before."""
        acts = self.edits(changes)
        answers = yield from self.ask(*acts, *after, text=text)
        done = [answer for act, answer in zip(acts, answers, strict=False) if EDITED.match(answer)]
        self.texts.update({change.path: change.new for change in changes})
        if len(done) == len(acts):
            return answers[len(acts) :]
        yield from self.restore()
        return None

    def undo(self, changes: Sequence[Change]) -> Talk[None]:
        """Take edits back."""
        back = [Change(change.path, change.new, change.old) for change in changes]
        acts = self.edits(back)
        answers = yield from self.ask(*acts, text="Taking that back.")
        if all(EDITED.match(answer) for answer in answers):
            self.texts.update({change.path: change.new for change in back})
        else:
            yield from self.restore()

    def restore(self) -> Talk[None]:
        """Go back to the last verified commit, whatever was changed."""
        self.texts.clear()
        for _ in range(2):
            (answer,) = yield from self.ask(Act("show_changes", {}), text="Looking at what is changed.")
            if answer.startswith("nothing changed"):
                return
            back = reverse((yield from self.page(answer)))
            if not back:
                break
            yield from self.ask(Act("apply_patch", {"patch": back}), text="Taking that back.")
        yield from self._give_up()

    def _give_up(self) -> Talk[None]:
        """Let the runtime roll back what cannot be taken back."""
        for _ in range(3):
            outcome = yield from self.checkpoint("fix: keep an edit that could not be taken back", "")
            if outcome != "refused":
                return

    def checkpoint(self, subject: str, body: str) -> Talk[str]:
        """Have the files as they stand judged: committed, refused, rolled back, or unchanged."""
        (answer,) = yield from self.ask(Act("checkpoint", {"subject": subject, "body": body}), text=subject)
        return self.judged(answer)

    def judged(self, answer: str) -> str:
        """Read what became of a checkpoint."""
        self.refusal = answer
        if answer.startswith("committed "):
            self.digest = answer
            self.sought.clear()
            return "committed"
        if "rolled back: the files are as at" in answer:
            self.rollbacks += 1
            self.texts.clear()
            return "rolled back"
        return "unchanged" if answer.startswith("nothing changed") else "refused"


def _read(path: str, start: int) -> Act:
    return Act("read_file", {"path": path, "start": start} if start > 1 else {"path": path})


def _some(paths: Sequence[str]) -> str:
    return ", ".join(paths[:3]) + (f" and {len(paths) - 3} more" if len(paths) > 3 else "")  # noqa: PLR2004


def read_page(answer: str) -> Page | None:
    """Read a numbered answer; None when it is no such thing or a line of it is cut."""
    head, _, rest = answer.partition("\n")
    found = HEADER.match(head)
    if found is None:
        return None
    traits = found["traits"] or ""
    lines = [row["text"] for row in map(NUMBERED.match, rest.split("\n")) if row]
    if "not UTF-8" in traits or any(CUT.search(line) for line in lines):
        return None
    return Page(tuple(lines), int(found["all"]), "no final newline" not in traits)


def _length(parts: Sequence[Page]) -> int:
    return sum(len(page.lines) for page in parts)


def _starts(parts: Sequence[Page]) -> list[int]:
    """Return where the next pages start, all but the first a guess from the length of the first."""
    done, step = _length(parts), max(1, len(parts[0].lines))
    return [done + 1, *range(done + 1 + step, min(parts[0].total, MOST_LINES) + 1, step)]


def _whole(parts: Sequence[Page]) -> str | None:
    lines = [line for page in parts for line in page.lines]
    if len(lines) != parts[0].total:
        return None
    return "\n".join(lines) + ("\n" if parts[0].ends and lines else "")


def read_homes(answer: str, name: str) -> Homes:
    """Read from found lines how a name is imported and where it is defined."""
    votes: dict[Import, int] = {}
    tops: dict[str, None] = {}
    inner: dict[str, None] = {}
    defined = re.compile(
        rf"(?P<indent>\s*)(?:(?:async )?(?:def|class) {re.escape(name)}\b|{re.escape(name)} *(?::.*)?=(?!=))"
    )
    for row in filter(None, map(PLACE.match, answer.split("\n"))):
        wanted = read_import(row["text"], name)
        definition = defined.match(row["text"])
        if wanted:
            votes[wanted] = votes.get(wanted, 0) + 1
        elif definition and row["path"].endswith(".py"):
            (inner if definition["indent"] else tops)[row["path"]] = None
    ordered = sorted(votes, key=lambda wanted: (-votes[wanted], str(wanted)))
    return Homes(tuple(ordered), tuple(tops), tuple(inner))
