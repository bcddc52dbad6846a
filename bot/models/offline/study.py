"""Finds out what could mend a complaint: reads the files that it concerns and asks the rules."""

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from bot.models.offline import members as rules
from bot.models.offline import modern
from bot.models.offline.briefing import Finding, is_evidence
from bot.models.offline.complaints import Complaint, Kind
from bot.models.offline.dialogue import PLACE, Change, Dialogue, Talk
from bot.models.offline.imports import Import
from bot.models.offline.keywords import keywords_of
from bot.models.offline.names import mend_name
from bot.models.offline.problems import Option, options
from bot.models.offline.replay import Act
from bot.models.offline.scopes import members, top_names
from bot.models.offline.source import Mend, module_of, parse
from bot.models.offline.suggestions import Suggestion
from bot.models.offline.vocabulary import MODULES, members_of

RELEASE = re.compile(r"^Python (\d{1,2})\.(\d{1,3})\b", re.MULTILINE)


def study(talk: Dialogue, complaint: Complaint, found: Sequence[Finding]) -> Talk[tuple[Option, ...]]:
    """Return what could mend findings that have one complaint and one place, the likeliest first."""
    student = STUDENTS.get(complaint.kind)
    lines = tuple(finding.line for finding in found if finding.path == found[0].path)
    text = (yield from talk.read([found[0].path])).get(found[0].path, "")
    now = options(found[0].path, text, modern.mends(text, complaint, lines))
    if now and complaint.kind in ("module", "import_name", "module_member"):
        # A module that cannot be imported tells of one fault at a time
        whole = modern.renew(text, (yield from _release(talk)))
        now = (*now, *options(found[0].path, text, [whole] if whole and whole.text != now[0].changes[0].new else []))
    if complaint.kind == "outdated" and not now:
        now = yield from _callers(talk, complaint, found[0])
    return (*now, *((yield from student(talk, complaint, found[0], lines)) if student is not None else ()))


def _release(talk: Dialogue) -> Talk[tuple[int, int]]:
    """Ask for the release of the project's interpreter; 0.0 when that is not told."""
    if talk.python is None:
        talk.python = (0, 0)
        if talk.can("run_command"):
            act = Act("run_command", {"argv": ["python", "--version"]})
            (answer,) = yield from talk.ask(act, text="Asking for the release of Python.")
            found = RELEASE.search(answer)
            talk.python = (int(found[1]), int(found[2])) if found else (0, 0)
    return talk.python


def _callers(talk: Dialogue, complaint: Complaint, found: Finding) -> Talk[tuple[Option, ...]]:
    """Let the callers of a function of the project, which warns that it is old, call the one that it names."""
    old, new = complaint.wanted.rpartition(".")[2], "".join(complaint.hints[:1]).rpartition(".")[2]
    text = (yield from talk.read([found.path])).get(found.path, "")
    if not new or not modern.alike(text, old, new) or not talk.can("search_text"):
        return ()
    arguments: dict[str, str | bool | int] = {"pattern": rf"\b{old}\b", "glob": "*.py", "regex": True, "limit": 100}
    (answer,) = yield from talk.ask(Act("search_text", {**arguments}), text=f"Looking for what calls `{old}`.")
    rows = [row["path"] for row in map(PLACE.match, answer.split("\n")) if row]
    texts = yield from talk.read(path for path in rows if not is_evidence(path))
    home = module_of(found.path)
    drafts = {path: modern.recall(each, home if path != found.path else "", old, new) for path, each in texts.items()}
    changes = tuple(Change(path, texts[path], each) for path, each in drafts.items() if each != texts[path])
    return (Option(changes, f"use `{new}` for `{old}`"),) if changes else ()


def explain(talk: Dialogue, complaint: Complaint, found: Sequence[Finding]) -> Talk[tuple[Suggestion, ...]]:
    """Return what a person should know of a complaint that nothing here mends."""
    one = found[0]
    if not one.path.endswith(".py") or not modern.concerns(complaint):
        return ()
    text = (yield from talk.read([one.path])).get(one.path, "")
    lines = tuple(finding.line for finding in found if finding.path == one.path)
    told = modern.explain(text, complaint, lines, evidence=one.evidence) if text else ""
    return (Suggestion(one.path, one.line, told),) if told else ()


def files_of(module: str) -> tuple[str, ...]:
    """Return the paths at which a module may stand."""
    stem = module.replace(".", "/")
    return tuple(f"{root}{stem}{end}" for root in ("", "src/") for end in (".py", "/__init__.py"))


def _name(talk: Dialogue, complaint: Complaint, found: Finding, lines: tuple[int, ...]) -> Talk[tuple[Option, ...]]:
    if is_evidence(found.path):
        return ()
    homes = yield from talk.homes(complaint.wanted)
    texts = yield from talk.read([found.path])
    here = module_of(found.path)
    own = [Import(module_of(path), complaint.wanted) for path in homes.paths if not is_evidence(path)]
    known = [home for home in (*homes.imports, *own) if home.module != here]
    text = texts.get(found.path, "")
    return options(found.path, text, mend_name(text, complaint.wanted, lines, known, complaint.hints))


def _owner_files(talk: Dialogue, owner: str) -> Talk[dict[str, str]]:
    """Read the files in which a class or a function may be defined."""
    parts = owner.replace(".<locals>", "").split(".")
    paths: list[str] = []
    for name in dict.fromkeys((parts[0], parts[-1])):
        homes = yield from talk.homes(name)
        paths += [*homes.paths, *(homes.members if name != parts[0] else ())]
    return (yield from talk.read(path for path in paths if not is_evidence(path)))


def _attribute(
    talk: Dialogue, complaint: Complaint, found: Finding, lines: tuple[int, ...]
) -> Talk[tuple[Option, ...]]:
    owner, wanted = complaint.owner, complaint.wanted
    known = set(members_of(owner))
    homes = {} if known else (yield from _owner_files(talk, owner))
    for text in homes.values():
        tree = parse(text)
        known |= members(tree, owner) if tree else frozenset()
    known = set(complaint.hints) or known
    here = (yield from talk.read([found.path])).get(found.path, "")
    use = options(found.path, here, rules.mend_attribute(here, lines[0], wanted, known))
    return (*use, *_each(homes, lambda text: rules.rename_member(text, owner, wanted)))


def _each(texts: Mapping[str, str], rule: Callable[[str], tuple[Mend, ...]]) -> tuple[Option, ...]:
    """Ask a rule about the files that define something."""
    return tuple(option for path, text in texts.items() for option in options(path, text, rule(text)))


def _member(talk: Dialogue, complaint: Complaint, found: Finding, lines: tuple[int, ...]) -> Talk[tuple[Option, ...]]:
    homes, known = yield from _module_names(talk, complaint)
    here = (yield from talk.read([found.path])).get(found.path, "")
    use = options(found.path, here, rules.mend_attribute(here, lines[0], complaint.wanted, known))
    return (*use, *_each(homes, lambda text: rules.rename_top(text, complaint.wanted)))


def _module_names(talk: Dialogue, complaint: Complaint) -> Talk[tuple[dict[str, str], set[str]]]:
    """Read a module of the project, and collect what it or one of Python's own offers."""
    known = set(members_of(complaint.owner))
    homes = yield from talk.read(() if complaint.owner.partition(".")[0] in MODULES else files_of(complaint.owner))
    for text in homes.values():
        tree = parse(text)
        known |= top_names(tree) if tree else frozenset()
    return homes, set(complaint.hints) or known


def _import_name(talk: Dialogue, complaint: Complaint, found: Finding, _: tuple[int, ...]) -> Talk[tuple[Option, ...]]:
    owner, wanted = complaint.owner, complaint.wanted
    homes, known = yield from _module_names(talk, complaint)
    here = (yield from talk.read([found.path])).get(found.path, "")
    defined = (yield from talk.homes(wanted)).paths
    others = [module_of(path) for path in defined if not is_evidence(path) and path not in files_of(owner)]
    moved = [mend for home in others for mend in rules.move_import(here, owner, wanted, home)]
    use = options(found.path, here, [*moved, *rules.mend_imported(here, wanted, known)])
    return (*use, *_each(homes, lambda text: rules.rename_top(text, wanted)))


def _module(talk: Dialogue, complaint: Complaint, found: Finding, _: tuple[int, ...]) -> Talk[tuple[Option, ...]]:
    if is_evidence(found.path):
        return ()
    here = (yield from talk.read([found.path])).get(found.path, "")
    listed: tuple[str, ...] = ("",)
    if talk.can("list_files"):
        listed = yield from talk.ask(Act("list_files", {"path": ".", "depth": 8}), text="Looking for the module.")
    known = {module_of(row) for row in listed[0].split("\n") if row.endswith(".py")}
    parts = {".".join(name.split(".")[:depth]) for name in known for depth in range(1, name.count(".") + 2)}
    return options(found.path, here, rules.mend_module(here, complaint.wanted, {*parts, *MODULES}))


def _keyword(talk: Dialogue, complaint: Complaint, found: Finding, lines: tuple[int, ...]) -> Talk[tuple[Option, ...]]:
    owner, wanted = complaint.owner, complaint.wanted
    homes = yield from _owner_files(talk, owner)
    known = set(complaint.hints) or {name for text in homes.values() for name in rules.parameters_of(text, owner)}
    standard = frozenset() if homes or known else keywords_of(owner)
    here = (yield from talk.read([found.path])).get(found.path, "")
    lost = _each(homes, lambda text: rules.add_parameter(text, owner, wanted))
    of = "" if standard else owner
    use = options(found.path, here, rules.mend_keyword(here, lines[0], of, wanted, standard or known))
    return (*lost, *use, *_each(homes, lambda text: rules.rename_parameter(text, owner, wanted)))


def _too_many(talk: Dialogue, complaint: Complaint, _found: Finding, __: tuple[int, ...]) -> Talk[tuple[Option, ...]]:
    owner = complaint.owner
    homes = yield from _owner_files(talk, owner)
    place, _dot, method = owner.rpartition(".")
    lost = _each(homes, lambda text: rules.add_self(text, place, method)) if complaint.wanted == "0" else ()
    return (*lost, *_each(homes, lambda text: rules.add_parameter(text, owner)))


STUDENTS: MappingProxyType[
    Kind, Callable[[Dialogue, Complaint, Finding, tuple[int, ...]], Talk[tuple[Option, ...]]]
] = MappingProxyType({
    "name": _name,
    "attribute": _attribute,
    "module_member": _member,
    "import_name": _import_name,
    "module": _module,
    "keyword": _keyword,
    "too_many": _too_many,
})  # fmt: skip
