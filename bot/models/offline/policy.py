"""Walks up the ladder: mends what each check reports, one kind of fault a commit, then says what is left."""

from collections.abc import Sequence

from pydantic import JsonValue

from bot.core.check import Rung
from bot.core.message import Prompt
from bot.models.offline.around import Around
from bot.models.offline.briefing import Briefing, Finding, brief, findings, settled, whole
from bot.models.offline.dialogue import Dialogue, Talk
from bot.models.offline.families import (
    advise,
    mend_errors,
    mend_names,
    mend_parsing,
    mend_style,
    mend_types,
    searchable,
)
from bot.models.offline.goal import asks_for_more, barred, meant, topics
from bot.models.offline.hunt import Hunt
from bot.models.offline.lint import list_all
from bot.models.offline.replay import Act, Script
from bot.models.offline.summary import Ending, summarize
from bot.models.offline.workshop import Workshop

URGENCY = {Rung.SYNTAX: 1, Rung.STATIC: 3, Rung.TYPES: 4}
"""What is mended first: what cannot be parsed, then what does not work, then what does not look as it should."""
MOST_ROUNDS = 10
"""Times that one check's findings are gone through."""
LONGEST_SUMMARY = 6_000
MOST_ENDINGS = 3
"""Times that the last word is said when it is not taken for one."""


def work(prompt: Prompt, torn: bool) -> Script:  # noqa: FBT001 - the script's one parameter besides the prompt
    """Mend what can be mended and finish; `torn` says that what happened before is not all known."""
    briefing = brief(prompt)
    walk = _Walk(briefing, torn=torn)
    if not walk.talk.can("checkpoint"):
        yield from walk.plan()
    else:
        yield from walk.go()


class _Walk:
    """One way up the ladder."""

    def __init__(self, briefing: Briefing, *, torn: bool) -> None:
        self.briefing = briefing
        self.talk = Dialogue(briefing, digest="" if torn else briefing.baseline)
        self.shop = Workshop(self.talk)
        self.hunt = Hunt(self.shop)
        self.around = Around(self.shop)
        self.end = Ending(goal=briefing.goal, more=asks_for_more(briefing.goal))

    def go(self) -> Script:
        """Mend, check by check."""
        if self.briefing.plans:
            yield from self._say_plan()
            self.end.left = []
        wanted = topics(self.briefing.goal)
        for name, rung in sorted(self.briefing.checks, key=lambda check: URGENCY.get(check[1], 2)):
            if rung in wanted and not self.end.more:
                yield from self._mend(name, rung)
                if rung is Rung.SYNTAX:
                    yield from self._name()
        failed: list[Finding] = []
        for name, _ in self.briefing.checks:
            failed += yield from self._failing(name)
        failed = self._sort(failed)
        yield from advise(self.shop, failed)
        yield from self.around.diagnose(failed)
        self.end.done = self.shop.done
        self.end.excused = self.hunt.excused
        self.end.vain = self.hunt.vain
        self.end.suggestions = self.shop.suggestions
        self.end.spent = self.talk.spent
        tests = [finding for finding in failed if not finding.code]
        if tests and not self.end.more and not self.talk.spent:
            self.end.suspects = yield from self.hunt.blame(tests)
            yield from self.around.tell_ages(tests, self.end.suspects)
        yield from self._finish(summarize(self.end))

    def _sort(self, failed: Sequence[Finding]) -> list[Finding]:
        """Keep what was to be mended of what still fails, and note why the rest was left alone."""
        wanted = topics(self.briefing.goal)
        asked: list[Finding] = []
        for name, rung in self.briefing.checks:
            if rung in wanted or self.end.more:
                asked += meant(self.briefing, [one for one in failed if one.check == name])
        self.end.left = [one for one in asked if not barred(self.briefing, one)]
        self.end.barred = [one for one in asked if barred(self.briefing, one)]
        self.end.unasked = [one for one in failed if one not in asked]
        return self.end.left

    def _mend(self, name: str, rung: Rung) -> Talk[None]:
        for _ in range(MOST_ROUNDS):
            if self.talk.spent:
                return
            found = yield from self._asked(name)
            if not found or not (yield from self._round(name, rung, found)):
                return

    def _name(self) -> Talk[None]:
        """Mend names that a linter knows to be undefined: tests say less of them, one at a time."""
        for name, rung in self.briefing.checks:
            if rung is Rung.STATIC and rung in topics(self.briefing.goal) and not self.talk.spent:
                found = yield from self._asked(name)
                yield from mend_names(self.shop, name, [finding for finding in found if finding.code == "F821"])

    def _asked(self, name: str) -> Talk[tuple[Finding, ...]]:
        """Return what a check complains of and what may be mended of that."""
        found = meant(self.briefing, (yield from self._failing(name)))
        return tuple(finding for finding in found if not barred(self.briefing, finding))

    def _round(self, name: str, rung: Rung, found: Sequence[Finding]) -> Talk[bool]:
        """Mend some of a check's findings; returns whether anything was committed."""
        if (yield from self.around.mend(name, rung, found)):
            return True
        if rung is Rung.SYNTAX:
            return (yield from mend_parsing(self.shop, name, found, self._known_tests()))
        if rung is Rung.STATIC:
            if not whole(self.talk.digest) and any(finding.code for finding in found):
                found = yield from list_all(self.shop, name, found)
            return (yield from mend_style(self.shop, name, found, ()))
        if rung is Rung.TYPES:
            return (yield from mend_types(self.shop, name, found, ()))
        if (yield from mend_errors(self.shop, name, found)):
            return True
        return (yield from self.hunt.mend_tests(searchable(found)))

    def _known_tests(self) -> tuple[str, ...]:
        """Return failing tests that can tell one mend from another."""
        names = [name for name, rung in self.briefing.checks if rung is Rung.UNIT]
        return tuple(finding.id for finding in findings(self.talk.digest, names) if not finding.id.endswith("…"))[:10]

    def _failing(self, name: str) -> Talk[tuple[Finding, ...]]:
        """Return what a check complains of at the last verified commit, from what is known if it is."""
        digest = self.talk.digest
        if "Every check passes." in digest.partition("\n")[0]:
            return ()
        word = "-".join(name.split())
        status = settled(digest).get(word, "")
        if status == "errored" and name not in self.end.errored:
            self.end.errored.append(name)
        found = findings(digest, [name])
        if found or status in ("passed", "errored"):
            return found
        if not self.shop.fresh(repr(("ask", name, len(self.shop.done)))):
            return ()
        state = yield from self.talk.check(name)
        return state.findings

    def plan(self) -> Script:
        """Say what would be done, where nothing may be changed."""
        yield from self._say_plan()
        self.end.planning = True
        yield from self._finish(summarize(self.end))

    def _say_plan(self) -> Talk[None]:
        steps: list[JsonValue] = []
        for name, _ in self.briefing.checks:
            found = yield from self._failing(name)
            if found and not self.end.more:
                more = f" and {len(found) - 1} more" if len(found) > 1 else ""
                steps.append(f"{name}: mend by rule or search {found[0].id[:120]}{more}")
            self.end.left += found
        if self.talk.can("update_plan"):
            yield from self.talk.ask(Act("update_plan", {"steps": steps or ["nothing that rules can mend"]}))

    def _finish(self, summary: str) -> Talk[None]:
        for _ in range(MOST_ENDINGS):
            act = Act("finish", {"summary": summary[:LONGEST_SUMMARY]})
            (answer,) = yield from self.talk.ask(act, text=summary[:LONGEST_SUMMARY])
            # Asked again after an answer that was no refusal, it is for a person to judge what speaks against a change
            if answer.startswith("refused"):
                yield from self.talk.restore()
