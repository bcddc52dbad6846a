"""Tries ideas on the files: edit, look whether it helped, have it judged, or take it back."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.core.check import file_of
from bot.models.offline.bounds import refused, refused_patch
from bot.models.offline.briefing import Finding, findings, whole
from bot.models.offline.complaints import read as read_complaint
from bot.models.offline.dialogue import Change, Dialogue, State, Talk
from bot.models.offline.problems import Option, Problem, combine
from bot.models.offline.replay import Act
from bot.models.offline.source import hunks
from bot.models.offline.suggestions import Suggestion

TIDY = {
    ("ruff", "F401"): ("ruff", "check", "--fix", "--quiet", "--select", "F401"),
    ("ruff", "I001"): ("ruff", "check", "--fix", "--quiet", "--select", "I"),
    ("isort", "imports"): ("isort", "--quiet"),
    ("ruff-format", "format"): ("ruff", "format", "--quiet"),
    ("black", "format"): ("black", "--quiet"),
}
"""Findings that an edit of ours may bring about, by check and code, and the command that clears each away."""
MOST_TARGETS = 20
CONFTEST = "conftest.py"
LONGEST_SUBJECT = 72


@dataclass(slots=True)
class Workshop:
    """The dialogue, and what was tried and done in it."""

    talk: Dialogue
    tried: set[str] = field(default_factory=set)
    done: list[str] = field(default_factory=list)
    """Subjects of the commits that were made."""
    suggestions: list[Suggestion] = field(default_factory=list)
    """What was seen and is not ours to change."""

    def fresh(self, key: str) -> bool:
        """Whether an idea is new; each is tried once."""
        if key in self.tried:
            return False
        self.tried.add(key)
        return True

    def settle(self, check: str, problems: Sequence[Problem], kind: str) -> Talk[bool]:
        """Mend problems of one kind in one commit, or else one by one; returns whether anything was committed."""
        mendable = [problem for problem in problems if problem.options]
        together, used = combine([problem.options[0] for problem in mendable])
        if len(used) > 1:
            mine = [problem for problem in mendable if problem.options[0] in used]
            joint = Problem(tuple(f for p in mine for f in p.findings), used, decided=all(p.decided for p in mine))
            if (yield from self.attempt(check, together, joint, (kind, _listed(used)))):
                return True
        committed = False
        for problem in mendable:
            committed = (yield from self._settle_one(check, problem, kind.partition(":")[0])) or committed
        return committed

    def _settle_one(self, check: str, problem: Problem, sort: str) -> Talk[bool]:
        for option in problem.options:
            if self.talk.spent:
                return False
            current = yield from self._rebased(option)
            if current and (yield from self.attempt(check, current, problem, (_subject(option, sort), ""))):
                return True
        return False

    def _rebased(self, option: Option) -> Talk[tuple[Change, ...]]:
        """Return the changes of an option if the files are still what it starts from."""
        texts = yield from self.talk.read([change.path for change in option.changes])
        return option.changes if all(texts.get(c.path) == c.old for c in option.changes) else ()

    def attempt(self, check: str, changes: Sequence[Change], problem: Problem, message: tuple[str, str]) -> Talk[bool]:
        """Make changes; keep them only when the check then complains less and the ladder agrees."""
        if not changes or refused(changes) or not self.fresh(_idea(changes, problem)):
            return False
        act = self.talk.check_act(check, _targets(problem.findings))
        answers = yield from self.talk.apply(changes, act, text=message[0])
        if answers is None:
            return False
        state = yield from self.talk.heard(check, answers[0])
        if not helped(problem, state, self._known(check)):
            yield from self.talk.undo(changes)
            return False
        return (yield from self._judge(changes, message))

    def _known(self, check: str) -> frozenset[str] | None:
        """Return what the check complained of before; None when not all of it is known."""
        digest = self.talk.digest
        return frozenset(finding.id for finding in findings(digest, [check])) if digest and whole(digest) else None

    def _judge(self, changes: Sequence[Change], message: tuple[str, str]) -> Talk[bool]:
        outcome = yield from self.talk.checkpoint(*message)
        if outcome == "refused":
            commands = tidying(self.talk.refusal, self.talk.briefing.names, [change.path for change in changes])
            if commands and self.talk.can("run_command"):
                outcome = yield from self.run(commands, message)
                if outcome == "refused":
                    yield from self.talk.restore()
            else:
                yield from self.talk.undo(changes)
        return self.noted(outcome, message[0])

    def run(self, commands: Sequence[Sequence[str]], message: tuple[str, str]) -> Talk[str]:
        """Run commands that change files, and have the result judged in the same turn."""
        acts = [Act("run_command", {"argv": list(argv)}) for argv in commands]
        acts.append(Act("checkpoint", {"subject": message[0], "body": message[1]}))
        self.talk.texts.clear()
        answers = yield from self.talk.ask(*acts, text=message[0])
        return self.talk.judged(answers[-1])

    def command(self, argv: Sequence[str], message: tuple[str, str]) -> Talk[bool]:
        """Let a command mend files; keep what it did only when the ladder agrees."""
        if not self.fresh(repr(argv)):
            return False
        outcome = yield from self.run([argv], message)
        paths = argv[argv.index("--") + 1 :] if "--" in argv else ()
        more = tidying(self.talk.refusal, self.talk.briefing.names, paths) if outcome == "refused" else []
        if more:
            outcome = yield from self.run(more, message)
        if outcome == "refused":
            yield from self.talk.restore()
        return self.noted(outcome, message[0])

    def patch(self, patch: str, message: tuple[str, str]) -> Talk[bool]:
        """Apply a patch that was found to work; keep it only when the ladder agrees."""
        if refused_patch(patch) or not self.fresh(patch):
            return False
        self.talk.texts.clear()
        acts = (Act("apply_patch", {"patch": patch}), Act("checkpoint", {"subject": message[0], "body": message[1]}))
        answers = yield from self.talk.ask(*acts, text=message[0])
        outcome = self.talk.judged(answers[-1])
        if outcome == "refused":
            paths = [line[6:] for line in patch.split("\n") if line.startswith("+++ b/")]
            commands = tidying(self.talk.refusal, self.talk.briefing.names, paths)
            if commands and self.talk.can("run_command"):
                outcome = yield from self.run(commands, message)
        if outcome == "refused":
            yield from self.talk.restore()
        return self.noted(outcome, message[0])

    def noted(self, outcome: str, subject: str) -> bool:
        """Keep a commit in mind; returns whether it was made."""
        if outcome == "committed":
            self.done.append(subject)
        return outcome == "committed"


def _idea(changes: Sequence[Change], problem: Problem) -> str:
    """Name an idea so that it is known again when other lines of its files have changed."""
    edits = [(change.path, [hunk.text for hunk in hunks(change.old, change.new)]) for change in changes]
    return repr((edits, [finding.id for finding in problem.findings]))


def helped(problem: Problem, state: State, known: frozenset[str] | None) -> bool:
    """Whether some of the findings are gone, and nothing came that was not known but what can be tidied away."""
    if state.status == "errored":
        return False
    left = {finding.id: finding for finding in state.findings}
    gone = [one for one in problem.findings if _gone(one, left.get(one.id), decided=problem.decided)]
    fresh = [one for one in state.findings if known is not None and one.id not in known and not _tidies(one)]
    return bool(gone) and all(_was_hidden(one, known or frozenset()) for one in fresh)


def _was_hidden(finding: Finding, known: frozenset[str]) -> bool:
    """Whether a test could not be found before, as its file, or a conftest, could not be loaded."""
    return not finding.code and (file_of(finding.id) in known or any(name.endswith(CONFTEST) for name in known))


def tool_of(check: str) -> str:
    """Return the tool that a check runs; a check of a package is named by its folder as well."""
    return check.rpartition("/")[2]


def _tidies(finding: Finding) -> tuple[str, ...]:
    exported = finding.code == "F401" and finding.path.rpartition("/")[2] == "__init__.py"
    return () if exported else TIDY.get((tool_of(finding.check), finding.code), ())


def _gone(before: Finding, after: Finding | None, *, decided: bool) -> bool:
    """Whether a complaint is no longer made; a test that now complains of something else is a step on."""
    if after is None:
        return True
    was, now = read_complaint(before.message), read_complaint(after.message)
    return not before.code and was is not None and was != now and (decided or now is not None)


def tidying(refusal: str, checks: Sequence[str], paths: Sequence[str]) -> list[list[str]]:
    """Return the commands that clear away what an edit brought about in these paths."""
    own = [f for f in findings(refusal, checks) if f.path in paths and _tidies(f)]
    commands = [command for command in TIDY.values() if any(_tidies(f) == command for f in own)]
    return [[*argv, "--", *sorted({f.path for f in own if _tidies(f) == argv})] for argv in commands]


def _targets(wanted: Sequence[Finding]) -> tuple[str, ...]:
    """Narrow a check of tests to those that are to be mended; a static check always sees the whole."""
    ids = tuple(dict.fromkeys(finding.id for finding in wanted if not finding.code))
    # Nothing stands in a conftest that could be asked for, and without it no test is found
    named = not any(name.endswith(("…", CONFTEST)) for name in ids)
    return ids if len(ids) <= MOST_TARGETS and named else ()


def _subject(option: Option, sort: str) -> str:
    path = option.changes[0].path
    subject = f"{sort}: {option.what} in {path}"
    return subject if len(subject) <= LONGEST_SUBJECT else f"{sort}: {option.what}"[:LONGEST_SUBJECT]


def _listed(used: Sequence[Option]) -> str:
    """List what was done, a line for each file."""
    return "\n".join(f"- {option.changes[0].path}: {option.what}" for option in used[:40])
