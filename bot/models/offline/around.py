"""What is mended around code rather than in it, and what is said of the rest."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from bot.core.check import Rung
from bot.models.offline import conflicts
from bot.models.offline.briefing import Finding, is_evidence
from bot.models.offline.complaints import read as read_complaint
from bot.models.offline.dependencies import mend_missing, tell_missing
from bot.models.offline.diagnosis import diagnose
from bot.models.offline.dialogue import Change, Talk
from bot.models.offline.distributions import distributions_of
from bot.models.offline.drift import read_demands
from bot.models.offline.ground import Ground
from bot.models.offline.hygiene import mend_files
from bot.models.offline.manifests import read_manifests
from bot.models.offline.packaging import add_markers, mend_scripts, tell_data
from bot.models.offline.patches import Suspect
from bot.models.offline.problems import Option, Problem
from bot.models.offline.reflow import limit_of, wrap
from bot.models.offline.replay import Act
from bot.models.offline.source import module_of
from bot.models.offline.suggestions import Suggestion
from bot.models.offline.vocabulary import MODULES
from bot.models.offline.workshop import Workshop

MOST_NAMES = 3
TESTS = frozenset({Rung.UNIT, Rung.INTEGRATION, Rung.BUILD})
STUBS = re.compile(r'Library stubs not installed for "(?P<module>[\w.]{1,100})"')
HINT = re.compile(r"[Hh]int: \"?(?:python3? -m )?pip install (?P<names>[A-Za-z0-9._ -]{1,200})")
COMMIT = re.compile(r"^(?P<commit>[0-9a-f]{7,64})(?P<parents>(?: [0-9a-f]{7,64})*)$", re.MULTILINE)
DATED = re.compile(r"^(?P<seconds>\d{6,12}) (?P<commit>[0-9a-f]{7,64}) (?P<subject>.{0,80})", re.MULTILINE)
FOREIGN = re.compile(r"site-packages[/\\]|dist-packages[/\\]")


@dataclass(slots=True)
class Around:
    """What is known of a project besides its code."""

    shop: Workshop
    ground: Ground = field(default_factory=Ground)

    def mend(self, check: str, rung: Rung, found: Sequence[Finding]) -> Talk[bool]:
        """Mend something of what a check complains of; returns whether anything was committed."""
        if rung is Rung.STATIC and (yield from self._wrap(check, found)):
            return True
        if rung in (Rung.STATIC, *TESTS) and (yield from add_markers(self.shop, self.ground, check, found)):
            return True
        if rung not in TESTS:
            return False
        if (yield from mend_files(self.shop, check, found)):
            return True
        if (yield from mend_scripts(self.shop, self.ground, check, found)):
            return True
        return (yield from mend_missing(self.shop, self.ground, check, found))

    def _wrap(self, check: str, found: Sequence[Finding]) -> Talk[bool]:
        """Wrap comments that are too long, of all files in one commit."""
        long = [f for f in found if f.code in ("E501", "W505") and limit_of(f.message) and f.line and not f.evidence]
        texts = yield from self.shop.talk.read(finding.path for finding in long)
        changes: list[Change] = []
        mine: list[Finding] = []
        for path, text in texts.items():
            found = [finding for finding in long if finding.path == path and finding.line <= text.count("\n")]
            mend = wrap(text, {finding.line: limit_of(finding.message) for finding in found})
            if mend is not None:
                changes.append(Change(path, text, mend.text))
                mine += found
        problem = Problem(tuple(mine), (Option(tuple(changes), "wrap comments that are too long"),))
        body = "\n".join(f"- {change.path}" for change in changes)
        return (yield from self.shop.attempt(check, changes, problem, ("style: wrap comments that are too long", body)))

    def diagnose(self, left: Sequence[Finding]) -> Talk[None]:
        """Say what is known of what is left."""
        told = self.shop.suggestions
        yield from self._conflicts(left)
        told += diagnose(left, f"{self.shop.talk.briefing.baseline}\n{self.shop.talk.digest}")
        if not self.shop.talk.spent:
            told += yield from tell_missing(self.shop, self.ground, left)
            yield from self._stubs(left)
            yield from self._names(left)
            yield from self._outputs(left)
            if any("site-packages" in finding.message for finding in left):
                told += tell_data((yield from self.ground.files(self.shop.talk)), left)
        unique = list(dict.fromkeys(told))
        told[:] = unique

    def _conflicts(self, left: Sequence[Finding]) -> Talk[None]:
        broken = [finding.path for finding in left if "SyntaxError" in finding.id or "IndentationError" in finding.id]
        broken += [finding.path for finding in left if "SyntaxError" in finding.message or "Indent" in finding.message]
        texts = yield from self.shop.talk.read(path for path in broken if path.endswith(".py"))
        for path, text in list(texts.items()):
            found = conflicts.find(text)
            if found:
                unsure = any(one.base is None for one in found) and not self.shop.talk.spent
                base = (yield from self._base(path)) if unsure else ""
                self.shop.suggestions += conflicts.advise(path, text, base)

    def _base(self, path: str) -> Talk[str]:
        """Return a file as both sides of the merge that brought it had it; empty when there was none."""
        if not self.shop.talk.can("run_command"):
            return ""
        told = yield from self._git("log", "-n", "20", "--format=%H %P", "--", path)
        merge = next((found for found in COMMIT.finditer(told) if found["parents"].count(" ") == 2), None)  # noqa: PLR2004
        if merge is None:
            return ""
        told = yield from self._git("merge-base", *merge["parents"].split())
        base = COMMIT.search(told)
        shown = (yield from self._git("show", f"{base['commit']}:{path}")) if base else ""
        return shown.partition("\n")[2] if shown.startswith("exit code 0") else ""

    def _last_change(self, path: str) -> Talk[re.Match[str] | None]:
        """Return when somebody last changed a file, and by which commit; the steps of runs are nobody's."""
        chosen = ("-n", "1", "--invert-grep", "--grep=^Agent-Run: ")
        return DATED.search((yield from self._git("log", *chosen, "--format=%ct %h %s", "--", path)))

    def _git(self, *words: str) -> Talk[str]:
        argv: list[JsonValue] = ["git", *words]
        act = Act("run_command", {"argv": argv})
        (answer,) = yield from self.shop.talk.ask(act, text="Asking history.")
        return (yield from self.shop.talk.page(answer))

    def tell_ages(self, left: Sequence[Finding], suspects: Sequence[Suspect]) -> Talk[None]:
        """Say which is newer, a failing test or the code that it blames: that hints at what was meant."""
        test = next((one.id for one in left if "::" in one.id and "AssertionError" in one.message), "")
        code = next((one.path for one in suspects if one.text and not is_evidence(one.path)), "")
        if not test or not code or self.shop.talk.spent or not self.shop.talk.can("run_command"):
            return
        path, name = test.partition("::")[0], test.rpartition("::")[2]
        of_test = yield from self._last_change(path)
        of_code = yield from self._last_change(code)
        if of_test and of_code and of_test["commit"] != of_code["commit"]:
            newer = int(of_test["seconds"]) > int(of_code["seconds"])
            last = of_test if newer else of_code
            what = f"{path if newer else code} changed last, in {last['commit']} ({last['subject'].strip()})"
            may = "may ask for something new" if newer else "may have been broken by that, or be out of date"
            self.shop.suggestions.append(Suggestion(path, 0, f"{what}: {name} {may}"))

    def _stubs(self, left: Sequence[Finding]) -> Talk[None]:
        """Name the distribution of stubs that mypy proposes."""
        lacking = {found["module"]: one for one in left if (found := STUBS.search(one.message))}
        if not lacking or not self.shop.talk.can("run_command"):
            return
        paths = list(dict.fromkeys(one.path for one in lacking.values()))[:8]
        argv: list[JsonValue] = ["mypy", "--no-pretty", *paths]
        act = Act("run_command", {"argv": argv})
        (answer,) = yield from self.shop.talk.ask(act, text="Asking mypy for the stubs that it means.")
        hints = dict(_hints((yield from self.shop.talk.page(answer))))
        for module, finding in lacking.items():
            named = hints.get(module, "")
            what = f"`{named}` brings the stubs of {module}" if named else f"{module} has no stubs here"
            text = f"{what}: add it to the group of the type checker and install it; imports are never ignored here"
            self.shop.suggestions.append(Suggestion(finding.path, finding.line, text))

    def _names(self, left: Sequence[Finding]) -> Talk[None]:
        """Explain names that a module does not offer: lost re-exports of our own, changes of other people's."""
        named = [(one, complaint) for one in left if (complaint := read_complaint(one.message)) is not None]
        asked = [(one, c) for one, c in named if c.kind in ("import_name", "module_member")]
        for finding, complaint in asked[:MOST_NAMES]:
            top = complaint.owner.partition(".")[0]
            own = yield from self.ground.is_own(self.shop.talk, complaint.owner)
            if own and not FOREIGN.search(finding.message):
                yield from self._reexport(finding, complaint.owner, complaint.wanted)
            elif top not in MODULES:
                yield from self._break(finding, complaint.owner, complaint.wanted)

    def _reexport(self, finding: Finding, owner: str, wanted: str) -> Talk[None]:
        homes = yield from self.shop.talk.homes(wanted)
        defined = [path for path in homes.paths if not is_evidence(path) and module_of(path) != owner]
        if len(defined) == 1:
            text = (
                f"{owner} no longer offers `{wanted}`, which {module_of(defined[0])} defines: if it is part of the "
                f"interface, `from {module_of(defined[0])} import {wanted}` in {owner} offers it again"
            )
            self.shop.suggestions.append(Suggestion(finding.path, finding.line, text))

    def _break(self, finding: Finding, owner: str, wanted: str) -> Talk[None]:
        """Say that a dependency may have changed, and how the project asks for it."""
        files = yield from self.ground.files(self.shop.talk)
        manifests = [
            path for path in files if path.rpartition("/")[2] in ("pyproject.toml", "setup.cfg", "requirements.txt")
        ]
        texts = yield from self.shop.talk.read(manifests[:4])
        names = distributions_of(owner)
        asked = next((one for one in read_manifests(texts) if one.name in names), None)
        how = f", and {asked.path} asks for `{asked.requirement}`" if asked is not None else ""
        text = (
            f"the installed {names[0] if names else owner} has no `{wanted}` in {owner}{how}: a release of it may have "
            "taken that away; a bound below that release is a stopgap, another call of it the cure"
        )
        self.shop.suggestions.append(Suggestion(finding.path, finding.line, text))

    def _outputs(self, left: Sequence[Finding]) -> Talk[None]:
        """Explain what checks that only have an exit code ask for."""
        silent = list(dict.fromkeys(one.check for one in left if one.message.startswith("exit code ")))[:4]
        for check in silent:
            known = " ".join(one.message for one in left if one.check == check)
            found = list(read_demands(check, known))
            if not found and not self.shop.talk.spent:
                (answer,) = yield from self.shop.talk.ask(self.shop.talk.check_act(check), text=f"Reading {check}.")
                found = list(read_demands(check, (yield from self.shop.talk.page(answer))))
            self.shop.suggestions += found


def _hints(told: str) -> list[tuple[str, str]]:
    """Read which stubs mypy proposes for which module: a hint follows the error that it is about."""
    found: list[tuple[str, str]] = []
    module = ""
    for line in told.split("\n"):
        error, hint = STUBS.search(line), HINT.search(line)
        module = error["module"] if error else module
        if hint and module:
            found.append((module, hint["names"].strip()))
            module = ""
    return found
